"""Faults striking the simulated layout, each at its moment: between the station and the things it is wired to.

``Breakdowns`` stands where a machine's wires would be: commands to points and locomotives and what beams see go
through it. With no fault planned it changes nothing.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pointsman.errors import UsageError
from pointsman.track.model import Leg
from railsim.board_side import BoardLine
from railsim.faults import ABOUT, BEHIND_BROKER, Direction, Fault, On, Planned, check_fault
from railsim.hidden import Hidden
from railsim.incidents import FaultStruck
from railsim.jmri_station import JmriStation
from railsim.post import Post
from railsim.station import Station
from railsim.wire import Wire
from railsim.world import World

FLICKER_S = (0.015, 0.080)
"""A flickering beam changes so often; some of it is longer than the station's debouncing."""


@dataclass(slots=True)
class Hands:
    """What a fault needs done outside the layout. ``port``: the port vanishes (False) or is back; ``pause``: the
    host's program stands still for so many seconds. Where nobody is outside nothing is done.
    """

    port: Callable[[bool], None] = lambda _: None
    pause: Callable[[float], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class _Throttle:
    forward: bool
    step: int
    emergency: bool


class Breakdowns:
    """The faults of one layout. ``show_beam(beam, broken, t_s)`` is what the station sees of a beam.

    ``happened`` says what each fault did, in order.
    """

    def __init__(
        self,
        world: World,
        hidden: Hidden,
        show_beam: Callable[[str, bool, float], None],
        tell: Callable[[FaultStruck], None],
        hands: Hands,
    ) -> None:
        self._hands = hands
        self.happened: list[FaultStruck] = []
        self.wires = {direction: Wire(direction, hidden) for direction in Direction}
        self._world = world
        self._hidden = hidden
        self._show_beam = show_beam
        self._tell = tell
        self._station: Station | JmriStation | BoardLine | None = None
        self._numbers = itertools.count()
        self._due: list[tuple[float, int, Callable[[float], None]]] = []
        self.post = Post(hidden, self._at)
        self._jammed: set[str] = set()
        self._slow_s: dict[str, float] = {}
        self._crossed: set[str] = set()
        self._driven: dict[str, int] = {}
        self._sees: dict[str, bool] = {}
        self._fixed: dict[str, bool] = {}
        self._beam_late_s: dict[str, float] = {}
        self._flickering: set[str] = set()
        self._deaf: dict[str, _Throttle | None] = {}
        self._deaf_to_stops: dict[str, int] = {}

    def plan(
        self, faults: Sequence[Planned], station: Station | JmriStation | BoardLine | None, *, nodes: bool = False
    ) -> None:
        """Let faults strike, each at its moment. Raises UsageError for one that this layout cannot have.

        ``station`` is the one whose link and board are struck, if there is one; ``nodes``: there are some at a broker.
        """
        self._station = station
        for fault in faults:
            check_fault(fault, self._world.track)
            _check_reach(fault, station, nodes=nodes)
            self._at(fault.at_s, self._striker(next(self._numbers), fault))

    # ------------------------------------------------------------ time

    def next_event_s(self) -> float | None:
        """When a fault, or something of one, is due."""
        times = [t_s for wire in self.wires.values() if (t_s := wire.next_s()) is not None]
        if (mail_s := self.post.next_s()) is not None:
            times.append(mail_s)
        if self._due:
            times.append(self._due[0][0])
        return min(times, default=None)

    def advance(self, t_s: float) -> None:
        """Do what is due by a time; the world must be there already."""
        while self._due and self._due[0][0] <= t_s:
            _, _, act = heapq.heappop(self._due)
            act(t_s)

    def _at(self, t_s: float, act: Callable[[float], None]) -> None:
        heapq.heappush(self._due, (t_s, next(self._numbers), act))

    # ------------------------------------------------------------ what passes through

    def turnout(self, name: str, leg: Leg, moves_s: float) -> None:
        """The station drives points."""
        if name in self._jammed:
            return
        self._driven[name] = self._driven.get(name, 0) + 1
        really = leg.other if name in self._crossed else leg
        self._world.throw(name, really, moves_s + self._slow_s.get(name, 0.0))

    def arrived(self, name: str) -> None:
        """Points that were driven without an end (``moves_s`` is infinite) have been brought over by their machine."""
        if name in self._jammed:
            return
        slow_s, driven = self._slow_s.get(name, 0.0), self._driven.get(name, 0)

        def arrive(_: float) -> None:
            if self._driven.get(name, 0) == driven:  # else they are on another way by now
                self._world.arrive(name)

        if slow_s:
            self._at(self._world.now_s + slow_s, arrive)
        else:
            self._world.arrive(name)

    def throttle(self, locomotive: str, forward: bool, step: int, emergency: bool) -> None:
        """The station sends a locomotive something."""
        if locomotive in self._deaf:
            # The station repeats what it has last been told.
            self._deaf[locomotive] = _Throttle(forward, step, emergency)
            return
        stop = emergency or step == 0
        if stop and self._deaf_to_stops.get(locomotive, 0) > 0 and self._world.speed_mm_s(locomotive) > 0:
            self._deaf_to_stops[locomotive] -= 1
            return
        self._world.set_throttle(locomotive, forward, step, emergency)

    def stands(self, name: str, broken: bool) -> None:
        """How a beam is in the beginning."""
        self._sees[name] = broken

    def beam(self, name: str, broken: bool, t_s: float) -> None:
        """A beam is broken or free."""
        self._sees[name] = broken
        if name in self._fixed or name in self._flickering:
            return
        late_s = self._beam_late_s.get(name, 0.0)
        if late_s:
            self._at(t_s + late_s, lambda now: self._late(name, broken, now))
        else:
            self._show_beam(name, broken, t_s)

    def _late(self, name: str, broken: bool, t_s: float) -> None:
        if name not in self._fixed and name not in self._flickering:
            self._show_beam(name, broken, t_s)

    # ------------------------------------------------------------ striking

    def _striker(self, number: int, fault: Planned) -> Callable[[float], None]:
        def strike(t_s: float) -> None:
            if ABOUT[fault.kind].on in BEHIND_BROKER and self.post.waits(strike):
                return
            target = fault.target or self._chosen(number, fault.kind)
            text = self._strike(fault, target, t_s) if target is not None else ""
            struck = FaultStruck(t_s, str(fault.kind), target or "", text or "nothing there that it could strike")
            self.happened.append(struck)
            self._tell(struck)

        return strike

    def _chosen(self, number: int, kind: Fault) -> str | None:
        """A target by the seed; None when there is none, empty for a kind without."""
        options: Collection[str]
        match ABOUT[kind].on:
            case On.LINK:
                return ""
            case On.BYTES:
                options = list(Direction)
            case On.TURNOUT:
                options = self._world.track.turnouts
            case On.BEAM:
                options = self._world.track.beams
            case On.LOCOMOTIVE:
                options = self._world.locomotives
            case On.WAGON:
                options = self._world.coupled_wagons() if kind is Fault.PARTS else self._world.wagons
            case on:
                options = self.post.targets(on)
        names = sorted(options)
        drawn = self._hidden.uniform(f"fault {number}/{kind}", 0.0, 1.0)
        return names[int(drawn * len(names) * (1 - 1e-12))] if names else None

    def _strike(self, fault: Planned, target: str, t_s: float) -> str:
        """Do it; says what happened, nothing when there was nothing to strike."""
        match ABOUT[fault.kind].on:
            case On.BYTES:
                return self._strike_bytes(fault, Direction(target), t_s)
            case On.LINK:
                return self._strike_link(fault, t_s)
            case On.TURNOUT:
                return self._strike_turnout(fault, target)
            case On.BEAM:
                return self._strike_beam(fault, target, t_s)
            case On.WAGON:
                return self._strike_wagon(fault, target)
            case On.LOCOMOTIVE:
                return self._strike_locomotive(fault, target, t_s)
            case _:
                return self.post.strike(fault, target, t_s)

    def _strike_bytes(self, fault: Planned, direction: Direction, t_s: float) -> str:
        wire, much = self.wires[direction], fault.much
        match fault.kind:
            case Fault.LOST:
                wire.lose += round(much)
            case Fault.DOUBLED:
                wire.double += round(much)
            case Fault.CORRUPTED:
                wire.corrupt += round(much)
            case Fault.SPLIT:
                wire.split_until_s = t_s + much
            case Fault.DELAY:
                wire.late_s = much
            case Fault.HELD:
                wire.hold(t_s + much)
            case _:
                wire.silent_until_s = t_s + much
        return f"{ABOUT[fault.kind].text}, {direction}"

    def _strike_link(self, fault: Planned, t_s: float) -> str:
        match fault.kind:
            case Fault.FULL:
                assert isinstance(self._station, Station)
                self._station.hold_up(t_s + fault.much)
            case Fault.VANISHES:
                self._hands.port(False)
                self._at(t_s + fault.much, lambda _: self._hands.port(True))
            case Fault.RESET:
                assert self._station is not None
                self._station.reset(t_s)
            case Fault.SHORT:
                self._short(t_s, fault.much)
            case _:
                self._hands.pause(fault.much)
        return ABOUT[fault.kind].text

    def _short(self, t_s: float, for_s: float) -> None:
        station = self._station
        assert isinstance(station, Station | JmriStation)
        station.set_short(True, t_s)
        if not math.isinf(for_s):
            self._at(t_s + for_s, lambda now: station.set_short(False, now))

    def _strike_turnout(self, fault: Planned, name: str) -> str:
        match fault.kind:
            case Fault.TURNOUT_STUCK:
                self._jammed.add(name)
            case Fault.TURNOUT_SLOW:
                self._slow_s[name] = fault.much
            case _:
                self._crossed.add(name)
        return f"{name}: {ABOUT[fault.kind].text}"

    def _strike_beam(self, fault: Planned, name: str, t_s: float) -> str:
        match fault.kind:
            case Fault.BEAM_DEAD | Fault.BEAM_STUCK:
                self._fixed[name] = fault.kind is Fault.BEAM_STUCK
                self._show_beam(name, self._fixed[name], t_s)
            case Fault.BEAM_LATE:
                self._beam_late_s[name] = fault.much
            case _:
                self._flickering.add(name)
                self._flicker(name, not self._sees.get(name, False), t_s, t_s + fault.much)
        return f"beam {name}: {ABOUT[fault.kind].text}"

    def _flicker(self, name: str, broken: bool, t_s: float, until_s: float) -> None:
        if name in self._fixed:
            return
        if t_s >= until_s:
            self._flickering.discard(name)
            self._show_beam(name, self._sees.get(name, False), t_s)
            return
        self._show_beam(name, broken, t_s)
        gap_s = self._hidden.uniform(f"{name}/flicker {t_s:.6f}", *FLICKER_S)
        self._at(min(t_s + gap_s, until_s), lambda now: self._flicker(name, not broken, now, until_s))

    def _strike_wagon(self, fault: Planned, name: str) -> str:
        match fault.kind:
            case Fault.HOLDS:
                self._world.stiffen(name, fault.much)
                return f"{name}: {ABOUT[fault.kind].text}"
            case Fault.PARTS:
                pair = self._world.part(name)
                return f"{pair[0]} and {pair[1]} have parted by themselves" if pair else ""
            case _:
                return f"a hand has lifted {name} off the track" if self._world.lift(name) else ""

    def _strike_locomotive(self, fault: Planned, name: str, t_s: float) -> str:
        match fault.kind:
            case Fault.STALLS:
                self._world.stall(name, fault.much)
            case Fault.RUNAWAY:
                self._deaf_to_stops[name] = self._deaf_to_stops.get(name, 0) + round(fault.much)
            case _:
                self._deaf.setdefault(name, None)
                if not math.isinf(fault.much):
                    self._at(t_s + fault.much, lambda _: self._hears_again(name))
        return f"{name}: {ABOUT[fault.kind].text}"

    def _hears_again(self, name: str) -> None:
        last = self._deaf.pop(name, None)
        if last is not None:
            self.throttle(name, last.forward, last.step, last.emergency)


def _check_reach(fault: Planned, station: Station | JmriStation | BoardLine | None, *, nodes: bool) -> None:
    """Raise UsageError for a fault of something that this layout's stations do not have."""
    on, where = ABOUT[fault.kind].on, f"fault {fault}"
    if on in BEHIND_BROKER and not nodes:
        cure = "use a wiring with an MQTT station, or another fault"
        raise UsageError(f"{fault.kind} is a fault of a broker, and no station here has one", where=where, cure=cure)
    if fault.kind is Fault.FULL and not isinstance(station, Station):
        cure = "use a wiring with such a station, or another fault"
        raise UsageError(f"{fault.kind} is a fault of a DCC-EX board", where=where, cure=cure)
    if fault.kind is Fault.SHORT and station is not None and not isinstance(station, Station | JmriStation):
        cure = "use a wiring with a command station, or another fault"
        raise UsageError(f"{fault.kind}: a node does not notice one", where=where, cure=cure)
    if on in (On.BYTES, On.LINK) and fault.kind is not Fault.PAUSED and station is None:
        what = f"{fault.kind} strikes a board or the bytes on its line; here are only nodes at a broker"
        instead = " ".join(kind for kind, about in ABOUT.items() if about.on in BEHIND_BROKER)
        raise UsageError(what, where=where, cure=f"take one of these: {instead}")
