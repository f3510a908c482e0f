"""docs/competition-export.md names every column, header and key that there is."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from evening import attempt, evening, finished

from pointsman.compete.entries import AttemptEnded
from pointsman.compete.export import attempts_csv, entrants_csv, standings_csv
from pointsman.compete.export.book_json import _KEYS, FORM
from pointsman.compete.export.results import results_of
from pointsman.compete.marks import Figure, Outcome
from pointsman.compete.standings import standings
from pointsman.web.french import sentence

PAGE = (Path(__file__).parents[3] / "docs" / "competition-export.md").read_text(encoding="utf-8")


def section(name: str, until: str) -> list[str]:
    text = PAGE.split(name)[1].split(until)[0]
    return [
        named for row in re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE) for named in re.findall("`([^`]+)`", row)
    ]


def test_every_header_of_entrants_is_there() -> None:
    headers = section("## Entrants from a spreadsheet", "## Results")
    assert sorted(entrants_csv._plain(header) for header in headers) == sorted(entrants_csv._COLUMNS)


@pytest.mark.parametrize(
    ("table", "name", "until"),
    [(attempts_csv, "**Attempts.**", "**Standings.**"), (standings_csv, "**Standings.**", "## JSON")],
)
def test_every_column_is_there_and_has_french(table: object, name: str, until: str) -> None:
    headings: tuple[str, ...] = table.HEADINGS  # type: ignore[attr-defined]  # both have them
    assert sorted(section(name, until)) == sorted(headings)
    same = {"club", "train", "score", "par", "journal"}
    assert {heading for heading in headings if sentence(heading) == heading} <= same


def test_every_key_of_the_json_is_there() -> None:
    assert f"`{FORM}`" in PAGE
    assert set(section("## JSON", "Spaces, line ends")) == set(_KEYS)
    its = evening()
    its.write(attempt(), AttemptEnded("a1", Outcome.FINISHED, marks=replace(finished(), reversals=Figure(3))))
    results = results_of(standings(its.book.state))
    keys = set()

    def gather(value: object) -> None:
        if isinstance(value, dict):
            keys.update(value)
            for inner in value.values():
                gather(inner)
        elif isinstance(value, list):
            for inner in value:
                gather(inner)

    gather(results)
    assert {"rows", "score", "outcome", "rank_certain"} < keys
    assert {key for key in keys if f"`{key}`" not in PAGE.split("## JSON")[1]} == set()
