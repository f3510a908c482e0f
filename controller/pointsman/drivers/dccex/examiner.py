"""A link to a station that only asks, unless it is told to send something: for looking at a layout before a play.

The driver makes everything safe when it opens a link, which stops whoever is driving; this one stops nobody. Each
command goes out alone, with a fence behind it, so that its replies can be told from what else is said.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.dccex.setup import Heard, Seeker, went_early
from pointsman.drivers.dccex.window import FENCE
from pointsman.drivers.latency import Latency
from pointsman.drivers.patience import ANSWERS_WITHIN_S
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols.dccex import Command, HostReader, Reply, encode
from pointsman.protocols.dccex.commands import Status
from pointsman.protocols.dccex.replies import FenceReached, Greeting
from pointsman.transports.base import Transport


class Examiner:
    """One station on one link.

    ``hear`` gets every reply, asked for or not; ``note`` what a person should know of the port. ``booted``: the
    station greeted by itself, so it has just started. ``restarted`` is set when it greets again later: then nothing
    that was known holds any more, and ``again`` must be awaited before anything else is asked.
    """

    def __init__(self, transport: Transport, hear: Callable[[Reply], None], note: Callable[[str], None]) -> None:
        self.greeting = ""
        self.booted = False
        self.restarted = False
        self.slots = 0
        self._transport = transport
        self._hear = hear
        self._reader = HostReader()
        self._heard: Heard | None = None
        self._answer: asyncio.Future[None] | None = None
        self._replies: list[Reply] = []
        self._greeting_asked = False
        self._fences_due = 0
        self._lost = ""
        transport.listen(self._on_data, self._on_lost, note)

    @property
    def where(self) -> str:
        """The name of the link, for messages."""
        return self._transport.name

    async def open(self, listen_first_s: float) -> None:
        """Open the link and find the station, by listening and asking only; up to a minute.

        ``listen_first_s``: a board that is reset by opening its port greets by itself; only then is it asked.
        Raises PortError, LinkLostError, and StationError when nobody answers.
        """
        await self._transport.open()
        await self._find(Heard(), listen_first_s)

    async def again(self) -> None:
        """Get in step with a station that has restarted. Raises as ``open`` does."""
        await self._find(Heard(greeting=self.greeting, booted=True), 0.0)

    async def _find(self, heard: Heard, listen_first_s: float) -> None:
        self._heard = heard
        seeker = Seeker(heard, self.write, self.where)
        try:
            self.greeting = await seeker.find(listen_first_s)
            await seeker.get_in_step()
        except LinkLostError as lost:
            if heard.running:
                raise
            raise went_early(self.where, lost.what) from lost
        finally:
            self._heard = None
        self._fences_due = 0
        self.booted = heard.booted
        self.restarted = False

    async def close(self) -> None:
        """Close the link; nothing is sent."""
        await self._transport.close()

    def write(self, data: bytes) -> None:
        """Send bytes and wait for nothing. Raises LinkLostError."""
        if self._lost or not self._transport.is_open:
            raise LinkLostError(
                self._lost or "the link is not open", where=self.where, cure="look at the cable, then try again"
            )
        self._transport.write(data)

    async def ask(self, command: Command | None = None) -> list[Reply]:
        """Send a command (None: only the fence) and return what was said until its fence came back.

        Raises LinkLostError, and StationError when no answer comes within a second or the station restarts.
        """
        if self.restarted:
            raise self._restart_error()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[None] = loop.create_future()
        self._answer, self._replies = answer, []
        self._greeting_asked = isinstance(command, Status)
        try:
            self.write((b"" if command is None else encode(command)) + FENCE)
            self._fences_due += 1
            async with asyncio.timeout(ANSWERS_WITHIN_S):
                await answer
        except TimeoutError as error:
            raise StationError(
                f"the station has answered, and now does not answer any more within {ANSWERS_WITHIN_S:g} s",
                where=self.where,
                cure="look at its power supply, the cable or the network, then try again",
            ) from error
        finally:
            self._answer = None
            self._greeting_asked = False
        return self._replies

    async def latency(self, count: int) -> Latency:
        """Ask for nothing, ``count`` times, one after the other: how long the fences took to come back."""
        loop = asyncio.get_running_loop()
        took_s = []
        for _ in range(count):
            began = loop.time()
            await self.ask()
            took_s.append(loop.time() - began)
        return Latency.of(took_s)

    # ------------------------------------------------------------ reading

    def _on_data(self, data: bytes) -> None:
        if self._heard is not None:
            self._heard.data(data, asyncio.get_running_loop().time())
        for reply in self._reader.feed(data):
            self._on_reply(reply)

    def _on_reply(self, reply: Reply) -> None:
        if self._heard is not None:
            self._heard.reply(reply)
        elif isinstance(reply, Greeting) and not self._greeting_asked:
            self.greeting, self.restarted = reply.text, True
            self._fail(self._restart_error())
        if isinstance(reply, FenceReached):
            self.slots = reply.slots
            self._fence()
        elif self._answer is not None:
            self._replies.append(reply)
        self._hear(reply)

    def _fence(self) -> None:
        # The fence of a question that was interrupted comes before ours: it answers nothing.
        self._fences_due = max(self._fences_due - 1, 0)
        if self._answer is not None and not self._answer.done() and not self._fences_due:
            self._answer.set_result(None)

    def _on_lost(self, reason: str) -> None:
        self._lost = reason
        if self._heard is not None:
            self._heard.changed.set()
        self._fail(LinkLostError(reason, where=self.where, cure="look at the cable, then try again"))

    def _fail(self, error: Exception) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(error)

    def _restart_error(self) -> StationError:
        return StationError(
            "the station restarted while it was asked",
            where=self.where,
            cure="look at its power supply and its cable, then try again",
        )
