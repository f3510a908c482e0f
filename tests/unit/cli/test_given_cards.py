"""A draw given by its wagons at the command line: wherever a seed may be given, and in all that is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import QUICK, START, Pointsman, refused, without_title
from printed import Printed, code_of

from pointsman.cli.aftermath import repeat_command
from pointsman.links import On, Target
from pointsman.playing import AttemptOf, PlayRequest
from pointsman.puzzle.choice import choose
from pointsman.record import encode, read
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring

CARDS = ("inglenook-small", "--cards", "2 1 3")


def test_it_is_played_taken_up_and_told(pointsman: Pointsman, tmp_path: Path) -> None:
    journal, cut = tmp_path / "j", tmp_path / "cut.journal"
    played = pointsman("play", *CARDS, *QUICK, "--journal", journal, "--json")
    assert (played.json["seed"], played.json["goal"], played.json["confirmed"]) == (None, "s1: 2 1 3", True)
    assert "  cards 2 1 3, on sim" in pointsman("replay", journal).out
    lines = read(journal).lines
    at = next(number for number, line in enumerate(lines) if line.kind == "run")
    cut.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[: at + 1]))
    ran = pointsman("resume", cut, "--speed", "0", "--yes", "--position", START)
    assert ran.code == 0, ran.err
    assert "cards 2 1 3, on sim" in " ".join(ran.out.split())


def test_an_attempt_is_not_gone_on_with_by_a_plan(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = tmp_path / "attempt.journal"
    assert pointsman("play", *CARDS, *QUICK, "--journal", journal).code == 0
    header, *rest = read(journal).lines
    begun = [encode(0.0, line.kind, line.values) for line in rest[:9]]
    named = encode(0.0, "begin", {**header.values, **AttemptOf("autumn", "r1-ann-1").heading})
    journal.write_bytes(b"".join([named, *begun]))
    refused(pointsman("resume", journal, "--speed", "0", "--yes"), 2, "this is attempt r1-ann-1 of autumn")
    journal.write_bytes(b"".join([encode(0.0, "begin", {**header.values, "attempt": {"competition": 7}}), *begun]))
    refused(pointsman("resume", journal, "--speed", "0", "--yes"), 8, "does not say which attempt it is")
    assert len(list(tmp_path.glob("*.journal"))) == 1


def test_it_is_dealt_solved_hinted_and_printed(
    pointsman: Pointsman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    dealt = pointsman("deal", *CARDS, "--json").json
    assert (dealt["cards"], dealt["goal"], dealt["solvable"]) == (["2", "1", "3"], "s1: 2 1 3", True)
    assert pointsman("solve", "inglenook-small", "--cards", "2,1,3", "--json").json["optimum"] == 9
    assert pointsman("hint", *CARDS, "--position", START, "--json").json["distance"] == 9
    assert pointsman("print", "draw", *CARDS, "--to", "draw.pdf").code == 0
    told = "pointsman play inglenook-small/classic --cards '2 1 3'"
    assert Printed.of((tmp_path / "draw.pdf").read_bytes()).code() == code_of(told)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("deal", *CARDS, "--seed", "1"), "by a seed or by its wagons, not by both"),
        (("deal", *CARDS, "--level", "1"), "--cards is one certain draw"),
        (("solve", *CARDS, "--goal", "s1: 3 2 1"), "--cards draws the goal"),
        (("hint", *CARDS, "--goal", "s1: 3 2 1", "--position", START), "--cards draws the goal"),
        (("play", "inglenook-small", "--cards", "2 1", *QUICK), "2 wagons are named, and a draw has 3"),
        (("play", "inglenook-small", "--cards", "", *QUICK), "0 wagons are named, and a draw has 3"),
        (("play", "inglenook-small", "--cards", "2 2 1", *QUICK), "wagon 2 is drawn twice"),
    ],
)
def test_what_cannot_be_is_refused(pointsman: Pointsman, words: tuple[str, ...], why: str) -> None:
    refused(without_title(pointsman(*words)), 2, why)


def test_a_simulated_layout_takes_its_chances_from_the_draw() -> None:
    """So that two of them differ in more than their cards."""
    requests = [_request(cards) for cards in (("2", "1", "3"), ("1", "3", "2"))]
    assert requests[0].setting.seed != requests[1].setting.seed
    assert requests[0].setting.seed == _request(("2", "1", "3")).setting.seed
    told = repeat_command("inglenook-small", requests[0], None)
    assert told == "pointsman play inglenook-small --cards '2 1 3' --count runs"


def _request(cards: tuple[str, ...]) -> PlayRequest:
    chosen = choose("inglenook-small", cards=cards)
    wiring = load_wiring(find_wiring(chosen.folder, None), chosen.track)
    return PlayRequest(
        chosen=chosen, runs=(), wiring=wiring, target=Target(On.SIM), facing=End.TO, journal=Path("none.journal")
    )
