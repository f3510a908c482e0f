"""Speeds in whole percents: over MQTT a locomotive has a hundred of them, not the 126 steps of DCC.

A node turns a percent into the nearest DCC step, so 26 steps of the 126 cannot be had.
"""

from __future__ import annotations

from bisect import bisect_right

from pointsman.track.model import HIGHEST_STEP


def step_of(percent: int) -> int:
    """The DCC step that a node makes of a percent, 0..100: the nearest, but only 0 stands."""
    return 0 if percent <= 0 else max(1, round(percent * HIGHEST_STEP / 100))


STEPS = tuple(step_of(percent) for percent in range(101))


def percent_of(step: int) -> int:
    """The percent for a DCC step, 0..126; for one that cannot be had, that of the next lower one, but never 0."""
    return 0 if step <= 0 else max(1, bisect_right(STEPS, step) - 1)
