"""Speeds in whole percents: over MQTT a locomotive has a hundred of them, not the 126 steps of DCC.

A node turns a percent into the nearest DCC step, so 26 steps of the 126 cannot be had. A plan must not use these:
``as_driven`` gives the layout with locomotives that know which steps can be sent.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace

from pointsman.track.model import HIGHEST_STEP, Track
from pointsman.track.wiring import Protocol, Wiring


def step_of(percent: int) -> int:
    """The DCC step that a node makes of a percent, 0..100: the nearest, but only 0 stands."""
    return 0 if percent <= 0 else max(1, round(percent * HIGHEST_STEP / 100))


STEPS = tuple(step_of(percent) for percent in range(101))


def percent_of(step: int) -> int:
    """The percent for a DCC step, 0..126; for one that cannot be had, that of the next lower one, but never 0."""
    return 0 if step <= 0 else max(1, bisect_right(STEPS, step) - 1)


def as_driven(track: Track, wiring: Wiring) -> Track:
    """The track with locomotives that know which steps their stations can send; itself where that is every step."""
    by_percent = {
        name
        for name, wired in wiring.locomotives.items()
        if name in track.locomotives and wiring.stations[wired.station].protocol is Protocol.MQTT
    }
    if not by_percent:
        return track
    return replace(
        track,
        locomotives={
            name: replace(engine, speeds=replace(engine.speeds, steps=STEPS[1:])) if name in by_percent else engine
            for name, engine in track.locomotives.items()
        },
    )
