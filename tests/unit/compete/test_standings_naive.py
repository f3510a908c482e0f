"""Standings against a recomputation that knows nothing of the program's, and what must hold whatever is played."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random

from attempts import ABSENT, PAR, played
from club import Club
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from pointsman.compete.entries import AdvanceRule, CutOffRule, EntrantAdded
from pointsman.compete.marks import Fault, Figure, Marks, Outcome, with_fault
from pointsman.compete.ranking import By, Edge
from pointsman.compete.schedule import due, next_place
from pointsman.compete.scoring.book import SCHEMES
from pointsman.compete.standings import Advances, RoundStanding, Tables, standings
from pointsman.puzzle.puzzle import Count

LIMIT_MS = 900_000
OWN = 'title = "Own"\n[weights]\nruns = 3\n[penalties]\nhand = 10\n'
FORMATS = ("best-of-1", "best-of-2", "mean-of-2", "average-of-3", "sum-of-2", "best-2-of-3", "pairs-best-of-2")
ATTEMPTS = {name: 3 if name.endswith("of-3") else int(name[-1]) for name in FORMATS}
QUANTA = {"allen": 1000}

# A score is (class, has no value, value, tie-breaks...); the least is the best.
Plain = tuple[Fraction | int, ...]


ByHand = tuple[int, Fraction | None, tuple[int, ...]]


def by_hand(scheme: str, marks: Marks) -> ByHand:
    """Class, value and tie-breaks of one attempt."""
    assert (marks.time_ms and marks.runs and marks.reversals and marks.couplings) or marks is ABSENT
    kind = {Outcome.FINISHED: 0, Outcome.DID_NOT_FINISH: 1, Outcome.DID_NOT_START: 2}[marks.outcome]
    if marks is ABSENT:
        return 2, Fraction(120) if scheme == "added-up" else None, ()
    ms, runs = marks.time_ms.value, marks.runs.value  # type: ignore[union-attr]
    over = max(0, runs - PAR[Count.RUNS])
    if kind == 0 and ms > LIMIT_MS:
        return 1, Fraction(120) if scheme == "added-up" else None, ()
    if kind:
        left = marks.left.get(Count.RUNS) if kind == 1 else None
        hand = None if left is None else max(0, runs + left - PAR[Count.RUNS])
        if scheme == "added-up":
            return kind, Fraction(120 if hand is None else min(120, hand)), ()
        if scheme == "aiguilleur" and hand is not None:
            return kind, Fraction(hand - 5 * marks.helped.value), ()
        return kind, None, ()
    faults = sum(figure.value for figure in marks.faults.values())
    moves = runs + marks.couplings.value  # type: ignore[union-attr]
    return {
        "allen": (0, Fraction(ms, 1000) + 60 * faults, (faults,)),
        "least-moves": (0, Fraction(runs), (ms,)),
        "reversals": (0, Fraction(marks.reversals.value), ()),  # type: ignore[union-attr]
        "moves-and-time": (0, moves + Fraction(ms, 10_000), (moves,)),
        "par-ratio": (0, Fraction(100 * runs, PAR[Count.RUNS]), (ms,)),
        "added-up": (0, Fraction(min(120, over)), ()),
        "aiguilleur": (0, Fraction(over - 5 * marks.helped.value), ()),
        "own": (0, Fraction(3 * runs + 10 * marks.faults.get(Fault.HAND, Figure(0)).value), ()),
    }[scheme]


def rounded(scheme: str, value: Fraction | None) -> Fraction | None:
    if value is None:
        return None
    quantum = QUANTA.get(scheme, 100)
    return Fraction(math.floor(value * quantum + Fraction(1, 2)), quantum)


def plain(kind: int, value: Fraction | None, *ties: Fraction | int) -> Plain:
    return (kind, int(value is None), value or 0, *ties)


def in_heat(
    rows: Mapping[str, Sequence[Marks]], number: int
) -> dict[str, tuple[int, Fraction | None, tuple[int, ...]]]:
    """A heat of L'Aiguilleur, without a white train: five points less for each that nobody is better than."""
    scores = {name: by_hand("aiguilleur", marks[number]) for name, marks in rows.items()}
    best = min(plain(kind, value) for kind, value, _ in scores.values())
    if best[0]:
        return scores
    return {
        name: (kind, value - 5 if value is not None and plain(kind, value) == best else value, ties)
        for name, (kind, value, ties) in scores.items()
    }


