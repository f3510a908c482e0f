"""Signals that would end or suspend the program, really sent."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from pointsman.posix import endings

pytestmark = pytest.mark.system


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (signal.SIGINT, "Ctrl-C"),
        (signal.SIGTERM, "told to end"),
        (signal.SIGHUP, "terminal was closed"),
        (signal.SIGQUIT, "Ctrl-\\"),
        (signal.SIGTSTP, "Ctrl-Z"),
    ],
)
async def test_a_signal_stops_the_play_with_its_own_exit_code(number: signal.Signals, said: str) -> None:
    before = signal.getsignal(number)
    told = asyncio.get_running_loop().create_future()
    with endings(asyncio.get_running_loop(), lambda why, code: told.set_result((why, code))):
        os.kill(os.getpid(), number)
        why, code = await asyncio.wait_for(told, 3)
    assert said in why
    assert code == 128 + number
    assert signal.getsignal(number) in (before, signal.default_int_handler), "nothing of it is left"
