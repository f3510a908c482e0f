"""How a running train goes on until the first thing that happens to it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from railsim.ahead import AtFoul, AtVehicle, Candidate, LookAgain
from railsim.motion import Motion
from railsim.train import TOUCHING_MM, Motor, Rake

FastestOf = Callable[[str], float | None]
"""The highest speed of the train that a vehicle belongs to while the plan holds; None when it stands."""


@dataclass(frozen=True, slots=True)
class Plan:
    """From ``since_s`` the locomotive (vehicle ``driver`` of the rake) goes up from ``from_mm`` by its motion; at
    ``at_s`` the ``next`` meeting comes, or it stands (None).
    """

    motor: Motor
    rake: Rake
    driver: int
    motion: Motion
    since_s: float
    from_mm: float
    at_s: float
    next: Candidate | None

    @classmethod
    def make(
        cls,
        motor: Motor,
        rake: Rake,
        motion: Motion,
        now_s: float,
        found: list[Candidate],
        fastest_of: FastestOf,
    ) -> Plan:
        """The plan from what ``ahead.candidates`` has found."""
        driver = rake.index(motor.locomotive.name)
        if driver is None:
            raise AssertionError(f"{motor.locomotive.name} is not in its rake")
        from_mm = rake.vehicles[driver].at_mm
        soonest_s, soonest = motion.stops_after_s, None
        for candidate in found:
            after_s, meant = _soonest(candidate, candidate.driver_mm - from_mm, motion, fastest_of)
            if after_s < soonest_s or (soonest is None and after_s <= soonest_s < math.inf):
                soonest_s, soonest = after_s, meant
        return cls(motor, rake, driver, motion, now_s, from_mm, now_s + soonest_s, soonest)

    def middles(self, t_s: float) -> list[float]:
        """Where the vehicles are at a time."""
        return self.rake.moved(self.driver, self.from_mm + self.motion.distance_mm(t_s - self.since_s))

    def speed_mm_s(self, t_s: float) -> float:
        """The speed at a time."""
        return self.motion.speed_mm_s(t_s - self.since_s)


def _soonest(
    candidate: Candidate, distance_mm: float, motion: Motion, fastest_of: FastestOf
) -> tuple[float, Candidate]:
    meeting = candidate.meeting
    if isinstance(meeting, AtVehicle | AtFoul) and distance_mm > TOUCHING_MM:
        vehicle = meeting.portion.vehicle if isinstance(meeting, AtVehicle) else meeting.vehicle
        other = fastest_of(vehicle)
        if other is not None:
            # Both move: they cannot meet before this, and then it is looked at again.
            return distance_mm / (motion.highest_mm_s + other), Candidate(candidate.driver_mm, LookAgain())
    return motion.time_for_mm(distance_mm), candidate
