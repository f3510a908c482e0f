"""``layouts`` and ``check``: which layouts there are, and whether one is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pointsman.cli.diagram import can_draw, dimensions, render
from pointsman.cli.output import AsJson, compact_table, console, fit_to, print_json, say, whole_line
from pointsman.cli.progress import searching
from pointsman.draws import Draws, cheap_table, solvable_here
from pointsman.errors import LayoutError
from pointsman.operate.allowances import Allowances
from pointsman.operate.survey import StopSurvey, stops, top_speed_at_beams_mm_s
from pointsman.puzzle.puzzle import Puzzle
from pointsman.puzzle.puzzle_file import check_puzzle, load_puzzle
from pointsman.solver.table import Report
from pointsman.track.builtin import DEFAULT_HARDWARE, DEFAULT_PUZZLE, builtin_layouts, find_layout, layout_puzzles
from pointsman.track.calibration_file import FOLDER as CALIBRATIONS
from pointsman.track.calibration_file import load_calibration
from pointsman.track.fit import fit
from pointsman.track.layout import LAYOUT_FILE, load_layout, read_layout
from pointsman.track.model import Track
from pointsman.track.tomlfile import Notes
from pointsman.track.wiring import Wiring
from pointsman.track.wiring_file import check_wiring, load_wiring, names_of

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
    found = checked(find_layout(layout))
    allow = Allowances()
    surveys = stops(found.track, allow)
    top = top_speed_at_beams_mm_s(found.track, allow)
    with searching(quiet=as_json) as progress:
        draws = {puzzle.name: _draws(puzzle, progress) for puzzle in found.puzzles}
    if as_json:
        print_json(_as_json(found, surveys, top, draws))
        return
    _print_check(console(), found, surveys, top, draws)


@dataclass(frozen=True, slots=True)
class Checked:
    """A layout without mistakes, with its wirings and puzzles."""

    folder: Path
    track: Track
    wirings: tuple[Wiring, ...]
    puzzles: tuple[Puzzle, ...]

    @property
    def hardware(self) -> list[str]:
        """The names of the wirings."""
        return [wiring.name for wiring in self.wirings]

    @property
    def needs_watchdog(self) -> list[tuple[str, str]]:
        """The nodes that must have their watchdog on before they drive, each with its wiring's name first."""
        return [(wiring.name, node) for wiring in self.wirings for node in wiring.needs_watchdog]

    @property
    def missing(self) -> list[str]:
        """What is not there and is needed for a play, with how to mend it."""
        found = []
        if not self.hardware:
            found.append(f"no wiring: play needs {self.folder / 'hardware' / DEFAULT_HARDWARE}.toml")
        if not self.puzzles:
            found.append(f"no puzzle: play needs {self.folder / 'puzzles' / DEFAULT_PUZZLE}.toml")
        if not solvable_here(self.track):
            found.append("holds = 1: solve and play refuse turnouts that hold none, for now")
        return found


def checked(folder: Path) -> Checked:
    """A layout with everything in its folder. Raises LayoutError with the mistakes of all files at once."""
    notes = Notes(str(folder / LAYOUT_FILE))
    draft = read_layout(folder / LAYOUT_FILE, notes)
    wirings = sorted((folder / "hardware").glob("*.toml"))
    puzzles = sorted((folder / "puzzles").glob("*.toml"))
    if draft is not None and not notes.mistakes:
        good: list[Puzzle] = []
        for path in wirings:
            of_file = Notes(str(path))
            check_wiring(path, names_of(draft.track), of_file)
            notes.mistakes += of_file.mistakes
        for path in puzzles:
            try:
                good.append(load_puzzle(path, draft.track))
            except LayoutError as error:
                notes.mistakes += error.mistakes
        for path in sorted((folder / CALIBRATIONS).glob("*.toml")):
            try:
                load_calibration(path, draft.track.name, path.name.split(".")[0])
            except LayoutError as error:
                notes.mistakes += error.mistakes
        notes.raise_if_any()
        return Checked(folder, draft.track, tuple(load_wiring(path, draft.track) for path in wirings), tuple(good))
    # The layout is wrong: the other files are held against whatever names could be read.
    sections = ("turnouts", "beams", "magnets", "locomotives")
    read = {section: draft.names(section) if draft is not None else None for section in sections}
    names = {section: found for section, found in read.items() if found is not None}
    track = draft.for_notation() if draft is not None else None
    for path in wirings:
        of_file = Notes(str(path))
        check_wiring(path, names, of_file)
        notes.mistakes += of_file.mistakes
    for path in puzzles:
        of_file = Notes(str(path))
        check_puzzle(path, track, of_file)
        notes.mistakes += of_file.mistakes
    raise LayoutError(notes.mistakes)


def _draws(puzzle: Puzzle, progress: Report) -> Draws | None:
    table = cheap_table(puzzle, progress)
    return None if table is None else Draws.of(table, puzzle)


def _print_check(
    out: Console, found: Checked, surveys: list[StopSurvey], top: float, draws: Mapping[str, Draws | None]
) -> None:
    track = found.track
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
    out.print(f"Wiring: {', '.join(found.hardware) or 'none'}.")
    for wiring, node in found.needs_watchdog:
        say(
            out,
            f"{wiring}: station {node} drives a locomotive, and no relay lies in the track's feed. The node must have "
            "its watchdog on, which pointsman node setup tries; nothing is driven before.",
            "yellow",
        )
    for name, count in draws.items():
        out.print(f"{name}: {_told(count)}" if solvable_here(track) else name)
    bad = [survey for survey in surveys if not survey.good]
    if bad:
        places = ", ".join(f"{survey.what} in {survey.place}" for survey in bad)
        tight = f" {places}: a plan that needs such a stop may be refused before it starts."
        out.print(Text.assemble(("Tight:", "yellow"), tight))
    for missing in found.missing:
        whole_line(out, f"Missing: {missing}", "yellow")
    if found.missing:
        out.print(f"The track of {track.name} is right, but nothing can be played on it yet.", style="yellow")
    else:
        out.print(f"{track.name} is right.", style="green")


def _told(draws: Draws | None) -> str:
    if draws is None:
        return "which draws can be solved would take long to say here; solve proves it for each"
    if draws.possible < draws.total:
        return f"{draws}; more room (a longer headshunt or siding) would help"
    return str(draws)


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
    found: Checked, surveys: list[StopSurvey], top: float, draws: Mapping[str, Draws | None]
) -> dict[str, Any]:
    track = found.track
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
        "hardware": found.hardware,
        "needs_watchdog": [{"hardware": wiring, "station": node} for wiring, node in found.needs_watchdog],
        "puzzles": [puzzle.name for puzzle in found.puzzles],
        "draws": {name: None if count is None else asdict(count) for name, count in draws.items()},
        "missing": found.missing,
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
