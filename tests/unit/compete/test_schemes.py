"""The schemes by worked examples from their sources' rules, and what holds for each of them."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from attempts import ABSENT, AGAIN, attempts, played
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.compete.marks import Fault, Figure, Marks, Measure, Outcome, with_fault
from pointsman.compete.scoring.book import SCHEMES, scheme_named
from pointsman.compete.scoring.own import read_own
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.compete.scoring.score import Score
from pointsman.errors import UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

LIMIT = Terms(Count.RUNS, 900_000)
DNF = Outcome.DID_NOT_FINISH
OWN = read_own(
    """
title = "All that can be"
over_par = ["runs"]
ties = ["faults", "time_s"]
did_not_finish = 300
did_not_start = 400
[weights]
time_s = 0.1
runs = 3
reversals = 0.5
[penalties]
derailment = 10
side-swipe = 20
hand = 5
over-full = 1
hints = 4
[caps]
points = 300
hints = 2
faults = 4
""",
    file="own.toml",
)
MORE_IS_BETTER = read_own(
    'title = "From a hundred"\nstart_with = 100\n[weights]\nruns = 2\n[penalties]\nhand = 7.5\n', file="more.toml"
)
EVERY = [*SCHEMES.values(), OWN, MORE_IS_BETTER]
every_scheme = st.sampled_from(EVERY)


def score(name: str, marks: Marks, terms: Terms = LIMIT) -> Score:
    found = scheme_named(name).attempt(marks, terms)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("scheme", "marks", "terms", "text", "rank"),
    [
        # Allen: a minute for each derailment and side-swipe.
        ("allen", played(seconds=245.312), LIMIT, "4:05.312", ""),
        ("allen", played(seconds=245.312, faults={Fault.DERAILMENT: 1, Fault.SIDE_SWIPE: 1}), LIMIT, "6:05.312", ""),
        ("allen", played(seconds=60, faults={Fault.HAND: 2, Fault.OVER_FULL: 1}), LIMIT, "4:00", ""),
        ("allen", played(seconds=245.312, runs=99), LIMIT, "4:05.312", ""),  # the number of moves does not count
        # The fewest moves under a cap of time: just at the cap is under it.
        ("least-moves", played(runs=17, seconds=900), LIMIT, "17 runs", ""),
        ("least-moves", played(runs=17, seconds=900.001), LIMIT, "did not finish", ""),
        ("least-moves", played(pull_drops=9), Terms(Count.PULL_DROPS, 900_000), "9 pull-drops", ""),
        ("least-moves", played(couplings=1), Terms(Count.COUPLINGS, 900_000), "1 coupling", ""),
        # Movesaver: reversals only, derailments free.
        ("reversals", played(reversals=14), LIMIT, "14 reversals", ""),
        ("reversals", played(reversals=14, faults={Fault.DERAILMENT: 3}), LIMIT, "14 reversals", ""),
        # NMRA: couplings count.
        ("moves-and-time", played(couplings=9, runs=14, seconds=185), LIMIT, "41.5 points", ""),
        # Gare de triage: the minimum makes a Chef de gare; 12 + 3 is a quarter over.
        ("par-ratio", played(runs=12), LIMIT, "100 %", "Chef de gare"),
        ("par-ratio", played(runs=14), LIMIT, "116.67 %", "Aiguilleur"),
        ("par-ratio", played(runs=15), LIMIT, "125 %", "Aiguilleur"),
        ("par-ratio", played(runs=16), LIMIT, "133.33 %", "Atteleur"),
        ("par-ratio", played(pull_drops=8), Terms(Count.PULL_DROPS), "133.33 %", "Aiguilleur"),
        ("par-ratio", played(seconds=112.5), Terms(Count.SECONDS), "125 %", "Aiguilleur"),
        ("par-ratio", played(seconds=112.6), Terms(Count.SECONDS), "125.11 %", "Atteleur"),
        # Mexican Train: what is left in hand; a flat 120 for who could not start.
        ("added-up", played(runs=12), LIMIT, "0 points", ""),
        ("added-up", played(runs=15), LIMIT, "3 points", ""),
        ("added-up", played(runs=10, left={Count.RUNS: 7}, outcome=DNF), LIMIT, "did not finish, 5 points", ""),
        ("added-up", played(runs=10, outcome=DNF), LIMIT, "did not finish, 120 points", ""),
        ("added-up", played(runs=200), LIMIT, "120 points", ""),
        ("added-up", played(runs=12, seconds=901), LIMIT, "did not finish, 120 points", ""),
        ("added-up", ABSENT, LIMIT, "did not start, 120 points", ""),
        # L'Aiguilleur: five less for each help given.
        ("aiguilleur", played(runs=19, helped=1), LIMIT, "2 points", ""),
        ("aiguilleur", played(runs=13, helped=1), LIMIT, "-4 points", ""),
        ("aiguilleur", played(runs=9, left={Count.RUNS: 9}, outcome=DNF), LIMIT, "did not finish, 6 points", ""),
        ("aiguilleur", played(outcome=DNF), LIMIT, "did not finish", ""),
    ],
)
def test_a_worked_example(scheme: str, marks: Marks, terms: Terms, text: str, rank: str) -> None:
    found = score(scheme, marks, terms)
    assert (found.text, found.rank) == (text, rank)


def test_why_one_that_reached_the_goal_has_not_finished() -> None:
    assert score("least-moves", played(seconds=901)).why == "over the time limit of 15:00"


@pytest.mark.parametrize(
    ("terms", "faults", "hints", "text", "why"),
    [
        (Terms(most_faults=1), {Fault.DERAILMENT: 1}, 0, "2:40", ""),
        (
            Terms(most_faults=1),
            {Fault.DERAILMENT: 1, Fault.HAND: 1},
            0,
            "did not finish",
            "faults: 2, and at most 1 are",
        ),
        (Terms(most_faults=0, free=frozenset({Fault.DERAILMENT})), {Fault.DERAILMENT: 4}, 0, "1:40", ""),
        (Terms(most_hints=2), {}, 2, "1:40", ""),
        (Terms(most_hints=2), {}, 3, "did not finish", "hints: 3, and at most 2 are allowed"),
    ],
)
def test_the_rounds_rules_for_faults_and_hints(
    terms: Terms, faults: dict[Fault, int], hints: int, text: str, why: str
) -> None:
    found = score("allen", played(faults=faults, hints=hints), terms)
    assert found.text == text
    assert found.why.startswith(why)
    assert bool(found.why) is bool(why)


def test_a_free_fault_weakens_nothing() -> None:
    marked = with_fault(played(), Fault.DERAILMENT)
    assert score("allen", marked, Terms(free=frozenset({Fault.DERAILMENT}))).origin is Origin.SEEN


def test_the_stated_tie_breaks() -> None:
    quick, slow = played(runs=14, seconds=100), played(runs=14, seconds=101)
    for name in ("least-moves", "par-ratio"):
        assert score(name, quick) < score(name, slow)
    assert score("reversals", quick).ties_with(score("reversals", slow))
    clean, lucky = played(seconds=160), played(seconds=100, faults={Fault.HAND: 1})
    assert score("allen", clean) < score("allen", lucky)
    few, many = played(runs=12, seconds=120), played(runs=14, seconds=100)
    assert score("moves-and-time", few) < score("moves-and-time", many)


def heat(white: int | None, **marks: Marks) -> dict[str, str]:
    scores = scheme_named("aiguilleur").heat(marks, LIMIT, white)
    return {name: "again" if found is None else found.text for name, found in scores.items()}


def test_the_white_train_and_the_winner_of_a_heat() -> None:
    anna, ben, eve = (
        played(runs=13, placed=5),
        played(runs=15, placed=5),
        played(runs=12, left={Count.RUNS: 4}, outcome=DNF),
    )
    # The white train has 2 wagons fewer in their places than the winner's: one point for each of the others.
    assert heat(3, anna=anna, ben=ben, eve=eve) == {
        "anna": "-4 points",
        "ben": "4 points",
        "eve": "did not finish, 5 points",
    }
    assert heat(5, anna=anna, ben=ben)["ben"] == "3 points"  # it ran as far
    assert heat(8, anna=anna, ben=ben)["ben"] == "3 points"  # further is no bonus
    assert heat(None, anna=anna, ben=ben)["ben"] == "3 points"
    assert heat(2, anna=anna, ben=ben, eve=ABSENT) == {"anna": "-4 points", "ben": "6 points", "eve": "did not start"}
    # Two who tie have both won, and one cannot share a penalty with nobody.
    assert heat(0, anna=anna, ben=anna) == {"anna": "-4 points", "ben": "-4 points"}
    # Nobody has finished: nobody has won.
    assert heat(0, eve=eve) == {"eve": "did not finish, 4 points"}
    assert heat(0, anna=anna, ben=AGAIN) == {"anna": "1 point", "ben": "again"}


def test_thirds_of_the_white_train_are_exact() -> None:
    marks = {"w": played(), **{name: played(runs=13) for name in "abc"}}
    scores = scheme_named("aiguilleur").heat(marks, LIMIT, 3)
    assert scores["a"] is not None
    assert scores["a"].value == 1 + Fraction(2, 3)
    assert scores["a"].text == "1.67 points"


def test_the_share_rests_on_how_the_winners_wagons_were_counted() -> None:
    winner = replace(played(), placed=Figure(5, Origin.INFERRED))
    scores = scheme_named("aiguilleur").heat({"w": winner, "a": played(runs=13)}, LIMIT, 3)
    assert scores["a"] is not None
    assert scores["a"].origin is Origin.INFERRED
    with pytest.raises(UsageError, match="wagons in their places"):
        scheme_named("aiguilleur").heat({"w": played(placed=None), "a": played(runs=13)}, LIMIT, 3)


def test_a_score_names_the_weakest_origin_it_used_and_no_other() -> None:
    by_hand = replace(played(), couplings=Figure(8, Origin.ENTERED))
    assert score("allen", by_hand, Terms()).origin is Origin.SEEN
    assert score("moves-and-time", by_hand, Terms()).origin is Origin.ENTERED
    assert score("allen", with_fault(by_hand, Fault.HAND)).origin is Origin.ENTERED
    assert score("reversals", replace(by_hand, outcome_origin=Origin.INFERRED)).origin is Origin.INFERRED
    timed = replace(played(), time_ms=Figure(1000, Origin.ENTERED))
    assert score("reversals", timed, LIMIT).origin is Origin.ENTERED  # it was within its limit by that clock
    assert score("reversals", timed, Terms()).origin is Origin.SEEN


def test_what_was_not_measured_is_named() -> None:
    bare = Marks(Outcome.FINISHED)
    with pytest.raises(UsageError, match="the time on the clock of an attempt was not measured"):
        score("allen", bare, Terms())
    with pytest.raises(UsageError, match="the par in runs of an attempt is not known"):
        score("added-up", replace(played(), par={}))
    with pytest.raises(UsageError, match="the par in runs of an attempt is not known"):
        score("par-ratio", replace(played(), par={Count.RUNS: 0}))
    with pytest.raises(UsageError, match="least-moves needs a time limit"):
        scheme_named("least-moves").heat({"a": played()}, Terms())


def test_a_scheme_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="did you mean reversals"):
        scheme_named("reversal")


@pytest.mark.parametrize("scheme", EVERY, ids=lambda scheme: scheme.name)
@pytest.mark.parametrize("count", Count)
def test_a_scheme_needs_what_it_says_and_nothing_else(scheme: Scheme, count: Count) -> None:
    terms = Terms(count, 900_000)
    needed = scheme.measures(terms)
    needed |= {Measure.RUNS, Measure.COUPLINGS} if Measure.COUPLING_RUNS in needed else set()
    whole = played()
    kept = {"time_ms" if measure is Measure.TIME else measure.value for measure in needed}
    bare = {
        name: None for name in ("time_ms", "runs", "reversals", "couplings", "pull_drops", "placed") if name not in kept
    }
    assert scheme.attempt(replace(whole, **bare), terms) == scheme.attempt(whole, terms)


# ---------------------------------------------------------------- what holds for every scheme


@given(every_scheme, attempts(), st.sampled_from(Fault), st.sampled_from(Count))
def test_a_fault_never_helps(scheme: Scheme, marks: Marks, fault: Fault, count: Count) -> None:
    terms = Terms(count, 900_000, frozenset({Fault.SIDE_SWIPE}), most_faults=4)
    one, other = scheme.attempt(marks, terms), scheme.attempt(with_fault(marks, fault), terms)
    assert one is not None
    assert other is not None
    assert one.key <= other.key


@given(every_scheme, attempts(), st.sampled_from(["runs", "reversals", "couplings", "pull_drops", "hints", "time_ms"]))
def test_more_of_anything_never_helps(scheme: Scheme, marks: Marks, name: str) -> None:
    figure = getattr(marks, name)
    more = replace(marks, **{name: replace(figure, value=figure.value + 1)})
    one, other = scheme.attempt(marks, LIMIT), scheme.attempt(more, LIMIT)
    assert one is not None
    assert other is not None
    assert one.key <= other.key


@given(every_scheme, attempts(Outcome.FINISHED), attempts(DNF), st.booleans())
def test_not_finished_is_after_finished_and_before_not_started(
    scheme: Scheme, well: Marks, badly: Marks, empty: bool
) -> None:
    finished = scheme.attempt(well, Terms())
    not_finished = scheme.attempt(badly, Terms())
    not_started = scheme.attempt(ABSENT if empty else replace(badly, outcome=Outcome.DID_NOT_START), Terms())
    assert finished is not None
    assert not_finished is not None
    assert not_started is not None
    if finished.outcome is Outcome.FINISHED:  # within the caps of the club's own
        assert finished < not_finished
    assert not_finished < not_started


@settings(max_examples=50)
@given(every_scheme, st.lists(attempts(), min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_the_order_of_entrants_changes_no_score(scheme: Scheme, some: list[Marks], random: Random) -> None:
    marks = {f"e{number}": its for number, its in enumerate(some)}
    names = list(marks)
    random.shuffle(names)
    assert scheme.heat({name: marks[name] for name in names}, LIMIT, 2) == scheme.heat(marks, LIMIT, 2)


@settings(max_examples=50)
@given(every_scheme, st.lists(attempts(), min_size=3, max_size=3))
def test_scores_are_a_total_preorder_and_ties_are_symmetric(scheme: Scheme, some: list[Marks]) -> None:
    a, b, c = (found for marks in some if (found := scheme.attempt(marks, LIMIT)) is not None)
    assert (a < b) + (b < a) + a.ties_with(b) == 1
    assert a.ties_with(b) == b.ties_with(a)
    assert not (a < b < c) or a < c
    assert not (a.ties_with(b) and b.ties_with(c)) or a.ties_with(c)


@pytest.mark.parametrize("scheme", EVERY, ids=lambda scheme: scheme.name)
def test_after_an_equipment_fault_there_is_no_score(scheme: Scheme) -> None:
    assert scheme.attempt(AGAIN, LIMIT) is None
