"""What a round is wished to be, and the programme of an evening: from JSON values, or from a TOML file.

Every mistake is told at once, with its key and what to do. Whether a puzzle has enough draws is found out when the
round is announced. docs/competition.md tells how a programme is written.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from pointsman.compete.commitment import MOST_HEATS, MOST_SPARES, Files, ParRange
from pointsman.compete.entries import AdvanceRule, Created, CutOffRule, EntrantAdded, RoundAnnounced
from pointsman.compete.formats import Format, format_named
from pointsman.compete.marks import Fault
from pointsman.compete.ranking import Advance, By, Edge
from pointsman.compete.scoring.book import scheme_named
from pointsman.compete.scoring.own import load_own, read_own
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.errors import LayoutError, UsageError
from pointsman.puzzle.puzzle import Count
from pointsman.track.tomlfile import Notes, Shape, draft_of, read_draft

GUIDE = "docs/competition.md"
_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}", re.ASCII)
_NAME_CURE = "take a to z, 0 to 9, - and _, 60 at most, beginning with a letter or a digit"
_LONGEST = 200  # characters of one line
_DAY_S = 24 * 3600


class CutOffPlan(Shape):
    """Who has not reached ``at_most`` in the first ``after`` attempts makes no more."""

    after: int = Field(ge=1, le=1_000, description="after so many attempts")
    at_most: float = Field(description="what has to be reached by then, in the unit of the scheme; a time in seconds")


class AdvancePlan(Shape):
    """Who advances: by ``rank``, ``percent`` or ``result``; those tied across the edge all go on, or all stay."""

    by: Literal["rank", "percent", "result"] = Field(description="what decides")
    value: float = Field(description="the first so many, so many percent, or the result to be reached")
    edge: Literal["all go on", "all stay"] = Field(default="all go on", description="for those tied across the edge")


class RoundTable(Shape):
    """A round as a programme has it, under its id."""

    title: str = Field(description="one line for people")
    puzzle: str = Field(description="the name or the path of a puzzle, as `inglenook-small/classic`")
    count: Literal["runs", "pull-drops", "reversals", "couplings"] = Field(
        default="runs", description="what moves and pars are counted in"
    )
    scheme: str = Field(default="", description="a name of docs/scoring.md; of a club's own, how its file is named")
    scheme_file: str = Field(default="", description="the path of a scheme of your own, from this file's folder")
    own_scheme: str = Field(default="", description="the text of a scheme of your own, in TOML")
    format: str = Field(description='such as "best-of-3"')
    par_least: int = Field(ge=1, le=1_000, description="the least par that a draw may have")
    par_most: int = Field(ge=1, le=1_000, description="the greatest par that a draw may have")
    heats: int = Field(ge=1, le=MOST_HEATS, description="how many heats, each with a draw of its own")
    spares: int = Field(default=2, ge=0, le=MOST_SPARES, description="spare draws of each heat, from 0")
    time_limit_s: float | None = Field(default=None, gt=0, le=_DAY_S, description="the most that an attempt may take")
    cut_off: CutOffPlan | None = Field(default=None, description="a table with after and at_most")
    free_faults: list[Literal["derailment", "side-swipe", "hand", "over-full"]] = Field(
        default=[], max_length=4, description="kinds of fault that do not count in this round"
    )
    most_faults: int | None = Field(default=None, ge=0, le=1_000, description="who has more did not finish")
    most_hints: int | None = Field(default=None, ge=0, le=1_000, description="who has more did not finish")
    advance: AdvancePlan | None = Field(default=None, description="a table with by, value and edge")
    category: str = Field(default="", description="the class that the round is for; empty for everybody")
    most_wagons: int | None = Field(default=None, ge=1, le=100, description="with so many wagons at most is played")
    speed_limit_mm_s: int | None = Field(default=None, ge=1, le=1_000, description="what no locomotive may exceed")


class RoundPlan(RoundTable):
    """What a round is wished to be, with its ``id``."""

    id: str = Field(description="a short name for the book, such as r1")

    @property
    def scored_by(self) -> Scheme:
        """What scores its attempts. Raises UsageError or LayoutError."""
        return read_own(self.own_scheme, file=self.scheme or "own") if self.own_scheme else scheme_named(self.scheme)

    @property
    def form(self) -> Format:
        """How its attempts are combined. Raises UsageError."""
        return format_named(self.format)

    @property
    def time_limit_ms(self) -> int | None:
        """The time limit, to the nearest millisecond."""
        return None if self.time_limit_s is None else max(1, round(self.time_limit_s * 1000))

    def announced(self, puzzle: str, files: Files) -> RoundAnnounced:
        """What stands in the book for it; ``puzzle`` is how the puzzle is found again."""
        return RoundAnnounced(
            self.id,
            self.title,
            puzzle,
            files.layout,
            files.puzzle,
            Count(self.count),
            self.scheme or "own",
            self.format,
            self.par_least,
            self.par_most,
            self.heats,
            self.spares,
            self.own_scheme or None,
            self.time_limit_ms,
            None if self.cut_off is None else CutOffRule(self.cut_off.after, exact(self.cut_off.at_most)),
            tuple(Fault(fault) for fault in self.free_faults),
            self.most_faults,
            self.most_hints,
            None
            if self.advance is None
            else AdvanceRule(By(self.advance.by), exact(self.advance.value), Edge(self.advance.edge)),
            self.category,
            self.speed_limit_mm_s,
        )


@dataclass(frozen=True, slots=True)
class Programme:
    """An evening: the competition's name in the store, what it is called, who takes part, and its rounds in order."""

    name: str
    created: Created
    entrants: tuple[EntrantAdded, ...]
    rounds: tuple[RoundPlan, ...]


