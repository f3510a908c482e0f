"""The controller plays through the compiled firmware: to the goal, and, when something fails, to a stand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from loop_bench import STANDS_WITHIN_MM, STANDS_WITHIN_S, needs_firmware
from loop_play import LoopPlay
from way import along_mm

from pointsman.drivers.node import NodeDriver
from pointsman.errors import PointsmanError
from pointsman.track.model import End
from railsim.faults import parse_fault
from railsim.incidents import Stopped

pytestmark = needs_firmware


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("play")


@pytest.mark.parametrize(
    ("seed", "facing", "solenoids"), [("1", End.TO, False), ("4", End.FROM, False), ("6", End.TO, True)]
)
def test_a_draw_ends_with_truth_as_its_goal_and_no_incident(
    folder: Path, tmp_path: Path, seed: str, facing: End, solenoids: bool
) -> None:
    play = LoopPlay(folder, tmp_path / "journal", seed=seed, facing=facing, solenoids=solenoids).play()
    assert play.witness is not None
    assert play.witness.good, play.witness


BEGINS_MM = {"head": 0.0, "T1>closed": 320.0, "s1": 320.0 + 282.0}
"""Where each part of the way into s1 begins."""


class Failing:
    """Something fails while the train is fast: when that was, and where."""

    def __init__(self, fails: Callable[[LoopPlay], object]) -> None:
        self._fails = fails
        self.at_s = self.at_mm = 0.0

    def __call__(self, play: LoopPlay) -> None:
        truth = play.simulation.truth()
        self.at_s, self.at_mm = truth.t_s, along_mm(truth, BEGINS_MM)
        self._fails(play)


class StuckDriver(NodeDriver):
    """Whoever supervises is stuck: no heartbeat is given any more."""

    stuck = False

    def beat(self) -> bool:
        return True if self.stuck else super().beat()


def stick(play: LoopPlay) -> None:
    assert isinstance(play.driver, StuckDriver)
    play.driver.stuck = True


def pause(play: LoopPlay) -> None:
    play.simulation.plan([parse_fault(f"host-paused@{play.world.now_s + 0.001:.6f}=2")])


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        pytest.param(lambda play: play.pull(), "no heartbeat came", id="unheard"),
        pytest.param(pause, "this program stood still for 2.0 s", id="paused"),
        pytest.param(stick, "no heartbeat came", id="stuck"),
        pytest.param(lambda play: play.simulation.reset_station(), "the reset button", id="reset"),
        pytest.param(lambda play: play.board.ask("hang"), "the node is silent", id="hung"),
    ],
)
def test_when_something_fails_the_train_stands_and_stays(
    folder: Path, tmp_path: Path, fails: Callable[[LoopPlay], object], why: str
) -> None:
    failing = Failing(fails)
    play = LoopPlay(folder, tmp_path / "journal", when_fast=failing, make_driver=StuckDriver)
    with pytest.raises(PointsmanError, match=why):
        play.play()
    (stopped,) = [event for event in play.there if isinstance(event, Stopped) and event.t_s > failing.at_s > 0]
    assert stopped.t_s - failing.at_s < STANDS_WITHIN_S
    assert 5.0 < along_mm(play.truth, BEGINS_MM) - failing.at_mm < STANDS_WITHIN_MM
    assert play.truth.t_s - stopped.t_s > 2.0
    assert not play.simulation.world.powered
    assert play.simulation.world.incidents == []


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        ("turnout-stuck:T1", "beam s1 became broken, and nothing that moves should do that here"),
        ("locomotive-stalls:L@20=3", "beam s1 should have been broken by 2 by now, and was not"),
    ],
)
def test_when_the_layout_fails_the_play_is_stopped_before_anything_happens(
    folder: Path, tmp_path: Path, fault: str, why: str
) -> None:
    play = LoopPlay(folder, tmp_path / "journal", faults=[fault])
    with pytest.raises(PointsmanError, match=why):
        play.play()
    assert len(play.simulation.struck) == 1
    assert play.truth.moving == ()
    assert play.simulation.world.incidents == []
