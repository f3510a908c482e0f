"""Machines of points that are run by pins: coils that burn, and blades that are brought over by whatever turns."""

from __future__ import annotations

import math

import pytest
from sim_tracks import CLOSED, THROWN, fork_track

from pointsman.errors import UsageError
from railsim.breakdowns import Breakdowns, Hands
from railsim.coils import Coils
from railsim.faults import parse_fault
from railsim.hidden import Hidden
from railsim.incidents import Kind
from railsim.setup import Setup
from railsim.world import SOLENOID_AT_MOST_S, World


def fork() -> World:
    return World(fork_track(), Setup(Setup.parse("head: L").segments, {}, {"T1": CLOSED}), Hidden(1))


class Machines(Breakdowns):
    """Faults strike when told; time is the world's."""

    def __init__(self, *faults: str) -> None:
        self.world = fork()
        super().__init__(self.world, Hidden(1), lambda *_: None, lambda _: None, Hands())
        self.plan([parse_fault(fault) for fault in faults], None)
        self.run(0.0)

    def run(self, to_s: float) -> str:
        """How T1 lies then."""
        while (due_s := self.next_event_s()) is not None and due_s <= to_s:
            self.world.advance(due_s)
            self.advance(due_s)
        self.world.advance(to_s)
        return self.world.truth().lie["T1"]


def test_a_solenoid_that_keeps_its_current_burns_out_once() -> None:
    world = fork()
    world.set_solenoid("T1", THROWN, True)
    world.advance(0.3)
    world.set_solenoid("T1", THROWN, True)  # it is on already, and as hot as it is
    world.set_solenoid("T1", CLOSED, True)
    world.advance(0.4)
    world.set_solenoid("T1", CLOSED, False)
    world.advance(5.0)
    (incident,) = world.incidents
    assert (incident.kind, incident.where) == (Kind.COIL, "T1>thrown")
    assert incident.t_s == pytest.approx(SOLENOID_AT_MOST_S)
    assert "more than 0.5 s" in incident.text


def test_a_pulse_that_ends_in_time_burns_nothing() -> None:
    world = fork()
    for at in range(5):
        world.advance(float(at))
        world.set_solenoid("T1", THROWN, True)
        world.advance(at + 0.45)
        world.set_solenoid("T1", THROWN, False)
    world.advance(9.0)
    assert world.incidents == []
    with pytest.raises(UsageError, match="T7"):
        world.set_solenoid("T7", THROWN, True)


def test_each_coil_burns_at_its_own_time() -> None:
    coils = Coils()
    assert math.isinf(coils.next_s())
    coils.switch("slow", True, 1.0, 2.0)
    coils.switch("quick", True, 1.0, 0.5)
    assert (coils.next_s(), coils.burnt(1.4)) == (1.5, None)
    assert coils.burnt(3.0) in {("slow", 2.0), ("quick", 0.5)}
    assert coils.burnt(3.0) in {("slow", 2.0), ("quick", 0.5)}
    assert coils.burnt(9.0) is None


def test_blades_are_over_when_their_machine_has_brought_them() -> None:
    machines = Machines()
    machines.turnout("T1", THROWN, math.inf)
    assert machines.run(9.0) == "moving"
    machines.arrived("T1")
    assert machines.run(9.0) == "thrown"


def test_slow_blades_arrive_later_than_their_machine() -> None:
    machines = Machines("turnout-slow:T1=2")
    machines.turnout("T1", THROWN, math.inf)
    machines.run(1.0)
    machines.arrived("T1")
    assert machines.run(2.9) == "moving"
    assert machines.run(3.1) == "thrown"


def test_slow_blades_that_are_driven_back_do_not_arrive_by_what_was_before() -> None:
    machines = Machines("turnout-slow:T1=2")
    machines.turnout("T1", THROWN, math.inf)
    machines.arrived("T1")
    machines.run(1.0)
    machines.turnout("T1", CLOSED, math.inf)
    assert machines.run(5.0) == "moving"
    machines.arrived("T1")
    assert machines.run(7.5) == "closed"


def test_blades_that_are_stuck_half_way_stay_there() -> None:
    machines = Machines()
    machines.turnout("T1", THROWN, math.inf)
    machines.run(1.0)
    machines.plan([parse_fault("turnout-stuck:T1@1")], None)
    machines.run(2.0)
    machines.arrived("T1")
    assert machines.run(9.0) == "moving"
