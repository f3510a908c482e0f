"""Faults of a broker, and of what hangs on nodes behind one: what becomes of messages, and that nothing moves."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from enum import StrEnum
from typing import Any

import pytest
from mqtt_bench import START, TRACK, WIRING
from sim_tracks import CLOSED

from pointsman.drivers.mqtt import MqttDriver
from pointsman.errors import LinkLostError, PortError, UsageError
from pointsman.links import On as PlayedOn
from pointsman.links import Target, open_links
from pointsman.messages import Event, LinkLost, StationNote
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.mqtt_base import Delivery, MqttLink
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.faults import Left, Memory, Way, parse_fault
from railsim.incidents import FaultStruck
from railsim.mqtt_serve import check_at_broker
from railsim.setup import Setup

POWER, POWER_STATE = "track/power", "track/power/state"
NODE, T1, T1_STATE = "track/node/yard", "track/turnout/T1", "track/turnout/T1/state"
SETUP = Setup(Setup.parse(START).segments, {}, {"T1": CLOSED, "T2": CLOSED})


class Host:
    """The simulated layout's nodes at its broker, as ``--on sim`` has them, and a host that hears everything."""

    def __init__(self, simulation: Simulation, link: MqttLink) -> None:
        self.simulation = simulation
        self.link = link
        self.heard: list[tuple[float, Delivery]] = []
        self.lost: list[str] = []

    async def come(self, *topics: str) -> None:
        """Open the link, and listen."""
        self.link.listen(lambda delivery: self.heard.append((self.now_s, delivery)), self.lost.append)
        await self.link.open(None)
        await self.link.subscribe(topics or ["#"])
        await self.until(self.now_s + 0.001)

    async def until(self, t_s: float) -> None:
        """Let time pass."""
        await asyncio.sleep(t_s - self.now_s)

    @property
    def now_s(self) -> float:
        """What time it is."""
        return asyncio.get_running_loop().time()

    def say(self, topic: str, payload: str) -> None:
        """Command something."""
        self.link.publish(topic, payload.encode())

    def of(self, topic: str, *, retained: bool = False) -> list[tuple[float, str]]:
        """When a topic was heard, and what it said."""
        found = [(t_s, d) for t_s, d in self.heard if d.topic == topic and d.retained is retained]
        return [(t_s, d.payload.decode()) for t_s, d in found]

    @property
    def struck(self) -> list[FaultStruck]:
        """The faults that have struck."""
        return list(self.simulation.struck)

    @property
    def dead(self) -> bool:
        """Does everything stand, without power?"""
        return not self.simulation.truth().moving and not self.simulation.world.powered


def hosted(
    scene: Callable[[Host], Coroutine[Any, Any, None]], *faults: str, hardware: str = "mqtt", seed: int = 1
) -> None:
    """Run a scene in virtual time."""
    wiring = load_wiring(find_wiring(find_layout("inglenook-small"), hardware), TRACK)

    def simulated() -> Simulation:
        planned = [parse_fault(fault) for fault in faults]
        return Simulation(TRACK, wiring, SETUP, seed=seed, faults=planned)

    async def main() -> None:
        async with open_links(Target(PlayedOn.SIM), wiring, simulated, None) as (links, simulation):
            assert simulation is not None
            (link,) = [one.link for one in links if isinstance(one.link, MqttLink)]
            host = Host(simulation, link)
            await scene(host)
            await host.link.close()

    run_virtual(main())


# ---------------------------------------------------------------- messages


async def power_on_and_off(host: Host) -> None:
    await host.come()
    await host.until(5.0)
    for payload in ("ON", "OFF"):
        host.say(POWER, payload)
    await host.until(9.0)


def test_without_a_fault_every_message_comes_once_and_at_once() -> None:
    async def scene(host: Host) -> None:
        await power_on_and_off(host)
        assert host.of(POWER) == [(5.0, "ON"), (5.0, "OFF")]
        assert host.of(POWER_STATE) == [(5.0, "ON"), (5.0, "OFF")]

    hosted(scene)


@pytest.mark.parametrize(
    ("way", "commands", "states"),
    [
        (Way.TO_NODES, "ON OFF", "ON ON OFF"),
        (Way.FROM_NODES, "ON OFF", "ON ON OFF"),
        (Way.TO_HOST, "ON ON OFF", "ON OFF"),
    ],
)
def test_doubled_messages(way: Way, commands: str, states: str) -> None:
    async def scene(host: Host) -> None:
        await power_on_and_off(host)
        assert " ".join(payload for _, payload in host.of(POWER)) == commands
        assert " ".join(payload for _, payload in host.of(POWER_STATE)) == states

    hosted(scene, f"messages-doubled:{way}@4=1")


