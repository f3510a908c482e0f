"""``replay``: a journal read again, checked line by line, and told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pointsman.cli.output import AsJson, print_json
from pointsman.errors import JournalError
from pointsman.operate.referee import Score, fold, with_run
from pointsman.record import Line, Reading, message_of, read


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def replay(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="A file that play wrote.")],
    as_json: AsJson = False,
) -> None:
    """Read a journal, check every line, and tell what was done; the figures are counted anew from its messages."""
    reading = read(journal)
    told = retell(reading)
    if as_json:
        print_json(_as_json(told, reading))
    else:
        _print(Console(), told)
    if reading.bad:
        raise JournalError(
            f"{reading.bad}; what follows cannot be trusted",
            where=str(journal),
            cure="the lines before it are good and are shown above",
        )


@dataclass(frozen=True, slots=True)
class Told:
    """What a journal says: its header, its steps, what was counted, and how it ended."""

    header: dict[str, Any]
    steps: tuple[Line, ...]
    score: Score
    position: str
    ending: str


def retell(reading: Reading) -> Told:
    """Fold the lines of a journal. Raises JournalError when it does not begin as one."""
    if not reading.lines or reading.lines[0].kind != "begin":
        raise JournalError(
            reading.bad or "the file is empty" if not reading.lines else "the file does not begin as a journal does",
            cure="give the path of a file that play wrote",
        )
    header = dict(reading.lines[0].values)
    score, position, ending, steps = Score(), str(header.get("start", "")), "", []
    for line in reading.lines:
        match line.kind:
            case "command" | "event":
                score = fold(score, message_of(line))
            case "step" | "halt":
                steps.append(line)
            case "run":
                score, position = with_run(score), line.text("position")
                steps.append(line)
            case "end":
                ending = str(line.values.get("error", "")) or "it went to the end, every step confirmed"
    return Told(header, tuple(steps), score, position, ending or "the journal stops in the middle")


def _print(console: Console, told: Told) -> None:
    header = told.header
    console.print(f"[bold]{header.get('puzzle')}[/]  seed {header.get('seed')}, on {header.get('on')}")
    console.print(f"start  {header.get('start')}\nwanted {header.get('goal')}", highlight=False)
    for line in told.steps:
        console.print(_step_text(line), highlight=False)
    score = told.score
    console.print(f"position {told.position}", highlight=False)
    console.print(
        f"{score.runs} runs ({score.origin}), {score.raw_starts} starts, {score.reversals} reversals, "
        f"{score.uncouplings} uncouplings, {score.turnouts_moved} points set, {score.emergency_stops} emergency stops"
    )
    console.print(f"ending: {told.ending}", highlight=False)


def _step_text(line: Line) -> Text:
    match line.kind:
        case "run":
            return Text(
                f"{line.t_s:9.2f}  run {line.values.get('number')} done: {line.values.get('position')}", "green"
            )
        case "halt":
            return Text(f"{line.t_s:9.2f}  STOPPED: {line.values.get('why')}", "bold red")
        case _:
            return Text(f"{line.t_s:9.2f}    {line.values.get('what')}")


def _as_json(told: Told, reading: Reading) -> dict[str, Any]:
    score = told.score
    return {
        **told.header,
        "position": told.position,
        "counted_runs": score.runs,
        "raw_starts": score.raw_starts,
        "reversals": score.reversals,
        "uncouplings": score.uncouplings,
        "turnouts_moved": score.turnouts_moved,
        "emergency_stops": score.emergency_stops,
        "origin": str(score.origin),
        "ending": told.ending,
        "lines": len(reading.lines),
        "bad": reading.bad,
    }
