"""What the station says it has done is compared with what was asked, on every version of its firmware."""

from __future__ import annotations

import asyncio

import pytest
from driver_bench import Bench
from sim_bench import ALL, STOPPING, SimBench, once, sim

from pointsman.drivers.dccex.link import Link
from pointsman.errors import StationError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    ForeignControl,
    OverCurrent,
    Rejected,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    Stop,
    TurnoutReported,
)
from railsim.clock import run_virtual
from railsim.profiles import find_profile

# ---------------------------------------------------------------- every version


@pytest.mark.parametrize("serial", [True, False], ids=["serial", "network"])
@pytest.mark.parametrize("profile", ALL)
def test_every_version_takes_every_command_changed_or_not(profile: str, serial: bool) -> None:
    async def test(b: SimBench) -> None:
        commands: list[Command] = [
            SetPower(True), SetPower(True),
            SetTurnout("T1", True), SetTurnout("T1", True), SetTurnout("T1", False), SetTurnout("T2", True),
            SetUncoupler("s1", True), SetUncoupler("s1", True), SetUncoupler("s1", False),
            Drive("L", True, 30), Drive("L", True, 30), Drive("L", False, 1), Stop("L", False), Stop("L", False),
            SetPower(False), SetPower(False),
        ]  # fmt: skip
        for number, command in enumerate(commands):
            await b.does(command, number)
        await asyncio.sleep(3)
        answered = [e for e in b.events if isinstance(e, Accepted | Rejected)]
        assert [(e.number, type(e)) for e in answered] == [(n, Accepted) for n in range(len(commands))]
        assert not [e for e in b.events if isinstance(e, STOPPING)]
        assert b.thrown == {1: False, 2: True}
        b.driver.halt()
        await asyncio.sleep(0.5)
        b.driver.release()
        await b.does(Drive("L", True, 9), 99)
        assert isinstance(b.events[-1], Accepted)
        assert b.speed == 9
        assert not [e for e in b.events if isinstance(e, STOPPING)]

    sim(test, profile, serial=serial)


