"""Whole plays on nodes in virtual time: to the goal in truth, or to a stop with its reason and nothing bumped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from shared_cache import shared_cache

from pointsman.app import Simulated, stops_itself
from pointsman.errors import HaltedError
from pointsman.links import On, Target
from pointsman.operate.power import STOPS_ITSELF
from pointsman.playing import PlayRequest, play
from pointsman.puzzle.choice import choose
from pointsman.record import read
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring
from railsim.faults import parse_fault

HARDWARE = ("uno-dc", "dccex+node")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


def request_for(hardware: str, journal: Path, cache: Path) -> PlayRequest:
    """A draw of the small Inglenook's classic puzzle, solved: a whole Inglenook."""
    chosen = choose("inglenook-small", seed="1")
    runs = solve(chosen.track, chosen.start, chosen.goal, chosen.puzzle.count, cache=cache).runs
    wiring = load_wiring(find_wiring(chosen.folder, hardware), chosen.track)
    return PlayRequest(
        chosen=chosen,
        runs=runs,
        wiring=wiring,
        target=Target(On.SIM),
        facing=End.TO,
        journal=journal,
        hardware=hardware,
    )


def nothing(_: object) -> None:
    pass


@pytest.mark.parametrize("hardware", HARDWARE)
def test_a_whole_inglenook_ends_with_the_goal_in_truth(hardware: str, tmp_path: Path, cache: Path) -> None:
    request = request_for(hardware, tmp_path / "journal", cache)
    result = play(request, nothing, nothing)
    assert len(request.runs) > 8
    assert result.reached
    assert result.truth is not None
    assert result.truth.good
    written = [line.values for line in read(tmp_path / "journal").lines if line.kind == "event"]
    stopped = [one for one in written if one.get("type") in ("StationStopped", "LinkLost", "ForeignControl")]
    assert stopped == []


SPOILT = {
    # While the program stands still its node gets no heartbeat, and trips: that is found on coming back.
    "host-paused@40=2": "no heartbeat came|stood still|did not confirm|lost",
    # A board that starts is silent for 1.5 s: the beam that should have been broken meanwhile is missed first.
    "station-reset@40": "beam s3 should have been broken by 2 by now, and was not",
    "port-vanishes@40=30": "the link to the station is lost: the port is gone",
    "silent:from-station@40=30": "beam s3 should have been broken by 2 by now, and was not",
    "silent:to-station@40=30": "did not confirm|no heartbeat came",
    "beam-stuck:s1@40": "beam s1|broken|unexpected|head",
}


@pytest.mark.parametrize("fault", SPOILT)
def test_what_goes_wrong_stops_the_train_with_its_reason(fault: str, tmp_path: Path, cache: Path) -> None:
    kept: list[Simulated] = []

    def spoil(simulation: Simulated) -> None:
        kept.append(simulation)
        simulation.plan((parse_fault(fault),))

    request = replace(request_for("uno-dc", tmp_path / "journal", cache), on_simulation=spoil)
    with pytest.raises(HaltedError, match=SPOILT[fault]):
        play(request, nothing, nothing)
    (simulation,) = kept
    simulation.run_on(simulation.world.now_s + 3)
    assert simulation.world.speed_mm_s("L") == 0
    assert [str(one) for one in simulation.world.incidents] == []


@pytest.mark.parametrize("hardware", HARDWARE)
def test_a_lost_link_asks_for_a_hand_only_if_the_node_does_not_stop(hardware: str, tmp_path: Path, cache: Path) -> None:
    kept: list[Simulated] = []

    def spoil(simulation: Simulated) -> None:
        kept.append(simulation)
        simulation.plan((parse_fault("port-vanishes@40=30"),))

    request = replace(request_for(hardware, tmp_path / "journal", cache), on_simulation=spoil)
    with pytest.raises(HaltedError, match="the port is gone") as raised:
        play(request, nothing, nothing)
    assert raised.value.cure == STOPS_ITSELF
    (simulation,) = kept
    simulation.run_on(simulation.world.now_s + 2)
    assert simulation.world.speed_mm_s("L") == 0


def test_a_hand_at_once_where_anything_may_run_on(tmp_path: Path, cache: Path) -> None:
    request = request_for("uno-dc", tmp_path / "journal", cache)
    assert stops_itself(Target(On.SERIAL, "/dev/ttyX"), request.wiring)
    assert not stops_itself(Target(On.MQTT, "broker"), request.wiring)
    node = request.wiring.stations["node"]
    assert node.node is not None
    bare = replace(request.wiring, stations={"node": replace(node, node=replace(node.node, relay=False))})
    assert bare.stops_itself, "its throttle is the only feed"
    decoder = {name: replace(wired, dc=False) for name, wired in bare.locomotives.items()}
    assert not replace(bare, locomotives=decoder).stops_itself


def test_beside_a_station_a_program_that_stands_still_loses_the_power_to_the_relay(tmp_path: Path, cache: Path) -> None:
    """The locomotive is DCC-EX's, which would let it run for ever: the node's relay stops it."""
    kept: list[Simulated] = []

    def spoil(simulation: Simulated) -> None:
        kept.append(simulation)
        simulation.plan((parse_fault("host-paused@40=1.3"),))

    request = replace(request_for("dccex+node", tmp_path / "journal", cache), on_simulation=spoil)
    with pytest.raises(HaltedError):
        play(request, nothing, nothing)
    told = [line for line in read(tmp_path / "journal").lines if line.kind == "event"]
    (stopped,) = [line.values["why"] for line in told if line.values["type"] == "StationStopped"]
    assert stopped == "node: no heartbeat came"
    (simulation,) = kept
    assert simulation.world.speed_mm_s("L") == 0
    assert [str(one) for one in simulation.world.incidents] == []
