"""Listening to a station without driving it: how each thing is that a layout's wiring names, and every change."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pointsman.drivers.patience import within
from pointsman.errors import LinkLostError

ON = "ON"
"""The state of a magnet or of the power that a person should see."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A change, ``t_s`` seconds after watching began. ``beam`` names the layout's beam, and ``broken`` its state;
    both are empty for everything else.
    """

    t_s: float
    text: str
    beam: str = ""
    broken: bool | None = None


@dataclass(frozen=True, slots=True)
class Told:
    """A thing of the wiring, the station's own name of it, and how it is; ``state`` is empty when nothing was told.

    ``wrong`` says why nobody can play so, ``cure`` what to do.
    """

    what: str
    where: str
    state: str
    wrong: str = ""
    cure: str = ""


class Ear(ABC):
    """Listens to one station, and asks at most; whoever drives there is not disturbed.

    It belongs to the running event loop. ``tell`` hears of each change after ``open``.
    """

    def __init__(self, where: str, things: Mapping[str, str], tell: Callable[[Seen], None]) -> None:
        """``things``: what is listened to (``beam s1``), with the station's name of it."""
        self.greeting = ""
        self.notes: list[str] = []
        """What a person should look into."""
        self.facts: list[str] = []
        """What else is worth telling."""
        self.details: dict[str, Any] = {}
        """The same as JSON values."""
        self.where = where
        self._things = dict(things)
        self._tell = tell
        self._states: dict[str, str] = {}
        self._wrong: dict[str, tuple[str, str]] = {}
        self._lost = ""
        self._changed = asyncio.Event()
        self._began_t_s: float | None = None

    async def open(self) -> None:
        """Begin to listen; ends when all that can be known is known. Raises LinkError."""
        await self._open()
        self.begin()

    def begin(self) -> None:
        """From now on changes are told."""
        self._began_t_s = asyncio.get_running_loop().time()

    def told(self) -> list[Told]:
        """How everything is now, in the wiring's order."""
        return [
            Told(what, where, self._states.get(what, ""), *self._complaint(what))
            for what, where in self._things.items()
        ]

    async def keep(self, seconds: float | None) -> None:
        """Listen for so long, or without end. Raises LinkLostError when the link goes."""
        try:
            async with asyncio.timeout(seconds):
                while not self._lost:
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            return
        raise self._gone()

    async def close(self) -> None:
        """Stop listening."""
        await self._close()

    async def _until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        found = await within(self._changed, lambda: true() or bool(self._lost), at_most_s)
        if self._lost:
            raise self._gone()
        return found

    def _gone(self) -> LinkLostError:
        return LinkLostError(f"the link was lost: {self._lost}", where=self.where, cure="try again")

    def _known(self, what: Iterable[str]) -> bool:
        return all(one in self._states for one in what)

    def _put(self, what: str, state: str, *, broken: bool | None = None) -> None:
        """It is said of a thing how it is."""
        before, self._states[what] = self._states.get(what), state
        if before != state:
            self._say(f"{what}: {state}", "" if broken is None else what.removeprefix("beam "), broken)
        self._changed.set()

    def _say(self, text: str, beam: str = "", broken: bool | None = None) -> None:
        if self._began_t_s is not None:
            self._tell(Seen(asyncio.get_running_loop().time() - self._began_t_s, text, beam, broken))

    def _on_lost(self, reason: str) -> None:
        self._lost = reason or "it was closed"
        self._changed.set()

    def _complaint(self, what: str) -> tuple[str, str]:
        if what in self._wrong:
            return self._wrong[what]
        if what.startswith("magnet ") and self._states.get(what) == ON:
            return f"{what} is on: a coil burns so", "switch the layout off, and look why"
        return self._unheard(what) if what not in self._states else ("", "")

    @abstractmethod
    def _unheard(self, what: str) -> tuple[str, str]:
        """What is wrong, and the cure, when nothing was told of it; empty when nothing is wrong with that."""

    @abstractmethod
    async def _open(self) -> None: ...

    @abstractmethod
    async def _close(self) -> None: ...