@pytest.mark.parametrize(
    ("way", "command_s", "state_s"),
    [(Way.TO_NODES, 5.0, 5.3), (Way.FROM_NODES, 5.0, 5.3), (Way.TO_HOST, 5.3, 5.3)],
)
def test_late_messages(way: Way, command_s: float, state_s: float) -> None:
    async def scene(host: Host) -> None:
        await power_on_and_off(host)
        assert host.of(POWER) == [(pytest.approx(command_s), "ON"), (pytest.approx(command_s), "OFF")]
        assert host.of(POWER_STATE) == [(pytest.approx(state_s), "ON"), (pytest.approx(state_s), "OFF")]

    hosted(scene, f"messages-late:{way}@4=0.3")


def test_messages_late_for_a_node_move_late_what_they_move() -> None:
    async def scene(host: Host) -> None:
        await host.come()
        await host.until(5.0)
        host.say(POWER, "ON")
        await host.until(5.29)
        assert not host.simulation.world.powered
        await host.until(5.31)
        assert host.simulation.truth().t_s == pytest.approx(5.31)
        assert host.simulation.world.powered

    hosted(scene, "messages-late:to-nodes@4=0.3")


@pytest.mark.parametrize("way", list(Way))
def test_held_messages_come_all_at_once_and_in_order(way: Way) -> None:
    async def scene(host: Host) -> None:
        await power_on_and_off(host)
        assert host.of(POWER_STATE) == [(pytest.approx(7.0), "ON"), (pytest.approx(7.0), "OFF")]

    hosted(scene, f"messages-held:{way}@4=3")


def test_what_was_on_its_way_when_a_connection_broke_never_comes() -> None:
    async def scene(host: Host) -> None:
        await host.come()
        await host.until(5.0)
        host.say(POWER, "ON")
        await host.until(20.0)
        assert host.dead
        assert "ON" not in [payload for _, payload in host.of(POWER_STATE)]

    hosted(scene, "messages-held:to-nodes@4=10", "broker-restart:kept@6=1")


def test_a_host_that_comes_anew_hears_nothing_of_before() -> None:
    async def scene(host: Host) -> None:
        await host.come()
        await host.until(5.0)
        host.say(POWER, "ON")
        await host.link.close()
        await host.link.open(None)
        await host.link.subscribe([POWER])
        await host.until(12.0)
        assert host.of(POWER) == []

    hosted(scene, "messages-held:to-host@4=6")


# ---------------------------------------------------------------- the broker itself


def test_a_broker_that_restarts_loses_everybody_and_the_nodes_stop_and_find_it_again() -> None:
    async def scene(host: Host) -> None:
        await host.come()
        host.say(POWER, "ON")
        host.say("cab/3/direction", "FORWARD")
        host.say("cab/3/throttle", "10")
        await host.until(1.9)
        assert host.simulation.truth().moving
        await host.until(3.0)
        assert host.lost == ["closed by the broker"]
        assert host.dead
        with pytest.raises(LinkLostError):
            host.say(POWER, "ON")
        with pytest.raises(PortError, match="nobody answers"):
            await host.link.open(None)
        await host.until(4.001)
        await host.come()
        assert host.of(NODE) == []
        await host.until(6.5)
        assert [payload for _, payload in host.of(NODE)] == ["online"]
        host.say(T1, "THROWN")
        await host.until(8.0)
        assert host.of(T1_STATE)[-1][1] == "THROWN"
        assert host.dead

    hosted(scene, "broker-restart@2=2")


@pytest.mark.parametrize(
    ("memory", "keeps"), [(Memory.KEPT, "THROWN online"), (Memory.OLD, "UNKNOWN online"), (Memory.GONE, "")]
)
def test_what_a_broker_has_retained_is_kept_or_old_or_gone(memory: Memory, keeps: str) -> None:
    async def scene(host: Host) -> None:
        await host.come(POWER)
        host.say(T1, "THROWN")
        await host.until(5.1)
        await host.come(T1_STATE, NODE)
        found = host.of(T1_STATE, retained=True) + host.of(NODE, retained=True)
        assert " ".join(payload for _, payload in found) == keeps

    hosted(scene, f"broker-restart:{memory}@4=1")


def test_a_broker_that_goes_again_while_it_is_away_stays_away_for_longer() -> None:
    async def scene(host: Host) -> None:
        for t_s in (2.5, 4.0, 5.9):
            await host.until(t_s)
            with pytest.raises(PortError):
                await host.link.open(None)
        await host.until(6.1)
        await host.come()
        await host.until(8.2)
        assert [payload for _, payload in host.of(NODE)] == ["online"]

    hosted(scene, "broker-restart@2=1", "broker-restart@2.5=3.5")


