"""How a locomotive's speed goes from one to another, in closed form: ramps of constant rate, then constant speed."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phase:
    """A stretch of time with a constant rate of change of speed; the last phase of a motion has no end."""

    duration_s: float
    speed_mm_s: float
    rate_mm_s2: float

    def distance_mm(self, t_s: float) -> float:
        """Distance after a time within the phase."""
        return t_s * (self.speed_mm_s + 0.5 * self.rate_mm_s2 * t_s)

    def time_for_mm(self, distance_mm: float) -> float:
        """Time for a distance within the phase; infinite when it is never travelled."""
        if distance_mm <= 0:
            return 0.0
        under_root = self.speed_mm_s**2 + 2 * self.rate_mm_s2 * distance_mm
        if under_root < 0:
            return math.inf
        divisor = self.speed_mm_s + math.sqrt(under_root)
        return 2 * distance_mm / divisor if divisor > 0 else math.inf


@dataclass(frozen=True, slots=True)
class Motion:
    """Phases end to end, from time 0 and distance 0."""

    phases: tuple[Phase, ...]

    @classmethod
    def ramp(cls, speed_mm_s: float, target_mm_s: float, up_mm_s2: float, down_mm_s2: float) -> Motion:
        """From a speed to a target and on at that; ``up`` and ``down`` are rates, both positive."""
        constant = Phase(math.inf, target_mm_s, 0.0)
        if speed_mm_s == target_mm_s:
            return cls((constant,))
        rate = up_mm_s2 if target_mm_s > speed_mm_s else -down_mm_s2
        return cls((Phase((target_mm_s - speed_mm_s) / rate, speed_mm_s, rate), constant))

    def distance_mm(self, t_s: float) -> float:
        """Distance travelled after a time >= 0."""
        distance = 0.0
        for phase in self.phases:
            if t_s <= phase.duration_s:
                return distance + phase.distance_mm(t_s)
            distance += phase.distance_mm(phase.duration_s)
            t_s -= phase.duration_s
        return distance

    def speed_mm_s(self, t_s: float) -> float:
        """Speed after a time >= 0."""
        for phase in self.phases:
            if t_s < phase.duration_s:
                return max(0.0, phase.speed_mm_s + phase.rate_mm_s2 * t_s)
            t_s -= phase.duration_s
        return self.phases[-1].speed_mm_s

    def time_for_mm(self, distance_mm: float) -> float:
        """When a distance has been travelled; infinite when it never is."""
        passed_s = 0.0
        for phase in self.phases:
            t_s = phase.time_for_mm(distance_mm)
            if t_s <= phase.duration_s and t_s < math.inf:
                return passed_s + t_s
            if math.isinf(phase.duration_s):
                break
            passed_s += phase.duration_s
            distance_mm -= phase.distance_mm(phase.duration_s)
        return math.inf

    @property
    def stops_after_s(self) -> float:
        """When it comes to a stand; infinite when it runs on."""
        if self.phases[-1].speed_mm_s > 0:
            return math.inf
        return sum(phase.duration_s for phase in self.phases[:-1])

    @property
    def highest_mm_s(self) -> float:
        """The highest speed it ever has."""
        return max(phase.speed_mm_s for phase in self.phases)
