"""``replay``: a journal read again, checked line by line, and told."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from pointsman.cli.output import AsJson, amount, console, fail_with, print_json, whole_line
from pointsman.errors import JournalError
from pointsman.operate.retelling import Told, retell
from pointsman.operate.telling import told as told_in_words
from pointsman.record import Line, read


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(replay)


def replay(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="A file that play or calibrate wrote.")],
    as_json: AsJson = False,
) -> None:
    """Tell what a play or a calibration did, from its journal.

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


def _print(out: Console, told: Told) -> None:
    header = told.header
    if "goes_on_from" in header:
        whole_line(out, f"goes on from {header['goes_on_from']}")
    attempt = header.get("attempt")
    if isinstance(attempt, dict):
        whole_line(out, f"attempt {attempt.get('attempt')} of {attempt.get('competition')}")
    if "calibrates" in header:
        between = " and ".join(str(beam) for beam in _listed(header.get("between")))
        what = f"  calibration of {header.get('calibrates')} between {between}, on {header.get('on')}"
        out.print(Text.assemble((str(header.get("layout")), "bold"), what))
        whole_line(out, f"start  {header.get('start')}")
    else:
        draw = f"seed {header.get('seed')}" if header.get("seed") is not None else f"cards {header.get('wagons')}"
        what = f"  {draw}, on {header.get('on')}"
        out.print(Text.assemble((str(header.get("puzzle")), "bold"), what))
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


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


_STYLES = {
    "run": "green",
    "stood": "green",
    "order": "bold",
    "refused": "yellow",
    "let pass": "yellow",
    "put right": "yellow",
    "halt": "bold red",
    "pressed": "bold yellow",
}
_AT_THE_MARGIN = {"run", "stood", "order", "put right", "halt", "pressed"}


def _step_text(line: Line) -> tuple[str, str]:
    margin = "" if line.kind in _AT_THE_MARGIN else "  "
    return margin + told_in_words(line), _STYLES.get(line.kind, "")


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
