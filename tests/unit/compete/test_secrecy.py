"""What nobody is told while others still have to play a heat: no score that gives a par away."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from attempts import played
from club import Club

from pointsman.compete.entries import AdvanceRule
from pointsman.compete.ranking import By
from pointsman.compete.scoring.book import SCHEMES
from pointsman.compete.scoring.own import read_own
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.compete.secrecy import told
from pointsman.compete.standing import Advances, Standings
from pointsman.compete.standings import Tables, standings
from pointsman.compete.withheld import heats_over

FREE = 'title = "T"\n[weights]\nruns = 1\n'


def as_told(club: Club) -> Standings:
    tables = Tables(club.state)
    over = {name: heats_over(tables, name) for name in club.state.rounds}
    return told(standings(club.state), club.state, over)


def test_a_score_by_par_is_withheld_until_everybody_has_played_the_heat() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="added-up", format="best-of-1", heats=1, advance=AdvanceRule(By.RANK, Fraction(2)))
    club.play("ann", played(runs=12))
    full, its = (of.rounds["r1"] for of in (standings(club.state), as_told(club)))
    assert full.rows[0].rank_certain, "nobody can be better than par, which would tell that this is the par"
    row = its.rows[0]
    assert (row.entrant, row.rank, row.rank_certain, row.advances) == ("ann", 1, False, Advances.OPEN)
    for score in (row.result.score, row.result.best, row.attempts[0].score):
        assert score is not None
        assert (score.value, score.rank, score.then, score.text) == (None, "", (), "finished")
    assert as_told(club).overall[""][0].result.score.text == "finished"  # type: ignore[union-attr]
    club.play("ben", played(runs=14))
    assert as_told(club) == standings(club.state)


def test_only_the_heats_that_are_not_over_are_withheld() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="par-ratio", format="sum-of-2", heats=2)
    club.play("ann", played(runs=12), played(runs=18))
    club.play("ben", played(runs=15))
    ann, ben = as_told(club).rounds["r1"].rows
    assert (ann.entrant, ann.rank) == ("ann", 1)
    assert [one.score and one.score.text for one in ann.attempts] == ["100 %", "finished"]
    assert ann.result.score is not None
    assert ann.result.score.value is None, "of a sum the part that is withheld could be worked out"
    assert [one.score and one.score.text for one in ben.attempts] == ["125 %", None]
    club.reveal()
    assert as_told(club) == standings(club.state), "the secret is out"


def test_what_is_not_counted_by_par_is_told_at_once() -> None:
    club = Club("ann", "ben")
    club.announce(scheme="allen", format="best-of-1", heats=1)
    club.play("ann", played(seconds=61))
    assert as_told(club) == standings(club.state)


SCHEMES_AND_OWN = [
    *SCHEMES.values(),
    read_own(FREE, file="a"),
    read_own(f'over_par = ["runs"]\n{FREE}', file="b", name="own-over-par"),
]


@pytest.mark.parametrize("scheme", SCHEMES_AND_OWN, ids=lambda its: its.name)
def test_a_scheme_that_scores_otherwise_with_another_par_says_so(scheme: Scheme) -> None:
    terms, marks = Terms(time_limit_ms=600_000), played(runs=14)
    other = replace(marks, par={count: par - 1 for count, par in marks.par.items()})
    depends = scheme.attempt(marks, terms) != scheme.attempt(other, terms)
    assert depends == scheme.by_par
