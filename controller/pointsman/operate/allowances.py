"""The numbers of the metal: delays, margins and tolerances that every judgement about millimetres uses.

One home for them, so that planner, tracker and ``check`` cannot disagree. Sources: the recorded DCC-EX 5.6.0
session (command to rail 14.9 to 73 ms, sensor report 10 to 20 ms) and the project's own rules of the metal.
"""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.track.checks import SHORTEST_GAP_S
from pointsman.track.fit import BUFFER_MM


@dataclass(frozen=True, slots=True)
class Allowances:
    """Times in seconds, lengths in millimetres."""

    sensor_min_s: float = 0.010
    sensor_max_s: float = 0.020
    host_max_s: float = 0.010
    rail_min_s: float = 0.0149
    rail_max_s: float = 0.073
    edge_mm: float = 1.5
    """A body's end and a beam's place are known this well, together."""
    wavering: float = 0.0
    """A speed measured between two edges may be another by this part at the next."""
    rate_error: float = 0.15
    """Acceleration and braking may differ from the locomotive's file by this part."""

    contact_mm: float = 15.0
    """A contact is assumed after the interval and this much more."""
    buffer_mm: float = BUFFER_MM
    """Stay this far from a buffer."""
    on_an_edge_mm: float = 20.0
    """A stop with less room than this is made on an edge."""
    clear_mm: float = 3.0
    """A vehicle clears a turnout when its end is this far beyond the joint."""
    proving_mm: float = 30.0
    """The proving move ends in doubt this far beyond the expected edge."""
    slack_back_mm: float = 20.0
    """A slack-back is at most this long."""
    match_mm: float = 8.0
    """An edge may come this far outside the interval before it is doubted."""
    mark_error_mm: float = 15.0
    """A person sets the locomotive on its mark this well."""
    setup_error_mm: float = 5.0
    """Wagons pushed up to the first beam stand at most this far inside it."""
    gap_time_s: float = SHORTEST_GAP_S
    """The smallest gap that is surely seen lasts this long."""
    settle_s: float = 0.25
    """After the last moment at which it can still move, a train is given this long before points are thrown."""

    @property
    def jitter_s(self) -> float:
        """How much later, or earlier, one report of a beam may come than another one did."""
        return self.sensor_max_s - self.sensor_min_s + self.host_max_s

    @property
    def reaction_s(self) -> float:
        """Longest time from an edge on the track to the effect of the command that answers it."""
        return self.sensor_max_s + self.host_max_s + self.rail_max_s


def stop_error_mm(
    speed_mm_s: float, blind_mm: float, speed_error: float, braking_mm_s2: float, allow: Allowances
) -> float:
    """Worst error of a stop: blind way x speed error + speed x reaction + braking way.

    ``blind_mm`` is the way since the last edge, ``speed_error`` a part (0.12 = 12 %).
    """
    return blind_mm * speed_error + speed_mm_s * allow.reaction_s + speed_mm_s**2 / (2 * braking_mm_s2)


@dataclass(frozen=True, slots=True)
class Spread:
    """A stop that aims at a place ends at most ``short_mm`` before and ``long_mm`` beyond it."""

    short_mm: float
    long_mm: float


def stop_spread(
    speed_mm_s: float, blind_mm: float, speed_error: float, braking_mm_s2: float, allow: Allowances
) -> Spread:
    """How far a stop can miss the place it aims at, when the likeliest reaction and braking are allowed for.

    The worst case counts the whole reaction and braking as error (``stop_error_mm``); a stop that is ordered early by
    the likeliest of them misses only by what is left.
    """
    less, more = 1 - speed_error, 1 + speed_error
    likely = reach_mm(speed_mm_s, braking_mm_s2, allow)
    soonest = allow.sensor_min_s + allow.rail_min_s
    slow, fast = speed_mm_s * less, speed_mm_s * more
    least = slow * soonest + slow**2 / (2 * braking_mm_s2 * (1 + allow.rate_error))
    latest = allow.reaction_s + allow.host_max_s
    most = fast * latest + fast**2 / (2 * braking_mm_s2 * (1 - allow.rate_error))
    return Spread(blind_mm * speed_error + likely - least, blind_mm * speed_error + most - likely)


def reach_mm(speed_mm_s: float, braking_mm_s2: float, allow: Allowances) -> float:
    """The likeliest way from an edge on the track to the stand when a stop is ordered at once."""
    likely_s = (allow.sensor_min_s + allow.sensor_max_s + allow.host_max_s + allow.rail_min_s + allow.rail_max_s) / 2
    return speed_mm_s * likely_s + speed_mm_s**2 / (2 * braking_mm_s2)


def top_speed_at_gap_mm_s(gap_mm: float, allow: Allowances) -> float:
    """Fastest speed at which a gap between two bodies is surely seen."""
    return gap_mm / allow.gap_time_s