def combined(scheme: str, form: str, scores: list[ByHand]) -> Plain:
    """One result of attempts that were all made."""
    each = sorted(plain(kind, rounded(scheme, value), *ties) for kind, value, ties in scores)
    if form.startswith("best-of"):
        return tuple(part for score in each for part in score)
    best, exact = each[0], sorted((value is None, value or 0) for _, value, _ in scores)
    if form.startswith("average"):
        exact = exact[1:-1]
    if form.startswith("best-2"):
        exact = exact[:2]
    if any(none for none, _ in exact):
        return (1 if any(score[0] < 2 for score in each) else 2, 1, 0, *best)
    total = sum((value for _, value in exact), Fraction(0))
    value = total if form.startswith(("sum", "best-2")) else total / len(exact)
    return (best[0], 0, rounded(scheme, value) or 0, *best)


def paired(scheme: str, one: Plain, other: Plain) -> Plain:
    best = min(one, other)
    if one[1] or other[1]:
        return (1 if min(one[0], other[0]) < 2 else 2, 1, 0, *best)
    return (max(one, other)[0], 0, one[2] + other[2], *best)


def expected(scheme: str, form: str, rows: Mapping[str, Sequence[Marks]]) -> dict[str, Plain]:
    """What everybody has, by the name of the side."""
    pairs, alone = form.startswith("pairs-"), form.removeprefix("pairs-")
    numbers = range(ATTEMPTS[form])
    heats = [in_heat(rows, number) for number in numbers] if scheme == "aiguilleur" else []
    found = {
        name: combined(scheme, alone, [heats[n][name] if heats else by_hand(scheme, marks[n]) for n in numbers])
        for name, marks in rows.items()
    }
    if not pairs:
        return found
    return {
        f"pair-{first}": paired(scheme, found[first], found[second])
        for first, second in zip(NAMES[::2], NAMES[1::2], strict=True)
    }


NAMES = ("ann", "ben", "cat", "dan")


@cache
def announced(scheme: str, form: str, heats: int, **changes: int | AdvanceRule) -> Club:
    """A competition of these four with a round, before anything is played: to be gone on from, not to be changed."""
    club = Club(*[EntrantAdded(name, name, pair=f"pair-{NAMES[number // 2 * 2]}") for number, name in enumerate(NAMES)])
    own = OWN if scheme == "own" else None
    club.announce(
        scheme="own.toml" if own else scheme,
        own_scheme=own,
        format=form,
        heats=heats,
        time_limit_ms=None if own else LIMIT_MS,
        count=Count.RUNS,
        **changes,
    )
    return club


def going_on_from(club: Club) -> Club:
    """One that is where this one is; what is played in it changes nothing of this one."""
    later = Club()
    later.state, later.seq = club.state, club.seq
    return later


def play(club: Club, name: str, number: int, marks: Marks) -> None:
    """An attempt of a round with one group: attempt k is made in heat k."""
    club.end(club.call(name, number=number, heat=number), marks)


few = st.integers(12, 16)
some_marks = st.one_of(
    st.just(ABSENT),
    st.builds(
        played,
        seconds=st.sampled_from([100.0, 100.004, 100.005, 160.0, 900.001]),
        runs=few,
        reversals=few,
        couplings=few,
        outcome=st.sampled_from([Outcome.FINISHED] * 3 + [Outcome.DID_NOT_FINISH]),
        left=st.sampled_from([{}, {Count.RUNS: 1}, {Count.RUNS: 4}]),
        helped=st.integers(0, 1),
        faults=st.sampled_from([{}, {Fault.HAND: 1}]),
    ),
)
tables = st.fixed_dictionaries({name: st.lists(some_marks, min_size=3, max_size=3) for name in NAMES})
schemes = st.sampled_from([*SCHEMES, "own"])
forms = st.sampled_from(FORMATS)


def with_limit(scheme: str, rows: Mapping[str, Sequence[Marks]]) -> dict[str, list[Marks]]:
    """The same; a club's own scheme has no time limit here, so that nobody is over it."""
    if scheme != "own":
        return {name: list(marks) for name, marks in rows.items()}
    within = Figure(100_000)
    return {n: [its if its is ABSENT else replace(its, time_ms=within) for its in marks] for n, marks in rows.items()}


