"""``print``: wagon cards and draw sheets as PDF."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pointsman.cli.output import Cards, PuzzleName, Seed, console, say, whole_line
from pointsman.cli.progress import searching
from pointsman.draws import drawn as draw
from pointsman.draws import drawn_again, solved
from pointsman.errors import UsageError, did_you_mean
from pointsman.puzzle.choice import Chosen
from pointsman.solver.search import Solution
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout
from pointsman.track.model import Track
from pointsman.track.photos import Photo, read_photo
from pointsman.web.languages import LANGUAGES

if TYPE_CHECKING:
    from pointsman.web.printing.sheet import Paper

_STANDARD_OUTPUT = Path("-")
To = Annotated[Path, typer.Option("--to", metavar="FILE", help="The PDF to write; - is standard output.")]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")]
PaperName = Annotated[str, typer.Option("--paper", help="a4 or letter.")]
Language = Annotated[str, typer.Option("--language", help="en or fr.")]


def register(app: typer.Typer) -> None:
    """Add the command and its own commands."""
    group = typer.Typer(
        name="print",
        help="Print wagon cards, or the sheet of a draw, as PDF.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    group.command("cards")(print_cards)
    group.command("draw")(print_draw)
    app.add_typer(group)


def print_cards(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="A built-in layout, or a layout's folder.")],
    to: To,
    paper: PaperName = "a4",
    language: Language = "en",
    force: Force = False,
) -> None:
    """Write a card for every vehicle of a layout, ten to a sheet, to be cut out and drawn."""
    size = _paper(paper)
    _check(to, language, force=force)
    folder = find_layout(layout)
    track = load_layout(folder)
    photos = _photos(folder, track)
    # With all that it needs: other commands, and the help, do without.
    from pointsman.web.printing.cards import cards

    _write(to, cards(track, language, size, photos), [track.title], force=force)


def _photos(folder: Path, track: Track) -> dict[str, bytes]:
    """The files of the pictures that a layout's vehicles have; says which of them cannot be printed."""
    from pointsman.web.printing.pictures import on_paper

    found = {}
    for vehicle in (*track.wagons.values(), *track.locomotives.values()):
        photo = None if vehicle.photo is None else read_photo(folder, vehicle.photo)
        if isinstance(photo, Photo) and on_paper(photo.data, (1, 1)) is not None:
            found[vehicle.name] = photo.data
        elif vehicle.photo is not None:
            say(console(stderr=True), f"{vehicle.photo} is damaged: the silhouette of {vehicle.name} is printed.")
    return found


def print_draw(
    puzzle: PuzzleName,
    to: To,
    seed: Seed = None,
    wagons: Cards = None,
    address: Annotated[
        str | None,
        typer.Option(metavar="URL", help="What the code to scan says; the command that plays this draw if not given."),
    ] = None,
    paper: PaperName = "a4",
    language: Language = "en",
    force: Force = False,
) -> None:
    """Draw the wagons, and write a sheet with the cards, the set-up, the train to form, par, and room for your runs.

    The same seed draws the same cards, as does --cards, and gives the same file.
    """
    size = _paper(paper)
    _check(to, language, force=force)
    if address is not None and not 0 < len(address) <= 400:
        raise UsageError(f"--address has {len(address)} letters", cure="give 1 to 400: a code of more is hard to scan")
    chosen, solution = _drawn(puzzle, seed, wagons)
    from pointsman.box.task import target_of
    from pointsman.web.printing.draw_sheet import Drawn, draw_sheet
    from pointsman.web.printing.press import command

    drawn = Drawn(
        track=chosen.track,
        name=chosen.name,
        title=chosen.puzzle.title,
        seed=chosen.seed,
        cards=chosen.cards,
        start=chosen.start,
        goal=str(chosen.goal),
        target=target_of(chosen.goal),
        count=solution.count,
        par=solution.optimum,
        proved=solution.proved,
        link=address or command(chosen.name, chosen.seed, chosen.wagons),
    )
    _write(to, draw_sheet(drawn, language, size), [chosen.puzzle.title, chosen.track.title], force=force)


def _drawn(puzzle: str, seed: str | None, wagons: str | None) -> tuple[Chosen, Solution]:
    """A draw that can be solved, and how; UnsolvableError when the one that was given cannot be."""
    chosen, given = draw(puzzle, seed, wagons)
    with searching(quiet=False) as progress:
        found, solution = solved(puzzle, chosen, chosen.puzzle.count, progress, seeded=given)
    if found is not chosen:
        say(console(stderr=True), drawn_again(chosen))
    return found, solution


def _paper(name: str) -> Paper:
    from pointsman.web.printing.sheet import Paper

    if name not in list(Paper):
        raise UsageError(f"there is no paper '{name}'", where="--paper", cure=did_you_mean(name, Paper))
    return Paper(name)


def _check(to: Path, language: str, *, force: bool) -> None:
    """What can be said before anything is searched."""
    if language not in LANGUAGES:
        raise UsageError(f"there is no '{language}'", where="--language", cure=did_you_mean(language, LANGUAGES))
    if to == _STANDARD_OUTPUT:
        if sys.stdout.isatty():
            raise UsageError("a PDF is nothing for a terminal", where="--to -", cure="give a file's name, or a pipe")
    elif to.exists() and not force:
        raise _there_is_one(to)


def _there_is_one(to: Path) -> UsageError:
    return UsageError("this file is there already", where=str(to), cure="give another name, or --force to replace it")


def _write(to: Path, document: bytes, titles: list[str], *, force: bool) -> None:
    from pointsman.web.printing.sheet import printable

    if to == _STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(document)
        sys.stdout.buffer.flush()
    else:
        try:
            with to.open("wb" if force else "xb") as file:
                file.write(document)
        except FileExistsError as error:
            raise _there_is_one(to) from error
        except OSError as error:
            cure = "give a folder that is there and that you may write to"
            raise UsageError(f"the PDF cannot be written: {error.strerror}", where=str(to), cure=cure) from error
        whole_line(console(), str(to))
    for title in titles:
        if printable(title) != title:
            say(console(stderr=True), f"'{title}' is printed as '{printable(title)}': the font has no other letters.")
