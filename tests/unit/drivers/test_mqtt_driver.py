"""The MQTT driver in virtual time: what is accepted, and what is believed of others."""

from __future__ import annotations

import asyncio

import pytest
from mqtt_bench import Bench, on_bench, wired

from pointsman.errors import ProtocolError
from pointsman.messages import (
    Drive,
    ForeignControl,
    PowerReported,
    Rejected,
    SensorChanged,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    Stop,
    TurnoutReported,
)
from railsim.clock import VirtualLoop, run_virtual

# ---------------------------------------------------------------- what is accepted


def test_a_command_is_accepted_when_it_came_back_and_its_node_reported() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [True]
        assert bench.answers() == [(1, True)]
        await bench.sent(Drive("L", False, 30), 2)
        assert bench.answers() == [(2, True)]
        assert bench.published("cab/3")[-2:] == [("cab/3/direction", "REVERSE"), ("cab/3/throttle", "24")]
        await bench.sent(Stop("L", False), 3)
        assert bench.published("cab/3")[-1] == ("cab/3/throttle", "0")
        assert bench.answers() == [(3, True)]
        other = bench.simulation.truth().lie["T1"] == "closed"
        await bench.sent(SetTurnout("T1", other), 4)
        assert bench.answers() == []
        await asyncio.sleep(1.5)
        assert bench.answers() == [(4, True)]
        assert [e.thrown for e in bench.of(TurnoutReported) if isinstance(e, TurnoutReported)] == [other]
        await bench.sent(SetUncoupler("s1", True), 5)
        assert bench.answers() == [(5, True)]
        assert bench.of(ForeignControl) == []

    on_bench(scene)


def test_a_function_has_its_own_topic() -> None:
    async def scene(bench: Bench) -> None:
        bench.heard.clear()
        await bench.sent(SetFunction("L", 2, True), 1)
        assert bench.answers() == [(1, True)]
        assert [text for topic, text in bench.published("") if topic.endswith("/function/2")] == ["ON"]

    on_bench(scene)


def test_the_same_command_again_waits_for_a_report_of_its_own() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetTurnout("T1", True), 1, 2)
        await bench.sent(SetTurnout("T1", True), 2)
        assert bench.answers() == [(2, True)]
        bench.node.deaf = True
        await bench.sent(SetTurnout("T1", True), 3, 5)
        assert bench.answers() == [(3, False)]

    on_bench(scene)


def test_a_turnout_that_is_not_reported_in_its_time_is_rejected() -> None:
    async def scene(bench: Bench) -> None:
        bench.node.deaf = True
        await bench.sent(SetTurnout("T1", True), 1, 2.2)
        assert bench.answers() == []
        await asyncio.sleep(0.2)
        (rejected,) = bench.of(Rejected)
        assert isinstance(rejected, Rejected)
        assert "has not reported turnout T1 within 2.3 s" in rejected.why

    on_bench(scene)


def test_a_turnout_that_is_reported_otherwise_answers_with_what_it_says() -> None:
    async def scene(bench: Bench) -> None:
        bench.node.deaf = True
        bench.driver.send(SetTurnout("T1", True), 1)
        bench.loop.call_later(1.0, bench.broker.publish, "track/turnout/T1/state", b"CLOSED")
        await asyncio.sleep(2.2)
        assert bench.answers() == []
        await asyncio.sleep(0.2)
        assert bench.answers() == [(1, True)]
        assert [e.thrown for e in bench.of(TurnoutReported) if isinstance(e, TurnoutReported)] == [False]

    on_bench(scene)


def test_without_feedback_the_broker_alone_is_the_witness() -> None:
    async def scene(bench: Bench) -> None:
        bench.node.deaf = True
        await bench.sent(SetTurnout("T1", True), 1)
        assert bench.answers() == [(1, True)]
        await bench.sent(SetPower(True), 2)
        assert bench.answers() == [(2, True)]
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [True]

    on_bench(scene, feedback=frozenset())


