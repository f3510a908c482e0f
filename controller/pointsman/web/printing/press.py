"""What the server prints: each document once, one at a time, in a thread of its own: nothing else waits for it."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from pointsman.errors import RefusedError
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track
from pointsman.web.addresses import is_loopback
from pointsman.web.photos import Picture
from pointsman.web.printing.cards import cards
from pointsman.web.printing.draw_sheet import Drawn, draw_sheet
from pointsman.web.printing.sheet import Paper

_Tags = Mapping[str, str]
"""Which pictures were printed."""


_MOST_KEPT = 16
"""Of the results and certificates that were asked for last."""


class Press:
    """Keeps what it printed: of the cards, and of the draw that was asked for last, one for each language and paper.

    Of what else is printed it keeps the last documents. However often it is asked, it works once.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self._cards: dict[tuple[str, Paper], tuple[_Tags, bytes]] = {}
        self._draws: dict[tuple[str, Paper], bytes] = {}
        self._drawn: Drawn | None = None
        self._others: dict[tuple[object, ...], bytes] = {}

    async def cards(self, track: Track, language: str, paper: Paper, pictures: Mapping[str, Picture]) -> bytes:
        """The wagon cards of a layout, with the pictures that there are of its vehicles."""
        tags = {name: one.tag for name, one in pictures.items()}
        async with self._turn:
            kept = self._cards.get((language, paper))
            if kept is None or kept[0] != tags:
                photos = {name: one.data for name, one in pictures.items()}
                made = await asyncio.to_thread(cards, track, language, paper, photos)
                kept = self._cards[language, paper] = (tags, made)
            return kept[1]

    async def draw(self, drawn: Drawn, language: str, paper: Paper) -> bytes:
        """The sheet of a draw."""
        async with self._turn:
            if drawn != self._drawn:
                self._draws, self._drawn = {}, drawn
            if (language, paper) not in self._draws:
                self._draws[language, paper] = await asyncio.to_thread(draw_sheet, drawn, language, paper)
            return self._draws[language, paper]

    async def once(self, key: tuple[object, ...], make: Callable[[], bytes]) -> bytes:
        """Any other document; ``key`` tells all that it depends on, as of results the hash of the book."""
        async with self._turn:
            made = self._others.pop(key, None)
            self._others[key] = made = await asyncio.to_thread(make) if made is None else made
            while len(self._others) > _MOST_KEPT:
                del self._others[next(iter(self._others))]
            return made


def drawn_of(track: Track, puzzle: Mapping[str, Any] | None, address: str) -> Drawn:
    """The draw of a snapshot. Raises RefusedError when nothing is drawn."""
    if puzzle is None:
        raise RefusedError(["there is no draw to print"], cure="deal a puzzle")
    if puzzle["par"] is None:
        why = "the draw of an attempt is not printed: its sheet says the par"
        raise RefusedError([why], cure="print it when the round is over")
    name = f"{track.name}/{puzzle['name']}"
    return Drawn(
        track=track,
        name=name,
        title=puzzle["title"],
        seed=puzzle["seed"],
        cards=tuple(puzzle["cards"]),
        start=parse_position(puzzle["start"], track),
        goal=puzzle["goal"],
        target=puzzle["target"],
        count=Count(puzzle["count"]),
        par=puzzle["par"],
        proved=puzzle["proved"],
        link=_link(address, name, puzzle["name"], puzzle["seed"], puzzle["wagons"]),
    )


def _link(address: str, name: str, puzzle: str, seed: str | None, wagons: Sequence[str]) -> str:
    """The page with the draw in it; where only this computer reaches the page, the command that plays it."""
    if not is_loopback(urlsplit(address).hostname or "localhost"):
        drawn = "" if not wagons else f"&cards={quote(' '.join(wagons), safe='')}"
        return f"{address}#puzzle={quote(puzzle)}" + (f"&seed={quote(seed, safe='')}" if seed is not None else drawn)
    return command(name, seed, wagons)


def command(name: str, seed: str | None, wagons: Sequence[str] = ()) -> str:
    """The command that plays a draw: that of a seed, or the one with these wagons."""
    drawn = ["--cards", " ".join(wagons)] if wagons else []
    return shlex.join(["pointsman", "play", name, *(["--seed", seed] if seed is not None else drawn)])
