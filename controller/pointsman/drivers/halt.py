"""The emergency stop, as far as it is the same for every station."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from pointsman.errors import StationError
from pointsman.messages import Command, Drive, SetPower, SetUncoupler

STOP_REPEAT_S = 0.1
POWER_CUT_AFTER_S = 0.3


@dataclass(slots=True)
class Halt:
    """A stop that nothing has confirmed yet: since when, whether the power goes too, the commands it carries out."""

    started_t_s: float
    cut_power: bool
    numbers: list[int] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)


HaltT = TypeVar("HaltT", bound=Halt)


class Halting(Generic[HaltT]):
    """Writes a stop at once, and again every 100 ms until it is confirmed or given up. It lives in the running loop.

    ``write`` writes it once; by then ``cut_power`` says whether the power goes with it: when it was asked for, or when
    nothing has confirmed the stop within 300 ms. ``accept`` and ``reject`` answer the commands that it carries out.
    """

    def __init__(
        self,
        made: Callable[[float, bool], HaltT],
        write: Callable[[HaltT], None],
        accept: Callable[[int], None],
        reject: Callable[[int, str], None],
    ) -> None:
        self.halt: HaltT | None = None
        self._made = made
        self._write = write
        self._accept = accept
        self._reject = reject
        self._repeat: asyncio.TimerHandle | None = None

    def begin(self, *, cut_power: bool, number: int | None) -> None:
        """Stop now; ``number`` is the command that wants it, if one does."""
        if self.halt is None:
            self.halt = self._made(asyncio.get_running_loop().time(), cut_power)
        self.halt.cut_power |= cut_power
        if number is not None:
            self.halt.numbers.append(number)
        self.write()

    def write(self) -> None:
        """Write it now, if one is under way; again in 100 ms unless it ends before."""
        halt, loop = self.halt, asyncio.get_running_loop()
        if halt is None:
            return
        self._cancel()
        halt.cut_power |= loop.time() - halt.started_t_s > POWER_CUT_AFTER_S - STOP_REPEAT_S / 2
        self._write(halt)
        if self.halt is halt:
            self._repeat = loop.call_later(STOP_REPEAT_S, self.write)

    def confirmed(self) -> HaltT | None:
        """It is confirmed: its commands are accepted. The stop that was under way, if one was."""
        halt = self._ended()
        for number in halt.numbers if halt else ():
            self._accept(number)
        return halt

    def give_up(self, why: str) -> None:
        """It will not be confirmed: its commands are rejected."""
        halt = self._ended()
        for number in halt.numbers if halt else ():
            self._reject(number, why)

    async def over(self, at_most_s: float) -> None:
        """Wait until the stop that is under way, if one is, was confirmed or given up; at most so long."""
        if self.halt is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(at_most_s):
                    await self.halt.over.wait()

    def _ended(self) -> HaltT | None:
        halt, self.halt = self.halt, None
        self._cancel()
        if halt is not None:
            halt.over.set()
        return halt

    def _cancel(self) -> None:
        if self._repeat is not None:
            self._repeat.cancel()
        self._repeat = None


def refusal(command: Command, *, halted: bool, unconfirmed: bool) -> str:
    """Why this may not begin now, after a stop; empty when it may."""
    match command:
        case Drive() | SetUncoupler(on=True) if halted:
            return "everything was stopped: a person must release it first"
        case SetPower(on=True) if unconfirmed:
            return "a stop is not confirmed yet"
    return ""


def check_release(*, up: bool, unconfirmed: bool, where: str) -> None:
    """Raise StationError when the latch may not be taken off: the link is not up, or the stop is not confirmed yet."""
    if not up:
        raise StationError("the stop stays: the link is not up", where=where, cure="open the link again")
    if unconfirmed:
        raise StationError("the stop stays: it is not confirmed yet", where=where, cure="wait, or look at the link")