def test_a_fault_at_the_beginning_strikes_before_the_host_comes() -> None:
    async def scene(host: Host) -> None:
        assert [(struck.kind, struck.t_s) for struck in host.struck] == [("broker-restart", 0.0)]
        with pytest.raises(PortError):
            await host.link.open(None)

    hosted(scene, "broker-restart=2")


# ---------------------------------------------------------------- commands that were left


@pytest.mark.parametrize("left", list(Left))
@pytest.mark.parametrize("at", ["", "@4"])
def test_commands_that_were_left_at_the_broker_move_nothing(left: Left, at: str) -> None:
    async def scene(host: Host) -> None:
        lies = dict(host.simulation.truth().lie)
        await host.come()
        await host.until(20.0)
        assert [struck.target for struck in host.struck] == [left]
        assert [payload for _, payload in host.of(NODE)] == (["offline", "online"] if at else ["online"])
        truth = host.simulation.truth()
        assert (truth.moving, dict(truth.lie), host.simulation.world.powered) == ((), lies, False)
        # They are there: whoever comes now is told.
        await host.link.close()
        host.heard.clear()
        await host.come(POWER, "track/turnout/+", "track/light/+", "cab/+/+")
        told = {(d.topic, d.payload.decode()) for _, d in host.heard if d.retained}
        assert (
            told
            == {
                Left.TURNOUTS: {(T1, "THROWN"), ("track/turnout/T2", "THROWN")},
                Left.MAGNETS: {(f"track/light/{name}", "ON") for name in ("s1", "s2", "s3")},
                Left.POWER: {(POWER, "ON")},
                Left.SPEED: {("cab/3/direction", "FORWARD"), ("cab/3/throttle", "40")},
            }[left]
        )

    hosted(scene, f"messages-retained:{left}{at}")


def test_what_no_node_of_a_layout_has_cannot_be_left() -> None:
    async def scene(host: Host) -> None:
        await host.until(1.0)
        assert [struck.text for struck in host.struck] == ["nothing there that it could strike"]

    hosted(scene, "messages-retained:speed", hardware="mixed")


def test_a_train_stops_for_good_when_its_node_comes_anew_to_a_speed_that_was_left() -> None:
    async def main() -> None:
        faults = [parse_fault("messages-retained:speed@2"), parse_fault("messages-retained:power@4")]
        simulation = Simulation(TRACK, WIRING, SETUP, seed=1, faults=faults)
        events: list[Event] = []
        async with open_links(Target(PlayedOn.SIM), WIRING, lambda: simulation, None) as (links, _):
            driver = links[0].driver(WIRING, events.append)
            assert isinstance(driver, MqttDriver)
            await driver.open()
            await asyncio.sleep(10)
            assert [event.why for event in events if isinstance(event, LinkLost)] == ["node yard is offline"]
            assert driver.halted
            assert not simulation.world.powered
            await driver.open()
            await asyncio.sleep(5)
            notes = [event.text for event in events if isinstance(event, StationNote)]
            assert sum("keeps the command" in note for note in notes) == 3
            assert not simulation.truth().moving
            assert not simulation.world.powered
            await driver.close()

    run_virtual(main())


# ---------------------------------------------------------------- what hangs on nodes


def turned(fault: str) -> list[tuple[float, str]]:
    """What a node says of T1, which is closed, after it was told to throw it at 5 s."""
    found: list[tuple[float, str]] = []

    async def scene(host: Host) -> None:
        await host.come()
        await host.until(5.0)
        host.say(T1, "THROWN")
        await host.until(15.0)
        found.extend((round(t_s, 2), payload) for t_s, payload in host.of(T1_STATE))

    hosted(scene, *([fault] if fault else []))
    return found


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("", [(5.0, "INCONSISTENT"), (5.99, "THROWN")]),
        ("turnout-stuck:T1@4", [(5.0, "INCONSISTENT"), (5.99, "CLOSED")]),
        ("turnout-slow:T1@4=3", [(5.0, "INCONSISTENT"), (8.99, "THROWN")]),
        ("turnout-reversed:T1@4", [(5.0, "INCONSISTENT"), (5.99, "CLOSED")]),
    ],
)
def test_a_node_tells_how_points_really_lie(fault: str, says: list[tuple[float, str]]) -> None:
    assert turned(fault) == says


