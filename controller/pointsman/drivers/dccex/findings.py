"""What a station says of itself and of everything that a layout's wiring names. It is asked, never commanded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from pointsman.drivers.dccex.addresses import Addresses, Switched
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.reports import main_power
from pointsman.drivers.latency import Latency
from pointsman.protocols.dccex import Reply
from pointsman.protocols.dccex.commands import (
    CurrentLimits,
    Currents,
    ListOutputs,
    ListSensors,
    ListTurnouts,
    MainCurrent,
    SensorStates,
    Status,
    ThrottleQuery,
    TrackModes,
    TurnoutIds,
)
from pointsman.protocols.dccex.replies import (
    CurrentLimitList,
    CurrentList,
    Greeting,
    LocomotiveState,
    MainCurrentState,
    OutputDefinition,
    OutputState,
    PowerState,
    SensorDefinition,
    SensorState,
    TrackMode,
    TurnoutDefinition,
    TurnoutIdList,
    TurnoutState,
)

FENCES = 20
TRACKS = "ABCDEFGH"


@dataclass(frozen=True, slots=True)
class Machine:
    """A turnout, sensor or output. ``name`` is the layout's, empty for what its wiring does not name.

    ``known``: the station has it. ``state`` in the layout's own sense (thrown, broken, on), without a name in the
    station's; None when the station does not tell it. ``pin`` where it tells that. ``line`` would define it as the
    station has it; empty where it does not tell enough.
    """

    name: str
    number: int
    known: bool
    state: bool | None = None
    pin: int | None = None
    line: str = ""


@dataclass(frozen=True, slots=True)
class TrackFound:
    """One track output of the station. ``current_ma`` is -1 in an overload; None is what the station does not tell."""

    letter: str
    mode: str
    on: bool | None
    current_ma: int | None
    limit_ma: int | None


@dataclass(frozen=True, slots=True)
class CabFound:
    """A locomotive: ``speed`` -1 emergency stop, 0 standing, 1..126; None when the station has not driven it."""

    name: str
    cab: int
    speed: int | None
    forward: bool


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that was asked. ``power`` of the main track; ``current_ma`` and ``trip_ma`` of the first track."""

    greeting: str
    version: str
    board: str
    shield: str
    booted: bool
    slots: int
    latency: Latency
    power: bool | None
    current_ma: int | None
    trip_ma: int | None
    tracks: tuple[TrackFound, ...]
    turnouts: tuple[Machine, ...]
    beams: tuple[Machine, ...]
    magnets: tuple[Machine, ...]
    locomotives: tuple[CabFound, ...]

    @property
    def unknown(self) -> list[tuple[str, Machine]]:
        """What the wiring names and the station does not have, each with what it is."""
        groups = (("turnout", self.turnouts), ("sensor", self.beams), ("output", self.magnets))
        return [(what, one) for what, found in groups for one in found if not one.known]

    @property
    def lines(self) -> dict[str, str]:
        """How what the layout names is defined at the station, as far as it has it; empty where it does not tell."""
        groups = (("turnout", self.turnouts), ("beam", self.beams), ("magnet", self.magnets))
        return {f"{what} {one.name}": one.line for what, found in groups for one in found if one.name and one.known}

    @property
    def energised(self) -> list[Machine]:
        """Magnets of the layout that are on."""
        return [one for one in self.magnets if one.name and one.state]

    @property
    def driven(self) -> list[CabFound]:
        """Locomotives of the layout that run."""
        return [one for one in self.locomotives if one.speed is not None and one.speed > 0]


