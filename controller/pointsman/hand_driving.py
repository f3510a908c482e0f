"""Driving by hand as an errand: what it is told, what is written down of it, and how it ended.

Its orders come through ``dispatch.orders.Orders``, from any thread; what happens is told by ``show``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from pointsman.app import Setting, Simulated, Stopper, Witness, asked, sit
from pointsman.dispatch.control import Ask, Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.orders import Orders
from pointsman.operate.ahead import Protection
from pointsman.operate.belief import Belief
from pointsman.operate.hand_referee import Figures
from pointsman.operate.referee import Score
from pointsman.playing import Request
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRequest(Request):
    """A sitting by hand: ``orders`` are the persons' orders, see ``Orders``.

    ``plan`` are the runs that somebody may let the program play: the turnouts are set for the first of them.
    """

    orders: Orders
    protection: Protection = Protection.FULL
    plan: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class HandResult:
    """How a sitting ended: the last position that could be written, whether that is the goal, and what was counted.

    ``between`` is why it cannot be written how everything stands in the end; empty when it can.
    """

    position: Position
    between: str
    reached: bool
    score: Score
    figures: Figures
    duration_s: float
    truth: Witness | None = None


def drive_by_hand(
    request: HandRequest,
    show: Callable[[Status], None],
    on_ready: Callable[[Stopper], None],
    ask: Ask | None = None,
) -> HandResult:
    """Carry out what persons order until one of them ends it; blocks. See ``app.sit``."""
    return sit(HandDriving(request), show, on_ready, ask)


@dataclass(frozen=True, slots=True)
class HandDriving:
    """A sitting by hand as an errand."""

    request: HandRequest

    @property
    def setting(self) -> Setting:
        """Where it is done."""
        return replace(self.request.setting, thinking=lambda: self.request.orders.resting)

    def header(self) -> dict[str, object]:
        """The first line of the journal."""
        return self.request.header(runs=[], by_hand=True, protection=str(self.request.protection))

    async def work(self, dispatcher: Dispatcher) -> Belief:
        """Carry out what is ordered; the belief at the end."""
        request = self.request
        return await dispatcher.by_hand(
            request.orders,
            request.chosen.puzzle.locomotive,
            request.protection,
            request.plan,
            None if request.put_right is None else request.put_right.goes_on,
        )

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulated | None
    ) -> HandResult:
        """What came of it."""
        chosen, hand = self.request.chosen, dispatcher.hand
        return HandResult(
            position=final.position,
            between="" if hand is None else hand.between,
            reached=chosen.goal.reached(final.position, chosen.track.locomotives)
            and (hand is None or not hand.between),
            score=dispatcher.score,
            figures=Figures() if hand is None else hand.figures,
            duration_s=duration_s,
            truth=None if simulation is None else asked(simulation, chosen, final.position),
        )

    def ending(self, result: HandResult) -> dict[str, object]:
        """The last line of the journal."""
        figures = {name: getattr(result.figures, name) for name in ("runs", "reversals", "couplings", "pull_drops")}
        return {"position": str(result.position), "between": result.between, **figures}
