"""Test support: a small railway that phones drive, and phones at the byte boundary, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from pointsman.dispatch.orders import RENEWED_WITHIN_S
from pointsman.errors import PointsmanError, RefusedError
from pointsman.phones.railway import Function, Listener, Locomotive, Turnout, View
from pointsman.phones.server import Connection, Phones
from pointsman.protocols.withrottle_messages import Points
from pointsman.track.model import Leg

TURNOUT_S = 1.0
SWITCHER = "Switcher"
SECOND = ("Other", "99", "192.168.1.6")
"""Another phone: its name, what its app knows itself by, its address."""
FASTEST_MM_S = 126.0
"""One speed step is 1 mm/s."""


@dataclass
class Run:
    """How a locomotive runs on its line, from ``at_mm`` since ``since_s``."""

    at_mm: float = 0.0
    velocity_mm_s: float = 0.0
    since_s: float = 0.0
    renewed_s: float = 0.0


class SmallRailway:
    """Locomotives, each on a straight line of its own that ends at +- 1000 mm, and turnouts that take a second.

    It keeps what ``Railway`` promises: a throttle that is not renewed stops, nobody drives what he does not hold, a
    line's end refuses, a locomotive that is stolen is stopped first. ``orders`` are all that it was asked, with the
    time; ``locked`` are turnouts with a train on them, ``busy`` says why nobody may drive by hand. ``late``: what is
    new is told after an order has returned, and not before.
    """

    def __init__(
        self, locomotives: tuple[Locomotive, ...], turnouts: tuple[Turnout, ...], *, late: bool = False
    ) -> None:
        self.view = View(locomotives, turnouts, power=True)
        self.orders: list[tuple[object, ...]] = []
        self.locked: set[str] = set()
        self.busy = ""
        self.late = late
        self._runs = {one.name: Run() for one in locomotives}
        self._listeners: list[Listener] = []
        self._loop = asyncio.get_running_loop()
        self._lapses: dict[str, asyncio.TimerHandle] = {}

    # ------------------------------------------------------------ what phones may ask

    def listen(self, listener: Listener) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def take(self, who: str, locomotive: str, *, steal: bool = False) -> None:
        one = self.locomotive(locomotive)
        if self.busy:
            raise RefusedError([self.busy], cure="wait")
        if one.holder not in {None, who}:
            if not steal:
                raise RefusedError([f"{one.holder} drives it"], where=locomotive)
            self._halt(locomotive)
        self.orders.append(("take", who, locomotive, steal))
        self._replace(replace(one, holder=who))

    def release(self, who: str, locomotive: str) -> None:
        if self.locomotive(locomotive).holder == who:
            self._halt(locomotive)
            self.orders.append(("release", who, locomotive))
            self._replace(replace(self.locomotive(locomotive), holder=None))

    def drive(self, who: str, locomotive: str, *, forward: bool, speed_mm_s: float) -> None:
        one, now = self.locomotive(locomotive), self._loop.time()
        if one.holder != who:
            raise RefusedError([f"{who} does not hold {locomotive}"], where=locomotive)
        if self.view.halted:
            raise RefusedError([self.view.halted], cure="ask the marshal")
        assert 0 < speed_mm_s <= one.fastest_mm_s, "what is never asked"
        velocity = speed_mm_s if forward else -speed_mm_s
        if abs(self.at_mm(locomotive) + velocity * RENEWED_WITHIN_S) > 1000:
            raise RefusedError(["the line ends there"], where=locomotive, cure="drive the other way")
        self.orders.append(("drive", who, locomotive, forward, speed_mm_s))
        self._runs[locomotive] = Run(self.at_mm(locomotive), velocity, now, now)
        self._lapse(locomotive)
        if one.forward is not forward:
            self._replace(replace(one, forward=forward))

    def stop(self, who: str, locomotive: str) -> None:
        if self.locomotive(locomotive).holder == who:
            self._halt(locomotive)

    def emergency_stop(self, who: str, *, power_off: bool = False) -> None:
        self.orders.append(("emergency stop", who, power_off))
        for one in self.view.locomotives:
            self._halt(one.name)
        power = self.view.power and not power_off
        self._show(replace(self.view, halted=f"Emergency stop by {who}.", power=power))

    def function(self, who: str, locomotive: str, number: int, *, on: bool) -> None:
        one = self.locomotive(locomotive)
        if one.holder != who or self.busy:
            raise RefusedError([self.busy or f"{who} does not hold {locomotive}"])
        self.orders.append(("function", number, on))
        functions = tuple(replace(f, on=on) if f.number == number else f for f in one.functions)
        self._replace(replace(one, functions=functions))

    async def turnout(self, who: str, locomotive: str, name: str, leg: Leg) -> None:
        if name in self.locked:
            raise RefusedError(["a train stands on it"], where=f"turnout {name}", cure="drive it away")
        self.orders.append(("turnout", who, name, leg))
        wished = Points.CLOSED if leg is Leg.CLOSED else Points.THROWN
        if next(one.points for one in self.view.turnouts if one.name == name) is wished:
            return
        self.lie(name, Points.UNKNOWN)
        await asyncio.sleep(TURNOUT_S)
        self.lie(name, wished)

    # ------------------------------------------------------------ what a test does and sees

    def lie(self, name: str, points: Points) -> None:
        turnouts = tuple(replace(one, points=points) if one.name == name else one for one in self.view.turnouts)
        self._show(replace(self.view, turnouts=turnouts))

    def brake(self, locomotive: str, error: PointsmanError) -> None:
        """Something on the railway stops a train."""
        holder = self.locomotive(locomotive).holder
        self._halt(locomotive)
        assert holder is not None, "somebody drives it"
        for listener in self._listeners:
            listener.stopped(holder, error)

    def go_on(self) -> None:
        """The marshal has begun again after a stop."""
        self._show(replace(self.view, halted="", power=True))

    def locomotive(self, name: str) -> Locomotive:
        return next(one for one in self.view.locomotives if one.name == name)

    def velocity(self, name: str) -> float:
        return self._runs[name].velocity_mm_s

    def at_mm(self, name: str) -> float:
        run = self._runs[name]
        return run.at_mm + run.velocity_mm_s * (self._loop.time() - run.since_s)

    def close(self) -> None:
        for lapse in self._lapses.values():
            lapse.cancel()

    def _lapse(self, name: str) -> None:
        if name in self._lapses:
            self._lapses[name].cancel()
        self._lapses[name] = self._loop.call_later(RENEWED_WITHIN_S, self._lapsed, name)

    def _lapsed(self, name: str) -> None:
        if self._runs[name].velocity_mm_s:
            self.brake(name, RefusedError(["the throttle was not renewed"], where=name))

    def _halt(self, name: str) -> None:
        if self._runs[name].velocity_mm_s:
            self.orders.append(("stand", name))
        self._runs[name] = Run(self.at_mm(name), 0.0, self._loop.time())

    def _replace(self, changed: Locomotive) -> None:
        locomotives = tuple(changed if one.name == changed.name else one for one in self.view.locomotives)
        self._show(replace(self.view, locomotives=locomotives))

    def _show(self, view: View) -> None:
        self.view = view
        for listener in list(self._listeners):
            if self.late:
                self._loop.call_soon(listener.changed)
            else:
                listener.changed()


class MemoryWire(asyncio.Transport):
    """The server's end of a connection in memory. ``stuck``: the phone reads nothing."""

    def __init__(self, protocol: asyncio.Protocol, address: str) -> None:
        super().__init__({"peername": (address, 50000)})
        self.protocol = protocol
        self.sent = bytearray()
        self.unread = 0
        self.stuck = False
        self.closing = False

    def write(self, data: bytes | bytearray | memoryview) -> None:
        assert not self.closing, "written after its end"
        self.sent += data
        if self.stuck:
            self.unread += len(data)

    def get_write_buffer_size(self) -> int:
        return self.unread

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        if not self.closing:
            self.closing = True
            if not self.unread:
                self._lost(None)

    def abort(self) -> None:
        if not self.closing or self.unread:
            self.closing, self.unread = True, 0
            self._lost(None)

    def _lost(self, error: Exception | None) -> None:
        asyncio.get_running_loop().call_soon(self.protocol.connection_lost, error)

    def break_off(self) -> None:
        """The network has lost it."""
        self.closing = True
        self._lost(ConnectionResetError("reset"))


