"""The routes of a competition: each a few lines over the hall."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from pointsman.compete.entries import Scope
from pointsman.compete.tokens import admitted
from pointsman.web.audience import IN_WORDS
from pointsman.web.competing import admitted as admittance
from pointsman.web.competing.asking import AT, UNREADABLE, HallOf, Lang, NamedHall
from pointsman.web.competing.deeds import Deed
from pointsman.web.competing.moment import in_text
from pointsman.web.competing.schemas import (
    AdmittedView,
    CompetitionLine,
    CompetitionsView,
    CompetitionView,
    DoneView,
    HeadView,
)
from pointsman.web.front import LIMITED, REFUSED, FrontOf, SessionOf
from pointsman.web.languages import language_of
from pointsman.web.rates import sender
from pointsman.web.routes import STATIC
from pointsman.web.schemas import LayoutView, json_of

router = APIRouter(responses={**LIMITED, **UNREADABLE})


# ---------------------------------------------------------------- what changes nothing


@router.get("/competition", include_in_schema=False)
async def page(request: Request, front: FrontOf) -> Response:
    """The page."""
    answer = FileResponse(STATIC / "competition.html")
    if front.session(request) is None:
        front.remember(answer, front.sessions.new())
    return answer


@router.get("/api/competitions")
async def competitions(hall: HallOf) -> CompetitionsView:
    """The competitions that are served here."""
    created = hall.book.state.created
    assert created is not None, "a book begins with that"
    line = CompetitionLine(name=hall.name, title=created.name, date=created.date.isoformat(), place=created.place)
    return CompetitionsView(competitions=[line])


@router.get(AT, response_model=CompetitionView)
async def competition(hall: NamedHall, front: FrontOf, request: Request, lang: Lang = None) -> Response:
    """The competition, as far as whoever asks may see it."""
    asker = hall.asker(admittance.presented(front, request))
    told = await hall.told(asker.scope, lang or language_of(request))
    packed = "gzip" in request.headers.get("accept-encoding", "")
    headers = {"vary": "accept-encoding"} | ({"content-encoding": "gzip"} if packed else {})
    answer = told.answer(asker, hall.now(), packed=packed)
    return Response(answer, media_type="application/json", headers=headers)


STREAM: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {}}, "description": "An event `head` at once and at every change."},
    403: REFUSED[403],
}


@router.get(f"{AT}/events", response_class=StreamingResponse, responses=STREAM)
async def events(hall: NamedHall, front: FrontOf, request: Request) -> StreamingResponse:
    """How far the book is, told at once and at every change."""
    shown, address = admittance.presented(front, request), sender(request)
    hall.news.check_room(address)

    def who() -> admittance.Asker:
        return hall.asker(admittance.presented(front, request)) if shown.by_pin else hall.asker(shown)

    return StreamingResponse(hall.news.stream(address, who, hall.left_s), media_type="text/event-stream")


@router.get(f"{AT}/rounds/{{round_id}}/layout")
async def layout(hall: NamedHall, round_id: str, request: Request, lang: Lang = None) -> LayoutView:
    """The layout of a round, as it is drawn."""
    drawn = await hall.layout_of(round_id)
    said = IN_WORDS[lang or language_of(request)](json_of(drawn))
    return LayoutView.model_validate(said)


# ---------------------------------------------------------------- what changes something


class TokenShown(BaseModel):
    """A helper's token, from the code that was scanned."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, json_schema_extra={"example": {"token": "Xk3aT9wQ0rB1mZ5c..."}}
    )

    token: Annotated[str, Field(min_length=1, max_length=admittance.LONGEST_TOKEN)]


@router.post(f"{AT}/token", responses=REFUSED)
async def admit(hall: NamedHall, front: FrontOf, given: TokenShown, response: Response) -> AdmittedView:
    """Admit a device by its token, which the browser keeps."""
    now = hall.now()
    its = admitted(hall.book.state, given.token, Scope.LOOK, now=now)
    admittance.keep(front, response, given.token, its, now)
    return _admitted(admittance.Asker(its.given.name, its.given.scope, its.given.expires))


@router.delete(f"{AT}/token", responses=REFUSED)
async def forget(hall: NamedHall, front: FrontOf, request: Request, response: Response) -> AdmittedView:
    """Let the browser forget its token."""
    admittance.forget(front, response)
    shown = admittance.presented(front, request)
    return _admitted(hall.asker(admittance.Presented(shown.who, shown.marshal, shown.by_pin, None)))


def _admitted(asker: admittance.Asker) -> AdmittedView:
    until = None if asker.until is None else in_text(asker.until)
    return AdmittedView.model_validate({"who": asker.who, "scope": str(asker.scope), "expires": until})


@router.post(f"{AT}/deeds", responses=REFUSED)
async def deed(hall: NamedHall, front: FrontOf, session: SessionOf, request: Request, wanted: Deed) -> DoneView:
    """Do something; the head of the book after it, and what goes with the deed."""
    shown = admittance.presented(front, request, session)
    head, answer = await hall.do(wanted, shown, front.address)
    known = hall.asker(shown).may(Scope.MARSHAL)
    return DoneView(head=HeadView(entries=head.entries, hash=head.hash if known else None), answer=answer)
