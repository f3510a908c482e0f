"""What a DCC-EX 5.6.0 answers to each command: its state, without any time.

Source: replies recorded from a running 5.6.0 (ATmega2560, standard motor shield, no WiFi) and, where nothing was
recorded, its source code's formats. Texts of comments, after their first words, are our own.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import singledispatchmethod

from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import encode_reply
from pointsman.protocols.dccex import replies as r
from railsim.definitions import Answer, Definitions, OutputRecord, Rails, SensorRecord, To, TurnoutRecord

VERSION = "5.6.0"
GREETING = f"iDCC-EX V-{VERSION} / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z"
SLOTS = 50
FULL_SCALE_MA = 1497
FUNCTIONS_KEPT = 29


@dataclass(slots=True)
class _Cab:
    forward: bool = True
    speed: int = 0
    functions: int = 0


class Firmware:
    """The station's program between two resets. ``active`` (sensor number -> bool) is kept by whoever scans pins."""

    def __init__(self, rails: Rails, eeprom: Definitions) -> None:
        self._rails = rails
        self._eeprom = eeprom
        self.defined = Definitions()
        self.active: dict[int, bool] = {}
        self._cabs: dict[int, _Cab] = {}
        self._powered = {"A": False, "B": False}
        self._modes = {"A": r.TrackMode("A", "MAIN"), "B": r.TrackMode("B", "PROG")}
        self._joined = False
        self._paused = False
        self.reset_wanted = False

    def boot(self) -> list[Answer]:
        """Start afresh: power off, no locomotive known, outputs off, definitions as the EEPROM has them."""
        self.defined = deepcopy(self._eeprom)
        self.active = dict.fromkeys(self.defined.sensors, False)
        self._cabs.clear()
        self._powered = dict.fromkeys(self._powered, False)
        self._joined = self._paused = self.reset_wanted = False
        for number, output in self.defined.outputs.items():
            output.on = bool(output.iflag & 4) if output.iflag & 2 else False
            self._rails.output(number, output.on)
        self._rails.power(False)
        return [
            _usb(r.Comment("License GPLv3 fsf.org (c) dcc-ex.com")),
            _usb(r.Display(0, 0, f"DCC-EX v{VERSION}")),
            _all(r.Greeting(GREETING)),
            _usb(r.Display(0, 3, "Ready")),
            *self._power_lines(),
            _usb(r.Display(0, 2, "PWR Off")),
            _usb(r.Comment("Free RAM=5000b")),
        ]

    def sensor_changed(self, number: int, active: bool) -> list[Answer]:
        """A debounced change of a sensor."""
        self.active[number] = active
        return [_all(r.SensorState(number, active))]

    @singledispatchmethod
    def execute(self, command: c.Command) -> list[Answer]:
        """Do a command and answer."""
        raise AssertionError(f"no answer to {command}")

    # ------------------------------------------------------------ status and power

    @execute.register
    def _status(self, _: c.Status) -> list[Answer]:
        answers = [_asker(r.Greeting(GREETING)), *self._power_lines()]
        answers += [_asker(r.TurnoutState(n, t.thrown)) for n, t in self.defined.turnouts.items()]
        return answers + self._sensor_states(c.SensorStates())

    @execute.register
    def _fence(self, _: c.Fence) -> list[Answer]:
        return [_asker(r.FenceReached(SLOTS))]

    @execute.register
    def _power(self, command: c.Power) -> list[Answer]:
        before, joined_before = dict(self._powered), self._joined
        if command.track == "":
            wanted = list(self._powered)
        elif command.track == "JOIN":
            wanted = [t for t, mode in self._modes.items() if mode.mode in {"MAIN", "PROG"}]
        elif len(command.track) == 1:
            if command.track not in self._powered:
                return [_asker(r.Refused())]
            wanted = [command.track]
        else:
            wanted = [t for t, mode in self._modes.items() if mode.mode == command.track]
        for track in wanted:
            self._powered[track] = command.on
        if command.track == "JOIN":
            self._joined = True
        elif command.track == "PROG" or not command.on:
            self._joined = False
        if (before, joined_before) == (self._powered, self._joined):
            return []
        return self._power_changed()

    def _power_changed(self) -> list[Answer]:
        main_on = any(on for track, on in self._powered.items() if self._modes[track].mode == "MAIN")
        self._rails.power(main_on)
        return [*self._power_lines(), _usb(r.Display(0, 2, f"PWR {'On' if any(self._powered.values()) else 'Off'}"))]

    def _power_lines(self) -> list[Answer]:
        lines = [_all(r.PowerState(on, track)) for track, on in self._powered.items()]
        if all(self._powered.values()):
            lines.append(_all(r.PowerState(True)))
        elif not any(self._powered.values()):
            return [*lines, _all(r.PowerState(False))]
        if self._joined:
            return [*lines, _all(r.PowerState(True, "JOIN"))]
        on = {self._modes[track].mode for track, is_on in self._powered.items() if is_on}
        return lines + [_all(r.PowerState(True, mode)) for mode in ("MAIN", "PROG") if mode in on]

    @execute.register
    def _track_modes(self, _: c.TrackModes) -> list[Answer]:
        return [_asker(mode) for mode in self._modes.values()]

    @execute.register
    def _set_track_mode(self, command: c.SetTrackMode) -> list[Answer]:
        if command.track not in self._modes or command.mode not in {"MAIN", "PROG", "NONE", "OFF", "EXT", "DC", "DCX"}:
            return [_asker(r.Refused())]
        mode = {"OFF": "NONE"}.get(command.mode, command.mode)
        self._modes[command.track] = r.TrackMode(command.track, mode, command.cab)
        self._powered[command.track] = False
        return [_all(self._modes[command.track]), *self._power_changed()]

    @execute.register
    def _main_current(self, _: c.MainCurrent) -> list[Answer]:
        return [_asker(r.MainCurrentState(0, FULL_SCALE_MA, FULL_SCALE_MA))]

    @execute.register
    def _currents(self, _: c.Currents) -> list[Answer]:
        return [_asker(r.CurrentList((0,) * len(self._powered)))]

    @execute.register
    def _current_limits(self, _: c.CurrentLimits) -> list[Answer]:
        return [_asker(r.CurrentLimitList((FULL_SCALE_MA,) * len(self._powered)))]

    # ------------------------------------------------------------ locomotives

    @execute.register
    def _throttle(self, command: c.Throttle) -> list[Answer]:
        if command.cab == 0:
            return self._emergency_stop(c.EmergencyStop())
        if command.cab not in self._cabs and len(self._cabs) >= SLOTS:
            return [_asker(r.Refused())]
        answers = self._slot_for(command.cab)
        cab = self._cabs[command.cab]
        if (cab.speed, cab.forward) == (command.speed, command.forward):
            return answers
        cab.speed, cab.forward = command.speed, command.forward
        self._send(command.cab)
        return [*answers, self._locomotive(command.cab)]

    @execute.register
    def _legacy_throttle(self, command: c.LegacyThrottle) -> list[Answer]:
        answers = self._throttle(c.Throttle(command.cab, command.speed, command.forward))
        return [*answers, _asker(r.LegacyThrottleState(command.register, command.speed, command.forward))]

    @execute.register
    def _throttle_query(self, command: c.ThrottleQuery) -> list[Answer]:
        if command.cab in self._cabs:
            return [self._locomotive(command.cab)]
        return [_asker(r.LocomotiveState(command.cab, 0, True, register=-1))]

    @execute.register
    def _emergency_stop(self, _: c.EmergencyStop) -> list[Answer]:
        for number, cab in self._cabs.items():
            cab.speed = -1
            self._send(number)
        return [self._locomotive(number) for number in self._cabs]

    @execute.register
    def _emergency_lock(self, command: c.EmergencyLock) -> list[Answer]:
        if command.action == "Q":
            return [_asker(r.LockState(self._paused))]
        paused = command.action == "P"
        if paused is self._paused:
            return []
        self._paused = paused
        for number in self._cabs:
            self._send(number)
        return [_all(r.LockState(paused))]

    @execute.register
    def _forget(self, command: c.Forget) -> list[Answer]:
        answers = []
        for number in [command.cab] if command.cab else list(self._cabs):
            if number in self._cabs:
                forward = self._cabs.pop(number).forward
                self._rails.throttle(number, forward, 0, True)
                answers += [_all(r.LocomotiveState(number, -1, False)), _all(r.Forgotten(number))]
        return answers

    @execute.register
    def _function(self, command: c.Function) -> list[Answer]:
        if command.function >= FUNCTIONS_KEPT:
            return []
        if command.cab not in self._cabs and len(self._cabs) >= SLOTS:
            return [_asker(r.Refused())]
        answers = self._slot_for(command.cab)
        cab = self._cabs[command.cab]
        before = cab.functions
        bit = 1 << command.function
        cab.functions = before | bit if command.on else before & ~bit
        return answers if cab.functions == before else [*answers, self._locomotive(command.cab)]

    def _slot_for(self, number: int) -> list[Answer]:
        if number in self._cabs:
            return []
        self._cabs[number] = _Cab()
        return [_usb(r.Comment(f"New DCC queue slot {len(self._cabs) - 1} for loco {number}"))]

    def _send(self, number: int) -> None:
        cab = self._cabs[number]
        stop = self._paused or cab.speed < 0
        self._rails.throttle(number, cab.forward, 0 if stop else cab.speed, stop)

    def _locomotive(self, number: int) -> Answer:
        cab = self._cabs[number]
        return _all(r.LocomotiveState(number, cab.speed, cab.forward, cab.functions))

    # ------------------------------------------------------------ turnouts

    @execute.register
    def _set_turnout(self, command: c.SetTurnout) -> list[Answer]:
        turnout = self.defined.turnouts.get(command.turnout)
        if turnout is None:
            return [_asker(r.Refused())]
        changed = turnout.thrown is not command.thrown
        turnout.thrown = command.thrown
        kept = self._eeprom.turnouts.get(command.turnout)
        if kept is not None:
            kept.thrown = command.thrown
        self._rails.turnout(command.turnout, command.thrown)
        return [_all(r.TurnoutState(command.turnout, command.thrown))] if changed else []

    @execute.register
    def _list_turnouts(self, _: c.ListTurnouts) -> list[Answer]:
        found = [_asker(r.TurnoutState(n, t.thrown)) for n, t in self.defined.turnouts.items()]
        return found or [_asker(r.Refused())]

    @execute.register
    def _show_turnout(self, command: c.ShowTurnout) -> list[Answer]:
        turnout = self.defined.turnouts.get(command.turnout)
        if turnout is None:
            return [_asker(r.Refused())]
        shown = [_asker(r.TurnoutDefinition(command.turnout, turnout.kind, turnout.values, turnout.thrown))]
        if turnout.kind == "DCC":
            shown.append(_asker(r.TurnoutDefinition(command.turnout, "", turnout.values, turnout.thrown)))
        return shown

    @execute.register
    def _turnout_ids(self, _: c.TurnoutIds) -> list[Answer]:
        return [_asker(r.TurnoutIdList(tuple(self.defined.turnouts)))]

    @execute.register
    def _turnout_query(self, command: c.TurnoutQuery) -> list[Answer]:
        turnout = self.defined.turnouts.get(command.turnout)
        return [_asker(r.TurnoutCaption(command.turnout, None if turnout is None else turnout.thrown))]

    def _define_turnout(self, number: int, record: TurnoutRecord) -> list[Answer]:
        self.defined.turnouts[number] = record
        if record.kind == "SERVO":
            self._rails.turnout(number, False)
        return [_usb(r.Comment(f"Turnout 0x{number:x}")), _asker(r.Done())]

    @execute.register
    def _define_servo(self, command: c.DefineServoTurnout) -> list[Answer]:
        values = (command.vpin, command.thrown_position, command.closed_position, command.profile)
        return self._define_turnout(command.turnout, TurnoutRecord("SERVO", values))

    @execute.register
    def _define_pin(self, command: c.DefinePinTurnout) -> list[Answer]:
        return self._define_turnout(command.turnout, TurnoutRecord("VPIN", (command.vpin,)))

    @execute.register
    def _define_dcc(self, command: c.DefineDccTurnout) -> list[Answer]:
        record = TurnoutRecord("DCC", (command.address, command.sub), thrown=True)
        return self._define_turnout(command.turnout, record)

    @execute.register
    def _delete_turnout(self, command: c.DeleteTurnout) -> list[Answer]:
        return _deleted(self.defined.turnouts.pop(command.turnout, None) is not None)

    # ------------------------------------------------------------ sensors and outputs

    @execute.register
    def _sensor_states(self, _: c.SensorStates) -> list[Answer]:
        return [_asker(r.SensorState(number, self.active[number])) for number in self.defined.sensors]

    @execute.register
    def _list_sensors(self, _: c.ListSensors) -> list[Answer]:
        return [_asker(r.SensorDefinition(n, s.vpin, s.pullup)) for n, s in self.defined.sensors.items()]

    @execute.register
    def _define_sensor(self, command: c.DefineSensor) -> list[Answer]:
        self.defined.sensors[command.sensor] = SensorRecord(command.vpin, command.pullup)
        self.active[command.sensor] = False
        return [_asker(r.Done())]

    @execute.register
    def _delete_sensor(self, command: c.DeleteSensor) -> list[Answer]:
        return _deleted(self.defined.sensors.pop(command.sensor, None) is not None)

    @execute.register
    def _set_output(self, command: c.SetOutput) -> list[Answer]:
        output = self.defined.outputs.get(command.output)
        if output is None:
            return [_asker(r.Refused())]
        output.on = command.on
        self._rails.output(command.output, command.on)
        return [_all(r.OutputState(command.output, command.on))]

    @execute.register
    def _list_outputs(self, _: c.ListOutputs) -> list[Answer]:
        found = [_asker(r.OutputDefinition(n, o.vpin, o.iflag, o.on)) for n, o in self.defined.outputs.items()]
        return found or [_asker(r.Refused())]

    @execute.register
    def _define_output(self, command: c.DefineOutput) -> list[Answer]:
        self.defined.outputs[command.output] = OutputRecord(command.vpin, command.iflag)
        self._rails.output(command.output, False)
        return [_asker(r.Done())]

    @execute.register
    def _delete_output(self, command: c.DeleteOutput) -> list[Answer]:
        return _deleted(self.defined.outputs.pop(command.output, None) is not None)

    # ------------------------------------------------------------ the rest

    @execute.register
    def _save(self, _: c.Save) -> list[Answer]:
        saved = deepcopy(self.defined)
        self._eeprom.turnouts, self._eeprom.sensors = saved.turnouts, saved.sensors
        self._eeprom.outputs = saved.outputs
        return [_asker(r.Saved(len(saved.turnouts), len(saved.sensors), len(saved.outputs)))]

    @execute.register
    def _reset(self, _: c.Reset) -> list[Answer]:
        self.reset_wanted = True
        return []

    @execute.register
    def _blank(self, _: c.Blank) -> list[Answer]:
        return [Answer(To.ASKER, b"\n")]

    @execute.register
    def _overflow(self, _: c.Overflow) -> list[Answer]:
        return [_usb(r.Comment("Parse error: input buffer overflow"))]

    @execute.register
    def _unknown(self, _: c.UnknownCommand) -> list[Answer]:
        return [_asker(r.Refused())]


def _asker(reply: r.Reply) -> Answer:
    return Answer(To.ASKER, encode_reply(reply))


def _all(reply: r.Reply) -> Answer:
    return Answer(To.ALL, encode_reply(reply))


def _usb(reply: r.Reply) -> Answer:
    return Answer(To.USB, encode_reply(reply))


def _deleted(was_there: bool) -> list[Answer]:
    return [_asker(r.Done() if was_there else r.Refused())]