# ---------------------------------------------------------------- lost digits


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"<t 3 50 1>", b"<t 3 5 1>", "step 50 forward, the station says step 5 forward"),
        (b"<t 3 50 1>", b"<t 3 50 0>", "step 50 forward, the station says step 50 in reverse"),
        (b"<t 3 50 1>", b"<t 35 0 1>", "lost"),
        (b"<t 3 50 1>", b"<t 33 50 1>", "cab 33 was set instead"),
        (b"<t 3 50 1>", b"", "step 50 forward, the station says step 0 forward"),
        (b"<t 3 50 1>", b"<t 3 501>", "rejected it (<X>)"),
        (b"<t 3>", b"", ""),
    ],
)
def test_a_drive_that_arrives_otherwise(profile: str, before: bytes, after: bytes, said: str) -> None:
    async def test(b: SimBench) -> None:
        b.damage = once(before, after)
        await b.does(Drive("L", True, 50))
        if said:
            assert said in b.said(Rejected)
        else:
            assert isinstance(b.only(Accepted), Accepted), "its broadcast says it, too"

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
def test_a_question_that_is_lost_when_nothing_else_tells_the_speed(profile: str) -> None:
    async def test(b: SimBench) -> None:
        await b.does(Drive("L", True, 50), 1)
        b.damage = once(b"<t 3>", b"")
        await b.does(Drive("L", True, 50), 2)
        assert "did not say what locomotive L is set to" in b.said(Rejected)

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize("after", [b"", b"<t 3 9 1>", b"<t 33 0 1>", b"<t 3 01>", b"<t 3 0 1", b"t 3 0 1>"])
def test_a_stop_that_does_not_arrive_becomes_an_emergency_stop_at_once(profile: str, after: bytes) -> None:
    async def test(b: SimBench) -> None:
        await b.does(SetPower(True), 1)
        await b.does(Drive("L", True, 50), 2)
        assert b.speed == 50
        b.damage = once(b"<t 3 0 1>", after)
        b.sent.clear()
        started = asyncio.get_running_loop().time()
        b.driver.send(Stop("L", True), 3)
        while b.speed != -1:
            await asyncio.sleep(0.001)
            assert asyncio.get_running_loop().time() - started < 0.03
        assert b.sent[1] == b"<!><#>"
        await asyncio.sleep(0.5)
        assert isinstance(b.only(Rejected), Rejected)
        assert b.driver.halted
        assert b.speed == -1
        assert [data for data in b.sent if data.startswith(b"<!>")] == [b"<!><#>"] * 2, "and not for ever"

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
def test_a_stop_that_never_arrives_ends_with_the_power_off_and_is_not_repeated_for_ever(profile: str) -> None:
    async def test(b: SimBench) -> None:
        await b.does(SetPower(True), 1)
        await b.does(Drive("L", True, 50), 2)
        b.damage = lambda data: data.replace(b"<!>", b"").replace(b"<t 3 0 1>", b"")
        await b.does(Stop("L", True), 3, 2.0)
        assert b.speed == 50, "the station goes on sending it"
        assert not b.simulation.world.powered, "to a track without power"
        notes = [e.text for e in b.events if isinstance(e, StationNote)]
        assert any("the station says step 50 forward" in text for text in notes)
        b.sent.clear()
        await asyncio.sleep(3)
        assert not any(b"<!>" in data for data in b.sent)

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize("at", range(1, 9))
def test_a_quote_that_swallows_the_first_emergency_stops_does_not_confirm_them(profile: str, at: int) -> None:
    """Newer readers hide brackets within quotes for half a buffer, and then answer the last fence of it all."""

    async def test(b: SimBench) -> None:
        await b.does(SetPower(True), 1)
        await b.does(Drive("L", False, 126), 2)
        frame = b"<t 3 0 0>"
        b.damage = once(frame, frame[:at] + b'"' + frame[at + 1 :])
        await b.does(Stop("L", False), 3, 2.5)
        assert b.speed == -1
        assert any(isinstance(e, Rejected) for e in b.events)

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize("after", [b"", b"<T 1 0>", b"<T 2 1>", b"<T 11 1>"])
def test_a_turnout_that_is_moved_otherwise_is_reported_as_it_lies(profile: str, after: bytes) -> None:
    async def test(b: SimBench) -> None:
        await b.does(SetTurnout("T1", False), 1)
        await b.does(SetTurnout("T2", False), 2)
        b.events.clear()
        b.damage = once(b"<T 1 1>", after)
        await b.does(SetTurnout("T1", True), 3)
        if after == b"<T 11 1>" and profile != "5.7":
            assert "(<X>)" in b.said()
        else:
            reports = [(e.turnout, e.thrown) for e in b.events if isinstance(e, TurnoutReported)]
            assert ("T1", False) in reports
            assert isinstance(b.only(Accepted), Accepted), "whoever asked looks at the report"
        if after == b"<T 2 1>":
            assert "turnout T2 was thrown" in b.said(ForeignControl)

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize(("after", "said"), [(b"<T 1 >", "(<O>)"), (b"<T 11>", "(<X>)")])
def test_a_turnout_that_is_deleted_instead(profile: str, after: bytes, said: str) -> None:
    async def test(b: SimBench) -> None:
        b.damage = once(b"<T 1 1>", after)
        await b.does(SetTurnout("T1", True), 3)
        assert ("deleted there" if profile == "5.7" and said == "(<O>)" else said) in b.said()

    sim(test, profile)


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (b"", "did not say that magnet s1 is on"),
        (b"<Z 2 1>", "did not say that magnet s1 is on"),
        (b"<Z 1 0>", "magnet s1 was to be on, the station says off"),
        (b"<Z 1 >", "(<O>)"),
        (b"<Z 11>", "(<X>)"),
    ],
)
def test_a_magnet_that_is_switched_otherwise(after: bytes, said: str) -> None:
    async def test(b: SimBench) -> None:
        b.damage = once(b"<Z 1 1>", after)
        await b.does(SetUncoupler("s1", True))
        assert said in b.said()
        b.driver.halt()
        await asyncio.sleep(0.2)
        assert not any(b.on.values())

    sim(test)


def test_power_that_does_not_come_or_go_is_told() -> None:
    async def test(b: SimBench) -> None:
        b.damage = once(b"<1 MAIN>", b"<1 MIN>")
        await b.does(SetPower(True), 1)
        b.damage = once(b"<1 MAIN>", b"<0 MAIN>")
        await b.does(SetPower(True), 2)
        await b.does(SetPower(True), 3)
        b.damage = once(b"<0 MAIN>", b"<1 MAIN>")
        await b.does(SetPower(False), 4)
        answered = [(e.number, getattr(e, "why", "")) for e in b.events if isinstance(e, Accepted | Rejected)]
        assert answered == [
            (1, "the station rejected it (<X>)"),
            (2, "the power was to be on, and the station says it is off"),
            (3, ""),
            (4, "the power was to be off, and the station says it is on"),
        ]

    sim(test)


# ---------------------------------------------------------------- what else is named


