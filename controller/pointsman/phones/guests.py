"""Whose phones they are: names, what the marshal has allowed each of them, and which of them has come again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

KEPT_S = 60.0
"""So long after its connection broke a phone may come again and still be accepted.

A walk through the dead corner of a hall's network, or an app that was in the background, takes some seconds; after
a minute it may be in another hand. It is the same phone when what its app knows itself by and its address on the
network are the same. One that has said goodbye is not accepted any more at once.
"""
LONGEST_ID = 64
MOST_KNOWN = 200


class State(StrEnum):
    """What a phone does."""

    READING = "reading"
    WAITING = "waiting"
    DRIVING = "driving"


@dataclass(frozen=True, slots=True)
class Person:
    """A phone, for the marshal. ``locomotive`` is the one that it drives, waits for, or has been accepted for."""

    who: str
    name: str
    state: State
    locomotive: str | None


@dataclass(slots=True)
class Guest:
    """A phone, also while it is away. ``locomotive`` is the one that it has been accepted for."""

    who: str
    name: str = ""
    locomotive: str | None = None
    lost_s: float | None = None


class Guests:
    """All phones that have said what their app knows itself by. ``clock`` counts seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: OrderedDict[tuple[str, str], Guest] = OrderedDict()
        self._number = 0

    def new(self) -> Guest:
        """Somebody who has just connected."""
        self._number += 1
        return Guest(f"phone {self._number}")

    def known(self, guest: Guest, told: str, address: str) -> Guest:
        """The guest that a phone is by what its app knows itself by: the one it was before, or the one it is."""
        key = (told[:LONGEST_ID], address)
        before = self._known.setdefault(key, guest)
        self._known.move_to_end(key)
        while len(self._known) > MOST_KNOWN:
            self._known.popitem(last=False)
        if before.lost_s is not None and self._clock() - before.lost_s > KEPT_S:
            before.locomotive = None
        before.lost_s = None
        before.name = guest.name or before.name
        return before

    def left(self, guest: Guest, *, for_good: bool) -> None:
        """Its connection has ended; ``for_good``: it has said goodbye."""
        guest.lost_s = self._clock()
        if for_good:
            guest.locomotive = None