def passed(*faults: str) -> Host:
    """The locomotive runs over the beam ``head`` from 5 s on, and is told to stop at 9 s."""
    made: list[Host] = []

    async def scene(host: Host) -> None:
        made.append(host)
        await host.come()
        await host.until(5.0)
        host.say(POWER, "ON")
        host.say("cab/3/direction", "FORWARD")
        host.say("cab/3/throttle", "20")
        await host.until(9.0)
        host.say("cab/3/throttle", "0")
        await host.until(11.0)

    hosted(scene, *faults)
    return made[0]


def beam(host: Host, name: str = "track/sensor/head") -> list[tuple[float, str]]:
    return host.of(name)


def test_beams_of_a_node_are_dead_stuck_late_or_chatter() -> None:
    plain = beam(passed())
    assert [payload for _, payload in plain][:1] == ["ACTIVE"]
    assert beam(passed("beam-dead:head@4")) in ([], [(pytest.approx(4.015, abs=0.01), "INACTIVE")])
    stuck = beam(passed("beam-stuck:head@4"))
    assert [(t_s, payload) for t_s, payload in stuck] == [(pytest.approx(4.015, abs=0.01), "ACTIVE")]
    late = beam(passed("beam-late:head@4=0.5"))
    assert late[0] == (pytest.approx(plain[0][0] + 0.5, abs=0.02), "ACTIVE")
    assert len([t_s for t_s, _ in beam(passed("beam-chatters:head@1=1")) if t_s < 2.1]) >= 6


def test_locomotives_of_a_node_stall_run_away_or_do_not_hear() -> None:
    assert not passed().simulation.truth().moving
    assert passed("runaway:L@6").simulation.truth().moving == ("L",)
    assert passed("dirty-track:L@4.5=20").simulation.truth().moving == ()
    assert not beam(passed("dirty-track:L@4.5=20"))
    stalls = beam(passed("locomotive-stalls:L@5.5=1"))[0][0]
    assert stalls == pytest.approx(beam(passed())[0][0] + 1.0, abs=0.3)


@pytest.mark.parametrize(
    ("kind", "targets"), [("broker-restart", Memory), ("messages-late", Way), ("messages-retained", Left)]
)
def test_without_a_target_the_seed_chooses(kind: str, targets: type[StrEnum]) -> None:
    found: list[str] = []

    async def scene(host: Host) -> None:
        await host.until(2.0)
        found.extend(struck.target for struck in host.struck)

    for seed in [*range(12), 0]:
        hosted(scene, f"{kind}@1", seed=seed)
    assert found[0] == found[-1]
    assert 1 < len(set(found)) <= len(targets)
    assert set(found) <= set(targets)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("fault", ["broker-restart", "messages-late:to-host", "messages-retained"])
def test_a_layout_without_a_broker_has_none_of_its_faults(fault: str) -> None:
    wiring = load_wiring(find_wiring(find_layout("inglenook-small")), TRACK)

    async def main() -> None:
        with pytest.raises(UsageError, match="fault of a broker") as raised:
            Simulation(TRACK, wiring, SETUP, faults=[parse_fault(fault)])
        assert "MQTT station" in raised.value.cure

    run_virtual(main())


@pytest.mark.parametrize(
    "fault", ["lost-bytes", "silent", "port-vanishes", "station-reset", "short-circuit", "full-buffer"]
)
def test_nodes_alone_have_no_board_and_no_line(fault: str) -> None:
    async def main() -> None:
        with pytest.raises(UsageError, match=fault):
            Simulation(TRACK, WIRING, SETUP, faults=[parse_fault(fault)])

    run_virtual(main())


def test_a_station_beside_the_nodes_has() -> None:
    async def scene(host: Host) -> None:
        await host.until(2.0)
        assert [struck.text for struck in host.struck] == ["nothing comes, then everything at once, to-station"]

    hosted(scene, "bytes-held:to-station@1", hardware="mixed")


@pytest.mark.parametrize(
    ("fault", "what", "cure"),
    [
        ("broker-restart:gone", "a program of its own", "restart it yourself"),
        ("broker-restart:old@3=1", "a program of its own", "broker-restart:kept"),
        ("messages-held:to-host", "does not come past here", "to-nodes"),
    ],
)
def test_what_cannot_be_done_to_a_real_broker_is_refused(fault: str, what: str, cure: str) -> None:
    with pytest.raises(UsageError, match=what) as raised:
        check_at_broker(parse_fault(fault))
    assert cure in raised.value.cure


def test_what_can_be_done_to_it_is_not() -> None:
    for fault in ("broker-restart", "broker-restart:kept@3=1", "messages-late", "messages-held:to-nodes", "beam-dead"):
        check_at_broker(parse_fault(fault))
