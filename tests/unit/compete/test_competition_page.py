"""docs/competition.md: its programme is the file beside it and is played as it stands, and every key is told of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from desk_bench import CODE, MARSHAL, Watch
from shared_cache import shared_cache

from pointsman.compete.desk import Desk
from pointsman.compete.desk_draws import Draws
from pointsman.compete.export.entrants_csv import read_entrants
from pointsman.compete.plans import RoundTable, read_programme
from pointsman.compete.standings import standings
from pointsman.compete.store.store import Store

DOCS = Path(__file__).parents[3] / "docs"
EVENING = DOCS / "evening"
PAGE = (DOCS / "competition.md").read_text(encoding="utf-8")


def test_the_programme_of_the_page_is_the_file() -> None:
    (shown,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert shown == (EVENING / "evening.toml").read_text(encoding="utf-8")


def test_every_key_of_a_round_is_told_of() -> None:
    table = PAGE.split("| key of a round |")[1].split("\n\n")[0]
    named = {
        name for row in re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE) for name in re.findall("`([^`]+)`", row)
    }
    assert named == set(RoundTable.model_fields) - {"own_scheme"}, "a scheme's text is for the page's own form"


def test_the_evening_can_be_held(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    programme = read_programme(EVENING / "evening.toml")
    with Store(str(tmp_path / "store.sqlite3")) as store:
        desk = Desk.begin(
            store, programme, CODE, MARSHAL, now=Watch(), version="1", draws=Draws(shared_cache(tmp_path_factory))
        )
        entrants = EVENING / "entrants.csv"
        desk.enter_all(read_entrants(entrants.read_bytes(), str(entrants), desk.state.entrants), MARSHAL)
        assert {its.about.name for its in desk.state.entrants.values()} >= {"Ada Byron", "Bo", "Élodie Lefèvre"}
        for name, its in desk.state.rounds.items():
            for _ in range(its.announced.heats):
                desk.open_heat(name, CODE, MARSHAL)
        assert [len(its.heats) for its in desk.state.rounds.values()] == [4, 1]
        assert all(
            its.announced.par_least <= heat.par <= its.announced.par_most
            for its in desk.state.rounds.values()
            for heat in its.heats
        )
        desk.call("r1", "elodie-lefevre", MARSHAL)
        rows = standings(desk.state).rounds["r1"].rows
        assert len(rows) == len(desk.state.entrants) == 6