@pytest.mark.parametrize("profile", ALL)
def test_a_full_table_of_locomotives_is_named_when_the_link_is_set_up(profile: str) -> None:
    async def main() -> None:
        b = SimBench(profile)
        await asyncio.sleep(0.2)
        for cab in range(100, 150):
            b.other(b"<t %d 0 1>" % cab)
            await asyncio.sleep(0.01)
        await b.far.open()
        with pytest.raises(StationError, match=r"does not take locomotive L \(cab 3\)") as refusal:
            await b.driver.open()
        assert "table of locomotives" in refusal.value.cure
        await b.far.close()
        await b.simulation.close()
        await asyncio.sleep(0.001)

    run_virtual(main())


@pytest.mark.parametrize("profile", ALL)
def test_a_table_that_fills_up_meanwhile_is_named(profile: str) -> None:
    async def test(b: SimBench) -> None:
        b.other(b"<- 3>")
        await asyncio.sleep(0.01)
        for cab in range(100, 150):
            b.other(b"<t %d 0 1>" % cab)
            await asyncio.sleep(0.005)
        b.events.clear()
        await b.does(Drive("L", True, 50))
        assert "its table of locomotives is full" in b.said(Rejected)

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
def test_a_locomotive_that_the_station_forgot_is_noticed_within_seconds(profile: str) -> None:
    async def test(b: SimBench) -> None:
        b.cabs.clear()
        await asyncio.sleep(1.5)
        assert "does not know locomotive L" in b.said(ForeignControl)
        await asyncio.sleep(3)
        assert "does not know locomotive L" in b.said(ForeignControl), "said once"

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize(
    ("frames", "what"),
    [
        (b"<t 3 50 1>", "locomotive L was set to step 50 forward by somebody else"),
        (b"<T 1 1>", "turnout T1 was thrown by somebody else"),
        (b"<Z 1 1>", "magnet s1 was switched on by somebody else"),
    ],
)
def test_foreign_throttles_and_the_stations_automation(profile: str, frames: bytes, what: str) -> None:
    async def test(b: SimBench) -> None:
        await b.does(SetTurnout("T1", False))
        b.other(frames)
        await asyncio.sleep(0.1)
        assert b.said(ForeignControl) == f"{what}: another throttle, or the station's own automation"

    sim(test, profile)


@pytest.mark.parametrize("profile", ALL)
def test_a_reset_is_a_greeting_out_of_the_blue(profile: str) -> None:
    async def test(b: SimBench) -> None:
        await b.does(SetPower(True), 1)
        await b.does(Drive("L", True, 50), 2)
        b.simulation.reset_station()
        await asyncio.sleep(0.2)
        event = b.only(StationRestarted)
        assert isinstance(event, StationRestarted)
        assert find_profile(profile).version in event.greeting
        assert b.driver.link is Link.RESTARTED
        assert b.driver.halted

    sim(test, profile)


@pytest.mark.parametrize("serial", [True, False], ids=["serial", "network"])
@pytest.mark.parametrize("profile", ALL)
def test_an_overload_is_named(profile: str, serial: bool) -> None:
    async def test(b: SimBench) -> None:
        await b.does(SetPower(True), 1)
        b.simulation.set_short(True)
        await asyncio.sleep(15)
        told = [e.what for e in b.events if isinstance(e, OverCurrent)]
        if serial:
            assert any("OVERLOAD" in what for what in told)
        elif profile == "4.1.6":
            assert not told, "nothing on the network tells it"
        else:
            assert told == ["track A reports an overload"]
        assert b.driver.halted is bool(told)
        b.simulation.set_short(False)

    sim(test, profile, serial=serial)


async def _two_stops(b: Bench) -> None:
    for number, name in enumerate(["L", "M"]):
        b.driver.send(Drive(name, True, 30), number)
        await asyncio.sleep(0.05)
    raw = len(b.station.raw)
    for number, name in enumerate(["L", "M", "L", "M"], start=10):
        b.driver.send(Stop(name, True), number)
    await asyncio.sleep(0.0001)
    written = [data for _, data in b.station.raw[raw:]]
    assert written == [b"<t 3 0 1><t 3><#>", b"<t 1234 0 1><t 1234><#>"], "no more than the ring holds"
    await asyncio.sleep(0.2)
    assert sorted(number for number, accepted in b.answers() if accepted and number >= 10) == [10, 11, 12, 13]
    assert all(speed == 0 for speed, _ in b.station.cabs.values())


def test_more_stops_than_the_ring_holds_wait_for_an_answer() -> None:
    async def main() -> None:
        b = await Bench().up()
        await _two_stops(b)
        await b.down()

    run_virtual(main())
