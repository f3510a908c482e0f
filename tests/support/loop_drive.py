"""Test support: driving and looking on a layout that the compiled firmware moves."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeVar

import way
from loop_bench import LoopBench
from node_bench import FORWARD, accepted

from pointsman.protocols.node_messages import Drive
from railsim.incidents import WorldEvent

W = TypeVar("W", bound=WorldEvent)
Made = Callable[..., AbstractContextManager[LoopBench]]
"""Makes a bench, as ``loop`` does."""
FAST = 60
"""The step for 100 mm/s, nominally."""
_BEGINS_MM = {"head": 0.0, "T1>closed": 500.0, "T1>thrown": 500.0, "s1": 782.0, "s2": 782.0}


def there(bench: LoopBench, kind: type[W]) -> list[W]:
    """What has happened on the layout, of a kind."""
    return [event for event in bench.events_there if isinstance(event, kind)]


def along_mm(bench: LoopBench, vehicle: str = "L") -> float:
    """Where the middle of a vehicle is along head, T1 and a siding."""
    return way.along_mm(bench.world.truth(), _BEGINS_MM, vehicle)


def speed(bench: LoopBench) -> float:
    return bench.world.speed_mm_s("L")


def drive_until(bench: LoopBench, forward: bool, step: int, so: Callable[[], bool], within_s: float = 20.0) -> None:
    """Drive until something is so, then brake to a stand."""
    assert accepted(bench.ask(Drive(forward, step)))
    bench.until(so, within_s)
    assert accepted(bench.ask(Drive(forward, 0)))
    bench.until(lambda: bench.world.standing, 3.0)


def fast_with(bench: LoopBench, least_mm_s: float = 100.0) -> int:
    """Armed, and driven forward at a speed of at least so much; returns the step."""
    bench.arm()
    step = FAST
    assert accepted(bench.ask(Drive(FORWARD, step), 1.2))
    while speed(bench) < least_mm_s:
        step += 1
        assert accepted(bench.ask(Drive(FORWARD, step), 0.05))
    return step
