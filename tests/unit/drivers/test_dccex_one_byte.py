"""Any one byte lost, doubled or changed on the way to a station, and whatever it says: nothing goes unnoticed."""

from __future__ import annotations

import asyncio
import gc
import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sim_bench import ALL, STOPPING, SimBench, sim

from pointsman.drivers.dccex.link import Link
from pointsman.errors import PointsmanError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    Rejected,
    SetPower,
    SetTurnout,
    SetUncoupler,
    Stop,
    TurnoutReported,
)
from railsim.clock import run_virtual

# ---------------------------------------------------------------- any one byte

FAULTS = st.tuples(st.sampled_from(["lost", "doubled", "changed"]), st.integers(0, 10_000), st.integers(0, 255))


class OneFault:
    """Does one thing to one byte of the stream, counted from when it is armed."""

    def __init__(self, fault: tuple[str, int, int], length: int) -> None:
        self._what, at, self._byte = fault
        self._at = at % length
        self.done = ""

    def __call__(self, data: bytes) -> bytes:
        at, self._at = self._at, self._at - len(data)
        if not 0 <= at < len(data):
            return data
        put = {"lost": b"", "doubled": data[at : at + 1] * 2, "changed": bytes([self._byte])}[self._what]
        changed = data[:at] + put + data[at + 1 :]
        self.done = f"{data!r} -> {changed!r}"
        return changed


PLAY: list[Command] = [
    SetTurnout("T1", True),
    SetTurnout("T2", False),
    Drive("L", True, 50),
    Drive("L", True, 12),
    Stop("L", True),
    SetUncoupler("s1", True),
    SetUncoupler("s1", False),
    Drive("L", False, 126),
    Stop("L", False),
]
PLAY_BYTES = 135


@pytest.mark.parametrize("profile", ALL)
def test_the_bytes_of_the_play(profile: str) -> None:
    async def test(b: SimBench) -> None:
        for number, command in enumerate(PLAY):
            await b.does(command, number, 0.03)
        assert len(b"".join(b.sent[-len(PLAY) :])) == PLAY_BYTES

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
@settings(max_examples=60, deadline=None)
@given(fault=FAULTS)
def test_one_byte_lost_doubled_or_changed_never_ends_otherwise_without_stopping(
    profile: str, fault: tuple[str, int, int]
) -> None:
    """After each command either the station has what was asked, or an event has come that stops a play."""

    async def main() -> None:
        b = await SimBench(profile).up()
        await b.does(SetPower(True), 100, 0.05)
        cable = OneFault(fault, PLAY_BYTES)
        b.damage = cable
        wanted = (0, {**b.thrown}, dict(b.on))
        for number, command in enumerate(PLAY):
            # a lost fence is noticed after a second
            await b.does(command, number, 0.03)
            if cable.done and not any(isinstance(e, STOPPING) for e in b.events):
                await asyncio.sleep(1.1)
            if any(isinstance(e, STOPPING) for e in b.events):
                break
            speed, thrown, on = wanted
            match command:
                case Drive(_, forward, step):
                    speed = step if forward else -step
                case Stop():
                    speed = 0
                case SetTurnout(name, value):
                    thrown = {**thrown, int(name[1]): value}
                case SetUncoupler(name, value):
                    on = {**on, int(name[1]): value}
            reports = [(e.turnout, e.thrown) for e in b.events if isinstance(e, TurnoutReported)]
            if isinstance(command, SetTurnout) and (command.turnout, not command.thrown) in reports[-2:]:
                break  # it is told which way the points lie, and whoever asked sets them again or stops
            wanted = (speed, thrown, on)
            cab = b.cabs[3]
            has = (cab.speed if cab.forward else -cab.speed, b.thrown, b.on)
            assert has == wanted, cable.done
            assert set(b.cabs) == {3}, cable.done
            assert number in {e.number for e in b.events if isinstance(e, Accepted)}, cable.done
        else:
            assert b.speed == 0
        if any(isinstance(e, STOPPING) for e in b.events):
            # a dispatcher would now stop everything
            b.driver.halt()
            await asyncio.sleep(0.4)
            moving = {number: cab.speed for number, cab in b.cabs.items() if cab.speed > 0}
            assert not moving or not b.simulation.world.powered, cable.done
        await b.down()

    run_virtual(main())


@settings(max_examples=40, deadline=None)
@given(noise=st.lists(st.binary(max_size=40), max_size=12), profile=st.sampled_from(ALL))
def test_whatever_a_station_says_the_driver_survives(noise: list[bytes], profile: str) -> None:
    """Nothing raises, and once the noise is over everything can be opened again."""

    async def main() -> None:
        faults: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context))
        b = await SimBench(profile).up()
        for number, data in enumerate(noise):
            b.far.write(data)
            await b.does([Drive("L", True, 5), Stop("L", True), SetTurnout("T1", True)][number % 3], number, 0.01)
        await asyncio.sleep(1.5)
        b.driver.halt()
        await asyncio.sleep(1.5)
        answered = [e.number for e in b.events if isinstance(e, Accepted | Rejected)]
        assert sorted(answered) == list(range(len(noise))), "each command has exactly one answer"
        try:
            await b.driver.open()
        except PointsmanError:
            # noise may well look like somebody who drives the layout; afterwards it is quiet
            await asyncio.sleep(1)
            await b.far.open()
            await b.driver.open()
        assert b.driver.link is Link.UP
        await b.down()
        assert not faults

    run_virtual(main())


def test_a_station_that_talks_without_end_fills_no_memory() -> None:
    async def test(b: SimBench) -> None:
        dice = random.Random(5)
        talk = b"<l %d 0 %d 0>\n<Q %d>\n<H %d 1>\n<K 1 2>\n<* \x00 *>\n<# 5"
        grown = []
        for _ in range(3):
            for _ in range(400):
                numbers = tuple(dice.randrange(32768) for _ in range(4))
                b.far.write(talk % (numbers[0], numbers[1] % 256, numbers[2], numbers[3]))
                await asyncio.sleep(0.001)
            await asyncio.sleep(2.0)
            b.events.clear()
            gc.collect()
            grown.append(tracemalloc.get_traced_memory()[0])
        assert grown[2] - grown[1] < 20_000, grown

    tracemalloc.start()
    try:
        sim(test)
    finally:
        tracemalloc.stop()
