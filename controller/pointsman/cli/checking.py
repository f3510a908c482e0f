"""``layouts`` and ``check``: which layouts there are, and whether one is right."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointsman.cli.diagram import can_draw, dimensions, render
from pointsman.cli.output import AsJson, compact_table, console, fit_to, print_json
from pointsman.errors import LayoutError, Mistake
from pointsman.operate.allowances import Allowances
from pointsman.operate.survey import StopSurvey, stops, top_speed_at_beams_mm_s
from pointsman.puzzle.puzzle import Puzzle, load_puzzle
from pointsman.track.builtin import builtin_layouts, find_layout, layout_puzzles
from pointsman.track.fit import fit
from pointsman.track.layout import load_layout
from pointsman.track.model import Track
from pointsman.track.wiring_file import load_wiring

TABLE_WIDTH = 70
"""Columns below which the stops are told in lines."""


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(layouts)
    app.command()(check)


def layouts(as_json: AsJson = False) -> None:
    """List the built-in layouts and their puzzles."""
    found = []
    for name in builtin_layouts():
        folder = find_layout(name)
        track = load_layout(folder)
        found.append((track, [load_puzzle(folder / "puzzles" / f"{p}.toml", track) for p in layout_puzzles(folder)]))
    if as_json:
        print_json({"layouts": [_layout_json(track, puzzles) for track, puzzles in found]})
        return
    out = console()
    for track, puzzles in found:
        out.print(Text.assemble((track.name, "bold"), f"  {track.title} ({track.scale})"))
        table = Table.grid(padding=(0, 2, 0, 0))
        for puzzle in puzzles:
            table.add_row(f"  {puzzle.name}", puzzle.title)
        out.print(table)
        out.print()
    out.print("Try: pointsman check inglenook, then pointsman play inglenook/sidings")


def check(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="A built-in name, a folder, or a layout.toml.")],
    as_json: AsJson = False,
) -> None:
    """Check a layout, its wiring and its puzzles.

    Draws it, with the room in every track and how exactly a train can stop on it.
    """
    folder = find_layout(layout)
    track = load_layout(folder)
    hardware, puzzles = _others(folder, track)
    allow = Allowances()
    surveys = stops(track, allow)
    top = top_speed_at_beams_mm_s(track, allow)
    if as_json:
        print_json(_as_json(track, hardware, puzzles, surveys, top))
        return
    _print_check(console(), track, hardware, puzzles, surveys, top)


def _print_check(
    out: Console, track: Track, hardware: list[str], puzzles: list[Puzzle], surveys: list[StopSurvey], top: float
) -> None:
    out.print(render(track, {}, width=min(out.width, 100), unicode=can_draw(out)))
    out.print()
    sizes = dimensions(track)
    fit_to(out, sizes)
    out.print(sizes)
    out.print("\nStops that a plan can need, and how exact they are at worst")
    out.print(_stop_table(out, surveys) if out.width >= TABLE_WIDTH else _stop_lines(surveys))
    out.print()
    fastest = min(track.speeds.limit, track.speeds.shunting)
    out.print(f"The beams see every gap up to {top:.0f} mm/s; the layout shunts at {fastest:.0f} mm/s.")
    out.print(f"Wiring: {', '.join(hardware) or 'none'}.  Puzzles: {', '.join(p.name for p in puzzles) or 'none'}.")
    bad = [survey for survey in surveys if not survey.good]
    if bad:
        places = ", ".join(f"{survey.what} in {survey.place}" for survey in bad)
        tight = f" {places}: a plan that needs such a stop may be refused before it starts."
        out.print(Text.assemble(("Tight:", "yellow"), tight))
    out.print(f"{track.name} is right.", style="green")


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
    if mistakes:
        raise LayoutError(mistakes)
    return hardware, puzzles


def _stop_table(out: Console, surveys: list[StopSurvey]) -> Table:
    table = compact_table(out, "track", "stop", "mm/s", "blind mm", "error mm", "room mm", "")
    for column in table.columns[2:6]:
        column.justify = "right"
    for s in surveys:
        figures = (f"{s.speed_mm_s:.0f}", f"{s.blind_mm:.0f}", f"{s.error_mm:.1f}", f"{s.room_mm:.0f}")
        table.add_row(s.place, s.what, *figures, "ok" if s.good else "tight")
    return table


def _stop_lines(surveys: list[StopSurvey]) -> str:
    """The same for a terminal that is too narrow for the table."""
    return "\n".join(
        f"{s.place}, {s.what}: {s.speed_mm_s:.0f} mm/s, {s.blind_mm:.0f} mm blind, error {s.error_mm:.1f} mm, "
        f"room {s.room_mm:.0f} mm: {'ok' if s.good else 'tight'}"
        for s in surveys
    )


def _layout_json(track: Track, puzzles: list[Puzzle]) -> dict[str, Any]:
    return {
        "name": track.name,
        "title": track.title,
        "scale": track.scale,
        "puzzles": [puzzle.name for puzzle in puzzles],
    }


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
