"""The driver's commands against a scripted station, and what others do there, on virtual time."""

from __future__ import annotations

import asyncio

import pytest
from driver_bench import Bench, bench, doing

from pointsman.errors import ProtocolError
from pointsman.messages import (
    Command,
    Drive,
    ForeignControl,
    LinkLost,
    LocomotiveReported,
    OverCurrent,
    PowerReported,
    SensorChanged,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    Stop,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from railsim.clock import run_virtual

# ---------------------------------------------------------------- commands


async def _commands(b: Bench) -> None:
    await asyncio.sleep(0)
    commands: list[tuple[Command, c.Command, type | None]] = [
        (SetTurnout("T1", True), c.SetTurnout(1, True), TurnoutReported),
        (SetTurnout("T1", True), c.SetTurnout(1, True), None),
        (SetTurnout("T2", True), c.SetTurnout(2, False), None),
        (SetTurnout("T2", False), c.SetTurnout(2, True), TurnoutReported),
        (SetUncoupler("m1", True), c.SetOutput(1, True), UncouplerReported),
        (SetUncoupler("m2", True), c.SetOutput(2, False), UncouplerReported),
        (SetFunction("L", 2, True), c.Function(3, 2, True), None),
        (SetFunction("M", 0, False), c.Function(1234, 0, False), None),
        (Drive("L", True, 20), c.Throttle(3, 20, True), LocomotiveReported),
        (Stop("L", True), c.Throttle(3, 0, True), LocomotiveReported),
        (Drive("M", False, 126), c.Throttle(1234, 126, False), LocomotiveReported),
    ]
    for number, (command, wire, told) in enumerate(commands):
        b.events.clear()
        heard = len(b.station.heard)
        b.driver.send(command, number)
        assert not b.events, "never called back inside send"
        await asyncio.sleep(0.05)
        match wire:
            case c.Throttle(cab, _, _):
                asked: list[c.Command] = [c.ThrottleQuery(cab)]
            case c.SetTurnout():
                asked = [c.ListTurnouts()]
            case _:
                asked = []  # an output's answer says what it is set to, and of a function nothing is said
        assert b.station.commands(heard) == [wire, *asked, c.Fence()]
        assert b.answers() == [(number, True)]
        assert len(b.of(TurnoutReported, UncouplerReported, LocomotiveReported)) == (told is not None)
        assert not b.of(ForeignControl, StationNote)
    assert b.of(LocomotiveReported) == [LocomotiveReported(b.events[0].t_s, "M", False, 126)]


test_each_command_is_one_write_with_its_question_and_its_fence = bench(_commands)


async def _inverted(b: Bench) -> None:
    b.driver.send(SetTurnout("T2", False), 1)
    b.driver.send(SetUncoupler("m2", True), 2)
    b.station.sense(2, True)
    await asyncio.sleep(0.05)
    assert [(e.turnout, e.thrown) for e in b.of(TurnoutReported)] == [("T2", False)]
    assert [(e.uncoupler, e.on) for e in b.of(UncouplerReported)] == [("m2", True)]
    assert [(e.sensor, e.active) for e in b.of(SensorChanged)] == [("b2", False)]


test_inversion_holds_both_ways = bench(_inverted)


async def _unknown_names(b: Bench) -> None:
    for command in (
        SetTurnout("H", True),
        SetTurnout("no", True),
        SetUncoupler("m3", True),
        Drive("no", True, 1),
        Drive("L", True, 127),
        Stop("no", True),
        SetFunction("no", 0, True),
        SetFunction("L", 29, True),
    ):
        with pytest.raises(ProtocolError):
            b.driver.send(command, 1)
    assert not b.answers()


test_a_name_or_speed_that_cannot_be_is_our_own_fault = bench(_unknown_names)


async def _rejection(b: Bench) -> None:
    b.station.turnouts.pop(1)
    b.driver.send(SetTurnout("T2", False), 1)
    b.driver.send(SetTurnout("T1", True), 2)
    b.driver.send(Drive("L", True, 5), 3)
    await asyncio.sleep(0.1)
    assert b.answers() == [(1, True), (2, False), (3, True)]


test_a_rejection_belongs_to_the_command_between_two_fences = bench(_rejection)


async def _window(b: Bench) -> None:
    start = len(b.station.raw)
    for number in range(60):
        b.driver.send(SetTurnout("T1", number % 2 == 0), number)
    await asyncio.sleep(1)
    assert b.answers() == [(number, True) for number in range(60)]
    times = [(t_s, len(data)) for t_s, data in b.station.raw[start:]]
    for t_s, _ in times:
        # what was written but not answered 3 ms later
        assert sum(size for other, size in times if t_s - 0.003 < other <= t_s) <= 60
    assert all(data.startswith(b"<T 1 ") and data.endswith(b"<#>") for _, data in b.station.raw[start:-1])
    assert not b.of(ForeignControl)


test_a_flood_never_has_more_than_60_bytes_unread = bench(_window)


async def _overtake(b: Bench) -> None:
    for number in range(6):
        b.driver.send(SetTurnout("T1", number % 2 == 0), number)
    b.driver.send(Drive("L", True, 40), 10)
    b.driver.send(Drive("M", True, 40), 11)
    heard = len(b.station.raw)
    b.driver.send(Stop("L", True), 12)
    await asyncio.sleep(0.0005)
    assert b.station.raw[heard:][-1][1] == b"<t 3 0 1><t 3><#>", "written at once"
    await asyncio.sleep(0.2)
    assert (10, False) in b.answers()
    assert {(11, True), (12, True)} <= set(b.answers())
    assert c.Throttle(3, 40, True) not in b.station.commands()
    assert b.station.cabs[3] == (0, True)


test_a_stop_overtakes_the_queue_and_takes_its_own_locomotives_drives_out = bench(_overtake)


async def _power(b: Bench) -> None:
    b.driver.send(Drive("M", False, 3), 1)
    await asyncio.sleep(0.1)
    heard = len(b.station.heard)
    b.driver.send(SetPower(True), 2)
    b.driver.send(Drive("L", True, 9), 3)
    await asyncio.sleep(0.1)
    assert doing(b, heard) == [
        c.EmergencyStop(),
        c.Throttle(3, 0, True),
        c.Throttle(1234, 0, False),
        c.SetOutput(1, False),
        c.SetOutput(2, True),
        c.Power(True, "MAIN"),
        c.Throttle(3, 9, True),
    ]
    on = b.station.commands(heard).index(c.Power(True, "MAIN"))
    assert b.station.commands(heard)[on - 1] == c.Fence()
    assert [e.on for e in b.of(PowerReported)] == [True]
    b.driver.send(SetPower(False), 4)
    await asyncio.sleep(0.1)
    assert [e.on for e in b.of(PowerReported)] == [True, False]
    assert {(2, True), (3, True), (4, True)} <= set(b.answers())
    assert not b.of(ForeignControl)


test_power_comes_only_after_everything_stands_and_is_off = bench(_power)


async def _power_refused(b: Bench) -> None:
    b.station.outputs.pop(1)
    b.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    assert b.answers() == [(1, False)]
    assert not b.station.power


test_power_does_not_come_when_a_magnet_could_not_be_switched_off = bench(_power_refused)


# ---------------------------------------------------------------- what others do


async def _foreign(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    b.driver.send(SetTurnout("T1", True), 2)
    await asyncio.sleep(0.1)
    assert not b.of(ForeignControl)
    cases: list[tuple[r.Reply, str]] = [
        (r.LocomotiveState(3, 50, True), "locomotive L"),
        (r.LocomotiveState(3, 40, False), "locomotive L"),
        (r.TurnoutState(1, False), "turnout T1"),
        (r.OutputState(1, True), "magnet m1"),
        (r.Forgotten(3), "locomotive L"),
        (r.LockState(True), "emergency stop"),
        (r.TrackMode("A", "DC", 3), "track A"),
    ]
    for reply, what in cases:
        b.events.clear()
        b.station.say(reply)
        await asyncio.sleep(0.01)
        (foreign,) = b.of(ForeignControl)
        assert what in foreign.what
    b.events.clear()
    b.station.say(r.LocomotiveState(3, 40, True), r.TurnoutState(1, True), r.LocomotiveState(99, -1, True))
    await asyncio.sleep(0.01)
    assert not b.of(ForeignControl)
    assert [e.text for e in b.of(StationNote)] == ["cab 99, not of this layout, is driven too"]


test_values_that_we_did_not_ask_for_are_foreign_control = bench(_foreign)


async def _foreign_before(b: Bench) -> None:
    b.station.say(r.TurnoutState(1, False))
    await asyncio.sleep(0.01)
    assert not b.of(ForeignControl)
    b.station.say(r.TurnoutState(1, True))
    await asyncio.sleep(0.01)
    assert len(b.of(ForeignControl)) == 1


test_a_turnout_that_changes_before_we_ever_moved_it_is_foreign_control = bench(_foreign_before)


async def _foreign_power(b: Bench) -> None:
    b.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    b.station.say(r.PowerState(False, "A"), r.PowerState(False, "B"), r.PowerState(False))
    await asyncio.sleep(0.01)
    assert [e.on for e in b.of(PowerReported)] == [True, False]
    assert "off" in b.of(ForeignControl)[0].what  # type: ignore[attr-defined]


test_power_that_goes_by_somebody_else_is_told = bench(_foreign_power)


async def _over_current(b: Bench) -> None:
    b.station.say(r.Comment("TRACK A ALERT 1789mA"), r.Comment("TRACK A NORMAL"))
    await asyncio.sleep(0.01)
    assert [e.what for e in b.of(OverCurrent)] == ["TRACK A ALERT 1789mA"]
    assert [e.text for e in b.of(StationNote)] == ["TRACK A NORMAL"]
    assert b.driver.halted
    b.station.currents = (-1, 0)
    await asyncio.sleep(3.2)
    assert len(b.of(OverCurrent)) == 2, "asked for too, and said once"


test_a_short_circuit_is_told_from_comments_and_from_currents = bench(_over_current)


async def _phantoms(b: Bench) -> None:
    b.station.say(r.SensorDefinition(1, 49, True), r.SensorState(22, True), r.SensorState(22, False))
    b.station.say_bytes(b"<Q>\n<Q x>\n<K 1 3>\nPPA1\n")
    b.station.say(
        r.Display(0, 3, "Ready"), r.OperatorMessage("hello"), r.TurnoutState(77, True), r.OutputState(7, True)
    )
    await asyncio.sleep(0.01)
    assert not b.of(SensorChanged, TurnoutReported, UncouplerReported, ForeignControl)
    texts = [e.text for e in b.of(StationNote)]  # type: ignore[attr-defined]
    assert texts.count("sensor 22 of the station is not on this layout") == 1
    assert {"Ready", "hello"} <= set(texts)


test_other_replies_are_never_taken_for_beams = bench(_phantoms)


async def _lost_report(b: Bench) -> None:
    b.station.sense(1, True)
    b.station.sense(1, True)
    await asyncio.sleep(0.01)
    assert len(b.of(SensorChanged)) == 2
    assert "lost" in b.of(StationNote)[0].text  # type: ignore[attr-defined]


test_a_beam_reported_twice_alike_is_told_as_it_came = bench(_lost_report)


async def _lost_fence(b: Bench) -> None:
    b.station.say_bytes(b"<# 5\xff0")  # noise that opens a frame and hides the next answer's beginning
    b.driver.send(SetTurnout("T1", True), 1)
    await asyncio.sleep(0.2)
    assert b.answers() == [(1, True)], "a piece of noise costs nothing"
    b.station.deaf = True
    b.driver.send(SetTurnout("T1", False), 2)
    await asyncio.sleep(0.01)
    b.station.deaf = False
    await asyncio.sleep(1.2)
    assert (2, False) in b.answers(), "a lost command is told, never taken as done"
    assert len(b.of(LinkLost)) == 1


test_noise_and_a_lost_command = bench(_lost_fence)


async def _rejected_stop(b: Bench) -> None:
    b.driver.halt()
    await asyncio.sleep(0.2)
    b.station.cabs.clear()
    b.station.slots = 0
    b.driver.release()
    await asyncio.sleep(0.2)
    assert b.driver.halted
    assert any("<t 3 0 1>" in e.text for e in b.of(StationNote))  # type: ignore[attr-defined]


test_a_release_whose_stops_are_rejected_does_not_release = bench(_rejected_stop)


def test_closing_stops_everything_and_switches_off() -> None:
    async def main() -> None:
        b = await Bench().up()
        b.driver.send(SetPower(True), 1)
        b.driver.send(Drive("L", False, 40), 2)
        await asyncio.sleep(0.2)
        heard = len(b.station.heard)
        await b.driver.close()
        await asyncio.sleep(0.01)
        assert doing(b, heard) == [
            c.Throttle(3, 0, False),
            c.Throttle(1234, 0, True),
            c.SetOutput(1, False),
            c.SetOutput(2, True),
            c.Power(False, "MAIN"),
        ]
        assert not b.host.is_open
        await b.driver.close()

    run_virtual(main())
