"""What a DCC-EX station answers to each command: its state, without any time.

Source: replies recorded from a running 5.6.0 (ATmega2560, standard motor shield, no WiFi) and, where nothing was
recorded, its source code's formats; in what other versions differ is in ``profiles``. Texts of comments, after their
first words, are our own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatchmethod

from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import encode_reply
from pointsman.protocols.dccex import replies as r
from pointsman.protocols.dccex.checks import HIGHEST_CAB
from pointsman.protocols.dccex.command_reader import parse_command
from railsim.accessories import Accessories
from railsim.booster import SHORT_MA, Stage
from railsim.definitions import Answer, Definitions, Rails, To, app_line, asker, to_all, usb
from railsim.profiles import Displays, Profile

FULL_SCALE_MA = 1497
TRACK_MODES = frozenset({"MAIN", "PROG", "NONE", "OFF", "EXT", "DC", "DCX"})
FUNCTIONS_KEPT = 29


@dataclass(slots=True)
class Cab:
    """What is sent to a locomotive: ``speed`` -1 emergency stop, 0 stop, 1..126. ``slot`` is its place in the table."""

    slot: int
    forward: bool = True
    speed: int = 0
    functions: int = 0


class Firmware:
    """The station's program between two resets. ``cabs`` is its table of locomotives, by address."""

    def __init__(self, rails: Rails, eeprom: Definitions, profile: Profile) -> None:
        self._rails = rails
        self._profile = profile
        self.accessories = Accessories(rails, eeprom, profile)
        self.cabs: dict[int, Cab] = {}
        self._powered = {"A": False, "B": False}
        self._modes = {"A": r.TrackMode("A", "MAIN"), "B": r.TrackMode("B", "PROG")}
        self._joined = False
        self._paused = False
        self._stage = Stage.NORMAL
        self.reset_wanted = False

    def boot(self) -> list[Answer]:
        """Start afresh: power off, no locomotive known, outputs off, definitions as the EEPROM has them."""
        self.accessories.boot()
        self.cabs.clear()
        self._powered = dict.fromkeys(self._powered, False)
        self._joined = self._paused = self.reset_wanted = False
        self._stage = Stage.NORMAL
        self._rails.power(False)
        answers = [
            usb(r.Comment("License GPLv3 fsf.org (c) dcc-ex.com")),
            self._display(0, f"DCC-EX v{self._profile.version}"),
            to_all(r.Greeting(self._profile.greeting)),
        ]
        for text in self.accessories.script:
            answers.append(usb(r.Comment(f'SETUP("{text}")')))
            answers += [answer for answer in self.execute(parse_command(text[1:-1])) if answer.to is not To.ASKER]
        return [
            *answers,
            self._display(3, "Ready"),
            *self._power_lines(),
            self._display(2, "PWR Off"),
            usb(r.Comment("Free RAM=5000b")),
        ]

    @property
    def main_on(self) -> bool:
        """Is the main track switched on? It may be cut all the same."""
        return any(on for track, on in self._powered.items() if self._modes[track].mode == "MAIN")

    def overload(self, stage: Stage, texts: list[str]) -> list[Answer]:
        """What the main track's output stage has come to, and says on USB."""
        self._stage = stage
        self._rails.power(self.main_on and stage is not Stage.OVERLOAD)
        return [usb(r.Comment(text)) for text in texts]

    def _display(self, row: int, text: str) -> Answer:
        match self._profile.displays:
            case Displays.COMMENTS:
                return usb(r.Comment(f"LCD{row}:{text}"))
            case Displays.USB:
                return usb(r.Display(0, row, text))
            case Displays.ALL:
                return to_all(r.Display(0, row, text))

    @singledispatchmethod
    def execute(self, command: c.Command) -> list[Answer]:
        """Do a command and answer."""
        return self.accessories.execute(command)

    # ------------------------------------------------------------ status and power

    @execute.register
    def _status(self, _: c.Status) -> list[Answer]:
        greeting = [asker(r.Greeting(self._profile.greeting))]
        turnouts, outputs, sensors = self.accessories.states()
        if not self._profile.status_power_first:
            return [*greeting, *self._power_lines(), *turnouts, *sensors]
        return [*self._power_lines(), *greeting, *turnouts, *outputs, *sensors]

    @execute.register
    def _fence(self, _: c.Fence) -> list[Answer]:
        return [asker(r.FenceReached(self._profile.slots))]

    @execute.register
    def _power(self, command: c.Power) -> list[Answer]:
        before, joined_before = dict(self._powered), self._joined
        if command.track == "":
            wanted = list(self._powered)
        elif command.track == "JOIN":
            wanted = [t for t, mode in self._modes.items() if mode.mode in {"MAIN", "PROG"}]
        elif len(command.track) == 1:
            if command.track not in self._powered or not self._profile.power_by_letter:
                return [asker(r.Refused())]
            wanted = [command.track]
        else:
            wanted = [t for t, mode in self._modes.items() if mode.mode == command.track]
        for track in wanted:
            self._powered[track] = command.on
        if command.track == "JOIN":
            self._joined = True
        elif command.track == "PROG" or not command.on:
            self._joined = False
        if (before, joined_before) != (self._powered, self._joined):
            return self._power_changed()
        return self._power_lines() if self._profile.power_always_told else []

    def _power_changed(self) -> list[Answer]:
        if not self.main_on:
            self._stage = Stage.NORMAL
        self._rails.power(self.main_on and self._stage is not Stage.OVERLOAD)
        any_on = any(self._powered.values())
        answers = [*self._power_lines(), self._display(2, f"PWR {'On' if any_on else 'Off'}")]
        return [*answers, app_line(f"PPA{int(any_on)}")] if self._profile.throttle_app_lines else answers

    def _power_lines(self) -> list[Answer]:
        calm = self._stage is Stage.NORMAL
        # a track in alert or overload counts as off
        powered = {t: on and (calm or self._modes[t].mode != "MAIN") for t, on in self._powered.items()}
        on = {self._modes[track].mode for track, is_on in powered.items() if is_on}
        if not self._profile.power_by_track:
            return [to_all(self._one_power_line(on))]
        lines = [to_all(r.PowerState(is_on, track)) for track, is_on in powered.items()]
        if all(powered.values()):
            lines.append(to_all(r.PowerState(True)))
        elif not any(powered.values()):
            return [*lines, to_all(r.PowerState(False))]
        if self._joined:
            return [*lines, to_all(r.PowerState(True, "JOIN"))]
        return lines + [to_all(r.PowerState(True, mode)) for mode in ("MAIN", "PROG") if mode in on]

    def _one_power_line(self, on: set[str]) -> r.PowerState:
        if not on:
            return r.PowerState(False)
        if {"MAIN", "PROG"} <= on:
            return r.PowerState(True, "JOIN" if self._joined else "")
        return r.PowerState(True, "MAIN" if "MAIN" in on else "PROG")

    @execute.register
    def _track_modes(self, _: c.TrackModes) -> list[Answer]:
        if not self._profile.track_manager:
            return [asker(r.Refused())]
        return [asker(mode) for mode in self._modes.values()]

    @execute.register
    def _set_track_mode(self, command: c.SetTrackMode) -> list[Answer]:
        known = command.track in self._modes and command.mode in TRACK_MODES
        if not known or not self._profile.track_manager:
            return [asker(r.Refused())]
        mode = {"OFF": "NONE"}.get(command.mode, command.mode)
        self._modes[command.track] = r.TrackMode(command.track, mode, command.cab)
        self._powered[command.track] = False
        return [to_all(self._modes[command.track]), *self._power_changed()]

    @execute.register
    def _main_current(self, _: c.MainCurrent) -> list[Answer]:
        current_ma = max(self._current_ma("A"), 0)
        answers = [asker(r.MainCurrentState(current_ma, FULL_SCALE_MA, FULL_SCALE_MA))]
        if self._profile.main_current_twice:
            answers.append(Answer(To.ASKER, f"<a {current_ma * 1023 // FULL_SCALE_MA}>\n".encode("ascii")))
        return answers

    @execute.register
    def _currents(self, _: c.Currents) -> list[Answer]:
        if not self._profile.track_manager:
            return [asker(r.Refused())]
        return [asker(r.CurrentList(tuple(map(self._current_ma, self._powered))))]

    def _current_ma(self, track: str) -> int:
        if self._modes[track].mode != "MAIN":
            return 0
        return {Stage.NORMAL: 0, Stage.ALERT: SHORT_MA, Stage.OVERLOAD: -1}[self._stage]

    @execute.register
    def _current_limits(self, _: c.CurrentLimits) -> list[Answer]:
        if not self._profile.track_manager:
            return [asker(r.Refused())]
        return [asker(r.CurrentLimitList((FULL_SCALE_MA,) * len(self._powered)))]

    # ------------------------------------------------------------ locomotives

    @execute.register
    def _throttle(self, command: c.Throttle) -> list[Answer]:
        if command.cab == 0:
            return self._everyone(command.speed)
        if command.cab > HIGHEST_CAB and self._profile.highest_cab_checked:
            return [asker(r.Refused())]
        if self._full_for(command.cab):
            return self._table_full()
        answers = self._slot_for(command.cab)
        cab = self.cabs[command.cab]
        changed = (cab.speed, cab.forward) != (command.speed, command.forward)
        cab.speed, cab.forward = command.speed, command.forward
        if changed or self._profile.unchanged_speed_sent:
            self._send(command.cab)
        return [*answers, to_all(self._locomotive(command.cab))] if changed else answers

    def _everyone(self, speed: int) -> list[Answer]:
        if speed < 0:
            return self._emergency_stop(c.EmergencyStop())
        if not self._profile.cab_zero_stops:
            return [asker(r.Refused())]
        return self._all_to(speed, tell_unchanged=False)

    def _all_to(self, speed: int, *, tell_unchanged: bool) -> list[Answer]:
        answers = []
        for number, cab in self.cabs.items():
            changed = cab.speed != speed
            cab.speed = speed
            self._send(number)
            if changed or tell_unchanged:
                answers.append(to_all(self._locomotive(number)))
        return answers

    @execute.register
    def _legacy_throttle(self, command: c.LegacyThrottle) -> list[Answer]:
        answers = self._throttle(c.Throttle(command.cab, command.speed, command.forward))
        if not self._profile.legacy_throttle_answered:
            return answers
        return [*answers, asker(r.LegacyThrottleState(command.register, command.speed, command.forward))]

    @execute.register
    def _throttle_query(self, command: c.ThrottleQuery) -> list[Answer]:
        if command.cab in self.cabs:
            return [Answer(self._profile.throttle_query_to, encode_reply(self._locomotive(command.cab)))]
        named = 0 if self._profile.unknown_cab_as_zero else command.cab
        return [asker(r.LocomotiveState(named, 0, True, register=-1))]

    @execute.register
    def _emergency_stop(self, _: c.EmergencyStop) -> list[Answer]:
        return self._all_to(-1, tell_unchanged=self._profile.stop_tells_unchanged)

    @execute.register
    def _emergency_lock(self, command: c.EmergencyLock) -> list[Answer]:
        if not self._profile.pause:
            return self._emergency_stop(c.EmergencyStop())
        if command.action == "Q":
            return [asker(r.LockState(self._paused))]
        paused = command.action == "P"
        if paused is self._paused:
            return []
        self._paused = paused
        for number in self.cabs:
            self._send(number)
        return [to_all(r.LockState(paused))]

    @execute.register
    def _forget(self, command: c.Forget) -> list[Answer]:
        answers = []
        for number in [command.cab] if command.cab else list(self.cabs):
            if number in self.cabs:
                forward = self.cabs.pop(number).forward
                self._rails.throttle(number, forward, 0, True)
                answers += [to_all(r.LocomotiveState(number, -1, False)), to_all(r.Forgotten(number))]
        return answers if self._profile.forgetting_told else []

    @execute.register
    def _function(self, command: c.Function) -> list[Answer]:
        if command.function >= FUNCTIONS_KEPT:
            return []
        if self._full_for(command.cab):
            return self._table_full()
        answers = self._slot_for(command.cab)
        cab = self.cabs[command.cab]
        before = cab.functions
        bit = 1 << command.function
        cab.functions = before | bit if command.on else before & ~bit
        return answers if cab.functions == before else [*answers, to_all(self._locomotive(command.cab))]

    def _full_for(self, number: int) -> bool:
        return number not in self.cabs and len(self.cabs) >= self._profile.slots

    def _table_full(self) -> list[Answer]:
        return [asker(r.Refused())] if self._profile.full_table_refused else [usb(r.Comment("Too many locos"))]

    def _slot_for(self, number: int) -> list[Answer]:
        if number in self.cabs:
            return []
        free = min(set(range(len(self.cabs) + 1)) - {cab.slot for cab in self.cabs.values()})
        self.cabs[number] = Cab(free)
        return [usb(r.Comment(f"New DCC queue slot {free} for loco {number}"))]

    def _send(self, number: int) -> None:
        cab = self.cabs[number]
        stop = self._paused or cab.speed < 0
        self._rails.throttle(number, cab.forward, 0 if stop else cab.speed, stop)

    def _locomotive(self, number: int) -> r.LocomotiveState:
        cab = self.cabs[number]
        slot = cab.slot if self._profile.slot_in_reports else 0
        return r.LocomotiveState(number, cab.speed, cab.forward, cab.functions, slot)

    # ------------------------------------------------------------ the rest

    @execute.register
    def _reset(self, _: c.Reset) -> list[Answer]:
        self.reset_wanted = True
        return []

    @execute.register
    def _blank(self, _: c.Blank) -> list[Answer]:
        return [Answer(To.ASKER, b"\n")]

    @execute.register
    def _overflow(self, _: c.Overflow) -> list[Answer]:
        return [usb(r.Comment("Parse error: input buffer overflow"))]

    @execute.register
    def _unknown(self, _: c.UnknownCommand) -> list[Answer]:
        return [asker(r.Refused())]
