"""Stopping everything, links that go, and closing, against a scripted station on virtual time."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable

import pytest
from driver_bench import Bench, bench, doing
from scripted_station import GREETING

from pointsman.drivers.dccex.link import Link
from pointsman.errors import StationError
from pointsman.messages import (
    Command,
    Drive,
    EmergencyStop,
    ForeignControl,
    LinkLost,
    LinkUp,
    PowerReported,
    SensorChanged,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    Stop,
)
from pointsman.protocols.dccex import commands as c
from railsim.clock import run_virtual

# ---------------------------------------------------------------- stopping everything


async def _halt(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    b.driver.send(SetUncoupler("m1", True), 2)
    await asyncio.sleep(0.1)
    for number in range(3, 9):
        b.driver.send(SetTurnout("T1", number % 2 == 0), number)
    raw = len(b.station.raw)
    b.driver.send(EmergencyStop(), 20)
    await asyncio.sleep(0.0005)
    assert b.station.raw[raw:][-1][1] == b"<!><#>", "in one write at once"
    await asyncio.sleep(0.5)
    assert (20, True) in b.answers()
    assert (8, False) in b.answers(), "what waited was dropped"
    assert c.Power(False) not in b.station.commands()
    stops = [data for _, data in b.station.raw[raw:] if data.startswith(b"<!>")]
    assert stops == [b"<!><#>"] * 2, "confirmed, so sent once more for certainty and not repeated"
    assert b.station.outputs == {1: False, 2: True}
    assert b.station.cabs[3] == (-1, True)
    assert not b.of(ForeignControl)
    # the latch
    b.events.clear()
    b.driver.send(Drive("L", True, 40), 30)
    b.driver.send(SetUncoupler("m1", True), 31)
    b.driver.send(SetTurnout("T2", False), 32)
    await asyncio.sleep(0.1)
    assert b.answers() == [(30, False), (31, False), (32, True)]
    heard = len(b.station.heard)
    b.driver.release()
    b.driver.send(Drive("L", True, 40), 33)
    await asyncio.sleep(0.1)
    assert doing(b, heard) == [
        c.Throttle(3, 0, True),
        c.Throttle(1234, 0, True),
        c.Throttle(3, 40, True),
    ]
    assert b.answers()[-1] == (33, True)


test_an_emergency_stop_goes_at_once_and_latches = bench(_halt)


async def _halt_unanswered(b: Bench) -> None:
    b.station.mute = True
    raw = len(b.station.raw)
    started = asyncio.get_running_loop().time()
    b.driver.halt()
    await asyncio.sleep(0.95)
    stops = [(round(t_s - started, 3), data) for t_s, data in b.station.raw[raw:]]
    assert stops[:5] == [
        (0.0, b"<!><#>"),
        (0.1, b"<!><#>"),
        (0.2, b"<!><#>"),
        (0.3, b"<!><0><#>"),
        (0.4, b"<!><0><#>"),
    ]
    with pytest.raises(StationError, match="not confirmed"):
        b.driver.release()
    b.driver.send(SetPower(True), 4)
    await asyncio.sleep(0)
    assert b.answers() == [(4, False)]
    await asyncio.sleep(0.2)
    assert len(b.of(LinkLost)) == 1
    await asyncio.sleep(5)
    assert len(b.of(LinkLost)) == 1
    assert len(b.station.raw) - raw > 50, "the stop is tried on and on"
    assert b.station.outputs == {1: False, 2: True}
    b.station.mute = False
    await asyncio.sleep(0.3)
    quiet = len(b.station.raw)
    await asyncio.sleep(2)
    assert len(b.station.raw) == quiet
    assert any("answers again" in e.text for e in b.of(StationNote))
    b.driver.send(Drive("L", True, 1), 5)
    await asyncio.sleep(0.1)
    assert b.answers()[-1] == (5, False)


test_a_stop_without_an_answer_is_repeated_and_cuts_the_power = bench(_halt_unanswered)


async def _halt_power_off(b: Bench) -> None:
    b.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.2)
    raw = len(b.station.raw)
    b.driver.halt(power_off=True)
    await asyncio.sleep(0.1)
    assert b.station.raw[raw][1] == b"<!><0><#>"
    assert not b.station.power
    assert not b.of(ForeignControl)


test_stop_and_power_off = bench(_halt_power_off)


async def _broken_command(b: Bench) -> None:
    b.host.write(b"<T 1")
    b.driver.halt()
    await asyncio.sleep(0.2)
    assert c.EmergencyStop() in b.station.commands()
    assert b.station.turnouts == {1: False, 2: False}
    assert b.driver.halted
    assert not b.of(LinkLost)


test_a_half_written_command_does_not_keep_a_stop_back = bench(_broken_command)


async def _hidden_stop(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.1)
    b.station.lose(lambda data: data[1:] if data.startswith(b"<!>") else data)
    b.driver.halt()
    await asyncio.sleep(0.0001)
    b.station.lose(None)
    await asyncio.sleep(0.05)
    assert b.station.cabs[3] == (-1, True)


test_a_stop_whose_first_byte_is_lost_is_sent_again_although_its_fence_came = bench(_hidden_stop)


async def _lost_digit(b: Bench) -> None:
    b.station.lose(lambda data: data.replace(b"<T 1 1>", b"<T 1 >").replace(b"<t 3 40 1>", b"<t 3 4 1>"))
    b.driver.send(SetTurnout("T1", True), 1)
    b.driver.send(Drive("L", True, 40), 2)
    await asyncio.sleep(0.1)
    assert b.answers()[0] == (1, False), "a deletion is never taken for a throw"
    assert "step 4" in b.of(ForeignControl)[0].what  # type: ignore[attr-defined]


test_a_lost_digit_that_makes_another_command_is_noticed = bench(_lost_digit)


async def _stop_while_opening(b: Bench) -> None:
    b.station.restart()
    await asyncio.sleep(0.01)
    opening = asyncio.get_running_loop().create_task(b.driver.open())
    for _ in range(30):
        heard = len(b.station.heard)
        b.driver.send(EmergencyStop(), 7)
        await asyncio.sleep(0.02)
        if not opening.done():
            assert c.EmergencyStop() in b.station.commands(heard)
    await opening
    assert b.driver.halted
    assert b.driver.link is Link.UP


test_a_stop_is_heard_while_the_link_is_set_up = bench(_stop_while_opening)


# ---------------------------------------------------------------- links that go


async def _dead_link(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.1)
    b.station.mute = True
    started = asyncio.get_running_loop().time()
    await asyncio.sleep(3)
    (lost,) = b.of(LinkLost)
    assert lost.t_s - started <= 2.1
    assert b.station.cabs[3] == (-1, True), "only the way back was dead, so the stop was heard"
    assert not b.station.power
    b.station.mute = False
    await b.driver.open()
    assert b.driver.halted, "opening does not release"
    b.events.clear()
    b.driver.send(Drive("L", True, 40), 2)
    await asyncio.sleep(0.1)
    assert b.answers() == [(2, False)]
    b.driver.release()
    b.driver.send(Drive("L", True, 40), 3)
    await asyncio.sleep(0.1)
    assert b.answers()[-1] == (3, True)


test_a_dead_link_never_looks_alive = bench(_dead_link)


async def _unplugged(b: Bench) -> None:
    b.driver.send(SetTurnout("T1", True), 1)
    await b.station.wire.close()
    await asyncio.sleep(3)
    assert [e.why for e in b.of(LinkLost)] == ["closed by the far end"]
    assert b.answers() == [(1, False)]
    b.driver.halt()
    b.driver.send(EmergencyStop(), 2)
    b.driver.send(Stop("L", True), 3)
    b.driver.send(SetTurnout("T1", True), 4)
    await asyncio.sleep(0.1)
    assert b.answers()[1:] == [(2, False), (3, False), (4, False)]
    with pytest.raises(StationError, match="link is not up"):
        b.driver.release()
    b.station.sensors[1] = True
    b.events.clear()
    await b.station.wire.open()
    await b.driver.open()
    await asyncio.sleep(0.001)
    assert [(e.sensor, e.active) for e in b.of(SensorChanged)] == [("b1", True), ("b2", True)], "asked again"
    assert b.of(LinkUp)


test_an_unplugged_link_is_said_once_and_everything_is_asked_again = bench(_unplugged)


@pytest.mark.parametrize("lost", ["unplugged", "restarted"])
def test_what_has_changed_while_the_link_was_gone_is_told_as_it_is_and_is_nobodys_driving(lost: str) -> None:
    async def main() -> None:
        b = await Bench().up()
        asked: list[Command] = [SetPower(True), SetTurnout("T1", True), SetUncoupler("m1", True), Drive("L", True, 40)]
        for number, command in enumerate(asked):
            b.driver.send(command, number)
        await asyncio.sleep(0.2)
        assert b.answers() == [(number, True) for number in range(len(asked))]
        b.station.turnouts[1] = False
        b.station.sensors[1] = True
        b.station.outputs[1] = b.station.power = False
        if lost == "restarted":
            b.station.restart()
        else:
            await b.station.wire.close()
        await asyncio.sleep(0.5)
        b.events.clear()
        await b.station.wire.open()
        await b.driver.open()
        await asyncio.sleep(0.01)
        told = b.of(SensorChanged, PowerReported, ForeignControl, LinkUp)
        assert [type(e) for e in told] == [SensorChanged, SensorChanged, PowerReported, LinkUp]
        assert (told[0].active, told[2].on) == (True, False)  # type: ignore[attr-defined]
        assert b.station.cabs[3] == (0, True)
        assert b.driver.halted
        b.driver.release()
        b.events.clear()
        b.driver.send(SetTurnout("T1", True), 9)
        await asyncio.sleep(0.1)
        assert b.answers() == [(9, True)]
        assert b.station.turnouts[1], "it was told again: what was asked for before counts no more"
        assert not b.of(ForeignControl)
        await b.down()

    run_virtual(main())


async def _restart(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.1)
    b.driver.send(Drive("L", True, 50), 2)
    b.station.deaf = True
    await asyncio.sleep(0.01)
    b.station.deaf = False
    b.station.restart()
    await asyncio.sleep(0.1)
    assert [e.greeting for e in b.of(StationRestarted)] == [GREETING]
    assert not b.of(LinkLost)
    b.driver.send(Drive("L", True, 40), 3)
    await asyncio.sleep(0.1)
    assert b.answers()[-1] == (3, False)
    b.events.clear()
    started = asyncio.get_running_loop().time()
    await b.driver.open()
    await asyncio.sleep(0.001)
    assert b.of(LinkUp)
    assert b.driver.halted
    assert asyncio.get_running_loop().time() - started < 1, "it has just greeted: no need to listen first"


test_a_station_that_restarts_is_noticed_and_latched = bench(_restart)


async def _keep_alive(b: Bench) -> None:
    heard = len(b.station.heard)
    await asyncio.sleep(5.5)
    questions = [[c.Currents(), c.ThrottleQuery(cab), c.Fence()] for cab in (3, 1234, 3, 1234, 3)]
    assert b.station.commands(heard) == [*itertools.chain(*questions)]
    assert not b.events


test_an_idle_link_is_asked_every_second = bench(_keep_alive)


# ---------------------------------------------------------------- what others do


def test_closing_a_silent_link_takes_its_time_and_no_more() -> None:
    async def main() -> None:
        b = await Bench().up()
        b.station.mute = True
        started = asyncio.get_running_loop().time()
        await b.driver.close()
        assert asyncio.get_running_loop().time() - started <= 11.5
        last = [data for t_s, data in b.station.raw if t_s > started + 1.0]
        assert sum(data.startswith(b"<!><0><#>") for data in last) >= 90, "it is told again and again"
        assert not b.host.is_open

    run_virtual(main())


@pytest.mark.parametrize("halted", [True, False])
def test_a_link_is_not_closed_before_the_station_has_heard_the_stop(halted: bool) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        b = await Bench().up()
        b.driver.send(SetPower(True), 1)
        b.driver.send(Drive("L", False, 40), 2)
        await asyncio.sleep(0.2)
        b.station.deaf = True
        if halted:
            b.driver.halt()
        began, heard = loop.time(), len(b.station.heard)
        loop.call_later(4.0, setattr, b.station, "deaf", False)
        await b.driver.close()
        doing = [x for x in b.station.commands(heard) if not isinstance(x, c.Fence)]
        assert doing[:2] == [c.EmergencyStop(), c.Power(False)]
        assert loop.time() - began < 4.5
        assert not b.host.is_open
        written = len(b.station.raw)
        await asyncio.sleep(1.0)
        assert len(b.station.raw) == written, "nothing is written after the end"

    run_virtual(main())


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (lambda b: b.station.restart(), "the station restarted"),
        (lambda b: setattr(b.station, "mute", True), "the link was lost before everything was answered"),
        (lambda b: b.host._lose("unplugged"), "the link was lost before everything was answered"),
    ],
)
@pytest.mark.parametrize("after_s", [0.0, 0.002, 0.005])
def test_a_link_that_goes_while_it_is_closed_is_no_fault_of_the_program(
    happens: Callable[[Bench], None], said: str, after_s: float
) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        faults: list[str] = []
        loop.set_exception_handler(lambda _, context: faults.append(context["message"]))
        b = await Bench().up()
        loop.call_later(after_s, happens, b)
        await b.driver.close()
        await b.down()
        gc.collect()
        await asyncio.sleep(3)
        assert not faults
        notes = [event.text for event in b.of(StationNote)]  # type: ignore[attr-defined]
        assert [note for note in notes if note.startswith("while closing")] == [f"while closing: {said}"]
        if b.station.reopen is not None:
            await b.station.reopen
        await b.station.wire.close()
        await asyncio.sleep(0.1)

    run_virtual(main())