def exact(number: float) -> Fraction:
    """A number as it was written: the shortest decimal that is this float."""
    return Fraction(repr(number))


def plan_of(values: object, where: str = "plan") -> RoundPlan:
    """The plan of JSON values; ``where`` is what its mistakes are told of. Raises LayoutError with all of them."""
    notes = Notes(where, guide=GUIDE)
    plan = None
    if isinstance(values, Mapping):
        plan = draft_of(dict(values), RoundPlan, notes).shape
    else:
        notes.add("", "is not a table", f"see {GUIDE}")
    if plan is not None:
        if plan.scheme_file:
            notes.add("scheme_file", "is for a programme's file", "give the scheme's text as own_scheme")
        _check_round(plan, notes, "")
    notes.raise_if_any()
    assert plan is not None, "a plan that could not be read has mistakes"
    return plan


def check_plan(plan: RoundPlan) -> None:
    """LayoutError with everything in a plan that cannot be right, however it was made."""
    notes = Notes(plan.id or "plan", guide=GUIDE)
    _check_round(plan, notes, "")
    notes.raise_if_any()


# ---------------------------------------------------------------- the programme of an evening


_Wagons = Annotated[int, Field(ge=1, le=100)]


class _EntrantTable(Shape):
    name: str = Field(description="the entrant's name")
    club: str = Field(default="", description="the entrant's club")
    category: str = Field(default="", description="the entrant's class; empty for none")
    train: str = Field(default="", description="what the entrant's train is called")
    pair: str = Field(default="", description="the pair that two play as")


class _ProgrammeFile(Shape):
    name: str = Field(description="the competition's short name in the store, such as club-evening")
    title: str = Field(description="what it is called")
    date: datetime.date = Field(description="the day it is held, written as 2026-11-27 without quotes")
    place: str = Field(default="", description="where it is held")
    classes: dict[str, _Wagons] = Field(default={}, description="the most wagons that each class plays with")
    entrants: dict[str, _EntrantTable] = Field(default={}, description="tables of who takes part")
    rounds: dict[str, RoundTable] = Field(default={}, description="tables of the rounds, in their order")


_STAND_INS: dict[str, Any] = {"name": "a", "title": "?", "date": datetime.date(2000, 1, 1)}


def read_programme(path: Path) -> Programme:
    """The programme of a file. Raises LayoutError with every mistake; a round's puzzle is not looked at yet."""
    notes = Notes(str(path), guide=GUIDE, if_missing=f"check the path; {GUIDE} shows how to write one")
    shape = read_draft(path, _ProgrammeFile, notes, stand_ins=_STAND_INS).shape
    rounds: list[RoundPlan] = []
    if shape is not None:
        _check_id(shape.name, notes, "name")
        _check_line(shape.title, notes, "title")
        _check_line(shape.place, notes, "place", empty=True)
        for key, its in shape.entrants.items():
            _check_id(key, notes, f"entrants.{key}")
            _check_line(its.name, notes, f"entrants.{key}.name")
            for part, text in its.model_dump(exclude={"name"}).items():
                _check_line(text, notes, f"entrants.{key}.{part}", empty=True)
        rounds = [_of_table(key, table, shape.classes, path, notes) for key, table in shape.rounds.items()]
    notes.raise_if_any()
    assert shape is not None, "a programme that could not be read has mistakes"
    entrants = tuple(EntrantAdded(key, **its.model_dump()) for key, its in shape.entrants.items())
    return Programme(shape.name, Created(shape.title, shape.date, shape.place), entrants, tuple(rounds))


