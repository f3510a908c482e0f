"""Certificates, read as PDF."""

from __future__ import annotations

from datetime import date

import pytest
from printed import Line, Printed
from results_bench import Played, announced, marks

from pointsman.compete.entries import Created, EntrantAdded
from pointsman.compete.marks import Outcome
from pointsman.compete.state import State
from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.choice import choose
from pointsman.track.model import Track
from pointsman.web.printing.certificate import certificates
from pointsman.web.printing.sheet import Paper

CLEAR_MM = 19.0
"""From the edge of the paper: what is nearer is the ornament's."""
DNF = marks(9, Outcome.DID_NOT_FINISH)


def club(*more: EntrantAdded, day: date = date(2026, 12, 1)) -> Played:
    return Played.begun(
        Created("Club evening", day, "The shed"),
        EntrantAdded("ada", "Ada Byron", "Eastern", train="Coal"),
        EntrantAdded("chloe", "Chloé d’Œuvre", "Club de l'Ardèche", train="L 3 1"),
        *more,
    )


def printed(
    its: Played,
    *entrants: str,
    language: str = "en",
    paper: Paper = Paper.A4,
    track: Track | None = None,
    round_id: str | None = None,
) -> Printed:
    return Printed.of(
        certificates(
            its.state,
            its.standings,
            entrants=entrants,
            language=language,
            paper=paper,
            track=track,
            round_id=round_id,
        )
    )


def flat(text: str) -> str:
    return " ".join(text.split())


def outside(found: Printed) -> list[Line]:
    ((wide, high),) = found.sizes_mm
    return [
        line
        for line in found.lines_mm()
        if not (line.left >= CLEAR_MM and line.right <= wide - CLEAR_MM and CLEAR_MM <= line.foot <= high - CLEAR_MM)
    ]


@pytest.mark.parametrize(("paper", "size"), [(Paper.A4, (297.0, 210.0)), (Paper.LETTER, (279.4, 215.9))])
def test_it_says_who_has_come_to_what_and_with_how_many_moves(paper: Paper, size: tuple[float, float]) -> None:
    its = club()
    its.announce(announced(scheme="par-ratio"))
    its.play_all({"ada": [marks(8), DNF, marks(7)], "chloe": [marks(9), marks(9), marks(9, ms=240_000)]})
    found = printed(its, "ada", "chloe", paper=paper)
    assert found.sizes_mm == {size}
    first, second = (flat(page.extract_text()) for page in found.pages)
    assert first == (
        "Club evening Certificate awarded to Ada Byron Eastern with the train “Coal” 1st place of 2 Chef de gare "
        "First round · Moves in percent of the par, with ranks 100 % "
        "Best attempt: 7 runs, 6 reversals, in 3 min 5.3 s, without a fault The shed, 1 December 2026 The marshal"
    )
    assert "Chloé d’Œuvre" in second
    assert "2nd place of 2 Aiguilleur" in second
    assert outside(found) == []
    assert found.overlapping() == []


def test_a_certificate_in_french() -> None:
    its = club(day=date(2026, 8, 23))
    its.announce(announced(scheme="par-ratio", format="best-of-1", heats=1))
    its.play_all({"ada": [marks(8)], "chloe": [marks(8)]})
    found = printed(its, "ada", language="fr", paper=Paper.LETTER)
    text = flat(found.text)
    for part in (
        "Diplôme décerné à Ada Byron",
        "avec le train « Coal »",
        "1re place ex æquo sur 2 Aiguilleur",
        "Les coups en pour cent du par, avec des rangs 114,29 %",
        "Avec 8 mouvements, 7 rebroussements, en 3 min 5,3 s, sans faute",
        "The shed, le 23 août 2026",
        "Le responsable",
    ):
        assert part in text
    assert outside(found) == []
    assert found.overlapping() == []


def test_its_train_is_drawn_by_the_layouts_vehicles() -> None:
    its, track = club(), choose("inglenook-small").track
    its.announce(announced(format="best-of-1", heats=1))
    its.play("chloe", [marks(8)])
    plates = [line for line in printed(its, "chloe", track=track).lines_mm() if line.text in {"L", "1", "3"}]
    assert [line.text for line in sorted(plates, key=lambda line: line.left)] == ["L", "3", "1"]
    assert len({round(line.foot) for line in plates}) == 1
    assert not [line for line in printed(its, "chloe").lines_mm() if line.text in {"L", "1", "3"}]


