"""Opening the MQTT driver in virtual time: what it makes safe first, and what it refuses to believe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from mqtt_bench import WIRING, Bench, on_bench

from pointsman.drivers.mqtt.link import Link
from pointsman.errors import PortError, StationError
from pointsman.messages import Drive, LinkUp, PowerReported, SensorChanged, SetPower, SetTurnout, TurnoutReported
from pointsman.transports.mqtt_base import Delivery
from railsim.clock import run_virtual


def test_opening_makes_everything_safe_and_tells_the_first_states() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await bench.driver.open()
        await asyncio.sleep(0.01)
        assert isinstance(bench.events[-1], LinkUp)
        assert {e.sensor: e.active for e in bench.of(SensorChanged) if isinstance(e, SensorChanged)} == {
            beam: bench.simulation.world.beam_broken(beam) for beam in WIRING.beams
        }
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [False]
        told = [(topic, payload) for _, topic, payload in bench.heard]
        off = [(f"track/light/{magnet}", b"OFF") for magnet in ("s1", "s2", "s3")]
        stop = [("cab/3/direction", b"STOP"), ("cab/3/throttle", b"0"), ("track/power", b"OFF")]
        first = told.index(off[0])
        assert [one for one in told[first:] if "state" not in one[0]][:6] == [*off, *stop]
        await bench.down()

    run_virtual(main())


def test_nothing_is_ever_published_retained() -> None:
    async def scene(bench: Bench) -> None:
        bench.driver.send(SetPower(True), 1)
        bench.driver.send(Drive("L", True, 10), 2)
        bench.driver.send(SetTurnout("T1", True), 3)
        await asyncio.sleep(2)
        assert {topic for topic in bench.broker.retained if "state" not in topic} == {
            "track/node/yard",
            *(f"track/sensor/{beam}" for beam in WIRING.beams),
        }

    on_bench(scene)


@pytest.mark.parametrize(
    ("spoil", "error", "what"),
    [
        (lambda bench: bench.broker.stop(), PortError, "nobody answers"),
        (lambda bench: bench.broker.denied.add("cab/3/throttle"), StationError, "does not pass on cab/3/throttle"),
        (lambda bench: bench.broker.denied.add("pointsman/pm1/fence"), StationError, "own messages back"),
        (lambda bench: bench.node.lose(), StationError, "not online: yard"),
        (lambda bench: bench.broker.publish("track/sensor/s1", b"", retain=True), StationError, "beam s1"),
        (lambda bench: bench.broker.denied.add("track/power/state"), StationError, "track power off"),
    ],
    ids=["no broker", "a command denied", "the fence denied", "no node", "no state of a beam", "no feedback"],
)
def test_what_is_missing_is_named(spoil: Callable[[Bench], None], error: type[Exception], what: str) -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await asyncio.sleep(0.01)
        spoil(bench)
        with pytest.raises(error, match=what) as refusal:
            await bench.driver.open()
        assert getattr(refusal.value, "cure", "")
        assert bench.driver.link is Link.CLOSED
        assert not bench.link.is_open
        await bench.down()

    run_virtual(main())


def test_a_node_that_comes_within_its_time_is_waited_for_and_made_safe() -> None:
    async def main() -> None:
        bench = Bench()
        opening = asyncio.ensure_future(bench.driver.open())
        await asyncio.sleep(5)
        assert not opening.done()
        bench.heard.clear()
        bench.node.connect()
        await opening
        assert ("track/power", "OFF") in bench.published("track/power")
        await bench.down()

    run_virtual(main())


def test_a_node_that_starts_again_and_again_is_given_up() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        starts: list[float] = []

        def start_anew(_: Delivery) -> None:
            starts.append(bench.loop.time())
            if len(starts) <= 10:
                bench.loop.call_soon(lambda: bench.broker.publish("track/node/yard", b"online", retain=True))

        bench.broker.client(start_anew, lambda _: None).subscribe(["track/power"])
        with pytest.raises(StationError, match="node yard said that it is online, again and again") as refusal:
            await bench.driver.open()
        assert "power supply" in refusal.value.cure
        assert len(starts) == 6, "made safe twice in each of three tries"
        assert bench.dead
        await bench.down()

    run_virtual(main())


def test_states_that_are_older_than_their_node_are_not_believed() -> None:
    """The node went, its states stayed with the broker, and it comes back with others."""

    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await asyncio.sleep(0.01)
        bench.node.lose()
        await asyncio.sleep(0.01)
        assert bench.broker.retained["track/node/yard"] == b"offline"
        bench.broker.publish("track/sensor/s1", b"INACTIVE", retain=True)
        bench.broker.publish("track/turnout/T1/state", b"THROWN", retain=True)
        with pytest.raises(StationError, match="not online: yard"):
            await bench.driver.open()
        assert bench.of(SensorChanged, TurnoutReported) == []
        bench.node.connect()
        await bench.driver.open()
        await asyncio.sleep(0.01)
        first = {e.sensor: e.active for e in bench.events if isinstance(e, SensorChanged)}
        assert first["s1"] is bench.simulation.world.beam_broken("s1")
        assert bench.of(TurnoutReported) == []
        await bench.down()

    run_virtual(main())


def test_somebody_who_drives_meanwhile_is_stopped_and_named() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        bench.loop.call_later(0.5, bench.node.lose)
        bench.loop.call_later(1.0, bench.broker.publish, "cab/3/throttle", b"40")
        bench.loop.call_later(2.0, bench.node.connect)
        bench.node.lose()
        with pytest.raises(StationError, match=r"another program is driving.*L was set to 40 %") as refusal:
            await bench.driver.open()
        assert "everything was stopped" in str(refusal.value)
        await bench.down()

    run_virtual(main())
