"""Fifty helpers with a tablet each, who press at the same moment, and whose presses are sent twice."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from halls import CLUB, CODE, FINAL, Browser, begun
from programs import Program, running, tool

from pointsman.compete.desk import Desk
from pointsman.compete.entries import (
    AttemptEnded,
    ClockStarted,
    FaultMarked,
    HintMarked,
    Paused,
    Resumed,
    Scope,
)
from pointsman.compete.marks import Fault, Outcome
from pointsman.compete.plans import plan_of
from pointsman.compete.state import Phase
from pointsman.compete.store.store import Store
from pointsman.web.competing.moment import Steady

pytestmark = [pytest.mark.system, pytest.mark.usefixtures("solver_cache")]
MANY = 50
HANG_S = 120.0


def evening(where: str) -> dict[str, str]:
    """The token of a helper for each attempt that is on."""
    tokens = {}
    with Store(where) as store:
        desk = Desk(store, CLUB, now=Steady(), version="0.1.0")
        desk.announce(plan_of(FINAL), CODE, "Ada")
        desk.open_heat("r1", CODE, "Ada")
        for number in range(MANY):
            helper, entrant = f"tablet {number}", desk.enter(f"Entrant {number}", "Ada")
            name = desk.call("r1", entrant, helper).attempt
            desk.agree(name, helper)
            desk.start(name, helper)
            tokens[name] = desk.give_token(helper, Scope.MARK, timedelta(hours=1), "Ada")
    return tokens


async def marked(origin: str, name: str, token: str, together: asyncio.Barrier) -> None:
    """One attempt, from a fault to its end; every press is sent a second time before the first is answered."""
    async with httpx.AsyncClient(base_url=origin, headers={"origin": origin}, trust_env=False) as http:
        browser = Browser(http)
        assert (await http.post(f"/api/competitions/{CLUB}/token", json={"token": token})).status_code == 200

        async def press(do: str, **fields: object) -> None:
            await together.wait()
            answers = await asyncio.gather(*(browser.do(do, attempt=name, **fields) for _ in range(2)))
            assert [answer.status_code for answer in answers] == [200, 200], [answer.text for answer in answers]

        await press("fault", fault="derailment", at_ms=1)
        await press("fault", fault="hand", at_ms=2)
        await press("hint", at_ms=3)
        await press("pause", why="a wire came off", at_ms=4)
        await press("resume")
        await press("end", outcome="finished", at_ms=100, counts={"runs": 12})


async def all_marked(origin: str, tokens: dict[str, str]) -> None:
    together = asyncio.Barrier(len(tokens))
    async with asyncio.timeout(HANG_S), asyncio.TaskGroup() as group:
        for name, token in tokens.items():
            group.create_task(marked(origin, name, token, together))


def test_every_press_is_in_the_book_and_once(tmp_path: Path) -> None:
    where = begun(tmp_path)
    tokens = evening(where)
    words = ("compete", "run", CLUB, "--store", where, "--port", "0")
    with running(lambda: Program(tool("pointsman"), *words)) as server:
        origin = server.expect(r"page +(http://\S+)/competition").group(1)
        asyncio.run(all_marked(origin, tokens))
    with Store(where) as store:
        assert store.faults(CLUB) == ()
        book = store.book(CLUB)
    kinds = Counter(type(one.entry) for one in book.written)
    twice = (ClockStarted, HintMarked, Paused, Resumed, AttemptEnded)
    assert {kind: kinds[kind] for kind in twice} == dict.fromkeys(twice, MANY)
    assert kinds[FaultMarked] == 2 * MANY
    for number, (name, its) in enumerate(book.state.attempts.items()):
        assert (its.phase, its.outcome) == (Phase.ENDED, Outcome.FINISHED)
        assert its.marks is not None
        assert its.marks.time_ms is not None
        assert its.marks.time_ms.value == 100
        assert {fault: figure.value for fault, figure in its.marks.faults.items()} == {
            Fault.DERAILMENT: 1,
            Fault.HAND: 1,
        }
        assert its.marks.hints.value == 1
        assert its.hands == {f"tablet {number}"}, name
