"""A person's tools for a node, against the simulated node, in virtual time: hello, monitor, set-up, the watchdog."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from node_on_line import NodeOnLine

from pointsman.drivers.node.talk import GREETED_WITHIN_S, Talk
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols.node import Asked, NodeReader, crc, write_answer, write_command, write_refusal
from pointsman.protocols.node_constants import Refusal, Setting, Verb
from pointsman.protocols.node_messages import Arm, Beat, Hello
from pointsman.transports.memory import MemoryTransport, memory_pair
from pointsman.workbench.monitoring import monitor
from pointsman.workbench.setting_up import SettingUp
from railsim.clock import run_virtual

Scene = Callable[[MemoryTransport, NodeOnLine], Awaitable[Any]]


def played(scene: Scene, **node: Any) -> Any:
    """A scene with a node at the far end of its link."""

    async def run() -> Any:
        host, far = memory_pair("port")
        there = NodeOnLine(far, **node)
        await there.begin()
        try:
            return await scene(host, there)
        finally:
            there.end()

    return run_virtual(run())


class Person:
    """Types lines, reads what is shown, and answers questions with yes or no."""

    def __init__(self, host: MemoryTransport, answers: bool = True) -> None:
        self.shown: list[str] = []
        self.asked: list[str] = []
        self.answers = answers
        self.session = SettingUp(host, self.shown.append, self._agrees)

    async def _agrees(self, question: str) -> bool:
        self.asked.append(question)
        return self.answers

    async def comes(self) -> None:
        """Opens the port; the node has told all of its start."""
        await self.session.open()
        await asyncio.sleep(1.0)

    async def types(self, line: str) -> list[str]:
        """What is shown until all has come to rest."""
        self.shown.clear()
        await self.session.obey(line)
        await asyncio.sleep(1.0)
        return list(self.shown)


# ---------------------------------------------------------------- hello


def test_a_node_that_runs_already_is_greeted_and_says_what_it_is() -> None:
    async def scene(host: MemoryTransport, _: NodeOnLine) -> str:
        await asyncio.sleep(5.0)
        shown: list[str] = []
        await monitor(host, shown.append, 0.2)
        return shown[0]

    told = played(scene)
    assert "Arduino Uno or Nano, firmware 0.1.0" in told
    assert "2 turnouts, 4 beams, 3 magnets" in told
    assert "the supply came on" in told


def test_a_board_that_starts_when_the_port_is_opened_is_waited_for_in_silence() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> int:
        there.reset()
        talk = Talk(host, lambda _: None)
        opening = asyncio.create_task(talk.open())
        await asyncio.sleep(1.4)
        before = len(there.heard)
        assert (await opening).turnouts == 2
        await talk.close()
        return before

    assert played(scene) == 0, "what comes while a bootloader runs may keep it running"


def test_a_line_that_comes_garbled_is_told_again() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        there.spoils = 2
        talk = Talk(host, lambda _: None)
        await talk.open()
        there.spoils = 1
        assert (await talk.ask(Beat())).number == 2
        await talk.close()

    played(scene)


def test_a_number_that_another_host_used_is_no_bar() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        talk = Talk(host, lambda _: None)
        await talk.open()
        there.node.receive("usb", write_command(2, Hello()), 10.0)
        await asyncio.sleep(10.0)
        assert (await talk.ask(Beat())).number == 3
        await talk.close()

    played(scene)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"", "nobody answered"),
        (b"<iDCC-EX V-5.6.0>\n", "no node: it says b'<iDCC-EX"),
        (b"1 ok*%04X\n" % crc(b"1 ok"), "no node: it says b'1 ok"),
        (write_refusal(1, Refusal.VERSION, [2]), "speaks version 2"),
        (write_answer(1, Verb.HELLO, [2, "9", "uno", "power", 1, 1, 1, 1, 1]), "speaks version 2"),
    ],
)
def test_what_is_no_fitting_node_is_said_plainly(said: bytes, told: str) -> None:
    async def main() -> float:
        host, far = memory_pair("port")
        far.listen(lambda _: far.write(said) if said else None, lambda _: None)
        await far.open()
        with pytest.raises(StationError, match=told) as error:
            await Talk(host, lambda _: None).open()
        assert "pointsman node flash" in error.value.cure
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) < GREETED_WITHIN_S + 5.0


def test_who_answers_at_once_and_says_nothing_is_not_asked_without_a_pause() -> None:
    async def main() -> int:
        host, far = memory_pair("port")
        reader, hellos = NodeReader(), list[int]()

        def answer(data: bytes) -> None:
            for said in reader.feed(data):
                assert isinstance(said, Asked)
                hellos.append(said.number)
                body = b"%d ok" % said.number
                far.write(b"%s*%04X\n" % (body, crc(body)))

        far.listen(answer, lambda _: None)
        await far.open()
        with pytest.raises(StationError, match="no node"):
            await Talk(host, lambda _: None).open()
        return len(hellos)

    assert 1 < run_virtual(main()) < 30


# ---------------------------------------------------------------- monitor


def test_the_monitor_tells_everything_that_happens_in_words() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> list[str]:
        shown: list[str] = []
        watching = asyncio.create_task(monitor(host, shown.append, 20.0))
        await asyncio.sleep(5.0)
        there.pin(2, True)
        await asyncio.sleep(0.2)
        there.say(b"@1 be\x00\n")
        there.reset()
        await asyncio.sleep(3.0)
        shown.append("now it hangs")
        there.node.hold_up(asyncio.get_running_loop().time() + 3.0)
        await watching
        return shown

    shown = played(scene)
    everything = shown.index("that is its whole state")
    assert "everything is kept stopped: it has started" in shown[:everything]
    assert "turnout 1: nobody has set them yet" in shown[:everything]
    assert "beam 2: free" in shown[:everything]
    assert shown[everything + 1] == "beam 2: something is in it"
    assert any(line.startswith("garbled") for line in shown)
    assert "it has started anew: the reset button, or the port was opened" in shown
    hung = shown[shown.index("now it hangs") :]
    assert any(line.startswith("silent for 1.5 s") for line in hung)
    assert "it speaks again" in hung
    assert "everything is kept stopped: its program hung for a while" in hung
    assert not any("lost" in line for line in shown)


def test_the_monitor_commands_nothing() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> list[bytes]:
        await monitor(host, lambda _: None, 10.0)
        return there.heard

    words = [data.split(b" ")[1].split(b"*")[0] for data in played(scene)]
    assert words == [b"hello", b"state"]


def test_a_link_that_is_lost_ends_the_monitor() -> None:
    async def scene(host: MemoryTransport, _: NodeOnLine) -> None:
        asyncio.get_running_loop().call_later(6.0, host.plug, False)
        with pytest.raises(LinkLostError, match="gone"):
            await monitor(host, lambda _: None, 0.0)

    played(scene)


# ---------------------------------------------------------------- set-up


def test_an_end_of_a_servo_is_set_and_shown_at_once_and_kept_when_stored() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        assert any("the node refuses: nothing is fitted there" in line for line in await person.types("closed 1 1400"))
        assert there.hands.moved == []
        await person.types("machine 1 servo")
        assert "turnout 1: closed" in await person.types("closed 1 1400")
        assert there.hands.moved == [(1, False, 0.5)]
        assert "closed_us of turnout 1: 1390" in await person.types("closed 1 -10")
        assert "turnout 1: thrown" in await person.types("thrown 1 1700")
        assert "turnout 1: closed" in await person.types("turnout 1 closed")
        await person.types("set beam_on_ms 9")
        assert person.session.unsaved
        assert "stored" in await person.types("store")
        assert not person.session.unsaved
        stored = there.memory.stored
        assert stored is not None
        assert (stored[Setting.CLOSED_US, 1], stored[Setting.THROWN_US, 1], stored[Setting.BEAM_ON_MS, 0]) == (
            1390,
            1700,
            9,
        )
        shown = await person.types("show")
        assert "machine of each turnout: servo none   (none | servo | solenoid)" in shown
        assert "closed_us of each turnout: 1390 1500   (500 to 2500, usually 1500)" in shown
        assert not there.hands.closed, "the track stays without power"
        await person.session.close()

    played(scene)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("closed 1 499", "cannot be 499"),
        ("closed 1 x", "cannot be x"),
        ("closed 0 1500", "no number"),
        ("closed 3 1500", "nothing is fitted there"),
        ("machine 1 rocket", "none, servo, solenoid"),
        ("set machine 1 7", "cannot be 7"),
        ("set colour 1", "there is no setting"),
        ("set magnet_ms 600", "set the longer rest first"),
        ("set closed_us 1400", "set closed_us N 1400"),
        ("set beam_on_ms 1 5", "of the whole node"),
        ("set watchdog 1", "the command watchdog tries it"),
        ("dance", "is not understood"),
        ("turnout 1 closed", "nothing is fitted there"),
        ("help", "try whether the board comes back"),
    ],
)
def test_what_cannot_be_is_answered_and_the_session_goes_on(line: str, told: str) -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        assert told in "\n".join(await person.types(line))
        assert await person.session.obey("")
        assert there.hands.moved == []
        await person.session.close()

    played(scene)


def test_a_solenoid_is_not_tried_without_an_armed_node() -> None:
    async def scene(host: MemoryTransport, _: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        await person.types("machine 2 solenoid")
        assert "has a solenoid" in "\n".join(await person.types("turnout 2 thrown"))
        await person.session.close()

    played(scene)


def test_the_end_asks_when_something_is_not_stored() -> None:
    async def scene(host: MemoryTransport, _: NodeOnLine) -> None:
        person = Person(host, answers=False)
        await person.comes()
        assert not await person.session.obey("quit")
        assert person.asked == []
        await person.types("machine 1 servo")
        assert await person.session.obey("quit")
        person.answers = True
        assert not await person.session.obey("quit")
        await person.session.close()

    played(scene)


def test_the_defaults_throw_nothing_away_unasked_and_say_what_they_are() -> None:
    async def scene(host: MemoryTransport, _: NodeOnLine) -> None:
        person = Person(host, answers=False)
        await person.comes()
        assert await person.types("machine 1 servo") == ["machine of turnout 1: servo"]
        assert await person.types("set beam_on_ms 9") == ["beam_on_ms: 9"]
        assert await person.types("defaults") == []
        assert "machine of each turnout: servo none" in "\n".join(await person.types("show"))
        person.answers = True
        shown = "\n".join(await person.types("defaults"))
        assert "each servo's ends are lost" in person.asked[-1]
        assert "everything is at its safe defaults" in shown
        assert "could not be read" not in shown
        assert "machine of each turnout: none none" in "\n".join(await person.types("show"))
        await person.session.close()

    played(scene)


def test_a_node_that_starts_anew_in_between_is_greeted_anew() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        await person.types("machine 1 servo")
        there.reset()
        await asyncio.sleep(3.0)
        shown = await person.types("machine 1 servo")
        assert "it is greeted anew; what was not stored is gone" in shown
        assert "turnout 1: closed" in await person.types("closed 1 1400")
        await person.session.close()

    played(scene)


async def arms(there: NodeOnLine) -> None:
    """Another host greets the node, its heart beats, and it arms it."""
    for number, command in enumerate((Hello(), Beat(), Arm()), start=500):
        there.hear(write_command(number, command))
        await asyncio.sleep(0.02)
    assert there.hands.closed


def test_a_node_that_another_host_has_armed_is_not_set_up() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        await asyncio.sleep(3.0)
        await arms(there)
        person = Person(host)
        there.heard.clear()
        with pytest.raises(StationError, match="another program has armed the node"):
            await person.session.open()
        await person.session.close()
        assert [data.split(b" ")[1].split(b"*")[0] for data in there.heard] == [b"hello", b"state"]

    played(scene)


def test_nothing_moves_when_another_host_arms_the_node_meanwhile() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        await person.types("machine 1 servo")
        await arms(there)
        await asyncio.sleep(0.1)
        for line in ("turnout 1 thrown", "thrown 1 1700", "set beam_on_ms 9", "defaults", "store"):
            assert "another program has armed the node meanwhile" in "\n".join(await person.types(line))
            await arms(there)
            await asyncio.sleep(0.1)
        assert there.hands.moved == []
        await person.session.close()

    played(scene)


def test_what_is_not_stored_is_told_at_the_end_of_the_session() -> None:
    async def scene(host: MemoryTransport, _: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        await person.types("set beam_on_ms 9")
        await person.types("machine 2 servo")
        await person.session.close()
        assert person.shown[-1] == "not stored, and gone when the node starts anew: beam_on_ms, machine of turnout 2"

    played(scene)


# ---------------------------------------------------------------- the watchdog


def test_the_watchdog_stores_nothing_that_nobody_has_stored() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        await person.types("set beam_on_ms 9")
        shown = "\n".join(await person.types("watchdog"))
        assert "these are not stored: beam_on_ms" in shown
        assert person.asked == []
        assert there.memory.stored is None
        await person.session.close()

    played(scene)


def test_a_board_that_comes_back_gets_its_watchdog() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        await person.types("machine 1 servo")
        await person.types("store")
        shown = await person.types("watchdog")
        assert "it has started anew, by the trial" in shown
        assert "it came back: the watchdog is on from now on" in shown
        stored = there.memory.stored
        assert stored is not None
        assert (stored[Setting.WATCHDOG, 0], stored[Setting.MACHINE, 1]) == (1, 1)
        assert "turnout 1: closed" in await person.types("closed 1 1400"), "and it is greeted"
        await person.session.close()

    played(scene)


def test_nothing_is_told_to_a_board_between_its_trial_and_its_start() -> None:
    """What moves is obeyed until the reset, and would be cut by it."""

    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        there.heard.clear()
        await person.types("watchdog")
        verbs = [line.split()[1].partition(b"*")[0] for line in b"".join(there.heard).splitlines()]
        assert verbs == [b"set", b"store", b"trip", b"hello", b"set", b"store"]
        await person.session.close()

    played(scene)


def test_a_board_that_does_not_come_back_keeps_its_watchdog_off_and_wants_the_relay() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        with pytest.raises(StationError, match="did not come back") as error:
            await person.session.obey("watchdog")
        assert "relay" in error.value.cure
        assert there.memory.stored is not None
        assert there.memory.stored[Setting.WATCHDOG, 0] == 0
        await person.session.close()

    played(scene, survives_watchdog=False)


def test_a_reset_by_hand_is_no_proof() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host)
        await person.comes()
        asyncio.get_running_loop().call_later(2.0, there.reset)
        trying = asyncio.create_task(person.session.obey("watchdog"))
        await trying
        assert any("that was not the watchdog" in line for line in person.shown)
        assert there.memory.stored is not None
        assert there.memory.stored[Setting.WATCHDOG, 0] == 0
        await person.session.close()

    played(scene, survives_watchdog=False)


def test_nobody_is_reset_without_a_yes() -> None:
    async def scene(host: MemoryTransport, there: NodeOnLine) -> None:
        person = Person(host, answers=False)
        await person.comes()
        assert await person.types("watchdog") == []
        assert there.node.booted
        await person.session.close()

    played(scene)
