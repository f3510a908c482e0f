"""What a station says of its machines, turned into events; values that nobody here asked for are foreign control."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pointsman.drivers.chatter import Once
from pointsman.drivers.dccex.addresses import Addresses, Switched
from pointsman.drivers.dccex.overheard import BY_OTHERS, Overheard
from pointsman.drivers.dccex.proof import lost_digits
from pointsman.drivers.dccex.window import Kind, Target, Window
from pointsman.messages import (
    Event,
    ForeignControl,
    LocomotiveReported,
    OverCurrent,
    PowerReported,
    SensorChanged,
    StationNote,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.dccex import Reply
from pointsman.protocols.dccex.replies import (
    Comment,
    CurrentList,
    Display,
    Forgotten,
    LockState,
    LocomotiveState,
    OperatorMessage,
    OutputState,
    PowerState,
    SensorState,
    TrackMode,
    TurnoutState,
    UnknownReply,
)

OVER_CURRENT = re.compile(
    r"TRACK [A-H]\b.*\b(ALERT|OVERLOAD|FAULT)\b|\b(MAIN|PROG) (TRACK POWER OVERLOAD|FAULT PIN)", re.DOTALL
)
"""What a station comments when the current is too high. Firmware 5 names the track's letter, 4 its kind."""


class Reports:
    """Folds replies into events. Not ``live`` while a link is set up: then values are learnt and not told.

    What others do meanwhile goes to ``overheard``.
    """

    def __init__(self, addresses: Addresses, window: Window, overheard: Overheard) -> None:
        self.live = False
        self._addresses = addresses
        self._window = window
        self._overheard = overheard
        self.start_afresh()

    def start_afresh(self) -> None:
        """Forget what was learnt: a new connection, or a station that started again."""
        self.live = False
        self._overheard.forget()
        self.active: dict[int, bool] = {}
        self._last: dict[tuple[Kind, int], bool] = {}
        self._speeds: dict[int, Target] = {}
        self._unknown: set[int] = set()
        self._track_power: dict[str, bool] = {}
        self._summary: bool | None = None
        self._modes: dict[str, str] = {}
        self._over_current: set[str] = set()
        self._once = Once()

    @property
    def knows_tracks(self) -> bool:
        """Does the station have a track manager that names a main track?"""
        return "MAIN" in self._modes.values()

    @property
    def main_power(self) -> bool | None:
        """The main track's power; None when it was not told."""
        return main_power(self._modes, self._track_power, self._summary)

    def first_states(self, t_s: float) -> list[Event]:
        """The state of each beam and of the power, when the link is up."""
        events: list[Event] = [
            SensorChanged(t_s, beam.name, beam.ours(self.active[number]))
            for number, beam in self._addresses.beams.items()
            if number in self.active
        ]
        if self.main_power is not None:
            events.append(PowerReported(t_s, self.main_power))
        return events

    def digest(self, reply: Reply, t_s: float) -> list[Event]:
        """The events that a reply means."""
        events: list[Event] = []
        match reply:
            case SensorState(sensor, active):
                events = self._sensor(sensor, active, t_s)
            case TurnoutState(turnout, thrown):
                events = self._turnout(turnout, thrown, t_s)
            case OutputState(output, on):
                events = self._magnet(output, on, t_s)
            case LocomotiveState():
                events = self._locomotive(reply, t_s)
            case PowerState(on, track):
                events = self._power(on, track, t_s)
            case TrackMode(track, mode):
                self._modes[track] = mode
                events = [ForeignControl(t_s, f"track {track} was set to {mode}")]
            case CurrentList(currents):
                events = self._currents(currents, t_s)
            case Forgotten(cab) if cab in self._addresses.locomotives:
                events = [ForeignControl(t_s, f"locomotive {self._addresses.locomotives[cab]} was forgotten")]
            case LockState(True):
                events = [ForeignControl(t_s, "another throttle locked an emergency stop")]
            case Comment(text) if OVER_CURRENT.search(text):
                return [OverCurrent(t_s, text)]
            case Comment(text) | OperatorMessage(text) | Display(_, _, text):
                return [StationNote(t_s, text)]
            case UnknownReply(text):
                events = [StationNote(t_s, f"not understood: <{text}>")]
        if self.live:
            return events
        self._overheard.hear(reply, events)
        return []

    def _sensor(self, sensor: int, active: bool, t_s: float) -> list[Event]:
        beam = self._addresses.beams.get(sensor)
        if beam is None:
            return self._once(t_s, f"sensor {sensor} of the station is not on this layout")
        events: list[Event] = [SensorChanged(t_s, beam.name, beam.ours(active))]
        if self.active.get(sensor) == active:
            # sensors are asked only while the link is set up: the report in between was lost
            events.append(StationNote(t_s, f"beam {beam.name} was reported twice alike: a report was lost"))
        self.active[sensor] = active
        return events

    def _turnout(self, number: int, thrown: bool, t_s: float) -> list[Event]:
        turnout = self._addresses.turnouts.get(number)
        if turnout is None:
            return self._once(t_s, f"turnout {number} of the station is not on this layout")
        told: list[Event] = []
        awaited = self._window.awaited(Kind.TURNOUT, number)
        if self._last.get((Kind.TURNOUT, number)) is not thrown or awaited is (not thrown):
            # said again when we have just asked for the other: it has not become so
            told.append(TurnoutReported(t_s, turnout.name, turnout.ours(thrown)))
        way = "thrown" if turnout.ours(thrown) else "closed"
        return told + self._judge(Kind.TURNOUT, turnout, thrown, f"turnout {turnout.name} was {way}", t_s)

    def _magnet(self, number: int, on: bool, t_s: float) -> list[Event]:
        magnet = self._addresses.magnets.get(number)
        if magnet is None:
            return self._once(t_s, f"output {number} of the station is not on this layout")
        told: list[Event] = [UncouplerReported(t_s, magnet.name, magnet.ours(on))]
        way = "on" if magnet.ours(on) else "off"
        return told + self._judge(Kind.MAGNET, magnet, on, f"magnet {magnet.name} was switched {way}", t_s)

    def _judge(self, kind: Kind, machine: Switched, value: bool, what: str, t_s: float) -> list[Event]:
        """A change is foreign, unless we asked for it."""
        before = self._last.get((kind, machine.number))
        self._last[kind, machine.number] = value
        asked = self._window.asked_for(kind, machine.number)
        if before is value or (self._window.agrees(kind, machine.number, value) if asked else before is None):
            return []
        return [ForeignControl(t_s, what + BY_OTHERS)]

    def _locomotive(self, state: LocomotiveState, t_s: float) -> list[Event]:
        if state.register < 0:
            # a defect of 5.7 calls each locomotive that it does not know cab 0
            return self._not_known(state.cab or self._window.queried_cab, t_s)
        name = self._addresses.locomotives.get(state.cab)
        if name is None:
            return self._once(t_s, f"cab {state.cab}, not of this layout, is driven too")
        self._unknown.discard(state.cab)
        says = Target(state.speed, state.forward)
        if self._speeds.get(state.cab) == says:
            return []
        self._speeds[state.cab] = says
        told: list[Event] = [
            LocomotiveReported(t_s, name, state.forward, max(state.speed, 0), emergency=state.speed < 0)
        ]
        if not self._window.asked_for(Kind.CAB, state.cab) or self._window.agrees(Kind.CAB, state.cab, says):
            return told
        awaited = self._window.awaited(Kind.CAB, state.cab)
        if isinstance(awaited, Target):
            return [*told, ForeignControl(t_s, f"{lost_digits(name, awaited, says)}, or somebody else drives it")]
        return [*told, ForeignControl(t_s, f"locomotive {name} was set to {says}{BY_OTHERS}")]

    def _not_known(self, cab: int, t_s: float) -> list[Event]:
        name = self._addresses.locomotives.get(cab)
        if name is None or cab in self._unknown:
            return []
        self._unknown.add(cab)
        why = "it was forgotten, the station restarted unseen, or its table of locomotives is full"
        return [ForeignControl(t_s, f"the station does not know locomotive {name}: {why}")]

    def _power(self, on: bool, track: str, t_s: float) -> list[Event]:
        before = self.main_power
        if len(track) == 1:
            self._track_power[track] = on
        elif track != "PROG":
            self._summary = on
        elif not self._track_power:
            # an older station's single line: only the programming track is on
            self._summary = False
        now = self.main_power
        if now is None or now == before:
            return []
        events: list[Event] = [PowerReported(t_s, now)]
        if self._window.asked_for(Kind.POWER, 0):
            foreign = not self._window.agrees(Kind.POWER, 0, now)
        else:
            # setting a link up asks for no power
            foreign = not self.live and before is not None
        if foreign:
            events.append(ForeignControl(t_s, f"the power was switched {'on' if now else 'off'}{BY_OTHERS}"))
        return events

    def _currents(self, currents_ma: tuple[int, ...], t_s: float) -> list[Event]:
        over = {f"track {letter}" for letter, current in zip("ABCDEFGH", currents_ma, strict=False) if current < 0}
        new, self._over_current = over - self._over_current, over
        return [OverCurrent(t_s, f"{track} reports an overload") for track in sorted(new)]


def main_power(modes: Mapping[str, str], power: Mapping[str, bool], summary: bool | None) -> bool | None:
    """The main track's power: by letter where the station tells it so, else by the summary line; None when by neither.

    ``modes`` and ``power`` are by the track's letter.
    """
    main = [letter for letter, mode in modes.items() if mode.startswith("MAIN")]
    known = [power[letter] for letter in main if letter in power]
    return all(known) if known else summary
