"""Answers of JMRI that come late: the link is in doubt until they have come, or is lost; on virtual time."""

from __future__ import annotations

import asyncio

import pytest
from jmri_bench import Bench, bench

from pointsman.drivers.jmri.link import Link
from pointsman.messages import LinkChanged, LinkState, SetTurnout
from pointsman.protocols.jmri_json import Bean, Message, Ping, Pong

DOUBTFUL = (LinkState.DOUBTFUL, "JMRI has not answered for 0.5 s")
UP = (LinkState.UP, "JMRI answers in time")


def late(made: Bench, kind: type, by_s: float) -> None:
    """From now on these messages of JMRI come so much later."""

    def hold(message: Message) -> list[Message]:
        if not isinstance(message, kind):
            return [message]
        asyncio.get_running_loop().call_later(by_s, made.say, message)
        return []

    made.from_jmri = hold


def states(made: Bench, since_s: float) -> list[tuple[float, tuple[LinkState, str]]]:
    """What was told of the link, and when, to a hundredth of a second."""
    return [(round(e.t_s - since_s, 2), (e.state, e.why)) for e in made.of(LinkChanged)]


@bench
async def test_a_ping_that_is_answered_late_puts_the_link_in_doubt_until_it_is(made: Bench) -> None:
    await asyncio.sleep(0.1)  # the first ping, of the opening, is answered
    late(made, Pong, 0.7)
    await asyncio.sleep(2.9)
    first_s = next(at_s for at_s, m in made.asked if isinstance(m, Ping))
    assert states(made, first_s) == [
        (0.5, DOUBTFUL),
        (0.7, UP),
        (1.5, DOUBTFUL),
        (1.7, UP),
    ]
    assert made.driver.link is Link.UP
    assert not made.driver.halted


@bench
async def test_a_late_answer_is_doubtful_whatever_else_is_answered_meanwhile(made: Bench) -> None:
    late(made, Bean, 0.9)
    await asyncio.sleep(0.3)
    asked_s = made.now_s
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(0.85)
    assert [at_s - asked_s for at_s, m in made.asked if isinstance(m, Ping)] == pytest.approx([0.7], abs=0.01)
    assert states(made, asked_s) == [(0.5, DOUBTFUL)]
    await asyncio.sleep(0.1)
    assert states(made, asked_s) == [(0.5, DOUBTFUL), (0.9, UP)]
    assert made.answers() == [(3, True)]


@bench
async def test_a_link_is_in_doubt_as_long_as_the_oldest_answer_is_late(made: Bench) -> None:
    late(made, Bean, 0.9)
    await asyncio.sleep(0.1)
    asked_s = made.now_s
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(0.6)
    made.driver.send(SetTurnout("T1", True), 4)
    await asyncio.sleep(1.4)
    assert states(made, asked_s) == [(0.5, DOUBTFUL), (0.9, UP), (1.1, DOUBTFUL), (1.5, UP)]


@bench
async def test_an_answer_on_time_ends_no_doubt_and_begins_none(made: Bench) -> None:
    late(made, Bean, 0.45)
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(0.3)
    made.driver.send(SetTurnout("T1", True), 4)
    await asyncio.sleep(2)
    assert made.answers() == [(3, True), (4, True)]
    assert made.of(LinkChanged) == []


@bench
async def test_an_answer_that_never_comes_is_first_doubtful_and_then_a_lost_link(made: Bench) -> None:
    await asyncio.sleep(0.1)  # the first ping, of the opening, is answered
    asked_s = made.now_s
    made.jmri.frozen = True
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(3)
    lost = (LinkState.LOST, "JMRI has not answered everything within 1 s")
    assert states(made, asked_s) == [(0.5, DOUBTFUL), (1.0, lost)]
