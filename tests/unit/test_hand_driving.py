"""Driving by hand as an errand: orders from outside, a result, and a journal that tells it again."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.dispatch.orders import Orders
from pointsman.errors import RefusedError
from pointsman.hand_driving import HandRequest, HandResult, drive_by_hand
from pointsman.links import On, Target
from pointsman.operate.ahead import Protection
from pointsman.operate.retelling import retell
from pointsman.puzzle.choice import choose
from pointsman.record import read
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End, Leg
from pointsman.track.wiring_file import load_wiring


def sat(tmp_path: Path, orders: Orders) -> HandResult:
    chosen = choose("inglenook-small/classic", seed="1")
    wiring = load_wiring(find_wiring(chosen.folder), chosen.track)
    request = HandRequest(
        chosen=chosen,
        wiring=wiring,
        target=Target(On.SIM),
        facing=End.TO,
        journal=tmp_path / "journal",
        orders=orders,
    )
    return drive_by_hand(request, lambda _: None, lambda _: None)


def test_orders_given_before_it_began_are_carried_out(tmp_path: Path) -> None:
    orders = Orders()
    answers = [
        orders.turnout("me", "T2", Leg.THROWN),
        orders.uncouple("me", "s3"),
        orders.protect("me", Protection.WARN),
        orders.finish("me"),
    ]
    result = sat(tmp_path, orders)
    assert answers[0].result(0) == 0
    with pytest.raises(RefusedError, match=r"magnet s3"):
        answers[1].result(0)
    assert answers[3].result(0) == 0
    assert result.score.turnouts_moved == 3, "both once at the beginning"
    assert not result.reached
    assert result.truth is not None
    assert result.truth.incidents == ()


def test_a_solution_that_the_program_plays_and_its_journal(tmp_path: Path) -> None:
    chosen = choose("inglenook-small/classic", seed="1")
    runs = solve(chosen.track, chosen.start, chosen.goal, chosen.puzzle.count).runs
    orders = Orders()
    answer = orders.play("me", runs)
    orders.finish("me")
    result = sat(tmp_path, orders)
    assert answer.result(0) == len(runs)
    assert result.reached
    assert result.truth is not None
    assert result.truth.good
    assert result.figures.runs == len(runs)
    told = retell(read(tmp_path / "journal"), "journal")
    assert told.done
    assert (told.position, told.score.runs) == (str(result.position), len(runs))
    assert told.score.reversals == result.figures.reversals
