"""Marks as JSON values and back: ``{"outcome": "finished", "time_ms": {"value": 245312, "origin": "seen"}}``.

What was not measured, and hints, faults and such that nobody has told of, are left out. A wrong value is a
``LayoutError`` that names every mistake with its key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from pointsman.compete.marks import NONE, Fault, Figure, Marks, Outcome
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count
from pointsman.track.tomlfile import Notes, Shape, draft_of

GUIDE = "docs/scoring.md"
_MOST = 1_000_000_000
_Origin = Literal["seen", "inferred at the next count", "entered by a person"]


class _Figure(Shape):
    value: int = Field(ge=0, le=_MOST, description="a whole number from 0")
    origin: _Origin = Field(description="where it comes from")


class _Faults(Shape):
    derailment: _Figure | None = Field(default=None, description="how often, and where that comes from")
    side_swipe: _Figure | None = Field(
        default=None, alias="side-swipe", description="how often, and where that comes from"
    )
    hand: _Figure | None = Field(default=None, description="how often, and where that comes from")
    over_full: _Figure | None = Field(
        default=None, alias="over-full", description="how often, and where that comes from"
    )


class _Counts(Shape):
    runs: int | None = Field(default=None, ge=0, le=_MOST, description="a whole number from 0")
    pull_drops: int | None = Field(
        default=None, ge=0, le=_MOST, alias="pull-drops", description="a whole number from 0"
    )
    reversals: int | None = Field(default=None, ge=0, le=_MOST, description="a whole number from 0")
    couplings: int | None = Field(default=None, ge=0, le=_MOST, description="a whole number from 0")
    seconds: int | None = Field(default=None, ge=0, le=_MOST, description="whole milliseconds from 0")


_A_FIGURE = "a value and its origin"


class _Marks(Shape):
    outcome: Literal["finished", "did-not-finish", "did-not-start", "equipment"] = Field(description="how it ended")
    outcome_origin: _Origin = Field(default="seen", description="where it comes from")
    time_ms: _Figure | None = Field(default=None, description=_A_FIGURE)
    runs: _Figure | None = Field(default=None, description=_A_FIGURE)
    reversals: _Figure | None = Field(default=None, description=_A_FIGURE)
    couplings: _Figure | None = Field(default=None, description=_A_FIGURE)
    pull_drops: _Figure | None = Field(default=None, description=_A_FIGURE)
    hints: _Figure | None = Field(default=None, description=_A_FIGURE)
    emergency_stops: _Figure | None = Field(default=None, description=_A_FIGURE)
    helped: _Figure | None = Field(default=None, description=_A_FIGURE)
    placed: _Figure | None = Field(default=None, description=_A_FIGURE)
    faults: _Faults = Field(default=_Faults(), description="faults by kind")
    par: _Counts = Field(default=_Counts(), description="the fewest of each count that solve the draw")
    left: _Counts = Field(default=_Counts(), description="the fewest of each count that were still missing")


_MEASURED = ("time_ms", "runs", "reversals", "couplings", "pull_drops", "placed")
_TOLD = ("hints", "emergency_stops", "helped")


def marks_values(marks: Marks) -> dict[str, Any]:
    """Marks as JSON values."""
    values: dict[str, Any] = {"outcome": str(marks.outcome), "outcome_origin": str(marks.outcome_origin)}
    for name in (*_MEASURED, *_TOLD):
        figure: Figure | None = getattr(marks, name)
        if figure is not None and (name in _MEASURED or figure != NONE):
            values[name] = _figure_values(figure)
    if marks.faults:
        values["faults"] = {str(fault): _figure_values(marks.faults[fault]) for fault in Fault if fault in marks.faults}
    for name, counts in (("par", marks.par), ("left", marks.left)):
        if counts:
            values[name] = {str(count): counts[count] for count in Count if count in counts}
    return values


def marks_of(values: object, where: str) -> Marks:
    """The marks of such values; ``where`` is what their mistakes are told of. Raises LayoutError."""
    notes = Notes(where, guide=GUIDE)
    if not isinstance(values, dict):
        notes.add("", "is not a table of marks", f"see {GUIDE}")
    shape = draft_of(values, _Marks, notes).shape if isinstance(values, dict) else None
    notes.raise_if_any()
    assert shape is not None, "marks that could not be read have mistakes"
    faults = {Fault(name): _figure_of(its) for name, its in _given(shape.faults).items()}
    return Marks(
        Outcome(shape.outcome),
        Origin(shape.outcome_origin),
        time_ms=_figure_of(shape.time_ms),
        runs=_figure_of(shape.runs),
        reversals=_figure_of(shape.reversals),
        couplings=_figure_of(shape.couplings),
        pull_drops=_figure_of(shape.pull_drops),
        placed=_figure_of(shape.placed),
        hints=_figure_of(shape.hints) or NONE,
        emergency_stops=_figure_of(shape.emergency_stops) or NONE,
        helped=_figure_of(shape.helped) or NONE,
        faults={fault: figure for fault, figure in faults.items() if figure is not None},
        par={Count(name): least for name, least in _given(shape.par).items()},
        left={Count(name): least for name, least in _given(shape.left).items()},
    )


def _figure_values(figure: Figure) -> dict[str, Any]:
    return {"value": figure.value, "origin": str(figure.origin)}


def _figure_of(shape: _Figure | None) -> Figure | None:
    return None if shape is None else Figure(shape.value, Origin(shape.origin))


def _given(shape: Shape) -> Mapping[str, Any]:
    """What is given of a table, by its key."""
    keys = {info.alias or name: getattr(shape, name) for name, info in type(shape).model_fields.items()}
    return {key: value for key, value in keys.items() if value is not None}
