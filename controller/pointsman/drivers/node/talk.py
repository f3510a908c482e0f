"""A conversation with a node: one command at a time, told again when nothing or garbage comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from pointsman.drivers.node.misfits import UPLOAD
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols import node_constants as k
from pointsman.protocols.node import (
    UNREAD,
    Accepted,
    FromNode,
    Happened,
    HostReader,
    Numbers,
    Refused,
    write_command,
)
from pointsman.protocols.node_constants import Refusal
from pointsman.protocols.node_messages import About, Command, Hello, OtherVersion, about_of, words
from pointsman.transports.base import Transport

ANSWERED_WITHIN_S = 0.5
STORED_WITHIN_S = 2.0
TRIES = 4
GREETED_WITHIN_S = 8.0
"""Opening a port may start the board anew; the slowest bootloader waits for two seconds."""
QUIET_S = 2.0
SAMPLE_BYTES = 40
T = TypeVar("T")


class Talk:
    """A host's side of the line. ``on_heard`` is called with everything that comes, answers included; ``on_lost`` with
    the reason when the link goes.

    By itself it sends no heartbeat: a node is armed only by who asks it to beat, and else nothing but a servo can move.
    """

    def __init__(
        self,
        transport: Transport,
        on_heard: Callable[[FromNode], None],
        on_lost: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._transport = transport
        self._on_heard = on_heard
        self._on_lost = on_lost
        self._reader = HostReader()
        self._numbers = Numbers()
        self._number = UNREAD
        self._answer: asyncio.Future[Accepted | Refused | None] | None = None
        self._first: asyncio.Future[Happened] | None = None
        self._start: asyncio.Future[About | OtherVersion] | None = None
        self._lost: asyncio.Future[str] | None = None
        self._sample = b""
        self.restarted = False
        """Whether the node has started anew since it was greeted."""

    async def open(self) -> About:
        """Open the link and greet the node; raises PortError, LinkLostError, StationError."""
        self._lost = asyncio.get_running_loop().create_future()
        self._transport.listen(self._hear, self._lose)
        await self._transport.open()
        # What comes while a bootloader runs may keep it running: wait for the node's own first word.
        self._first = asyncio.get_running_loop().create_future()
        await self._before_loss(self._first, QUIET_S)
        return await self.greet()

    def write_now(self, data: bytes) -> None:
        """Write at once, whatever is under way, unless the link is lost: what stops, and what nobody answers."""
        if self._transport.is_open:
            self._transport.write(data)

    async def close(self) -> None:
        """Close the link."""
        await self._transport.close()

    async def lost(self) -> None:
        """Wait until the link is lost. Raises LinkLostError then."""
        assert self._lost is not None, "an open link"
        raise self._gone(await asyncio.shield(self._lost))

    async def greet(self) -> About:
        """Say hello until a node of this version answers. Raises StationError when none does."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + GREETED_WITHIN_S
        while loop.time() < until_s:
            answer = await self._tell(Hello())
            if isinstance(answer, Accepted):
                about = about_of(answer.values)
                if isinstance(about, About):
                    self.restarted = False
                    return about
                if about is not None:
                    raise self._other(about.version)
            elif answer is not None and answer.reason == Refusal.VERSION:
                raise self._other(answer.version)
            if answer is not None:  # which says nothing: whoever it is, is not asked again and again without a pause
                await self._before_loss(loop.create_future(), ANSWERED_WITHIN_S)
        raise self._nobody()

    async def ask(self, command: Command, within_s: float = ANSWERED_WITHIN_S) -> Accepted | Refused:
        """Tell a command; its answer. Raises StationError when none comes, LinkLostError."""
        answer = await self._tell(command, within_s)
        if isinstance(answer, Refused) and answer.reason == Refusal.NUMBER:
            # A host before this one used the number; nothing was done, and the next one is another.
            answer = await self._tell(command, within_s)
        if answer is None:
            raise StationError(
                f"the node does not answer {words(command)[0]}",
                where=self._transport.name,
                cure="look at the cable, press the board's reset button, then start again",
            )
        return answer

    async def starts(self, within_s: float) -> About | OtherVersion | None:
        """What the node says when it starts anew; None when it does not within that time."""
        self._start = asyncio.get_running_loop().create_future()
        try:
            return await self._before_loss(self._start, within_s)
        finally:
            self._start = None

    async def _tell(self, command: Command, within_s: float = ANSWERED_WITHIN_S) -> Accepted | Refused | None:
        """Tell a command, and again under its number when it came garbled or nothing comes back; None when never."""
        self._number = self._numbers.take()
        line = write_command(self._number, command)
        for _ in range(TRIES):
            self._answer = asyncio.get_running_loop().create_future()
            self._transport.write(line)
            answer = await self._before_loss(self._answer, within_s)
            if answer is not None and answer.number != UNREAD:
                return answer
        return None

    async def _before_loss(self, future: asyncio.Future[T], within_s: float) -> T | None:
        assert self._lost is not None, "an open link"
        either: set[asyncio.Future[Any]] = {future, self._lost}
        await asyncio.wait(either, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
        if future.done():
            return future.result()
        if self._lost.done():
            raise self._gone(self._lost.result())
        return None

    # ------------------------------------------------------------ what comes

    def _hear(self, data: bytes) -> None:
        self._sample = (self._sample + data)[:SAMPLE_BYTES]
        for said in self._reader.feed(data):
            match said:
                case Accepted(number=number) | Refused(number=number) if number in {self._number, UNREAD}:
                    _set(self._answer, said)
                case Happened(event=About() | OtherVersion() as about):
                    self.restarted = True
                    _set(self._first, said)
                    _set(self._start, about)
                case Happened():
                    _set(self._first, said)
                case _:
                    pass
            self._on_heard(said)

    def _lose(self, reason: str) -> None:
        _set(self._lost, reason)
        self._on_lost(reason)

    # ------------------------------------------------------------ what is wrong

    def _gone(self, reason: str) -> LinkLostError:
        return LinkLostError(reason, where=self._transport.name, cure="plug it in, then start again")

    def _other(self, version: int | None) -> StationError:
        told = "another version" if version is None else f"version {version}"
        return StationError(
            f"the node speaks {told} of the protocol, and this program version {k.VERSION}",
            where=self._transport.name,
            cure=UPLOAD,
        )

    def _nobody(self) -> StationError:
        if self._sample:
            return StationError(
                f"what is there is no node: it says {self._sample!r}",
                where=self._transport.name,
                cure="is it the right port? `pointsman ports` lists them; pointsman node flash makes a board a node",
            )
        return StationError(
            f"nobody answered within {GREETED_WITHIN_S:.0f} s",
            where=self._transport.name,
            cure="is it the right port? has the board its program? pointsman node flash puts it there",
        )


def _set(future: asyncio.Future[T] | None, value: T) -> None:
    if future is not None and not future.done():
        future.set_result(value)
