"""The world and its station, wired together: one thing that takes bytes and gives bytes, in one time.

No input or output: ``embed`` runs it on an event loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from pointsman.errors import UsageError
from pointsman.protocols.jmri_json import UNKNOWN, BeanType, SensorState, SwitchState, TurnoutState
from pointsman.track.model import Leg, Track
from pointsman.track.wiring import Protocol, TurnoutKind, TurnoutWiring, Wiring
from railsim.definitions import Definitions, OutputRecord, SensorRecord, TurnoutRecord
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged, TurnoutSettled, WorldEvent
from railsim.jmri_station import JmriStation
from railsim.profiles import Profile
from railsim.setup import Setup
from railsim.station import BOOT_S, Station
from railsim.world import World

SERVO_MOVES_S = 0.99
"""A servo at the station's medium profile: arrived after 990 ms (measured on a running 5.6.0)."""
FIRST_SERVO_VPIN, FIRST_SENSOR_VPIN, FIRST_OUTPUT_VPIN = 100, 22, 164
SERVO_THROWN, SERVO_CLOSED, SERVO_PROFILE = 410, 205, 2


class Rig:
    """A world with the one station of a wiring: DCC-EX, or JMRI. Everything the wiring names is defined there.

    Raises UsageError when the wiring has not exactly one station, or the set-up does not fit the track.
    ``on_event`` is called for everything that happens in the world; ``profile`` is the station's firmware. ``hidden``,
    when given, is used instead of what the seed says.
    """

    def __init__(
        self,
        track: Track,
        wiring: Wiring,
        setup: Setup,
        *,
        seed: int = 0,
        boot_s: float = BOOT_S,
        profile: Profile | None = None,
        on_event: Callable[[WorldEvent], None] | None = None,
        hidden: Hidden | None = None,
    ) -> None:
        if len(wiring.stations) != 1:
            raise UsageError(
                f"the simulated layout has one station, this wiring has {len(wiring.stations)}",
                where=f"hardware {wiring.name}",
                cure="use a wiring with one station",
            )
        hidden = Hidden(seed) if hidden is None else hidden
        self.world = World(track, setup, hidden, wiring)
        self._wiring = wiring
        self._on_event = on_event
        self._turnouts: dict[int | str, str] = {
            w.name or w.number: name for name, w in wiring.turnouts.items() if w.kind is not TurnoutKind.HAND
        }
        self._magnets: dict[int | str, str] = {}
        for name, magnet in wiring.uncouplers.items():
            if magnet.name or magnet.number is not None:
                self._magnets[magnet.name or magnet.number or 0] = name
        self._cabs = {w.cab: name for name, w in wiring.locomotives.items()}
        self._vpins = _vpins({name: beam.pin for name, beam in wiring.beams.items()}, FIRST_SENSOR_VPIN)
        (made,) = wiring.stations.values()
        self.station: Station | JmriStation
        if made.protocol is Protocol.JMRI:
            self.station = JmriStation(self, self._tables(), hidden, feedback=self._with_feedback())
        else:
            self.station = Station(self, self._definitions(), hidden, boot_s=boot_s, profile=profile)
            for beam in wiring.beams:
                self._see(beam, self.world.beam_broken(beam), 0.0)

    def next_event_s(self) -> float | None:
        """When something happens next if no bytes come; None when nothing does."""
        times = [t_s for t_s in (self.world.next_event_s(), self.station.next_event_s()) if t_s is not None]
        return min(times, default=None)

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Let time pass up to ``t_s``; returns what each port has sent by then, in order."""
        sent: list[tuple[str, bytes]] = []
        while (due := self.next_event_s()) is not None and due <= t_s:
            self._step(due, sent)
        self._step(max(t_s, self.world.now_s), sent)
        return sent

    def _step(self, t_s: float, sent: list[tuple[str, bytes]]) -> None:
        for event in self.world.advance(t_s):
            if isinstance(event, BeamChanged):
                self._see(event.beam, event.broken, event.t_s)
            if isinstance(event, TurnoutSettled):
                self._settled(event)
            if self._on_event is not None:
                self._on_event(event)
        sent += self.station.advance(t_s)

    def _see(self, beam: str, broken: bool, t_s: float) -> None:
        wired = self._wiring.beams.get(beam)
        if wired is None:
            return
        if isinstance(self.station, JmriStation):
            self.station.see(wired.name, broken is not wired.inverted, t_s)
        else:
            self.station.set_pin(self._vpins[beam], broken is not wired.inverted, t_s)

    def _settled(self, event: TurnoutSettled) -> None:
        wired = self._wiring.turnouts[event.turnout]
        if isinstance(self.station, JmriStation):
            self.station.settled(wired.name, (event.leg is Leg.THROWN) is not wired.inverted, event.t_s)

    def _tables(self) -> dict[tuple[BeanType, str], int]:
        """What JMRI's tables hold. How a turnout without feedback lies it does not know before it has commanded it."""
        found: dict[tuple[BeanType, str], int] = {}
        lie, reported = self.world.truth().lie, self._with_feedback()
        for address, name in self._turnouts.items():
            thrown = (lie[name] == Leg.THROWN) is not self._wiring.turnouts[name].inverted
            known = int(TurnoutState.THROWN if thrown else TurnoutState.CLOSED)
            found[BeanType.TURNOUT, str(address)] = known if address in reported else UNKNOWN
        for beam, wired in self._wiring.beams.items():
            active = self.world.beam_broken(beam) is not wired.inverted
            found[BeanType.SENSOR, wired.name] = int(SensorState.ACTIVE if active else SensorState.INACTIVE)
        for address, name in self._magnets.items():
            on = self._wiring.uncouplers[name].inverted
            found[BeanType.LIGHT, str(address)] = int(SwitchState.ON if on else SwitchState.OFF)
        return found

    def _with_feedback(self) -> frozenset[str]:
        """A stall motor has contacts that tell how it lies."""
        return frozenset(w.name for w in self._wiring.turnouts.values() if w.kind is TurnoutKind.STALL_MOTOR)

    def _definitions(self) -> Definitions:
        found = Definitions()
        truth = self.world.truth()
        for i, (number, name) in enumerate(self._turnouts.items()):
            wired = self._wiring.turnouts[name]
            thrown = (truth.lie[name] == Leg.THROWN) is not wired.inverted
            assert isinstance(number, int), "a wiring without names"
            found.turnouts[number] = _turnout_record(wired, i, thrown)
        for name, beam in self._wiring.beams.items():
            found.sensors[beam.number] = SensorRecord(self._vpins[name])
        pins = {name: self._wiring.uncouplers[name].pin for name in self._magnets.values()}
        vpins = _vpins(pins, FIRST_OUTPUT_VPIN)
        for number, name in self._magnets.items():
            # Off at every start; an inverted output is on at the station when the magnet is off.
            iflag = 6 if self._wiring.uncouplers[name].inverted else 2
            assert isinstance(number, int), "a wiring without names"
            found.outputs[number] = OutputRecord(vpins[name], iflag)
        return found

    # ------------------------------------------------------------ the station's hands on the layout

    def power(self, on: bool) -> None:
        """Power of the main track."""
        self.world.set_power(on)

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        """What a locomotive hears; an address that no locomotive has is heard by none."""
        if cab in self._cabs:
            self.world.set_throttle(self._cabs[cab], forward, step, emergency)

    def turnout(self, number: int | str, thrown: bool) -> None:
        """Points begin to move; a number or name that nothing is wired to moves nothing."""
        name = self._turnouts.get(number)
        if name is not None:
            wired = self._wiring.turnouts[name]
            leg = Leg.THROWN if thrown is not wired.inverted else Leg.CLOSED
            self.world.throw(name, leg, _moves_s(wired))

    def output(self, number: int | str, on: bool) -> None:
        """A magnet is switched; a number or name that nothing is wired to switches nothing."""
        name = self._magnets.get(number)
        if name is not None:
            self.world.set_magnet(name, on is not self._wiring.uncouplers[name].inverted)


