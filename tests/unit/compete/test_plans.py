"""Plans of rounds and programmes of evenings: read from JSON and TOML, every mistake at once, with its key and cure."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from pointsman.compete.commitment import Files
from pointsman.compete.entries import AdvanceRule, Created, CutOffRule, EntrantAdded
from pointsman.compete.marks import Fault
from pointsman.compete.plans import RoundPlan, check_plan, plan_of, read_programme
from pointsman.compete.ranking import By, Edge
from pointsman.errors import LayoutError
from pointsman.puzzle.puzzle import Count

PLAN: dict[str, Any] = {
    "id": "r1",
    "title": "First round",
    "puzzle": "inglenook-small",
    "count": "pull-drops",
    "scheme": "least-moves",
    "format": "best-of-3",
    "par_least": 8,
    "par_most": 12,
    "heats": 3,
    "spares": 1,
    "time_limit_s": 900,
}
FULL = {
    "cut_off": {"after": 1, "at_most": 12.5},
    "advance": {"by": "percent", "value": 50, "edge": "all stay"},
    "free_faults": ["derailment"],
    "most_faults": 3,
    "most_hints": 0,
    "category": "children",
    "speed_limit_mm_s": 150,
}
OWN = 'title = "Tuesday"\n[weights]\nruns = 1\n'
PROGRAMME = """
name = "club-evening"
title = "Club evening"
date = 2026-11-27
place = "The shed"

[classes]
children = 5

[entrants.ada]
name = "Ada"
club = "Eastern"

[entrants.bo]
name = "Bo"
category = "children"

