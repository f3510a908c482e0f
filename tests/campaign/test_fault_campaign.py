"""The first sixty plays of the fault campaign, every kind of fault among them; and that what is wrong is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from fault_campaign import play_number, table, told
from fault_plays import AT_BROKER, Drawn, Outcome, drawn, play_drawn, possible
from fault_rules import RULES, beyond, reason_of

from pointsman.errors import HaltedError
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout
from pointsman.track.model import End
from railsim.faults import Fault, Planned, parse_fault

FIRST = range(60)
PUZZLE, SEED = "inglenook-small/classic", "faults-0"


@pytest.mark.parametrize("number", FIRST)
def test_ends_in_the_goal_or_in_a_halt_for_a_right_reason(number: int) -> None:
    outcome = play_number(number)
    assert not outcome.wrong, told(outcome)


def test_the_first_sixty_have_every_kind() -> None:
    assert {fault.kind for number in FIRST for fault in drawn(number).faults} == set(Fault) == set(RULES)


def test_about_one_play_in_five_is_at_a_broker_and_each_has_what_can_strike_it() -> None:
    drawings = [drawn(number) for number in range(1000)]
    for hardware in AT_BROKER:
        assert 80 < sum(draw.hardware == hardware for draw in drawings) < 140
    assert all(possible(fault.kind, draw.hardware) for draw in drawings for fault in draw.faults)


def test_a_play_is_the_same_every_time() -> None:
    assert play_number(7) == play_number(7)


def played(*faults: str, blamed: tuple[Planned, ...] | None = None, hardware: str | None = None) -> Outcome:
    draw = Drawn(0, PUZZLE, SEED, End.TO, tuple(parse_fault(fault) for fault in faults), hardware)
    return play_drawn(draw, blamed)


def test_without_a_fault_the_goal_is_reached() -> None:
    outcome = played()
    assert (outcome.ending.how, outcome.wrong, outcome.incidents) == ("goal", (), ())


@pytest.mark.parametrize("hardware", AT_BROKER)
def test_without_a_fault_the_goal_is_reached_at_a_broker(hardware: str) -> None:
    outcome = played(hardware=hardware)
    assert (outcome.ending.how, outcome.wrong, outcome.incidents) == ("goal", (), ())


def test_a_broker_that_goes_is_a_link_that_is_lost_and_nothing_else() -> None:
    outcome = played("broker-restart@40", hardware="mqtt")
    assert (outcome.ending.reason, outcome.wrong) == ("link lost", ())
    assert "the link to the station is lost: closed by the broker" in outcome.ending.said
    blamed = played("broker-restart@40", hardware="mqtt", blamed=(Planned(Fault.MESSAGES_LATE, "to-host", 40.0),))
    assert "halted for a wrong reason (link lost)" in blamed.wrong[0]


def test_points_with_contacts_that_stick_are_told_before_a_train_comes_to_them() -> None:
    outcome = played("turnout-stuck:T1@8", hardware="mqtt")
    assert (outcome.ending.reason, outcome.wrong, outcome.incidents) == ("echo", (), ())


def test_a_halt_for_another_fault_is_found() -> None:
    outcome = played("short-circuit@40", blamed=(Planned(Fault.TURNOUT_STUCK, "T1", 40.0),))
    assert "halted for a wrong reason (overload)" in outcome.wrong[0]
    assert "--play 0" in told(outcome)


def test_an_incident_that_nothing_forced_is_found() -> None:
    outcome = played("turnout-slow:T1@1=5", blamed=(Planned(Fault.BEAM_DEAD, "s3", 60.0),))
    assert "INCIDENT" in [wrong.split()[0] for wrong in outcome.wrong]


def test_a_wagon_that_is_gone_and_should_have_been_seen_is_found() -> None:
    outcome = played("wagon-lifted:3@95")
    assert not outcome.wrong
    blamed = played("wagon-lifted:3@95", blamed=())
    assert bool(blamed.wrong) is (blamed.ending.how == "halt")


def test_every_play_has_its_place_in_the_table() -> None:
    done = [played("short-circuit@40"), played()]
    text = table(done, 2)
    assert "2 plays: 2 good, 0 not; 1 reached the goal, 1 halted." in text
    assert "| short-circuit | 1 | 1 | 0 | overload 1 |  |" in text
    assert "interrupted" in table(done, 5)


def test_the_table_in_the_docs_is_of_the_whole_campaign() -> None:
    text = (Path(__file__).parents[2] / "docs" / "faults.md").read_text(encoding="utf-8")
    assert "2000 plays: 2000 good, 0 not" in text
    assert all(f"| {kind} |" in text for kind in Fault)


@pytest.mark.parametrize(
    ("what", "name"),
    [
        ("beam head was freed while everything stood", "edge too many"),
        ("overload on the track: TRACK A ALERT", "overload"),
        ("something new", ""),
    ],
)
def test_reasons_by_what_they_say(what: str, name: str) -> None:
    assert reason_of(HaltedError(what)) == name


def test_what_lies_beyond_points() -> None:
    track = load_layout(find_layout("inglenook"))
    assert beyond(track, "T2") == {"s2", "s3"}
    assert beyond(track, "T1") == {"s1", "T2", "s2", "s3"}
