"""The box's throttle, told late: what ended a drive concerns only whoever has not closed the throttle since."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from boxes import ground
from metal import builtin
from plays import set_up

from pointsman.box import shown
from pointsman.box.board import Board
from pointsman.box.hand import Hand
from pointsman.dispatch.control import Status
from pointsman.dispatch.hand_status import HandDrive, HandStatus
from pointsman.dispatch.orders import Orders
from pointsman.operate.ahead import Protection
from pointsman.operate.hand_referee import Figures
from pointsman.operate.referee import Score
from pointsman.puzzle.position import parse_position
from pointsman.track.model import End

SMALL = builtin("inglenook-small")
BELIEF = set_up(SMALL, parse_position("head: L | s1: 1 2 3 | s2: 4 5", SMALL))
AT_THE_END = "the track ends in head"


@dataclass
class House:
    """A box in which a person may always drive."""

    board: Board = field(default_factory=lambda: Board(shown.before_all(ground())))

    def stands(self, what: str) -> None:
        """As the box says it."""

    def retell(self) -> None:
        """Nobody looks."""


def standing(ended: HandDrive | None) -> Status:
    """What the layout tells while everything stands."""
    hand = HandStatus(Figures(), "", Protection.FULL, None, "ann", ended)
    return Status(1.0, BELIEF, "by hand", 0, 0, Score(), hand=hand)


def begun() -> tuple[Hand, Orders, list[tuple[str, str]]]:
    """A throttle that ann holds, and what is told of it."""
    hand = Hand(House())
    told: list[tuple[str, str]] = []
    hand.on_refused(lambda who, error: told.append((who, error.what)))
    orders = hand.begin("L")
    hand.take("ann")
    hand.hear(standing(None))
    return hand, orders, told


async def test_one_that_is_still_open_is_told_once() -> None:
    hand, orders, told = begun()
    hand.drive_own_way("ann", forward=False, speed_mm_s=60)
    for _ in range(2):
        hand.hear(standing(HandDrive(1, orders.closings, AT_THE_END)))
    assert told == [("ann", AT_THE_END)]
    assert hand.throttle["L"]["speed_mm_s"] == 0


async def test_one_that_was_closed_and_opened_the_other_way_meanwhile_stays_open() -> None:
    hand, orders, told = begun()
    hand.drive_own_way("ann", forward=False, speed_mm_s=60)
    ended = HandDrive(1, orders.closings, AT_THE_END)
    hand.stop("ann")
    hand.drive_own_way("ann", forward=True, speed_mm_s=40)
    hand.hear(standing(ended))
    assert told == []
    assert hand.throttle["L"]["speed_mm_s"] == 40
    # And the drive that was meant then is told when it ends.
    hand.hear(standing(HandDrive(2, orders.closings, "")))
    assert told == [("ann", "the train stands")]


@pytest.mark.parametrize("closed", [True, False])
async def test_a_page_drives_on_only_if_it_has_closed_it(closed: bool) -> None:
    hand, orders, _ = begun()
    hand.drive("ann", End.FROM, 60)
    ended = HandDrive(1, orders.closings, AT_THE_END)
    if closed:
        hand.stop("ann")
        hand.drive("ann", End.TO, 40)
    hand.hear(standing(ended))
    hand.drive("ann", End.TO if closed else End.FROM, 50)
    assert hand.throttle["L"]["speed_mm_s"] == (50 if closed else 0)


async def test_a_drive_that_was_another_one_s_is_not_told_to_who_takes_over() -> None:
    hand, orders, told = begun()
    hand.drive_own_way("ann", forward=False, speed_mm_s=60)
    ended = HandDrive(1, orders.closings, AT_THE_END)
    hand.take("bob", steal=True)
    hand.drive_own_way("bob", forward=True, speed_mm_s=30)
    hand.hear(standing(ended))
    assert told == []
