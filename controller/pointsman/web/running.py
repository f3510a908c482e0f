"""Running the server: its port, its end, and who is told that it is there."""

from __future__ import annotations

import asyncio
import errno
import gc
import secrets
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from pointsman.box.box import Box
from pointsman.box.snapshot import Snapshot
from pointsman.box.task import Ground
from pointsman.errors import PortError, UsageError
from pointsman.phones.server import phones_served
from pointsman.posix import endings, link_socket_options
from pointsman.web.addresses import is_any, is_loopback, own_addresses
from pointsman.web.announcing import PHONES, announced
from pointsman.web.commands import Deeds
from pointsman.web.competing.hall import Hall
from pointsman.web.french import sentence
from pointsman.web.front import Front
from pointsman.web.layout_view import layout_view
from pointsman.web.lines import MOST_LINES, Line
from pointsman.web.phones import BoxRailway
from pointsman.web.photos import Album
from pointsman.web.routes import House
from pointsman.web.schemas import LONGEST_PIN
from pointsman.web.server import make_app, make_hall_app
from pointsman.web.sessions import Sessions
from pointsman.web.visits import MOST_BYTES, MOST_EACH, Visits

LOOPBACK = "127.0.0.1"
PIN_DIGITS = 6
LEAST_PIN = 4
LONGEST_PIN_LINE = 200
SWITCH_S = 0.0005
"""How long one thread may keep the others waiting: a stop leaves within milliseconds whatever the web does."""
SHUT_WITHIN_S = 3
UNTAKEN_MS = 30_000
"""A connection whose other side takes nothing for so long is broken, even while it is being closed."""


@dataclass(frozen=True, slots=True)
class Door:
    """Where the page is reached. ``pin`` is the marshal's, None where only this computer can come in.

    ``phones`` is the port at which phones are served, None where none are; they are told everything in ``language``.
    """

    host: str
    port: int
    pin: str | None
    phones: int | None = None
    language: str = "en"

    @property
    def is_open(self) -> bool:
        """Whether others on the network can come in."""
        return not is_loopback(self.host)


@dataclass(frozen=True, slots=True)
class Ended:
    """How the server ended: why, the exit code, and what the box showed last."""

    why: str
    code: int
    last: Snapshot


def door(host: str | None, port: int, pin: str | None) -> Door:
    """The door as it was wished: without a host for this computer alone; with any other one it needs a PIN.

    A PIN is drawn when none is given. Raises UsageError.
    """
    if pin is not None and not (LEAST_PIN <= len(pin) <= LONGEST_PIN and pin.isprintable()):
        raise UsageError(
            "the PIN is too short or too long", cure=f"give {LEAST_PIN} to {LONGEST_PIN} digits or letters"
        )
    wanted = host or LOOPBACK
    if pin is None and not is_loopback(wanted):
        pin = "".join(secrets.choice("0123456789") for _ in range(PIN_DIGITS))
    return Door(wanted, port, pin)


def pin_in(path: Path) -> str:
    """The PIN that the first line of a file has: there nobody reads it who only lists programs. Raises UsageError."""
    try:
        with path.open(encoding="utf-8") as lines:
            pin = lines.readline(LONGEST_PIN_LINE).strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        cure = "name a file that this user may read, with the PIN in its first line"
        raise UsageError(f"the PIN cannot be read: {why}", where=str(path), cure=cure) from error
    if not pin:
        raise UsageError("there is no PIN in it", where=str(path), cure="write the PIN into its first line")
    return pin


def listen(wanted: Door) -> socket.socket:
    """The socket of a door. Raises PortError."""
    where = f"{wanted.host}:{wanted.port}"
    try:
        family = socket.getaddrinfo(wanted.host, wanted.port, type=socket.SOCK_STREAM)[0][0]
        found = socket.create_server((wanted.host, wanted.port), family=family, backlog=512)
    except UnicodeError as error:
        # So it is before it is even looked up: a part of it is empty, longer than 63 letters, or no text.
        cure = "give an address of this computer with --host"
        raise PortError("this is neither an address nor the name of a computer", where=where, cure=cure) from error
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            cure = "end the program that has it, or give another one with --port"
            raise PortError("another program has this port", where=where, cure=cure) from error
        cures = {
            errno.EACCES: "give a port above 1023 with --port",
            errno.EADDRNOTAVAIL: "give an address of this computer with --host, or 0.0.0.0 for all of them",
        }
        cure = cures.get(error.errno or 0, "give an address of this computer with --host")
        raise PortError(error.strerror or str(error), where=where, cure=cure) from error
    for option in link_socket_options(UNTAKEN_MS):
        found.setsockopt(*option)  # every connection that comes in there has it
    return found