def turns_of(form: str) -> list[tuple[str, int]]:
    """Who makes which attempt, one after the other."""
    return [(name, number) for name in NAMES for number in range(1, ATTEMPTS[form] + 1)]


def played_out(
    scheme: str, form: str, rows: Mapping[str, Sequence[Marks]], turns: Sequence[tuple[str, int]] = ()
) -> RoundStanding:
    club = going_on_from(announced(scheme, form, ATTEMPTS[form]))
    for name, number in turns or turns_of(form):
        play(club, name, number, rows[name][number - 1])
    return Tables(club.state).standing("r1")


@settings(max_examples=200, deadline=None)
@given(schemes, forms, tables)
def test_ranks_and_values_are_those_of_a_naive_recomputation(
    scheme: str, form: str, rows: dict[str, list[Marks]]
) -> None:
    rows = with_limit(scheme, rows)
    its = played_out(scheme, form, rows)
    wanted = expected(scheme, form, rows)
    assert its.certain
    for row in its.rows:
        mine, score = wanted[row.entrant], row.result.score
        assert score is not None
        assert row.rank == 1 + sum(other < mine for other in wanted.values())
        assert row.shared == (sum(other == mine for other in wanted.values()) > 1)
        assert row.rank_certain
        assert (score.value is None, score.rounded.value or 0) == (bool(mine[1]), rounded(scheme, Fraction(mine[2])))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["best-of-2", "best-of-3", "mean-of-2"]), tables)
def test_who_is_cut_off_has_what_it_has_made(form: str, rows: dict[str, list[Marks]]) -> None:
    club = Club(*NAMES)
    many = ATTEMPTS.get(form, 3)
    cut_off = CutOffRule(1, Fraction(100))
    club.announce(scheme="allen", format=form, heats=many, time_limit_ms=LIMIT_MS, cut_off=cut_off)
    wanted: dict[str, Plain] = {}
    for name, marks in rows.items():
        while (place := next_place(club.state, "r1", name)) is not None:
            play(club, name, place.number, marks[place.number - 1])
        scores = [by_hand("allen", its) for its in marks[:many]]
        kind, value, _ = scores[0]
        if kind == 0 and value is not None and rounded("allen", value) <= 100:  # type: ignore[operator]
            wanted[name] = combined("allen", form, scores)
        elif form.startswith("best"):
            wanted[name] = (*combined("allen", form, scores[:1]), *[3] * (many - 1))
        else:
            wanted[name] = (1 if kind < 2 else 2, 1, 0, *combined("allen", "best-of-1", scores[:1]))
    its = Tables(club.state).standing("r1")
    assert its.certain
    assert {row.entrant: row.rank for row in its.rows} == {
        name: 1 + sum(other < mine for other in wanted.values()) for name, mine in wanted.items()
    }


# ---------------------------------------------------------------- what is certain

OUTCOMES = (
    ABSENT,
    Marks(Outcome.DID_NOT_FINISH),
    played(outcome=Outcome.DID_NOT_FINISH, runs=12, left={Count.RUNS: 0}),
    # Nobody is better than the par of a draw; this one has the least that the round may have.
    replace(played(seconds=0, runs=7, reversals=0, couplings=0), par={Count.RUNS: 7}),
    played(seconds=880, runs=40, reversals=30, couplings=30, faults={Fault.HAND: 3}),
)
"""What may come yet: the best and the worst that there is, and something between."""
ADVANCE = (
    AdvanceRule(By.RANK, Fraction(1)),
    AdvanceRule(By.RANK, Fraction(2), Edge.NONE),
    AdvanceRule(By.PERCENT, Fraction(50)),
    AdvanceRule(By.RESULT, Fraction(100)),
)
MAY_BECOME: dict[Advances | None, tuple[Advances, ...]] = {
    Advances.YES: (Advances.YES,),
    Advances.NO: (Advances.NO,),
    Advances.RESERVE: (Advances.RESERVE, Advances.NO),
    Advances.OPEN: tuple(Advances),
}


