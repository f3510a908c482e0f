"""Whoever comes in: the session of a browser and its cookie, and how one becomes marshal or driver."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.requests import HTTPConnection

from pointsman.web.rates import sender
from pointsman.web.schemas import ByCode, ByPin, RefusedView, SessionView
from pointsman.web.sessions import Session, Sessions

REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"model": RefusedView, "description": "No JSON in UTF-8."},
    403: {"model": RefusedView, "description": "Refused, and why."},
    413: {"model": RefusedView, "description": "Longer than 4 kB."},
    421: {"model": RefusedView, "description": "This server is not called so."},
    422: {"model": RefusedView, "description": "Not understood."},
}
LIMITED: dict[int | str, dict[str, Any]] = {429: {"model": RefusedView, "description": "Too often from one address."}}
router = APIRouter(responses=LIMITED)


@dataclass(frozen=True, slots=True)
class Front:
    """The sessions of a server. ``address`` is where others reach its page; the cookie is named after the port."""

    sessions: Sessions
    address: str
    port: int

    @property
    def cookie(self) -> str:
        """Cookies of one host are shared by its ports."""
        return f"pointsman-{self.port}"

    def session(self, connection: HTTPConnection) -> Session | None:
        """The session of whoever asks, if there is one."""
        return self.sessions.of(connection.cookies.get(self.cookie))

    def remember(self, response: Response, session: Session) -> None:
        """Let a browser keep the secret of its session, out of reach of any script; of several the last one."""
        del response.headers["set-cookie"]
        response.set_cookie(self.cookie, session.token, httponly=True, samesite="strict", path="/")


def _front(connection: HTTPConnection) -> Front:
    front = connection.app.state.front
    assert isinstance(front, Front), "that is what the application was made with"
    return front


FrontOf = Annotated[Front, Depends(_front)]


def known(request: Request, response: Response, front: FrontOf) -> Session:
    """The session of whoever asks; a new one for who has none."""
    found = front.session(request)
    if found is None:
        found = front.sessions.new()
        front.remember(response, found)
    return found


SessionOf = Annotated[Session, Depends(known)]


def shown(session: Session) -> SessionView:
    """Who somebody is, as it is told."""
    return SessionView.model_validate({"role": session.role.word, "who": session.who, "locomotive": session.locomotive})


@router.get("/api/session")
async def session(request: Request, front: FrontOf) -> SessionView:
    """Who you are; without a session a spectator is."""
    found = front.session(request)
    return shown(found) if found is not None else SessionView(role="spectator", who="", locomotive=None)


@router.post("/api/session", responses=REFUSED)
async def sign_in(
    given: ByPin | ByCode, request: Request, response: Response, front: FrontOf, session: SessionOf
) -> SessionView:
    """Become marshal by the PIN, or driver by a one-time code."""
    if isinstance(given, ByPin):
        front.sessions.sign_in(session, given.pin, sender(request))
    else:
        front.sessions.use_code(session, given.code, sender(request))
    front.remember(response, session)  # with a role comes a new secret
    return shown(session)


@router.delete("/api/session", responses=REFUSED)
async def sign_out(front: FrontOf, session: SessionOf) -> SessionView:
    """Give up a role."""
    front.sessions.sign_out(session)
    return shown(session)
