"""What the program of an Arduino node does between two resets: commands, machines, the dead man's handle, events.

It is what ``firmware/pointsman_node`` does on a board, written anew: same answers, same times. Times are seconds and
passed in; lines that are to go out are taken from its ``outbox`` when the serial port has room for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field

from pointsman.protocols import node_messages as m
from pointsman.protocols.node import (
    UNREAD,
    Asked,
    FromHost,
    Garbled,
    StopAsked,
    Unknown,
    write_answer,
    write_refusal,
)
from pointsman.protocols.node_constants import (
    SETTINGS,
    VERSION,
    Latch,
    Lie,
    Machine,
    Refusal,
    Reset,
    Setting,
    SettingsState,
    Verb,
)
from pointsman.protocols.node_messages import Command, Told, Value
from railsim.node_board import Fitted, Hands, Memory, rests, safe_settings
from railsim.node_machines import Coil, Contact, Ramp, Servo
from railsim.node_outbox import Outbox

FIRMWARE = "0.1.0"
NO_MACHINE, SERVO, SOLENOID = map(m.machine_number, Machine)


@dataclass(slots=True)
class _Machine:
    """A turnout's: a servo or a solenoid, whichever is set."""

    coil: Coil
    servo: Servo = field(default_factory=Servo)
    lie: Lie = Lie.UNKNOWN
    told: Lie = Lie.UNKNOWN
    wanted: Lie = Lie.UNKNOWN


@dataclass(slots=True)
class _Last:
    """The last command, for when it comes again, and its answer once there is one."""

    number: int
    body: str
    answer: bytes = b""


