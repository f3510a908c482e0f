"""Result sheets, read as PDF."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

import pytest
from evening import SECRET
from printed import Printed
from results_bench import Played, announced, marks

from pointsman.compete.entries import (
    AdvanceRule,
    AttemptStarted,
    Created,
    CutOffRule,
    EntrantAdded,
    MarksCorrected,
    Withdrawn,
)
from pointsman.compete.marks import Fault, Outcome
from pointsman.compete.ranking import By, Edge
from pointsman.compete.state import State
from pointsman.errors import RefusedError, UsageError
from pointsman.operate.referee import Origin
from pointsman.web.printing.result_sheet import result_sheet
from pointsman.web.printing.sheet import Paper

MARGIN_MM = 15.0
DNF, DNS = (marks(9, outcome) for outcome in (Outcome.DID_NOT_FINISH, Outcome.DID_NOT_START))


def club(*more: EntrantAdded) -> Played:
    return Played.begun(
        Created("Club evening", date(2026, 12, 1), "The shed"),
        EntrantAdded("ada", "Ada", "Eastern", train="Coal"),
        EntrantAdded("chloe", "Chloé d’Œuvre", "Club de l'Ardèche"),
        *more,
    )


def sheet(its: Played, language: str = "en", paper: Paper = Paper.A4, round_id: str | None = None) -> bytes:
    return result_sheet(
        its.state, its.standings, language=language, paper=paper, round_id=round_id, head=its.its.book.head
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def outside(found: Printed) -> list[str]:
    ((wide, high),) = found.sizes_mm
    return [
        line.text
        for line in found.lines_mm()
        if line.left < MARGIN_MM - 0.1
        or line.right > wide - MARGIN_MM + 0.3
        or not MARGIN_MM - 0.1 <= line.foot <= high - MARGIN_MM
    ]


@pytest.mark.parametrize(("paper", "size"), [(Paper.A4, (210.0, 297.0)), (Paper.LETTER, (215.9, 279.4))])
def test_a_sheet_says_who_has_which_place_and_what_that_rests_on(paper: Paper, size: tuple[float, float]) -> None:
    its = club()
    its.announce(
        announced(
            time_limit_ms=600_000,
            free_faults=(Fault.DERAILMENT,),
            most_hints=2,
            advance=AdvanceRule(By.RANK, Fraction(1), Edge.NONE),
            cut_off=CutOffRule(2, Fraction(40)),
        )
    )
    its.play("ada", [marks(12), marks(10, origin=Origin.INFERRED), DNF], checked_by="Bo")
    its.play("chloe", [marks(9, origin=Origin.ENTERED), DNS, marks(11, ms=700_000)])
    its.its.write(MarksCorrected("r1-chloe-1", marks(8, origin=Origin.ENTERED)), why="miscounted")
    found = Printed.of(sheet(its, paper=paper))
    assert found.sizes_mm == {size}
    assert found.title == "Results - Club evening"
    text = flat(found.text)
    for part in (
        "Club evening The shed, 1 December 2026",
        "First round",
        "puzzle inglenook-small; counted in runs; Fewest reversals, derailments free; best of 3; par 5 to 9",
        "heats: 3, with 2 spare draws each; time limit 10 min",
        "no more attempts for who has not reached 40 reversals in the first 2",
        "free faults: derailment; hints allowed: 2; the first goes on; none tied at the edge goes on",
        "1 Chloé d’Œuvre Club de l'Ardèche 7 entered · corrected · – DNS seen · – DNF over the time limit of 10:00",
        "2 Ada Eastern · train: Coal 11 seen · Bo 9 inferred · Bo DNF seen · Bo 9 reversals inferred",
        "7 reversals entered goes on",
        "Secret not published yet",
        "40 draws possible, program 0.1.0",
        f"The book at this moment: {its.its.book.head.entries} entries, the last one's hash is",
        its.its.book.head.hash,
        "page 1 of 1",
    ):
        assert part in text
    committed = its.state.rounds["r1"].committed
    assert committed is not None
    assert f"Commitment {committed.commitment}" in text
    assert outside(found) == []
    assert found.overlapping() == []


def test_the_secret_is_there_once_it_is_published() -> None:
    its = club()
    its.announce()
    assert SECRET.hex() not in Printed.of(sheet(its)).text
    its.reveal()
    assert f"Secret {SECRET.hex()}" in flat(Printed.of(sheet(its)).text)


def test_a_sheet_in_french() -> None:
    its = club()
    its.announce(announced(scheme="par-ratio", par_least=7, par_most=7))
    its.play_all({"ada": [marks(8)], "chloe": [DNF, DNS]})
    found = Printed.of(sheet(its, "fr", Paper.LETTER))
    text = flat(found.text)
    for part in (
        "The shed, le 1er décembre 2026",
        "compté en mouvements ; Les coups en pour cent du par, avec des rangs ; le meilleur de 3 ; par 7",
        "114,29",
        "114,29 % Aiguilleur · vu encore 2 à faire",
        "NT vu · – NP vu · –",
        "Engagement",
        "Secret pas encore publié",
        "page 1 sur 1",
    ):
        assert part in text
    assert outside(found) == []
    assert found.overlapping() == []


def test_what_can_still_change_is_told_apart() -> None:
    its = club(EntrantAdded("bo", "Bo"))
    its.announce()
    its.play_all({"ada": [marks(12), marks(10), marks(9)], "chloe": [marks(14)]})
    its.its.write(AttemptStarted("x", "r1", 1, "bo", 1, its.state.rounds["r1"].heats[0].cards, 7))
    its.its.write(Withdrawn("chloe"))
    text = flat(Printed.of(sheet(its)).text)
    assert "(1) Ada" in text
    assert "– Bo under way" in text
    assert "withdrawn" in text
    assert "3 to come" in text


def test_an_attempt_to_be_run_again_and_one_that_is_cut_off() -> None:
    its = club(EntrantAdded("bo", "Bo"))
    its.announce(announced(cut_off=CutOffRule(1, Fraction(8))))
    its.play("ada", [marks(9, Outcome.EQUIPMENT)])
    its.play("chloe", [marks(12)])
    text = flat(Printed.of(sheet(its)).text)
    assert "– Ada Eastern · train: Coal again – 3 to come" in text
    assert "Chloé d’Œuvre Club de l'Ardèche 11 seen · – – – 11 reversals seen cut off" in text


def test_a_round_that_nobody_is_in_and_whose_draws_are_not_settled() -> None:
    its = club()
    its.its.write(announced(category="children"))
    text = flat(Printed.of(sheet(its)).text)
    assert "class: children; final Nobody is in it yet. The draws Commitment not settled yet" in text


def test_two_hundred_entrants_take_many_pages_with_their_heads() -> None:
    its = club(*(EntrantAdded(f"e{number}", f"Entrant Number{number:03}", "Club") for number in range(198)))
    its.announce(announced(format="best-of-1", heats=1))
    its.play_all({name: [marks(7 + number % 40)] for number, name in enumerate(its.state.entrants)})
    found = Printed.of(sheet(its))
    assert len(found.pages) > 8
    assert sorted(re.findall(r"Number(\d{3})", found.text)) == [f"{number:03}" for number in range(198)]
    for number, page in enumerate(found.pages, 1):
        text = flat(page.extract_text())
        assert f"page {number} of {len(found.pages)}" in text
        assert its.its.book.head.hash in text
        if "Number" in text:
            assert "Place Entrant Attempt 1 in reversals Result" in text
            assert number == 1 or "First round, continued" in text
    assert outside(found) == []
    assert found.overlapping() == []
    assert sheet(its) == sheet(its)


def test_odd_names_stay_within_their_room_and_nothing_of_them_is_lost() -> None:
    long = "W" * 200
    its = club(
        EntrantAdded("long", long, long, long, long),
        EntrantAdded("hanako", "花子", "Kraków"),
        EntrantAdded("words", " ".join(["Jean-Baptiste"] * 14)),
    )
    its.announce(announced(title="R" * 200))
    its.play("hanako", [marks(9)], checked_by=long)
    found = Printed.of(sheet(its))
    assert outside(found) == []
    assert found.overlapping() == []
    joined = found.text.replace("\n", "")
    assert joined.count("W") == 5 * 200
    assert joined.count("R" * 200) == 1
    assert "?? (hanako)" in found.text
    assert "? stands for a letter" in found.text
    assert found.text.count("Jean-Baptiste") == 14


def test_more_attempts_than_have_room_go_on_under_the_first() -> None:
    its = club()
    its.announce(announced(format="best-of-12", heats=12))
    its.play("ada", [marks(20 + number) for number in range(12)])
    found = Printed.of(sheet(its))
    assert found.sizes_mm == {(297.0, 210.0)}
    feet = {line.text: (line.left, line.foot) for line in found.lines_mm() if line.text in {"19", "27", "30"}}
    assert feet["19"][0] == pytest.approx(feet["27"][0], abs=0.1)
    assert feet["19"][1] > feet["27"][1]
    assert outside(found) == []
    assert found.overlapping() == []


def test_all_rounds_begin_with_what_they_come_to_together() -> None:
    its = club()
    its.announce(announced(format="best-of-1", heats=1))
    its.announce(announced("r2", "Second round", format="best-of-1", heats=1))
    its.play_all({"ada": [marks(12)], "chloe": [marks(9)]})
    its.play_all({"ada": [marks(8)], "chloe": [marks(20)]}, "r2")
    pages = [flat(page.extract_text()) for page in Printed.of(sheet(its)).pages]
    assert len(pages) == 3
    assert "Overall" in pages[0]
    assert "1 Ada Eastern · train: Coal 11 Place 2 7 Place 1 18 reversals" in pages[0]
    assert "2 Chloé d’Œuvre Club de l'Ardèche 8 Place 1 19 Place 2 27 reversals" in pages[0]
    assert "First round" in pages[1]
    assert "Second round" in pages[2]
    alone = flat(Printed.of(sheet(its, round_id="r2")).text)
    assert "Second round" in alone
    assert "First round" not in alone
    assert "Overall" not in alone


def test_a_pair_has_one_line_with_the_attempts_of_both() -> None:
    its = Played.begun(
        Created("Pairs", date(2026, 3, 3)),
        EntrantAdded("ada", "Ada", pair="Steam"),
        EntrantAdded("bo", "Bo", pair="Steam"),
    )
    its.announce(announced(format="pairs-best-of-1", heats=1))
    its.play("ada", [marks(9)], checked_by="Cy")
    its.play("bo", [marks(13)])
    text = flat(Printed.of(sheet(its)).text)
    assert "in pairs: best of 1" in text
    assert "1 Steam Ada · Bo 8 + 12 seen · Cy seen · – 20 reversals" in text


def test_a_knockout_has_its_meetings() -> None:
    its = club()
    its.announce(announced(format="knockout", heats=1))
    its.play("ada", [marks(9)])
    assert "The meetings Stage 1, heat 1: Ada – Chloé d’Œuvre The draws" in flat(Printed.of(sheet(its)).text)
    its.play("chloe", [marks(8)])
    text = flat(Printed.of(sheet(its, "fr")).text)
    assert "élimination directe" in text
    assert "Tour 1, série 1 : Ada – Chloé d’Œuvre, Chloé d’Œuvre gagne" in text


def test_a_competition_without_a_round_has_a_sheet() -> None:
    assert "Club evening" in Printed.of(sheet(club())).text


def test_who_has_nobody_to_meet_is_free() -> None:
    its = club(EntrantAdded("bo", "Bo"))
    its.announce(announced(format="knockout", heats=2))
    assert "Stage 1, heat 1: Ada is free" in flat(Printed.of(sheet(its)).text)


def test_what_is_still_to_come_is_told_for_all_rounds_together() -> None:
    its = club(EntrantAdded("bo", "Bo", category="children"))
    its.announce(announced(format="best-of-1", heats=1))
    its.announce(announced("r2", "Second round", format="sum-of-2", heats=2))
    its.play_all({"ada": [marks(12)], "chloe": [marks(9)], "bo": [marks(9)]})
    its.play("ada", [marks(12)], "r2")
    page = flat(Printed.of(sheet(its)).pages[0].extract_text())
    assert "Ada Eastern · train: Coal 11 Place 3 1 to come – 1 to come" in page
    assert "Overall – children" in page


def test_what_is_not_there_is_refused() -> None:
    its = club()
    its.announce()
    with pytest.raises(UsageError, match="no round 'r9'"):
        sheet(its, round_id="r9")
    with pytest.raises(RefusedError, match="has not begun"):
        result_sheet(State(), its.standings, language="en", paper=Paper.A4)
