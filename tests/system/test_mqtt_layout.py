"""Driver, mosquitto and the simulated layout's node, in real time: what dies, and what then stops the train."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import aiomqtt
import pytest
from mosquitto import Mosquitto, cable, mosquitto, needs_mosquitto
from mqtt_bench import START, TRACK, WIRING

from pointsman.drivers.mqtt import MqttDriver
from pointsman.drivers.mqtt.link import Link
from pointsman.errors import PortError, StationError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    Event,
    LinkLost,
    LinkUp,
    PowerReported,
    Rejected,
    SensorChanged,
    SetPower,
    SetTurnout,
    StationNote,
    TurnoutReported,
)
from pointsman.transports.mqtt import Broker, BrokerLink
from pointsman.transports.mqtt_base import Delivery
from railsim.embed import Simulation
from railsim.faults import parse_fault
from railsim.mqtt_serve import BrokerAddress, NodesAtBroker
from railsim.setup import Setup

pytestmark = [pytest.mark.system, needs_mosquitto]


SLOW = 3
"""A step at which the buffers are six seconds away."""


class Layout:
    """The simulated layout at a broker, a driver, and a witness that hears everything."""

    def __init__(self, port: int, node_port: int, driver_port: int) -> None:
        self.events: list[Event] = []
        self.heard: list[Delivery] = []
        self._changed = asyncio.Event()
        self.simulation = Simulation(TRACK, WIRING, Setup.parse(START), seed=1, on_event=lambda _: self._wake())
        self.nodes = NodesAtBroker(self.simulation.nodes(), BrokerAddress("127.0.0.1", node_port), lambda _: None)
        self.driver = MqttDriver(BrokerLink(Broker("127.0.0.1", driver_port)), WIRING, emit=self._receive)
        self.witness = BrokerLink(Broker("127.0.0.1", port))
        self.witness.listen(self._overhear, lambda _: self._wake())
        self._numbers = 0

    async def driving(self) -> None:
        """The locomotive runs."""
        await self.driver.open()
        await self.accepted(SetPower(True))
        await self.accepted(Drive("L", False, SLOW))
        await self.until(lambda: self.speed_mm_s > 10)

    async def accepted(self, command: Command) -> None:
        self._numbers += 1
        number = self._numbers
        self.driver.send(command, number)
        await self.until(lambda: any(isinstance(e, Accepted) and e.number == number for e in self.events))

    async def until(self, true: Callable[[], bool], within_s: float = 10.0) -> None:
        """Wait until it is true, looking again at every event and, for what moves, every 10 ms."""
        async with asyncio.timeout(within_s):
            while not true():
                self._changed.clear()
                waking = asyncio.get_running_loop().call_later(0.01, self._wake)
                await self._changed.wait()
                waking.cancel()

    @property
    def speed_mm_s(self) -> float:
        self.simulation.truth()
        return self.simulation.world.speed_mm_s("L")

    @property
    def dead(self) -> bool:
        return self.speed_mm_s == 0 and not self.simulation.world.powered

    def lost(self) -> list[str]:
        return [event.why for event in self.events if isinstance(event, LinkLost)]

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        self._wake()

    def _overhear(self, delivery: Delivery) -> None:
        self.heard.append(delivery)
        self._wake()

    def _wake(self) -> None:
        self._changed.set()


@asynccontextmanager
async def layout(broker: Mosquitto, *, node_port: int = 0, driver_port: int = 0) -> AsyncIterator[Layout]:
    """A layout that is ended when the block is left."""
    made = Layout(broker.port, node_port or broker.port, driver_port or broker.port)
    await made.witness.open(None)
    await made.witness.subscribe(["#"])
    made.nodes.start()
    await made.nodes.found.wait()
    try:
        yield made
        assert made.simulation.incidents == []
    finally:
        await made.driver.close()
        await made.witness.close()
        await made.nodes.close()
        await made.simulation.close()


CONTROLLER = """
import asyncio, sys
from pathlib import Path
from pointsman.drivers.mqtt import MqttDriver
from pointsman.messages import Accepted, Drive, SetPower
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.mqtt import Broker, BrokerLink

async def main(port):
    accepted = asyncio.Queue()
    folder = find_layout("inglenook-small")
    wiring = load_wiring(find_wiring(folder, "mqtt"), load_layout(folder))
    take = lambda event: accepted.put_nowait(event) if isinstance(event, Accepted) else None
    driver = MqttDriver(BrokerLink(Broker("127.0.0.1", port)), wiring, emit=take)
    await driver.open()
    for number, command in enumerate((SetPower(True), Drive("L", False, 3))):
        driver.send(command, number)
        await accepted.get()
    print("driving", flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)