def address_of(wanted: Door, port: int) -> str:
    """The address that is typed into a browser."""
    host = wanted.host
    if is_any(host):
        host = next((ip for ip in own_addresses() if not is_loopback(ip)), socket.gethostname())
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class _Server(uvicorn.Server):
    """Signals are ours: the trains are stopped first. ``ready`` is set once it listens, or has failed to."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """As the server does."""
        try:
            await super().startup(sockets)
        finally:
            self.ready.set()


@dataclass(frozen=True, slots=True)
class Served:
    """A server that listens, until the block in which it does is left."""

    address: str
    box: Box
    sessions: Sessions
    deeds: Deeds
    phones_port: int | None = None
    hall: Hall | None = None


@asynccontextmanager
async def serving(
    ground: Ground,
    journals: Path,
    wanted: Door,
    *,
    speed: float | None,
    most_each: int = MOST_EACH,
    hall: Hall | None = None,
) -> AsyncIterator[Served]:
    """While inside, a layout is served; in the end everything on it is stopped. Raises PortError, LayoutError.

    ``speed`` is the pace of the simulated layout, ``most_each`` how many pages one address may have open; ``hall`` is a
    competition on it.
    """
    with listen(wanted) as listening:
        port = listening.getsockname()[1]
        box = Box(ground, journals, speed=speed)
        address, sessions = address_of(wanted, port), Sessions(wanted.pin, time.monotonic)
        visits = Visits(box, sessions, most_each)
        if hall is not None:
            hall.join(box, journals)
        album = Album(ground.folder, ground.track)
        house = House(sessions, address, port, box, visits, layout_view(ground), album)
        server = _Server(_config(make_app(house, hall)))
        running = asyncio.create_task(server.serve(sockets=[listening]), name="web server")
        try:
            await server.ready.wait()
            page = announced(ground.track.name, wanted.host, port) if wanted.is_open else nullcontext()
            async with page, _phones(box, visits, wanted, port) as phones_port:
                yield Served(address, box, sessions, visits.deeds, phones_port, hall)
        finally:
            box.halt("the signal box is closed")
            if hall is not None:
                hall.close()
            server.should_exit = True
            await running


@asynccontextmanager
async def serving_hall(hall: Hall, wanted: Door) -> AsyncIterator[Front]:
    """While inside, a competition is served without a layout. Raises PortError."""
    with listen(wanted) as listening:
        port = listening.getsockname()[1]
        front = Front(Sessions(wanted.pin, time.monotonic), address_of(wanted, port), port)
        server = _Server(_config(make_hall_app(front, hall)))
        running = asyncio.create_task(server.serve(sockets=[listening]), name="web server")
        try:
            await server.ready.wait()
            async with announced(hall.name, wanted.host, port) if wanted.is_open else nullcontext():
                yield front
        finally:
            hall.close()
            server.should_exit = True
            await running


@asynccontextmanager
async def _phones(box: Box, visits: Visits, wanted: Door, web_port: int) -> AsyncIterator[int | None]:
    """While inside, phones are served, if they are wished; their port."""
    if wanted.phones is None:
        yield None
        return
    again, railway = visits.audience.again, BoxRailway(box)
    said = sentence if wanted.language == "fr" else str
    served_on = phones_served(railway, wanted.host, wanted.phones, web_port=web_port, people_changed=again, said=said)
    async with served_on as served:
        phones, port = served
        visits.admit(phones)
        name = box.ground.track.name
        async with announced(name, wanted.host, port, PHONES) if wanted.is_open else nullcontext():
            yield port


async def serve(
    ground: Ground,
    journals: Path,
    wanted: Door,
    *,
    speed: float | None,
    ready: Callable[[Served], None],
    hall: Hall | None = None,
) -> Ended:
    """Serve a layout, and a competition on it, until a signal ends it; ``ready`` is told once the page is there.

    Raises PortError, LayoutError.
    """
    sys.setswitchinterval(SWITCH_S)
    ends: list[tuple[str, int]] = []
    over = asyncio.Event()
    async with serving(ground, journals, wanted, speed=speed, hall=hall) as served:

        def end(why: str, code: int) -> None:
            served.box.halt(why)
            ends.append((why, code))
            over.set()

        with endings(asyncio.get_running_loop(), end):
            ready(served)
            # What is there by now stays: looking through all of it for garbage would hold up everything for 20 ms.
            gc.collect()
            gc.freeze()
            await over.wait()
            await served.box.close()
    why, code = ends[0]
    return Ended(why, code, served.box.snapshot)


async def serve_hall(hall: Hall, wanted: Door, *, ready: Callable[[Front], None]) -> tuple[str, int]:
    """Serve a competition alone until a signal ends it: why it ended, and the exit code. Raises PortError."""
    sys.setswitchinterval(SWITCH_S)
    ends: list[tuple[str, int]] = []
    over = asyncio.Event()
    async with serving_hall(hall, wanted) as front:

        def end(why: str, code: int) -> None:
            ends.append((why, code))
            over.set()

        with endings(asyncio.get_running_loop(), end):
            ready(front)
            await over.wait()
    return ends[0]


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=Line,
        ws="websockets-sansio",
        ws_max_size=MOST_BYTES,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=SHUT_WITHIN_S,
        limit_concurrency=MOST_LINES + 1,
    )
