"""One client on the websocket: what it asks for is done beside what it is told; a stop before everything else."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from pointsman.box import shown
from pointsman.box.box import Box
from pointsman.errors import PointsmanError, RefusedError
from pointsman.phones.server import Phones
from pointsman.web.audience import Audience, Client
from pointsman.web.commands import (
    Deeds,
    EmergencyStop,
    Language,
    Message,
    calms,
    may,
    means_stop,
    number_of,
    parse,
    refused,
)
from pointsman.web.languages import language_of
from pointsman.web.phones import row
from pointsman.web.rates import sender
from pointsman.web.sessions import Role, Session, Sessions
from pointsman.web.turns import Turns

LOG = logging.getLogger("pointsman.web")
MOST_CLIENTS = 300
MOST_EACH = 150
"""Clients in all, and from one address: nobody can keep all others out by opening many pages."""
MOST_BYTES = 2048
"""Of one message from a client."""
MOST_AT_ONCE = 8
"""What one client may ask for before the first of it is done."""
A_SECOND = 20.0
AT_ONCE = 40.0
"""Messages of a client: so many a second, so many at once; one that sends more is shown out."""
SLOW_S = 10.0
"""A client that takes nothing for so long is given up."""
BEAT_S = 1.0
LONGEST_TAB = 4
"""Letters that tell the pages of one session apart."""
_POLICY, _TOO_BIG, _NOT_TEXT, _FULL = 1008, 1009, 1003, 1013


class _Asked:
    """How much a client has asked for that is not done yet."""

    def __init__(self) -> None:
        self.number = 0


class Visits:
    """Everybody on the websocket, ``most_each`` from one address. Made in the running loop."""

    def __init__(self, box: Box, sessions: Sessions, most_each: int = MOST_EACH) -> None:
        self._most_each = most_each
        self.box, self.sessions = box, sessions
        self.deeds = Deeds(box, sessions)
        self.audience = Audience(box.snapshot, self._people)
        self._turns = Turns()
        self._doing: set[asyncio.Task[None]] = set()
        self._visitors: dict[Client, tuple[Session, str]] = {}
        self._from: Counter[str] = Counter()
        self._forget = box.subscribe(self.audience.hear)
        sessions.on_leaving(box.hand.dismiss)
        sessions.on_becoming(self._changed)
        box.hand.on_refused(self._refused)

    async def beat(self) -> None:
        """Tell everybody once a second that the server is alive, until cancelled."""
        while True:
            self.audience.beat(time.monotonic_ns() // 1_000_000)
            for session, _ in self._visitors.values():
                self.sessions.used(session)
            await asyncio.sleep(BEAT_S)

    async def close(self) -> None:
        """Nothing more is done or told."""
        self._forget()
        for task in self._doing:
            task.cancel()
        if self._doing:
            await asyncio.wait(self._doing)

    def _changed(self, session: Session) -> None:
        """Somebody has another role now."""
        LOG.info("%s comes in", session.who)
        self.audience.again()
        for client, (visitor, tab) in self._visitors.items():
            if visitor is session:
                self.audience.initiate(client, insider=_is_insider(session))
                client.answer(_you(session, tab))

    def _refused(self, who: str, error: RefusedError) -> None:
        """What somebody's throttle asked for is refused by the layout: told to that page, which then closes it."""
        for client, (session, tab) in self._visitors.items():
            if _holder(session, tab) == who:
                client.answer(self._refusal(None, error))

    async def visit(self, websocket: WebSocket, session: Session) -> None:
        """Serve one client until it goes."""
        here = sender(websocket)
        if len(self.audience.clients) >= MOST_CLIENTS or self._from[here] >= self._most_each:
            await websocket.close(_FULL, "too many look at once")
            return
        self._from[here] += 1
        try:
            await self._serve(websocket, session)
        except WebSocketDisconnect:
            pass  # it went before it was greeted, or before it was shown out
        finally:
            self._from[here] -= 1
            self._from += Counter()  # forgets who has none left

    async def _serve(self, websocket: WebSocket, session: Session) -> None:
        await websocket.accept()
        client = self.audience.join(language_of(websocket), insider=_is_insider(session))
        tab = _tab(websocket)
        holder = _holder(session, tab)
        self._visitors[client] = session, tab
        client.answer(_you(session, tab))
        sending = asyncio.create_task(_send(websocket, client, self._turns))
        hearing = asyncio.create_task(self._listen(websocket, client, session, tab))
        both: set[asyncio.Task[Any]] = {sending, hearing}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.audience.leave(client)
            del self._visitors[client]
            # Whatever its role is by now: the train that this page drives has nobody any more.
            self.box.hand.gone(holder)
            self.box.hand.gone(_holder(session, tab))
            for task in both:
                task.cancel()
            await asyncio.wait(both)
        if not sending.cancelled():
            sending.result()
        out = None if hearing.cancelled() else hearing.result()
        if out is not None:
            await websocket.close(*out)

    async def _listen(self, websocket: WebSocket, client: Client, session: Session, tab: str) -> tuple[int, str] | None:
        """Hear a client until it goes; or until it must: with which code, and why."""
        left, at_s, asked = AT_ONCE, time.monotonic(), _Asked()
        while True:
            received = await websocket.receive()
            if received["type"] == "websocket.disconnect":
                return None
            text = received.get("text")
            if text is None or len(text) > MOST_BYTES:
                return (_NOT_TEXT, "only text is read") if text is None else (_TOO_BIG, "this is too long")
            now = time.monotonic()
            left, at_s = min(AT_ONCE, left + (now - at_s) * A_SECOND) - 1, now
            try:
                message = parse(text)
            except PointsmanError as error:
                if means_stop(text):
                    self.box.emergency_stop(session.who)
                client.answer(self._refusal(number_of(text), error))
            else:
                if isinstance(message, EmergencyStop):
                    self.box.emergency_stop(session.who, power_off=message.power_off)
                    client.answer({"type": "done", "id": message.id})
                else:
                    self._ask(message, client, session, tab, asked, too_often=left < 0)
            if left < -AT_ONCE:
                return _POLICY, "too much is asked for"

    def _ask(
        self, message: Message, client: Client, session: Session, tab: str, asked: _Asked, *, too_often: bool
    ) -> None:
        if isinstance(message, Language):
            self.audience.speak(client, message.language)
            client.answer({"type": "done", "id": message.id})
            return
        if not may(session.role, message, self.box.snapshot.question):
            why = f"a {session.role.word} may not do this"
            client.answer(self._refusal(message.id, RefusedError([why], cure="ask the marshal")))
            return
        if (too_often or asked.number >= MOST_AT_ONCE) and not calms(message):
            why = "too much is asked for at once"
            client.answer(self._refusal(message.id, RefusedError([why], cure="wait a moment")))
            return
        asked.number += 1
        task = asyncio.create_task(self._do(message, client, session, tab))
        self._doing.add(task)

        def over(done: asyncio.Task[None]) -> None:
            asked.number -= 1
            self._doing.discard(done)
            if not done.cancelled() and done.exception() is not None:
                LOG.error("a fault of the program", exc_info=done.exception())
                fault = PointsmanError("a fault of the program", cure="look at what serve has printed")
                client.answer(self._refusal(message.id, fault))

        task.add_done_callback(over)

    async def _do(self, message: Message, client: Client, session: Session, tab: str) -> None:
        try:
            await self.deeds.do(message, session, _holder(session, tab))
        except PointsmanError as error:
            client.answer(self._refusal(message.id, error))
        else:
            client.answer({"type": "done", "id": message.id})
            self.audience.again()

    def _refusal(self, number: int | None, error: PointsmanError) -> dict[str, Any]:
        return refused(number, shown.refusal(self.box.ground.track, error, 0.0))

    def _people(self) -> dict[str, Any]:
        """The drivers, for the marshal's list."""
        whose = self.box.hand.whose
        drivers = [_driver(one, drives=one.who == whose) for one in self.sessions.drivers]
        phones = [] if self.deeds.phones is None else [row(one) for one in self.deeds.phones.people]
        return {"people": [*drivers, *phones]}

    def admit(self, phones: Phones) -> None:
        """Phones are served, too."""
        self.deeds.phones = phones
        self.audience.again()


