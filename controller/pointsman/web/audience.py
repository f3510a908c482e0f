"""Everybody who looks: each has a queue of its own that keeps only the newest state, so that nobody waits for another.

What is new is made into JSON once for all. A client that is behind gets what has changed since, in one message.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any

from pointsman.box.snapshot import Snapshot

MOST_ANSWERS = 64
"""A client that leaves so many answers unread is given up."""


def as_json(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Message:
    """The newest values of some keys, as JSON; the text of the whole message is made once, when it is first needed."""

    def __init__(self, kind: str, seq: int, keys: dict[str, str]) -> None:
        self.kind, self.seq, self.keys = kind, seq, keys
        self._text = ""

    @property
    def text(self) -> str:
        """The message."""
        if not self._text:
            parts = [
                f'"type":"{self.kind}"',
                f'"seq":{self.seq}',
                *(f'"{key}":{text}' for key, text in self.keys.items()),
            ]
            self._text = "{" + ",".join(parts) + "}"
        return self._text

    def then(self, later: Message) -> Message:
        """Both in one: what is newer counts."""
        return Message(self.kind, later.seq, {**self.keys, **later.keys})


class Client:
    """What waits to be sent to one client."""

    def __init__(self) -> None:
        self.lost = False
        self._answers: deque[str] = deque()
        self._news: Message | None = None
        self._beat = ""
        self._something = asyncio.Event()

    def answer(self, values: dict[str, Any]) -> None:
        """Something for this client alone."""
        if len(self._answers) >= MOST_ANSWERS:
            self.lost = True
        else:
            self._answers.append(as_json(values))
        self._something.set()

    def news(self, message: Message) -> None:
        """Something new for everybody."""
        self._news = message if self._news is None else self._news.then(message)
        self._something.set()

    def beat(self, text: str) -> None:
        """A sign of life; only the newest is one."""
        self._beat = text
        self._something.set()

    async def next(self) -> str:
        """The next text to be sent, once there is one."""
        while True:
            if self._news is not None:
                news, self._news = self._news, None
                return news.text
            if self._answers:
                return self._answers.popleft()
            if self._beat:
                beat, self._beat = self._beat, ""
                return beat
            self._something.clear()
            await self._something.wait()


class Audience:
    """All clients, and the state that they are told. ``more`` adds keys to what a snapshot has."""

    def __init__(self, snapshot: Snapshot, more: Callable[[], dict[str, Any]]) -> None:
        self.clients: set[Client] = set()
        self._more = more
        self._snapshot = snapshot
        self._extra = more()
        self._seq = 0
        self._keys = {key: as_json(value) for key, value in {**snapshot.values(), **self._extra}.items()}

    def join(self) -> Client:
        """A new client; it is told the whole state first."""
        client = Client()
        client.news(Message("state", self._seq, dict(self._keys)))
        self.clients.add(client)
        return client

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
        keys = {key: as_json(value) for key, value in changes.items()}
        self._keys |= keys
        message = Message("change", self._seq, keys)
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