class NodeFirmware:
    """The program from one reset on. ``levels`` are the beams' pins then (high: a body is seen, unless inverted).

    ``outbox`` is what it still has to say.
    """

    def __init__(
        self, hands: Hands, fitted: Fitted, memory: Memory, reset: Reset, now_s: float, levels: list[bool]
    ) -> None:
        self._hands = hands
        self._fitted = fitted
        self._memory = memory
        self._reset = reset
        self._values = safe_settings(fitted)
        self._settings_state = SettingsState.DEFAULTS
        if memory.stored is not None and memory.stored.keys() == self._values.keys() and rests(memory.stored):
            self._values, self._settings_state = dict(memory.stored), SettingsState.STORED
        self.latch = Latch.BOOT
        self._greeted = False
        self.trips = False
        self._beat_s = math.inf
        self._ramp = Ramp()
        self._forward = False
        self._commanded = 0
        rest_s, solenoid_rest_s = self._seconds(Setting.MAGNET_REST_MS), self._seconds(Setting.SOLENOID_REST_MS)
        self._magnets = {i + 1: Coil(now_s, rest_s) for i in range(fitted.magnets)}
        self._turnouts = {i + 1: _Machine(Coil(now_s, solenoid_rest_s)) for i in range(fitted.turnouts)}
        self._levels = dict(enumerate(levels[: fitted.beams], start=1))
        self._beams = {i: Contact(self._broken(i)) for i in self._levels}
        self.outbox = Outbox(now_s, self._everything, lambda: self.latch)
        self._last: _Last | None = None
        self._storing: tuple[int, float] | None = None
        hands.drive(self._forward, 0)
        hands.relay(False)
        for magnet in self._magnets:
            hands.magnet(magnet, False)
        self.outbox.tell(self._about())
        self.outbox.tell(m.SettingsAre(self._settings_state))
        self.outbox.tell(m.Latched(self.latch))

    # ------------------------------------------------------------ time

    @property
    def watchdog(self) -> bool:
        """Whether the watchdog is set to watch."""
        return self.value(Setting.WATCHDOG) != 0

    def value(self, setting: Setting, of: int = 0) -> int:
        """How it is set."""
        return self._values[setting, of]

    def next_s(self) -> float:
        """When something happens next by itself; in the past when it is due at once."""
        if any(machine.lie is not machine.told for machine in self._turnouts.values()):
            return 0.0
        coils = [*self._magnets.values(), *(machine.coil for machine in self._turnouts.values())]
        servos = (machine.servo for machine in self._turnouts.values())
        dues = [one.due_s for group in (coils, servos, self._beams.values()) for one in group]
        storing = math.inf if self._storing is None else self._storing[1]
        return min([*dues, self._ramp.due_s, self._late_s(), self.outbox.due_s, storing])

    def step(self, now_s: float) -> None:
        """Do everything that is due by now."""
        if self._late_s() <= now_s:
            self._beat_s = math.inf
            if self.latch is Latch.NONE:
                self._stop(Latch.HEARTBEAT, now_s)
        if self._ramp.step(now_s, self.value(Setting.DC_STEPS_PER_100_MS)):
            self._hands.drive(self._forward, self._ramp.step_now)
        for magnet, coil in self._magnets.items():
            if coil.step(now_s, self._seconds(Setting.MAGNET_REST_MS)):
                self._hands.magnet(magnet, False)
                self.outbox.tell(m.Coil(magnet, False))
        for turnout, machine in self._turnouts.items():
            over = machine.coil.step(now_s, self._seconds(Setting.SOLENOID_REST_MS))
            if machine.servo.step(now_s) or over:
                machine.lie = machine.wanted
            if machine.lie is not machine.told:
                self._tell_points(turnout)
        for beam, contact in self._beams.items():
            if contact.step(now_s):
                self.outbox.tell(m.Beam(beam, contact.on))
        if self._storing is not None and self._storing[1] <= now_s:
            self._stored(self._storing[0])
        self.outbox.step(now_s)

    def see(self, beam: int, high: bool, now_s: float) -> None:
        """The pin of a beam is so from now on."""
        self._levels[beam] = high
        on = self._broken(beam)
        lasting = Setting.BEAM_ON_MS if on else Setting.BEAM_OFF_MS
        self._beams[beam].look(on, now_s, self._seconds(lasting))

    def _broken(self, beam: int) -> bool:
        return self._levels[beam] is not (self.value(Setting.BEAM_INVERTED, beam) != 0)

    def _late_s(self) -> float:
        """When the next heartbeat is too late; never, as long as none has come."""
        return self._beat_s + self._seconds(Setting.HEARTBEAT_MS)

    def _seconds(self, setting: Setting) -> float:
        return self.value(setting) / 1000

    # ------------------------------------------------------------ telling

    def _everything(self) -> Iterator[Told]:
        """Each as it is when it is sent."""
        yield m.Latched(self.latch)
        yield m.SettingsAre(self._settings_state)
        if self._fitted.dc:
            yield m.Driven(self._forward, self._ramp.aimed)
        for turnout, machine in self._turnouts.items():
            yield m.Points(turnout, machine.told)
        for beam, contact in self._beams.items():
            yield m.Beam(beam, contact.on)
        for magnet, coil in self._magnets.items():
            yield m.Coil(magnet, coil.state is Coil.State.ON)
        yield m.End()

    def _about(self) -> m.About:
        has = self._fitted
        fitted = (has.turnouts, has.beams, has.magnets, has.dc, has.relay)
        return m.About(VERSION, FIRMWARE, has.board, self._reset, *fitted)

    # ------------------------------------------------------------ what is heard

    def hear(self, said: FromHost, now_s: float) -> None:
        """Something has come from the host."""
        match said:
            case StopAsked():
                self._stop(Latch.STOP, now_s)
                self.outbox.report_after_stop()
            case Garbled(refusal=refusal) | Unknown(number=0, refusal=refusal):
                self.outbox.unheard = write_refusal(UNREAD, refusal)
            case _:
                self._hear_numbered(said, said.number, now_s)

    def _hear_numbered(self, said: Asked | Unknown, number: int, now_s: float) -> None:
        if self._last is not None and self._last.number == number:
            if self._last.body != said.body:
                self.outbox.unheard = write_refusal(number, Refusal.NUMBER)
            else:
                self.outbox.answer = self._last.answer
            return
        if self.outbox.answer:
            return  # who does not wait for the answer is not heard
        self._last = _Last(number, said.body)
        result = self._carry_out(said.command, now_s) if isinstance(said, Asked) else said.refusal
        if isinstance(result, Refusal):
            self._answer(write_refusal(number, result, [VERSION] if result is Refusal.VERSION else ()))
        elif isinstance(said, Asked) and not isinstance(said.command, m.Store):  # that is answered when it is done
            self._answer(write_answer(number, Verb(said.body.split(" ")[1]), result))

    def _answer(self, line: bytes) -> None:
        assert self._last is not None, "a command to answer"
        self._last.answer = line
        self.outbox.answer = line

    def _carry_out(self, command: Command, now_s: float) -> Refusal | Sequence[Value]:
        """The values of the answer, or why it is not carried out."""
        if not self._greeted and m.wants_hello(command):
            return Refusal.VERSION
        if self.trips and m.wants_hello(command):
            return Refusal.MOVING  # it would be left half done
        match command:
            case m.Hello():
                return self._greet(command, now_s)
            case m.State():
                self.outbox.report()
            case m.Beat():
                self._beat_s = now_s
                return [self.latch]
            case m.Arm():
                return self._arm()
            case m.Off():
                self._stop(Latch.HOST, now_s)
            case m.Turnout():
                return self._turnout(command, now_s)
            case m.Magnet():
                return self._magnet(command, now_s)
            case m.Drive():
                return self._drive(command, now_s)
            case m.Get():
                return self._get(command)
            case m.Set():
                return self._set(command, now_s)
            case _:
                return Refusal.MOVING if self._may_move() else self._set_up(command, now_s)
        return ()

    def _greet(self, command: m.Hello, now_s: float) -> Refusal | Sequence[Value]:
        """A host of another version is not obeyed, and what another one has commanded is stopped."""
        self._greeted = command.version == VERSION
        if self._greeted:
            return astuple(self._about())
        if self.latch is Latch.NONE:
            self._stop(Latch.VERSION, now_s)
        return Refusal.VERSION

    # ------------------------------------------------------------ stopping

    def hung(self, now_s: float) -> None:
        """The board has switched everything off by itself, since the program hung."""
        self._stop(Latch.HANG, now_s)

    def _stop(self, why: Latch, now_s: float) -> None:
        """Everything is without current at once. What was commanded stays, so that arming waits for a 0."""
        drove = self._ramp.aimed != 0
        self._ramp.cut()
        self._hands.drive(self._forward, 0)
        self._hands.relay(False)
        for magnet, coil in self._magnets.items():
            self._hands.magnet(magnet, False)
            if coil.cut(now_s, self._seconds(Setting.MAGNET_REST_MS)):
                self.outbox.tell(m.Coil(magnet, False))
        for machine in self._turnouts.values():
            if machine.coil.cut(now_s, self._seconds(Setting.SOLENOID_REST_MS)):
                machine.lie = Lie.UNKNOWN
        if drove:
            self.outbox.tell(m.Driven(self._forward, 0))
        self._set_latch(why)

    def _set_latch(self, latch: Latch) -> None:
        if latch is not self.latch:
            self.latch = latch
            self.outbox.tell(m.Latched(latch))

    def _arm(self) -> Refusal | tuple[()]:
        if self._commanded or self._storing is not None:
            return Refusal.MOVING
        if math.isinf(self._beat_s):
            return Refusal.UNWATCHED
        self._hands.relay(True)
        self._set_latch(Latch.NONE)
        return ()

    # ------------------------------------------------------------ moving

    def _turnout(self, command: m.Turnout, now_s: float) -> Refusal | tuple[()]:
        machine = self._turnouts.get(command.turnout)
        kind = NO_MACHINE if machine is None else self.value(Setting.MACHINE, command.turnout)
        if machine is None or kind == NO_MACHINE:
            return Refusal.ABSENT
        if kind == SERVO:
            end = Setting.THROWN_US if command.thrown else Setting.CLOSED_US
            speed = self.value(Setting.SERVO_MS_PER_100_US)
            takes_s = machine.servo.command(self.value(end, command.turnout), now_s, speed)
        else:
            if self.latch is not Latch.NONE:
                return Refusal.LATCHED
            if machine.coil.state is not Coil.State.READY:
                return Refusal.RESTING
            takes_s = self._seconds(Setting.SOLENOID_MS)
            machine.coil.start(now_s, takes_s)
        machine.wanted = Lie.THROWN if command.thrown else Lie.CLOSED
        machine.lie = Lie.MOVING
        self._tell_points(command.turnout)  # always, so that something always follows
        self._hands.turnout(command.turnout, command.thrown, takes_s)
        return ()

    def _tell_points(self, turnout: int) -> None:
        machine = self._turnouts[turnout]
        machine.told = machine.lie
        self.outbox.tell(m.Points(turnout, machine.lie))

    def _magnet(self, command: m.Magnet, now_s: float) -> Refusal | tuple[()]:
        coil = self._magnets.get(command.magnet)
        if coil is None:
            return Refusal.ABSENT
        if command.on_ms == 0:
            self._hands.magnet(command.magnet, False)
            if coil.cut(now_s, self._seconds(Setting.MAGNET_REST_MS)):
                self.outbox.tell(m.Coil(command.magnet, False))
            return ()
        if command.on_ms > self.value(Setting.MAGNET_MS):
            return Refusal.RANGE
        if self.latch is not Latch.NONE:
            return Refusal.LATCHED
        if coil.state is not Coil.State.READY:
            return Refusal.RESTING
        coil.start(now_s, command.on_ms / 1000)
        self._hands.magnet(command.magnet, True)
        self.outbox.tell(m.Coil(command.magnet, True))
        return ()

    def _drive(self, command: m.Drive, now_s: float) -> Refusal | tuple[()]:
        """Step 0 is taken at any time; while it runs, it slows down in the direction in which it runs."""
        if not self._fitted.dc:
            return Refusal.ABSENT
        runs, forward = self._ramp.step_now != 0, command.forward
        if command.step == 0:
            forward = self._forward if runs else forward
        elif self.latch is not Latch.NONE:
            return Refusal.LATCHED
        elif forward is not self._forward and (runs or self._commanded):
            return Refusal.MOVING
        changed = forward is not self._forward or command.step != self._ramp.aimed
        self._forward, self._commanded = forward, command.step
        self._ramp.aim(command.step, now_s, self.value(Setting.DC_STEPS_PER_100_MS))
        if changed:
            self.outbox.tell(m.Driven(forward, command.step))
        return ()

    # ------------------------------------------------------------ setting up

    def _may_move(self) -> bool:
        """Settings are changed only when nothing can move, and nothing is half stored."""
        moving = any(machine.lie is Lie.MOVING for machine in self._turnouts.values())
        return self.latch is Latch.NONE or self._storing is not None or moving

    def _missing(self, setting: Setting, of: int) -> Refusal | None:
        if (of == 0) is not (SETTINGS[setting][4] == "node"):
            return Refusal.RANGE
        return None if (setting, of) in self._values else Refusal.ABSENT

    def _get(self, command: m.Get) -> Refusal | list[int]:
        missing = self._missing(command.setting, command.of)
        return [self.value(command.setting, command.of)] if missing is None else missing

    def _set(self, command: m.Set, now_s: float) -> Refusal | tuple[()]:
        missing = self._missing(command.setting, command.of)
        if missing is not None:
            return missing
        if self._may_move():
            return Refusal.MOVING
        _, low, high, _, _ = SETTINGS[command.setting]
        if not low <= command.value <= high:
            return Refusal.RANGE
        if not rests(self._values | {(command.setting, command.of): command.value}):
            return Refusal.DUTY
        before = self.value(command.setting, command.of)
        self._values[command.setting, command.of] = command.value
        if command.setting is Setting.MACHINE and command.value != before:
            self._forget(command.of)
        self._rest_and_last(now_s)
        return ()

    def _rest_and_last(self, now_s: float) -> None:
        """Coils rest and contacts last as it is set now."""
        for coil in self._magnets.values():
            coil.rest_for(self._seconds(Setting.MAGNET_REST_MS))
        for machine in self._turnouts.values():
            machine.coil.rest_for(self._seconds(Setting.SOLENOID_REST_MS))
        for beam, high in self._levels.items():
            self.see(beam, high, now_s)

    def _set_up(self, command: m.Store | m.Defaults | m.Trip, now_s: float) -> tuple[()]:
        match command:
            case m.Store():
                assert self._last is not None, "the command that is carried out"
                self._storing = (self._last.number, now_s + self._memory.takes_s(self._values))
            case m.Defaults():
                self._values, self._settings_state = safe_settings(self._fitted), SettingsState.DEFAULTS
                self.outbox.tell(m.SettingsAre(self._settings_state))
                for turnout in self._turnouts:
                    self._forget(turnout)
                self._rest_and_last(now_s)
            case _:
                self.trips = True
        return ()

    def _forget(self, turnout: int) -> None:
        """Another machine: nobody knows how the points lie."""
        self._turnouts[turnout].servo.release()
        self._turnouts[turnout].lie = Lie.UNKNOWN

    def _stored(self, number: int) -> None:
        self._storing = None
        if self._memory.works:
            self._memory.stored, self._settings_state = dict(self._values), SettingsState.STORED
            self.outbox.tell(m.SettingsAre(self._settings_state))
        # Who has sent another command in between has not waited, and is not told.
        if self._last is not None and self._last.number == number:
            done = self._memory.works
            self._answer(write_answer(number, Verb.STORE) if done else write_refusal(number, Refusal.MEMORY))
