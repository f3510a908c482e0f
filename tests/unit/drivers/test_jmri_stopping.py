"""Stopping everything, links that go, and closing, against a simulated JMRI on virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from jmri_bench import LIGHT, PLAIN, TURNOUT, Bench, bench, running

from pointsman.drivers.jmri import JmriDriver
from pointsman.drivers.jmri.link import Link
from pointsman.errors import StationError
from pointsman.messages import (
    Drive,
    EmergencyStop,
    ForeignControl,
    LinkLost,
    LinkUp,
    SensorChanged,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    Stop,
)
from pointsman.protocols.jmri_json import Bean, Failure, Message, Method, Ping, Pong, Power, Throttle, write
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.jmri_station import HEARTBEAT_S, IDLE_HEARTBEATS

# ---------------------------------------------------------------- stopping


@bench
async def test_an_emergency_stop_is_alone_in_its_message_and_goes_first(made: Bench) -> None:
    await running(made)
    made.driver.send(EmergencyStop(), 9)
    await asyncio.sleep(0.05)
    sent = [replace(m, id=0) for _, m in made.asked]  # type: ignore[call-arg]
    assert sent == [
        Throttle("L", emergency_stop=True),
        Throttle("M", emergency_stop=True),
        Bean(LIGHT, "LL11", 4, Method.POST),
        Bean(LIGHT, "LL12", 2, Method.POST),
        Throttle("L", status=True),
        Throttle("M", status=True),
        Power(),
    ]
    assert write(sent[0]) == '{"type":"throttle","data":{"name":"L","throttle":"L","eStop":null}}'
    assert made.answers() == [(9, True)]
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") == 0
    assert len(made.asked_for(Throttle)) == 4, "confirmed: not said again"
    assert not made.of(ForeignControl, LinkLost)
    assert made.world.powered


@bench
async def test_after_a_stop_nothing_goes_until_a_person_releases_it(made: Bench) -> None:
    await running(made)
    made.driver.halt()
    with pytest.raises(StationError, match="not confirmed yet"):
        made.driver.release()
    made.driver.send(SetPower(True), 10)
    await asyncio.sleep(0.5)
    made.driver.send(Drive("L", True, 30), 11)
    made.driver.send(SetUncoupler("s1", True), 12)
    made.driver.send(SetTurnout("T1", True), 13)
    made.driver.send(SetUncoupler("s1", False), 14)
    await asyncio.sleep(0.1)
    assert made.answers() == [(10, False), (11, False), (12, False), (13, True), (14, True)]
    made.driver.release()
    made.driver.send(Drive("L", True, 30), 15)
    await asyncio.sleep(0.5)
    assert made.answers()[-1] == (15, True)
    assert made.world.speed_mm_s("L") > 0
    assert not made.of(ForeignControl)


@bench
async def test_a_stop_that_is_not_confirmed_is_said_every_100_ms_and_the_power_is_cut_after_300(made: Bench) -> None:
    await running(made)
    began_s = made.now_s
    made.from_jmri = lambda m: [] if isinstance(m, Throttle) else [m]
    made.driver.halt()
    await asyncio.sleep(0.25)
    times = [at_s - began_s for at_s, m in made.asked if isinstance(m, Throttle) and m.emergency_stop and m.name == "L"]
    assert times == pytest.approx([0.0, 0.1, 0.2])
    assert made.world.powered
    await asyncio.sleep(0.3)
    assert not made.world.powered
    before = len(made.asked)
    await asyncio.sleep(0.3)
    assert made.asked[before:] == [], "dark is stopped"


@bench
async def test_a_stop_with_the_power_off_goes_at_once(made: Bench) -> None:
    await running(made)
    made.driver.halt(power_off=True)
    await asyncio.sleep(0.05)
    assert not made.world.powered
    assert not made.of(ForeignControl)


@bench
async def test_a_stop_that_jmri_refuses_cuts_the_power(made: Bench) -> None:
    await running(made)

    def refuse(message: Message) -> list[Message]:
        if isinstance(message, Throttle) and message.emergency_stop:
            made.say(Failure(500, "no such throttle", message.id))
            return []
        return [message]

    made.to_jmri = refuse
    made.driver.halt()
    await asyncio.sleep(0.5)
    assert not made.world.powered


@bench
async def test_a_stop_that_is_never_confirmed_ends_with_the_connection_and_jmri_stops_everything(made: Bench) -> None:
    await running(made)
    made.to_jmri = lambda m: [] if isinstance(m, Throttle | Power) and m != Power(id=getattr(m, "id", 0)) else [m]
    made.driver.halt()
    await asyncio.sleep(2.9)
    assert made.driver.link is Link.UP
    await asyncio.sleep(1)
    assert made.driver.link is Link.CLOSED
    (lost,) = made.of(LinkLost)
    assert "not confirmed a stop within 3 s" in lost.why
    made._gone("")
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0


# ---------------------------------------------------------------- losing it


@bench
async def test_a_jmri_that_stands_still_is_a_lost_link_long_before_it_would_notice_itself(made: Bench) -> None:
    await running(made)
    frozen_s = made.now_s
    made.jmri.frozen = True
    await asyncio.sleep(2.1)
    (lost,) = made.of(LinkLost)
    assert lost.t_s - frozen_s < 2.05 < HEARTBEAT_S
    assert lost.why == "JMRI has not answered a ping within 1 s"
    assert made.driver.link is Link.SILENT
    stops = [m for m in made.asked_for(Throttle, lost.t_s) if m.emergency_stop]
    assert stops
    made.driver.send(Drive("L", True, 40), 20)
    await asyncio.sleep(0.1)
    assert made.answers()[-1] == (20, False)
    # it wakes, and finds the stops that were said meanwhile
    made.jmri.frozen = False
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") == 0
    assert "answers again and has stopped everything" in made.of(StationNote)[-1].text
    assert made.driver.halted


@bench
async def test_a_jmri_that_does_not_wake_is_cut_off_and_stops_everything_when_it_does(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    await asyncio.sleep(6)
    assert made.driver.link is Link.CLOSED
    assert not made.host.is_open
    assert len(made.of(LinkLost)) == 1
    before = len(made.asked)
    await asyncio.sleep(3)
    assert len(made.asked) == before, "nothing is said for ever"
    made._gone("the socket is closed")
    made.jmri.frozen = False
    made.simulation.jog(lambda: None)
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0


@bench
async def test_a_command_that_is_not_answered_is_a_lost_link_too(made: Bench) -> None:
    made.from_jmri = lambda m: [m] if isinstance(m, Pong) else []
    asked_s = made.now_s
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(1.1)
    assert [e.t_s - asked_s for e in made.of(LinkLost)] == pytest.approx([1.0])
    assert made.answers() == [(3, False)]


@pytest.mark.parametrize("how", ["goodbye", "cut"])
def test_a_jmri_that_goes_is_a_lost_link_and_opening_again_asks_everything_again(how: str) -> None:
    @bench
    async def test(made: Bench) -> None:
        await running(made)
        if how == "goodbye":
            made.by_hand(lambda jmri: jmri.reset(made.now_s))
        else:
            made.cut()
        await asyncio.sleep(2)
        assert len(made.of(LinkLost)) == 1
        assert made.driver.link is Link.CLOSED
        assert made.world.speed_mm_s("L") == 0, "its last client has gone"
        made.driver.send(SetTurnout("T1", True), 9)
        await asyncio.sleep(0.01)
        assert made.answers()[-1] == (9, False)
        # meanwhile the layout goes on without us
        made.by_hand(lambda jmri: jmri.see("LS1", True, made.now_s))
        await asyncio.sleep(0.1)
        made.events.clear()
        made.asked.clear()
        await made.open()
        assert ("head", True) in [(e.sensor, e.active) for e in made.of(SensorChanged)]
        assert len(made.of(LinkUp)) == 1
        assert made.driver.halted, "nothing resumes by itself"
        assert {m.name for m in made.asked_for(Bean)} == {
            *("LL11", "LL12", "LT1", "LT2", "LS1", "LS2", "LS3", "LS4"),
        }
        made.by_hand(lambda jmri: jmri.see("LS2", True, made.now_s))
        await asyncio.sleep(0.1)
        assert made.of(SensorChanged)[-1].sensor == "s1"

    test()


@bench
async def test_what_was_asked_before_the_link_was_lost_counts_no_more(made: Bench) -> None:
    """Somebody closed the points meanwhile (T2 is inverted), and throws them now: no echo of what we once asked."""
    made.driver.send(SetTurnout("T2", True), 1)
    await asyncio.sleep(3)
    assert made.answers() == [(1, True)]
    made.cut()
    await asyncio.sleep(0.1)
    made.by_hand(lambda jmri: jmri.set_by_hand(TURNOUT, "LT2", 4))
    await asyncio.sleep(3)
    await made.open()
    made.events.clear()
    made.by_hand(lambda jmri: jmri.set_by_hand(TURNOUT, "LT2", 2))
    await asyncio.sleep(3)
    assert [e.what for e in made.of(ForeignControl)] == ["turnout T2 was thrown by somebody else"]


@bench
async def test_pings_keep_the_connection_alive_over_jmris_own_patience(made: Bench) -> None:
    await asyncio.sleep(3 * IDLE_HEARTBEATS * HEARTBEAT_S)
    assert made.driver.link is Link.UP
    assert not made.of(LinkLost)
    assert all(isinstance(m, Ping) for _, m in made.asked)


@bench
async def test_closing_leaves_everything_safe(made: Bench) -> None:
    await running(made)
    made.driver.send(SetUncoupler("s1", True), 3)
    await asyncio.sleep(0.1)
    await made.driver.close()
    assert not made.world.powered
    assert not made.world.magnets_on
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") == 0
    assert not made.of(LinkLost, ForeignControl)


@bench
async def test_closing_on_a_jmri_that_does_not_answer_says_it_all_and_does_not_hang(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    began_s = made.now_s
    await made.driver.close()
    assert made.now_s - began_s <= 1.0
    made.jmri.frozen = False
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0
    assert not made.world.powered


@bench
async def test_closing_waits_for_a_stop_that_is_not_confirmed_and_says_it_again(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    made.asked.clear()
    began_s = made.now_s
    made.driver.halt()
    await made.driver.close()
    assert 3.0 <= made.now_s - began_s <= 4.5
    said = [m for m in made.asked_for(Throttle) if m.emergency_stop and m.name == "L"]
    assert len(said) >= 25
    assert "the connection to it was cut" in " ".join(e.text for e in made.of(StationNote))


@bench
async def test_into_silence_only_what_makes_safe_is_said(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    await asyncio.sleep(2.2)
    assert made.driver.link is Link.SILENT
    made.asked.clear()
    commands = (SetTurnout("T1", False), SetPower(True), SetUncoupler("s1", False), Stop("L", True))
    for number, command in enumerate(commands, start=20):
        made.driver.send(command, number)
    await asyncio.sleep(0.01)
    said = [m for _, m in made.asked]
    assert not [m for m in said if isinstance(m, Bean) and m.type is TURNOUT]
    assert not [m for m in said if isinstance(m, Power) and m.state == 2]
    assert Bean(LIGHT, "LL11", 4, Method.POST) in said
    assert Throttle("L", speed=0.0, status=True) in said
    assert made.answers()[-4:] == [(number, False) for number in range(20, 24)]
    await made.driver.close()


def test_a_stop_while_the_link_is_set_up_is_said_at_once() -> None:
    async def main() -> None:
        made = Bench()
        opening = asyncio.create_task(made.open())
        await asyncio.sleep(0.003)
        made.driver.send(EmergencyStop(), 1)
        await asyncio.sleep(0.0005)
        assert made.asked_for(Throttle)[0] == Throttle("L", emergency_stop=True)
        await opening
        assert made.answers() == [(1, False)]
        assert made.driver.halted
        await made.down()

    run_virtual(main())


def test_what_a_guardian_says_stops_everything() -> None:
    host, _ = memory_pair()
    frames = JmriDriver(host, PLAIN, emit=lambda _: None).guardian_frames()
    assert [frame.decode() for frame in frames] == [
        write(Throttle("L", emergency_stop=True)),
        *(write(Bean(LIGHT, name, 4, Method.POST)) for name in ("LL11", "LL12", "LL13")),
        write(Throttle("L", emergency_stop=True)),
        write(Power(4, method=Method.POST)),
    ]
