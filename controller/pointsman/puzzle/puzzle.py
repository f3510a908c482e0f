"""A puzzle: a track, a start, a goal, and what is counted; and the file it is read from."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pointsman.errors import LayoutError, Mistake, PointsmanError, UsageError
from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.moves import why_impossible
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.model import Track


class Count(StrEnum):
    """What is counted (the shunting model, "What is counted")."""

    RUNS = "runs"
    PULL_DROPS = "pull-drops"
    REVERSALS = "reversals"
    COUPLINGS = "couplings"
    SECONDS = "seconds"

    def shown(self, value: int) -> str:
        """A value as people read it: ``25 runs``; seconds, which are kept in milliseconds, as ``about 93 seconds``."""
        if self is Count.SECONDS:
            return f"about {(value + 500) // 1000} seconds"
        return f"{value} {self.value.removesuffix('s') if value == 1 else self.value}"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A start to be brought to a goal on a track with the fewest of what ``count`` names."""

    name: str
    title: str
    track: Track
    start: Position
    goal: Goal
    count: Count

    @property
    def locomotive(self) -> str:
        """The one locomotive in the start."""
        return locomotive_of(self.track, self.start)

    @property
    def wagons(self) -> tuple[str, ...]:
        """The wagons in the start, in reading order."""
        return tuple(vehicle for vehicle in self.start.vehicles if vehicle not in self.track.locomotives)


def locomotive_of(track: Track, position: Position) -> str:
    """The one locomotive in a position; UsageError when there is none, or more than one."""
    found = [vehicle for vehicle in position.vehicles if vehicle in track.locomotives]
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} locomotives in '{position}'",
            cure=f"put exactly one of {' '.join(track.locomotives)} there",
        )
    return found[0]


class PuzzleFile(BaseModel):
    """The keys of ``layouts/<layout>/puzzles/<puzzle>.toml``."""

    model_config = ConfigDict(extra="forbid", strict=True)

    title: str = Field(min_length=1, description="One line for a person: what is asked.")
    start: str = Field(
        description="The position at the start, in the one-line notation of positions: `head: L | s1: 1 2 3`. Every "
        "vehicle of the puzzle, and exactly one locomotive. Segments left out are empty."
    )
    goal: str = Field(
        description="What is asked, in the one-line notation of goals: `s1: 1 2 3` for these in this order from the "
        "segment's `from` end, `s2: {4 5}` for any order, `s2+s3: {4 5}` for any arrangement over several segments, "
        "`s1: ? .. 3 ..` with any wagon and any number of them, `s1: @van ..` by kind, `!cattle/coach` for kinds that "
        "may not stand together, `L+: 1 2` for the train of L; terms parted by `|`. What no term names may be "
        "anywhere. A draw puts other wagons in the places."
    )
    count: str = Field(
        default=Count.RUNS.value,
        description="What is counted unless the command says otherwise: `runs` (starts of the locomotive), "
        "`reversals` (of its direction), `couplings` (made and parted), `seconds` (about, at the layout's speeds), or "
        "`pull-drops` (only where sidings fan out from one headshunt).",
    )


def load_puzzle(path: Path, track: Track) -> Puzzle:
    """Read a puzzle file; its name is the file's. Raises LayoutError with all mistakes at once."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        mistake = Mistake(str(path), "", f"cannot be read: {error}", "check the name and the permissions")
        raise LayoutError([mistake]) from error
    except tomllib.TOMLDecodeError as error:
        raise LayoutError([Mistake(str(path), "", f"is not TOML: {error}", "mend the line named")]) from error
    try:
        entries = PuzzleFile.model_validate(raw)
    except ValidationError as error:
        raise LayoutError([_mistake(path, dict(detail)) for detail in error.errors()]) from error
    return _checked(path, entries, track)


def _checked(path: Path, entries: PuzzleFile, track: Track) -> Puzzle:
    mistakes: list[Mistake] = []

    def wrong(key: str, error: PointsmanError) -> None:
        what = f"{error.where}: {error.what}" if error.where else error.what
        mistakes.append(Mistake(str(path), key, what, error.cure))

    start: Position | None = None
    goal: Goal | None = None
    count: Count | None = None
    try:
        start = parse_position(entries.start, track)
        locomotive = locomotive_of(track, start)
        reason = why_impossible(track, start, locomotive)
        if reason:
            raise UsageError(reason, cure="put that vehicle in a segment, or beside the locomotive's train")
    except UsageError as error:
        wrong("start", error)
    try:
        goal = parse_goal(entries.goal, track, start.vehicles if start else None)
    except UsageError as error:
        wrong("goal", error)
    try:
        count = Count(entries.count)
    except ValueError:
        cure = f"use one of: {', '.join(Count)}"
        mistakes.append(Mistake(str(path), "count", f"{entries.count!r} is not counted", cure))
    if mistakes or start is None or goal is None or count is None:
        raise LayoutError(mistakes)
    return Puzzle(path.stem, entries.title, track, start, goal, count)


def _mistake(path: Path, detail: dict[str, object]) -> Mistake:
    """One of pydantic's findings in this program's words."""
    location = detail["loc"]
    key = ".".join(str(piece) for piece in location) if isinstance(location, tuple) else str(location)
    if detail["type"] == "missing":
        return Mistake(str(path), key, "is missing", f"add a line '{key} = \"...\"'")
    if detail["type"] == "extra_forbidden":
        return Mistake(str(path), key, "is no key of a puzzle", f"keys are: {', '.join(PuzzleFile.model_fields)}")
    return Mistake(str(path), key, str(detail["msg"]), "write it as text in quotation marks")
