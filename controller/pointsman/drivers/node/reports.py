"""What the node says of its things, turned into events."""

from __future__ import annotations

from pointsman.drivers.node.addresses import Addresses
from pointsman.messages import (
    Event,
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


class Reports:
    """Folds a node's events into ours. Not ``live`` while a link is set up: then they are learnt and not told.

    ``lies``, ``broken``, ``on``, ``step`` and ``latch`` are what the node said last, in its own sense and numbers.
    ``expected`` are the latches that this program has asked for since it armed the node; any other is news.
    """

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget what was learnt: a new connection, or a board that has started anew."""
        self.live = False
        self.power = False
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
        return [*events, PowerReported(t_s, False)]

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
                self.step = step
                if self._addresses.locomotive:
                    events = [LocomotiveReported(t_s, self._addresses.locomotive, forward, step)]
            case m.Latched(latch) | m.Alive(latch):
                events = self.latched(latch, t_s)
            case m.SettingsAre(SettingsState.DEFAULTS):
                events = [StationNote(t_s, f"the node's settings: {SETTINGS_STATES[SettingsState.DEFAULTS]}")]
        return events if self.live else []

    def latched(self, latch: Latch, t_s: float) -> list[Event]:
        """The node says why it keeps everything stopped, if it does."""
        self.latch = latch
        if latch is Latch.NONE or not self.power:
            return []
        self.power = False
        events: list[Event] = [PowerReported(t_s, False)]
        if latch not in self.expected:
            # what it was comes before what follows from it
            events.insert(0, StationStopped(t_s, LATCHES[latch]))
        return events if self.live else []

    def _points(self, number: int, lie: Lie, t_s: float) -> list[Event]:
        before = self.lies.get(number)
        self.lies[number] = lie
        points = self._addresses.turnouts.get(number)
        if points is None or lie not in ENDS or lie is before:
            return []
        return [TurnoutReported(t_s, points.name, points.ours(ENDS[lie]))]

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
        return [UncouplerReported(t_s, magnet.name, on)]
