"""``compete new``, ``enter`` and ``standings``: a competition begins, people come, and stand somewhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from pointsman.cli.compete_options import (
    By,
    CodeFile,
    Competition,
    StoreName,
    marshals_code,
    now,
    opened,
    version,
    whoever,
)
from pointsman.cli.output import AsJson, amount, console, print_json, say, whole_line
from pointsman.compete.book import Book
from pointsman.errors import UsageError


def register(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("new")(new)
    group.command("enter")(enter)
    group.command("standings")(standings)


def new(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A short name; that of the programme if not given.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What it is called.")] = None,
    day: Annotated[str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Today if not given.")] = None,
    place: Annotated[str | None, typer.Option(help="Where it is held.")] = None,
    programme: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A TOML file with entrants and rounds; the rounds are announced at once."),
    ] = None,
    code_file: CodeFile = None,
    by: By = None,
    store: StoreName = None,
    as_json: AsJson = False,
) -> None:
    """Begin a competition.

    With a programme its rounds are announced and their draws settled, locked up by the marshal's code, which is asked
    for twice. docs/competition.md shows how a programme is written.
    """
    # With all that it needs: other commands, and the help, do without.
    from pointsman.cli.progress import searching
    from pointsman.compete.desk import Desk
    from pointsman.compete.entries import Created
    from pointsman.compete.plans import Programme, read_programme

    who = whoever(by)
    read = None if programme is None else read_programme(programme)
    if read is None:
        if name is None or title is None:
            raise UsageError(
                "a competition has a name and a title",
                where="compete new",
                cure="give NAME and --title, or --programme with a file that has them",
            )
        read = Programme(name, Created(title, _day(day) or now().astimezone().date(), place or ""), (), ())
    else:
        told = read.created
        told = Created(title or told.name, _day(day) or told.date, told.place if place is None else place)
        read = replace(read, name=name or read.name, created=told)
    if code_file is not None and not read.rounds:
        cure = "give --programme too, or leave it out: rounds that are announced later are asked for the code then"
        raise UsageError("--code-file is for rounds, and there is none", where="compete new", cure=cure)
    code = marshals_code(code_file, new=True) if read.rounds else ""
    with opened(store) as its, searching(quiet=as_json):
        desk = Desk.begin(its, read, code, who, now=now, version=version())
        book = desk.book
    if as_json:
        print_json(_begun(book))
        return
    out = console()
    say(out, f"{read.created.name} begins as {read.name}, with {amount(len(read.entrants), 'entrants')}.")
    for its_round in book.state.rounds.values():
        if its_round.committed is not None:
            say(out, f"Commitment of round {its_round.announced.round}: put it up before the round.")
            whole_line(out, f"  {its_round.committed.commitment}")
    whole_line(out, f"Next: pointsman compete run {read.name}{'' if store is None else f' --store {quote(store)}'}")


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"{text!r} is no day", where="--date", cure="write it like 2026-11-27") from error


def _begun(book: Book) -> dict[str, object]:
    rounds = [its for its in book.state.rounds.values() if its.committed is not None]
    return {
        "competition": book.competition,
        "head": head_json(book),
        "entrants": list(book.state.entrants),
        "rounds": [
            {"round": its.announced.round, "commitment": its.committed and its.committed.commitment} for its in rounds
        ],
    }


def head_json(book: Book) -> dict[str, object]:
    """How many entries a book has, and the hash of the last."""
    return {"entries": book.head.entries, "hash": book.head.hash}


def enter(
    name: Competition,
    entrant: Annotated[str | None, typer.Argument(metavar="ENTRANT", help="The name of one who takes part.")] = None,
    its_id: Annotated[str, typer.Option("--id", help="A short name for the book; made of the name if not given.")] = "",
    club: Annotated[str, typer.Option(help="The club.")] = "",
    category: Annotated[str, typer.Option("--class", help="The class, such as children.")] = "",
    train: Annotated[str, typer.Option(help="What the train is called.")] = "",
    pair: Annotated[str, typer.Option(help="The pair that two play as.")] = "",
    from_file: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="A table of entrants as CSV, all or none of them.")
    ] = None,
    by: By = None,
    store: StoreName = None,
    as_json: AsJson = False,
) -> None:
    """Add one entrant, or all of a table.

    docs/competition-export.md shows how such a table is written; a spreadsheet saves it as CSV UTF-8.
    """
    from pointsman.compete.desk import Desk
    from pointsman.compete.export.entrants_csv import read_entrants

    alone = (its_id, club, category, train, pair)
    if (entrant is None) == (from_file is None) or (from_file is not None and any(alone)):
        raise UsageError(
            "one entrant is added by name, or all of a file", where="compete enter", cure="give ENTRANT or --from FILE"
        )
    who = whoever(by)
    data = None if from_file is None else _read(from_file)
    with opened(store) as its:
        desk = Desk(its, name, now=now, version=version())
        if data is not None:
            found = read_entrants(data, str(from_file), desk.state.entrants)
            desk.enter_all(found, who)
            added = [one.entrant for one in found]
        else:
            assert entrant is not None, "it was asked for above"
            added = [
                desk.enter(entrant, who, entrant=its_id, club=club, category=category, train=train, pair=pair),
            ]
        book = desk.book
    if as_json:
        print_json({"competition": name, "head": head_json(book), "entrants": added})
        return
    out = console()
    for one in added:
        about = book.state.entrants[one].about
        whole_line(out, f"{one}  {about.name}")
    say(out, f"{amount(len(added), 'entrants')} added; {len(book.state.entrants)} take part.")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror}", where=str(path), cure="give a file that is there and that you may read"
        ) from error


def standings(
    name: Competition,
    only: Annotated[str | None, typer.Option("--round", help="This round alone.")] = None,
    store: StoreName = None,
    as_json: AsJson = False,
) -> None:
    """Show where everybody stands: each round, and overall.

    A rank that can still change has a question mark, an attempt that is still to come a dash.
    """
    from pointsman.cli.compete_table import print_standings
    from pointsman.compete.export.results import results_of
    from pointsman.compete.standings import standings as standings_of
    from pointsman.errors import did_you_mean

    with opened(store) as its:
        book = its.book(name)
    if only is not None and only not in book.state.rounds:
        raise UsageError(f"there is no round {only!r}", where=name, cure=did_you_mean(only, book.state.rounds))
    found = standings_of(book.state)
    if as_json:
        print_json({"competition": name, "head": head_json(book), **results_of(found)})
        return
    print_standings(console(), book.state, found, only)
