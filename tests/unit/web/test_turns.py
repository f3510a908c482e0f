"""Whoever has something to send waits for a turn; what comes in meanwhile is heard between two turns."""

from __future__ import annotations

import asyncio
from itertools import pairwise

from pointsman.web.turns import AT_A_TIME, Turns

CROWD = 100


async def test_a_hundred_who_send_keep_nobody_waiting() -> None:
    turns, sent, heard_at = Turns(), [], []

    async def send(number: int) -> None:
        await turns.wait()
        sent.append(number)

    def hear() -> None:
        heard_at.append(len(sent))
        if len(sent) < CROWD:
            asyncio.get_running_loop().call_soon(hear)

    everybody = [asyncio.create_task(send(number)) for number in range(CROWD)]
    asyncio.get_running_loop().call_soon(hear)
    await asyncio.gather(*everybody)
    assert sent == list(range(CROWD))
    assert max(later - before for before, later in pairwise(heard_at)) <= AT_A_TIME


async def test_there_may_be_one_at_a_time() -> None:
    turns, begun = Turns(1), []
    everybody = [asyncio.create_task(_turn(turns, begun)) for _ in range(3)]
    for number in range(1, 4):
        await asyncio.sleep(0)
        assert len(begun) <= number
    await asyncio.gather(*everybody)
    assert len(begun) == 3


async def _turn(turns: Turns, begun: list[None]) -> None:
    await turns.wait()
    begun.append(None)


async def test_who_goes_while_it_waits_takes_no_turn() -> None:
    turns, sent = Turns(), []

    async def send(number: int) -> None:
        await turns.wait()
        sent.append(number)

    everybody = [asyncio.create_task(send(number)) for number in range(3 * AT_A_TIME)]
    await asyncio.sleep(0)
    for one in everybody[AT_A_TIME : 2 * AT_A_TIME]:
        one.cancel()
    await asyncio.gather(*everybody, return_exceptions=True)
    assert sent == [*range(AT_A_TIME), *range(2 * AT_A_TIME, 3 * AT_A_TIME)]