def _is_insider(session: Session) -> bool:
    """Who the others are, and what they call themselves, concerns the marshal alone."""
    return session.role is Role.MARSHAL


def _driver(session: Session, *, drives: bool) -> dict[str, Any]:
    """A driver in the marshal's list; one drives who holds the throttle."""
    said = {"who": session.who, "name": session.who, "kind": "page", "role": session.role.word}
    return {**said, "state": "driving" if drives else "may", "locomotive": session.locomotive}


async def _send(websocket: WebSocket, client: Client, turns: Turns) -> None:
    """Send what there is, each text when the one before is on its way, until the client is lost."""
    try:
        while not client.lost:
            await client.something()
            await turns.wait()
            text = client.next()
            async with asyncio.timeout(SLOW_S):
                await websocket.send_text(text)
    except (TimeoutError, WebSocketDisconnect):
        pass  # it is given up, or has gone: the visit is over


def _tab(websocket: WebSocket) -> str:
    """What a page calls itself: the same after a reload, another in every tab."""
    said = websocket.query_params.get("tab", "")
    return said[:LONGEST_TAB] if said.isalnum() and said.isascii() else ""


def _holder(session: Session, tab: str) -> str:
    """Who holds a throttle: one page of a session."""
    return f"{session.who}, page {tab}" if tab else session.who


def _you(session: Session, tab: str) -> dict[str, Any]:
    who = _holder(session, tab)
    return {"type": "you", "role": session.role.word, "who": who, "locomotive": session.locomotive}
