"""Two stations as one driver: the real drivers, the simulated layout, virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
from several_bench import BOTH_FEED, MIXED, SWAPPED, Bench
from shared_cache import shared_cache

from pointsman.drivers.dccex import DccExDriver
from pointsman.errors import HaltedError, LinkLostError, PortError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    LinkLost,
    LinkUp,
    PowerDivided,
    PowerReported,
    Rejected,
    SensorChanged,
    SetPower,
    SetTurnout,
    SetUncoupler,
    Stop,
)
from pointsman.track.wiring import Wiring
from railsim.clock import run_virtual

WIRINGS = {"locomotive on DCC-EX": MIXED, "locomotive on MQTT": SWAPPED}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


def on_bench(test: Callable[[Bench], Coroutine[None, None, None]], wiring: Wiring = MIXED) -> None:
    async def main() -> None:
        bench = await Bench(wiring).up()
        await test(bench)
        await bench.down()
        assert bench.speed_mm_s == 0

    run_virtual(main())


@pytest.mark.parametrize("name", WIRINGS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_play_on_two_stations_ends_with_the_goal_in_truth(name: str, seed: int, tmp_path: Path, cache: Path) -> None:
    async def main() -> None:
        bench = Bench(WIRINGS[name], seed=seed)
        await bench.play(tmp_path / "journal", cache)
        assert bench.final is not None
        assert "s1: 3 1 2" in str(bench.final.position)
        assert [vehicle.name for vehicle in bench.simulation.truth().on["s1"]] == ["3", "1", "2"]
        assert bench.simulation.incidents == []
        switched = {topic for _, topic, _ in bench.published if topic.startswith(("track/turnout/", "cab/"))}
        assert any(topic.startswith("cab/") for topic in switched) == (name == "locomotive on MQTT")
        assert any(topic.startswith("track/turnout/") for topic in switched) == (name == "locomotive on DCC-EX")

    run_virtual(main())


@pytest.mark.parametrize(("name", "lost"), [("locomotive on DCC-EX", "yard"), ("locomotive on MQTT", "main")])
def test_when_one_link_is_lost_everything_stops_at_the_other_station(
    name: str, lost: str, tmp_path: Path, cache: Path
) -> None:
    async def main() -> None:
        bench = Bench(WIRINGS[name])
        moving: list[float] = []

        def cut() -> None:
            moving.append(bench.speed_mm_s)
            bench.cut(lost)

        with pytest.raises(HaltedError, match=f"the link to the station is lost: {lost}: "):
            await bench.play(tmp_path / "journal", cache, act=cut)
        assert moving[0] > 0
        assert bench.speed_in_the_end == 0
        assert bench.simulation.incidents == []

    run_virtual(main())


def test_when_the_locomotives_station_is_lost_the_other_one_is_latched_too(tmp_path: Path, cache: Path) -> None:
    async def main() -> None:
        bench = Bench(MIXED)
        latched: list[object] = []

        def look() -> None:
            latched.append(getattr(bench.driver.drivers["yard"], "halted", None))

        def cut() -> None:
            look()
            bench.cut("main")
            bench.loop.call_later(1.0, look)

        with pytest.raises(HaltedError, match="main: "):
            await bench.play(tmp_path / "journal", cache, act=cut)
        assert latched == [False, True]

    run_virtual(main())


def test_the_link_is_up_once_both_are_and_only_the_feeding_station_tells_of_power() -> None:
    async def test(bench: Bench) -> None:
        (up,) = [event for event in bench.events if isinstance(event, LinkUp)]
        assert "DCC-EX" in up.station
        assert "nodes online: yard" in up.station
        assert {e.sensor for e in bench.events if isinstance(e, SensorChanged)} == set(MIXED.beams)
        bench.events.clear()
        bench.driver.send(SetPower(True), 1)
        await asyncio.sleep(0.5)
        assert [e.on for e in bench.events if isinstance(e, PowerReported)][-1:] == [True]
        assert bench.simulation.world.powered
        assert not [payload for _, topic, payload in bench.published if (topic, payload) == ("track/power", b"ON")]
        bench.events.clear()
        bench.broker.publish("track/power/state", b"OFF")  # of a booster that no train stands on
        await asyncio.sleep(0.1)
        assert not [e for e in bench.events if isinstance(e, PowerReported)]

    on_bench(test)


def told_of_power(bench: Bench) -> list[bool | str]:
    """What was said of the power, in order: on, off, or how it is divided."""
    told = [e for e in bench.events if isinstance(e, PowerReported | PowerDivided)]
    return [e.on if isinstance(e, PowerReported) else e.what for e in told]


def test_the_power_is_off_when_all_that_feed_the_track_say_so() -> None:
    async def test(bench: Bench) -> None:
        assert told_of_power(bench) == [False]
        bench.events.clear()
        bench.driver.send(SetPower(True), 1)
        await asyncio.sleep(0.5)
        both = ["yard on, main not", True]
        assert told_of_power(bench) == both
        assert [e.number for e in bench.events if isinstance(e, Accepted)] == [1]
        bench.broker.publish("track/power", b"OFF")  # by somebody else
        await asyncio.sleep(0.1)
        assert told_of_power(bench) == [*both, "main on, yard not"]
        assert bench.simulation.world.powered
        bench.driver.send(SetPower(False), 2)
        await asyncio.sleep(0.5)
        assert told_of_power(bench) == [*both, "main on, yard not", False]
        assert not bench.simulation.world.powered

    on_bench(test, BOTH_FEED)


def test_a_station_that_feeds_and_is_lost_is_not_said_to_be_off(tmp_path: Path, cache: Path) -> None:
    async def main() -> None:
        bench = Bench(BOTH_FEED)
        with pytest.raises(HaltedError, match="main: ") as raised:
            await bench.play(tmp_path / "journal", cache, act=lambda: bench.cut("main"))
        assert "BY HAND" in raised.value.cure
        told = told_of_power(bench)
        assert told[:1] + told[-1:] == [False, True], "yard went off when it was closed; of main nobody has heard"
        assert bench.published[-1][1:] == ("track/power/state", b"OFF")
        assert bench.simulation.world.powered

    run_virtual(main())


def test_a_station_that_goes_off_alone_stops_a_play(tmp_path: Path, cache: Path) -> None:
    async def main() -> None:
        bench = Bench(BOTH_FEED)

        def yard_off() -> None:
            bench.driver.drivers["yard"].send(SetPower(False), 4711)

        with pytest.raises(HaltedError, match="part of the track power went off: main on, yard not"):
            await bench.play(tmp_path / "journal", cache, act=yard_off)
        assert bench.speed_in_the_end == 0
        assert bench.simulation.incidents == []

    run_virtual(main())


@pytest.mark.parametrize("lost", ["main", "yard"])
def test_a_link_that_is_lost_after_the_stop_says_what_a_hand_must_do(lost: str, tmp_path: Path, cache: Path) -> None:
    async def main() -> None:
        bench = Bench(BOTH_FEED)

        def stop_and_cut() -> None:
            assert bench.dispatcher is not None
            bench.dispatcher.halt("stopped by hand")
            bench.cut(lost)

        with pytest.raises(HaltedError, match="stopped by hand") as raised:
            await bench.play(tmp_path / "journal", cache, act=stop_and_cut)
        assert raised.value.cure.startswith("SWITCH THE TRACK POWER OFF BY HAND NOW")

    run_virtual(main())


class Faulty(DccExDriver):
    """A driver with a fault: it raises when it is to stop, and when it is to send an emergency stop."""

    def halt(self, *, power_off: bool = False) -> None:
        raise ZeroDivisionError("a fault")

    def send(self, command: Command, number: int) -> None:
        if isinstance(command, EmergencyStop):
            raise ZeroDivisionError("a fault")
        super().send(command, number)


STOPS: dict[str, Callable[[Bench], None]] = {
    "halt": lambda bench: bench.driver.halt(),
    "emergency stop": lambda bench: bench.driver.send(EmergencyStop(), 3),
}


@pytest.mark.parametrize("stop", STOPS)
def test_a_driver_that_raises_keeps_no_other_from_its_stop(stop: str) -> None:
    async def main() -> None:
        bench = await Bench(SWAPPED, dccex=Faulty).up()
        bench.driver.send(SetPower(True), 1)
        await asyncio.sleep(1)
        bench.driver.send(Drive("L", True, 20), 2)
        await asyncio.sleep(0.3)
        assert bench.speed_mm_s > 0
        with pytest.raises(ZeroDivisionError):
            STOPS[stop](bench)
        await asyncio.sleep(1)
        assert bench.speed_mm_s == 0
        await bench.down()

    run_virtual(main())


def test_each_command_goes_to_its_station_and_is_answered_once() -> None:
    async def test(bench: Bench) -> None:
        bench.events.clear()
        commands = [SetPower(True), SetTurnout("T1", True), SetUncoupler("s1", True), SetUncoupler("s1", False)]
        commands += [Drive("L", True, 20), Stop("L", True), EmergencyStop()]
        for number, command in enumerate(commands, start=1):
            bench.driver.send(command, number)
            await asyncio.sleep(2)
        answers = [e for e in bench.events if isinstance(e, Accepted | Rejected)]
        assert [(e.number, type(e)) for e in answers] == [(number, Accepted) for number in range(1, 8)]

    on_bench(test)


def test_a_stop_that_one_station_does_not_hear_is_rejected_with_its_name() -> None:
    async def test(bench: Bench) -> None:
        bench.cut("yard")
        await asyncio.sleep(0.1)
        (lost,) = [e for e in bench.events if isinstance(e, LinkLost)]
        assert lost.why == "yard: the connection broke"
        bench.events.clear()
        bench.driver.send(EmergencyStop(), 7)
        await asyncio.sleep(1)
        (answer,) = [e for e in bench.events if isinstance(e, Accepted | Rejected)]
        assert isinstance(answer, Rejected)
        assert answer.why.startswith("yard: ")

    on_bench(test)


def test_when_one_cannot_be_opened_the_other_is_given_up_at_once() -> None:
    async def main() -> None:
        bench = Bench()
        bench.broker.running = False  # and DCC-EX would take its time: its station says nothing
        began = bench.loop.time()
        await bench.far.open()
        bench.far.listen(lambda _: None, lambda _: None)
        with pytest.raises(PortError, match="nobody answers"):
            await bench.driver.open()
        assert bench.loop.time() - began < 1
        assert not bench.host.is_open
        await bench.simulation.close()

    run_virtual(main())


def test_when_one_is_lost_before_the_other_is_there_nothing_is_up() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await bench.far.open()
        bench.loop.call_later(0.05, bench.cut, "yard")  # it is up at once; DCC-EX takes 0.1 s to start
        with pytest.raises(LinkLostError, match="lost before all stations were there: the connection broke") as raised:
            await bench.driver.open()
        assert raised.value.where == "station yard"
        assert not [event for event in bench.events if isinstance(event, LinkUp)]
        assert not bench.host.is_open
        await bench.down()

    run_virtual(main())


def test_after_a_loss_both_are_opened_again_and_nothing_is_left_of_before() -> None:
    async def test(bench: Bench) -> None:
        bench.cut("yard")
        await asyncio.sleep(0.1)
        bench.events.clear()
        await bench.driver.open()
        await asyncio.sleep(0.01)
        assert len([e for e in bench.events if isinstance(e, LinkUp)]) == 1
        bench.events.clear()
        bench.driver.send(SetTurnout("T2", True), 1)
        await asyncio.sleep(2)
        assert [e.number for e in bench.events if isinstance(e, Accepted)] == [1]

    on_bench(test)
