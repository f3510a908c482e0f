"""How results are told on paper, in both languages."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction
from string import Formatter

import pytest
from evening import ROUND

from pointsman.compete.entries import AdvanceRule, CutOffRule
from pointsman.compete.marks import Fault, Outcome
from pointsman.compete.ranking import By, Edge
from pointsman.compete.scoring.score import PERCENT, POINTS, SECONDS, Score
from pointsman.compete.state import Round
from pointsman.puzzle.puzzle import Count
from pointsman.web.printing import results_told as told
from pointsman.web.printing.results_words import ENGLISH, FRENCH
from pointsman.web.printing.words import Words

EN, FR = Words("en"), Words("fr")


def test_both_languages_tell_the_same_with_the_same_values() -> None:
    def values(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    assert ENGLISH.keys() == FRENCH.keys()
    assert {key: values(text) for key, text in ENGLISH.items()} == {key: values(text) for key, text in FRENCH.items()}


@pytest.mark.parametrize(
    ("when", "english", "french"),
    [
        (date(2026, 11, 27), "27 November 2026", "27 novembre 2026"),
        (date(2027, 2, 1), "1 February 2027", "1er février 2027"),
        (date(2027, 8, 31), "31 August 2027", "31 août 2027"),
        (date(2027, 12, 21), "21 December 2027", "21 décembre 2027"),
    ],
)
def test_a_day_as_people_write_it(when: date, english: str, french: str) -> None:
    assert (told.day(EN, when), told.day(FR, when)) == (english, french)
    assert told.where(FR, "Aubenas", when) == f"Aubenas, le {french}"
    assert told.where(EN, "", when) == english


@pytest.mark.parametrize(
    ("rank", "english", "french"),
    [
        (1, "1st", "1re"),
        (2, "2nd", "2e"),
        (3, "3rd", "3e"),
        (4, "4th", "4e"),
        (11, "11th", "11e"),
        (12, "12th", "12e"),
        (13, "13th", "13e"),
        (21, "21st", "21e"),
        (102, "102nd", "102e"),
        (111, "111th", "111e"),
    ],
)
def test_a_place_as_people_say_it(rank: int, english: str, french: str) -> None:
    assert (told.ordinal(EN, rank), told.ordinal(FR, rank)) == (english, french)


@pytest.mark.parametrize(
    ("score", "english", "french", "short", "short_french"),
    [
        (Score(Outcome.FINISHED, Fraction(245312, 1000), SECONDS), "4:05.312", "4:05,312", "4:05.312", "4:05,312"),
        (Score(Outcome.FINISHED, Fraction(350, 3), PERCENT), "116.67 %", "116,67 %", "116.67", "116,67"),
        (
            Score(Outcome.DID_NOT_START, Fraction(120), POINTS),
            "did not start, 120 points",
            "n'est pas parti, 120 points",
            "DNS 120",
            "NP 120",
        ),
        (Score(Outcome.DID_NOT_FINISH, None, POINTS), "did not finish", "n'a pas terminé", "DNF", "NT"),
        (Score(Outcome.FINISHED, Fraction(-3, 2), POINTS), "-1.5 points", "-1,5 points", "-1.5", "-1,5"),
    ],
)
def test_a_score_with_its_unit_and_in_few_letters(
    score: Score, english: str, french: str, short: str, short_french: str
) -> None:
    assert (told.score(EN, score), told.score(FR, score)) == (english, french)
    assert (told.amount(EN, score), told.amount(FR, score)) == (short, short_french)


def test_times_and_counts() -> None:
    assert [told.clock(EN, ms) for ms in (0, 5_300, 60_000, 600_000, 245_312)] == [
        "0 s",
        "5.3 s",
        "1 min",
        "10 min",
        "4 min 5.312 s",
    ]
    assert told.clock(FR, 245_312) == "4 min 5,312 s"
    assert [told.so_many(EN, Count.RUNS, many) for many in (0, 1, 2)] == ["0 runs", "1 run", "2 runs"]
    assert [told.so_many(FR, Count.COUPLINGS, many) for many in (0, 1, 2)] == [
        "0 attelage",
        "1 attelage",
        "2 attelages",
    ]


def test_all_that_a_round_fixes_is_told() -> None:
    fixed = replace(
        ROUND,
        par_most=5,
        time_limit_ms=90_000,
        cut_off=CutOffRule(1, Fraction(25, 2)),
        free_faults=(Fault.HAND, Fault.OVER_FULL),
        most_faults=3,
        most_hints=0,
        advance=AdvanceRule(By.RESULT, Fraction(90)),
        category="children",
        speed_limit_mm_s=36,
    )
    assert told.rules(EN, Round(fixed), None) == [
        "puzzle inglenook-small",
        "counted in runs",
        "Fewest reversals, derailments free",
        "best of 3",
        "par 5",
        "heats: 3, with 2 spare draws each",
        "time limit 1 min 30 s",
        "no more attempts for who has not reached 12.5 in the first one",
        "free faults: hand, over-full siding",
        "faults allowed: 3",
        "hints allowed: 0",
        "speed limit 36 mm/s",
        "class: children",
        "who reaches 90 goes on",
    ]
    percent = replace(fixed, advance=AdvanceRule(By.PERCENT, Fraction(25, 2), Edge.NONE))
    assert told.rules(FR, Round(percent), SECONDS)[-2:] == [
        "qualifiés : les premiers 12,5 %",
        "à égalité à la limite, aucun ne passe",
    ]
    assert "plus d'essai pour qui n'a pas atteint 0:12,5 au premier" in told.rules(FR, Round(fixed), SECONDS)


def test_formats_have_words() -> None:
    assert told.form(EN, "average-of-5") == "average of 5 without best and worst"
    assert told.form(FR, "best-2-of-3") == "les 2 meilleurs de 3 additionnés"
    assert told.form(EN, "pairs-best-of-3") == "in pairs: best of 3"
    assert told.form(FR, "knockout") == "élimination directe"
    assert told.form(EN, "something-new") == "something-new"