[rounds.r1]
title = "First round"
puzzle = "inglenook-small"
scheme_file = "tuesday.toml"
format = "best-of-1"
par_least = 8
par_most = 12
heats = 1
category = "children"
"""


def mistakes(error: pytest.ExceptionInfo[LayoutError]) -> dict[str, str]:
    return {mistake.key: f"{mistake.what} -> {mistake.cure}" for mistake in error.value.mistakes}


def test_a_plan_is_what_is_announced() -> None:
    plan = plan_of({**PLAN, **FULL})
    its = plan.announced("inglenook-small/classic", Files("1" * 64, "2" * 64))
    assert (its.round, its.title, its.puzzle, its.count) == (
        "r1",
        "First round",
        "inglenook-small/classic",
        Count.PULL_DROPS,
    )
    assert (its.layout_sha256, its.puzzle_sha256, its.time_limit_ms) == ("1" * 64, "2" * 64, 900_000)
    assert its.cut_off == CutOffRule(1, Fraction(25, 2))
    assert its.advance == AdvanceRule(By.PERCENT, Fraction(50), Edge.NONE)
    assert its.free_faults == (Fault.DERAILMENT,)
    assert (its.par_least, its.par_most, its.heats, its.spares) == (8, 12, 3, 1)
    assert (its.most_faults, its.most_hints, its.category, its.speed_limit_mm_s) == (3, 0, "children", 150)
    # What goes out to a page comes back as it was.
    assert plan_of(plan.model_dump()) == plan


def test_every_mistake_of_a_plan_is_told_at_once() -> None:
    wrong = {
        "id": "R 1",
        "title": " ",
        "scheme": "leest-moves",
        "format": "best-of-x",
        "par_least": 12,
        "par_most": 8,
        "advance": {"by": "rank", "value": 1.5},
        "free_faults": ["hand", "hand"],
    }
    with pytest.raises(LayoutError) as error:
        plan_of({**PLAN, **wrong})
    found = mistakes(error)
    assert found.keys() == {"id", "title", "scheme", "format", "par_most", "advance.value", "free_faults"}
    assert "did you mean least-moves?" in found["scheme"]
    with pytest.raises(LayoutError) as error:
        plan_of({"id": "r1", "heets": 3, "par_least": "8"})
    assert {"title", "puzzle", "format", "heets", "par_least"} <= mistakes(error).keys()


@pytest.mark.parametrize(
    ("changes", "key", "told"),
    [
        ({"heats": 4}, "heats", "take 6, or another multiple of 3"),
        ({"format": "knockout", "advance": {"by": "rank", "value": 1}}, "advance", "it has a winner"),
        ({"time_limit_s": None}, "time_limit_s", "needs a time limit"),
        ({"cut_off": {"after": 3, "at_most": 12}}, "cut_off.after", "cuts nothing off"),
        ({"own_scheme": "title = 3"}, "title", "must be text"),
        ({"scheme": ""}, "scheme", "is missing"),
        ({"scheme_file": "x.toml"}, "scheme_file", "as own_scheme"),
    ],
)
def test_what_cannot_be_right_in_a_plan_is_told_with_its_cure(changes: dict[str, Any], key: str, told: str) -> None:
    with pytest.raises(LayoutError) as error:
        plan_of({**PLAN, **changes})
    assert told in mistakes(error)[key]


def test_what_is_no_plan_is_refused() -> None:
    with pytest.raises(LayoutError, match="is not a table"):
        plan_of([])
    with pytest.raises(LayoutError, match="heats"):
        check_plan(RoundPlan.model_validate({**PLAN, "heats": 4}))
    with pytest.raises(ValidationError):
        RoundPlan.model_validate({**PLAN, "heats": 0})


def test_a_programme_is_read_with_its_schemes_and_classes(tmp_path: Path) -> None:
    (tmp_path / "tuesday.toml").write_text(OWN)
    file = tmp_path / "evening.toml"
    file.write_text(PROGRAMME)
    programme = read_programme(file)
    assert programme.name == "club-evening"
    assert programme.created == Created("Club evening", date(2026, 11, 27), "The shed")
    assert programme.entrants == (EntrantAdded("ada", "Ada", "Eastern"), EntrantAdded("bo", "Bo", category="children"))
    (its,) = programme.rounds
    assert (its.id, its.scheme, its.own_scheme, its.most_wagons) == ("r1", "tuesday", OWN, 5)
    file.write_text(PROGRAMME.replace('"inglenook-small"', '"./club/open-day"'))
    assert read_programme(file).rounds[0].puzzle == str(tmp_path / "club" / "open-day")


def test_every_mistake_of_a_programme_is_told_with_file_and_key(tmp_path: Path) -> None:
    file = tmp_path / "evening.toml"
    wrong = PROGRAMME.replace("[entrants.ada]", "[entrants.Ada]").replace("heats = 1", "heats = 1\nspare = 3")
    wrong = wrong.replace('name = "Bo"', 'name = ""').replace("children = 5", "children = 0")
    file.write_text(wrong.replace("par_least = 8", "par_least = 18"))
    with pytest.raises(LayoutError) as error:
        read_programme(file)
    found = mistakes(error)
    assert found.keys() == {
        "classes.children",
        "entrants.Ada",
        "entrants.bo.name",
        "rounds.r1.spare",
        "rounds.r1.par_most",
        "rounds.r1.scheme_file",
    }
    assert "did you mean spares?" in found["rounds.r1.spare"]
    assert str(tmp_path / "tuesday.toml") in found["rounds.r1.scheme_file"]
    assert {mistake.file for mistake in error.value.mistakes} == {str(file)}
    (tmp_path / "tuesday.toml").write_text("[weights]\nruns = -1\n")
    with pytest.raises(LayoutError) as error:
        read_programme(file)
    assert {mistake.file for mistake in error.value.mistakes} == {str(file), str(tmp_path / "tuesday.toml")}
    (tmp_path / "tuesday.toml").write_text(OWN)
    file.write_text(PROGRAMME.replace("2026-11-27", '"27.11.2026"'))
    with pytest.raises(LayoutError, match="written as 2026-11-27 without quotes"):
        read_programme(file)
    file.write_text(PROGRAMME.replace("[rounds.r1]", '[rounds.r1]\nown_scheme = "x"'))
    with pytest.raises(LayoutError, match="stands beside scheme_file"):
        read_programme(file)
    with pytest.raises(LayoutError, match="there is no such file"):
        read_programme(tmp_path / "none.toml")
