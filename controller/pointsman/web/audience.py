"""Everybody who looks: each has a queue of its own that keeps only the newest state, so that nobody waits for another.

What is new is made into JSON once for all who read a language. A client that is behind gets what has changed since, in
one message.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from pointsman.box.snapshot import Snapshot
from pointsman.web.french import french

IN_WORDS: Mapping[str, Callable[[Any], Any]] = {"en": lambda values: values, "fr": french}
"""What puts the sentences in a message's values into a language."""
MOST_ANSWERS = 128
"""A client that leaves so many answers unread is given up; it is shown out before for asking so much at once."""


def as_json(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Part:
    """The newest value of one key, as JSON in each language: made once, when it is first needed.

    ``inner``: it is told to insiders only.
    """

    __slots__ = ("_json", "_key", "_value", "inner")

    def __init__(self, key: str, value: object, *, inner: bool = False) -> None:
        self._key, self._value, self.inner = key, value, inner
        self._json: dict[str, str] = {}

    def json(self, language: str) -> str:
        """The value in a language."""
        if language not in self._json:
            said = IN_WORDS[language]({self._key: self._value})[self._key]
            self._json[language] = as_json(said)
        return self._json[language]


class Message:
    """The newest parts of the state; its text is made once for each language, for insiders and for the others."""

    def __init__(self, kind: str, seq: int, parts: dict[str, Part]) -> None:
        self.kind, self.seq, self.parts = kind, seq, parts
        self._texts: dict[tuple[str, bool], str] = {}
        self.inner = all(part.inner for part in parts.values())

    def text(self, language: str, *, insider: bool) -> str:
        """The message in a language."""
        reader = language, insider
        if reader not in self._texts:
            parts = self.parts.items()
            found = [f'"type":"{self.kind}"', f'"seq":{self.seq}']
            found += [f'"{key}":{part.json(language)}' for key, part in parts if insider or not part.inner]
            self._texts[reader] = "{" + ",".join(found) + "}"
        return self._texts[reader]

    def then(self, later: Message) -> Message:
        """Both in one: what is newer counts."""
        return Message(self.kind, later.seq, {**self.parts, **later.parts})


class Client:
    """What waits to be sent to one client, in its language. An ``insider`` is told more than the others."""

    def __init__(self, language: str, *, insider: bool = False) -> None:
        self.lost = False
        self.insider = insider
        self.language = language
        self._answers: deque[str] = deque()
        self._news: Message | None = None
        self._beat = ""
        self._something = asyncio.Event()

    def answer(self, values: dict[str, Any]) -> None:
        """Something for this client alone."""
        if len(self._answers) >= MOST_ANSWERS:
            self.lost = True
        else:
            self._answers.append(as_json(IN_WORDS[self.language](values)))
        self._something.set()

    def news(self, message: Message) -> None:
        """Something new for everybody."""
        if message.inner and not self.insider:
            return
        self._news = message if self._news is None or message.kind == "state" else self._news.then(message)
        self._something.set()

    def beat(self, text: str) -> None:
        """A sign of life; only the newest is one."""
        self._beat = text
        self._something.set()

    async def something(self) -> None:
        """Return when there is something to be sent."""
        while self._news is None and not self._answers and not self._beat:
            self._something.clear()
            await self._something.wait()

    def next(self) -> str:
        """The next text to be sent, of what there is."""
        if self._news is not None:
            news, self._news = self._news, None
            return news.text(self.language, insider=self.insider)
        if self._answers:
            return self._answers.popleft()
        beat, self._beat = self._beat, ""
        return beat


class Audience:
    """All clients, and the state that they are told. ``more`` adds keys to what a snapshot has, for insiders."""

    def __init__(self, snapshot: Snapshot, more: Callable[[], dict[str, Any]]) -> None:
        self.clients: set[Client] = set()
        self._more = more
        self._snapshot = snapshot
        self._extra = more()
        self._seq = 0
        self._parts = self._made({**snapshot.values(), **self._extra})

    def join(self, language: str, *, insider: bool = False) -> Client:
        """A new client; it is told the whole state first."""
        client = Client(language)
        self.clients.add(client)
        self.initiate(client, insider=insider)
        return client

    def initiate(self, client: Client, *, insider: bool) -> None:
        """Tell a client the whole state, as an insider or not, and go on so."""
        client.insider = insider
        self.speak(client, client.language)

    def _made(self, values: dict[str, Any]) -> dict[str, Part]:
        return {key: Part(key, value, inner=key in self._extra) for key, value in values.items()}

    def speak(self, client: Client, language: str) -> None:
        """Tell a client the whole state, in a language, and go on in it."""
        client.language = language
        client.news(Message("state", self._seq, dict(self._parts)))

    def leave(self, client: Client) -> None:
        """It has gone."""
        self.clients.discard(client)

    def hear(self, snapshot: Snapshot) -> None:
        """There is a new snapshot: told to everybody as what has changed."""
        changes = snapshot.changes(self._snapshot)
        extra = self._more()
        changes |= {key: value for key, value in extra.items() if value != self._extra.get(key)}
        self._snapshot, self._extra = snapshot, extra
        if not changes:
            return
        self._seq += 1
        parts = self._made(changes)
        self._parts |= parts
        message = Message("change", self._seq, parts)
        for client in self.clients:
            client.news(message)

    def again(self) -> None:
        """Something that is no part of the snapshot may have changed."""
        self.hear(self._snapshot)

    def beat(self, t_ms: int) -> None:
        """A sign of life for everybody."""
        text = as_json({"type": "beat", "t_ms": t_ms})
        for client in self.clients:
            client.beat(text)
