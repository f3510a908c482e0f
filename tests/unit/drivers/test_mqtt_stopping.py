"""What stops the MQTT driver, links that go, and closing, in virtual time; and whatever is published."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mqtt_bench import Bench, on_bench, wired

from pointsman.drivers.mqtt.link import Link
from pointsman.errors import LinkLostError, PortError, StationError
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
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
)
from pointsman.track.wiring import Feedback, LastWill
from railsim.clock import run_virtual


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
