"""French sentences for the program's own: taken from where the program makes them, as far as that can be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from metal import builtin
from plays import ALLOW, set_up
from tracks import track_of

from pointsman.operate.ahead import Barrier, Limit, ahead, no_room
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, Spot, at_setup
from pointsman.operate.hand_counting import coupled_as_set_up
from pointsman.operate.hand_parting import couple_up
from pointsman.operate.plan import Planner
from pointsman.operate.set_up import set_up_lines
from pointsman.operate.steps import DriveStep
from pointsman.operate.way_out import nothing_helps
from pointsman.puzzle.choice import choose
from pointsman.puzzle.journey import describe
from pointsman.puzzle.position import parse_position
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End, Leg, Place, Track
from pointsman.track.wiring_file import load_wiring
from pointsman.web.french import french, sentence

SMALL = builtin("inglenook-small")


def test_everything_that_a_play_tells_is_said_in_french() -> None:
    chosen = choose("inglenook-small", seed="1")
    runs = solve(chosen.track, chosen.start, chosen.goal, chosen.puzzle.count).runs
    wiring, allow = load_wiring(find_wiring(chosen.folder), chosen.track), Allowances()
    planner = Planner(chosen.track, wiring, allow, None)
    belief = at_setup(chosen.track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
    said = [describe(chosen.track, run) for run in runs]
    said += [" ".join(["Set up like this.", *set_up_lines(chosen)])]
    for done in planner.rehearse(belief, runs):
        said.append(str(done.step))
        if isinstance(done.step, DriveStep):
            said += [part for part in done.step.stop.why.split("; ") if part]
    untold = [text for text in said if sentence(text) == text]
    assert untold == []


def test_names_numbers_and_everything_that_is_no_sentence_stay_as_they_are() -> None:
    told = {"vehicles": {"L": {"element": "solved"}}, "mode": "solved", "note": "solved", "seq": 3}
    assert french(told) == {**told, "note": "résolu"}


def by_hand(text: str, track: Track = SMALL, **lies: Leg) -> tuple[Track, Belief]:
    """What stands where, coupled as it was set up, and how the turnouts were set."""
    return track, replace(coupled_as_set_up(set_up(track, parse_position(text, track))), commanded=lies)


def limits() -> Iterator[Limit]:
    """What a drive by hand stops for, of every kind, from where the program finds it."""
    lies = {"T1": Leg.THROWN, "T2": Leg.CLOSED}
    _, lone = by_hand("head: L | s1: 1", **lies)
    for belief, turning in ((lone, ()), (lone, ("T2",)), (replace(lone, commanded={}), ())):
        yield from ahead(SMALL, belief, "L", End.TO, ALLOW, turning).limits
    for at_mm in (15.0, 41.5):
        near = replace(lone, spots={**lone.spots, "1": Spot(Place("s1", None, at_mm), 1.0)})
        yield from ahead(SMALL, near, "L", End.TO, ALLOW).limits
    yield from ahead(*by_hand("s1: L | s2: 1", **lies), "L", End.FROM, ALLOW).limits
    roomy = replace(SMALL, segments={**SMALL.segments, "s2": replace(SMALL.segments["s2"], length_mm=300.0)})
    yield from ahead(*by_hand("head: L 1 2 | s2: 3", roomy, **lies), "L", End.TO, ALLOW).limits
    two = track_of("two", {"A": 3}, {}, 0, ("L", "M"))
    yield from ahead(*by_hand("A: L M", two), "L", End.TO, ALLOW).limits
    loop = track_of("loop", {"A": 3, "B": 3}, {"T1": ("A.to", "B.from", "B.to")}, 0)
    yield from ahead(*by_hand("A: L", loop, T1=Leg.CLOSED), "L", End.TO, ALLOW).limits


def test_every_limit_of_driving_by_hand_is_said_in_french() -> None:
    found = list(limits())
    assert {limit.barrier for limit in found} == set(Barrier)
    for limit in found:
        why, cure = sentence(limit.why), sentence(no_room(limit).cure)
        assert why != limit.why, limit.why
        assert cure != no_room(limit).cure, cure
        assert sentence(f"stopped: {limit.why}") == f"arrêt : {why}"
        assert sentence(f"careful: {limit.why}") == f"attention : {why}"
    for belief in (lone := by_hand("head: L | s1: 1")[1], lone.with_parted("L", "1")):
        assert sentence(couple_up(belief, "L", "1")).startswith("à la main : ")
    assert sentence(nothing_helps("L")) != nothing_helps("L")


@pytest.mark.parametrize(
    ("english", "in_french"),
    [
        (
            "solved Begin when everybody is clear of the layout.",
            "résolu Commencez quand personne n'a plus la main au réseau.",
        ),
        ("T1 to thrown", "T1 vers la voie déviée"),
        ("STOPPED: emergency stop by driver 1", "ARRÊTÉ : arrêt d'urgence par le conducteur 1"),
        ("nobody has ever said this", "nobody has ever said this"),
        (
            "T1 lies for its thrown leg, against a train from closed",
            "T1 est disposé pour la voie déviée, contre un train qui vient par la voie directe",
        ),
        ("s2 holds 2: 1 2 3 would be too many", "s2 en contient 2 : 1 2 3, ce serait trop"),
        (
            "nobody knows whether 2 is coupled to 1; nobody knows whether 1 is coupled to L",
            "personne ne sait si 2 est attelé à 1 ; personne ne sait si 1 est attelé à L",
        ),
        ("driver 1 drives L", "driver 1 conduit L"),
        ("T1 is still moving", "T1 est encore en mouvement"),
        ("1 stands foul of T1, or may", "1 engage T1, ou peut-être"),
        (
            "nothing can be planned from here: 1 stands foul of T2",
            "rien ne peut se prévoir d'ici : 1 engage T2",
        ),
        ("T1 may not have moved; look at the layout", "T1 n'a peut-être pas bougé ; regardez le réseau"),
    ],
)
def test_sentences(english: str, in_french: str) -> None:
    assert sentence(english) == in_french


def test_who_stopped_everything_is_said_in_french() -> None:
    assert sentence("emergency stop by marshal 11") == "arrêt d'urgence par le chef de manœuvre 11"
    assert sentence("emergency stop by spectator 3: nothing was moving") == (
        "arrêt d'urgence par le spectateur 3 : rien ne bougeait"
    )
