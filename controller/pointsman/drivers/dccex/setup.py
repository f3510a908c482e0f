"""Bringing a link up: find the station, get in step with it, make everything safe, compare it with the wiring.

Nothing is assumed: opening a port resets many boards, others boot for a minute, others were never off. So the
station is asked until it answers, and everything that was known before is asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from operator import eq

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.lines import beam_line, magnet_line, turnout_line
from pointsman.drivers.dccex.link import Link
from pointsman.drivers.dccex.units import off_frame
from pointsman.drivers.dccex.window import FENCE
from pointsman.drivers.patience import within
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols.dccex import Reply, encode
from pointsman.protocols.dccex.commands import (
    EmergencyStop,
    ListTurnouts,
    SensorStates,
    Status,
    Throttle,
    ThrottleQuery,
    TrackModes,
    TurnoutIds,
)
from pointsman.protocols.dccex.replies import (
    Comment,
    Display,
    FenceReached,
    Greeting,
    LocomotiveState,
    OutputState,
    Refused,
    SensorState,
    TurnoutDefinition,
    TurnoutIdList,
    TurnoutState,
    UnknownReply,
)
from pointsman.protocols.node import Happened, HostReader
from pointsman.protocols.node_constants import BOARDS
from pointsman.protocols.node_messages import About

ASK_EVERY_S = 2.0
FENCE_EVERY_S = 1.0
GIVE_UP_AFTER_S = 60.0
BOOT_CHATTER_S = 2.0
"""A board that talks without being asked is booting: bytes sent to its bootloader can restart it for ever."""
BOOT_AT_MOST_S = 10.0
TRIES = 3
QUIET_S = 0.25
"""After so long without one, no answer to an older fence is under way any more."""


class RestartedInSetupError(Exception):
    """The station greeted again while it was set up: begin again. Never leaves the driver."""


IN_THE_NETWORK = "over the network DCC-EX listens on port 2560; JMRI's web server is --on jmri:HOST"


def went_early(where: str, why: str = "") -> LinkLostError:
    """The link went before anything of DCC-EX was heard: perhaps something else answers there."""
    return LinkLostError(
        f"the link went while the station was looked for{f': {why}' if why else ''}",
        where=where,
        cure=f"no DCC-EX has answered there: look at the cable; {IN_THE_NETWORK}",
    )


def unanswered(link: Link, where: str) -> Exception:
    """What a question gets that will have no answer any more."""
    if link is Link.RESTARTED:
        return RestartedInSetupError("the station restarted")
    return LinkLostError(
        "the link was lost before everything was answered",
        where=where,
        cure="look at the cable, then try again",
    )


@dataclass(slots=True)
class Heard:
    """What came in while the station is looked for."""

    data_bytes: int = 0
    last_t_s: float = 0.0
    running: bool = False
    greeting: str = ""
    booted: bool = False
    """Did it greet by itself? Then it has just started."""
    asked: bool = False
    fences: int = 0
    node: str = ""
    """What board it is, if it speaks as an Arduino node and not as a DCC-EX station."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    as_node: HostReader = field(default_factory=HostReader)

    def data(self, data: bytes, t_s: float) -> None:
        """Bytes came in."""
        self.data_bytes += len(data)
        self.last_t_s = t_s
        for said in self.as_node.feed(data):
            if isinstance(said, Happened):  # a line that came whole, with its check: nobody else says that
                self.node = BOARDS[said.event.board] if isinstance(said.event, About) else self.node or "an Arduino"
                self.changed.set()

    def reply(self, reply: Reply) -> None:
        """A reply came in."""
        match reply:
            case Greeting(text):
                self.greeting = text
                self.booted |= not self.asked
            case FenceReached():
                self.fences += 1
            case Comment() | Display() | UnknownReply():
                return
        self.running = True
        self.changed.set()


class Seeker:
    """Looks for the station and gets in step with its fences. ``write`` raises LinkLostError when the link goes."""

    def __init__(self, heard: Heard, write: Callable[[bytes], None], where: str) -> None:
        self._heard = heard
        self._write = write
        self._where = where
        self._loop = asyncio.get_running_loop()
        self._started_t_s = self._loop.time()

    async def find(self, listen_first_s: float) -> str:
        """The greeting. Raises StationError after a minute without one, and as soon as a node is heard instead."""

        def found() -> bool:
            return bool(self._heard.greeting or self._heard.node)

        await self._until(found, listen_first_s)
        while not self._heard.greeting:
            self._check_node()
            self._check_deadline()
            if not self._booting():
                self._ask()
            await self._until(found, ASK_EVERY_S)
        return self._heard.greeting

    async def get_in_step(self) -> None:
        """Return when a fence has come back and no other is under way. Raises StationError."""
        # a status request leaves no end mark: what is still to come of its answer comes before the fence's
        self._ask(FENCE)
        while not self._heard.fences:
            self._check_deadline()
            if not await self._until(lambda: bool(self._heard.fences), FENCE_EVERY_S):
                self._write(FENCE)
        while await self._another_fence():
            pass

    def _ask(self, more: bytes = b"") -> None:
        self._heard.asked = True
        self._write(encode(Status()) + more)

    async def _another_fence(self) -> bool:
        seen = self._heard.fences
        return await self._until(lambda: self._heard.fences != seen, QUIET_S)

    def _booting(self) -> bool:
        now = self._loop.time()
        chatter = self._heard.data_bytes and not self._heard.running and now - self._heard.last_t_s < BOOT_CHATTER_S
        return bool(chatter) and now - self._started_t_s < BOOT_AT_MOST_S

    def _check_node(self) -> None:
        if self._heard.node:
            raise StationError(
                f"a node answers there ({self._heard.node}), and no DCC-EX station",
                where=self._where,
                cure="with two boards: are their ports swapped? Else name the layout, and its wiring with the node: "
                "inglenook --hardware uno-dc on an Uno or Nano, timesaver --hardware mega-dc on a Mega, --hardware "
                "dccex+node beside a DCC-EX station",
            )

    def _check_deadline(self) -> None:
        if self._loop.time() - self._started_t_s < GIVE_UP_AFTER_S:
            return
        heard = self._heard.data_bytes
        raise StationError(
            f"no DCC-EX station answers within {GIVE_UP_AFTER_S:g} s; {heard} bytes were heard",
            where=self._where,
            cure=f"something else may be connected here: look at the port and its 115200 baud; {IN_THE_NETWORK}"
            if heard
            else "is the board powered, is DCC-EX on it, and is this its port? `pointsman ports` lists them",
        )

    async def _until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        return await within(self._heard.changed, true, at_most_s)


