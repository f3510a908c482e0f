"""An emergency stop that no fence has confirmed yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from pointsman.messages import Command, Drive, SetPower, SetUncoupler

STOP_REPEAT_S = 0.1
POWER_CUT_AFTER_S = 0.3
DRAINED_AFTER_S = 0.3
"""A station that answers again has read by then what was written before."""
LAST_STOPS_S = 10.0
"""A link is not closed before a stop is confirmed, or was written again and again for so long: a station that does not
answer may hear late, and something may still run.
"""


@dataclass(slots=True)
class Halt:
    """Since when, whether the power goes too, and the commands that it carries out.

    ``answered``: a fence came back on a link that was silent. What was written meanwhile may have been swallowed with
    the remains of a broken command, so only the fence behind the next stop confirms it.

    ``outputs_off``: outputs were switched off. Once is enough: to a station that reads nothing more would only fill its
    ring, and what overflows there makes other commands of what is left.
    """

    started_t_s: float
    cut_power: bool
    answered: bool = False
    numbers: list[int] = field(default_factory=list)
    outputs_off: bool = False
    _repeat: asyncio.TimerHandle | None = None
    _over: asyncio.Event = field(default_factory=asyncio.Event)

    def again(self, loop: asyncio.AbstractEventLoop, write: Callable[[], None]) -> None:
        """Let it be written again, once, unless it ends before."""
        if self._repeat is not None:
            self._repeat.cancel()
        self._repeat = loop.call_later(STOP_REPEAT_S, write)

    def end(self) -> None:
        """It is confirmed or given up: it is not written again."""
        if self._repeat is not None:
            self._repeat.cancel()
        self._over.set()

    def cuts(self, t_s: float) -> bool:
        """Whether the power goes too when it is written at a time."""
        self.cut_power |= t_s - self.started_t_s > POWER_CUT_AFTER_S - STOP_REPEAT_S / 2
        return self.cut_power

    async def over(self) -> None:
        """Wait until it is confirmed or given up; not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_STOPS_S):
                await self._over.wait()


async def ended(halt: Halt | None) -> None:
    """Wait until a stop, if there is one, is confirmed or given up; not for ever."""
    if halt is not None:
        await halt.over()


def refusal(command: Command, *, halted: bool, unconfirmed: bool) -> str:
    """Why this may not begin now, after a stop; empty when it may."""
    match command:
        case Drive() | SetUncoupler(on=True) if halted:
            return "everything was stopped: a person must release it first"
        case SetPower(on=True) if unconfirmed:
            return "a stop is not confirmed yet"
    return ""
