"""Who is who: sessions, their roles, the marshal's PIN, and one-time codes for drivers. Nothing here waits.

A session is a secret that a browser keeps in a cookie. Whoever opens the page where only this computer can reach it
is marshal. Elsewhere one is spectator by coming, marshal by the PIN, and driver by a code that a marshal has made.
"""

from __future__ import annotations

import hmac
import secrets
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

from pointsman.errors import RefusedError
from pointsman.web.addresses import is_loopback

UNUSED_S = 12 * 3600.0
"""A session that nobody has used for so long is over; a page that is open uses its own."""
MOST_SESSIONS = 2000
"""More are not remembered: the spectator that was away longest is forgotten."""
CODE_S = 120.0
"""So long a driver's code may be used, once."""
MOST_CODES = 20
TRIES_EACH = 5
TRIES_ALL = 30
TRIES_S = 300.0
"""Wrong PINs within so long: more are refused, from one address or from all together; and wrong codes, from one.

All together, because who has many addresses could try PINs from each; a code is too long for that. This computer, and
an address from which the PIN was right, are not refused for what others did: nobody can lock the marshal out.
"""
MOST_ADDRESSES = 1000


class Role(IntEnum):
    """What somebody may do; each may what the ones before may. An emergency stop may anyone."""

    SPECTATOR = 0
    DRIVER = 1
    MARSHAL = 2

    @property
    def word(self) -> str:
        """As it is sent."""
        return self.name.lower()


@dataclass(slots=True)
class Session:
    """One browser. ``who`` is a name to be shown, ``token`` its secret; a driver has a ``locomotive``."""

    token: str
    who: str
    role: Role
    locomotive: str | None = None
    used_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _Code:
    locomotive: str
    until_s: float


class Tries:
    """How often somebody was wrong of late, by address and in all: ``most`` of them, None: it is not counted."""

    def __init__(self, clock: Callable[[], float], most: int | None = None) -> None:
        self._clock = clock
        self._most = most
        self._all: deque[float] = deque(maxlen=most or 0)
        self._each: OrderedDict[str, deque[float]] = OrderedDict()
        self._right: OrderedDict[str, None] = OrderedDict()

    def check(self, address: str) -> None:
        """Raises RefusedError when there were too many."""
        self._bound(self._each.get(address, deque()), TRIES_EACH)
        if self._most is not None and address not in self._right and not is_loopback(address):
            self._bound(self._all, self._most)

    def _bound(self, tries: deque[float], most: int) -> None:
        now = self._clock()
        recent = [at for at in tries if now - at < TRIES_S]
        if len(recent) >= most:
            wait_s = TRIES_S - (now - recent[0])
            raise RefusedError(["there were too many wrong tries"], cure=f"wait {wait_s / 60:.0f} minutes")

    def wrong(self, address: str) -> None:
        """One more."""
        self._all.append(self._clock())
        self._each.setdefault(address, deque(maxlen=TRIES_EACH)).append(self._clock())
        self._each.move_to_end(address)
        while len(self._each) > MOST_ADDRESSES:
            self._each.popitem(last=False)

    def right(self, address: str) -> None:
        """None more: whoever is there knows it."""
        self._right[address] = None
        self._right.move_to_end(address)
        while len(self._right) > MOST_ADDRESSES:
            self._right.popitem(last=False)


