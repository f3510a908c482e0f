"""Going on with a play that ended before its end: what its journal says of it, and the play that goes on from there.

Nothing resumes by itself. What stands where is what a person says; the new play opens the link anew, sets every turnout
once, and proves the locomotive before anything else moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pointsman.beforehand import wired
from pointsman.errors import JournalError, UsageError
from pointsman.links import Target, parse_target
from pointsman.operate.referee import Score, with_hand
from pointsman.operate.retelling import Told, retell
from pointsman.playing import AttemptOf, PlayRequest, PutRight
from pointsman.posix import user_name
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.record import Reading, names_something, read
from pointsman.track.model import End
from pointsman.track.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A play that ended before its end. ``position`` is the last one that was confirmed.

    ``attempt`` is the attempt of a competition that it is, ``clock_stands`` whether the referee's clock stood then.
    """

    journal: Path
    told: Told
    chosen: Chosen
    wiring: Wiring
    hardware: str
    target: Target
    count: Count
    position: Position
    attempt: AttemptOf | None = None
    clock_stands: bool = False

    @property
    def why(self) -> str:
        """Why it ended, in a sentence."""
        if self.told.stopped:
            return f"everything was stopped: {self.told.stopped}"
        return self.told.ending.partition("\n")[0]


def interrupted(journal: Path, *, on: Target | None = None, hardware: str | None = None) -> Interrupted:
    """The play that a journal tells of, whatever the journal's end; ``on`` and ``hardware`` instead of its own.

    Raises JournalError when it is no play's, or went to its end; UsageError and LayoutError when the layout, puzzle or
    wiring it names is no longer there, or is another one now, or the target does not fit the wiring.
    """
    reading = read(journal)
    told = retell(reading, str(journal))
    where = str(journal)
    if told.lines == 0:
        raise JournalError(told.bad, where=where, cure="it was written by another version: play the puzzle again")
    if told.done:
        raise JournalError("this play went to its end", where=where, cure="there is nothing to go on with: play again")
    header = told.header
    chosen = puzzle_of(header, where, also=("hardware", "on", "count", "facing"))
    named = hardware or header["hardware"] or None
    wiring, target = wired(chosen.folder, chosen.track, named, on or parse_target(header["on"]))
    return Interrupted(
        journal=journal,
        told=told,
        chosen=chosen,
        wiring=wiring,
        hardware=named or "",
        target=target,
        count=Count(header["count"]),
        position=parse_position(told.position, chosen.track, chosen.start.vehicles),
        attempt=_attempt_of(header.get("attempt"), where),
        clock_stands=_clock_stands(reading),
    )


def puzzle_of(header: Mapping[str, Any], where: str, *, also: Sequence[str] = ()) -> Chosen:
    """The puzzle that the first line of a journal names, drawn as it was then.

    ``also`` names other texts that the line must have. Raises JournalError when it is not whole; UsageError and
    LayoutError when the layout or puzzle is no longer there, or is another one now.
    """
    texts = {name: header.get(name) for name in ("puzzle", "folder", "goal", *also)}
    wrong = [name for name, text in texts.items() if not names_something(text)]
    seeded = "seed" in header and (header["seed"] is None or names_something(header["seed"]))
    drawn = header.get("wagons", "")
    if wrong or not seeded or not names_something(drawn) or ("count" in also and header["count"] not in list(Count)):
        what = f"its first line has no {wrong[0]}" if wrong else "its first line is not whole"
        raise JournalError(what, where=where, cure="it was written by another version: play the puzzle again")
    puzzle = f"{header['folder']}/{header['puzzle'].rpartition('/')[2]}"
    chosen = choose(puzzle, seed=header["seed"], cards=drawn.split() or None if header["seed"] is None else None)
    if str(chosen.goal) != header["goal"]:
        raise UsageError(
            f"this puzzle asks for '{chosen.goal}' now, and asked for '{header['goal']}' then",
            where=where,
            cure="play it again",
        )
    return chosen


def _attempt_of(values: object, where: str) -> AttemptOf | None:
    """The attempt that a journal's first line names. Raises JournalError."""
    if values is None:
        return None
    if isinstance(values, dict):
        competition, attempt = values.get("competition"), values.get("attempt")
        if isinstance(competition, str) and isinstance(attempt, str):
            return AttemptOf(competition, attempt, hints=values.get("hints") is True)
    cure = "it was written by another version: play the attempt again"
    raise JournalError("its first line does not say which attempt it is", where=where, cure=cure)


def _clock_stands(reading: Reading) -> bool:
    """Whether the referee's clock was made to stand, and not to go again since."""
    presses = [line.values for line in reading.lines if line.kind == "pressed"]
    return next((one.get("stands") is True for one in reversed(presses) if one.get("what") == "clock"), False)


def put_right(play: Interrupted, position: Position) -> Chosen:
    """The puzzle from where a person says that everything stands; its goal is the same."""
    return replace(play.chosen, puzzle=replace(play.chosen.puzzle, start=position))


def score_put_right(play: Interrupted) -> Score:
    """What was counted until a person said what stands where, with that word."""
    return replace(with_hand(play.told.score), moving=frozenset())


def going_on(
    play: Interrupted, chosen: Chosen, runs: Sequence[Run], facing: End, *, journal: Path | None, speed: float | None
) -> PlayRequest:
    """The play that goes on from a position that was put right. ``journal``: a new one beside the old if not given."""
    return PlayRequest(
        chosen=chosen,
        runs=tuple(runs),
        wiring=play.wiring,
        target=play.target,
        facing=facing,
        journal=journal or next_journal(play.journal),
        speed=speed,
        count=str(play.count),
        hardware=play.hardware,
        put_right=PutRight(
            journal=play.journal,
            before=play.told.position,
            earlier=play.told.score,
            score=score_put_right(play),
            by=user_name(),
            counted=play.told.counted,
        ),
        attempt=play.attempt,
    )


def next_journal(journal: Path) -> Path:
    """A new place beside a journal: ``play.journal`` is followed by ``play-2.journal``."""
    stem, dash, number = journal.stem.rpartition("-")
    numbered = bool(dash) and number.isdecimal() and len(number) <= 3
    first, base = (int(number) + 1, stem) if numbered else (2, journal.stem)
    places = (journal.with_name(f"{base}-{at}{journal.suffix}") for at in range(first, first + 1000))
    return next((place for place in places if not place.exists()), journal.with_name(f"{base}-x{journal.suffix}"))
