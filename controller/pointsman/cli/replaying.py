"""``replay``: a journal read again, checked line by line, and told."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pointsman.cli.output import AsJson, amount, console, fail_with, print_json, whole_line
from pointsman.errors import JournalError
from pointsman.messages import EmergencyStop
from pointsman.operate.referee import Score, fold, with_hand, with_run, with_uncoupling, without_uncoupling
from pointsman.record import Line, Reading, message_of, read


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def replay(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="A file that play wrote.")],
    as_json: AsJson = False,
) -> None:
    """Tell what a play did, from its journal.

    Every line is checked, and the figures are counted anew from the messages in it.
    """
    reading = read(journal)
    told = retell(reading, str(journal))
    bad = JournalError(
        f"{told.bad}; what follows cannot be trusted",
        where=str(journal),
        cure="the lines before it are good and were told",
    )
    if as_json and told.bad:
        raise fail_with(_as_json(told), bad)
    if as_json:
        print_json(_as_json(told))
        return
    _print(console(), told)
    if told.bad:
        raise bad


@dataclass(frozen=True, slots=True)
class Told:
    """What a journal says: its header, its steps, what was counted, and how it ended.

    ``lines`` is how many were good, ``bad`` what is wrong with the one after them, if there is one.
    """

    header: dict[str, Any]
    steps: tuple[Line, ...]
    score: Score
    position: str
    ending: str
    lines: int
    bad: str = ""


def retell(reading: Reading, where: str) -> Told:
    """Fold the lines of a journal. Raises JournalError when it does not begin as one.

    A line that is whole but tells of nothing this program writes ends the telling as a damaged one does.
    """
    if not reading.lines or reading.lines[0].kind != "begin":
        raise JournalError(
            reading.bad or "the file is empty" if not reading.lines else "the file does not begin as a journal does",
            where=where,
            cure="give the path of a file that play wrote",
        )
    header = dict(reading.lines[0].values)
    told = Told(header, (), Score(), str(header.get("start", "")), "the journal stops in the middle", 0, reading.bad)
    for number, line in enumerate(reading.lines, 1):
        try:
            told = replace(_with_line(told, line), lines=number)
        except JournalError as error:
            return replace(told, bad=f"line {number}: {error.what}")
    return told


def _with_line(told: Told, line: Line) -> Told:
    match line.kind:
        case "command" | "event":
            return replace(told, score=fold(told.score, message_of(line)))
        case "halt":
            # The stop itself skips every queue, and so the journal's commands.
            return replace(told, score=fold(told.score, EmergencyStop()), steps=(*told.steps, line))
        case "step":
            return replace(told, steps=(*told.steps, line))
        case "run":
            score = with_run(told.score, reversed_=line.values.get("reversed") is True)
            return replace(told, score=score, position=line.text("position"), steps=(*told.steps, line))
        case "asked":
            return replace(told, steps=(*told.steps, line))
        case "by hand":
            return replace(told, score=with_hand(told.score))
        case "parted":
            return replace(told, score=with_uncoupling(told.score))
        case "came along":
            return replace(told, score=without_uncoupling(told.score))
        case "end":
            ending = str(line.values.get("error", "")) or "it went to the end, every step as expected"
            return replace(told, ending=ending)
        case _:
            return told


def _print(out: Console, told: Told) -> None:
    header = told.header
    out.print(Text.assemble((str(header.get("puzzle")), "bold"), f"  seed {header.get('seed')}, on {header.get('on')}"))
    whole_line(out, f"start  {header.get('start')}")
    whole_line(out, f"goal   {header.get('goal')}")
    began_s = told.steps[0].t_s if told.steps else 0.0
    for line in told.steps:
        text, style = _step_text(line)
        whole_line(out, f"{line.t_s - began_s:8.1f} s  {text}", style)
    score = told.score
    whole_line(out, f"last confirmed position  {told.position}")
    out.print(
        f"{amount(score.runs, 'runs')} ({score.origin}), {amount(score.raw_starts, 'starts')}, "
        f"{amount(score.reversals, 'reversals')}, {amount(score.uncouplings, 'uncouplings')}, "
        f"points set {amount(score.turnouts_moved, 'times')}, {amount(score.emergency_stops, 'emergency stops')}"
    )
    whole_line(out, f"ending: {told.ending}")


def _step_text(line: Line) -> tuple[str, str]:
    match line.kind:
        case "run":
            return f"run {line.values.get('number')} done: {line.values.get('position')}", "green"
        case "asked":
            return f"  asked: {' '.join(filter(None, (str(line.values.get('note', '')), line.text('what'))))}", ""
        case "halt":
            return f"STOPPED: {line.values.get('why')}", "bold red"
        case _:
            return f"  {line.values.get('what')}", ""


def _as_json(told: Told) -> dict[str, Any]:
    score = told.score
    return {
        **told.header,
        "position": told.position,
        "counted_runs": score.runs,
        "raw_starts": score.raw_starts,
        "reversals": score.reversals,
        "uncouplings": score.uncouplings,
        "turnouts_moved": score.turnouts_moved,
        "by_hand": score.by_hand,
        "emergency_stops": score.emergency_stops,
        "origin": str(score.origin),
        "ending": told.ending,
        "lines": told.lines,
        "bad": told.bad,
    }