asyncio.run(main(int(sys.argv[1])))
"""


@pytest.mark.parametrize(("number", "within_s"), [(signal.SIGKILL, 1.0), (signal.SIGSTOP, 12.0)])
async def test_the_last_will_of_a_program_that_dies_or_freezes_stops_the_train(
    tmp_path: Path, number: signal.Signals, within_s: float
) -> None:
    with mosquitto(tmp_path) as broker:
        async with layout(broker) as made:
            program = await asyncio.create_subprocess_exec(
                sys.executable, "-c", CONTROLLER, str(broker.port), stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
            assert program.stdout is not None
            try:
                async with asyncio.timeout(20):
                    assert await program.stdout.readline() == b"driving\n"
                await made.until(lambda: made.speed_mm_s > 10)
                made.heard.clear()
                os.kill(program.pid, number)
                await made.until(lambda: made.dead, within_s)
                commands = [(d.topic, d.payload) for d in made.heard if d.topic in ("track/power", "cab/3/throttle")]
                assert commands == [("track/power", b"OFF")]
            finally:
                with suppress(ProcessLookupError):  # that was the test
                    program.kill()
                await program.wait()


async def test_a_broker_that_restarts_stops_the_train_and_moves_nothing_when_it_is_back(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        async with layout(broker) as made:
            await made.driving()
            broker.stop(kill=True)
            await made.until(lambda: made.dead and bool(made.lost()))
            with pytest.raises(PortError):
                await made.driver.open()
            made.driver.send(Drive("L", True, 30), 90)
            broker.start()
            await made.driver.open()
            assert made.driver.halted
            made.driver.send(Drive("L", True, 30), 91)
            await made.until(lambda: any(isinstance(e, Rejected) and e.number == 91 for e in made.events))
            assert any(isinstance(e, Rejected) and e.number == 90 for e in made.events)
            assert made.dead
            made.driver.release()
            await made.accepted(SetPower(True))
            await made.accepted(Drive("L", False, SLOW))
            await made.until(lambda: made.speed_mm_s > 10)


async def test_a_cable_that_is_cut_lets_the_last_will_stop_the_train(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, cable(broker.port) as wire:
        async with layout(broker, driver_port=wire.port) as made:
            await made.driving()
            made.heard.clear()
            wire.cut()
            await made.until(lambda: made.dead and bool(made.lost()), 3.0)
            assert [d.payload for d in made.heard if d.topic == "track/power"] == [b"OFF"]
            made.driver.send(Drive("L", False, 30), 90)
            await made.driver.open()
            await made.until(lambda: any(isinstance(e, Rejected) and e.number == 90 for e in made.events))
            assert not [d for d in made.heard if d.topic == "cab/3/throttle" and d.payload != b"0"]


async def test_a_cable_that_swallows_everything_is_a_lost_link_and_the_train_stops(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, cable(broker.port) as wire:
        async with layout(broker, driver_port=wire.port) as made:
            await made.driving()
            made.heard.clear()
            wire.dead = True
            made.driver.send(Drive("L", False, 60), 90)
            await made.until(lambda: bool(made.lost()), 3.0)
            assert made.driver.link in (Link.SILENT, Link.CLOSED)
            # The broker gives us up after one and a half times our keep-alive, and publishes the will.
            await made.until(lambda: made.dead, 8.0)
            assert not [d for d in made.heard if d.topic == "cab/3/throttle" and d.payload != b"0"]
            wire.dead = False


async def test_a_node_that_is_cut_off_stops_its_train_and_the_host_is_told(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker, cable(broker.port) as wire:
        async with layout(broker, node_port=wire.port) as made:
            await made.driving()
            wire.cut()
            await made.until(lambda: made.dead and bool(made.lost()), 5.0)
            assert made.lost() == ["node yard is offline"]
            assert made.driver.halted


async def test_retained_commands_move_nothing_at_a_real_broker(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        async with aiomqtt.Client("127.0.0.1", broker.port) as other:
            for topic, payload in (
                ("track/power", "ON"),
                ("cab/3/direction", "FORWARD"),
                ("cab/3/throttle", "90"),
                ("track/turnout/T1", "THROWN"),
                ("track/light/s1", "ON"),
            ):
                await other.publish(topic, payload, qos=2, retain=True)
        async with layout(broker) as made:
            lies = dict(made.simulation.truth().lie)
            await made.driver.open()
            await made.until(lambda: any(isinstance(e, LinkUp) for e in made.events))
            assert sum("keeps the command" in note for note in _notes(made)) == 5
            assert made.dead
            assert made.simulation.truth().lie == lies
            assert [e.on for e in made.events if isinstance(e, PowerReported)] == [False]
            assert len({e.sensor for e in made.events if isinstance(e, SensorChanged)}) == len(WIRING.beams)


def _notes(made: Layout) -> list[str]:
    return [event.text for event in made.events if isinstance(event, StationNote)]


async def test_an_access_list_that_forbids_a_command_is_noticed(tmp_path: Path) -> None:
    rules = ["topic readwrite cab/#", "topic readwrite pointsman/#", "topic read track/turnout/T2"]
    rules += [f"topic readwrite track/{what}" for what in ("power/#", "light/#", "sensor/#", "node/#", "turnout/T1/#")]
    (tmp_path / "acl").write_text("\n".join([*rules, "topic readwrite track/turnout/+/state", ""]))
    with mosquitto(tmp_path, f"acl_file {tmp_path / 'acl'}") as broker:
        async with layout(broker) as made:
            await made.driver.open()
            await made.accepted(SetTurnout("T1", True))
            made.driver.send(SetTurnout("T2", True), 90)
            await made.until(lambda: any(isinstance(e, Rejected) for e in made.events))
            (rejected,) = [e for e in made.events if isinstance(e, Rejected)]
            assert "does not pass on track/turnout/T2: look at its access list" in rejected.why


async def test_an_access_list_that_forbids_the_throttle_is_noticed_before_anything_moves(tmp_path: Path) -> None:
    (tmp_path / "acl").write_text("topic readwrite track/#\ntopic readwrite pointsman/#\ntopic read cab/#\n")
    with mosquitto(tmp_path, f"acl_file {tmp_path / 'acl'}") as broker:
        async with layout(broker) as made:
            with pytest.raises(StationError, match="does not pass on cab/3/direction, cab/3/throttle"):
                await made.driver.open()


# ---------------------------------------------------------------- faults, at a real broker


def struck(made: Layout) -> list[str]:
    return [found.text for found in made.simulation.struck]


@pytest.mark.parametrize("left", ["power", "speed", "turnouts", "magnets"])
async def test_a_node_that_comes_anew_to_commands_that_were_left_moves_nothing_and_they_are_deleted(
    tmp_path: Path, left: str
) -> None:
    with mosquitto(tmp_path) as broker:
        async with layout(broker) as made:
            await made.driving()
            lies = dict(made.simulation.truth().lie)
            made.heard.clear()
            made.simulation.plan([parse_fault(f"messages-retained:{left}")])
            await made.until(lambda: made.dead and bool(made.lost()), 5.0)
            assert made.lost() == ["node yard is offline"]
            await made.until(lambda: ("track/node/yard", b"online") in [(d.topic, d.payload) for d in made.heard])
            commands = {d.topic for d in made.heard if d.payload in (b"ON", b"THROWN", b"CLOSED", b"FORWARD", b"40")}
            await made.driver.open()
            notes = _notes(made)
            assert sum("keeps the command" in note for note in notes) >= 1
            assert made.dead
            assert made.simulation.truth().lie == lies
        async with aiomqtt.Client("127.0.0.1", broker.port) as other:
            await other.subscribe([("track/#", 1), ("cab/#", 1), ("end", 1)])
            await other.publish("end", b"", qos=1)
            kept = set()
            async for message in other.messages:
                if str(message.topic) == "end":
                    break
                kept.add(str(message.topic))
        assert commands
        assert not kept & {topic for topic in commands if not topic.endswith("/state")}


async def test_a_broker_that_restarts_as_its_nodes_see_it(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        async with layout(broker) as made:
            await made.driving()
            made.simulation.plan([parse_fault("broker-restart=1")])
            await made.until(lambda: made.dead and bool(made.lost()), 5.0)
            assert struck(made) == ["the broker is gone, and comes back; then the nodes find it: kept"]
            await made.driver.open()
            assert made.driver.halted
            made.driver.release()
            await made.accepted(SetPower(True))


async def test_messages_come_twice_and_late_at_a_node(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        async with layout(broker) as made:
            await made.driver.open()
            made.heard.clear()
            made.simulation.plan(
                [parse_fault("messages-doubled:from-nodes=50"), parse_fault("messages-held:to-nodes=0.5")]
            )
            began = made.simulation.struck[-1].t_s
            await made.accepted(SetTurnout("T1", True))
            assert made.simulation.truth().t_s - began >= 0.5
            said = ("track/turnout/T1/state", b"THROWN")
            await made.until(lambda: [(d.topic, d.payload) for d in made.heard].count(said) == 2)


async def test_points_behind_a_node_stick(tmp_path: Path) -> None:
    with mosquitto(tmp_path) as broker:
        async with layout(broker) as made:
            made.simulation.plan([parse_fault("turnout-stuck:T1")])
            await made.driver.open()
            lie = made.simulation.truth().lie["T1"]
            made.driver.send(SetTurnout("T1", lie == "closed"), 90)
            await made.until(lambda: any(isinstance(e, TurnoutReported) and e.turnout == "T1" for e in made.events))
            assert made.simulation.truth().lie["T1"] == lie