def test_a_command_that_the_broker_does_not_pass_on_is_rejected() -> None:
    async def scene(bench: Bench) -> None:
        bench.broker.denied.add("track/turnout/T1")
        await bench.sent(SetTurnout("T1", True), 1)
        (rejected,) = bench.of(Rejected)
        assert isinstance(rejected, Rejected)
        assert "does not pass on track/turnout/T1" in rejected.why
        bench.broker.denied.add("track/light/s1")
        bench.driver.send(SetPower(True), 2)
        await asyncio.sleep(0.05)
        assert bench.answers()[-1] == (2, False)
        assert ("track/power", "ON") not in bench.published("track/power")

    on_bench(scene)


@pytest.mark.parametrize(
    "command",
    [SetTurnout("X", True), SetUncoupler("X", True), Drive("X", True, 3), Drive("L", True, 127), Drive("L", True, 0)],
)
def test_what_the_station_cannot_have_is_never_sent(command: SetTurnout | SetUncoupler | Drive) -> None:
    async def scene(bench: Bench) -> None:
        with pytest.raises(ProtocolError):
            bench.driver.send(command, 1)
        assert bench.heard == []

    on_bench(scene)


# ---------------------------------------------------------------- others, and history


def test_another_throttle_is_noticed() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 30), 2)
        for topic, payload, what in (
            ("cab/3/throttle", b"50", "locomotive L was set to 50 %"),
            ("cab/3/throttle", b"", "locomotive L was stopped"),
            ("cab/3/direction", b"REVERSE", "the direction of locomotive L"),
            ("track/turnout/T2", b"THROWN", "turnout T2 was thrown"),
            ("track/light/s2", b"ON", "magnet s2 was switched on"),
            ("track/power", b"OFF", "the power was switched off"),
        ):
            bench.events.clear()
            bench.broker.publish(topic, payload)
            await asyncio.sleep(0.02)
            assert next(e.what for e in bench.of(ForeignControl) if isinstance(e, ForeignControl)).startswith(what)

    on_bench(scene)


def test_the_same_value_from_somebody_else_is_only_noted_and_another_cab_is_nothing() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(Drive("L", True, 30), 1)
        bench.broker.publish("cab/3/throttle", b"24")
        bench.broker.publish("cab/77/throttle", b"24")
        await asyncio.sleep(0.02)
        assert bench.of(ForeignControl) == []
        assert len(bench.of(StationNote)) == 1

    on_bench(scene)


def test_a_retained_command_moves_nothing_and_is_not_believed() -> None:
    async def main() -> None:
        bench = Bench(wired(feedback=frozenset()))
        for topic, payload in (
            ("track/turnout/T1", b"THROWN"),
            ("cab/3/throttle", b"80"),
            ("cab/3/direction", b"FORWARD"),
            ("track/power", b"ON"),
            ("track/light/s1", b"ON"),
        ):
            bench.broker.publish(topic, payload, retain=True)
        bench.node.connect()
        await bench.driver.open()
        await asyncio.sleep(5)
        assert bench.dead
        assert bench.of(ForeignControl, TurnoutReported) == []
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [False]
        notes = [e.text for e in bench.of(StationNote) if isinstance(e, StationNote)]
        assert sum("keeps the command" in text for text in notes) == 5
        await bench.down()

    run_virtual(main())


def test_what_was_asked_before_the_link_was_lost_counts_no_more() -> None:
    """Somebody closed the points meanwhile, and throws them now: that is no echo of what we once asked."""

    async def scene(bench: Bench) -> None:
        await bench.sent(SetTurnout("T1", True), 1, 3)
        assert bench.answers() == [(1, True)]
        bench.link.cut()
        await asyncio.sleep(0.1)
        bench.broker.publish("track/turnout/T1", b"CLOSED")
        await asyncio.sleep(3)
        await bench.driver.open()
        await asyncio.sleep(0.01)
        bench.events.clear()
        bench.broker.publish("track/turnout/T1", b"THROWN")
        await asyncio.sleep(0.02)
        foreign = [e.what for e in bench.of(ForeignControl) if isinstance(e, ForeignControl)]
        assert foreign == ["turnout T1 was thrown by somebody else"]

    on_bench(scene)


