"""Whole plays over MQTT in virtual time: with a broker in memory, to the goal, or to a stop with its reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from mqtt_bench import Bench, wired
from shared_cache import shared_cache

from pointsman.errors import HaltedError
from pointsman.track.wiring import Feedback
from railsim.clock import run_virtual

GOAL = "s1: 3 1 2"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


@pytest.mark.parametrize("feedback", [frozenset(), frozenset(Feedback)], ids=["no feedback", "all of it"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_play_ends_with_the_goal_in_truth(
    feedback: frozenset[Feedback], seed: int, tmp_path: Path, cache: Path
) -> None:
    async def main() -> None:
        bench = Bench(wired(feedback=feedback), seed=seed)
        await bench.play(tmp_path / "journal", cache, GOAL)
        assert bench.final is not None
        assert "s1: 3 1 2" in str(bench.final.position)
        truth = bench.simulation.truth()
        assert [vehicle.name for vehicle in truth.on["s1"]] == ["3", "1", "2"]
        assert bench.simulation.incidents == []

    run_virtual(main())


def _restart(bench: Bench) -> None:
    bench.broker.stop()
    bench.loop.call_later(1.0, bench.broker.start)
    bench.loop.call_later(1.1, bench.node.connect)


SPOILT: dict[str, tuple[Callable[[Bench], None], str]] = {
    "the broker restarts": (_restart, "the link to the station is lost: closed by the broker"),
    "the network is cut": (lambda bench: bench.link.cut(), "the link to the station is lost: the connection broke"),
    # Whatever is missed first: an edge of a beam, or the answer to an order.
    "the broker hangs": (lambda bench: bench.broker.stall(True), "did not confirm|should have been freed by L by now"),
    "the node goes": (lambda bench: bench.node.lose(), "node yard is offline"),
    "another throttle": (lambda bench: bench.broker.publish("cab/3/throttle", b"50"), "L was set to 50 % by somebody"),
    "another switches": (lambda bench: bench.broker.publish("track/turnout/T2", b"THROWN"), "T2 was thrown by"),
    "power off": (lambda bench: bench.broker.publish("track/power", b"OFF"), "power"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_what_goes_wrong_stops_the_play_with_its_reason(name: str, tmp_path: Path, cache: Path) -> None:
    spoil, why = SPOILT[name]

    async def main() -> None:
        bench = Bench()
        with pytest.raises(HaltedError, match=why):
            await bench.play(tmp_path / "journal", cache, GOAL, act=lambda: spoil(bench))
        if name != "the broker hangs":  # then nobody hears a stop before it wakes
            assert bench.speed_in_the_end == 0
            assert bench.simulation.incidents == []

    run_virtual(main())


@pytest.mark.parametrize("seed", [4, 5])
def test_messages_that_come_twice_and_retained_commands_change_nothing(seed: int, tmp_path: Path, cache: Path) -> None:
    async def main() -> None:
        bench = Bench(seed=seed)
        for topic in ("cab/3/throttle", "track/power", "track/turnout/T1", "track/light/s1"):
            bench.broker.publish(topic, b"ON" if topic != "cab/3/throttle" else b"90", retain=True)
        publish = bench.broker.publish

        def twice(topic: str, payload: bytes, *, retain: bool = False) -> None:
            publish(topic, payload, retain=retain)
            if topic.startswith("track/sensor"):
                publish(topic, payload, retain=retain)

        bench.broker.publish = twice  # type: ignore[method-assign]
        await bench.play(tmp_path / "journal", cache, GOAL)
        assert [vehicle.name for vehicle in bench.simulation.truth().on["s1"]] == ["3", "1", "2"]
        assert bench.simulation.incidents == []

    run_virtual(main())
