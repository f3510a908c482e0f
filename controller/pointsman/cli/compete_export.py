"""``compete export`` and ``verify``: results for others, and whether all of it is what it should be."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from pointsman.cli.compete_options import CodeFile, Competition, StoreName, marshals_code, opened
from pointsman.cli.output import AsJson, amount, console, fail_with, print_json, say, whole_line
from pointsman.compete.book import Book, Head
from pointsman.errors import CompetitionError, UsageError, did_you_mean

Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]


def register(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("export")(export)
    group.command("verify")(verify)


def export(
    name: Competition,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="One row for each attempt; beside it FILE-standings."),
    ] = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="The whole book, and the results.")
    ] = None,
    pdf: Annotated[Path | None, typer.Option("--pdf", metavar="FILE", help="A result sheet, to be put up.")] = None,
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    language: Annotated[str, typer.Option(help="Of tables and sheets: en or fr.")] = "en",
    force: Force = False,
    store: StoreName = None,
) -> None:
    """Write results as tables, JSON, or a sheet to be printed.

    Tables are CSV for a spreadsheet. JSON is the whole book, with what only the marshal knows;
    docs/competition-export.md tells what is in each.
    """
    from pointsman.compete.export.attempts_csv import attempts_csv
    from pointsman.compete.export.book_json import book_json
    from pointsman.compete.export.results import results_of
    from pointsman.compete.export.standings_csv import standings_csv
    from pointsman.compete.standings import standings
    from pointsman.web.languages import LANGUAGES
    from pointsman.web.printing.result_sheet import result_sheet
    from pointsman.web.printing.sheet import Paper
    from pointsman.web.spreadsheets import style_of

    for option, value, known in (("--language", language, LANGUAGES), ("--paper", paper, tuple(Paper))):
        if value not in known:
            raise UsageError(f"there is no '{value}'", where=option, cure=did_you_mean(value, known))
    if csv is None and json is None and pdf is None:
        cure = "give --csv FILE, --json FILE or --pdf FILE"
        raise UsageError("nothing is to be written", where="compete export", cure=cure)
    beside = None if csv is None else csv.with_name(f"{csv.stem}-standings{csv.suffix}")
    paths = [path for path in (csv, beside, json, pdf) if path is not None]
    for path in paths:
        if path.exists() and not force:
            raise _there_is_one(path)
    with opened(store) as its:
        book = its.book(name)
    found, style = standings(book.state), style_of(language)
    if csv is not None and beside is not None:
        _write(csv, attempts_csv(book.state, found, style), force=force)
        _write(beside, standings_csv(book.state, found, style), force=force)
    if json is not None:
        _write(json, book_json(book, results_of(found)), force=force)
    if pdf is not None:
        sheet = result_sheet(book.state, found, language=language, paper=Paper(paper), head=book.head)
        _write(pdf, sheet, force=force)
    for path in paths:
        whole_line(console(), str(path))


def _there_is_one(path: Path) -> UsageError:
    return UsageError("this file is there already", where=str(path), cure="give another name, or --force to replace it")


def _write(path: Path, data: bytes, *, force: bool) -> None:
    try:
        with path.open("wb" if force else "xb") as file:
            file.write(data)
    except FileExistsError as error:
        raise _there_is_one(path) from error
    except OSError as error:
        cure = "give a folder that is there and that you may write to"
        raise UsageError(f"cannot be written: {error.strerror}", where=str(path), cure=cure) from error


def verify(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The competition's name in the store, or FILE.json that was exported.")
    ],
    noted: Annotated[
        str | None, typer.Option(metavar="ENTRIES:HASH", help="A head of the book that was published, as 120:5f0c...")
    ] = None,
    exported: Annotated[
        Path | None, typer.Option(metavar="FILE", help="An exported JSON whose book and results are compared too.")
    ] = None,
    journals: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the journals are; the user's data folder.")
    ] = None,
    with_code: Annotated[
        bool, typer.Option("--with-code", help="Ask for the marshal's code, for draws whose secret is not out.")
    ] = False,
    code_file: CodeFile = None,
    store: StoreName = None,
    as_json: AsJson = False,
) -> None:
    """Recompute a competition, and tell every difference.

    From its book, draws and journals; nothing is changed. Ends with 11 when there is one; what could not be looked at
    from here is told, and is none.
    """
    from platformdirs import user_data_dir

    from pointsman.cli.progress import searching
    from pointsman.compete.verify import Means, verify_exported
    from pointsman.compete.verify import verify as verified

    head = None if noted is None else _head(noted)
    code = marshals_code(code_file, new=False) if with_code or code_file is not None else None
    home = journals or Path(user_data_dir("pointsman")) / "journals"
    copy = None if exported is None else _exported(exported)
    book: Book | None
    with searching(quiet=as_json) as progress:
        means = Means(home, code, progress)
        if Path(name).suffix == ".json":
            copy = _exported(Path(name))
            found, book = verify_exported(copy, means, noted=head), copy.book
        else:
            with opened(store) as its:
                found = verified(its, name, means, noted=head, exported=copy)
                book = None if found.differences else its.book(name)
    _tell(name, book, found, as_json=as_json)


def _exported(path: Path) -> Any:
    from pointsman.compete.export.book_json import read_book_json

    try:
        data = path.read_bytes()
    except OSError as error:
        cure = "give a file that `pointsman compete export --json` has written"
        raise UsageError(f"cannot be read: {error.strerror}", where=str(path), cure=cure) from error
    return read_book_json(data, str(path))


def _head(text: str) -> Head:
    found = re.fullmatch(r"(\d{1,9}):([0-9a-f]{64})", text.strip().lower())
    if found is None:
        raise UsageError(
            f"{text!r} is no head of a book", where="--noted", cure="give the entries, a colon, and the 64 digits"
        )
    return Head(int(found[1]), found[2])


def _tell(name: str, book: Book | None, found: Any, *, as_json: bool) -> None:
    """What was found; ends with an error if something differs."""
    many = len(found.differences)
    error = CompetitionError(
        f"{amount(many, 'differences')} found",
        where=name,
        cure="look at each; what it touches cannot be relied upon until somebody has explained it",
    )
    if as_json:
        values = {
            "competition": name,
            "head": None if book is None else {"entries": book.head.entries, "hash": book.head.hash},
            "differences": [{"where": one.where, "what": one.what} for one in found.differences],
            "unchecked": [{"where": one.where, "what": one.what} for one in found.unchecked],
        }
        if many:
            raise fail_with(values, error)
        print_json(values)
        return
    _print(console(), name, book, found)
    if many:
        raise error


def _print(out: Console, name: str, book: Book | None, found: Any) -> None:
    for one in found.differences:
        say(out, f"differs: {one}", "red")
    for one in found.unchecked:
        say(out, f"not looked at: {one}", "yellow")
    if book is not None and not found.differences:
        but = " as far as it was looked at" if found.unchecked else ""
        say(out, f"{name} is right{but}: {amount(len(book.written), 'entries')}, {_attempts(book)}.")
        whole_line(out, f"head {book.head.entries}:{book.head.hash}")


def _attempts(book: Book) -> str:
    return amount(len(book.state.attempts), "attempts")
