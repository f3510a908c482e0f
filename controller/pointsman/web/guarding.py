"""What is looked at before any route: who is called, from which page, how much is sent; and what every answer says.

* ``Host`` must be an address, this computer's own name or ``localhost``: no name of somebody else's that has been made
  to lead here (DNS rebinding).
* Whatever changes something (every method but GET and HEAD), and the websocket, must come from this server's own pages:
  the ``Origin`` must be there and name the same host and port as ``Host``.
* A body is 4 kB at most; what is asked of a competition, a list of entrants say, may be longer.
* One address asks for so much a second at most; an emergency stop is counted by its route.
* Requests are begun one after the other, so that they keep no emergency stop waiting.
"""

from __future__ import annotations

import asyncio
import random
import re
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pointsman.web.addresses import parsed
from pointsman.web.audience import IN_WORDS
from pointsman.web.languages import language_of
from pointsman.web.rates import Rates, sender
from pointsman.web.turns import Turns

MOST_BODY_BYTES = 4096
MOST_DEED_BYTES = 300_000
"""A list of entrants, or a round with a scheme of the club's own: 200 kB as text, and what JSON makes of it."""
A_SECOND = 100.0
AT_ONCE = 6000.0
"""Requests from one address. A page is 40 of them."""
PAGES_A_SECOND = 10.0
PAGES_AT_ONCE = 300.0
"""Openings of the websocket from one address: also when it asks for too much else."""
TOO_MUCH_S = 1.0
"""Half as long to so long whoever asks for too much waits for that answer: then few are given, and not at once."""
ANSWERS_AT_A_TIME = 1
"""Requests that are begun before the loop looks at what has come in: a stop does not wait for those of many."""
STOP = "/api/emergency-stop"
POLICY = "; ".join(
    [
        "default-src 'self'",
        "img-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
TOO_MUCH = 429, {"why": "too much is asked for from this address", "cure": "wait a moment"}
_SAFE = frozenset({"GET", "HEAD"})
_DEEDS = re.compile(r"/api/competitions/[^/]+/deeds")


def own_names() -> frozenset[str]:
    """What this computer is called, without and with ``.local``."""
    name = socket.gethostname().lower()
    short = name.partition(".")[0]
    return frozenset({"localhost", name, short, f"{short}.local"})


def is_own(host: str, names: Iterable[str]) -> bool:
    """Whether a ``Host`` (with or without a port) is an address, or one of these names."""
    found = _hostname(host)
    if found is None:
        return False
    return parsed(found) is not None or found in names


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


class Guard:
    """The outermost part of the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._names = own_names()
        self._rates = Rates(A_SECOND, AT_ONCE, time.monotonic)
        self._turns: Turns | None = None
        self._pages = Rates(PAGES_A_SECOND, PAGES_AT_ONCE, time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope, Headers(scope=scope)) or self._too_much(scope)
        if scope["type"] == "websocket":
            if refusal is None:
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]["why"]})
            return
        if scope["path"] != STOP:
            self._turns = self._turns or Turns(ANSWERS_AT_A_TIME)
            await self._turns.wait()
        answer = self._app
        if refusal is not None:
            said = IN_WORDS[language_of(HTTPConnection(scope))](refusal[1])
            answer = JSONResponse(said, status_code=refusal[0])
        await answer(scope, _Bounded(receive, _most(scope)), _with_headers(send, receive))

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, dict[str, str]] | None:
        """The status and the words with which a request is refused, if it is."""
        host = headers.get("host", "")
        if not is_own(host, self._names):
            return 421, {"why": "this server is not called so", "cure": "use the address that serve has printed"}
        changes = scope["type"] == "websocket" or scope["method"] not in _SAFE
        if changes and not _same_origin(headers.get("origin", ""), host):
            return 403, {"why": "this comes from another page", "cure": "use this server's own page"}
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > _most(scope):
            return 413, {"why": "this is too long", "cure": f"send {_most(scope)} bytes at most"}
        return None

    def _too_much(self, scope: Scope) -> tuple[int, dict[str, str]] | None:
        if scope["path"] == STOP:
            return None
        rates = self._rates if scope["type"] == "http" else self._pages
        return None if rates.allows(sender(HTTPConnection(scope))) else TOO_MUCH


def _most(scope: Scope) -> int:
    """Bytes of a body."""
    return MOST_DEED_BYTES if _DEEDS.fullmatch(scope["path"]) else MOST_BODY_BYTES


def _same_origin(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower() and urlsplit(origin).scheme in {"http", "https"}
    except ValueError:
        return False


class _Bounded:
    """A body that does not say how long it is ends, as if the client had gone, when it is too long."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        return message if self._left >= 0 else {"type": "http.disconnect"}


def _with_headers(send: Send, receive: Receive) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == TOO_MUCH[0]:
                await _gone(receive, random.uniform(TOO_MUCH_S / 2, TOO_MUCH_S))
            message.setdefault("headers", [])
            headers: Any = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers[name] = value
            if "cache-control" not in headers:
                headers["cache-control"] = "no-store"
        await send(message)

    return told


async def _gone(receive: Receive, within_s: float) -> None:
    """Return when whoever asked has gone, or after so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(within_s):
            while (await receive())["type"] != "http.disconnect":
                pass
