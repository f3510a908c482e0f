"""A station's turnouts, sensors and outputs: what is defined, what is commanded, and what it answers."""

from __future__ import annotations

from copy import deepcopy
from functools import singledispatchmethod

from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from railsim.definitions import (
    Answer,
    Definitions,
    OutputRecord,
    Rails,
    SensorRecord,
    TurnoutRecord,
    app_line,
    asker,
    to_all,
    usb,
)
from railsim.profiles import Profile


class Accessories:
    """They start as the EEPROM has them. ``active`` (sensor number -> bool) is kept by whoever scans pins."""

    def __init__(self, rails: Rails, eeprom: Definitions, profile: Profile) -> None:
        self._rails = rails
        self._eeprom = eeprom
        self._profile = profile
        self.defined = Definitions()
        self.active: dict[int, bool] = {}

    @property
    def script(self) -> tuple[str, ...]:
        """What the station's own automation commands at every start."""
        return self._eeprom.script

    def boot(self) -> None:
        """Start afresh: outputs off unless they have a state of their own at power-on."""
        self.defined = deepcopy(self._eeprom)
        self.active = dict.fromkeys(self.defined.sensors, False)
        for number, output in self.defined.outputs.items():
            output.on = bool(output.iflag & 4) if output.iflag & 2 else False
            self._rails.output(number, output.on)

    def states(self) -> tuple[list[Answer], list[Answer], list[Answer]]:
        """What ``<s>`` tells of turnouts, outputs and sensors."""
        turnouts = [asker(r.TurnoutState(n, t.thrown)) for n, t in self.defined.turnouts.items()]
        outputs = [asker(r.OutputState(n, o.on)) for n, o in self.defined.outputs.items()]
        return turnouts, outputs, self._sensor_states(c.SensorStates())

    def sensor_changed(self, number: int, active: bool) -> list[Answer]:
        """A debounced change of a sensor."""
        self.active[number] = active
        return [to_all(r.SensorState(number, active))]

    @singledispatchmethod
    def execute(self, command: c.Command) -> list[Answer]:
        """Do a command and answer."""
        raise AssertionError(f"no answer to {command}")

    # ------------------------------------------------------------ turnouts

    @execute.register
    def _set_turnout(self, command: c.SetTurnout) -> list[Answer]:
        turnout = self.defined.turnouts.get(command.turnout)
        if turnout is None:
            return [asker(r.Refused())] if self._profile.unknown_turnout_refused else []
        changed = turnout.thrown is not command.thrown
        turnout.thrown = command.thrown
        kept = self._eeprom.turnouts.get(command.turnout)
        if kept is not None:
            kept.thrown = command.thrown
        self._rails.turnout(command.turnout, command.thrown)
        if not changed and not self._profile.turnout_always_told:
            return []
        told = [to_all(r.TurnoutState(command.turnout, command.thrown))]
        if self._profile.throttle_app_lines:
            told.append(app_line(f"PTA{4 if command.thrown else 2}{command.turnout}"))
        return told

    @execute.register
    def _list_turnouts(self, _: c.ListTurnouts) -> list[Answer]:
        found = [asker(r.TurnoutState(n, t.thrown)) for n, t in self.defined.turnouts.items()]
        return found or ([asker(r.Refused())] if self._profile.no_turnouts_refused else [])

    @execute.register
    def _show_turnout(self, command: c.ShowTurnout) -> list[Answer]:
        turnout = self.defined.turnouts.get(command.turnout)
        if turnout is None:
            return [asker(r.Refused())]
        shown = [asker(r.TurnoutDefinition(command.turnout, turnout.kind, turnout.values, turnout.thrown))]
        if turnout.kind == "DCC":
            shown.append(asker(r.TurnoutDefinition(command.turnout, "", turnout.values, turnout.thrown)))
        return shown

    @execute.register
    def _turnout_ids(self, _: c.TurnoutIds) -> list[Answer]:
        if not self._profile.turnout_lists:
            return [asker(r.Refused())]
        return [asker(r.TurnoutIdList(tuple(self.defined.turnouts)))]

    @execute.register
    def _turnout_query(self, command: c.TurnoutQuery) -> list[Answer]:
        if not self._profile.turnout_lists:
            return [asker(r.Refused())]
        turnout = self.defined.turnouts.get(command.turnout)
        return [asker(r.TurnoutCaption(command.turnout, None if turnout is None else turnout.thrown))]

    def _define_turnout(self, number: int, record: TurnoutRecord) -> list[Answer]:
        self.defined.turnouts[number] = record
        if record.kind == "SERVO":
            self._rails.turnout(number, False)
        return [usb(r.Comment(f"Turnout 0x{number:x}")), *self._defined()]

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
        return self._deleted(self.defined.turnouts.pop(command.turnout, None))

    # ------------------------------------------------------------ sensors and outputs

    @execute.register
    def _sensor_states(self, _: c.SensorStates) -> list[Answer]:
        return [asker(r.SensorState(number, self.active[number])) for number in self.defined.sensors]

    @execute.register
    def _list_sensors(self, _: c.ListSensors) -> list[Answer]:
        found = [asker(r.SensorDefinition(n, s.vpin, s.pullup)) for n, s in self.defined.sensors.items()]
        return found or ([asker(r.Refused())] if self._profile.no_sensors_refused else [])

    @execute.register
    def _define_sensor(self, command: c.DefineSensor) -> list[Answer]:
        self.defined.sensors[command.sensor] = SensorRecord(command.vpin, command.pullup)
        self.active[command.sensor] = False
        return self._defined()

    @execute.register
    def _delete_sensor(self, command: c.DeleteSensor) -> list[Answer]:
        return self._deleted(self.defined.sensors.pop(command.sensor, None))

    def _defined(self) -> list[Answer]:
        return [asker(r.Done())] if self._profile.definitions_confirmed else []

    def _deleted(self, was_there: TurnoutRecord | SensorRecord | None) -> list[Answer]:
        return [asker(r.Refused())] if was_there is None else self._defined()

    @execute.register
    def _set_output(self, command: c.SetOutput) -> list[Answer]:
        output = self.defined.outputs.get(command.output)
        if output is None:
            return [asker(r.Refused())]
        output.on = command.on
        self._rails.output(command.output, command.on)
        return [to_all(r.OutputState(command.output, command.on))]

    @execute.register
    def _list_outputs(self, _: c.ListOutputs) -> list[Answer]:
        found = [asker(r.OutputDefinition(n, o.vpin, o.iflag, o.on)) for n, o in self.defined.outputs.items()]
        return found or [asker(r.Refused())]

    @execute.register
    def _define_output(self, command: c.DefineOutput) -> list[Answer]:
        self.defined.outputs[command.output] = OutputRecord(command.vpin, command.iflag)
        self._rails.output(command.output, False)
        return [asker(r.Done())]

    @execute.register
    def _delete_output(self, command: c.DeleteOutput) -> list[Answer]:
        was_there = self.defined.outputs.pop(command.output, None) is not None
        return [asker(r.Done() if was_there else r.Refused())]

    @execute.register
    def _save(self, _: c.Save) -> list[Answer]:
        saved = deepcopy(self.defined)
        self._eeprom.turnouts, self._eeprom.sensors = saved.turnouts, saved.sensors
        self._eeprom.outputs = saved.outputs
        return [asker(r.Saved(len(saved.turnouts), len(saved.sensors), len(saved.outputs)))]
