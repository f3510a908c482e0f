"""The MQTT driver in virtual time: what is accepted, what is believed, and what stops everything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mqtt_bench import WIRING, Bench, wired

from pointsman.drivers.mqtt.link import Link
from pointsman.errors import LinkLostError, PortError, ProtocolError, StationError
from pointsman.messages import (
    Accepted,
    Drive,
    EmergencyStop,
    ForeignControl,
    LinkChanged,
    LinkLost,
    LinkState,
    LinkUp,
    PowerReported,
    Rejected,
    SensorChanged,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    Stop,
    TurnoutReported,
)
from pointsman.track.wiring import Feedback, LastWill
from pointsman.transports.mqtt_base import Delivery
from railsim.clock import VirtualLoop, run_virtual

Scene = Callable[[Bench], Coroutine[Any, Any, None]]


def on_bench(scene: Scene, **settings: object) -> None:
    """Run a scene with the link up."""

    async def main() -> None:
        bench = await Bench(wired(**settings)).up()
        try:
            await scene(bench)
        finally:
            await bench.down()

    run_virtual(main())


# ---------------------------------------------------------------- opening


def test_opening_makes_everything_safe_and_tells_the_first_states() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await bench.driver.open()
        await asyncio.sleep(0.01)
        assert isinstance(bench.events[-1], LinkUp)
        assert {e.sensor: e.active for e in bench.of(SensorChanged) if isinstance(e, SensorChanged)} == {
            beam: bench.simulation.world.beam_broken(beam) for beam in WIRING.beams
        }
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [False]
        told = [(topic, payload) for _, topic, payload in bench.heard]
        off = [(f"track/light/{magnet}", b"OFF") for magnet in ("s1", "s2", "s3")]
        stop = [("cab/3/direction", b"STOP"), ("cab/3/throttle", b"0"), ("track/power", b"OFF")]
        first = told.index(off[0])
        assert [one for one in told[first:] if "state" not in one[0]][:6] == [*off, *stop]
        await bench.down()

    run_virtual(main())


def test_nothing_is_ever_published_retained() -> None:
    async def scene(bench: Bench) -> None:
        bench.driver.send(SetPower(True), 1)
        bench.driver.send(Drive("L", True, 10), 2)
        bench.driver.send(SetTurnout("T1", True), 3)
        await asyncio.sleep(2)
        assert {topic for topic in bench.broker.retained if "state" not in topic} == {
            "track/node/yard",
            *(f"track/sensor/{beam}" for beam in WIRING.beams),
        }

    on_bench(scene)


@pytest.mark.parametrize(
    ("spoil", "error", "what"),
    [
        (lambda bench: bench.broker.stop(), PortError, "nobody answers"),
        (lambda bench: bench.broker.denied.add("cab/3/throttle"), StationError, "does not pass on cab/3/throttle"),
        (lambda bench: bench.broker.denied.add("pointsman/pm1/fence"), StationError, "own messages back"),
        (lambda bench: bench.node.lose(), StationError, "not online: yard"),
        (lambda bench: bench.broker.publish("track/sensor/s1", b"", retain=True), StationError, "beam s1"),
        (lambda bench: bench.broker.denied.add("track/power/state"), StationError, "track power off"),
    ],
    ids=["no broker", "a command denied", "the fence denied", "no node", "no state of a beam", "no feedback"],
)
def test_what_is_missing_is_named(spoil: Callable[[Bench], None], error: type[Exception], what: str) -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await asyncio.sleep(0.01)
        spoil(bench)
        with pytest.raises(error, match=what) as refusal:
            await bench.driver.open()
        assert getattr(refusal.value, "cure", "")
        assert bench.driver.link is Link.CLOSED
        assert not bench.link.is_open
        await bench.down()

    run_virtual(main())


def test_a_node_that_comes_within_its_time_is_waited_for_and_made_safe() -> None:
    async def main() -> None:
        bench = Bench()
        opening = asyncio.ensure_future(bench.driver.open())
        await asyncio.sleep(5)
        assert not opening.done()
        bench.heard.clear()
        bench.node.connect()
        await opening
        assert ("track/power", "OFF") in bench.published("track/power")
        await bench.down()

    run_virtual(main())


def test_a_node_that_starts_again_and_again_is_given_up() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        starts: list[float] = []

        def start_anew(_: Delivery) -> None:
            starts.append(bench.loop.time())
            if len(starts) <= 10:
                bench.loop.call_soon(lambda: bench.broker.publish("track/node/yard", b"online", retain=True))

        bench.broker.client(start_anew, lambda _: None).subscribe(["track/power"])
        with pytest.raises(StationError, match="node yard said that it is online, again and again") as refusal:
            await bench.driver.open()
        assert "power supply" in refusal.value.cure
        assert len(starts) == 6, "made safe twice in each of three tries"
        assert bench.dead
        await bench.down()

    run_virtual(main())


def test_states_that_are_older_than_their_node_are_not_believed() -> None:
    """The node went, its states stayed with the broker, and it comes back with others."""

    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await asyncio.sleep(0.01)
        bench.node.lose()
        await asyncio.sleep(0.01)
        assert bench.broker.retained["track/node/yard"] == b"offline"
        bench.broker.publish("track/sensor/s1", b"INACTIVE", retain=True)
        bench.broker.publish("track/turnout/T1/state", b"THROWN", retain=True)
        with pytest.raises(StationError, match="not online: yard"):
            await bench.driver.open()
        assert bench.of(SensorChanged, TurnoutReported) == []
        bench.node.connect()
        await bench.driver.open()
        await asyncio.sleep(0.01)
        first = {e.sensor: e.active for e in bench.events if isinstance(e, SensorChanged)}
        assert first["s1"] is bench.simulation.world.beam_broken("s1")
        assert bench.of(TurnoutReported) == []
        await bench.down()

    run_virtual(main())


def test_somebody_who_drives_meanwhile_is_stopped_and_named() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        bench.loop.call_later(0.5, bench.node.lose)
        bench.loop.call_later(1.0, bench.broker.publish, "cab/3/throttle", b"40")
        bench.loop.call_later(2.0, bench.node.connect)
        bench.node.lose()
        with pytest.raises(StationError, match=r"another program is driving.*L was set to 40 %") as refusal:
            await bench.driver.open()
        assert "everything was stopped" in str(refusal.value)
        await bench.down()

    run_virtual(main())


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


# ---------------------------------------------------------------- stopping


def test_an_emergency_stop_stops_at_once_and_cuts_the_power_behind_it() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 60), 2, 1.0)
        assert bench.speed_mm_s > 50
        bench.heard.clear()
        began = bench.loop.time()
        await bench.sent(EmergencyStop(), 3, 1.0)
        assert bench.answers() == [(3, True)]
        stops = [t for t, topic, payload in bench.heard if (topic, payload) == ("cab/3/direction", b"STOP")]
        cuts = [t for t, topic, payload in bench.heard if (topic, payload) == ("track/power", b"OFF")]
        assert stops[0] == pytest.approx(began)
        assert cuts == [pytest.approx(began + 0.1)]
        assert bench.dead
        await bench.sent(Drive("L", True, 60), 4)
        assert bench.answers() == [(4, False)]
        bench.driver.release()
        await bench.sent(SetPower(True), 5)
        await bench.sent(Drive("L", True, 10), 6)
        assert bench.answers() == [(6, True)]

    on_bench(scene)


def test_with_power_off_the_first_message_cuts_it() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        bench.heard.clear()
        bench.driver.halt(power_off=True)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert ("track/power", "OFF") in bench.published("track/power")

    on_bench(scene)


def test_a_broker_that_says_nothing_is_a_lost_link_within_two_seconds_and_stops_are_tried() -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 30), 2)
        bench.events.clear()
        began = bench.loop.time()
        bench.broker.stall(True)
        bench.driver.send(Drive("L", True, 60), 9)
        await asyncio.sleep(5)
        assert bench.answers() == [(9, False)]
        (lost,) = bench.of(LinkLost)
        assert lost.t_s - began < 2
        assert bench.driver.link is Link.SILENT
        await bench.sent(Drive("L", True, 10), 3)
        assert bench.answers() == [(3, False)]
        bench.heard.clear()
        bench.broker.stall(False)
        # What was kept somewhere on the way comes late; behind it, in the same moment, come the stops.
        await asyncio.sleep(0.001)
        assert [payload for _, payload in bench.published("cab/3/throttle")] == ["48", *["0"] * 10]
        await asyncio.sleep(1)
        assert bench.dead
        assert bench.of(LinkUp) == []

    on_bench(scene)


def test_every_state_of_the_link_is_told_with_its_reason() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        await bench.driver.open()
        await asyncio.sleep(1)
        bench.broker.stall(True)
        bench.loop.call_later(1.2, bench.broker.stall, False)
        await asyncio.sleep(2)
        bench.broker.stall(True)
        await asyncio.sleep(3)
        bench.broker.stall(False)
        await bench.driver.open()
        bench.link.cut()
        await asyncio.sleep(1)
        await bench.driver.open()
        await bench.down()
        told = [(e.state, e.why) for e in bench.events if isinstance(e, LinkChanged)]
        assert {e.station for e in bench.events if isinstance(e, LinkChanged)} == {"yard"}
        up = (LinkState.UP, "broker in memory; nodes online: yard")
        late = (LinkState.DOUBTFUL, "an answer is later than 0.5 s")
        opening = (LinkState.OPENING, "broker in memory")
        assert told == [
            opening,
            up,
            late,
            (LinkState.UP, "the broker answers in time"),
            late,
            (LinkState.LOST, "the broker has not answered within 1 s"),
            opening,
            up,
            (LinkState.LOST, "the connection broke"),
            opening,
            up,
            (LinkState.CLOSED, "closed"),
        ]

    run_virtual(main())


def test_a_lost_link_rejects_what_is_under_way_and_nothing_is_sent_when_it_is_back() -> None:
    async def scene(bench: Bench) -> None:
        bench.driver.send(SetTurnout("T1", True), 1)
        bench.link.cut()
        await asyncio.sleep(0.1)
        assert bench.answers() == [(1, False)]
        assert len(bench.of(LinkLost)) == 1
        for number, command in enumerate((Drive("L", True, 30), SetPower(True), SetTurnout("T2", True)), start=2):
            bench.driver.send(command, number)
        bench.driver.halt()
        await asyncio.sleep(0.1)
        assert bench.answers()[1:] == [(2, False), (3, False), (4, False)]
        bench.heard.clear()
        await bench.driver.open()
        await asyncio.sleep(2)
        assert ("track/turnout/T2", "THROWN") not in bench.published("track/turnout")
        assert {payload for _, payload in bench.published("cab/3/throttle")} == {"0"}
        assert {payload for topic, payload in bench.published("track/power") if topic == "track/power"} == {"OFF"}
        assert bench.driver.halted

    on_bench(scene)


@pytest.mark.parametrize(("last_will", "topic"), [(LastWill.POWER, "track/power"), (LastWill.STOP, "cab/3/direction")])
def test_the_last_will_stops_the_train(last_will: LastWill, topic: str) -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 30), 2, 1.0)
        bench.heard.clear()
        bench.link.cut()
        await asyncio.sleep(1)
        assert [(t, p) for t, p in bench.published("") if "state" not in t and "sensor" not in t] == [
            (topic, "OFF" if last_will is LastWill.POWER else "STOP")
        ]
        assert bench.speed_mm_s == 0

    on_bench(scene, last_will=last_will)


def test_a_node_that_goes_offline_is_a_lost_link_and_the_others_are_stopped() -> None:
    async def scene(bench: Bench) -> None:
        bench.heard.clear()
        bench.broker.publish("track/node/yard", b"offline", retain=True)
        await asyncio.sleep(0.3)
        (lost,) = bench.of(LinkLost)
        assert isinstance(lost, LinkLost)
        assert lost.why == "node yard is offline"
        assert bench.driver.link is Link.GONE
        assert ("cab/3/direction", "STOP") in bench.published("cab/3")
        await bench.sent(Drive("L", True, 10), 1)
        assert bench.answers() == [(1, False)]
        with pytest.raises(StationError, match="link is not up"):
            bench.driver.release()

    on_bench(scene)


def test_a_node_that_starts_anew_is_noticed_and_can_be_opened_again() -> None:
    async def scene(bench: Bench) -> None:
        bench.broker.publish("track/node/yard", b"online", retain=True)
        await asyncio.sleep(0.3)
        assert len(bench.of(StationRestarted)) == 1
        bench.events.clear()
        await bench.driver.open()
        await asyncio.sleep(0.01)
        assert len(bench.of(LinkUp)) == 1
        assert bench.driver.halted

    on_bench(scene)


def test_a_beam_whose_node_does_not_know_is_a_lost_link() -> None:
    async def scene(bench: Bench) -> None:
        bench.broker.publish("track/sensor/s1", b"UNKNOWN")
        await asyncio.sleep(0.1)
        assert [e.why for e in bench.of(LinkLost) if isinstance(e, LinkLost)] == [
            "the node of beam s1 does not know its state"
        ]

    on_bench(scene)


@pytest.mark.parametrize("forget", [True, False])
def test_a_broker_that_restarts_is_found_again_with_all_its_nodes(forget: bool) -> None:
    async def scene(bench: Bench) -> None:
        await bench.sent(SetPower(True), 1)
        await bench.sent(Drive("L", True, 30), 2, 1.0)
        bench.broker.stop(forget=forget)
        await asyncio.sleep(1)
        assert len(bench.of(LinkLost)) == 1
        # The node has lost its broker too, and has stopped everything.
        assert bench.dead
        with pytest.raises(PortError):
            await bench.driver.open()
        bench.broker.start()
        bench.loop.call_later(3, bench.node.connect)
        await bench.driver.open()
        assert bench.node.client is not None  # what the broker has kept of it was not enough
        await asyncio.sleep(1)
        assert bench.speed_mm_s == 0
        assert bench.driver.halted

    on_bench(scene)


def test_a_node_that_is_online_by_the_brokers_word_alone_is_not_believed() -> None:
    async def scene(bench: Bench) -> None:
        bench.broker.stop(forget=False)
        await asyncio.sleep(1)
        bench.broker.start()
        assert bench.broker.retained["track/node/yard"] == b"online"
        assert bench.broker.retained["track/power/state"] == b"OFF"
        with pytest.raises(StationError, match="no node reports the track power off"):
            await bench.driver.open()

    on_bench(scene)


def test_the_broker_that_goes_before_it_has_answered_is_told_as_a_link_that_went() -> None:
    async def main() -> None:
        bench = Bench()
        bench.node.connect()
        bench.broker.stall(True)
        bench.loop.call_later(0.5, bench.link.cut)
        with pytest.raises(LinkLostError, match="the link went while it was set up: the connection broke"):
            await bench.driver.open()
        await bench.down()

    run_virtual(main())


def test_the_link_that_goes_while_it_is_opened_is_an_error() -> None:
    async def main() -> None:
        bench = Bench()
        bench.loop.call_later(0.5, bench.link.cut)
        with pytest.raises(LinkLostError):
            await bench.driver.open()
        assert bench.driver.link is Link.CLOSED
        await bench.down()

    run_virtual(main())


def test_closing_leaves_the_layout_safe_and_publishes_no_will() -> None:
    async def main() -> None:
        bench = await Bench().up()
        await bench.sent(SetPower(True), 1)
        await bench.sent(SetUncoupler("s1", True), 2)
        bench.heard.clear()
        bench.events.clear()
        await bench.driver.close()
        await asyncio.sleep(0.1)
        told = [one for one in bench.published("") if "state" not in one[0] and "fence" not in one[0]]
        assert told == [
            ("cab/3/throttle", "0"),
            ("track/light/s1", "OFF"),
            ("track/light/s2", "OFF"),
            ("track/light/s3", "OFF"),
            ("track/power", "OFF"),
        ]
        assert bench.of(ForeignControl) == []
        assert not bench.simulation.world.powered
        await bench.simulation.close()

    run_virtual(main())


def test_closing_waits_for_the_node_that_says_that_the_power_is_off() -> None:
    async def main() -> None:
        bench = await Bench().up()
        await bench.sent(SetPower(True), 1)
        bench.events.clear()
        bench.node.says_after_s = 0.05
        await bench.driver.close()
        await asyncio.sleep(0)
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [False]
        assert bench.of(StationNote) == []
        await bench.simulation.close()

    run_virtual(main())


def test_closing_does_not_wait_for_ever_and_tells_what_nobody_confirmed() -> None:
    async def main() -> None:
        bench = await Bench().up()
        await bench.sent(SetPower(True), 1)
        bench.events.clear()
        bench.node.deaf = True
        before = bench.loop.time()
        await bench.driver.close()
        await asyncio.sleep(0)
        assert bench.loop.time() - before == pytest.approx(1, abs=0.1)
        assert bench.of(PowerReported) == []
        assert "no node has reported the power off" in str(bench.of(StationNote))
        await bench.simulation.close()

    run_virtual(main())


def test_where_no_node_reports_the_power_closing_tells_what_the_broker_passed_on() -> None:
    async def main() -> None:
        bench = await Bench(wired(feedback=frozenset())).up()
        await bench.sent(SetPower(True), 1)
        bench.events.clear()
        await bench.driver.close()
        await asyncio.sleep(0)
        assert [e.on for e in bench.of(PowerReported) if isinstance(e, PowerReported)] == [False]
        await bench.simulation.close()

    run_virtual(main())


def test_what_was_commanded_just_before_closing_is_nobody_elses_doing() -> None:
    """Ctrl-C: everything is stopped, and the link is closed while that is still under way."""

    async def main() -> None:
        bench = await Bench().up()
        await bench.sent(SetPower(True), 1)
        await bench.sent(SetUncoupler("s1", True), 2)
        await bench.sent(Drive("L", True, 10), 3)
        bench.events.clear()
        bench.driver.halt(power_off=True)
        await bench.driver.close()
        await asyncio.sleep(0.1)
        assert bench.of(ForeignControl) == []
        assert [e for e in bench.of(StationNote) if "somebody else" in str(e)] == []
        assert bench.dead
        await bench.simulation.close()

    run_virtual(main())


def test_the_guardian_writes_the_stop_and_then_the_power_off() -> None:
    async def scene(bench: Bench) -> None:
        stop, last = bench.driver.guardian_frames()
        assert stop.startswith(b"\x30\x15\x00\x0fcab/3/directionSTOP\x30")
        assert last == stop + b"\x30\x10\x00\x0btrack/powerOFF"

    on_bench(scene)


def test_feedback_is_a_matter_of_each_kind() -> None:
    async def scene(bench: Bench) -> None:
        bench.node.deaf = True
        await bench.sent(SetUncoupler("s1", True), 1, 0.5)
        assert bench.answers() == []
        await asyncio.sleep(1)
        assert bench.answers() == [(1, False)]
        await bench.sent(SetTurnout("T1", True), 2)
        assert bench.of(Accepted) == [Accepted(bench.events[0].t_s, 2)]

    on_bench(scene, feedback=frozenset({Feedback.MAGNETS}))


SAID_ON = ["turnout/T1", "turnout/T1/state", "light/s1", "light/s1/state", "power", "power/state", "sensor/s1"]
TOPICS = st.sampled_from(
    [
        *(f"track/{one}" for one in (*SAID_ON, "node/yard", "reporter/x")),
        *("cab/3/throttle", "cab/3/direction", "pointsman/pm1/fence"),
    ]
)
PAYLOADS = st.binary(max_size=20) | st.sampled_from(
    [b"ON", b"OFF", b"THROWN", b"CLOSED", b"UNKNOWN", b"ACTIVE", b"50", b"STOP", b"online", b"offline", b""]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TOPICS, PAYLOADS, st.booleans()), max_size=12))
def test_whatever_is_published_nothing_fails_and_nothing_moves(said: list[tuple[str, bytes, bool]]) -> None:
    faults: list[object] = []

    async def scene(bench: Bench) -> None:
        bench.loop.set_exception_handler(lambda _, context: faults.append(context))
        bench.node.deaf = True
        bench.driver.send(SetTurnout("T1", True), 1)
        for topic, payload, retain in said:
            bench.broker.publish(topic, payload, retain=retain)
        await asyncio.sleep(5)
        assert len([e for e in bench.events if isinstance(e, Accepted | Rejected)]) == 1
        assert {payload for topic, payload in bench.published("cab/3/throttle")} <= {
            "0",
            *(payload.decode(errors="replace") for topic, payload, _ in said if topic == "cab/3/throttle"),
        }

    on_bench(scene)
    assert faults == []
