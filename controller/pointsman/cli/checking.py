"""``layouts`` and ``check``: which layouts there are, and whether one is right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from pointsman.cli.diagram import can_draw, dimensions, render
from pointsman.cli.output import AsJson, print_json
from pointsman.errors import LayoutError, Mistake, PointsmanError
from pointsman.operate.allowances import Allowances
from pointsman.operate.survey import StopSurvey, stops, top_speed_at_beams_mm_s
from pointsman.puzzle.puzzle import Puzzle, load_puzzle
from pointsman.track.builtin import builtin_layouts, find_layout, layout_puzzles
from pointsman.track.fit import fit
from pointsman.track.layout import load_layout
from pointsman.track.model import Track
from pointsman.track.wiring_file import load_wiring


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(layouts)
    app.command()(check)


def layouts(as_json: AsJson = False) -> None:
    """List the layouts that come with the program, and their puzzles."""
    found = []
    for name in builtin_layouts():
        folder = find_layout(name)
        track = load_layout(folder)
        found.append({"name": name, "title": track.title, "scale": track.scale, "puzzles": layout_puzzles(folder)})
    if as_json:
        print_json({"layouts": found})
        return
    table = Table(box=box.SIMPLE_HEAD)
    for header in ("layout", "what it is", "scale", "puzzles"):
        table.add_column(header)
    for row in found:
        table.add_row(str(row["name"]), str(row["title"]), str(row["scale"]), ", ".join(row["puzzles"]))
    console = Console()
    console.print(table)
    console.print("Try: [bold]pointsman check inglenook[/], then [bold]pointsman play inglenook[/]")


def check(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="A built-in name, a folder, or a layout.toml.")],
    as_json: AsJson = False,
) -> None:
    """Check a layout, its wiring and its puzzles; draw it with its capacities and stopping errors."""
    folder = find_layout(layout)
    track = load_layout(folder)
    hardware, puzzles = _others(folder, track)
    allow = Allowances()
    surveys = stops(track, allow)
    top = top_speed_at_beams_mm_s(track, allow)
    if as_json:
        print_json(_as_json(track, hardware, puzzles, surveys, top))
        return
    console = Console()
    console.print(render(track, {}, width=min(console.width, 100), unicode=can_draw(console)))
    console.print(dimensions(track))
    console.print(_stop_table(surveys))
    fastest = min(track.speeds.limit, track.speeds.shunting)
    seen = "every gap is seen" if top >= fastest else "[bold red]too slow for this layout's shunting speed[/]"
    console.print(f"Top speed at the beams {top:.0f} mm/s; the layout shunts at {fastest:.0f} mm/s: {seen}.")
    console.print(f"Wiring: {', '.join(hardware) or 'none'}.  Puzzles: {', '.join(p.name for p in puzzles) or 'none'}.")
    bad = [survey for survey in surveys if not survey.good]
    if bad:
        places = ", ".join(f"{survey.what} in {survey.place}" for survey in bad)
        console.print(f"[yellow]Tight:[/] {places}: a plan that needs such a stop may be refused before it starts.")
    console.print(f"[green]{track.name} is right.[/]")


def _others(folder: Path, track: Track) -> tuple[list[str], list[Puzzle]]:
    """Every wiring and puzzle file of the folder; all their mistakes together."""
    mistakes: list[Mistake] = []
    hardware, puzzles = [], []
    for path in sorted((folder / "hardware").glob("*.toml")):
        try:
            hardware.append(load_wiring(path, track).name)
        except LayoutError as error:
            mistakes += error.mistakes
    for path in sorted((folder / "puzzles").glob("*.toml")):
        try:
            puzzles.append(load_puzzle(path, track))
        except LayoutError as error:
            mistakes += error.mistakes
        except PointsmanError as error:
            mistakes.append(Mistake(str(path), "", str(error.what), error.cure))
    if mistakes:
        raise LayoutError(mistakes)
    return hardware, puzzles


def _stop_table(surveys: list[StopSurvey]) -> Table:
    table = Table(title="Stops that a plan can need", title_justify="left", box=box.SIMPLE_HEAD)
    table.add_column("track")
    table.add_column("stop")
    for header in ("mm/s", "blind mm", "worst error mm", "room mm"):
        table.add_column(header, justify="right")
    table.add_column("")
    for s in surveys:
        figures = (f"{s.speed_mm_s:.0f}", f"{s.blind_mm:.0f}", f"{s.error_mm:.1f}", f"{s.room_mm:.0f}")
        table.add_row(s.place, s.what, *figures, "ok" if s.good else "tight")
    return table


def _as_json(
    track: Track, hardware: list[str], puzzles: list[Puzzle], surveys: list[StopSurvey], top: float
) -> dict[str, Any]:
    return {
        "layout": track.name,
        "title": track.title,
        "scale": track.scale,
        "segments": [
            {
                "name": segment.name,
                "capacity": segment.capacity,
                "length_mm": segment.length_mm,
                "spare_mm": round(fit(track, segment).spare_mm, 1),
            }
            for segment in track.segments.values()
        ],
        "turnouts": list(track.turnouts),
        "hardware": hardware,
        "puzzles": [puzzle.name for puzzle in puzzles],
        "top_speed_at_beams_mm_s": round(top, 1),
        "worst_stopping_error_mm": round(max((s.error_mm for s in surveys), default=0.0), 1),
        "stops": [
            {
                "place": s.place,
                "what": s.what,
                "speed_mm_s": s.speed_mm_s,
                "blind_mm": round(s.blind_mm, 1),
                "error_mm": round(s.error_mm, 1),
                "room_mm": round(s.room_mm, 1),
                "good": s.good,
            }
            for s in surveys
        ],
    }
