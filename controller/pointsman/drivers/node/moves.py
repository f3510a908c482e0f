"""Points on their way: a command for a turnout is carried out when the node says how they lie."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from pointsman.drivers.node.addresses import Points
from pointsman.drivers.node.reports import ENDS
from pointsman.drivers.patience import ANSWERS_WITHIN_S
from pointsman.protocols.node_constants import Lie


@dataclass(slots=True)
class _Move:
    number: int
    timer: asyncio.TimerHandle
    begun: bool = False
    """The node has said that they are on their way: what it says from now on is of this command."""


class Moves:
    """The turnouts that were sent somewhere. ``accept`` and ``reject`` answer the commands, ``arrived`` gets a turnout
    whose points are over.
    """

    def __init__(
        self, accept: Callable[[int], None], reject: Callable[[int, str], None], arrived: Callable[[int], None]
    ) -> None:
        self._accept = accept
        self._reject = reject
        self._arrived = arrived
        self._moves: dict[int, _Move] = {}

    def begin(self, points: Points, number: int, loop: asyncio.AbstractEventLoop) -> None:
        """The node has taken a command."""
        self._end(points.number, "it was set anew before its points were over")
        within_s = points.move_time_s + ANSWERS_WITHIN_S
        why = f"the node does not say within {within_s:g} s that the points of {points.name} are over"
        timer = loop.call_later(within_s, self._end, points.number, why)
        self._moves[points.number] = _Move(number, timer)

    def told(self, turnout: int, lie: Lie) -> None:
        """The node says how points lie."""
        move = self._moves.get(turnout)
        if move is not None and lie is Lie.MOVING:
            move.begun = True
        elif move is not None and move.begun:
            self.lies(turnout, lie)

    def lies(self, turnout: int, lie: Lie) -> None:
        """The node has told everything: points lie so now, whether or not it was heard that they began to move."""
        if lie in ENDS:
            self._end(turnout, "")
        elif lie is Lie.UNKNOWN:
            self._end(turnout, "the node does not know how its points lie: the pulse was cut")

    def give_up(self, why: str) -> None:
        """Nothing more will be heard."""
        for turnout in list(self._moves):
            self._end(turnout, why)

    def _end(self, turnout: int, why: str) -> None:
        move = self._moves.pop(turnout, None)
        if move is None:
            return
        move.timer.cancel()
        if why:
            self._reject(move.number, why)
        else:
            self._arrived(turnout)
            self._accept(move.number)