# Each example is many competitions: one that fails is told as it is.
@settings(max_examples=25, deadline=None, phases=[Phase.reuse, Phase.generate])
@given(
    schemes,
    st.sampled_from(["best-of-2", "mean-of-2", "sum-of-2", "average-of-3", "best-2-of-3", "pairs-best-of-1"]),
    tables,
    st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 2)), min_size=1, max_size=2),
    st.sampled_from(ADVANCE),
)
def test_what_is_certain_stays_so_whatever_comes(
    scheme: str, form: str, rows: dict[str, list[Marks]], missing: list[tuple[str, int]], advance: AdvanceRule
) -> None:
    many = int(form[-1])
    rows = with_limit(scheme, rows)
    club = going_on_from(announced(scheme, form, many, par_least=7, advance=advance))
    still: list[tuple[str, int]] = []
    for name, marks in rows.items():
        made = max(0, many - sum(which == name for which, _ in missing))
        for number in range(1, made + 1):
            play(club, name, number, marks[number - 1])
        still += [(name, number) for number in range(made + 1, many + 1)]
    now = standings(club.state)
    before, sums = [{row.entrant: row for row in rows} for rows in (now.rounds["r1"].rows, now.overall[""])]
    for outcomes in itertools.product(OUTCOMES, repeat=len(still)):
        later = going_on_from(club)
        for (name, number), marks in zip(still, outcomes, strict=True):
            play(later, name, number, marks)
        after = standings(later.state)
        for row in after.rounds["r1"].rows:
            assert not before[row.entrant].rank_certain or before[row.entrant].rank == row.rank
            assert row.advances in MAY_BECOME[before[row.entrant].advances]
        for row in after.overall[""]:
            assert not sums[row.entrant].rank_certain or sums[row.entrant].rank == row.rank


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(
        [("allen", "best-of-2"), ("allen", "mean-of-2"), ("allen", "sum-of-2"), ("added-up", "sum-of-2")],
    ),
    tables,
    st.sampled_from(NAMES),
)
def test_what_is_open_can_still_change(rules: tuple[str, str], rows: dict[str, list[Marks]], last: str) -> None:
    scheme, form = rules
    club = going_on_from(announced(scheme, form, 2))
    for name, number in turns_of(form):
        if (name, number) != (last, 2):
            play(club, name, number, rows[name][number - 1])
    now = Tables(club.state).standing("r1").rows
    open_ = {row.entrant for row in now if row.rank and not row.rank_certain}
    seen = {row.entrant: {row.rank} for row in now}
    for marks in (*OUTCOMES, None):
        later = going_on_from(club)
        if marks is None:
            later.leave(last)
        else:
            play(later, last, 2, marks)
        for row in Tables(later.state).standing("r1").rows:
            seen[row.entrant].add(row.rank)
    assert all(len(seen[name]) > 1 for name in open_)


# ---------------------------------------------------------------- what must hold


@settings(max_examples=40, deadline=None)
@given(schemes, forms, tables, st.randoms(use_true_random=False))
def test_the_order_in_which_entrants_play_changes_nothing(
    scheme: str, form: str, rows: dict[str, list[Marks]], random: Random
) -> None:
    rows = with_limit(scheme, rows)
    order = {name: list(range(1, ATTEMPTS[form] + 1)) for name in NAMES}
    turns = [name for name in NAMES for _ in order[name]]
    random.shuffle(turns)
    mixed = [(name, order[name].pop(0)) for name in turns]
    assert played_out(scheme, form, rows, mixed) == played_out(scheme, form, rows)


@settings(max_examples=60, deadline=None)
@given(schemes, forms, tables, st.sampled_from(NAMES), st.integers(0, 2), st.sampled_from(Fault))
def test_a_fault_never_helps(
    scheme: str, form: str, rows: dict[str, list[Marks]], name: str, number: int, fault: Fault
) -> None:
    rows = with_limit(scheme, rows)
    if rows[name][number] is ABSENT:
        return
    worse = {**rows, name: [with_fault(m, fault) if n == number else m for n, m in enumerate(rows[name])]}

    def rank(its: RoundStanding) -> int:
        (found,) = (row.rank for row in its.rows if name in row.members)
        assert found is not None
        return found

    assert rank(played_out(scheme, form, rows)) <= rank(played_out(scheme, form, worse))


