"""The controller plays through the compiled firmware over other lines than a good cable: a network, and a bad cable."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from loop_bench import needs_firmware
from loop_play import LoopPlay

from pointsman.errors import HaltedError
from railsim.faults import parse_fault
from railsim.incidents import Stopped

pytestmark = needs_firmware


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("play")


class Noise:
    """Of so many bytes one has a bit flipped, and one is lost; from when it is ``on``."""

    def __init__(self, seed: int, one_in: int, *, on: bool = True) -> None:
        self._dice = Random(seed)
        self._one_in = one_in
        self.on = on
        self.flipped = self.lost = 0

    def __call__(self, data: bytes) -> bytes:
        return b"".join(self._spoilt(byte) for byte in data) if self.on else data

    def _spoilt(self, byte: int) -> bytes:
        match self._dice.randrange(self._one_in):
            case 0:
                self.flipped += 1
                return bytes([byte ^ 1 << self._dice.randrange(8)])
            case 1:
                self.lost += 1
                return b""
        return bytes([byte])


def stands_unhurt(play: LoopPlay) -> None:
    """Everything stands, and has for a while; nothing was bumped."""
    assert not play.truth.moving
    assert play.simulation.world.standing
    assert play.simulation.world.incidents == []


def test_a_bad_cable_ends_a_play_at_its_goal_or_at_a_stand(folder: Path, tmp_path: Path) -> None:
    noises = Noise(1, 600), Noise(2, 600)
    play = LoopPlay(folder, tmp_path / "journal", to_board=noises[0], to_host=noises[1])
    with suppress(HaltedError):
        play.play()
        assert play.witness is not None
        assert play.witness.good, play.witness
    assert all(noise.flipped and noise.lost for noise in noises)
    stands_unhurt(play)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_cable_that_fails_in_mid_run_ends_a_play_at_a_stand(folder: Path, tmp_path: Path, seed: int) -> None:
    noises = Noise(seed, 12, on=False), Noise(seed + 10, 12, on=False)

    def fail(play: LoopPlay) -> None:
        for noise in noises:
            noise.on = True

    play = LoopPlay(folder, tmp_path / "journal", when_fast=fail, to_board=noises[0], to_host=noises[1])
    with pytest.raises(HaltedError):
        play.play()
    assert all(noise.flipped and noise.lost for noise in noises)
    assert not play.simulation.world.powered
    stands_unhurt(play)


def test_a_network_that_goes_in_mid_run_ends_a_play_at_a_stand(folder: Path, tmp_path: Path) -> None:
    since_s: list[float] = []

    def fail(play: LoopPlay) -> None:
        since_s.append(play.world.now_s)
        play.simulation.plan([parse_fault(f"port-vanishes@{since_s[0] + 0.001:.6f}=10")])

    play = LoopPlay(folder, tmp_path / "journal", over_tcp=True, when_fast=fail)
    with pytest.raises(HaltedError, match="the link to the station is lost"):
        play.play()
    (stopped,) = [event for event in play.there if isinstance(event, Stopped) and event.t_s > since_s[0]]
    assert 0.8 < stopped.t_s - since_s[0] < 1.5, "nobody but the node can have stopped it"
    assert not play.simulation.world.powered
    stands_unhurt(play)
