"""The model's position of what stands on the metal."""

from __future__ import annotations

from dataclasses import replace

from metal import builtin
from plays import set_up

from pointsman.operate.belief import Belief, Spot
from pointsman.operate.standing import Standing, standing
from pointsman.puzzle.position import Position, parse_position
from pointsman.track.model import Leg, Place

TRACK = builtin("inglenook-small")
LIES = {"T1": Leg.CLOSED, "T2": Leg.CLOSED}


def believed(before: str, **places: tuple[str, float]) -> tuple[Belief, Position]:
    """Everything as in a position, but for some vehicles, whose middle is somewhere else."""
    position = parse_position(before, TRACK)
    belief = replace(set_up(TRACK, position), commanded=LIES)
    spots = {name: Spot(Place(where, LIES.get(where), at), 1.0) for name, (where, at) in places.items()}
    return replace(belief, spots={**belief.spots, **spots}), position


def written(before: str, train: str, **places: tuple[str, float]) -> Standing:
    belief, position = believed(before, **places)
    return standing(TRACK, belief, position, "L", train.split())


def test_what_stands_where_it_stood_is_the_position_before() -> None:
    assert str(written("head: L | s1: 1 2", "L").position) == "head: L | s1: 1 2 | s2: | s3:"


def test_what_reaches_over_an_end_has_not_left() -> None:
    found = written("head: L | s1: 1 2", "L", L=("head", 300.0))
    assert str(found.position) == "head: L | s1: 1 2 | s2: | s3:"


def test_what_has_left_is_on_the_turnout() -> None:
    found = written("head: L | s1: 1 2", "L", L=("T1", 100.0))
    assert str(found.position) == "head: | s1: 1 2 | s2: | s3: | T1>closed: L"


def test_a_train_across_a_turnout_leaves_one_on_it() -> None:
    found = written("head: L 1 | s1: 2", "L 1", L=("T1", 60.0), **{"1": ("T1", 180.0)})
    assert str(found.position) == "head: L | s1: 2 | s2: | s3: | T1>closed: 1"


def test_a_crowd_on_a_turnout_is_written_beside_it() -> None:
    spots = {"1": ("T1", 160.0), "2": ("T1", 240.0)}
    found = written("head: L 1 2 | s1: 3", "L 1 2", L=("T1", 60.0), **spots)
    assert str(found.position) == "head: L 1 | s1: 3 | s2: | s3: | T1>closed: 2"


def test_what_fits_nowhere_is_between_positions() -> None:
    spots = {"1": ("T1", 160.0), "2": ("T1", 240.0)}
    found = written("head: L 3 4 | s1: 1 2 5", "L 1 2", L=("T1", 60.0), **spots)
    assert found.position is None or "T1" in str(found.position)


def test_a_wagon_left_foul_is_between_positions() -> None:
    found = written("head: L | s1: 1 2", "L", **{"1": ("s1", 20.0)})
    assert found.position is None
    assert found.why == "1 stands foul of T1"


def test_the_order_is_that_of_the_metal() -> None:
    found = written("s1: L 1 2 | s2: 3", "L 1 2", L=("s1", 60.0), **{"1": ("s1", 160.0), "2": ("s1", 242.0)})
    assert str(found.position) == "head: | s1: L 1 2 | s2: 3 | s3:"
