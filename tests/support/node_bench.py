"""Test support: a host's pen and ear at a node, a clock moved by hand, and a simulated node on a fork."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from sim_tracks import CLOSED, fork_track

from pointsman.protocols.node import Accepted, FromNode, Happened, HostReader, Numbers, Refused, write_command
from pointsman.protocols.node_constants import LAST_NUMBER, Board, Refusal, Reset
from pointsman.protocols.node_messages import About, Alive, Arm, Beat, Command, Hello, Told
from railsim.hidden import Hidden
from railsim.incidents import WorldEvent
from railsim.node_board import Memory
from railsim.node_side import NodeSide
from railsim.setup import Setup
from railsim.world import World

BOOT_S = 1.0
ABOUT = About(1, "0.1.0", Board.UNO, Reset.POWER, 1, 3, 2, True, True)
FORWARD, REVERSE = True, False
T = TypeVar("T", bound=Told)


class Node(Protocol):
    """A node, as a bench wants it."""

    def connect(self, port: str) -> None: ...
    def receive(self, port: str, data: bytes, t_s: float) -> None: ...
    def next_event_s(self) -> float | None: ...
    def advance(self, t_s: float) -> list[tuple[str, bytes]]: ...


class HostBench:
    """A host at a node's line, in one time with the layout; ``happened`` tells the node of the layout."""

    def __init__(self, world: World, node: Node, happened: Callable[[WorldEvent], None]) -> None:
        self.world = world
        self.events_there: list[WorldEvent] = []
        self.numbers = Numbers()
        self.heard: list[tuple[float, FromNode]] = []
        self.beating_until_s = -1.0
        self.now_s = 0.0
        self._line = node
        self._happened = happened
        self._next_beat_s = 0.0
        self._reader = HostReader()
        node.connect("usb")

    def run(self, for_s: float) -> None:
        """Let time pass, from event to event as an event loop would; every 200 ms a heartbeat, when it shall beat."""
        end_s = self.now_s + for_s
        while True:
            beat_s = self._next_beat_s if self._next_beat_s <= self.beating_until_s else None
            dues = [self.world.next_event_s(), self._line.next_event_s(), beat_s]
            due = min((one for one in dues if one is not None), default=end_s)
            if due > end_s:
                break
            self._to(due)
            if beat_s is not None and beat_s <= self.now_s:
                self._next_beat_s = self.now_s + 0.2
                self.tell(Beat())
            if due == end_s and all(one is None or one > end_s for one in dues):
                break
        self._to(end_s)

    def _to(self, t_s: float) -> None:
        self.now_s = max(self.now_s, t_s)
        for event in self.world.advance(self.now_s):
            self.events_there.append(event)
            self._happened(event)
        for _, data in self._line.advance(self.now_s):
            self.heard += [(self.now_s, said) for said in self._reader.feed(data)]

    def tell(self, command: Command) -> int:
        """Write a command, and wait for nothing; returns its number."""
        number = self.numbers.take()
        self._line.receive("usb", write_command(number, command), self.now_s)
        return number

    def write(self, data: bytes, for_s: float = 0.05) -> list[FromNode]:
        """Write any bytes, wait, and return what was heard meanwhile."""
        self.heard.clear()
        self._line.receive("usb", data, self.now_s)
        self.run(for_s)
        return [said for _, said in self.heard]

    def ask(self, command: Command, for_s: float = 0.05) -> Accepted | Refused:
        """Write a command, wait, and return the answer to it, which must have come."""
        self.heard.clear()
        number = self.tell(command)
        self.run(for_s)
        (answer,) = [s for _, s in self.heard if isinstance(s, Accepted | Refused) and s.number == number]
        return answer

    def beat(self, for_s: float) -> None:
        """Let the host's heart beat from now on for so long."""
        self.beating_until_s = self.now_s + for_s
        self._next_beat_s = self.now_s

    def greet(self) -> None:
        """A hello that fits."""
        self.write(write_command(LAST_NUMBER, Hello()), 0.02)

    def arm(self, beating_s: float = 60.0) -> None:
        """A heartbeat, and armed."""
        self.beat(beating_s)
        self.run(0.05)
        answer = self.ask(Arm())
        assert isinstance(answer, Accepted), answer

    def events(self, kind: type[T]) -> list[T]:
        """The events of a kind that were heard."""
        return [said.event for _, said in self.heard if isinstance(said, Happened) and isinstance(said.event, kind)]

    def when(self, event: Told) -> float:
        """When an event was heard last."""
        return next(t_s for t_s, said in reversed(self.heard) if isinstance(said, Happened) and said.event == event)

    def counts(self) -> list[int]:
        """The counts of the events that were heard."""
        return [said.count for _, said in self.heard if isinstance(said, Happened)]


class NodeBench(HostBench):
    """A simulated node. Turnout 1 is T1, beams 1 to 3 are head, s1 and s2, magnets 1 and 2 are s1 and s2.

    ``L`` runs on DC.
    """

    def __init__(
        self,
        position: str = "head: L",
        *,
        memory: Memory | None = None,
        booted: bool = True,
        survives_watchdog: bool = True,
        locomotive: str = "L",
        relay: bool = True,
    ) -> None:
        world = World(fork_track(), Setup(Setup.parse(position).segments, {}, {"T1": CLOSED}), Hidden(1))
        self.side = NodeSide(
            world,
            turnouts=["T1"],
            beams=["head", "s1", "s2"],
            magnets=["s1", "s2"],
            locomotive=locomotive,
            relay=relay,
            memory=memory,
            boot_s=BOOT_S,
            survives_watchdog=survives_watchdog,
        )
        self.node = self.side.node
        super().__init__(world, self.node, self.side.happened)
        if booted:
            self.run(BOOT_S + 3.0)  # the coils have rested
            self.greet()
            self.heard.clear()


def refused(refusal: Refusal, answer: Accepted | Refused) -> bool:
    """Whether an answer is no, for a reason."""
    return isinstance(answer, Refused) and answer.reason == refusal


def accepted(answer: Accepted | Refused) -> bool:
    """Whether an answer is yes."""
    return isinstance(answer, Accepted)


def said(bench: HostBench) -> list[object]:
    """The events that were heard, without what comes every half second."""
    events = [one.event for _, one in bench.heard if isinstance(one, Happened)]
    return [event for event in events if not isinstance(event, Alive)]