def test_the_wagons_drawn_are_not_shown_while_others_have_them_before_them() -> None:
    its, track = club(EntrantAdded("bo", "Bo")), choose("inglenook-small").track
    its.announce(announced(format="best-of-1", heats=1), draw=("4", "5", "2"))
    its.play("ada", [marks(8)])
    its.play("chloe", [marks(8)])

    def plates() -> list[str]:
        lines = [line for line in printed(its, "ada", track=track).lines_mm() if line.text in {"L", "4", "5", "2"}]
        return [line.text for line in sorted(lines, key=lambda line: line.left)]

    assert plates() == []
    its.play("bo", [marks(9)])
    assert plates() == ["L", "4", "5", "2"]


def test_a_place_that_can_still_change_is_not_printed() -> None:
    its = club()
    its.announce()
    its.play_all({"ada": [marks(12), marks(10), marks(9)], "chloe": [marks(14)]})
    text = flat(printed(its, "ada").text)
    assert "place" not in text
    assert "took part" in text
    its.play("chloe", [marks(15), marks(16)], first=2)
    assert "1st place of 2" in flat(printed(its, "ada").text)


def test_who_has_not_finished_took_part() -> None:
    its = club()
    its.announce(announced(format="best-of-1", heats=1))
    its.play_all({"ada": [DNF], "chloe": [marks(9)]})
    text = flat(printed(its, "ada").text)
    assert "took part" in text
    assert "finish" not in text


def test_a_name_without_letters_in_the_font_is_left_to_a_pen() -> None:
    its = club(EntrantAdded("hanako", "花子", "東京", train="急行"))
    its.announce()
    text = printed(its, "hanako").text
    assert "?" not in text
    assert "hanako" in text


def test_the_longest_texts_have_room() -> None:
    long = "W" * 200
    its = Played.begun(Created(long, date(2026, 12, 1), long), EntrantAdded("long", long, long, train=long))
    its.announce(announced(title=long, format="best-of-1", heats=1, scheme="par-ratio"))
    its.play("long", [marks(7)])
    for paper in Paper:
        found = printed(its, "long", paper=paper, language="fr")
        assert len(found.pages) == 1
        assert outside(found) == []
        assert found.overlapping() == []
        assert found.text.count("W") == 6 * 200
        # Nothing is written over what is signed.
        feet = [line.foot for line in found.lines_mm() if "%" in line.text or "mouvements" in line.text]
        assert min(feet) > CLEAR_MM + 8


def test_everybody_in_one_document_and_all_rounds_together() -> None:
    its = club(*(EntrantAdded(f"e{number}", f"Entrant {number}") for number in range(5)))
    for round_id, title in (("r1", "First round"), ("r2", "Final")):
        its.announce(announced(round_id, title, format="best-of-1", heats=1))
        its.play_all({name: [marks(7 + number)] for number, name in enumerate(its.state.entrants)}, round_id)
    found = printed(its, *its.state.entrants)
    assert len(found.pages) == 7
    text = flat(found.pages[1].extract_text())
    assert "2nd place of 7 Overall 14 reversals First round: 2nd, 7 reversals; Final: 2nd, 7 reversals" in text
    assert outside(found) == []
    assert found.overlapping() == []
    made = [
        certificates(its.state, its.standings, entrants=its.state.entrants, language="fr", paper=Paper.A4)
        for _ in range(2)
    ]
    assert made[0] == made[1]


def test_who_played_as_a_pair_has_its_place_and_own_moves() -> None:
    its = Played.begun(
        Created("Pairs", date(2026, 3, 3)),
        EntrantAdded("ada", "Ada", pair="Steam"),
        EntrantAdded("bo", "Bo", pair="Steam"),
    )
    its.announce(announced(format="pairs-best-of-1", heats=1))
    its.play_all({"ada": [marks(9)], "bo": [marks(13)]})
    text = flat(printed(its, "bo", language="fr").text)
    assert "Bo dans l'équipe Steam, avec Ada 1re place sur 1" in text
    assert "20 rebroussements Avec 13 mouvements, 12 rebroussements" in text
    assert "Le 3 mars 2026" in text


def test_what_is_not_there_is_refused() -> None:
    its = club(EntrantAdded("child", "Child", category="children"))
    its.announce(announced(category="children"))
    with pytest.raises(UsageError, match="no entrant 'adda'"):
        printed(its, "adda")
    with pytest.raises(UsageError, match="no round 'r2'"):
        printed(its, "child", round_id="r2")
    with pytest.raises(RefusedError, match="ada is not in round r1"):
        printed(its, "ada", round_id="r1")
    with pytest.raises(RefusedError, match="nobody to print"):
        printed(its)
    with pytest.raises(RefusedError, match="has not begun"):
        certificates(State(), its.standings, entrants=["ada"], language="en", paper=Paper.A4)
