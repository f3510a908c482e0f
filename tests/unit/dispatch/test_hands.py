"""Points and couplings worked by hand: a person is asked, nothing moves meanwhile, and a yes is taken as a word."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from bench import Bench

from pointsman.errors import HaltedError, RefusedError, StoppedError
from pointsman.messages import SensorChanged
from pointsman.operate.hands import HandWork
from pointsman.operate.referee import Origin
from pointsman.operate.steps import TurnoutStep, UncoupleStep
from pointsman.record import read
from pointsman.track.wiring import NO_NUMBER, TurnoutKind, UncouplerKind, Wiring


def all_by_hand(wiring: Wiring) -> Wiring:
    """No machine and no magnet."""
    turnouts = {
        name: replace(wired, kind=TurnoutKind.HAND, number=NO_NUMBER) for name, wired in wiring.turnouts.items()
    }
    magnets = {name: replace(wired, kind=UncouplerKind.HAND, number=None) for name, wired in wiring.uncouplers.items()}
    return replace(wiring, turnouts=turnouts, uncouplers=magnets)


async def does_it(bench: Bench, work: HandWork) -> bool:
    """A willing hand."""
    match work.step:
        case TurnoutStep():
            bench.simulation.throw_by_hand(work.step.turnout, work.step.leg)
        case UncoupleStep():
            bench.simulation.uncouple_by_hand(work.step.uncoupler)
    return True


@pytest.fixture
def bench(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    cache = tmp_path_factory.getbasetemp() / "tables of hands"
    return Bench(tmp_path / "play.journal", cache, wired=all_by_hand, hand=does_it)


def dip(bench: Bench, beam: str, hand: bool) -> None:
    """A hand goes into a beam, or leaves it to what stands there."""
    bench.simulation.show_beam(beam, hand or bench.simulation.world.beam_broken(beam))


@pytest.mark.parametrize("seed", range(3))
def test_a_play_by_hand_to_the_goal(bench: Bench, seed: int) -> None:
    bench.seed = seed
    final = bench.play()
    assert str(final.position) == bench.truth.line
    assert bench.chosen.goal.reached(final.position, ["L"])
    assert bench.simulation.incidents == []
    written = b"".join(data for _, data in bench.sent)
    assert not re.search(rb"<T \d|<Z \d", written)
    assert {type(work.step) for work in bench.asked} == {TurnoutStep, UncoupleStep}
    score = bench.dispatcher.score
    assert score.by_hand == len(bench.asked)
    assert score.origin is Origin.ENTERED
    assert score.runs == len(bench.runs())
    words = [line for line in read(bench.journal_path).lines if line.kind == "by hand"]
    assert len(words) == len(bench.asked)
    assert {line.text("origin") for line in words} == {"entered by a person"}


def test_nothing_moves_while_a_person_takes_a_quarter_of_an_hour(bench: Bench) -> None:
    async def slowly(b: Bench, work: HandWork) -> bool:
        asked_s = b.now_s()
        await asyncio.sleep(900.0 if len(b.asked) == 4 else 0.0)
        moved = [data for at, data in b.sent if at > asked_s and re.search(rb"<t 3 [1-9]|<Z|<T", data)]
        assert moved == []
        assert b.truth.moving == ()
        return await does_it(b, work)

    bench.hand = slowly
    bench.play()
    assert bench.simulation.incidents == []
    assert bench.now_s_in_the_end > 900.0


def test_a_hand_that_breaks_a_beam_and_leaves_it_is_no_doubt(bench: Bench) -> None:
    async def clumsy(b: Bench, work: HandWork) -> bool:
        dip(b, "s3", True)
        await asyncio.sleep(0.5)
        dip(b, "s3", False)
        await asyncio.sleep(0.5)
        return await does_it(b, work)

    bench.hand = clumsy
    final = bench.play()
    assert str(final.position) == bench.truth.line
    assert any(isinstance(event, SensorChanged) and event.sensor == "s3" for event in bench.events)


def test_a_hand_that_is_left_in_a_beam_is_asked_to_go(bench: Bench) -> None:
    async def left(b: Bench, work: HandWork) -> bool:
        if not work.note:
            dip(b, "s3", True)
        else:
            dip(b, "s3", False)
        await asyncio.sleep(0.5)
        return await does_it(b, work)

    bench.hand = left
    bench.play()
    notes = [work.note for work in bench.asked]
    assert notes[:2] == ["", "Beam s3 is broken, and was free before: put that right first."]
    assert bench.dispatcher.score.by_hand == notes.count("")


def test_no_stops_the_play(bench: Bench) -> None:
    async def unwilling(b: Bench, work: HandWork) -> bool:
        return len(b.asked) < 4 and await does_it(b, work)

    bench.hand = unwilling
    with pytest.raises(StoppedError, match="the answer was no: Set T") as raised:
        bench.play()
    assert raised.value.code == 1
    assert bench.speed_in_the_end == 0
    lines = read(bench.journal_path).lines
    assert [line.kind for line in lines].count("by hand") == 3
    assert any(line.kind == "halt" for line in lines)


def test_a_stop_is_heard_while_a_person_is_asked(bench: Bench) -> None:
    gone: list[bool] = []

    async def never(b: Bench, work: HandWork) -> bool:
        if len(b.asked) < 3:
            return await does_it(b, work)
        asyncio.get_running_loop().call_later(2.0, b.dispatcher.halt, "stopped by hand")
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            gone.append(True)
        return True

    bench.hand = never
    with pytest.raises(HaltedError, match="stopped by hand"):
        bench.play()
    assert gone == [True]
    assert bench.halted_s is not None
    assert any(data.startswith(b"<!>") for data in bench.frames_after(bench.halted_s - 0.1))


def test_what_the_station_says_is_still_judged_while_a_person_is_asked(bench: Bench) -> None:
    async def cut(b: Bench, work: HandWork) -> bool:
        if len(b.asked) == 3:
            b.other_throttle(b"<0>")
            await asyncio.get_running_loop().create_future()
        return await does_it(b, work)

    bench.hand = cut
    with pytest.raises(HaltedError, match="power"):
        bench.play()


def test_a_hand_that_does_not_uncouple_is_asked_again(bench: Bench) -> None:
    missed: list[HandWork] = []

    async def once(b: Bench, work: HandWork) -> bool:
        if isinstance(work.step, UncoupleStep) and not missed:
            missed.append(work)
            return True
        return await does_it(b, work)

    bench.hand = once
    final = bench.play()
    assert str(final.position) == bench.truth.line
    assert bench.simulation.incidents == []
    again = [work for work in bench.asked if work.text == missed[0].text]
    assert len(again) >= 2


def test_points_set_the_wrong_way_are_found_by_the_beams(bench: Bench) -> None:
    async def wrong(b: Bench, work: HandWork) -> bool:
        if isinstance(work.step, TurnoutStep) and work.step.turnout == "T1":
            b.simulation.throw_by_hand("T1", work.step.leg.other)
            return True
        return await does_it(b, work)

    bench.hand = wrong
    with pytest.raises(HaltedError, match="beam"):
        bench.play()


def test_without_anybody_to_ask_nothing_is_sent(bench: Bench) -> None:
    bench.hand = None
    with pytest.raises(RefusedError, match="nobody can be asked to do this: T1 to") as raised:
        bench.play()
    assert raised.value.cure == "let a person play in a terminal"
    assert not any(b"<1 MAIN>" in data for _, data in bench.sent)
