"""What hangs on a simulated node: its hands on the layout, and its eyes.

No input or output of its own. Whoever has the world's time brings the world there first, hands its events to
``happened``, and then advances ``node``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pointsman.protocols.node_constants import Board, Setting
from pointsman.track.model import Leg
from pointsman.track.wiring import Protocol
from railsim.incidents import BeamChanged, TurnoutSettled, WorldEvent
from railsim.node import BOOT_S, Node
from railsim.node_board import Fitted, Memory, safe_settings
from railsim.node_firmware import SERVO
from railsim.world import World

CLOSED_US, THROWN_US = 1250, 1750


def set_up(fitted: Fitted) -> Memory:
    """The memory of a node after somebody has set it up: every turnout has a servo, with ends of its own."""
    values = safe_settings(fitted)
    for turnout in range(1, fitted.turnouts + 1):
        values[Setting.MACHINE, turnout] = SERVO
        values[Setting.CLOSED_US, turnout] = CLOSED_US
        values[Setting.THROWN_US, turnout] = THROWN_US
    return Memory(values)


class NodeSide:
    """A node and what is wired to it, by the track's names, in the order of its pins; empty where nothing is.

    ``locomotive`` runs on the node's DC; without one it drives none. ``relay``: one lies in the track's feed.
    ``set_power`` is called with the power of what the node feeds (the world's, if not given); a node with neither
    has none. ``fitted``: what it has pins for, if that is more than is wired. ``inverted`` turnouts are thrown where
    the node says closed, ``inverted_beams`` are broken where it says free. ``throw`` and ``throttle`` are where
    machines and rails begin: the world's, if not given. ``memory``: as somebody has set it up, if not given.
    """

    protocol = Protocol.NODE

    def __init__(
        self,
        world: World,
        *,
        turnouts: Sequence[str] = (),
        beams: Sequence[str] = (),
        magnets: Sequence[str] = (),
        locomotive: str = "",
        relay: bool = True,
        board: Board = Board.UNO,
        memory: Memory | None = None,
        set_power: Callable[[bool], None] | None = None,
        fitted: Fitted | None = None,
        inverted: Collection[str] = (),
        inverted_beams: Collection[str] = (),
        throw: Callable[[str, Leg, float], None] | None = None,
        throttle: Callable[[str, bool, int, bool], None] | None = None,
        boot_s: float = BOOT_S,
        survives_watchdog: bool = True,
    ) -> None:
        self._world = world
        self._turnouts, self._beams, self._magnets = tuple(turnouts), tuple(beams), tuple(magnets)
        self._locomotive = locomotive
        self._forward = True
        self._feeds = relay or bool(locomotive)
        self._set_power = world.set_power if set_power is None else set_power
        self._inverted, self._inverted_beams = inverted, inverted_beams
        self._throw = world.throw if throw is None else throw
        self._throttle = world.set_throttle if throttle is None else throttle
        fitted = fitted or Fitted(
            board, len(self._turnouts), len(self._beams), len(self._magnets), bool(locomotive), relay
        )
        self.memory = set_up(fitted) if memory is None else memory
        self.node = Node(self, fitted, self.memory, boot_s=boot_s, survives_watchdog=survives_watchdog)
        for name in filter(None, self._beams):
            self.see(name, world.beam_broken(name), world.now_s)

    def happened(self, event: WorldEvent) -> None:
        """Something has happened in the world."""
        if isinstance(event, BeamChanged):
            self.see(event.beam, event.broken, event.t_s)

    def see(self, beam: str, broken: bool, t_s: float) -> None:
        """A beam looks so from now on."""
        if beam in self._beams:
            self.node.set_pin(self._beams.index(beam) + 1, broken is not (beam in self._inverted_beams), t_s)

    def settled(self, event: TurnoutSettled) -> None:
        """Points are over: a node has no contacts that would tell it."""

    def connect(self, port: str, *, serial: bool) -> None:  # noqa: ARG002 - it has no other than its serial line
        """A host opens a port."""
        self.node.connect(port)

    @property
    def station(self) -> Node:
        """The node."""
        return self.node

    # ------------------------------------------------------------ the node's hands on the layout

    def relay(self, closed: bool) -> None:
        """Power of what the node feeds."""
        if self._feeds:
            self._set_power(closed)

    def drive(self, forward: bool, step: int) -> None:
        """What the locomotive on DC gets. Without current it has no direction: it runs out as it ran."""
        if self._locomotive:
            self._forward = forward if step else self._forward
            self._throttle(self._locomotive, self._forward, step, False)

    def magnet(self, magnet: int, on: bool) -> None:
        """A magnet is switched."""
        name = self._place(self._magnets, magnet)
        if name:
            self._world.set_magnet(name, on)

    def turnout(self, turnout: int, thrown: bool, takes_s: float) -> None:
        """Points begin to move; once under way they come over, even where the node has cut its pulse."""
        name = self._place(self._turnouts, turnout)
        if name:
            leg = Leg.THROWN if thrown is not (name in self._inverted) else Leg.CLOSED
            self._throw(name, leg, takes_s)

    @staticmethod
    def _place(names: Sequence[str], number: int) -> str:
        return names[number - 1] if number <= len(names) else ""
