"""Bringing a link up: who is there, make everything safe, compare what is fitted and set with the wiring."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pointsman.drivers.node.addresses import Addresses
from pointsman.drivers.node.misfits import UPLOAD, of_board, of_settings, wanted_settings
from pointsman.drivers.node.orders import Answer
from pointsman.drivers.patience import LATE_AFTER_S
from pointsman.errors import StationError
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import Accepted, Refused
from pointsman.protocols.node_constants import BOARDS, RESETS, VERSION, Setting, Verb

Ask = Callable[[m.Command], Awaitable[Answer]]
"""Writes a command and gives the answer. Raises LinkLostError."""
Until = Callable[[Callable[[], bool], float], Awaitable[bool]]
"""Waits until it is true, at most so many seconds; false then. Raises LinkLostError."""
FOUND_WITHIN_S = 10.0
"""A board that is reset takes 2 s; one that talks only while DTR is high is heard after 5 s (``SerialTransport``)."""


def greeting(about: m.About) -> str:
    """What a node says of itself, for a person."""
    return f"node {about.firmware} on an {BOARDS[about.board]}; started last: {RESETS[about.reset]}"


def fitted(about: m.About) -> str:
    """What a node has pins for, for a person."""
    things = [f"{about.turnouts} turnouts", f"{about.beams} beams", f"{about.magnets} magnets"]
    things += [name for name, there in (("a throttle", about.dc), ("a track relay", about.relay)) if there]
    return ", ".join(things)


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
                cure = (
                    'is the firmware of a node on it, and is this its port (firmware/README.md, "Uploading")? With two '
                    "boards: are their ports swapped?"
                )
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
                f"the node speaks version {version} of its protocol, and this program version {VERSION}", UPLOAD
            )
        if not isinstance(found, m.About):
            raise self._error("what answers here does not say what it is, as a node does", UPLOAD)
        return found

    async def make_safe(self, about: m.About) -> None:
        """Speed 0, every magnet off, the power off: whatever was asked of it before."""
        for message in (*all_off(about), m.Off()):
            await self._fine(message)

    async def compare(self, about: m.About) -> None:
        """What is fitted and how it is set, against the wiring."""
        addresses = self._addresses
        for misfit in of_board(addresses, about):
            raise self._error(misfit.what, misfit.cure)
        settings = {one: await self._get(*one) for one in wanted_settings(addresses)}
        self.heartbeat_s = settings[Setting.HEARTBEAT_MS, 0] / 1000
        for misfit in of_settings(addresses, settings):
            raise self._error(misfit.what, misfit.cure)

    async def _get(self, setting: Setting, of: int = 0) -> int:
        values = m.answer_of(Verb.GET, (await self._fine(m.Get(setting, of))).values)
        if values is None:
            raise self._error(f"the node does not say how {setting} is set", UPLOAD)
        return int(values[0])

    async def _fine(self, message: m.Command) -> Accepted:
        answer = await self._ask(message)
        if not isinstance(answer, Accepted):
            raise self._error(f"the node refused {' '.join(m.words(message))!r}: {answer.meaning}", UPLOAD)
        return answer

    def _error(self, what: str, cure: str) -> StationError:
        return StationError(what, where=self._where, cure=cure)
