"""The server for phones: one connection each, of which none can hold up the others.

A connection is bounded in everything: bytes of a line, lines a second, what it leaves unread, how many there are. One
that breaks a bound is ended; a train stops with the connection of its phone, however that ends. A phone that is not
there any more is noticed by its network in some ``DEAD_S``, and by its silence in ``phone.SILENT_S``.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from pointsman.errors import PointsmanError, PortError, RefusedError, UsageError
from pointsman.phones.guests import Guests, Person
from pointsman.phones.phone import QUIET_S, RENEW_S, Phone, Surroundings
from pointsman.phones.railway import Railway
from pointsman.posix import notice_silence
from pointsman.protocols import withrottle_messages as m
from pointsman.protocols.withrottle import Reader, key_of, write

LOG = logging.getLogger("pointsman.phones")
DEFAULT_PORT = 12090
MOST_PHONES = 20
MOST_EACH = 4
"""Connections from one address."""
A_SECOND = 50.0
AT_ONCE = 200.0
"""Lines of a phone: so many a second, so many at once. None of them may be left out: the last may be the slower one."""
MOST_BYTES = 16384
"""That may come at once."""
MOST_UNREAD = 65536
"""Bytes that a phone may leave unread."""
DEAD_S = 3
FAREWELL_S = 1.0
"""So long the last words to a phone may take."""


class Phones:
    """All phones of a railway. In the running loop's thread only, as is the railway.

    ``people_changed`` is called when ``people`` has other entries, ``said`` with each sentence that a phone is told, to
    put it into a language. Raises ProtocolError for names on the railway that
    cannot be shown on a phone.
    """

    def __init__(
        self,
        railway: Railway,
        *,
        web_port: int | None = None,
        people_changed: Callable[[], None] = lambda: None,
        said: Callable[[str], str] = str,
    ) -> None:
        _check_names(railway)
        self.railway = railway
        self.web_port = web_port
        self.people_changed = people_changed
        self.said = said
        self.loop = asyncio.get_running_loop()
        self.guests = Guests(self.loop.time)
        self.connections: dict[Connection, asyncio.Future[None]] = {}
        self._doing: set[asyncio.Task[None]] = set()
        self._forget = railway.listen(self)
        self._closed = False

    # ------------------------------------------------------------ for the marshal

    @property
    def people(self) -> tuple[Person, ...]:
        """Every phone that has said what it is."""
        return tuple(phone.person for phone in self._all() if phone.named)

    def accept(self, who: str, locomotive: str) -> None:
        """Let a phone drive a locomotive. Raises RefusedError when there is no such phone or locomotive."""
        phone = self._of(who)
        if locomotive not in {one.name for one in self.railway.view.locomotives}:
            raise RefusedError([f"there is no locomotive {locomotive}"], cure="choose one of the layout's")
        LOG.info("%s may drive %s", who, locomotive)
        phone.accept(locomotive)

    def dismiss(self, who: str) -> None:
        """Take a phone its locomotive, or refuse it. Raises RefusedError when there is no such phone."""
        LOG.info("%s may not drive", who)
        self._of(who).dismiss()

    def _of(self, who: str) -> Phone:
        for phone in self._all():
            if phone.guest.who == who:
                return phone
        raise RefusedError([f"{who} is not here any more"], cure="look at the list of phones")

    def _all(self) -> list[Phone]:
        return [connection.phone for connection in self.connections if not connection.over]

    # ------------------------------------------------------------ what happens on the railway

    def changed(self) -> None:
        """There is a new view of the railway."""
        for phone in self._all():
            phone.changed()

    def stopped(self, who: str, error: PointsmanError) -> None:
        """What somebody ordered is refused, or was braked."""
        for phone in self._all():
            if phone.guest.who == who:
                phone.stopped(error)

    # ------------------------------------------------------------ connections

    def why_not(self, address: str) -> str:
        """Why another connection from an address is one too many; empty if it is not."""
        if self._closed:
            return "The signal box is being closed."
        if len(self._all()) >= MOST_PHONES and not self._made_room():
            return "There are too many phones."
        if sum(connection.address == address for connection in self.connections) >= MOST_EACH:
            return "There are too many connections from this phone."
        return ""

    def _made_room(self) -> bool:
        """Whether one that has been quiet for long has given way."""
        there = [one for one in self.connections if not one.over]
        quietest = max(there, key=lambda one: one.phone.quiet_s)
        if quietest.phone.quiet_s < QUIET_S:
            return False
        quietest.end("it was quiet, and another one has come", at_once=True)
        return True

    def identify(self, connection: Connection, told: str) -> None:
        """A phone says what its app knows itself by. If it is still connected otherwise, that connection ends."""
        phone = connection.phone
        guest = self.guests.known(phone.guest, told, connection.address)
        if guest is phone.guest:
            return
        for other in list(self.connections):
            if other.phone.guest is guest:
                other.end("it has connected again")
                guest.lost_s = None
        phone.become(guest)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Carry out what takes time."""
        task = self.loop.create_task(work, name="phone")
        self._doing.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._doing.discard(task)
        if not task.cancelled() and task.exception() is not None:
            LOG.error("a fault of the program", exc_info=task.exception())

    async def close(self) -> None:
        """End every connection; every train that a phone drives is stopped."""
        self._closed = True
        for connection in list(self.connections):
            connection.end("the signal box is closed", at_once=True)
        self._forget()
        for task in self._doing:
            task.cancel()
        left = [*self.connections.values(), *self._doing]
        if left:
            await asyncio.wait(left)


