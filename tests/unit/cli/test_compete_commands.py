"""``compete`` at its boundary: arguments, a terminal and files in; a store, files, output and exit codes out."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import typer
from commands import Person, Pointsman, refused
from drawn_evening import CODE, drawn_evening

from pointsman.cli import compete
from pointsman.cli.main import command_line

PROGRAMME = """
name = "club-evening"
title = "Club evening"
date = 2026-11-27
place = "The shed"

[entrants.ada]
name = "Ada"

[rounds.r1]
title = "First round"
puzzle = "inglenook-small"
count = "pull-drops"
scheme = "par-ratio"
format = "best-of-2"
par_least = 8
par_most = 12
heats = 2
spares = 1
"""


@pytest.fixture
def programme(tmp_path: Path) -> Path:
    file = tmp_path / "evening.toml"
    file.write_text(PROGRAMME)
    return file


@pytest.fixture
def code(tmp_path: Path) -> Path:
    file = tmp_path / "code"
    file.write_text(f"{CODE}\n")
    return file


@pytest.fixture
def store(tmp_path: Path, cache: Path) -> str:
    """A store with an evening in it, as ``club``, at which three attempts were made."""
    return drawn_evening(tmp_path, cache).kept(tmp_path / "store.sqlite3")


def test_every_command_is_in_the_help(pointsman: Pointsman) -> None:
    group: Any = typer.main.get_command(command_line())
    commands = group.commands["compete"].commands
    assert {"new", "enter", "standings", "export", "verify"} <= set(commands)
    whole = pointsman("compete", "--help")
    assert whole.code == 0
    assert "..." not in whole.out.split("Commands:")[1]
    for name, options in {
        "new": ("--title", "--date", "--place", "--programme", "--code-file", "--by", "--json"),
        "enter": ("--id", "--club", "--class", "--train", "--pair", "--from", "--by", "--json"),
        "standings": ("--round", "--json"),
        "export": ("--csv", "--json", "--pdf", "--paper", "--language", "--force"),
        "verify": ("--noted", "--exported", "--journals", "--with-code", "--code-file", "--json"),
    }.items():
        assert f"  {name} " in whole.out
        helped = pointsman("compete", name, "--help")
        assert helped.out.startswith(f"Usage: pointsman compete {name} ")
        listed = helped.out.split("Options:")[1]
        for option in (*options, "--store"):
            assert f"  {option} " in listed, (name, option)
    assert len(compete.PARTS) == len(set(compete.PARTS))


# ---------------------------------------------------------------- new


def test_a_competition_begins_in_the_users_own_store(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman("compete", "new", "club", "--title", "Club evening", "--place", "The shed", "--by", "Ida")
    told = "Club evening begins as club, with 0 entrants.\nNext: pointsman compete run club\n"
    assert (ran.code, ran.out) == (0, told)
    assert "No round is announced yet; 0 entrants." in pointsman("compete", "standings", "club").out
    assert (tmp_path / "data" / "pointsman" / "competitions.sqlite3").exists()
    refused(pointsman("compete", "new", "club", "--title", "Again"), 7, "there is a competition club already")
    refused(pointsman("compete", "new", "Club!", "--title", "x"), 2, "is no name of a competition")
    refused(pointsman("compete", "new", "x", "--title", "x", "--date", "tomorrow"), 2, "'tomorrow' is no day")
    refused(pointsman("compete", "new", "x"), 2, "a competition has a name and a title")
    code = pointsman("compete", "new", "x", "--title", "x", "--code-file", tmp_path / "none")
    refused(code, 2, "--code-file is for rounds", "--programme")


def test_a_programme_is_announced_with_the_code_of_a_file(pointsman: Pointsman, programme: Path, code: Path) -> None:
    ran = pointsman("compete", "new", "--programme", programme, "--code-file", code, "--date", "2026-12-04", "--json")
    assert ran.code == 0
    assert (ran.json["competition"], ran.json["head"]["entries"], ran.json["entrants"]) == ("club-evening", 4, ["ada"])
    assert [its["round"] for its in ran.json["rounds"]] == ["r1"]
    verified = pointsman("compete", "verify", "club-evening", "--code-file", code)
    assert (verified.code, verified.err) == (0, "")
    assert f"head 4:{ran.json['head']['hash']}" in verified.out
    shown = pointsman("compete", "standings", "club-evening").out
    assert "open: 2 attempts to come" in shown
    assert "Overall" not in shown, "nothing is to be added up yet"


def test_the_code_is_asked_for_twice_and_shown_nowhere(
    pointsman: Pointsman, programme: Path, person: Person, code: Path
) -> None:
    person(f"{CODE}\nanother one of mine\n")
    refused(pointsman("compete", "new", "--programme", programme), 2, "these two are not the same")
    person(f"{CODE}\n{CODE}\n")
    ran = pointsman("compete", "new", "--programme", programme)
    assert ran.code == 0
    assert "Commitment of round r1: put it up before the round." in ran.out
    assert CODE not in ran.out + ran.err
    assert ran.err.count("Marshal's code: ") == ran.err.count("The same once more: ") == 1
    assert pointsman("compete", "verify", "club-evening", "--code-file", code).code == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("par_most = 12", "par_most = 2"), "par_most"),
        (('scheme = "par-ratio"', 'scheme = "par-ration"'), "did you mean par-ratio"),
        (("heats = 2", "heats = 3"), "3 heats"),
    ],
)
def test_with_a_mistake_in_the_programme_nothing_begins(
    pointsman: Pointsman, programme: Path, code: Path, change: tuple[str, str], told: str
) -> None:
    programme.write_text(PROGRAMME.replace(*change))
    refused(pointsman("compete", "new", "--programme", programme, "--code-file", code), 3, told)
    refused(pointsman("compete", "standings", "club-evening"), 2, "there is no competition 'club-evening'")


@pytest.mark.parametrize(
    ("text", "told"), [(None, "cannot be read: No such file"), (b"\n", "there is no code"), (b"\xff", "it is no text")]
)
def test_a_file_without_a_code_is_told_of(
    pointsman: Pointsman, programme: Path, code: Path, text: bytes | None, told: str
) -> None:
    code.unlink()
    if text is not None:
        code.write_bytes(text)
    refused(pointsman("compete", "new", "--programme", programme, "--code-file", code), 2, told, str(code))


# ---------------------------------------------------------------- enter


def test_entrants_are_entered_one_by_one_and_from_a_table(pointsman: Pointsman, store: str, tmp_path: Path) -> None:
    ran = pointsman(
        "compete", "enter", "club", "Zoé Léon", "--class", "children", "--train", "Mistral", "--store", store
    )
    assert (ran.code, ran.out) == (0, "zoe-leon  Zoé Léon\n1 entrant added; 3 take part.\n")
    table = tmp_path / "entrants.csv"
    table.write_bytes("\ufeffNom;Club\r\nEve;Nord\r\nFinn;\r\n".encode())
    assert pointsman("compete", "enter", "club", "--from", table, "--store", store, "--json").json["entrants"] == [
        "eve",
        "finn",
    ]
    # Read twice it enters nobody twice; and with one mistake nobody is entered.
    refused(pointsman("compete", "enter", "club", "--from", table, "--store", store), 3, "line 2: Eve is in the comp")
    table.write_text("name,club\nGil,x\n,y\n")
    told = f"{table}: line 3: has no name"
    refused(pointsman("compete", "enter", "club", "--from", table, "--store", store), 3, told)
    assert pointsman("compete", "verify", "club", "--store", store, "--json").json["head"]["entries"] == 16


def test_one_or_a_table_is_entered(pointsman: Pointsman, store: str, tmp_path: Path) -> None:
    for words in ((), ("Eve", "--from", "x"), ("--from", "x", "--club", "y")):
        refused(pointsman("compete", "enter", "club", *words, "--store", store), 2, "one entrant is added by name")
    refused(pointsman("compete", "enter", "club", "--from", tmp_path / "no", "--store", store), 2, "cannot be read")
    refused(pointsman("compete", "enter", "clb", "Eve", "--store", store), 2, "did you mean club?")


# ---------------------------------------------------------------- standings


def test_standings_tell_what_is_certain_from_what_is_open(pointsman: Pointsman, store: str) -> None:
    ran = pointsman("compete", "standings", "club", "--store", store)
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert "First round (r1): best-of-2 by reversals, in pull-drops" in ran.out
    assert "open: 2 attempts to come" in ran.out
    assert ["1?", "Ada", "12", "reversals", "12", "reversals", "-"] in lines
    assert ["2?", "=HYPERLINK(1;2)", "14", "reversals", "14", "reversals", "-"] in lines
    assert max(map(len, ran.out.splitlines())) <= 80
    values = pointsman("compete", "standings", "club", "--store", store, "--json").json
    assert [row["entrant"] for row in values["rounds"][0]["rows"]] == ["ada", "bo"]
    refused(pointsman("compete", "standings", "club", "--round", "r2", "--store", store), 2, "there is no round 'r2'")


# ---------------------------------------------------------------- export


def test_results_are_written_as_tables_and_json_and_nothing_is_replaced(
    pointsman: Pointsman, store: str, tmp_path: Path
) -> None:
    table, whole = tmp_path / "r.csv", tmp_path / "r.json"
    sheet = tmp_path / "r.pdf"
    words = ("compete", "export", "club", "--csv", table, "--json", whole, "--pdf", sheet, "--store", store)
    ran = pointsman(*words)
    assert (ran.code, ran.out) == (0, f"{table}\n{tmp_path / 'r-standings.csv'}\n{whole}\n{sheet}\n")
    assert sheet.read_bytes().startswith(b"%PDF-")
    rows = list(csv.DictReader(io.StringIO(table.read_bytes().decode("utf-8-sig"))))
    assert [row["attempt"] for row in rows] == ["a1", "a1-again", "b1"]
    assert (rows[0]["how it ended"], rows[0]["score"], rows[0]["spare draw"]) == ("equipment", "", "")
    assert (rows[1]["time (s)"], rows[1]["score"], rows[1]["unit"], rows[1]["spare draw"]) == (
        "245.312",
        "12",
        "reversals",
        "1",
    )
    assert (rows[2]["name"], rows[2]["club"], rows[2]["draw"]) == ("'=HYPERLINK(1;2)", "Nord; '-1", "")
    standing = list(csv.DictReader(io.StringIO((tmp_path / "r-standings.csv").read_bytes().decode("utf-8-sig"))))
    ranks = [(row["round"], row["rank"], row["certain"]) for row in standing]
    assert ranks[:2] == [("r1", "1", "no"), ("r1", "2", "no")]
    before = whole.read_bytes()
    again = pointsman(*words)
    assert (again.code, whole.read_bytes()) == (2, before)
    assert "this file is there already" in again.err
    assert pointsman(*words, "--force", "--language", "fr").code == 0
    assert table.read_bytes().decode("utf-8-sig").startswith("manche;titre de la manche;série;")
    assert b"245,312" in table.read_bytes()


def test_an_export_wants_a_file(pointsman: Pointsman, store: str, tmp_path: Path) -> None:
    refused(pointsman("compete", "export", "club", "--store", store), 2, "nothing is to be written")
    nowhere = tmp_path / "no" / "r.csv"
    refused(pointsman("compete", "export", "club", "--csv", nowhere, "--store", store), 2, "cannot be written")
    words = ("compete", "export", "club", "--csv", tmp_path / "r.csv", "--language", "de", "--store", store)
    refused(pointsman(*words), 2, "there is no 'de'")


# ---------------------------------------------------------------- verify


def test_an_exported_competition_is_verified_on_any_computer(
    pointsman: Pointsman, store: str, tmp_path: Path, code: Path
) -> None:
    whole = tmp_path / "club.json"
    assert pointsman("compete", "export", "club", "--json", whole, "--store", store).code == 0
    ran = pointsman("compete", "verify", whole, "--code-file", code)
    assert ran.code == 0
    assert "is right: 13 entries, 3 attempts." in ran.out
    without = pointsman("compete", "verify", whole)
    assert without.code == 0
    assert "not looked at: round r1: its secret is not out" in without.out
    both = ("compete", "verify", "club", "--exported", whole, "--code-file", code, "--store", store)
    assert pointsman(*both).code == 0
    whole.write_bytes(whole.read_bytes().replace(b'"rank": 2', b'"rank": 1', 1))
    wrong = pointsman(*both)
    assert wrong.code == 11
    assert "differs: the exported results: rounds[1].rows[2].rank was told as 1, and is 2" in wrong.out
    assert "1 difference found" in wrong.err
    whole.write_bytes(whole.read_bytes().replace(b'"Ada"', b'"Eda"', 1))
    refused(pointsman("compete", "verify", whole), 11, "entry 2 was changed", str(whole))


def test_a_changed_byte_in_the_store_ends_with_11_and_says_where(pointsman: Pointsman, store: str) -> None:
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("UPDATE entries SET line = replace(line, 'Coal', 'Coat') WHERE seq = 2")
        connection.commit()
    ran = pointsman("compete", "verify", "club", "--store", store, "--json")
    assert ran.code == 11
    assert ran.json["differences"] == [
        {"where": "the book", "what": "entry 2 was changed: entry 3 holds on to another one"}
    ]
    error = ran.json["error"]
    assert (error["kind"], error["exit_code"], ran.json["head"]) == ("CompetitionError", 11, None)
    # Nothing else is done with a book that is not whole.
    for words in (("standings", "club"), ("enter", "club", "Eve")):
        refused(pointsman("compete", *words, "--store", store), 11, "entry 2 was changed")


def test_a_head_that_was_published_is_compared(pointsman: Pointsman, store: str, code: Path) -> None:
    words = ("compete", "verify", "club", "--store", store, "--code-file", code)
    head = pointsman(*words, "--json").json["head"]
    assert pointsman(*words, "--noted", f"{head['entries']}:{head['hash']}").code == 0
    other = pointsman(*words, "--noted", f"3:{head['hash']}")
    assert (other.code, "entry 3 was changed: another hash was noted" in other.out) == (11, True)
    refused(pointsman(*words, "--noted", "3:abc"), 2, "'3:abc' is no head of a book")


def test_the_code_is_asked_for_in_a_terminal_alone(
    pointsman: Pointsman, store: str, person: Callable[[str], None]
) -> None:
    person(f"{CODE}\n")
    ran = pointsman("compete", "verify", "club", "--store", store, "--with-code")
    assert (ran.code, "not looked at" in ran.out) == (0, False)
    person("\n")
    refused(pointsman("compete", "verify", "club", "--store", store, "--with-code"), 2, "no code was typed")


def test_without_a_terminal_the_code_is_not_asked_for(
    pointsman: Pointsman, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(CODE))
    refused(pointsman("compete", "verify", "club", "--store", store, "--with-code"), 2, "--code-file")


def test_every_line_of_an_export_is_json(pointsman: Pointsman, store: str, tmp_path: Path) -> None:
    assert pointsman("compete", "export", "club", "--json", tmp_path / "c.json", "--store", store).code == 0
    values = json.loads((tmp_path / "c.json").read_bytes())
    assert values["competition"] == "club"
    assert [entry["seq"] for entry in values["book"]] == list(range(1, 14))