def _vpins(wired: Mapping[str, int | None], first: int) -> dict[str, int]:
    """The pin of each as the wiring has it; where it does not say, any that is free, from ``first`` on."""
    free = (vpin for vpin in itertools.count(first) if vpin not in wired.values())
    return {name: next(free) if pin is None else pin for name, pin in wired.items()}


def _moves_s(wired: TurnoutWiring) -> float:
    """How long the points really move: within the time that the wiring allows, as long as that is not too short."""
    if wired.kind is TurnoutKind.SERVO:
        return SERVO_MOVES_S
    return wired.move_time_s * 0.8


def _turnout_record(wired: TurnoutWiring, index: int, thrown: bool) -> TurnoutRecord:
    vpin = FIRST_SERVO_VPIN + index if wired.pin is None else wired.pin
    if wired.kind is TurnoutKind.SERVO:
        values: tuple[int, ...] = (vpin, SERVO_THROWN, SERVO_CLOSED, SERVO_PROFILE)
        return TurnoutRecord("SERVO", values, thrown)
    if wired.kind is TurnoutKind.ACCESSORY_DECODER:
        return TurnoutRecord("DCC", ((wired.number - 1) // 4 + 1, (wired.number - 1) % 4), thrown)
    return TurnoutRecord("VPIN", (vpin,), thrown)