class Handset:
    """A phone: it says lines, and ``heard`` is what it was told since this was asked last."""

    def __init__(self, phones: Phones, address: str = "192.168.1.5") -> None:
        connection = Connection(phones)
        self.wire = MemoryWire(connection, address)
        self.connection = connection
        connection.connection_made(self.wire)
        self._read = 0

    def say(self, *lines: str) -> None:
        """Lines in one packet."""
        self.wire.protocol.data_received("".join(f"{line}\n" for line in lines).encode())

    def heard(self) -> list[str]:
        lines = self.wire.sent[self._read :].decode().split("\n")
        assert lines[-1] == "", "only whole lines are sent"
        self._read = len(self.wire.sent)
        return lines[:-1]

    @property
    def who(self) -> str:
        return self.connection.phone.guest.who

    def introduce(self, name: str = "My Phone", told: str = "7a1b2c") -> None:
        self.say(f"N{name}", f"HU{told}", "*+")
        self.heard()


@dataclass
class Bench:
    """A railway with its phones."""

    railway: SmallRailway
    phones: Phones

    def handset(self, name: str = "My Phone", told: str = "7a1b2c", address: str = "192.168.1.5") -> Handset:
        """A phone that has said what it is."""
        handset = Handset(self.phones, address)
        handset.introduce(name, told)
        return handset

    def driver(self, name: str = "My Phone", told: str = "7a1b2c", address: str = "192.168.1.5") -> Handset:
        """A phone that drives the Switcher, which stands."""
        handset = self.handset(name, told, address)
        self.phones.accept(handset.who, "Switcher")
        handset.say("M0+S3<;>S3")
        assert self.railway.locomotive("Switcher").holder == handset.who
        handset.heard()
        return handset

    @property
    def drives(self) -> int:
        """How often a drive was ordered."""
        return sum(order[0] == "drive" for order in self.railway.orders)

    async def seconds(self, duration_s: float, *beating: Handset) -> None:
        """Let time pass, in which some phones keep to their heartbeat."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + duration_s
        while loop.time() < until_s:
            for handset in beating:
                handset.say("*")
            await asyncio.sleep(min(1.0, until_s - loop.time()))


LIGHTS = Function(0, "Lights")
HORN = Function(2, "Horn", momentary=True)


@asynccontextmanager
async def bench(*, late: bool = False) -> AsyncIterator[Bench]:
    """A Switcher, a Mikado and two turnouts; closed however the test ends."""
    switcher = Locomotive("Switcher", 3, FASTEST_MM_S, functions=(LIGHTS, HORN))
    mikado = Locomotive("Mikado", 1234, FASTEST_MM_S, long=True)
    turnouts = (Turnout("LT1", "Lead", Points.CLOSED), Turnout("LT2", "Ladder", Points.THROWN))
    railway = SmallRailway((switcher, mikado), turnouts, late=late)
    phones = Phones(railway)
    try:
        yield Bench(railway, phones)
    finally:
        await phones.close()
        railway.close()
