"""Bringing a link up: who is there, make everything safe, compare what is fitted and set with the wiring."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pointsman.drivers.node.addresses import Addresses
from pointsman.drivers.node.orders import Answer
from pointsman.drivers.patience import LATE_AFTER_S
from pointsman.errors import StationError
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Accepted, Refused
from pointsman.protocols.node_constants import BOARDS, RESETS, VERSION, Board, Setting, Verb
from pointsman.track.wiring import TurnoutKind

Ask = Callable[[m.Command], Awaitable[Answer]]
"""Writes a command and gives the answer. Raises LinkLostError."""
Until = Callable[[Callable[[], bool], float], Awaitable[bool]]
"""Waits until it is true, at most so many seconds; false then. Raises LinkLostError."""
FOUND_WITHIN_S = 10.0
"""A board that is reset takes 2 s; one that talks only while DTR is high is heard after 5 s (``SerialTransport``)."""
NO_MACHINE, SERVO, SOLENOID = 0, 1, 2
_MACHINES = {NO_MACHINE: "none", SERVO: "a servo", SOLENOID: "a solenoid"}
_WANTED = {TurnoutKind.SERVO: SERVO, TurnoutKind.SOLENOID: SOLENOID}
_UPLOAD = "upload the firmware that belongs to this program (firmware/README.md)"
_SET_UP = "set the node up (firmware/README.md), or correct the hardware file"


def greeting(about: m.About) -> str:
    """What a node says of itself, for a person."""
    return f"node {about.firmware} on an {BOARDS[about.board]}; started last: {RESETS[about.reset]}"


def all_off(about: m.About) -> list[m.Command]:
    """Speed 0, and every magnet off."""
    magnets = [m.Magnet(number, 0) for number in range(1, about.magnets + 1)]
    return [m.Drive(True, 0), *magnets] if about.dc else [*magnets]


async def seek(answer: asyncio.Future[Answer], until: Until, boots: Callable[[], None], where: str) -> Answer:
    """Wait until somebody answers: a board that has just been reset hears nothing for 2 s; ``boots`` is called then.

    Raises StationError when nobody does, and LinkLostError.
    """
    try:
        if not await until(answer.done, LATE_AFTER_S):
            boots()
            if not await until(answer.done, FOUND_WITHIN_S - LATE_AFTER_S):
                cure = 'is the firmware of a node on it, and is this its port (firmware/README.md, "Uploading")?'
                raise StationError(f"no node answers within {FOUND_WITHIN_S:g} s", where=where, cure=cure)
        return answer.result()
    finally:
        if not answer.cancel():
            answer.exception()  # what is raised instead says the same


class SetUp:
    """One setting up of a link to a node that has answered. Raises StationError for what does not fit the wiring.

    ``heartbeat_s`` is after which silence of this program the node stops everything.
    """

    def __init__(self, ask: Ask, addresses: Addresses, where: str) -> None:
        self.heartbeat_s = 0.0
        self._ask = ask
        self._addresses = addresses
        self._where = where

    def about(self, answer: Answer) -> m.About:
        """What has answered to hello."""
        found = m.about_of(answer.values) if isinstance(answer, Accepted) else None
        version = found.version if isinstance(found, m.OtherVersion | m.About) else None
        if isinstance(answer, Refused):
            version = answer.version
        if version not in {None, VERSION}:
            raise self._error(
                f"the node speaks version {version} of its protocol, and this program version {VERSION}", _UPLOAD
            )
        if not isinstance(found, m.About):
            raise self._error("what answers here does not say what it is, as a node does", _UPLOAD)
        return found

    async def make_safe(self, about: m.About) -> None:
        """Speed 0, every magnet off, the power off: whatever was asked of it before."""
        for message in (*all_off(about), m.Off()):
            await self._fine(message)

    async def compare(self, about: m.About) -> None:
        """What is fitted and how it is set, against the wiring."""
        addresses = self._addresses
        wired = Board(addresses.made.board)
        if about.board is not wired:
            what = f"it is an {BOARDS[about.board]}, and the wiring has an {BOARDS[wired]}"
            raise self._error(what, "is this its port? If so, correct `board` in the hardware file")
        for what, things, fitted in (
            ("turnout", addresses.turnouts, about.turnouts),
            ("beam", addresses.beams, about.beams),
            ("magnet", addresses.magnets, about.magnets),
        ):
            if max(things, default=0) > fitted:
                raise self._error(f"{what} {max(things)} is wired, and the node has pins for {fitted}", _UPLOAD)
        if addresses.locomotive and not about.dc:
            raise self._error(f"locomotive {addresses.locomotive} runs on DC, and the node has no throttle", _UPLOAD)
        if addresses.made.relay and not about.relay:
            raise self._error("the wiring has a relay in the track's feed, and the node has none", _UPLOAD)
        self.heartbeat_s = await self._get(Setting.HEARTBEAT_MS) / 1000
        await self._compare_settings()

    async def _compare_settings(self) -> None:
        for number, points in self._addresses.turnouts.items():
            machine, wanted = await self._get(Setting.MACHINE, number), _WANTED[points.kind]
            if machine != wanted:
                found = _MACHINES.get(machine, f"{machine}, whatever that is")
                what = f"turnout {points.name} ({number}) is set to machine {machine} ({found}) at the node"
                raise self._error(f"{what}, and the wiring has {_MACHINES[wanted]} ({wanted})", _SET_UP)
        longest_ms = await self._get(Setting.MAGNET_MS) if self._addresses.magnets else 0
        for magnet in self._addresses.magnets.values():
            if magnet.on_ms > longest_ms:
                raise self._error(
                    f"magnet {magnet.name} is held for {magnet.on_ms} ms, and the node allows {longest_ms}",
                    "make hold_s in the hardware file shorter, or magnet_ms of the node longer, if the coil bears it",
                )

    async def _get(self, setting: Setting, of: int = 0) -> int:
        values = m.answer_of(Verb.GET, (await self._fine(m.Get(setting, of))).values)
        if values is None:
            raise self._error(f"the node does not say how {setting} is set", _UPLOAD)
        return int(values[0])

    async def _fine(self, message: m.Command) -> Accepted:
        answer = await self._ask(message)
        if not isinstance(answer, Accepted):
            raise self._error(f"the node refused {' '.join(m.words(message))!r}: {answer.meaning}", _UPLOAD)
        return answer

    def _error(self, what: str, cure: str) -> StationError:
        return StationError(what, where=self._where, cure=cure)
