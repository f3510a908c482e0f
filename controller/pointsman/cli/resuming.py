"""``resume``: a play that ended before its end, gone on with from its journal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from pointsman.beforehand import check_there
from pointsman.cli.aftermath import repeat_command
from pointsman.cli.driving import (
    DEFAULT_SPEED,
    Manner,
    carry_out,
    check_files,
    check_hands,
    check_options,
    result_json,
)
from pointsman.cli.output import AsJson, amount, console, print_json, say, whole_line
from pointsman.cli.putting_right import go_on
from pointsman.errors import UsageError
from pointsman.links import parse_target
from pointsman.playing import PlayRequest, PlayResult
from pointsman.resuming import Interrupted, interrupted, score_put_right
from pointsman.track.builtin import builtin_layouts, find_layout
from pointsman.track.model import End


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(resume)


def resume(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="The journal of a play that was stopped.")],
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="TARGET",
            help="Another target than it had; with several stations once for each: NAME=TARGET.",
        ),
    ] = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated layout only: times real time (1 if not given; 0 = at once).")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Simulated layout only: do not ask.")] = False,
    position: Annotated[
        str | None, typer.Option(help='What stands where: "3 s2", or a whole line "head: L | s1: 4 6 | ...".')
    ] = None,
    facing: Annotated[
        End | None, typer.Option(help="Where the locomotive's front points, as for play; asked if not given.")
    ] = None,
    hardware: Annotated[str | None, typer.Option(help="Another wiring than it had.")] = None,
    new_journal: Annotated[Path | None, typer.Option("--journal", help="Where to write the new journal.")] = None,
    picture_file: Annotated[Path | None, typer.Option("--picture", help="Save the last picture as SVG.")] = None,
    as_json: AsJson = False,
) -> None:
    """Go on with a play that was stopped, whatever stopped it.

    Shows what was believed, asks what really stands where, and plans from there to the same goal. The first move proves
    where the locomotive is.
    """
    play = interrupted(journal, on=parse_target(",".join(on)) if on else None, hardware=hardware)
    if play.attempt is not None:
        raise UsageError(
            f"this is attempt {play.attempt.attempt} of {play.attempt.competition}, and resume drives by a plan",
            where=str(journal),
            cure="take it up on the page of the layout, in the folder with its journal",
        )
    check_options(play.target, speed, yes)
    check_files(new_journal, picture_file)
    check_hands(play.wiring, as_json, yes)
    check_there(play.target)
    out = console(stderr=as_json)
    _show(out, play)
    real_speed = None if speed == 0 else (speed or DEFAULT_SPEED)
    found = go_on(out, play, speed=real_speed, facing=facing, yes=yes, position=position, journal=new_journal)
    if isinstance(found, PlayRequest):
        again = repeat_command(_named(play), found, hardware or play.hardware or None)
        carry_out(out, found, Manner(yes, as_json, picture_file, again))
    elif as_json:
        result = PlayResult(found.start, reached=True, score=score_put_right(play), duration_s=0.0)
        print_json(result_json(found, result, None, journal))


def _named(play: Interrupted) -> str:
    """The puzzle as an argument of a command: by its name when it is a built-in layout's, else by its folder."""
    layout, _, puzzle = play.chosen.name.rpartition("/")
    builtin = layout in builtin_layouts() and find_layout(layout).resolve() == play.chosen.folder.resolve()
    return play.chosen.name if builtin else str(play.chosen.folder / puzzle)


def _draw(play: Interrupted) -> str:
    chosen = play.chosen
    return f"cards {' '.join(chosen.wagons)}" if chosen.seed is None else f"seed {chosen.seed}"


def _show(out: Console, play: Interrupted) -> None:
    """What the journal says: where everything stood last for sure, what was under way, and why it ended."""
    told = play.told
    out.print(Text.assemble((play.chosen.puzzle.title, "bold"), f"  {_draw(play)}, on {play.target}"))
    whole_line(out, f"goal   {play.chosen.goal}")
    say(out, f"It ended because: {play.why}")
    if told.bad:
        say(out, f"The journal's end is damaged ({told.bad}); what is told comes from the lines before it.", "yellow")
    done = f"{amount(told.score.runs, 'runs')} done ({told.score.origin})"
    doing = f", under way: {told.doing}" if told.doing else ""
    say(out, f"{done}{doing}.")
    whole_line(out, f"last confirmed position  {told.position}")
