"""Who asks, and what they may do: the marshal by a session, a helper's device by its token, anybody else looks on.

A token is kept by the browser in a cookie that no script reaches. It is looked up in the book again for everything that
is asked for, so that one that was revoked, or has expired, is worth nothing from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from starlette.requests import HTTPConnection
from starlette.responses import Response

from pointsman.compete.entries import Scope
from pointsman.compete.state import State, Token
from pointsman.compete.tokens import admitted, includes
from pointsman.errors import RefusedError
from pointsman.web.front import Front
from pointsman.web.sessions import Role, Session

LONGEST_TOKEN = 100


@dataclass(frozen=True, slots=True)
class Presented:
    """What a browser shows: its session's name, whether that is the marshal's, and a token.

    ``by_pin``: one becomes marshal by a PIN; without one everybody is, save who shows a token.
    """

    who: str
    marshal: bool
    by_pin: bool
    token: str | None


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks; ``until`` is when the token expires, ``stale`` that it is worth nothing."""

    who: str
    scope: Scope
    until: datetime | None = None
    stale: bool = False

    def may(self, needs: Scope) -> bool:
        """Whether the scope includes what is needed."""
        return includes(self.scope, needs)

    def check(self, needs: Scope) -> None:
        """RefusedError unless this may be done."""
        if self.stale:
            raise RefusedError(["this device is not admitted"], cure="ask the marshal for a new code, and scan it")
        if not self.may(needs):
            raise RefusedError(
                [f"{self.who or 'somebody'} may not do this"],
                cure="sign in as the marshal, or ask the marshal for a code, and scan it",
            )


def cookie_of(front: Front) -> str:
    """The name of the cookie that has a helper's token."""
    return f"{front.cookie}-helper"


def presented(front: Front, connection: HTTPConnection, session: Session | None = None) -> Presented:
    """What a browser shows."""
    session = session or front.session(connection)
    by_pin = front.sessions.by_pin
    marshal = session.role is Role.MARSHAL if session is not None else not by_pin
    token = connection.cookies.get(cookie_of(front))
    return Presented("" if session is None else session.who, marshal, by_pin, token)


def asker_of(shown: Presented, state: State, now: datetime) -> Asker:
    """Who that is by the book as it is."""
    if shown.marshal and (shown.by_pin or shown.token is None):
        return Asker(shown.who or "marshal", Scope.MARSHAL)
    if shown.token is None:
        return Asker(shown.who, Scope.LOOK)
    try:
        its = admitted(state, shown.token, Scope.LOOK, now=now)
    except RefusedError:
        return Asker("", Scope.LOOK, stale=True)
    return Asker(its.given.name, its.given.scope, its.given.expires)


def keep(front: Front, response: Response, token: str, its: Token, now: datetime) -> None:
    """Let a browser keep a token for as long as it holds."""
    lasts_s = int((its.given.expires - now).total_seconds())
    response.set_cookie(cookie_of(front), token, max_age=lasts_s, httponly=True, samesite="strict", path="/")


def forget(front: Front, response: Response) -> None:
    """Let a browser forget its token."""
    response.delete_cookie(cookie_of(front), httponly=True, samesite="strict", path="/")
