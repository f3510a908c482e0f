"""Listening to nodes at a broker and to JMRI: everything is heard, and nobody is told anything."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from mqtt_bench import START, TRACK, WIRING, Bench

from pointsman.drivers.hearing import Seen
from pointsman.drivers.jmri.hearing import JmriEar
from pointsman.drivers.mqtt.hearing import MqttEar
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols.jmri_json import Bean, Hello, Message, Method, Ping, Power, read, write
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from pointsman.transports.mqtt_memory import MemoryLink
from railsim.clock import run_virtual

JMRI = load_wiring(find_wiring(find_layout("inglenook-small"), "jmri"), TRACK)
NAMES = {"LT1": 2, "LT2": 4, "LS1": 4, "LS2": 2, "LS3": 4, "LS4": 4, "LL11": 4, "LL12": 4, "LL13": 4}


def at_broker(act: Callable[[Bench, MqttEar, list[Seen]], Awaitable[None]]) -> None:
    async def main() -> None:
        bench = Bench(WIRING, START)
        bench.node.connect()
        await asyncio.sleep(0.01)
        bench.heard.clear()
        seen: list[Seen] = []
        ear = MqttEar(MemoryLink(bench.broker), WIRING, seen.append, "yard")
        try:
            await act(bench, ear, seen)
        finally:
            await ear.close()
            await bench.simulation.close()

    run_virtual(main())


def test_what_nodes_have_said_and_say_is_heard_and_nothing_is_published() -> None:
    async def act(bench: Bench, ear: MqttEar, seen: list[Seen]) -> None:
        await ear.open()
        told = {one.what: one for one in ear.told()}
        assert told["node yard"].state == "online"
        assert [told[f"beam {name}"].state for name in ("head", "s1")] == [
            "BROKEN" if bench.simulation.world.beam_broken(name) else "free" for name in ("head", "s1")
        ]
        assert not [one for one in told.values() if one.wrong]
        assert bench.heard == []
        bench.broker.publish("track/turnout/T1", b"THROWN")
        bench.broker.publish("track/sensor/s1", b"ACTIVE", retain=True)
        bench.broker.publish("track/light/s2/state", b"ON", retain=True)
        await ear.keep(5.0)
        texts = [one.text for one in seen]
        assert "commanded by somebody: turnout T1 was thrown" in texts
        assert "beam s1: BROKEN" in texts
        assert "turnout T1: thrown" in texts
        assert [one.broken for one in seen if one.beam == "s1"] == [True]
        assert [one.wrong for one in ear.told() if one.wrong] == ["magnet s2 is on: a coil burns so"]
        ours = [topic for _, topic, _ in bench.heard if "fence" in topic or topic in ("track/power", "cab/3/throttle")]
        assert ours == []

    at_broker(act)


def test_a_node_that_is_not_there_and_a_beam_that_nobody_knows_are_wrong() -> None:
    async def act(bench: Bench, ear: MqttEar, seen: list[Seen]) -> None:
        bench.broker.publish("track/sensor/s1", b"", retain=True)
        bench.broker.publish("track/light/s2", b"ON", retain=True)
        bench.node.lose()
        await ear.open()
        wrong = [one.wrong for one in ear.told() if one.wrong]
        assert wrong == ["node yard is offline", "no state is known of beam s1"]
        assert ear.notes == ["the broker keeps the command track/light/s2 for every node that starts"]
        keeping = asyncio.ensure_future(ear.keep(None))
        await asyncio.sleep(0.1)
        bench.broker.stop()
        with pytest.raises(LinkLostError):
            await keeping

    at_broker(act)


class Panel:
    """JMRI's end of a link in memory, with what it knows by name."""

    def __init__(self, states: dict[str, int], version: str = "5.4") -> None:
        self.host, self.far = memory_pair("jmri")
        self.states = states
        self.version = version
        self.said: list[Message] = []

    async def open(self) -> None:
        await self.far.open()
        self.far.listen(self._hear, lambda _: None)
        asyncio.get_running_loop().call_later(0.1, self.say, Hello("5.9", self.version, "club"))

    def say(self, message: Message) -> None:
        self.far.write(write(message).encode())

    def _hear(self, data: bytes) -> None:
        for message in read(data):
            self.said.append(message)
            match message:
                case Power():
                    self.say(Power(4, "LocoNet", True))
                case Bean(kind, name, _, _, number) if name in self.states:
                    self.say(Bean(kind, name, self.states[name], Method.GET, number))
                case Bean(id=number):
                    self.far.write(b'{"type":"error","data":{"code":404,"message":"no"},"id":%d}' % number)


def behind_jmri(panel: Panel, act: Callable[[JmriEar, list[Seen]], Awaitable[None]]) -> None:
    async def main() -> None:
        seen: list[Seen] = []
        await panel.open()
        ear = JmriEar(panel.host, JMRI, seen.append, None)
        try:
            await act(ear, seen)
        finally:
            await ear.close()
            await panel.far.close()

    run_virtual(main())


def test_jmri_is_asked_for_everything_and_nothing_is_set() -> None:
    panel = Panel(NAMES)

    async def act(ear: JmriEar, seen: list[Seen]) -> None:
        await ear.open()
        assert ear.greeting == "JMRI 5.9, club"
        told = {one.what: (one.where, one.state) for one in ear.told()}
        assert told["turnout T1"] == ("LT1", "closed")
        assert told["turnout T2"] == ("LT2", "thrown")
        assert told["beam s1"] == ("LS2", "BROKEN")
        assert told["magnet s1"] == ("LL11", "off")
        assert not [one for one in ear.told() if one.wrong]
        kind = next(m.type for m in panel.said if isinstance(m, Bean) and m.name == "LS1")
        asyncio.get_running_loop().call_later(1.0, panel.say, Bean(kind, "LS1", 2))
        await ear.keep(20.0)
        assert [(one.text, one.beam, one.broken) for one in seen] == [("beam head: BROKEN", "head", True)]

    behind_jmri(panel, act)
    assert panel.said.count(Ping()) >= 4, "JMRI hangs up on who is silent"
    for message in panel.said:
        assert isinstance(message, Bean | Power | Ping)
        if not isinstance(message, Ping):
            assert (message.method, message.state) == (Method.GET, None)


def test_what_jmri_lacks_or_does_not_know_is_wrong() -> None:
    panel = Panel({**{name: state for name, state in NAMES.items() if name != "LT2"}, "LS3": 0, "LL12": 2})

    async def act(ear: JmriEar, seen: list[Seen]) -> None:
        await ear.open()
        assert [one.wrong for one in ear.told() if one.wrong] == [
            "JMRI does not know LT2 (turnout T2)",
            "JMRI does not know how beam s2 is",
            "magnet s2 is on: a coil burns so",
        ]
        assert all(one.cure for one in ear.told() if one.wrong)
        keeping = asyncio.ensure_future(ear.keep(None))
        await asyncio.sleep(0.1)
        panel.far.write(b'{"type":"goodbye"}')
        with pytest.raises(LinkLostError, match="being closed"):
            await keeping

    behind_jmri(panel, act)


def test_what_is_no_jmri_is_said_to_be_none() -> None:
    async def act(ear: JmriEar, seen: list[Seen]) -> None:
        with pytest.raises(StationError, match="speaks version 4"):
            await ear.open()

    behind_jmri(Panel(NAMES, version="4.0"), act)