class Sessions:
    """All sessions of a server. Without a ``pin`` everybody is marshal. ``clock`` counts seconds."""

    def __init__(self, pin: str | None, clock: Callable[[], float]) -> None:
        self._pin = pin
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._codes: OrderedDict[str, _Code] = OrderedDict()
        self._pins, self._wrong_codes = Tries(clock, TRIES_ALL), Tries(clock)
        self._numbers = dict.fromkeys(Role, 0)
        self._leaving: list[Callable[[str], None]] = []
        self._becoming: list[Callable[[Session], None]] = []

    @property
    def by_pin(self) -> bool:
        """Whether one becomes marshal by a PIN."""
        return self._pin is not None

    def on_leaving(self, hear: Callable[[str], None]) -> None:
        """Call ``hear`` with the name of whoever is about to get another role or locomotive, or to be forgotten.

        It is called before that: what somebody still has under that name can be taken back.
        """
        self._leaving.append(hear)

    def on_becoming(self, hear: Callable[[Session], None]) -> None:
        """Call ``hear`` with whoever has got another role or locomotive."""
        self._becoming.append(hear)

    def _leaves(self, session: Session) -> None:
        for hear in self._leaving:
            hear(session.who)

    def of(self, token: str | None) -> Session | None:
        """The session with a secret, if there is one."""
        self._end_unused()
        found = None if token is None else self._sessions.get(token)
        if found is not None:
            self.used(found)
        return found

    def used(self, session: Session) -> None:
        """Somebody uses it; nothing, if it is over."""
        if session.token in self._sessions:
            session.used_s = self._clock()
            self._sessions.move_to_end(session.token)

    def new(self) -> Session:
        """A session for somebody who has just come."""
        self._end_unused()
        session = Session(_secret(), "", Role.SPECTATOR, used_s=self._clock())
        self._become(session, Role.SPECTATOR if self._pin is not None else Role.MARSHAL)
        self._sessions[session.token] = session
        if len(self._sessions) > MOST_SESSIONS:
            # However many come, nobody loses a role by that.
            longest = next((one for one in self._sessions.values() if one.role is Role.SPECTATOR), None)
            self._end(next(iter(self._sessions.values())) if longest is None else longest)
        return session

    def _end_unused(self) -> None:
        # The one that was not used longest is the first.
        while self._sessions:
            first = next(iter(self._sessions.values()))
            if self._clock() - first.used_s < UNUSED_S:
                return
            self._end(first)

    def _end(self, session: Session) -> None:
        self._leaves(session)
        del self._sessions[session.token]

    def sign_in(self, session: Session, pin: str, address: str) -> None:
        """Become marshal by the PIN. Raises RefusedError."""
        self._pins.check(address)
        if self._pin is not None and not hmac.compare_digest(pin.encode(), self._pin.encode()):
            self._pins.wrong(address)
            raise RefusedError(
                ["this is not the marshal's PIN"],
                cure="whoever started serve knows it: it was chosen, or printed, then",
            )
        self._pins.right(address)
        self._become(session, Role.MARSHAL)

    def code_for(self, locomotive: str) -> str:
        """A new one-time code for the driver of a locomotive."""
        now = self._clock()
        for code in [code for code, made in self._codes.items() if made.until_s <= now]:
            del self._codes[code]
        while len(self._codes) >= MOST_CODES:
            self._codes.popitem(last=False)
        code = secrets.token_urlsafe(12)
        self._codes[code] = _Code(locomotive, now + CODE_S)
        return code

    def use_code(self, session: Session, code: str, address: str) -> None:
        """Become driver by a code, which is then used up; a marshal stays one. Raises RefusedError."""
        self._wrong_codes.check(address)
        known = next((one for one in self._codes if hmac.compare_digest(one.encode(), code.encode())), None)
        made = None if known is None else self._codes.pop(known)
        if made is None or made.until_s <= self._clock():
            self._wrong_codes.wrong(address)
            raise RefusedError(["this code was used, or is too old"], cure="ask the marshal for another one")
        if session.role is not Role.MARSHAL:
            self._become(session, Role.DRIVER, made.locomotive)

    def sign_out(self, session: Session) -> None:
        """Become what everybody is who comes."""
        self._become(session, Role.SPECTATOR if self._pin is not None else Role.MARSHAL)

    def dismiss(self, who: str) -> None:
        """Take a driver the locomotive. Raises RefusedError."""
        for session in self._sessions.values():
            if session.who == who and session.role is Role.DRIVER:
                self._become(session, Role.SPECTATOR)
                return
        raise RefusedError([f"there is no driver {who}"], cure="look at the list of drivers")

    @property
    def drivers(self) -> list[Session]:
        """Everybody who has a locomotive."""
        return [session for session in self._sessions.values() if session.role is Role.DRIVER]

    def _become(self, session: Session, role: Role, locomotive: str | None = None) -> None:
        comes = not session.who
        if not comes and (session.role, session.locomotive) == (role, locomotive):
            return
        if not comes:
            self._leaves(session)
        if comes or session.role is not role:
            self._numbers[role] += 1
            session.who = f"{role.word} {self._numbers[role]}"
        if not comes and role > session.role:
            # Whoever knew the secret before has no part in what may be done with it from now on.
            del self._sessions[session.token]
            session.token = _secret()
            self._sessions[session.token] = session
        session.role, session.locomotive = role, locomotive
        if not comes:
            for hear in self._becoming:
                hear(session)


def _secret() -> str:
    return secrets.token_urlsafe(24)
