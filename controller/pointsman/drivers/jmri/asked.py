"""What was asked of each thing, held against what JMRI reports of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from pointsman.track.model import HIGHEST_STEP

LATE_S = 1.5
"""A report of what was asked before may come so long after the next was asked: buses echo with a delay."""

EMERGENCY = -1


class Kind(Enum):
    """What a value belongs to."""

    TURNOUT = auto()
    MAGNET = auto()
    SPEED = auto()
    DIRECTION = auto()
    POWER = auto()


Key = tuple[Kind, str]
Value = bool | int
"""A speed is a step, or EMERGENCY; everything else is true or false."""


def step_of(speed: float) -> int:
    """The step of JMRI's speed, 0 to 1 of the highest; EMERGENCY for its -1."""
    return EMERGENCY if speed < 0 else round(speed * HIGHEST_STEP)


def speed_of(step: int) -> float:
    """JMRI's speed of a step. JMRI makes the same step of it: it rounds, and has as many."""
    return step / HIGHEST_STEP


@dataclass(slots=True)
class _Record:
    value: Value
    asked_s: float
    settles_s: float
    before: Value | None


class Asked:
    """Values that were asked for, and the one that each was asked for before."""

    def __init__(self) -> None:
        self._records: dict[Key, _Record] = {}

    def forget(self) -> None:
        """A new connection: nothing was asked."""
        self._records.clear()

    def ask(self, key: Key, value: Value, t_s: float, settles_s: float = 0.0) -> None:
        """Something shall have this value; a report of what it was may come for LATE_S, or as long as it settles."""
        old = self._records.get(key)
        before = old.value if old is not None else None
        if old is not None and old.value == value:
            # the same again, as a stop is: whatever came before that is no nearer
            before, t_s = old.before, old.asked_s if settles_s == 0 else t_s
        self._records[key] = _Record(value, t_s, settles_s or LATE_S, before)

    def value(self, key: Key) -> Value | None:
        """What was asked for last; None when nothing was."""
        record = self._records.get(key)
        return None if record is None else record.value

    def agrees(self, key: Key, value: Value) -> bool:
        """Is it what was asked for last? After an emergency stop a station may well say 0."""
        asked = self.value(key)
        return asked == value or (key[0] is Kind.SPEED and asked == EMERGENCY and value == 0)

    def settling(self, key: Key, t_s: float) -> bool:
        """Was something else asked for so lately that reports may not be of it yet?"""
        record = self._records.get(key)
        return record is not None and t_s < record.asked_s + record.settles_s

    def may_be_late(self, key: Key, value: Value, t_s: float) -> bool:
        """Is it what was asked for before, said late?"""
        record = self._records.get(key)
        return record is not None and record.before == value and self.settling(key, t_s)
