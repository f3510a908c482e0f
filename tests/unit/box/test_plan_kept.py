"""Where in its plan a puzzle is that a person drives."""

from __future__ import annotations

import pytest
from boxes import ground
from shared_cache import shared_cache

from pointsman.box.task import deal
from pointsman.box.under_way import UnderWay
from pointsman.puzzle.position import Position, parse_position

GROUND = ground()


@pytest.fixture(autouse=True)
def _cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POINTSMAN_CACHE_DIR", str(shared_cache(tmp_path_factory)))


def at(text: str) -> Position:
    return parse_position(text, GROUND.track)


def followed() -> UnderWay:
    """The plan that it follows: L to s1; draws 2 1; pushes them to s3; draws 1, leaving 2; and so on."""
    return UnderWay(deal(GROUND, "classic", "1", None, lambda _: None))


def test_a_plan_is_gone_on_with_where_it_is_written_otherwise() -> None:
    found = followed()
    assert not found.follow(at("head: L 1 2 | s1: 3 | s2: 4 5"))
    plan, meant = found.task.runs, found.task.runs[2].after
    assert str(meant) == "head: | s1: 3 | s2: 4 5 | s3: 2 | T1>thrown: L | T2>thrown: 1"
    # Pushed no farther than that 2 stands clear, 1 reaches into s3 and the locomotive stands on T2.
    stands = at("s1: 3 | s2: 4 5 | s3: 1 2 | T2>thrown: L")
    assert not found.follow(stands)
    assert (found.done, found.left) == (3, False)
    assert found.next_run is not None
    assert (found.next_run.before, found.next_run.left, found.next_run.after) == (stands, ("2",), plan[3].after)
    found.follow(plan[3].after)
    assert (found.done, found.left) == (4, False)


def test_a_plan_is_left_where_no_run_of_it_leads_on() -> None:
    found = followed()
    found.follow(at("head: L 1 2 | s1: 3 | s2: 4 5"))
    found.follow(at("head: L 1 | s1: 2 3 | s2: 4 5"))
    assert found.left
    assert found.rest == ()
