"""What a person drives is counted as the model counts it."""

from __future__ import annotations

from dataclasses import replace

from metal import builtin

from pointsman.operate.hand_referee import Earlier, Figures, Movement, Place, Tally, begun, moved, parted, placed
from pointsman.operate.referee import Origin
from pointsman.puzzle.position import parse_position
from pointsman.track.model import Track

TRACK: Track = builtin("inglenook-small")


def place(text: str | None, **elements: str) -> Place:
    """A position (None: between positions), with where else the model's words say a vehicle is not."""
    if text is None:
        return Place(None, elements)
    position = parse_position(text, TRACK)
    return Place(position, {name: position.where(name)[0] for name in position.vehicles} | elements)


START = "head: L | s1: 1 2"


def start() -> Tally:
    return begun(place(START), "L", "head")


def run(text: str | None, train: str, *, hauled: int = 1, forward: bool = True, **more: object) -> Movement:
    elements = more.pop("elements", {})
    assert isinstance(elements, dict)
    values: dict[str, object] = {"least_mm": 200.0, **more}
    return Movement(forward, train=tuple(train.split()), hauled=hauled, after=place(text, **elements), **values)  # type: ignore[arg-type]


def counts(tally: Tally) -> tuple[int, int, int, int]:
    found = tally.counted
    return found.runs, found.reversals, found.couplings, found.pull_drops


COUPLED_UP = run("s1: 1 2 | T1>closed: L", "L 1 2")
DRAWN_HOME = run("head: L 1 | s1: 2", "1 L", hauled=2, forward=False, behind="2")


def test_nothing_is_counted_at_the_start() -> None:
    assert counts(start()) == (0, 0, 0, 0)


def test_a_run_is_counted_at_once_and_what_is_only_met_is_not_coupled() -> None:
    assert counts(moved(start(), COUPLED_UP)) == (1, 0, 0, 0)


def test_what_is_drawn_is_coupled_and_the_way_back_is_a_reversal_and_a_pull() -> None:
    assert counts(moved(moved(start(), COUPLED_UP), DRAWN_HOME)) == (2, 1, 1, 1)


def test_a_pair_that_was_moved_together_counts_again_when_it_is_parted() -> None:
    tally = moved(moved(start(), COUPLED_UP), DRAWN_HOME)
    tally = moved(tally, run("s1: 1 2 | T1>closed: L", "L 1 2"))
    tally = parted(tally, ["1", "2"])
    tally = moved(tally, run(START, "L", forward=False, behind="1"))
    assert counts(tally) == (4, 3, 2, 2), "one made and one broken, pulled and dropped"


def test_a_movement_that_changes_nothing_is_no_run() -> None:
    tally = moved(start(), run(START, "L"))
    tally = moved(tally, run(START, "L", forward=False))
    assert counts(tally) == (0, 0, 0, 0)
    assert counts(moved(tally, COUPLED_UP)) == (1, 0, 0, 0), "and no first direction either"


def test_a_stop_and_a_start_the_same_way_is_a_run_and_no_reversal() -> None:
    tally = moved(start(), run("s1: 1 2 | T1>closed: L", "L"))
    assert counts(moved(tally, run("s1: L 1 2", "L 1 2"))) == (2, 0, 0, 0)


def test_a_stop_over_an_uncoupler_belongs_to_the_run() -> None:
    drawn = run("head: L | T1>closed: 1 | s1: 2", "1 L", hauled=2, forward=False, over_magnet=True)
    tally = moved(moved(start(), COUPLED_UP), drawn)
    tally = parted(tally, ["2"])
    assert counts(moved(tally, DRAWN_HOME)) == (2, 1, 1, 1)


def test_what_was_brought_there_in_this_run_cannot_be_left_in_it() -> None:
    tally = begun(place("s1: 1 L | s2: 2"), "L", "head")
    over = run("head: L 1 | s2: 2", "1 L", hauled=2, forward=False, over_magnet=True)
    tally = parted(moved(tally, over), ["1"])
    on = run("T1>closed: L | head: 1 | s2: 2", "L", forward=False, behind="1")
    assert counts(moved(tally, on))[0] == 2


def test_a_slack_back_belongs_to_the_run_whoever_makes_it() -> None:
    drawn = run("head: L | T1>closed: 1 | s1: 2", "1 L", hauled=2, forward=False, over_magnet=True)
    tally = moved(moved(start(), COUPLED_UP), drawn)
    for slack in (
        run("head: L | T1>closed: 1 | s1: 2", "L 1 2", least_mm=15.0),
        run("head: L | T1>closed: 1 | s1: 2", "L 1 2", least_mm=25.0, slack_back=True),
    ):
        back = parted(moved(tally, slack), ["2"])
        assert counts(moved(back, DRAWN_HOME)) == (2, 1, 1, 1)


