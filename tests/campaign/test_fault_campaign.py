"""The first sixty plays of the fault campaign, every kind of fault among them; and that what is wrong is found."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest
from fault_campaign import play_number, table, told
from fault_plays import AT_BROKER, Drawn, Outcome, drawn, judged, play_out, possible
from fault_rules import RULES, Played, beyond, digest, judge, reason_of

from pointsman.errors import HaltedError, LinkLostError
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


def draw_of(*faults: str, hardware: str | None = None) -> Drawn:
    return Drawn(0, PUZZLE, SEED, End.TO, tuple(parse_fault(fault) for fault in faults), hardware)


def played(*faults: str, blamed: tuple[Planned, ...] | None = None, hardware: str | None = None) -> Outcome:
    draw = draw_of(*faults, hardware=hardware)
    return judged(draw, play_out(draw), draw.faults if blamed is None else blamed)


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


@lru_cache
def outcome_of(*faults: str) -> Played:
    return play_out(draw_of(*faults))


def wrong_with(played: Played, *faults: str) -> list[str]:
    _, wrong = judge([parse_fault(fault) for fault in faults], played)
    return wrong


def false_done(played: Played) -> Played:
    """The same play, if the wagons did not stand as it believes."""
    assert played.result is not None
    assert played.result.truth is not None
    return replace(played, result=replace(played.result, truth=replace(played.result.truth, agrees=False)))


def test_a_train_that_still_moves_after_the_stop_is_found() -> None:
    halted = outcome_of("short-circuit@40")
    assert wrong_with(halted, "short-circuit@40") == []
    (wrong,) = wrong_with(replace(halted, stood=False), "short-circuit@40")
    assert wrong.startswith("it still moves after the stop")


def test_where_no_stop_can_be_heard_a_person_must_have_been_told() -> None:
    deaf = replace(outcome_of("port-vanishes@40"), stood=False)
    assert deaf.error is not None
    assert "BY HAND" in deaf.error.cure
    assert wrong_with(deaf, "port-vanishes@40") == []
    not_told = replace(deaf, error=LinkLostError(deaf.error.what, cure="look at the cable"))
    assert "it still moves after the stop" in wrong_with(not_told, "port-vanishes@40")[0]


def test_a_false_done_is_found() -> None:
    good = outcome_of()
    assert wrong_with(good) == []
    assert wrong_with(false_done(good))[0].startswith("FALSE DONE")
    assert good.result is not None
    assert wrong_with(replace(good, result=replace(good.result, reached=False)))[0].startswith("FALSE DONE")


def test_a_wagon_that_is_gone_excuses_a_false_done_only_if_no_beam_was_to_see_it_again() -> None:
    done = false_done(outcome_of())
    early, late = "wagon-lifted:3@10", f"wagon-lifted:3@{done.ended_s - 0.01:.3f}"
    gone_early = replace(done, simulation=outcome_of(early).simulation)
    assert [wrong for wrong in wrong_with(gone_early, early) if wrong.startswith("FALSE DONE")]
    gone_late = replace(done, simulation=outcome_of(late).simulation)
    assert gone_late.simulation.struck
    assert wrong_with(gone_late, late) == []


def test_a_journal_that_cannot_be_read_to_its_end_is_found() -> None:
    good = outcome_of()
    bad = replace(good, reading=replace(good.reading, bad="line 7: it is cut short"))
    assert wrong_with(bad) == ["the journal: line 7: it is cut short"]


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
    assert f"as of this table: {digest()}" in text, "the rules have changed since: make faults"


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