Ask = Callable[[bytes], asyncio.Future[list[Reply]]]


async def make_safe(ask: Ask, addresses: Addresses, where: str) -> set[int]:
    """Outputs off before anything else, then every locomotive stopped; returns the outputs that it does not have.

    What each locomotive was doing is asked just before: afterwards nothing tells any more that somebody drove it.
    Raises StationError when the station does not take a locomotive, or does not say that it has done these things.
    """
    missing = set()
    for number, magnet in addresses.magnets.items():
        off = OutputState(number, magnet.ours(False))
        if Refused() in await _surely(ask, off_frame(magnet), partial(eq, off), f"magnet {magnet.name} is off", where):
            missing.add(number)
    for cab in addresses.locomotives:
        await ask(encode(ThrottleQuery(cab)))
    await ask(encode(EmergencyStop()))
    for cab, locomotive in addresses.locomotives.items():
        frames = encode(Throttle(cab, 0, True)) + encode(ThrottleQuery(cab))
        replies = await _surely(ask, frames, partial(_stands, cab), f"locomotive {locomotive} stands", where)
        # an older station with a full table says nothing to the command, and to the question that it does not know it
        if Refused() in replies or any(isinstance(r, LocomotiveState) and r.register < 0 for r in replies):
            raise StationError(
                f"the station does not take locomotive {locomotive} (cab {cab})",
                where=where,
                cure="its table of locomotives may be full: restart the station",
            )
    return missing


def _stands(cab: int, reply: Reply) -> bool:
    """Does it say that this locomotive stands, or that it is not known (as cab 0 in 5.7)?"""
    if not isinstance(reply, LocomotiveState):
        return False
    return reply.register < 0 or (reply.cab, reply.speed, reply.forward) == (cab, 0, True)


async def _surely(ask: Ask, frames: bytes, done: Callable[[Reply], bool], what: str, where: str) -> list[Reply]:
    """The replies to these frames, sent again until the last one that counts says ``done``, or they are refused."""
    for _ in range(TRIES):
        replies = await ask(frames)
        if Refused() in replies or any(map(done, replies)):
            return replies
    raise StationError(
        f"the station does not say that {what}, asked {TRIES} times",
        where=where,
        cure="look at the cable; then start again",
    )


async def compare(ask: Ask, addresses: Addresses, where: str, missing_outputs: Collection[int]) -> None:
    """Compare station and wiring.

    Raises StationError that names everything the station does not have, with the line that defines it.
    """
    wiring = addresses.wiring
    missing: list[str] = []
    cures: list[str] = []
    for number, magnet in addresses.magnets.items():
        if number in missing_outputs:
            missing.append(f"output {number} (magnet {magnet.name})")
            cures.append(magnet_line(wiring.uncouplers[magnet.name]))
    await ask(encode(TrackModes()))
    known = await _turnouts(ask)
    for number, turnout in addresses.turnouts.items():
        if number not in known:
            missing.append(f"turnout {number} ({turnout.name})")
            cures.append(turnout_line(wiring.turnouts[turnout.name]))
    sensors = [reply.sensor for reply in await ask(encode(SensorStates())) if isinstance(reply, SensorState)]
    for number, beam in addresses.beams.items():
        if number not in sensors:
            missing.append(f"sensor {number} (beam {beam.name})")
            cures.append(beam_line(wiring.beams[beam.name]))
    if missing:
        by_hand = f"define it there, then <E> to keep it: {'; '.join(cures)}"
        told = " (PIN is where it is wired to)" if any(" PIN" in cure for cure in cures) else ""
        raise StationError(
            f"the station does not know {', '.join(missing)}",
            where=where,
            cure=f"pointsman doctor LAYOUT --on ... --define --move writes it, after asking; or {by_hand}{told}",
        )


async def _turnouts(ask: Ask) -> set[int]:
    """The ids that the station has; an older one that cannot list ids is asked for the definitions."""
    ids: set[int] = set()
    for reply in await ask(encode(TurnoutIds())):
        if isinstance(reply, TurnoutIdList):
            ids.update(reply.turnouts)
    if not ids:
        for reply in await ask(encode(ListTurnouts())):
            if isinstance(reply, TurnoutDefinition | TurnoutState):
                ids.add(reply.turnout)
    return ids
