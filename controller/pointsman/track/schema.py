"""The shape of layout.toml: which keys there are, and what each may hold by itself.

What must hold *between* keys is checked in ``checks``. A description here is what a person reads as the cure.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from pointsman.track.model import HIGHEST_STEP, SpeedTable
from pointsman.track.tomlfile import Shape

Length = Annotated[float, Field(ge=1, le=100_000)]
TrackLength = Annotated[float, Field(ge=10, le=100_000)]
Speed = Annotated[float, Field(gt=0, le=1_000)]
Rate = Annotated[float, Field(ge=10, le=10_000)]
GridPoint = Annotated[list[Annotated[float, Field(ge=-1_000, le=1_000)]], Field(min_length=2, max_length=2)]
Text = Annotated[str, Field(min_length=1)]
SpeedPairs = Annotated[
    list[Annotated[list[Annotated[float, Field(ge=0, le=1_000)]], Field(min_length=2, max_length=2)]],
    Field(min_length=2, max_length=HIGHEST_STEP),
]


def table_of(pairs: SpeedPairs) -> SpeedTable:
    """The table of checked pairs."""
    return SpeedTable(tuple((int(step), speed) for step, speed in pairs))


class SegmentShape(Shape):
    """``[segments.NAME]``."""

    capacity: int = Field(ge=1, le=99, description="how many vehicles may stand in it, the locomotive included")
    length_mm: TrackLength = Field(description="its clear length in mm: fouling point to buffer, or to the next one")
    from_: Text | None = Field(
        default=None,
        alias="from",
        description='the turnout side its `from` end meets, like "T1.closed"; none is a buffer',
    )
    to: Text | None = Field(
        default=None, description='the turnout side its `to` end meets, like "T1.toe"; none is a buffer'
    )
    draw: list[GridPoint] = Field(
        min_length=2, max_length=50, description="where it is drawn: two or more points [x, y], from -> to"
    )


class TurnoutDrawShape(Shape):
    """``draw`` of a turnout."""

    toe: GridPoint = Field(description="where the toe is drawn, [x, y]")
    closed: GridPoint = Field(description="where the closed leg ends in the drawing, [x, y]")
    thrown: GridPoint = Field(description="where the thrown leg ends in the drawing, [x, y]")


class TurnoutShape(Shape):
    """``[turnouts.NAME]``."""

    holds: int = Field(default=1, ge=0, le=1, description="how many vehicles may stand on it at a stop: 0 or 1")
    length_mm: TrackLength = Field(description="toe joint to leg joint in mm")
    fouling_mm: TrackLength = Field(description="toe joint to the fouling point of the legs in mm")
    toe: Text | None = Field(default=None, description='the turnout its toe meets directly, like "T2.toe"')
    closed: Text | None = Field(default=None, description='the turnout its closed leg meets, like "T2.toe"')
    thrown: Text | None = Field(default=None, description='the turnout its thrown leg meets, like "T2.toe"')
    draw: TurnoutDrawShape = Field(description="where its three joints are drawn: { toe, closed, thrown }")


class BeamShape(Shape):
    """``[beams.NAME]``."""

    on: Text = Field(description="the segment or turnout that it stands at")
    leg: Literal["closed", "thrown"] | None = Field(default=None, description="on a turnout: which leg")
    at_mm: float = Field(ge=0, le=100_000, description="mm from the segment's `from` end, or from the turnout's toe")


class MagnetShape(BeamShape):
    """``[magnets.NAME]``."""

    reach_mm: float = Field(default=10, ge=1, le=100, description="how far to either side it parts a coupling, in mm")


class KindShape(Shape):
    """``[vehicles.KIND]``."""

    length_mm: Length = Field(description="pitch over couplers in mm when drawn, couplings taut")
    buffers_mm: Length = Field(description="length in mm when pushed, buffers touching")
    body_mm: Length = Field(description="length in mm of the body that a beam sees")


class WagonShape(Shape):
    """``[wagons]``."""

    kind: Text = Field(description="the kind of wagon, one of [vehicles.KIND]")
    colour: Text = Field(default="grey", description="its colour in drawings: a colour's name, or #rrggbb")
    length_mm: Length | None = Field(default=None, description="its own length in mm, when its kind's differs")
    buffers_mm: Length | None = Field(default=None, description="its own pushed length in mm, when its kind's differs")
    body_mm: Length | None = Field(default=None, description="its own body in mm, when its kind's differs")
    photo: Text | None = Field(
        default=None, description='its picture, a PNG, JPEG or WebP file in the layout\'s folder, like "photos/w1.jpg"'
    )


class MarkShape(Shape):
    """``mark`` of a locomotive."""

    on: Text = Field(description="the segment that the locomotive starts in")
    at_mm: float = Field(ge=0, le=100_000, description="where its coupler at the `to` side stands, mm from `from`")


class LocomotiveShape(KindShape):
    """``[locomotives.NAME]``."""

    kind: Text = Field(default="locomotive", description="what kind of locomotive it is")
    colour: Text = Field(default="green", description="its colour in drawings: a colour's name, or #rrggbb")
    speed_table: SpeedPairs = Field(description="measured speeds: pairs [speed step, mm/s], both rising")
    speed_error: float = Field(default=0.12, ge=0.01, le=0.5, description="error of the table: 0.12 is 12 %")
    acceleration_mm_s2: Rate = Field(default=120, description="how fast it gathers speed, mm/s²")
    braking_mm_s2: Rate = Field(default=150, description="how fast it stops, mm/s²")
    photo: Text | None = Field(
        default=None, description='its picture, a PNG, JPEG or WebP file in the layout\'s folder, like "photos/w1.jpg"'
    )
    mark: MarkShape = Field(description='where it stands at set-up: { on = "SEGMENT", at_mm = ... }')


class SpeedsShape(Shape):
    """``[speeds]``."""

    creep: Speed = Field(default=20, description="feeling the way, mm/s")
    coupling: Speed = Field(default=40, description="meeting standing wagons, mm/s")
    rough: Speed = Field(default=60, description="above this a coupling counts as rough, mm/s")
    shunting: Speed = Field(default=80, description="everyday speed, mm/s")
    limit: Speed = Field(default=100, description="never faster than this, mm/s")


class LayoutShape(Shape):
    """The whole file."""

    title: Text = Field(description="what people call the layout")
    scale: Text = Field(description='the scale, like "OO" or "N"')
    unit_mm: Length = Field(description="one standard wagon over its couplers in mm; no wagon may be longer")
    segments: dict[str, SegmentShape] = Field(description="the tracks")
    turnouts: dict[str, TurnoutShape] = Field(default={}, description="the turnouts")
    beams: dict[str, BeamShape] = Field(default={}, description="the light beams")
    magnets: dict[str, MagnetShape] = Field(default={}, description="the uncoupling magnets")
    vehicles: dict[str, KindShape] = Field(default={}, description="the kinds of wagons")
    wagons: dict[str, WagonShape] = Field(default={}, description="the wagons")
    locomotives: dict[str, LocomotiveShape] = Field(description="the locomotives")
    speeds: SpeedsShape = Field(default_factory=SpeedsShape, description="the layout's speeds in mm/s")


STAND_INS: dict[str, object] = {
    "title": "?",
    "scale": "?",
    "unit_mm": 1.0,
    "segments": {},
    "locomotives": {},
}
"""For required keys that are wrong or absent, so that the checks can go on with the rest."""

UNKNOWN_MM = 100_000.0
"""Stands in for a length that could not be read: longer than anything that is compared with it."""

_LENGTHS: dict[str, object] = {"length_mm": UNKNOWN_MM, "buffers_mm": UNKNOWN_MM, "body_mm": UNKNOWN_MM}

IN_TABLES: dict[str, dict[str, object]] = {
    "segments": {"capacity": 1, "length_mm": UNKNOWN_MM, "draw": [[0.0, 0.0], [0.0, 0.0]]},
    "turnouts": {
        "length_mm": UNKNOWN_MM,
        "fouling_mm": UNKNOWN_MM,
        "draw": {"toe": [0.0, 0.0], "closed": [0.0, 0.0], "thrown": [0.0, 0.0]},
    },
    "beams": {"on": "?", "at_mm": 0.0},
    "magnets": {"on": "?", "at_mm": 0.0},
    "vehicles": _LENGTHS,
    "wagons": {"kind": "?"},
    "locomotives": {**_LENGTHS, "speed_table": [[1.0, 1.0], [2.0, 2.0]], "mark": {"on": "?", "at_mm": 0.0}},
}
"""The same for required keys of the tables in a section; a check leaves alone what has a stand-in."""
