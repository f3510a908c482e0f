"""What a node lets its pins do: coils that rest, servos on their way, a ramp of speed steps, contacts that bounce.

Times are seconds; each machine says in ``due_s`` when something happens to it next.
"""

from __future__ import annotations

import math
from enum import Enum, auto

from pointsman.protocols.node_constants import FIRST_MOVE_MS

RAMP_LOOK_S = 0.01
A_LITTLE = 1e-6
"""More, because a time that was added up may fall short of the one that was meant."""


class Coil:
    """The current through a coil: never longer than it is given, and never again before the coil has rested.

    It rests after a start as after a pulse: nobody knows when the last one ended.
    """

    class State(Enum):
        """What it does."""

        RESTING = auto()
        READY = auto()
        ON = auto()

    def __init__(self, now_s: float, rest_s: float) -> None:
        self.state = Coil.State.RESTING
        self._off_s = now_s
        self.due_s = now_s + rest_s

    def start(self, now_s: float, on_s: float) -> None:
        """Let the current flow; only when ready."""
        assert self.state is Coil.State.READY, "a coil that has rested"
        self.state, self.due_s = Coil.State.ON, now_s + on_s

    def cut(self, now_s: float, rest_s: float) -> bool:
        """End it before its time; False when no current flows."""
        if self.state is not Coil.State.ON:
            return False
        self.state, self._off_s = Coil.State.RESTING, now_s
        self.rest_for(rest_s)
        return True

    def rest_for(self, rest_s: float) -> None:
        """So long it rests, as long as it does."""
        if self.state is Coil.State.RESTING:
            self.due_s = self._off_s + rest_s

    def step(self, now_s: float, rest_s: float) -> bool:
        """Do what is due; True when the current has ended by its own time."""
        if now_s < self.due_s:
            return False
        if self.state is Coil.State.ON:
            return self.cut(now_s, rest_s)
        self.state, self.due_s = Coil.State.READY, math.inf
        return False


class Servo:
    """A servo: from where it was commanded last, at the speed that is set. ``us`` are widths of its pulses.

    It knows whole µs and ms only.
    """

    def __init__(self) -> None:
        self.due_s = math.inf
        self._from_us = 0
        self._to_us = 0
        self._takes_ms = 0
        self._found = False
        self._since_s = 0.0

    @property
    def moving(self) -> bool:
        """Whether it is on its way."""
        return not math.isinf(self.due_s)

    def command(self, to_us: int, now_s: float, ms_per_100_us: int) -> float:
        """Move there, turning round if it moves; returns how long it takes."""
        if not self._found:
            self._from_us, self._takes_ms = to_us, FIRST_MOVE_MS
        else:
            self._from_us = self._at_us(now_s)
            self._takes_ms = abs(to_us - self._from_us) * ms_per_100_us // 100
        takes_s = self._takes_ms / 1000
        self._to_us, self._since_s, self.due_s = to_us, now_s, now_s + takes_s
        return takes_s

    def step(self, now_s: float) -> bool:
        """Do what is due; True when it has arrived."""
        if now_s < self.due_s:
            return False
        self._found, self.due_s = True, math.inf
        return True

    def release(self) -> None:
        """No pulse any more; where it is is forgotten."""
        self._found, self.due_s = False, math.inf

    def _at_us(self, now_s: float) -> int:
        if not self.moving or now_s >= self.due_s:
            return self._to_us
        passed_ms = int((now_s - self._since_s) * 1000 + A_LITTLE)
        gone_us = abs(self._to_us - self._from_us) * passed_ms // self._takes_ms
        return self._from_us + (gone_us if self._to_us > self._from_us else -gone_us)


class Ramp:
    """The speed step of a locomotive on direct current, on its way to the one that was commanded."""

    def __init__(self) -> None:
        self.step_now = 0
        self.aimed = 0
        self.due_s = math.inf
        self._from = 0
        self._since_s = 0.0

    def aim(self, step: int, now_s: float, steps_per_100_ms: float) -> None:
        """Go there, step by step."""
        gone = 0.0
        if self.step_now != self.aimed:
            gone = self._go(now_s, steps_per_100_ms)
        part_s = (gone + A_LITTLE) % 1 / (10 * steps_per_100_ms) if self.step_now != self.aimed else 0.0
        self.aimed, self._from, self._since_s = step, self.step_now, now_s - part_s
        self._look_again(now_s, steps_per_100_ms)

    def cut(self) -> None:
        """0, at once."""
        self.step_now = self.aimed = 0
        self.due_s = math.inf

    def step(self, now_s: float, steps_per_100_ms: float) -> bool:
        """Do what is due; True when the step has changed."""
        if now_s < self.due_s:
            return False
        before = self.step_now
        self._go(now_s, steps_per_100_ms)
        self._look_again(now_s, steps_per_100_ms)
        return self.step_now != before

    def _go(self, now_s: float, steps_per_100_ms: float) -> float:
        """Take the step that it has come to; returns how many steps it has gone, with parts."""
        gone = (now_s - self._since_s) * 10 * steps_per_100_ms
        whole, way = int(gone + A_LITTLE), self.aimed - self._from
        self.step_now = self.aimed if whole >= abs(way) else self._from + (whole if way > 0 else -whole)
        return gone

    def _look_again(self, now_s: float, steps_per_100_ms: float) -> None:
        if self.step_now == self.aimed:
            self.due_s = math.inf
            return
        one_step_s = 0.1 / steps_per_100_ms
        there_s = self._since_s + abs(self.aimed - self._from) * one_step_s
        self.due_s = min(there_s, now_s + max(RAMP_LOOK_S, one_step_s))


class Contact:
    """A contact that has to last before it is believed."""

    def __init__(self, on: bool) -> None:
        self.on = on
        self.due_s = math.inf
        self._doubted_s = math.inf

    def look(self, on: bool, now_s: float, lasting_s: float) -> None:
        """It is so from now on; believed when it has lasted."""
        self._doubted_s = math.inf if on is self.on else min(self._doubted_s, now_s)
        self.due_s = self._doubted_s + lasting_s

    def step(self, now_s: float) -> bool:
        """Do what is due; True when what is believed has changed."""
        if now_s < self.due_s:
            return False
        self.on, self.due_s, self._doubted_s = not self.on, math.inf, math.inf
        return True