@dataclass(slots=True)
class _Heap:
    """What was said, sorted by what it is about; the station's own sense of every value."""

    tracks_on: dict[str, bool] = field(default_factory=dict)
    summary: bool | None = None
    modes: dict[str, str] = field(default_factory=dict)
    currents: tuple[int, ...] = ()
    limits: tuple[int, ...] = ()
    main: MainCurrentState | None = None
    turnouts: dict[int, bool | None] = field(default_factory=dict)
    sensors: dict[int, bool | None] = field(default_factory=dict)
    outputs: dict[int, bool | None] = field(default_factory=dict)
    pins: dict[tuple[str, int], int] = field(default_factory=dict)
    lines: dict[tuple[str, int], str] = field(default_factory=dict)
    cabs: dict[int, LocomotiveState] = field(default_factory=dict)

    def put(self, replies: Iterable[Reply]) -> None:
        """Sort replies in."""
        for reply in replies:
            self._put(reply)

    def _put(self, reply: Reply) -> None:
        match reply:
            case PowerState(on, track) if len(track) == 1:
                self.tracks_on[track] = on
            case PowerState(on, track):
                # an older station's single line: <p1 PROG> says that only the programming track is on
                self.summary = on and track != "PROG"
            case TrackMode(track, mode):
                self.modes[track] = mode
            case CurrentList(currents):
                self.currents = currents
            case CurrentLimitList(limits):
                self.limits = limits
            case MainCurrentState():
                self.main = reply
            case LocomotiveState(cab):
                self.cabs[cab] = reply
            case _:
                self._put_machine(reply)

    def _put_machine(self, reply: Reply) -> None:
        match reply:
            case TurnoutState(turnout, thrown):
                self.turnouts[turnout] = thrown
            case TurnoutDefinition(turnout, kind, values, thrown):
                self.turnouts[turnout] = thrown
                if kind in ("SERVO", "VPIN") and values:
                    self.pins["turnout", turnout] = values[0]
                if kind:
                    self.lines["turnout", turnout] = f"<T {' '.join([str(turnout), kind, *map(str, values)])}>"
            case TurnoutIdList(numbers):
                for number in numbers:
                    self.turnouts.setdefault(number, None)
            case SensorState(sensor, active):
                self.sensors[sensor] = active
            case SensorDefinition(sensor, vpin, pullup):
                self.sensors.setdefault(sensor, None)
                self.pins["sensor", sensor] = vpin
                self.lines["sensor", sensor] = f"<S {sensor} {vpin} {int(pullup)}>"
            case OutputState(output, on):
                self.outputs[output] = on
            case OutputDefinition(output, vpin, iflag, on):
                self.outputs[output] = on
                self.pins["output", output] = vpin
                self.lines["output", output] = f"<Z {output} {vpin} {iflag}>"

    def defined(self, what: str, number: int) -> tuple[int | None, str]:
        """Pin and line of a machine, as far as they were told."""
        return self.pins.get((what, number)), self.lines.get((what, number), "")

    @property
    def main_power(self) -> bool | None:
        """The main track's power; None when it was not told."""
        return main_power(self.modes, self.tracks_on, self.summary)


async def examine(examiner: Examiner, addresses: Addresses | None) -> Findings:
    """Ask an open station for everything. Without ``addresses`` all that it has is listed by number.

    Raises as ``Examiner.ask`` does.
    """
    heap = _Heap()
    # The lists are asked for whole: a lost byte in a question about one turnout would be its deletion.
    for command in (
        Status(),
        TrackModes(),
        Currents(),
        CurrentLimits(),
        MainCurrent(),
        TurnoutIds(),
        ListTurnouts(),
        ListSensors(),
        SensorStates(),
        ListOutputs(),
    ):
        heap.put(await examiner.ask(command))
    cabs = addresses.locomotives if addresses is not None else {}
    for cab in cabs:
        heap.put(await examiner.ask(ThrottleQuery(cab)))
    latency = await examiner.latency(FENCES)
    board, shield = _board_and_shield(examiner.greeting)
    return Findings(
        greeting=examiner.greeting,
        version=Greeting(examiner.greeting).version,
        board=board,
        shield=shield,
        booted=examiner.booted,
        slots=examiner.slots,
        latency=latency,
        power=heap.main_power,
        current_ma=None if heap.main is None else heap.main.current_ma,
        trip_ma=None if heap.main is None else heap.main.trip_ma,
        tracks=_tracks(heap),
        turnouts=_machines("turnout", addresses.turnouts if addresses else {}, heap.turnouts, heap),
        beams=_machines("sensor", addresses.beams if addresses else {}, heap.sensors, heap),
        magnets=_machines("output", addresses.magnets if addresses else {}, heap.outputs, heap),
        locomotives=tuple(_cab(name, cab, heap.cabs.get(cab)) for cab, name in cabs.items()),
    )


def _board_and_shield(greeting: str) -> tuple[str, str]:
    """Of ``iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-...``: both may be any text, or missing."""
    _, board, shield, *_ = [*(part.strip() for part in greeting.split(" / ")), "", "", ""]
    return board, shield.partition(" G-")[0]


def _tracks(heap: _Heap) -> tuple[TrackFound, ...]:
    letters = sorted({*heap.modes, *heap.tracks_on})
    found = []
    for letter in letters:
        at = TRACKS.find(letter)
        current = heap.currents[at] if at < len(heap.currents) else None
        limit = heap.limits[at] if at < len(heap.limits) else None
        found.append(TrackFound(letter, heap.modes.get(letter, ""), heap.tracks_on.get(letter), current, limit))
    return tuple(found)


def _machines(
    what: str, wired: Mapping[int, Switched], told: Mapping[int, bool | None], heap: _Heap
) -> tuple[Machine, ...]:
    """First what the wiring names, then what the station has besides."""
    found = []
    for number, one in wired.items():
        state = told.get(number)
        ours = None if state is None else one.ours(state)
        found.append(Machine(one.name, number, number in told, ours, *heap.defined(what, number)))
    for number, state in sorted(told.items()):
        if number not in wired:
            found.append(Machine("", number, True, state, *heap.defined(what, number)))
    return tuple(found)


def _cab(name: str, cab: int, state: LocomotiveState | None) -> CabFound:
    if state is None or state.register < 0:
        return CabFound(name, cab, None, True)
    return CabFound(name, cab, state.speed, state.forward)
