"""docs/scoring.md says what the program does: its figures are computed, its example is read, no name is missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from attempts import played

from pointsman.compete.doubts import ENOUGH, LEAST_RUN_MS, SPREADS, DoubtKind
from pointsman.compete.formats import FORMATS
from pointsman.compete.marks import Fault
from pointsman.compete.marks_json import _Marks, marks_of, marks_values
from pointsman.compete.scoring import own
from pointsman.compete.scoring.book import SCHEMES
from pointsman.compete.scoring.own import read_own
from pointsman.compete.scoring.scheme import Terms
from pointsman.errors import LayoutError

PAGE = (Path(__file__).parents[3] / "docs" / "scoring.md").read_text(encoding="utf-8")
ANNA = played(seconds=245.312, runs=14, reversals=11, couplings=9, faults={Fault.DERAILMENT: 1})
LIMITED = Terms(time_limit_ms=900_000)
ROWS = dict(re.findall(r"^\| `([a-z-]+)` \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE))


def test_every_scheme_has_its_row_and_its_paragraph() -> None:
    assert set(SCHEMES) <= set(ROWS)
    assert all(f"\n**{name}.**" in PAGE for name in SCHEMES)
    assert all(scheme.title and scheme.source for scheme in SCHEMES.values())


@pytest.mark.parametrize("name", SCHEMES)
def test_the_figure_in_the_table_is_the_schemes(name: str) -> None:
    score = SCHEMES[name].attempt(ANNA, LIMITED)
    assert score is not None
    assert ", ".join(filter(None, (score.text, score.rank))) == ROWS[name]


def test_every_format_is_there() -> None:
    assert all(f"| `{name}` |" in PAGE for name in FORMATS)


def test_every_kind_of_doubt_is_there_with_its_figures() -> None:
    told = PAGE.partition("\n## Doubts\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \|", told, re.MULTILINE) == list(DoubtKind)
    assert f"more than {SPREADS} times the usual distance" in told
    assert (ENOUGH, LEAST_RUN_MS) == (5, 1000)
    assert "at least five have" in told
    assert "more runs than seconds" in told


def test_the_example_of_a_scheme_of_ones_own_is_one() -> None:
    (text,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    score = read_own(text, file="tuesday.toml").attempt(ANNA, Terms())
    assert score is not None
    assert f"derailment: {score.text}." in PAGE


def test_the_example_of_a_mistake_is_what_is_told() -> None:
    with pytest.raises(LayoutError) as caught:
        read_own('title = "t"\n[weights]\nrums = 3\n', file="tuesday.toml")
    assert str(caught.value).replace("\n", "\n    ") in PAGE


def test_every_key_is_there() -> None:
    shape = own._OwnFile
    tables = {
        name: info.annotation for name, info in shape.model_fields.items() if name in ("weights", "penalties", "caps")
    }
    rows = dict(re.findall(r"^\| (at the top|`\[[a-z]+\]`) \| (.+) \|$", PAGE, re.MULTILINE))
    top = [key for key in shape.model_fields if key not in tables]
    wanted = {"at the top": sorted(top)}
    for name, table in tables.items():
        assert table is not None
        wanted[f"`[{name}]`"] = sorted(info.alias or key for key, info in table.model_fields.items())
    assert {where: sorted(re.findall(r"`([^`]+)`", keys)) for where, keys in rows.items()} == wanted


def test_the_example_of_marks_is_read_and_every_key_of_theirs_is_there() -> None:
    (text,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
    values = json.loads(text)
    assert marks_values(marks_of(values, "the page")) == values
    told = PAGE.partition("## Marks as JSON")[2]
    assert [key for key in _Marks.model_fields if f"`{key}`" not in told and f'"{key}"' not in told] == []