def test_a_longer_way_back_is_a_run() -> None:
    drawn = run("head: L | T1>closed: 1 | s1: 2", "1 L", hauled=2, forward=False, over_magnet=True)
    tally = moved(moved(start(), COUPLED_UP), drawn)
    tally = moved(tally, run("s1: 1 2 | T1>closed: L", "L 1 2", least_mm=60.0))
    assert counts(tally)[:2] == (3, 2)


def test_between_positions_is_counted() -> None:
    crowded = run(None, "1 L", hauled=2, forward=False, elements={"L": "T1", "1": "T1", "2": "s1"})
    tally = moved(moved(start(), COUPLED_UP), crowded)
    assert counts(tally) == (2, 1, 1, 0)


def test_a_trip_that_visits_two_sidings_counts_both() -> None:
    tally = begun(place("head: L 1 2"), "L", "head")
    tally = moved(tally, run("head: L | T1>closed: 1 | s1: 2", "L 1 2"))
    tally = moved(tally, run("head: L | T1>thrown: 1 | s1: 2", "1 L", hauled=2, forward=False))
    tally = moved(tally, run("T2>closed: L | s2: 1 | s1: 2", "L 1"))
    tally = moved(tally, run("head: L | s2: 1 | s1: 2", "L", forward=False, behind="1"))
    assert counts(tally)[3] == 2


def test_no_pull_drops_where_there_is_no_fan() -> None:
    tally = begun(place(START), "L")
    assert counts(moved(moved(tally, COUPLED_UP), DRAWN_HOME))[3] == 0


def test_a_run_of_a_plan_ends_in_the_position_that_the_plan_says() -> None:
    crowded = run(None, "L 1", elements={"L": "T1", "1": "T1", "2": "s1"})
    tally = placed(moved(start(), crowded), parse_position(START, TRACK))
    assert counts(tally)[0] == 0, "it has changed nothing"


class TestGoingOn:
    """After a person has put everything right."""

    EARLIER = Earlier(Figures(4, 3, 5, 2), frozenset({frozenset("L1"), frozenset("12")})).put_right

    def test_the_figures_go_on_and_rest_on_that_word(self) -> None:
        tally = begun(place(START), "L", "head", self.EARLIER)
        assert counts(tally) == (4, 3, 5, 2)
        tally = moved(moved(tally, COUPLED_UP), DRAWN_HOME)
        assert counts(tally) == (6, 4, 7, 3), "1 was parted from 2 again, and coupled to L"
        assert set(tally.counted.origins.values()) == {Origin.ENTERED}

    def test_what_was_coupled_and_stands_side_by_side_is_not_counted_again(self) -> None:
        tally = begun(place("head: L 1 | s1: 2"), "L", "head", self.EARLIER)
        assert tally.so_far.pairs == {frozenset("L1")}
        tally = moved(tally, run("T1>closed: 1 | head: L | s1: 2", "L 1"))
        assert counts(tally)[2] == 5
        assert counts(moved(tally, run("head: L 1 2", "2 1 L", hauled=3, forward=False)))[2] == 6

    def test_a_trip_that_was_under_way_is_counted_when_it_comes_home(self) -> None:
        tally = begun(place("s1: L 1 2"), "L", "head", self.EARLIER)
        assert counts(moved(tally, DRAWN_HOME))[3] == 3


def test_how_many_pull_drops_a_trip_would_be_that_is_under_way() -> None:
    assert start().so_far.under_way == 0
    tally = moved(start(), COUPLED_UP)
    assert (tally.so_far.under_way, counts(tally)[3]) == (1, 0)
    tally = moved(tally, run("T1>closed: 1 | s1: 2 | head: L", "1 L", hauled=2, forward=False, behind="2"))
    tally = moved(tally, run("T2>closed: L | s2: 1 | s1: 2", "L 1"))
    assert tally.so_far.under_way == 2, "it has visited two sidings"
    tally = moved(tally, run("head: L | s2: 1 | s1: 2", "L", forward=False))
    assert (tally.so_far.under_way, counts(tally)[3]) == (0, 2)


def test_every_figure_says_where_it_comes_from() -> None:
    unseen = replace(COUPLED_UP, seen=False)
    found = moved(start(), unseen).counted
    assert found.origins == {
        "runs": Origin.INFERRED,
        "reversals": Origin.SEEN,
        "couplings": Origin.SEEN,
        "pull_drops": Origin.SEEN,
    }
    by_hand = parted(moved(start(), COUPLED_UP), ["1"], entered=True)
    assert set(by_hand.counted.origins.values()) == {Origin.ENTERED}