def _of_table(key: str, table: RoundTable, classes: Mapping[str, int], path: Path, notes: Notes) -> RoundPlan:
    values = {**table.model_dump(), "id": key, "scheme_file": ""}
    where = f"rounds.{key}"
    if values["most_wagons"] is None:
        values["most_wagons"] = classes.get(table.category)
    if table.puzzle.startswith(("./", "../")):
        values["puzzle"] = str((path.parent / table.puzzle).resolve())
    if table.scheme_file and table.own_scheme:
        notes.add(f"{where}.own_scheme", "stands beside scheme_file", "leave one of them out")
    elif table.scheme_file:
        values |= _own_scheme(path.parent / table.scheme_file, table.scheme, notes, f"{where}.scheme_file")
    plan = RoundPlan.model_validate(values)
    _check_round(plan, notes, f"{where}.")
    return plan


def _own_scheme(file: Path, name: str, notes: Notes, key: str) -> dict[str, str]:
    """What a plan has of a scheme in a file; with mistakes another, so that the rest can be looked at."""
    if file.is_file():
        try:
            scheme, text = load_own(file)
        except LayoutError as error:
            notes.mistakes += error.mistakes
        else:
            return {"scheme": name or scheme.name, "own_scheme": text}
    else:
        notes.add(key, f"there is no file {file}", "check the path: it begins at the programme's folder")
    return {"scheme": "reversals"}


# ---------------------------------------------------------------- what a round must be


def _check_round(plan: RoundPlan, notes: Notes, under: str) -> None:
    """Note everything in a plan that cannot be right."""
    _check_id(plan.id, notes, f"{under}id" if not under else under.removesuffix("."))
    _check_line(plan.title, notes, f"{under}title")
    _check_line(plan.puzzle, notes, f"{under}puzzle")
    _check_line(plan.category, notes, f"{under}category", empty=True)
    _check_scheme(plan, notes, under)
    _check_attempts(plan, notes, under)
    try:
        ParRange(plan.par_least, plan.par_most)
    except UsageError as error:
        notes.add(f"{under}par_most", error.what, error.cure)
    if plan.advance is not None:
        try:
            Advance(By(plan.advance.by), exact(plan.advance.value), Edge(plan.advance.edge))
        except UsageError as error:
            notes.add(f"{under}advance.value", error.what, error.cure)
    if len(set(plan.free_faults)) < len(plan.free_faults):
        notes.add(f"{under}free_faults", "names a fault twice", "leave one of them out")


def _check_scheme(plan: RoundPlan, notes: Notes, under: str) -> None:
    if not plan.scheme and not plan.own_scheme:
        notes.add(f"{under}scheme", "is missing", "add `scheme = ...`, a name of docs/scoring.md")
        return
    try:
        scheme = plan.scored_by
    except LayoutError as error:
        notes.mistakes += error.mistakes
        return
    except UsageError as error:
        notes.add(f"{under}scheme", error.what, error.cure)
        return
    _check_line(plan.scheme, notes, f"{under}scheme", empty=True)
    try:
        scheme.check(Terms(Count(plan.count), plan.time_limit_ms))
    except UsageError as error:
        notes.add(f"{under}time_limit_s", error.what, error.cure)


def _check_attempts(plan: RoundPlan, notes: Notes, under: str) -> None:
    try:
        form = plan.form
    except UsageError as error:
        notes.add(f"{under}format", error.what, error.cure)
        return
    try:
        form.check_heats(plan.heats)
    except UsageError as error:
        notes.add(f"{under}heats", error.what, error.cure)
    if plan.cut_off is not None and plan.cut_off.after >= form.attempts:
        notes.add(
            f"{under}cut_off.after",
            f"a cut-off after {plan.cut_off.after} of {form.attempts} attempts cuts nothing off",
            "let it come before the last attempt, or leave it out",
        )
    if plan.advance is not None and form.knockout:
        notes.add(f"{under}advance", "nobody advances from a knockout: it has a winner", "leave the advance out")


def _check_id(text: str, notes: Notes, key: str) -> None:
    if not _ID.fullmatch(text):
        notes.add(key, f"{text[:80]!r} is no name for the book", _NAME_CURE)


def _check_line(text: str, notes: Notes, key: str, *, empty: bool = False) -> None:
    if not text and not empty:
        notes.add(key, "must not be empty", "write one line")
    elif not text.isprintable() or text != text.strip():
        notes.add(key, "must be one line, with no space at its ends", "write one line")
    elif len(text) > _LONGEST:
        notes.add(key, f"must have at most {_LONGEST} characters", "write less")
