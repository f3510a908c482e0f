"""The lines on which requests come: none stays open for nothing, and nobody keeps others out by having many.

A line on which nothing is asked for waits. It is closed when its request has not come within ``REQUEST_WITHIN_S``, head
and body: of its first one from the moment at which it is there, of later ones from their first byte. Before that the
server itself ends a line that was used and is quiet. When there are too many lines, in all or from one address, the one
that has waited longest is closed for the new one, so that the many that browsers leave open harm nobody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from math import inf

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from pointsman.web.rates import address_of

REQUEST_WITHIN_S = 10.0
TAKEN_WITHIN_S = 30.0
"""An answer of which nothing is taken for so long is given up."""
MOST_LINES = 900
"""In all, those of the websocket too: a process may have 1024 files open."""
MOST_EACH = 500
"""From one address: a hundred pages that are opened at once have up to six each, of which most wait."""


class Line(H11Protocol):
    """One connection, until it ends or becomes a websocket."""

    address = ""
    waits_since_s = inf
    """When it began to wait for a request, by the loop's clock; never while one is answered."""
    _late: asyncio.TimerHandle | None = None
    _untaken: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A line is there: looked at for whether there is room for it."""
        super().connection_made(transport)
        self.address = address_of(self.client)
        lines = [one for one in self.connections if isinstance(one, Line) and one is not self]
        own = [one for one in lines if one.address == self.address]
        if len(own) >= MOST_EACH:
            _longest(own, self).give_up()
        elif len(self.connections) > MOST_LINES:
            _longest(lines, self).give_up()
        self._wait()
        self._expect()

    def connection_lost(self, exc: Exception | None) -> None:
        """It has ended."""
        super().connection_lost(exc)
        self._nothing_expected()
        self._all_taken()

    def data_received(self, data: bytes) -> None:
        """Some of a request, or all of it."""
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return
        if self._is_due():
            self._expect()
        else:
            self.waits_since_s = inf
            self._nothing_expected()

    def on_response_complete(self) -> None:
        """It waits for the next request."""
        super().on_response_complete()
        if self._is_due():
            self._wait()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """It is no line any more."""
        self._nothing_expected()
        super().handle_websocket_upgrade(event)

    def pause_writing(self) -> None:
        """Too much of an answer was not taken yet."""
        super().pause_writing()
        self._watch_taking()

    def resume_writing(self) -> None:
        """Most of it was taken."""
        super().resume_writing()
        self._all_taken()

    def timeout_keep_alive_handler(self) -> None:
        """It was quiet; what was not taken by then is waited for, but not for ever."""
        super().timeout_keep_alive_handler()
        self._watch_taking()

    def give_up(self) -> None:
        """End it at once, whatever was not taken."""
        self.transport.abort()

    def _is_due(self) -> bool:
        """Whether some of a request has still to come."""
        return self.conn.their_state in {h11.IDLE, h11.SEND_BODY}

    def _wait(self) -> None:
        self.waits_since_s = self.loop.time()

    def _expect(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(REQUEST_WITHIN_S, self.give_up)

    def _watch_taking(self) -> None:
        if self._untaken is None:
            self._untaken = self.loop.call_later(TAKEN_WITHIN_S, self.give_up)

    def _nothing_expected(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _all_taken(self) -> None:
        if self._untaken is not None:
            self._untaken.cancel()
            self._untaken = None


def _longest(lines: Iterable[Line], new: Line) -> Line:
    """The one that has waited longest; the new one, if none waits."""
    longest = min(lines, key=lambda line: line.waits_since_s, default=new)
    return new if longest.waits_since_s == inf else longest
