"""The virtual clock. With real links it is tested in tests/system."""

import asyncio
import os
import threading
import time

import pytest

from pointsman.errors import LinkError, UsageError
from railsim.clock import VirtualLoop, run_virtual


def test_an_hour_takes_no_time_and_timers_run_in_order() -> None:
    seen: list[tuple[float, str]] = []

    async def sleeper(name: str, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        seen.append((asyncio.get_running_loop().time(), name))

    async def main() -> float:
        await asyncio.gather(sleeper("c", 3600.0), sleeper("a", 0.25), sleeper("b", 7.5))
        return asyncio.get_running_loop().time()

    begin = time.monotonic()
    assert run_virtual(main()) == pytest.approx(3600.0, abs=1e-6)
    assert time.monotonic() - begin < 1.0
    assert [name for _, name in seen] == ["a", "b", "c"]
    assert [t for t, _ in seen] == pytest.approx([0.25, 7.5, 3600.0], abs=1e-6)


def test_time_stands_still_between_callbacks_of_one_pass() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        before = loop.time()
        for _ in range(100):
            await asyncio.sleep(0)
        assert loop.time() == before

    run_virtual(main())


def test_a_thread_wakes_a_loop_without_timers() -> None:
    async def main() -> str:
        return await asyncio.to_thread(lambda: "from the thread")

    assert run_virtual(main()) == "from the thread"


@pytest.mark.parametrize("speed", [4.0, 20.0])
def test_paced_clock_runs_at_its_speed(speed: float) -> None:
    async def main() -> float:
        for _ in range(10):
            await asyncio.sleep(0.2)
        return asyncio.get_running_loop().time()

    begin = time.monotonic()
    assert run_virtual(main(), speed=speed) == pytest.approx(2.0, abs=1e-6)
    assert time.monotonic() - begin == pytest.approx(2.0 / speed, rel=0.25, abs=0.05)


def test_paced_clock_wakes_for_threads_and_tells_the_time() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()
        timer = threading.Timer(0.1, loop.call_soon_threadsafe, (woken.set,))
        timer.start()
        await asyncio.wait_for(woken.wait(), 60.0)
        timer.join()
        return loop.time()

    assert run_virtual(main(), speed=10.0) == pytest.approx(1.0, abs=0.5)


def test_paced_clock_without_any_timer_still_runs() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()
        timer = threading.Timer(0.1, loop.call_soon_threadsafe, (woken.set,))
        timer.start()
        await woken.wait()
        timer.join()
        return loop.time()

    assert run_virtual(main(), speed=10.0) == pytest.approx(1.0, abs=0.5)


@pytest.mark.breaks_its_loop
def test_held_too_long_is_an_error_and_the_loop_can_still_be_closed() -> None:
    async def main(loop: VirtualLoop) -> None:
        loop.hold_while(lambda: True)
        await asyncio.sleep(1)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(held_at_most_s=0.05)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        with pytest.raises(LinkError, match="not read on the other side"):
            runner.run(main(loop))


def test_a_speed_of_zero_is_refused() -> None:
    with pytest.raises(UsageError, match="speed 0"):
        VirtualLoop(0)


def test_a_paced_clock_that_was_suspended_does_not_rush() -> None:
    async def main() -> list[float]:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(0.01)
        time.sleep(0.6)  # noqa: ASYNC251 - the machine was suspended
        at = []
        for _ in range(3):
            begin = time.monotonic()
            await asyncio.sleep(0.2)
            at.append(time.monotonic() - begin)
        assert loop.time() == pytest.approx(0.61, abs=1e-6)
        return at

    took = run_virtual(main(), speed=1.0)
    assert sum(took) == pytest.approx(0.6 - 0.25, abs=0.06)


@pytest.mark.parametrize("speed", [None, 50.0])
def test_the_clock_stands_still_while_a_person_thinks(speed: float | None) -> None:
    """No timer is due however long it takes; input is heard, and afterwards the time goes on from where it stood."""
    thinking = [False]
    heard: list[bytes] = []

    async def main() -> tuple[float, float]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.pause_while(lambda: thinking[0])
        early = loop.call_later(0.5, heard.append, b"too early")
        reading, writing = os.pipe()
        answered = loop.create_future()
        loop.add_reader(reading, lambda: answered.set_result(os.read(reading, 8)))
        other = threading.Timer(0.05, os.write, (writing, b"yes"))
        thinking[0] = True
        asked_s = loop.time()
        other.start()
        heard.append(await answered)
        answered_s = loop.time()
        thinking[0] = False
        early.cancel()
        loop.remove_reader(reading)
        os.close(reading)
        os.close(writing)
        other.join()
        await asyncio.sleep(1.0)
        return answered_s - asked_s, loop.time() - answered_s

    thought_s, slept_s = run_virtual(main(), speed=speed)
    assert heard == [b"yes"]
    assert thought_s == 0.0
    assert slept_s == pytest.approx(1.0, abs=0.2)
