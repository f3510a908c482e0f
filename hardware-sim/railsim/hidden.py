"""What the controller cannot know: how far each thing on this layout is off its data sheet, drawn from a seed.

Every draw has its own label, so that one more draw somewhere changes no other.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from pointsman.track.model import Leg, Locomotive

EMERGENCY_BRAKING_MM_S2 = 800.0
"""A decoder's answer to an emergency stop."""
FRICTION_MM_S2 = 250.0
"""A locomotive without power."""
RATE_ERROR = 0.10
SPEED_ERROR_LOW, SPEED_ERROR_HIGH = 0.05, 0.10
SETUP_GAP_MM = 3.0
MARK_ERROR_MM = 1.0


@dataclass(frozen=True, slots=True)
class SpeedError:
    """A smooth curve over the speed steps that is 5 to 10 % away from the table, always to the same side."""

    sign: float
    period_steps: float
    phase: float

    def factor(self, step: int) -> float:
        """What the nominal speed at a step is multiplied with."""
        wave = 0.5 + 0.5 * math.sin(2 * math.pi * step / self.period_steps + self.phase)
        return 1.0 + self.sign * (SPEED_ERROR_LOW + (SPEED_ERROR_HIGH - SPEED_ERROR_LOW) * wave)


@dataclass(frozen=True, slots=True)
class Performance:
    """What a locomotive really does; rates in mm/s²."""

    nominal: Locomotive
    acceleration_mm_s2: float
    braking_mm_s2: float
    lowest_step: int
    forward: SpeedError
    reverse: SpeedError

    def speed_mm_s(self, step: int, forward: bool) -> float:
        """Real speed at a step; 0 below the lowest step at which the motor turns."""
        if step < self.lowest_step:
            return 0.0
        error = self.forward if forward else self.reverse
        return self.nominal.speeds.speed_mm_s(step) * error.factor(step)


class Hidden:
    """Draws from one seed. The same seed and label give the same number on every machine."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def uniform(self, label: str, low: float, high: float) -> float:
        """A number in [low, high] that belongs to the label."""
        return low + (high - low) * random.Random(f"{self.seed}/{label}").random()

    def chance(self, label: str) -> bool:
        """Heads or tails, by label."""
        return self.uniform(label, 0.0, 1.0) < 0.5

    def performance(self, locomotive: Locomotive) -> Performance:
        """The real locomotive behind the nominal one."""
        name = locomotive.name
        lowest = locomotive.speeds.points[0][0]
        return Performance(
            nominal=locomotive,
            acceleration_mm_s2=locomotive.acceleration_mm_s2
            * self.uniform(f"{name}/acceleration", 1 - RATE_ERROR, 1 + RATE_ERROR),
            braking_mm_s2=locomotive.braking_mm_s2 * self.uniform(f"{name}/braking", 1 - RATE_ERROR, 1 + RATE_ERROR),
            lowest_step=max(1, round(self.uniform(f"{name}/lowest step", lowest / 2, lowest))),
            forward=self._speed_error(f"{name}/forward"),
            reverse=self._speed_error(f"{name}/reverse"),
        )

    def lie(self, turnout: str) -> Leg:
        """How a turnout lies before anybody has commanded it."""
        return Leg.THROWN if self.chance(f"{turnout}/lie") else Leg.CLOSED

    def _speed_error(self, label: str) -> SpeedError:
        return SpeedError(
            sign=1.0 if self.chance(f"{label}/sign") else -1.0,
            period_steps=self.uniform(f"{label}/period", 60.0, 120.0),
            phase=self.uniform(f"{label}/phase", 0.0, 2 * math.pi),
        )
