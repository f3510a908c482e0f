"""The virtual clock. Sockets here are socketpairs and loopback TCP: the clock's business is real input."""

import asyncio
import socket
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


def test_loopback_tcp_is_read_before_the_clock_jumps() -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            await asyncio.sleep(0.02)
            writer.write(line)
        writer.close()

    async def main() -> float:
        loop = asyncio.get_running_loop()
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        begin = loop.time()
        for number in range(50):
            writer.write(b"%d\n" % number)
            assert await asyncio.wait_for(reader.readline(), 1.0) == b"%d\n" % number
        took = loop.time() - begin
        writer.close()
        await writer.wait_closed()
        server.close()
        await server.wait_closed()
        return took

    assert run_virtual(main()) == pytest.approx(1.0, abs=1e-6)


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


@pytest.mark.parametrize("speed", [None, 50.0])
def test_the_clock_is_held_until_the_other_side_has_read(speed: float | None) -> None:
    """A slow thread reads 20 lines; the loop's deadline of 10 ms virtual must never pass before each is read."""
    near, far = socket.socketpair()
    written = read = 0

    def slow_reader() -> None:
        nonlocal read
        while got := far.recv(100):
            time.sleep(0.01)
            read += len(got)

    async def main(loop: VirtualLoop) -> None:
        nonlocal written
        release = loop.hold_while(lambda: written != read)
        for _ in range(20):
            near.sendall(b"x")
            written += 1
            await asyncio.sleep(0.01)
            assert written == read
        release()

    thread = threading.Thread(target=slow_reader)
    thread.start()
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(speed)) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        runner.run(main(loop))
        at_end = loop.time()
    near.close()
    thread.join()
    far.close()
    assert at_end == pytest.approx(0.2, abs=0.15 if speed else 1e-9)


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