class Connection(asyncio.Protocol):
    """One connection."""

    phone: Phone

    def __init__(self, phones: Phones) -> None:
        self._phones = phones
        self._loop = phones.loop
        self._reader = Reader()
        self.transport: asyncio.Transport | None = None
        self._left, self._left_s = AT_ONCE, 0.0
        self._ticking: asyncio.TimerHandle | None = None
        self._farewell: asyncio.TimerHandle | None = None
        self.over = True
        self.address = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody has come."""
        assert isinstance(transport, asyncio.Transport), "it is a connection"
        self.transport = transport
        self.address = str((transport.get_extra_info("peername") or ("",))[0])
        why = self._phones.why_not(self.address)
        if why:
            transport.write(write(m.Alert(self._phones.said(why))))
            transport.close()
            return
        connected: socket.socket | None = transport.get_extra_info("socket")
        if connected is not None:
            # Whatever it was doing: one that is not there any more is noticed.
            notice_silence(connected, DEAD_S)
        phones = self._phones
        around = Surroundings(
            railway=phones.railway,
            clock=self._loop.time,
            say=self._say,
            spawn=phones.spawn,
            people_changed=phones.people_changed,
            identify=lambda told: phones.identify(self, told),
            web_port=phones.web_port,
            said=phones.said,
        )
        self.phone = Phone(phones.guests.new(), around)
        self.over, self._left_s = False, self._loop.time()
        phones.connections[self] = self._loop.create_future()
        self._ticking = self._loop.call_later(RENEW_S, self._tick)
        self.phone.begin()

    def data_received(self, data: bytes) -> None:
        """Something was said."""
        if self.over:
            return
        if len(data) > MOST_BYTES:
            self.end("it says too much at once")
            return
        messages = self._reader.feed(data)
        now = self._loop.time()
        self._left = min(AT_ONCE, self._left + (now - self._left_s) * A_SECOND) - len(messages)
        self._left_s = now
        if self._left < 0:
            # A stop is taken from anyone; the rest would keep the others waiting.
            self.phone.heard([one for one in messages if isinstance(one, m.EmergencyStop | m.AskPower)])
            self.end("it says too much")
            return
        was_named = self.phone.named
        self.phone.heard(messages)
        if self.phone.named and not was_named:
            self._phones.people_changed()
        if self.phone.leaves:
            self.end(self.phone.leaves)

    def eof_received(self) -> None:
        """It says nothing more."""
        self.end("it has gone")

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over."""
        self.end(f"its connection is lost ({exc})" if exc else "it has gone")
        if self._farewell is not None:
            self._farewell.cancel()
        done = self._phones.connections.pop(self, None)
        if done is not None:
            done.set_result(None)

    def end(self, why: str, *, at_once: bool = False) -> None:
        """Stop its train, and close."""
        assert self.transport is not None, "it was made"
        if not self.over:
            LOG.info("%s leaves: %s", self.phone.guest.who, why)
            self.phone.gone()
            self.over = True
            self._phones.guests.left(self.phone.guest, for_good=self.phone.said_goodbye)
            self._phones.people_changed()
        if self._ticking is not None:
            self._ticking.cancel()
        if at_once:
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.close()
            self._farewell = self._loop.call_later(FAREWELL_S, self.transport.abort)

    def _tick(self) -> None:
        self._ticking = self._loop.call_later(RENEW_S, self._tick)
        self.phone.tick()
        if self.phone.leaves:
            self.end(self.phone.leaves)

    def _say(self, message: m.ToPhone) -> None:
        if self.over or self.transport is None or self.transport.is_closing():
            return
        self.transport.write(write(message))
        if self.transport.get_write_buffer_size() > MOST_UNREAD:
            LOG.info("%s does not read", self.phone.guest.who)
            self.transport.abort()


@asynccontextmanager
async def phones_served(
    railway: Railway,
    host: str,
    port: int = DEFAULT_PORT,
    *,
    web_port: int | None = None,
    people_changed: Callable[[], None] = lambda: None,
    said: Callable[[str], str] = str,
) -> AsyncIterator[tuple[Phones, int]]:
    """While inside, phones are served at an address; all of them, and the port. Raises PortError, ProtocolError."""
    phones = Phones(railway, web_port=web_port, people_changed=people_changed, said=said)
    try:
        try:
            server = await phones.loop.create_server(lambda: Connection(phones), host, port)
        except OSError as error:
            cure = "end the program that has the port, or give another one with --withrottle-port"
            raise PortError(error.strerror or str(error), where=f"{host}:{port}", cure=cure) from error
        try:
            yield phones, server.sockets[0].getsockname()[1]
        finally:
            server.close()
    finally:
        await phones.close()


def phones_host(host: str | None, *, wished: bool) -> str | None:
    """Where phones are served: None unless they are wished. Raises UsageError when no phone could come there."""
    if wished and host is None:
        cure = "add --host 0.0.0.0, or the address of this computer on the network of the phones"
        raise UsageError("--withrottle alone serves nobody: phones come by the network", cure=cure)
    return host if wished else None


def _check_names(railway: Railway) -> None:
    view = railway.view
    write(m.Roster(tuple((one.name, key_of(one.address, long=one.long)) for one in view.locomotives)))
    write(m.Turnouts(tuple((one.name, one.title, one.points) for one in view.turnouts)))
    for one in view.locomotives:
        write(m.Labels("0", key_of(one.address, long=one.long), tuple(f.label for f in one.functions)))
