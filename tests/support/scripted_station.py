"""A small honest station for the driver's tests: reads with the firmware's reader, keeps state, answers in order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from pointsman.protocols.dccex import Command, Reply, StationReader, encode_reply
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.transports.memory import MemoryTransport

GREETING = "iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z"
ANSWERS_AFTER_S = 0.003


class Station:
    """The far end. ``heard`` is every command with its time; ``deaf`` hears nothing; ``mute`` says nothing."""

    def __init__(self, wire: MemoryTransport) -> None:
        self.wire = wire
        self.heard: list[tuple[float, Command]] = []
        self.raw: list[tuple[float, bytes]] = []
        self.deaf = self.mute = False
        self.turnouts = {1: False, 2: False}
        self.outputs = {1: True, 2: True}
        self.sensors = {1: False, 2: False}
        self.cabs: dict[int, tuple[int, bool]] = {}
        self.slots = 50
        self.power = False
        self.currents = (0, 0)
        self.old = False
        """As 4.1.6: no track manager, no list of turnouts, one power line that is always sent."""
        self._reader = StationReader()
        self._lose: Callable[[bytes], bytes] | None = None
        self._unanswered: deque[Command] = deque()
        self.reopen: asyncio.Task[None] | None = None
        wire.listen(self._on_data, self._on_lost)

    def lose(self, lose: Callable[[bytes], bytes] | None) -> None:
        """What becomes of the bytes on their way here."""
        self._lose = lose

    def commands(self, since: int = 0) -> list[Command]:
        return [command for _, command in self.heard[since:]]

    def say(self, *replies: Reply) -> None:
        self.say_bytes(b"".join(map(encode_reply, replies)))

    def say_bytes(self, data: bytes) -> None:
        if self.wire.is_open and not self.mute:
            self.wire.write(data)

    def restart(self) -> None:
        self.cabs.clear()
        self.power = False
        self.say(r.Comment("License GPLv3"), r.Greeting(GREETING), r.Display(0, 3, "Ready"), r.PowerState(False))

    def sense(self, sensor: int, active: bool) -> None:
        self.sensors[sensor] = active
        self.say(r.SensorState(sensor, active))

    def _on_data(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        self.raw.append((loop.time(), data))
        if self._lose is not None:
            data = self._lose(data)
        if not self.deaf:
            for command in self._reader.feed(data):
                self.heard.append((loop.time(), command))
                # timers of the same moment come in any order, answers do not
                self._unanswered.append(command)
                loop.call_later(ANSWERS_AFTER_S, self._answer_next)

    def _on_lost(self, reason: str) -> None:
        # the host closed its port: the board itself is still there
        self.reopen = asyncio.get_running_loop().create_task(self.wire.open())

    def _answer_next(self) -> None:
        self.say(*self._answer(self._unanswered.popleft()))

    def _answer(self, command: Command) -> list[Reply]:
        match command:
            case c.TrackModes() | c.TurnoutIds() | c.Currents() if self.old:
                return [r.Refused()]
            case c.ListTurnouts():
                return [r.TurnoutDefinition(n, "VPIN", (30,), thrown) for n, thrown in self.turnouts.items()]
            case c.Fence():
                return [r.FenceReached(self.slots)]
            case c.Status():
                states = [r.TurnoutState(number, thrown) for number, thrown in self.turnouts.items()]
                return [r.Greeting(GREETING), *self._power_lines(), *states, *self._sensor_lines()]
            case c.SensorStates():
                return self._sensor_lines()
            case c.TrackModes():
                return [r.TrackMode("A", "MAIN"), r.TrackMode("B", "PROG")]
            case c.TurnoutIds():
                return [r.TurnoutIdList(tuple(self.turnouts))]
            case c.Currents():
                return [r.CurrentList(self.currents)]
            case c.Power(on, _):
                changed, self.power = self.power != on, on
                return self._power_lines() if changed or self.old else []
            case c.EmergencyStop():
                self.cabs = {cab: (-1, forward) for cab, (_, forward) in self.cabs.items()}
                return [r.LocomotiveState(cab, -1, forward) for cab, (_, forward) in self.cabs.items()]
            case c.ThrottleQuery(cab):
                speed, forward = self.cabs.get(cab, (0, True))
                return [r.LocomotiveState(cab, speed, forward, register=0 if cab in self.cabs else -1)]
            case c.Throttle(cab, speed, forward):
                return self._throttle(cab, speed, forward)
            case c.SetTurnout(number, thrown) if number in self.turnouts:
                changed, self.turnouts[number] = self.turnouts[number] != thrown, thrown
                return [r.TurnoutState(number, thrown)] if changed else []
            case c.DeleteTurnout(number) if number in self.turnouts:
                self.turnouts.pop(number)
                return [r.Done()]
            case c.SetOutput(number, on) if number in self.outputs:
                self.outputs[number] = on
                return [r.OutputState(number, on)]
        return [] if isinstance(command, c.Function) else [r.Refused()]

    def _throttle(self, cab: int, speed: int, forward: bool) -> list[Reply]:
        if cab not in self.cabs and len(self.cabs) >= self.slots:
            return [r.Refused()]
        before, self.cabs[cab] = self.cabs.get(cab, (0, True)), (speed, forward)
        return [r.LocomotiveState(cab, speed, forward)] if before != (speed, forward) else []

    def _power_lines(self) -> list[Reply]:
        if self.old:
            return [r.PowerState(self.power, "MAIN" if self.power else "")]
        lines: list[Reply] = [r.PowerState(self.power, "A"), r.PowerState(False, "B")]
        return [*lines, r.PowerState(True, "MAIN") if self.power else r.PowerState(False)]

    def _sensor_lines(self) -> list[Reply]:
        return [r.SensorState(sensor, active) for sensor, active in self.sensors.items()]
