"""What may come along behind a train: one after the other, and what is believed until a beam has told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from metal import builtin
from plays import ALLOW, planner_of, set_up

from pointsman.messages import SensorChanged
from pointsman.operate import tracker
from pointsman.operate.ahead import ahead
from pointsman.operate.belief import Belief, Spot
from pointsman.operate.hand_counting import coupled_as_set_up
from pointsman.operate.hand_drive import hand_step
from pointsman.operate.hand_parting import left_to_magnets
from pointsman.operate.steps import DriveStep
from pointsman.operate.sweep import Edge
from pointsman.puzzle.position import parse_position
from pointsman.track.model import End, Leg, Place
from pointsman.track.wiring import UncouplerKind

LAYOUT = "inglenook"
TRACK = builtin(LAYOUT)


def began(*loose: tuple[str, str]) -> tuple[Belief, tracker.Drive]:
    """L draws 1, 2 and 3 out of s1, between which some couplings may be open."""
    belief = coupled_as_set_up(set_up(TRACK, parse_position("s1: L 1 2 3", TRACK)))
    for pair in loose:
        belief = replace(belief, coupled=belief.coupled - {frozenset(pair)})
    belief = replace(belief, commanded={"T1": Leg.CLOSED, "T2": Leg.CLOSED})
    step = hand_step(planner_of(LAYOUT).office, belief, ahead(TRACK, belief, "L", End.FROM, ALLOW), 40)
    return belief, tracker.begin(step, TRACK.locomotives["L"], dict.fromkeys(TRACK.beams, False), {}, 0.0, ALLOW)


def first(step: DriveStep, vehicle: str) -> Edge:
    """The first edge that a vehicle causes if it comes along."""
    assert step.dragging is not None
    return next(edge for edge in step.dragging.edges if edge.vehicle == vehicle and edge.active and edge.c_mm > 0)


def at(drive: tracker.Drive, c_mm: float, *, give_or_take_mm: float = 2.0) -> tracker.Drive:
    """The drive when its locomotive stands at a place, and all of its own edges before it have come."""
    envelope = drive.envelope
    low, high = (
        replace(p, x_mm=c_mm + d) for p, d in ((envelope.slow, -give_or_take_mm), (envelope.fast, give_or_take_mm))
    )
    rest = tuple(edge for edge in drive.expected if edge.c_mm > c_mm)
    return replace(
        drive, envelope=replace(envelope, slow=low, fast=high, likely=replace(low, x_mm=c_mm)), expected=rest
    )


def reach(belief: Belief, vehicle: str) -> float:
    return belief.spots[vehicle].error_mm


def test_all_that_may_come_is_carried_and_which_couplings_nobody_knows() -> None:
    _, drive = began(("L", "1"), ("2", "3"))
    assert drive.step.dragging is not None
    assert [body.vehicle for body in drive.step.sweep.bodies] == ["L"]
    assert [body.vehicle for body in drive.step.dragging.bodies] == ["3", "2", "1", "L"]
    assert drive.step.loose == {frozenset("L1"), frozenset("23")}


@pytest.mark.parametrize(
    ("seen", "rear", "coupled"),
    [("1", "2", ["L1", "12"]), ("2", "2", ["L1", "12"]), ("3", "3", ["L1", "12", "23"])],
    ids=["the nearest", "what is coupled to it", "the furthest"],
)
def test_what_is_seen_brings_what_is_coupled_to_it_and_no_more(seen: str, rear: str, coupled: list[str]) -> None:
    belief, drive = began(("L", "1"), ("2", "3"))
    edge = first(drive.step, seen)
    drive = at(drive, edge.c_mm)
    drive = tracker.fold(drive, SensorChanged(0.0, edge.beam, True))
    assert (drive.doubt, drive.rear) == ("", rear)
    found = tracker.after(belief, drive)
    assert found.coupled == {frozenset(pair) for pair in coupled}
    assert reach(found, "2") < 10
    assert (reach(found, "3") > 30) is (rear != "3"), "it may have come along, or have stayed"


def test_the_next_may_be_seen_while_it_brakes() -> None:
    belief, drive = began(("L", "1"), ("2", "3"))
    for vehicle in "13":
        edge = first(drive.step, vehicle)
        drive = tracker.fold(at(drive, edge.c_mm), SensorChanged(0.0, edge.beam, True))
    assert (drive.doubt, drive.rear) == ("", "3")
    assert frozenset("23") in tracker.after(belief, drive).coupled


def test_what_was_not_seen_where_it_would_have_been_was_left_with_all_behind_it() -> None:
    belief, drive = began(("L", "1"), ("2", "3"))
    edge = first(drive.step, "1")
    short = tracker.after(belief, at(drive, edge.c_mm - 10))
    assert all(reach(short, vehicle) > 10 for vehicle in "123"), "nothing is known yet"
    beyond = tracker.after(belief, at(drive, edge.c_mm + 30))
    assert all(beyond.spots[vehicle] == belief.spots[vehicle] for vehicle in "123")


def test_of_what_may_have_been_drawn_nobody_knows_that_it_stands_pushed_together() -> None:
    belief, drive = began(("L", "1"))
    belief = replace(belief, pushed=frozenset({frozenset("12"), frozenset("23")}))
    found = tracker.after(belief, at(drive, first(drive.step, "1").c_mm - 10))
    assert found.pushed == frozenset()
    assert frozenset("12") in found.coupled


def test_nothing_is_doubtful_of_what_is_coupled() -> None:
    belief, drive = began()
    assert (drive.step.dragging, drive.step.loose) == (None, frozenset())
    found = tracker.after(belief, at(drive, drive.step.sweep.start_high_mm + 40))
    assert found.coupled == belief.coupled
    assert reach(found, "3") < 10


class TestOverAMagnetThatIsAlwaysOn:
    def stood(self, gap_mm: float, kind: UncouplerKind) -> tuple[Belief, Belief]:
        """1 and 2 stand with their coupling over the magnet of s1, so far apart beyond a closed coupling."""
        planner = planner_of(LAYOUT)
        wired = {name: replace(one, kind=kind) for name, one in planner.office.wiring.uncouplers.items()}
        office = replace(planner.office, wiring=replace(planner.office.wiring, uncouplers=wired))
        belief, _ = began()
        magnet = next(one for one in TRACK.uncouplers.values() if one.place.element == "s1")
        half = TRACK.vehicle("1").buffers_mm / 2
        spots = {
            "1": Spot(Place("s1", None, magnet.place.at_mm - half - gap_mm / 2), 1.0),
            "2": Spot(Place("s1", None, magnet.place.at_mm + half + gap_mm / 2), 1.0),
        }
        belief = replace(belief, spots={**belief.spots, **spots})
        return belief, left_to_magnets(office, belief)

    def test_what_is_slack_may_have_parted(self) -> None:
        before, found = self.stood(0.5, UncouplerKind.PERMANENT)
        assert before.coupled - found.coupled == found.parted == {frozenset("12")}

    def test_what_is_taut_has_not(self) -> None:
        taut_mm = TRACK.vehicle("1").length_mm - TRACK.vehicle("1").buffers_mm
        before, found = self.stood(taut_mm, UncouplerKind.PERMANENT)
        assert found == before

    @pytest.mark.parametrize("kind", [kind for kind in UncouplerKind if kind is not UncouplerKind.PERMANENT])
    def test_nor_what_stands_over_one_that_is_off(self, kind: UncouplerKind) -> None:
        before, found = self.stood(0.5, kind)
        assert found == before
