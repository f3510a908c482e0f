"""An emergency stop that no fence has confirmed yet."""

from __future__ import annotations

from dataclasses import dataclass, field

STOP_REPEAT_S = 0.1
POWER_CUT_AFTER_S = 0.3


@dataclass(slots=True)
class Halt:
    """Since when, whether the power goes too, and the commands that it carries out."""

    started_t_s: float
    cut_power: bool
    numbers: list[int] = field(default_factory=list)
