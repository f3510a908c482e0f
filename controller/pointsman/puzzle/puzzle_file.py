"""puzzles/*.toml -> ``Puzzle``, or a ``LayoutError`` that names every mistake at once: file, key, what, cure."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pydantic import Field

from pointsman.errors import UsageError
from pointsman.puzzle.goal import Goal, parse_goal
from pointsman.puzzle.moves import why_impossible
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count, Puzzle, locomotive_of
from pointsman.track.model import Track
from pointsman.track.tomlfile import Notes, Shape, read_draft


class PuzzleFile(Shape):
    """The keys of ``layouts/<layout>/puzzles/<puzzle>.toml``."""

    title: str = Field(min_length=1, description="one line for a person: what is asked")
    start: str = Field(
        description="the position at the start, in the one-line notation of positions: `head: L | s1: 1 2 3`. Every "
        "vehicle of the puzzle, and exactly one locomotive; segments left out are empty"
    )
    goal: str = Field(
        description="what is asked, in the one-line notation of goals: `s1: 1 2 3` for these in this order from the "
        "segment's `from` end, `s2: {4 5}` for any order, `s2+s3: {4 5}` for any arrangement over several segments, "
        "`s1: ? .. 3 ..` with any wagon and any number of them, `s1: @van ..` by kind, `!cattle/coach` for kinds that "
        "may not stand together, `L+: 1 2` for the train of L; terms parted by `|`; what no term names may be "
        "anywhere; a draw puts other wagons in the places"
    )
    count: str = Field(
        default=Count.RUNS.value,
        description="what is counted unless the command says otherwise: `runs` (starts of the locomotive), "
        "`reversals` (of its direction), `couplings` (made and parted), `seconds` (about, at the layout's speeds), or "
        "`pull-drops` (only where sidings fan out from one headshunt)",
    )


def load_puzzle(path: Path, track: Track) -> Puzzle:
    """Read a puzzle file; its name is the file's. Raises LayoutError with all mistakes at once."""
    notes = Notes(str(path))
    puzzle = _read(path, track, notes, sound=True)
    notes.raise_if_any()
    assert puzzle is not None, "a puzzle that could not be read has mistakes"
    return puzzle


def check_puzzle(path: Path, track: Track | None, notes: Notes) -> None:
    """Note what is wrong with a puzzle of a layout that has mistakes itself.

    ``track`` is good for its names only; without it start and goal are not looked at.
    """
    _read(path, track, notes, sound=False)


_STAND_INS = {"title": "?", "start": "", "goal": ""}


def _read(path: Path, track: Track | None, notes: Notes, *, sound: bool) -> Puzzle | None:
    draft = read_draft(path, PuzzleFile, notes, stand_ins=_STAND_INS)
    entries = draft.shape
    if entries is None:
        return None
    start: Position | None = None
    goal: Goal | None = None
    if track is not None and not draft.is_damaged("start"):
        start = _noted("start", notes, lambda: _start(entries.start, track, sound=sound))
    if track is not None and not draft.is_damaged("goal"):
        goal = _noted("goal", notes, lambda: parse_goal(entries.goal, track, start.vehicles if start else None))
    if entries.count not in list(Count):
        notes.add("count", f"{entries.count!r} is not counted", f"use one of: {', '.join(Count)}")
    if notes.mistakes or track is None or start is None or goal is None:
        return None
    return Puzzle(path.stem, entries.title, track, start, goal, Count(entries.count))


def _start(text: str, track: Track, *, sound: bool) -> Position:
    start = parse_position(text, track)
    locomotive = locomotive_of(track, start)
    reason = why_impossible(track, start, locomotive) if sound else ""
    if reason:
        raise UsageError(reason, cure="put that vehicle in a segment, or beside the locomotive's train")
    return start


T = TypeVar("T")


def _noted(key: str, notes: Notes, read: Callable[[], T]) -> T | None:
    """What is read; None when it cannot be, with the mistake noted."""
    try:
        return read()
    except UsageError as error:
        # "goal, part 2" needs no second "goal" before it.
        where = re.sub(r"^(position|goal), ", "", error.where)
        notes.add(key, f"{where}: {error.what}" if where else error.what, error.cure)
        return None
