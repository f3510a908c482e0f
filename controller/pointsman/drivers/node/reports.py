"""What the node says of its things, turned into events; what nobody here asked for is foreign control."""

from __future__ import annotations

from pointsman.drivers.node.addresses import Addresses
from pointsman.drivers.node.asked import Asked
from pointsman.messages import (
    Event,
    ForeignControl,
    LocomotiveReported,
    PowerReported,
    SensorChanged,
    StationNote,
    StationStopped,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols import node_messages as m
from pointsman.protocols.node_constants import LATCHES, SETTINGS_STATES, Latch, Lie, SettingsState

ENDS = {Lie.CLOSED: False, Lie.THROWN: True}
"""How points lie when they lie, and whether that is thrown."""
_CAME_TO = {
    Lie.CLOSED: "was moved",
    Lie.THROWN: "was moved",
    Lie.MOVING: "is being moved",
    Lie.UNKNOWN: "was set up anew",
}


class Reports:
    """Folds a node's events into ours. Not ``live`` while a link is set up: then they are learnt and not told.

    ``lies``, ``broken``, ``on``, ``step`` and ``latch`` are what the node said last, in its own sense and numbers.
    ``expected`` are the latches that this program has asked for since it armed the node; any other is news. ``asked``
    is what else it has asked for.
    """

    def __init__(self, addresses: Addresses, asked: Asked) -> None:
        self._addresses = addresses
        self._asked = asked
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget what was learnt: a new connection, or a board that has started anew."""
        self._asked.start_afresh()
        self.live = False
        self.power = False
        self._stands_unasked = False
        self.lies: dict[int, Lie] = {}
        self.broken: dict[int, bool] = {}
        self.on: dict[int, bool] = {}
        self.step: int | None = None
        self.latch: Latch | None = None
        self.expected: set[Latch] = set()

    def complete(self, about: m.About) -> bool:
        """Has everything been told that is fitted?"""
        told = (len(self.lies), len(self.broken), len(self.on))
        fitted = (about.turnouts, about.beams, about.magnets)
        whole = all(one >= count for one, count in zip(told, fitted, strict=True))
        return whole and self.latch is not None and (self.step is not None or not about.dc)

    def first_states(self, t_s: float) -> list[Event]:
        """The state of each beam, of the points that lie, and of the power, when the link is up."""
        events: list[Event] = []
        for number, beam in self._addresses.beams.items():
            events.append(SensorChanged(t_s, beam.name, self.broken[number] != beam.inverted))
        for number, points in self._addresses.turnouts.items():
            if self.lies[number] in ENDS:
                events.append(TurnoutReported(t_s, points.name, points.ours(ENDS[self.lies[number]])))
        return [*events, PowerReported(t_s, False), *self.latched(self.latch or Latch.BOOT, t_s)]

    def armed(self, t_s: float) -> list[Event]:
        """The node has said that it is armed."""
        self.latch, self.power = Latch.NONE, True
        return [PowerReported(t_s, True)]

    def digest(self, said: m.Told, t_s: float) -> list[Event]:
        """The events that something said by the node means."""
        events: list[Event] = []
        match said:
            case m.Points(number, lie):
                events = self._points(number, lie, t_s)
            case m.Beam(number, broken):
                events = self._beam(number, broken, t_s)
            case m.Coil(number, on):
                events = self._coil(number, on, t_s)
            case m.Driven(forward, step):
                events = self._driven(forward, step, t_s)
            case m.Latched(latch) | m.Alive(latch):
                events = self.latched(latch, t_s)
            case m.SettingsAre(SettingsState.DEFAULTS):
                events = [StationNote(t_s, f"the node's settings: {SETTINGS_STATES[SettingsState.DEFAULTS]}")]
        return events if self.live else []

    def latched(self, latch: Latch, t_s: float) -> list[Event]:
        """The node says why it keeps everything stopped, if it does."""
        self.latch = latch
        if latch is Latch.NONE:
            return self._armed_still(t_s)
        self._stands_unasked = False
        if not self.power:
            return []
        self.power = self._asked.arming = False
        events: list[Event] = [PowerReported(t_s, False)]
        if latch not in self.expected:
            # what it was comes before what follows from it
            events.insert(0, StationStopped(t_s, LATCHES[latch]))
        return events if self.live else []

    def _points(self, number: int, lie: Lie, t_s: float) -> list[Event]:
        before = self.lies.get(number)
        self.lies[number] = lie
        points = self._addresses.turnouts.get(number)
        if points is None or lie is before:
            return []
        events: list[Event] = []
        if lie in ENDS:
            events.append(TurnoutReported(t_s, points.name, points.ours(ENDS[lie])))
        # those that somebody has set moving are told when they begin, not once more when they arrive
        if number not in self._asked.turning and before is not Lie.MOVING:
            events.append(_foreign(t_s, f"turnout {points.name} {_CAME_TO[lie]}"))
        return events

    def _driven(self, forward: bool, step: int, t_s: float) -> list[Event]:
        before, self.step = self.step, step
        name = self._addresses.locomotive
        if not name:
            return []
        events: list[Event] = [LocomotiveReported(t_s, name, forward, step)]
        asked = self._asked.drives(forward, step, t_s)
        if step and not asked:
            way = "forward" if forward else "backward"
            events.append(_foreign(t_s, f"locomotive {name} was set to step {step} {way}"))
        # before it says that it has stopped everything, and why, it says that nothing is driven
        self._stands_unasked = not step and bool(before) and not asked
        return events

    def _armed_still(self, t_s: float) -> list[Event]:
        """Nothing is kept stopped: that must be this program's doing, and what stands must stand for it."""
        events: list[Event] = []
        if not self.power and not self._asked.arming:
            self.power = True
            events = [PowerReported(t_s, True), _foreign(t_s, "the node was armed")]
        elif self._stands_unasked:
            events = [_foreign(t_s, f"locomotive {self._addresses.locomotive} was stopped")]
        self._stands_unasked = False
        return events if self.live else []

    def _beam(self, number: int, broken: bool, t_s: float) -> list[Event]:
        before = self.broken.get(number)
        self.broken[number] = broken
        beam = self._addresses.beams.get(number)
        if beam is None or broken is before:
            return []
        return [SensorChanged(t_s, beam.name, broken != beam.inverted)]

    def _coil(self, number: int, on: bool, t_s: float) -> list[Event]:
        before = self.on.get(number)
        self.on[number] = on
        magnet = self._addresses.magnets.get(number)
        if magnet is None or on is before:
            return []
        told: Event = UncouplerReported(t_s, magnet.name, on)
        if on:
            asked = self._asked.switches_on(number, t_s)
            return [told] if asked else [told, _foreign(t_s, f"magnet {magnet.name} was switched on")]
        self._asked.went_off(number)
        return [told]


def _foreign(t_s: float, what: str) -> ForeignControl:
    return ForeignControl(t_s, f"{what} by somebody else")
