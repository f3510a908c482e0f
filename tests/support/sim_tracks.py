"""Tracks for the tests of the simulated layout, built by hand."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.track.model import (
    Beam,
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
    Uncoupler,
    Vehicle,
)

SPEED_TABLE = SpeedTable(((2, 20.0), (10, 40.0), (30, 80.0), (60, 120.0)))


def wagon(name: str, slack_mm: float = 2.0) -> Vehicle:
    return Vehicle(name, "open", 82.0 + slack_mm, 82.0, 75.0, "red")


def locomotive(name: str, mark: Place) -> Locomotive:
    return Locomotive(name, "tank", 117.0, 115.0, 108.0, "green", SPEED_TABLE, 0.12, 120.0, 150.0, mark)


def make_track(
    segments: Mapping[str, float],
    turnouts: Mapping[str, tuple[Joint, Joint, Joint]] | None = None,
    *,
    beams: Mapping[str, Place] | None = None,
    magnets: Mapping[str, Place] | None = None,
    marks: Mapping[str, Place],
    wagons: int = 8,
    slack_mm: float = 2.0,
) -> Track:
    """Turnouts are 185 mm long with the fouling point at 282; joints are given once, at the turnout (toe, closed,
    thrown)."""
    meets: dict[Joint, TurnoutSide] = {}
    for name, sides in (turnouts or {}).items():
        for side, joint in zip(Side, sides, strict=True):
            meets[joint] = TurnoutSide(name, side)
    return Track(
        name="test",
        title="test",
        scale="OO",
        unit_mm=84.0,
        segments={
            name: Segment(name, 9, length, meets.get(SegmentEnd(name, End.FROM)), meets.get(SegmentEnd(name, End.TO)))
            for name, length in segments.items()
        },
        turnouts={name: Turnout(name, 1, 185.0, 282.0, *sides) for name, sides in (turnouts or {}).items()},
        beams={name: Beam(name, place) for name, place in (beams or {}).items()},
        uncouplers={name: Uncoupler(name, place, 10.0) for name, place in (magnets or {}).items()},
        wagons={str(n): wagon(str(n), slack_mm) for n in range(1, wagons + 1)},
        locomotives={name: locomotive(name, mark) for name, mark in marks.items()},
        speeds=Speeds(20.0, 40.0, 60.0, 80.0, 100.0),
        drawing=Drawing({}, {}),
    )


def line_track(
    length_mm: float = 2000.0,
    *,
    mark_mm: float = 300.0,
    beams: tuple[float, ...] = (),
    magnets: tuple[float, ...] = (),
    slack_mm: float = 2.0,
) -> Track:
    """One segment ``a`` between two buffers; beams b0, b1, ... and magnets m0, m1, ..."""
    return make_track(
        {"a": length_mm},
        beams={f"b{i}": Place("a", None, at) for i, at in enumerate(beams)},
        magnets={f"m{i}": Place("a", None, at) for i, at in enumerate(magnets)},
        marks={"L": Place("a", None, mark_mm)},
        slack_mm=slack_mm,
    )


def from_(segment: str) -> SegmentEnd:
    return SegmentEnd(segment, End.FROM)


def to_(segment: str) -> SegmentEnd:
    return SegmentEnd(segment, End.TO)


def fork_track(*, marks: Mapping[str, Place] | None = None) -> Track:
    """``head`` - T1 - {``s1`` closed, ``s2`` thrown}, beams and magnets at the fouling points."""
    places = {"head": Place("head", None, 500.0), "s1": Place("s1", None, 0.0), "s2": Place("s2", None, 0.0)}
    return make_track(
        {"head": 500.0, "s1": 500.0, "s2": 500.0},
        {"T1": (to_("head"), from_("s1"), from_("s2"))},
        beams=places,
        magnets={name: Place(name, None, 1.0) for name in ("s1", "s2")},
        marks=marks or {"L": Place("head", None, 400.0)},
    )


def loop_track() -> Track:
    """A run-around: ``w`` - TA - {``up``, ``down``} - TB - ``e``."""
    return make_track(
        {"w": 600.0, "up": 300.0, "down": 300.0, "e": 600.0},
        {
            "TA": (to_("w"), from_("up"), from_("down")),
            "TB": (from_("e"), to_("up"), to_("down")),
        },
        beams={"w": Place("w", None, 600.0), "up": Place("up", None, 0.0), "down": Place("down", None, 0.0)},
        magnets={"up": Place("up", None, 1.0)},
        marks={"L": Place("w", None, 400.0), "M": Place("e", None, 400.0)},
    )


def joined_turnouts_track(marks: Mapping[str, Place] | None = None) -> Track:
    """``head`` - T1 - {``s1``, T2 - {``s2``, ``s3``}}, as in an Inglenook: T1's fouling point lies on T2."""
    return make_track(
        {"head": 500.0, "s1": 500.0, "s2": 400.0, "s3": 400.0},
        {
            "T1": (to_("head"), from_("s1"), TurnoutSide("T2", Side.TOE)),
            "T2": (TurnoutSide("T1", Side.THROWN), from_("s2"), from_("s3")),
        },
        beams={name: Place(name, None, 0.0) for name in ("s1", "s2", "s3")} | {"head": Place("head", None, 500.0)},
        magnets={name: Place(name, None, 1.0) for name in ("s1", "s2", "s3")},
        marks=marks or {"L": Place("head", None, 400.0)},
    )


CLOSED, THROWN = Leg.CLOSED, Leg.THROWN
