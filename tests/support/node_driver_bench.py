"""Test support: the node driver and a scripted node, joined in memory, on virtual time.

The node answers as it is told to, and keeps what the driver wrote, as bytes and as messages, with its time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from node_lines import line

from pointsman.drivers.node import NodeDriver
from pointsman.messages import Accepted, Event, LinkChanged, LinkState, Rejected, SetPower
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import (
    Asked,
    Counts,
    FromHost,
    NodeReader,
    StopAsked,
    write_answer,
    write_event,
    write_refusal,
)
from pointsman.protocols.node_constants import VERSION, Board, Latch, Lie, Refusal, Reset, Setting, Verb
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring import NodeBoard, NodeWiring, TurnoutKind
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual

T = TypeVar("T", bound=Event)
FOLDER = find_layout("inglenook-small")
TRACK = load_layout(FOLDER)
PLAIN = load_wiring(find_wiring(FOLDER, "uno-dc"), TRACK)
WIRING = replace(
    PLAIN,
    turnouts={
        "T1": PLAIN.turnouts["T1"],
        "T2": replace(PLAIN.turnouts["T2"], kind=TurnoutKind.SOLENOID, inverted=True),
    },
    beams={**PLAIN.beams, "s2": replace(PLAIN.beams["s2"], inverted=True)},
)
"""T2 is a solenoid; T2 and beam s2 are the other way round."""
ABOUT = m.About(1, "0.1.0", Board.UNO, Reset.POWER, 2, 4, 3, True, True)


class Script:
    """A node that does as it is told: ``about``, ``settings``, ``refuses`` and ``version`` say what.

    ``deaf`` and ``mute``: nothing is heard, nothing is said. ``alive_every_s`` is its own heartbeat, None for none.
    """

    def __init__(self) -> None:
        self.driver_says: list[tuple[float, FromHost]] = []
        self.bytes: list[tuple[float, bytes]] = []
        self.events: list[Event] = []
        self.about: m.Told = ABOUT
        self.settings = {(Setting.MACHINE, 1): 1, (Setting.MACHINE, 2): 2, (Setting.HEARTBEAT_MS, 0): 1000}
        self.settings[Setting.MAGNET_MS, 0] = 500
        self.settings[Setting.WATCHDOG, 0] = 0
        self.refuses: dict[type[m.Command], Refusal] = {}
        self.version = VERSION
        self.latch = Latch.BOOT
        self.step = 0
        self.lies = {1: Lie.UNKNOWN, 2: Lie.UNKNOWN}
        self.broken = {1: False, 2: True, 3: False, 4: False}
        self.answers: Callable[[m.Command], bool] = lambda _: True
        self.deaf = self.mute = False
        self.alive_every_s: float | None = 0.5
        self.passes: Callable[[bytes], bytes] = lambda data: data
        self.counts = Counts()
        self._reader = NodeReader()
        self.host, self.far = memory_pair("the node")
        self.driver = NodeDriver(self.host, WIRING, emit=self.events.append)
        self.far.listen(self._down, self._gone)
        self._alive: asyncio.TimerHandle | None = None

    def wire(self, *, relay: bool) -> None:
        """Have another driver, of a wiring with or without the relay. Before it is opened."""
        node = replace(WIRING.stations["node"], node=NodeWiring(NodeBoard.UNO, relay))
        self.driver = NodeDriver(self.host, replace(WIRING, stations={"node": node}), emit=self.events.append)

    @property
    def now_s(self) -> float:
        return asyncio.get_running_loop().time()

    async def open(self) -> None:
        await self.far.open()
        self._say_alive()
        await self.driver.open()
        await asyncio.sleep(0.001)

    async def up(self) -> Script:
        await self.open()
        self.clear()
        return self

    async def on(self, number: int = 1) -> Script:
        """Up, and armed: with heartbeats until then."""
        await self.up()
        self.driver.send(SetPower(True), number)
        self.driver.beat()
        await asyncio.sleep(0.1)
        assert self.answered(number), self.events
        self.clear()
        return self

    def clear(self) -> None:
        self.events.clear()
        self.driver_says.clear()
        self.bytes.clear()

    async def down(self) -> None:
        self.deaf = self.mute = False
        await self.driver.close()
        await asyncio.sleep(0.001)
        if self._alive is not None:
            self._alive.cancel()
        await self.far.close()

    # ------------------------------------------------------------ what the node says

    def say(self, line: bytes) -> None:
        """A line to the driver."""
        passed = self.passes(line)
        if self.far.is_open and not self.mute and passed:
            self.far.write(passed)

    def tell(self, *told: m.Told) -> None:
        """Events, each with its count."""
        for one in told:
            self.say(write_event(self.counts.take(), one))

    def lose(self, *told: m.Told) -> None:
        """Events that do not arrive."""
        for _ in told:
            self.counts.take()

    def tell_everything(self) -> None:
        self.tell(m.Latched(self.latch), m.Driven(True, self.step))
        self.tell(*(m.Points(i, lie) for i, lie in self.lies.items()), *(m.Beam(*one) for one in self.broken.items()))
        self.tell(*(m.Coil(i, False) for i in (1, 2, 3)), m.End())

    def reset(self, about: m.Told = ABOUT) -> None:
        """It starts anew."""
        self.counts, self.latch = Counts(), Latch.BOOT
        self.tell(about, m.Latched(self.latch))

    def _say_alive(self) -> None:
        if self.alive_every_s is not None:
            self._alive = asyncio.get_running_loop().call_later(self.alive_every_s, self._say_alive)
            self.tell(m.Alive(self.latch))

    # ------------------------------------------------------------ what it hears

    def _gone(self, _: str) -> None:
        """The program has closed its port; the board is still there."""
        self._opening = asyncio.ensure_future(self.far.open())

    def _down(self, data: bytes) -> None:
        self.bytes.append((self.now_s, data))
        for said in self._reader.feed(data):
            self.driver_says.append((self.now_s, said))
            if self.deaf:
                continue
            if isinstance(said, StopAsked):
                self.latch, self.step = Latch.STOP, 0
                self.tell_everything()
            elif isinstance(said, Asked) and self.answers(said.command):
                self._answer(said)

    def _answer(self, said: Asked) -> None:
        command = said.command
        values: list[m.Value] = []
        if type(command) in self.refuses:
            refusal = self.refuses[type(command)]
            self.say(write_refusal(said.number, refusal, [self.version] if refusal is Refusal.VERSION else ()))
            return
        match command:
            case m.Hello():
                self.say(line(f"{said.number} ok {' '.join(m.words(self.about)[1:])}"))
                return
            case m.Get(setting, of):
                values = [self.settings[setting, of]]
            case m.Beat():
                values = [self.latch]
            case m.Off():
                self.latch = Latch.HOST
            case m.Arm():
                self.latch = Latch.NONE
            case m.Drive(_, step):
                self.step = step
        self.say(write_answer(said.number, Verb(m.words(command)[0]), values))
        if isinstance(command, m.State):
            self.tell_everything()

    # ------------------------------------------------------------ what came of it

    def of(self, *kinds: type[T]) -> list[T]:
        return [event for event in self.events if isinstance(event, kinds)]

    def link_states(self) -> list[LinkState]:
        return [event.state for event in self.of(LinkChanged)]

    def answered(self, number: int) -> bool:
        return any(isinstance(e, Accepted) and e.number == number for e in self.events)

    def rejected(self, number: int) -> str:
        """Why it was; fails when it was not, or more than once."""
        (event,) = [e for e in self.events if isinstance(e, Rejected) and e.number == number]
        return event.why

    def heard(self, *kinds: type[m.Command]) -> list[m.Command]:
        """The commands of a kind that the driver has written, repeats too; of all but heartbeats when none is given."""
        said = [said.command for _, said in self.driver_says if isinstance(said, Asked)]
        return [one for one in said if isinstance(one, kinds) or (not kinds and not isinstance(one, m.Beat))]

    def stops(self) -> list[float]:
        """When the stop byte came."""
        return [t_s for t_s, said in self.driver_says if isinstance(said, StopAsked)]


Start = Callable[[Script], Coroutine[None, None, Any]]


def scripted(start: str = "up") -> Callable[[Start], Callable[[], None]]:
    """Run a test with a scripted node that is ``up``, ``on`` (armed) or not even opened (``closed``), and close it."""

    def wrap(test: Start) -> Callable[[], None]:
        async def main() -> None:
            made = Script()
            if start != "closed":
                await getattr(made, start)()
            try:
                await test(made)
            finally:
                made.passes = lambda data: data
                await made.down()
            before = len(made.events)
            await asyncio.sleep(20)
            assert len(made.events) == before, "a closed driver is silent"

        def run() -> None:
            run_virtual(main())

        run.__name__ = test.__name__
        run.__doc__ = test.__doc__
        return run

    return wrap