def test_points_that_move_by_themselves_are_noticed_once_they_lay_still() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetTurnout("T1", True), 1, 4)
        assert bench.of(ForeignControl) == []
        bench.broker.publish("track/turnout/T1/state", b"INCONSISTENT")
        bench.broker.publish("track/turnout/T1/state", b"CLOSED")
        await asyncio.sleep(0.02)
        whats = [e.what for e in bench.of(ForeignControl) if isinstance(e, ForeignControl)]
        assert whats == [
            "turnout T1 does not lie as it was set any more: INCONSISTENT",
            "turnout T1 was closed by somebody else",
        ]

    on_bench(scene)


def test_a_hand_in_a_beam_of_a_node_is_told() -> None:
    async def scene(bench: Bench) -> None:
        bench.simulation.show_beam("s3", True)
        await asyncio.sleep(0.1)
        assert [(e.sensor, e.active) for e in bench.events if isinstance(e, SensorChanged)] == [("s3", True)]

    on_bench(scene)


def test_a_beam_that_is_delivered_twice_has_changed_once() -> None:
    async def scene(bench: Bench) -> None:
        now = bench.simulation.world.beam_broken("s1")
        text = b"INACTIVE" if now else b"ACTIVE"
        for _ in range(2):
            bench.broker.publish("track/sensor/s1", text, retain=True)
        await asyncio.sleep(0.02)
        assert [(e.sensor, e.active) for e in bench.events if isinstance(e, SensorChanged)] == [("s1", not now)]

    on_bench(scene)


def test_a_report_that_came_while_this_program_stood_still_is_heard() -> None:
    async def scene(bench: Bench) -> None:
        thrown = bench.simulation.truth().lie["T1"] == "thrown"
        await bench.sent(SetTurnout("T1", not thrown), 1, 0.1)
        assert isinstance(bench.loop, VirtualLoop)
        bench.loop.pause(5.0)
        await asyncio.sleep(6.0)
        assert bench.answers() == [(1, True)]

    on_bench(scene)


def test_a_command_that_comes_again_after_a_newer_one_stops_everything_and_is_told_as_what_it_may_be() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 60), 2)
        await bench.sent(Stop("L", True), 3)
        bench.broker.publish("cab/3/throttle", b"48")
        await asyncio.sleep(0.02)
        assert [e.what for e in bench.of(ForeignControl) if isinstance(e, ForeignControl)] == [
            "locomotive L was set to 48 %, again: by somebody else, or delivered twice"
        ]
        bench.events.clear()
        await asyncio.sleep(3)
        await bench.sent(Stop("L", True), 4)
        bench.broker.publish("cab/3/throttle", b"48")
        await asyncio.sleep(0.02)
        assert [e.what for e in bench.of(ForeignControl) if isinstance(e, ForeignControl)] == [
            "locomotive L was set to 48 % by somebody else"
        ]

    on_bench(scene)


def test_a_command_that_is_delivered_twice_before_a_newer_one_is_only_noted() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 60), 2)
        bench.broker.publish("cab/3/throttle", b"48")
        await asyncio.sleep(0.02)
        assert bench.of(ForeignControl) == []

    on_bench(scene)


def test_a_reporter_and_what_nobody_understands_are_told_to_a_person() -> None:
    async def scene(bench: Bench) -> None:
        bench.broker.publish("track/reporter/gate", b"04175C0B7E")
        bench.broker.publish("track/sensor/s1", b"PERHAPS")
        await asyncio.sleep(0.02)
        notes = [e.text for e in bench.of(StationNote) if isinstance(e, StationNote)]
        assert notes == ["reporter gate: 04175C0B7E", "not understood: track/sensor/s1 = PERHAPS"]

    on_bench(scene)


def test_a_reporter_without_end_is_told_no_more_than_a_person_could_read() -> None:
    async def scene(bench: Bench) -> None:
        for number in range(500):
            bench.broker.publish("track/reporter/gate", str(number).encode())
        await asyncio.sleep(1.5)
        notes = [e.text for e in bench.of(StationNote) if isinstance(e, StationNote)]
        assert len(notes) == 21
        assert notes[-1] == "the station said 480 more things in that second, left out here"

    on_bench(scene)
