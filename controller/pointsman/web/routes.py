"""The routes: each a few lines over the box, the sessions, and what is shown."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response, WebSocket
from fastapi import Path as InPath
from fastapi.responses import FileResponse, JSONResponse
from starlette.requests import HTTPConnection

from pointsman.box.box import Box
from pointsman.errors import RefusedError, did_you_mean
from pointsman.track.photos import KINDS
from pointsman.web.audience import IN_WORDS
from pointsman.web.drawn_code import svg_of
from pointsman.web.front import LIMITED, REFUSED, Front, SessionOf, known, shown
from pointsman.web.guarding import STOP, TOO_MUCH
from pointsman.web.languages import Language, language_of
from pointsman.web.photos import KEPT_S, Album
from pointsman.web.printing.press import Press, drawn_of
from pointsman.web.printing.sheet import Paper
from pointsman.web.rates import Rates, sender
from pointsman.web.schemas import (
    CodeView,
    CodeWanted,
    HealthView,
    LayoutView,
    RefusedView,
    SessionView,
    StateView,
    StopWanted,
    json_of,
)
from pointsman.web.sessions import CODE_S, Role
from pointsman.web.visits import Visits

STATIC = Path(__file__).parent / "static"
STOPS_A_SECOND, STOPS_AT_ONCE = 10.0, 20.0
"""From one address; more while something is under way."""
router = APIRouter(responses=LIMITED)


@dataclass(frozen=True, slots=True)
class House(Front):
    """What the routes serve; ``album`` has the pictures of vehicles."""

    box: Box
    visits: Visits
    layout: LayoutView
    album: Album
    press: Press = field(default_factory=Press)
    stops: Rates = field(default_factory=lambda: Rates(STOPS_A_SECOND, STOPS_AT_ONCE, time.monotonic))

    def stops_too_often(self, connection: HTTPConnection) -> bool:
        """Whether an address asks for a stop again and again while there is nothing to stop."""
        return not self.stops.allows(sender(connection)) and self.box.snapshot.still

    def stop_all_the_same(self, connection: HTTPConnection) -> None:
        """Stop when a request for a stop is not understood otherwise."""
        asked = connection.scope["path"] == STOP and connection.scope["method"] == "POST"
        if asked and not self.stops_too_often(connection):
            session = self.session(connection)
            self.box.emergency_stop("somebody" if session is None else session.who)


def _house(connection: HTTPConnection) -> House:
    house = connection.app.state.house
    assert isinstance(house, House), "that is what the application was made with"
    return house


HouseOf = Annotated[House, Depends(_house)]


# ---------------------------------------------------------------- what changes nothing


@router.get("/", include_in_schema=False)
async def page(request: Request, house: HouseOf) -> Response:
    """The page."""
    answer = FileResponse(STATIC / "index.html")
    if house.session(request) is None:
        house.remember(answer, house.sessions.new())
    return answer


@router.get("/healthz")
async def healthz(house: HouseOf) -> HealthView:
    """Whether the server answers, and what goes on."""
    return HealthView(status="ok", mode=house.box.snapshot.mode, version=version("pointsman"))


@router.get("/api/layout")
async def layout(house: HouseOf, request: Request, lang: Annotated[Language | None, Query()] = None) -> LayoutView:
    """The layout as it is drawn: everything that does not change; its titles in a language, if it has them."""
    said = IN_WORDS[lang or language_of(request)](json_of(house.layout))
    return LayoutView.model_validate(said)


@router.get("/api/state", response_model=StateView)
async def state(house: HouseOf) -> JSONResponse:
    """The newest state, as the websocket tells it."""
    return JSONResponse(house.box.snapshot.values())


PHOTO: dict[int | str, dict[str, Any]] = {
    200: {"content": {kind: {} for kind in dict.fromkeys(KINDS.values())}, "description": "The picture."},
    304: {"description": "It is the same as before."},
    404: {"model": RefusedView, "description": "There is no picture."},
}


@router.get("/api/photos/{vehicle}", response_class=Response, responses=PHOTO)
async def photo(vehicle: Annotated[str, InPath(examples=["L"])], house: HouseOf, request: Request) -> Response:
    """The picture of a vehicle, as the layout's folder has it."""
    found = await house.album.picture(vehicle)
    if found is None:
        said = {"why": "there is no picture of this vehicle", "cure": "pointsman check tells what is wrong with one"}
        return JSONResponse(IN_WORDS[language_of(request)](said), status_code=404)
    tag = f'"{found.tag}"'
    headers = {"etag": tag, "cache-control": f"private, max-age={KEPT_S}"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(found.data, media_type=found.kind, headers=headers)


PDF: dict[int | str, dict[str, Any]] = {200: {"content": {"application/pdf": {}}, "description": "The document."}}
Printed = Annotated[Paper, Query(description="What it is printed on.")]


@router.get("/api/print/cards.pdf", response_class=Response, responses=PDF)
async def print_cards(
    house: HouseOf, request: Request, lang: Annotated[Language | None, Query()] = None, paper: Printed = Paper.A4
) -> Response:
    """A card for every vehicle, to be cut out."""
    pictures = await house.album.all()
    made = await house.press.cards(house.box.ground.track, lang or language_of(request), paper, pictures)
    return _pdf(made, f"{house.layout.name}-cards.pdf")


@router.get("/api/print/draw.pdf", response_class=Response, responses={**PDF, 403: REFUSED[403]})
async def print_draw(
    house: HouseOf, request: Request, lang: Annotated[Language | None, Query()] = None, paper: Printed = Paper.A4
) -> Response:
    """The sheet of what is drawn: cards, set-up, the train to form, par, and room for the runs."""
    drawn = drawn_of(house.box.ground.track, house.box.snapshot.puzzle, house.address)
    made = await house.press.draw(drawn, lang or language_of(request), paper)
    return _pdf(made, f"{house.layout.name}-draw.pdf")


def _pdf(document: bytes, name: str) -> Response:
    return Response(
        document, media_type="application/pdf", headers={"content-disposition": f'inline; filename="{name}"'}
    )


# ---------------------------------------------------------------- what changes something


@router.post(STOP, status_code=202, response_model=SessionView, responses=REFUSED)
async def emergency_stop(
    request: Request, response: Response, house: HouseOf, wanted: StopWanted | None = None
) -> SessionView | JSONResponse:
    """Stop everything at once; anyone may, at any time. What is sent with it may be left out."""
    if house.stops_too_often(request):
        status, said = TOO_MUCH
        return JSONResponse(IN_WORDS[language_of(request)](said), status_code=status)
    session = known(request, response, house)
    house.box.emergency_stop(session.who, power_off=wanted is not None and wanted.power_off)
    return shown(session)


@router.post("/api/driver-codes", responses=REFUSED)
async def driver_code(wanted: CodeWanted, house: HouseOf, session: SessionOf) -> CodeView:
    """A one-time code for the driver of a locomotive; a marshal may make one."""
    if session.role is not Role.MARSHAL:
        raise RefusedError(["only the marshal gives a locomotive away"], cure="ask the marshal")
    engine, engines = wanted.locomotive, house.box.ground.track.locomotives
    if engine not in engines:
        raise RefusedError([f"there is no locomotive {engine}"], cure=did_you_mean(engine, engines))
    # Behind the '#' it stays in the browser: no server and no log ever sees it.
    address = f"{house.address}#driver={house.sessions.code_for(engine)}"
    return CodeView(svg=svg_of(address), address=address, seconds=round(CODE_S))


@router.websocket("/ws")
async def socket(websocket: WebSocket, house: HouseOf) -> None:
    """Everything that changes, and everything that is asked for on the layout."""
    await house.visits.visit(websocket, house.session(websocket) or house.sessions.new())
