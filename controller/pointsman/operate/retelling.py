"""What a journal says: its header, its steps, what was counted, where everything stood last, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from pointsman.errors import JournalError
from pointsman.messages import EmergencyStop
from pointsman.operate.hand_referee import COUNTS, Earlier, Figures
from pointsman.operate.referee import (
    Origin,
    Score,
    fold,
    with_hand,
    with_hint,
    with_run,
    with_uncoupling,
    without_uncoupling,
)
from pointsman.operate.telling import check_press
from pointsman.record import Line, Reading, message_of

IN_THE_MIDDLE = "the journal stops in the middle"


@dataclass(frozen=True, slots=True)
class Told:
    """What a journal says. ``counted`` is what was counted by hand; None where a play has not counted all of it.

    ``position`` is the last one that was confirmed (or, before that, entered), ``doing`` the step that was begun last,
    ``stopped`` why everything was stopped, if it was; ``done``: it went to its end. ``lines`` is how many lines were
    good, ``bad`` what is wrong with the one after them, if there is one.
    """

    header: dict[str, Any]
    steps: tuple[Line, ...]
    score: Score
    position: str
    ending: str
    lines: int
    bad: str = ""
    doing: str = ""
    stopped: str = ""
    done: bool = False
    counted: Earlier | None = None


def retell(reading: Reading, where: str) -> Told:
    """Fold the lines of a journal. Raises JournalError when it does not begin as one.

    A line that is whole but tells of nothing this program writes ends the telling as a damaged one does.
    """
    told = untold(reading, where)
    for number, line in enumerate(reading.lines, 1):
        try:
            told = replace(with_line(told, line), lines=number)
        except JournalError as error:
            return replace(told, bad=f"line {number}: {error.what}")
    return told


def untold(reading: Reading, where: str) -> Told:
    """What a journal says before its first line was told. Raises JournalError when it does not begin as one."""
    if not reading.lines or reading.lines[0].kind != "begin":
        raise JournalError(
            reading.bad or "the file is empty" if not reading.lines else "the file does not begin as a journal does",
            where=where,
            cure="give the path of a file that play wrote",
        )
    header = dict(reading.lines[0].values)
    return Told(header, (), Score(), str(header.get("start", "")), IN_THE_MIDDLE, 0, reading.bad)


def score_values(score: Score) -> dict[str, Any]:
    """A score as JSON values: the figures, and their origin."""
    values = asdict(score)
    del values["moving"]
    return {**values, "origin": str(score.origin)}


def score_of(values: object) -> Score:
    """The score of such values. Raises JournalError."""
    names = {f.name for f in fields(Score)} - {"moving", "origin"}
    if isinstance(values, dict) and values.keys() == {*names, "origin"} and values["origin"] in list(Origin):
        figures = {name: values[name] for name in names}
        if all(type(figure) is int for figure in figures.values()):
            return Score(**figures, origin=Origin(values["origin"]))
    raise JournalError("the figures of the play before are not whole", cure="it was written by another version")


def counted_values(earlier: Earlier) -> dict[str, Any]:
    """What was counted by hand besides a score, and which vehicles were coupled, as JSON values."""
    figures, pairs = earlier.figures, sorted(sorted(pair) for pair in earlier.pairs)
    origins = {name: str(origin) for name, origin in figures.origins.items()}
    return {
        "couplings": figures.couplings,
        "pull_drops": figures.pull_drops,
        "under_way": earlier.under_way,
        "coupled": pairs,
        "origins": origins,
    }


def counted_of(values: object, runs: int, reversals: int) -> Earlier:
    """What such values say, with the runs and reversals of a score; figures are seen where no origin is told.

    Raises JournalError.
    """
    if isinstance(values, Mapping):
        couplings, drops, pairs = (values.get(name) for name in ("couplings", "pull_drops", "coupled"))
        if type(couplings) is int and type(drops) is int and isinstance(pairs, list) and all(map(_is_pair, pairs)):
            figures = Figures(runs, reversals, couplings, drops, _origins_of(values.get("origins", {})))
            out = values.get("under_way", 0)
            return Earlier(figures, frozenset(map(frozenset, pairs)), out if type(out) is int else 0)
    raise JournalError("what was counted by hand is not whole", cure="it was written by another version")


def _origins_of(values: object) -> dict[str, Origin]:
    if isinstance(values, dict) and all(name in COUNTS and text in list(Origin) for name, text in values.items()):
        return {name: Origin(values.get(name, Origin.SEEN)) for name in COUNTS}
    raise JournalError("where the figures come from is not whole", cure="it was written by another version")


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(name, str) for name in value)


def _begun(told: Told, values: Mapping[str, Any]) -> Told:
    """With what an earlier play has counted, where the first line says that this one goes on with it."""
    by_hand = values.get("by_hand") is True
    if "score" not in values:
        return replace(told, counted=Earlier() if by_hand else None)
    score, counted = score_of(values["score"]), values.get("counted")
    if by_hand and counted is not None:
        earlier = counted_of(counted, score.runs, score.reversals)
        return replace(told, score=score, counted=earlier)
    return replace(told, score=score)


def _stood(told: Told, line: Line) -> Told:
    runs, reversals = line.values.get("runs"), line.values.get("reversals")
    if type(runs) is not int or type(reversals) is not int:
        raise JournalError("a stood line without its counts", cure="it was not written by this program")
    if told.counted is not None:
        told = replace(told, counted=counted_of(line.values, runs, reversals))
    score = replace(told.score, runs=runs, reversals=reversals)
    return replace(told, score=score, position=line.text("position"), steps=(*told.steps, line), doing="")


def with_line(told: Told, line: Line) -> Told:
    """What a journal says up to one more line. Raises JournalError when the line tells of nothing that is written."""
    match line.kind:
        case "begin":
            return _begun(told, line.values)
        case "put right":
            return replace(told, score=with_hand(told.score), position=line.text("position"), steps=(*told.steps, line))
        case "command" | "event":
            return replace(told, score=fold(told.score, message_of(line)))
        case "halt":
            # The stop itself skips every queue, and so the journal's commands.
            score = fold(told.score, EmergencyStop())
            return replace(told, score=score, steps=(*told.steps, line), stopped=str(line.values.get("why", "")))
        case "step":
            return replace(told, steps=(*told.steps, line), doing=str(line.values.get("what", "")))
        case "pressed":
            check_press(line)
            return replace(told, steps=(*told.steps, line))
        case "asked" | "order" | "refused" | "let pass":
            return replace(told, steps=(*told.steps, line))
        case "by hand":
            return replace(told, score=with_hand(told.score))
        case "run":
            score = with_run(told.score, reversed_=line.values.get("reversed") is True)
            return replace(told, score=score, position=line.text("position"), steps=(*told.steps, line), doing="")
        case "hint":
            return replace(told, score=with_hint(told.score))
        case "stood":
            return _stood(told, line)
        case "parted":
            return replace(told, score=with_uncoupling(told.score))
        case "came along":
            return replace(told, score=without_uncoupling(told.score))
        case "end":
            ending = str(line.values.get("error", ""))
            return replace(told, ending=ending or "it went to the end, every step as expected", done=not ending)
        case _:
            return told
