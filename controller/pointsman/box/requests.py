"""What a sitting is told: the play that a puzzle, or the rest of one, asks for, and the same with persons' orders."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pointsman.app import journal_path
from pointsman.box.task import Ground, Task
from pointsman.dispatch.orders import Orders
from pointsman.hand_driving import HandRequest
from pointsman.operate.ahead import Protection
from pointsman.playing import PlayRequest
from pointsman.resuming import going_on
from pointsman.track.model import End


def play_of(ground: Ground, task: Task, facing: End, folder: Path, speed: float | None) -> PlayRequest:
    """The play of a task; a new journal in a folder, or beside that of the play that it goes on with."""
    if task.earlier is None:
        return PlayRequest(
            chosen=task.chosen,
            runs=task.runs,
            wiring=ground.wiring,
            target=ground.target,
            facing=facing,
            journal=folder / journal_path(task.chosen.name).name,
            speed=speed,
            count=str(task.count),
            hardware=ground.hardware,
            attempt=task.attempt,
        )
    request = going_on(task.earlier, task.chosen, task.runs, facing, journal=None, speed=speed)
    assert request.put_right is not None, "it goes on from a person's word"
    return replace(request, put_right=replace(request.put_right, by=task.by))


def by_hand(request: PlayRequest, orders: Orders, protection: Protection) -> HandRequest:
    """A play as a sitting that takes orders."""
    return request.told_to(HandRequest, orders=orders, protection=protection, plan=request.runs)
