"""Tracks for tests, made by hand: only names, capacities and joins matter here, the millimetres are arbitrary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointsman.track.model import (
    Drawing,
    End,
    Joint,
    Leg,
    Locomotive,
    Place,
    Segment,
    SegmentEnd,
    Side,
    Speeds,
    SpeedTable,
    Track,
    Turnout,
    TurnoutSide,
    Vehicle,
)


def joint(text: str) -> Joint:
    element, _, side = text.partition(".")
    return SegmentEnd(element, End(side)) if side in ("from", "to") else TurnoutSide(element, Side(side))


def track_of(
    name: str,
    capacities: Mapping[str, int],
    turnouts: Mapping[str, tuple[str, str, str]],
    wagons: int,
    locomotives: Sequence[str] = ("L",),
    holds: int = 1,
) -> Track:
    """``turnouts``: what the toe, the closed and the thrown leg are joined to, like ``s1.from`` or ``T2.toe``."""
    points = {
        key: Turnout(key, holds, 185.0, 282.0, *(joint(side) for side in sides)) for key, sides in turnouts.items()
    }
    meets: dict[str, TurnoutSide] = {}
    for key, sides in turnouts.items():
        meets |= {text: TurnoutSide(key, side) for text, side in zip(sides, Side, strict=True)}
    segments = {
        key: Segment(key, capacity, 100.0 * capacity, meets.get(f"{key}.from"), meets.get(f"{key}.to"))
        for key, capacity in capacities.items()
    }
    mark = Place(next(iter(capacities)), None, 0.0)
    table = SpeedTable(((2, 20.0), (60, 100.0)))
    return Track(
        name,
        name,
        "OO",
        84.0,
        segments,
        points,
        {},
        {},
        {str(n): Vehicle(str(n), "open", 84.0, 82.0, 75.0, "red") for n in range(1, wagons + 1)},
        {
            key: Locomotive(key, "tank", 84.0, 82.0, 75.0, "green", table, 0.1, 120.0, 150.0, mark)
            for key in locomotives
        },
        Speeds(20.0, 40.0, 60.0, 80.0, 100.0),
        Drawing({}, {}),
    )


def inglenook(long: int = 5, second: int = 3, third: int = 3, head: int = 3, wagons: int = 8) -> Track:
    """The ladder; ``head`` counts wagons beside the locomotive."""
    return track_of(
        "inglenook",
        {"head": head + 1, "s1": long, "s2": second, "s3": third},
        {"T1": ("head.to", "s1.from", "T2.toe"), "T2": ("T1.thrown", "s2.from", "s3.from")},
        wagons,
    )


def small() -> Track:
    return inglenook(3, 2, 2, 2, 5)


def timesaver(bottom: int = 2, wagons: int = 5) -> Track:
    """John Allen's plan; ``bottom`` is the capacity of the run-around's leg W."""
    return track_of(
        "timesaver",
        {"UL": 3, "UR": 3, "LL": 2, "B": 2, "R": 2, "U": 1, "W": bottom},
        {
            "T3": ("UR.from", "UL.from", "T7.closed"),
            "T7": ("T11.thrown", "T3.thrown", "U.from"),
            "T11": ("LL.from", "T12.closed", "T7.toe"),
            "T12": ("W.from", "T11.closed", "B.from"),
            "T14": ("R.from", "W.to", "U.to"),
        },
        wagons,
    )


def legs(run_legs: tuple[tuple[str, Leg], ...]) -> str:
    return " ".join(f"{turnout}>{leg}" for turnout, leg in run_legs)