@settings(max_examples=40, deadline=None)
@given(schemes, st.sampled_from(FORMATS[:-1]), tables)
def test_two_who_did_the_same_are_tied_whatever_their_names(
    scheme: str, form: str, rows: dict[str, list[Marks]]
) -> None:
    rows = with_limit(scheme, rows) | {"ben": with_limit(scheme, rows)["ann"]}
    its = {row.entrant: row for row in played_out(scheme, form, rows).rows}
    assert its["ann"].rank == its["ben"].rank
    assert its["ann"].shared
    swapped = {"ann": rows["cat"], "ben": rows["ben"], "cat": rows["ann"], "dan": rows["dan"]}
    other = {row.entrant: row for row in played_out(scheme, form, swapped).rows}
    assert (its["ann"].rank, its["cat"].rank) == (other["cat"].rank, other["ann"].rank)


# ---------------------------------------------------------------- knockout

HEATS = 6
MEET_FIRST = {
    2: [(0, 1)],
    3: [(0, None), (1, 2)],
    4: [(0, 3), (1, 2)],
    5: [(0, None), (3, 4), (1, None), (2, None)],
    6: [(0, None), (3, 4), (1, None), (2, 5)],
}
"""Who meets whom first, by how strong they are."""
Pairing = tuple[str, str | None]


def decided(one: Plain, other: Plain) -> int | None:
    """Which of two goes on; None where they meet again."""
    if one == other or (one[0] == other[0] == 1):
        return None
    return int(other < one)


def stage_played(stage: list[Pairing], scores: Mapping[str, list[Plain]], heat: int) -> tuple[list[str | None], int]:
    """Who goes on from each meeting, None while that is open, and the next heat."""
    through: list[str | None] = [first if second is None else None for first, second in stage]
    again = [n for n, name in enumerate(through) if name is None]
    # A stage takes its heat, and one more for each time that somebody meets again.
    while again and heat < HEATS:
        left = []
        for n in again:
            first, second = stage[n]
            assert second is not None
            which = decided(scores[first][heat], scores[second][heat])
            through[n] = None if which is None else (first, second)[which]
            if which is None:
                left.append(n)
        again, heat = left, heat + 1
    return through, heat


def knocked_out(scores: Mapping[str, list[Plain]]) -> dict[str, int]:
    """The rank of everybody, the strongest first in ``scores``, when all heats have been played."""
    names = list(scores)
    stage: list[Pairing] = [(names[a], None if b is None else names[b]) for a, b in MEET_FIRST[len(names)]]
    ranks, heat = dict.fromkeys(names, 1), 0
    while True:
        through, heat = stage_played(stage, scores, heat)
        for pairing, name in zip(stage, through, strict=True):
            if name is not None:
                ranks |= {other: len(stage) + 1 for other in pairing if other not in (None, name)}
        if len(stage) == 1 or None in through:
            return ranks
        stage = list(zip(through[::2], through[1::2], strict=True))  # type: ignore[arg-type]


SIX = ("ann", "ben", "cat", "dan", "eve", "fay")
gave_up = st.builds(
    played, outcome=st.just(Outcome.DID_NOT_FINISH), left=st.sampled_from([{Count.RUNS: 1}, {Count.RUNS: 4}])
)
lists = st.lists(some_marks | gave_up, min_size=HEATS, max_size=HEATS)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(["allen", "added-up"]), st.integers(2, 6), st.lists(lists, min_size=6, max_size=6))
def test_a_knockout_ends_as_it_does_by_hand(scheme: str, many: int, table: list[list[Marks]]) -> None:
    rows = dict(zip(SIX[:many], table, strict=False))
    club = Club(*rows)
    club.announce(scheme=scheme, format="knockout", heats=HEATS, time_limit_ms=LIMIT_MS)
    while called := [its for its in due(Tables(club.state), "r1") if its.place is not None and not its.why_not]:
        for its in called:
            assert its.place is not None
            assert its.place.number == its.place.heat
            play(club, its.entrant, its.place.heat, rows[its.entrant][its.place.heat - 1])
    standing = Tables(club.state).standing("r1")
    scores: dict[str, list[Plain]] = {}
    for name, marks in rows.items():
        worth = [by_hand(scheme, its) for its in marks]
        scores[name] = [plain(kind, value, *ties) for kind, value, ties in worth]
    wanted = knocked_out(scores)
    assert {row.entrant: row.rank for row in standing.rows} == wanted
    assert standing.certain == (list(wanted.values()).count(1) == 1)
