"""What the routes take and give, with examples."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

LONGEST_PIN = 64
LONGEST_SEED = 64
LONGEST_CARDS = 400
Name = Annotated[str, Field(min_length=1, max_length=80)]
Point = tuple[float, float]


class _Given(BaseModel):
    model_config = ConfigDict(frozen=True)


class SegmentView(_Given):
    """Plain track; ``from`` and ``to`` are what its ends are joined to, null at a buffer stop."""

    model_config = ConfigDict(populate_by_name=True, serialize_by_alias=True)

    capacity: int
    length_mm: float
    draw: list[Point]
    joined_from: Annotated[str | None, Field(alias="from", examples=["T1.closed"])]
    joined_to: Annotated[str | None, Field(alias="to", examples=[None])]


class TurnoutView(_Given):
    """A turnout; ``through_mm`` is how far it is along a leg to where the next element begins."""

    length_mm: float
    through_mm: dict[str, float]
    holds: int
    kind: str
    draw: dict[str, Point]
    joints: dict[str, str]


class PlaceView(_Given):
    """A place on the track; ``leg`` on a turnout only."""

    element: str
    leg: str | None
    at_mm: float


class MagnetView(PlaceView):
    """An uncoupling magnet."""

    kind: str


class VehicleView(_Given):
    """A vehicle; ``words`` is what it is called, ``photo`` the address of its picture."""

    kind: str
    colour: str | None
    length_mm: float
    locomotive: bool
    photo: str | None
    words: str


class SpeedsView(_Given):
    """The layout's speeds in mm/s; ``cap`` is the fastest that anything may go where it is played."""

    creep: float
    coupling: float
    rough: float
    shunting: float
    limit: float
    cap: float


class PuzzleView(_Given):
    """A puzzle that can be dealt."""

    name: str
    title: str
    count: str


class LayoutView(_Given):
    """A layout as it is drawn: everything that does not change."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "name": "inglenook-small",
                "title": "Small Inglenook, 3-2-2",
                "scale": "OO",
                "unit_mm": 84,
                "segments": {
                    "s1": {"capacity": 3, "length_mm": 283, "draw": [[13, 2], [26, 2]], "from": "T1.closed", "to": None}
                },
                "turnouts": {
                    "T1": {
                        "length_mm": 185,
                        "through_mm": {"closed": 282, "thrown": 185},
                        "holds": 1,
                        "kind": "servo",
                        "draw": {"toe": [9, 2], "closed": [13, 2], "thrown": [12, 4]},
                        "joints": {"toe": "head.to", "closed": "s1.from", "thrown": "T2.toe"},
                    }
                },
                "beams": {"s1": {"element": "s1", "leg": None, "at_mm": 0}},
                "magnets": {"s1": {"element": "s1", "leg": None, "at_mm": 1, "kind": "coil"}},
                "vehicles": {
                    "L": {
                        "kind": "tank",
                        "colour": "#008000",
                        "length_mm": 117,
                        "locomotive": True,
                        "photo": "/api/photos/L",
                        "words": "L",
                    }
                },
                "speeds": {"creep": 20, "coupling": 40, "rough": 60, "shunting": 80, "limit": 100, "cap": 100},
                "puzzles": [{"name": "classic", "title": "Form the train of three", "count": "runs"}],
            }
        },
    )

    name: str
    title: str
    scale: str
    unit_mm: float
    segments: dict[str, SegmentView]
    turnouts: dict[str, TurnoutView]
    beams: dict[str, PlaceView]
    magnets: dict[str, MagnetView]
    vehicles: dict[str, VehicleView]
    speeds: SpeedsView
    puzzles: list[PuzzleView]


class AttemptView(_Given):
    """The attempt of a competition that is on, or was the last one; ``journal`` is the name of its newest journal.

    ``hints``: whether the rules allow any.
    """

    competition: str
    attempt: str
    clock_stands: bool
    over: bool
    reached: bool
    hints: bool
    journal: str | None


class StateView(_Given):
    """The newest state, as the websocket tells it."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={"example": {"mode": "idle", "demo": False, "note": "", "attempt": None}},
    )

    mode: str
    demo: bool
    note: str
    attempt: AttemptView | None


class HealthView(_Given):
    """That the server answers, and what goes on."""

    model_config = ConfigDict(json_schema_extra={"example": {"status": "ok", "mode": "idle", "version": "0.1.0"}})

    status: Literal["ok"]
    mode: str
    version: str


class RefusedView(_Given):
    """Why something was refused, and what to do."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "why": "this is not the marshal's PIN",
                "cure": "whoever started serve knows it: it was chosen, or printed, then",
            }
        },
    )

    why: str
    cure: str


class SessionView(_Given):
    """Who somebody is now."""

    model_config = ConfigDict(json_schema_extra={"example": {"role": "driver", "who": "driver 1", "locomotive": "L"}})

    role: Literal["spectator", "driver", "marshal"]
    who: str
    locomotive: str | None


class _Taken(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class ByPin(_Taken):
    """The marshal's PIN."""

    model_config = ConfigDict(json_schema_extra={"example": {"pin": "428517"}})

    pin: Annotated[str, Field(min_length=1, max_length=LONGEST_PIN)]


class ByCode(_Taken):
    """A driver's one-time code."""

    model_config = ConfigDict(json_schema_extra={"example": {"code": "Xk3aT9wQ0rB1mZ5c"}})

    code: Annotated[str, Field(min_length=1, max_length=64)]


class CodeWanted(_Taken):
    """Which locomotive the driver shall have."""

    model_config = ConfigDict(json_schema_extra={"example": {"locomotive": "L"}})

    locomotive: Name


class CodeView(_Given):
    """A code for one driver as a picture (QR), the address that is in it, and how long it can be used."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"svg": "<svg ...>", "address": "http://192.168.1.20:8765/#driver=Xk3...", "seconds": 120}
        },
    )

    svg: str
    address: str
    seconds: int


class StopWanted(_Taken):
    """Whether the track power shall go off too."""

    model_config = ConfigDict(json_schema_extra={"example": {"power_off": False}})

    power_off: bool = False


def json_of(model: BaseModel) -> dict[str, Any]:
    """A model as it is sent."""
    return model.model_dump(mode="json", by_alias=True)
