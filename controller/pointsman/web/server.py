"""The application, put together: routes, what guards them, how errors are told, and what lives as long as it.

It serves a layout, a competition, or both.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from importlib.metadata import version

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from pointsman.errors import CompetitionError, EntryError, PointsmanError, RefusedError
from pointsman.web import front as fronts
from pointsman.web import routes
from pointsman.web.audience import IN_WORDS
from pointsman.web.competing import alone, papers
from pointsman.web.competing import routes as competing
from pointsman.web.competing.hall import Hall
from pointsman.web.front import Front
from pointsman.web.guarding import Guard
from pointsman.web.languages import language_of
from pointsman.web.routes import STATIC, House

METHOD_NOT_ALLOWED = 405
SEE = "see /openapi.json"
Life = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def make_app(house: House, hall: Hall | None = None) -> FastAPI:
    """The application of a layout, and of a competition on it; its loop is the box's."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        beating = asyncio.create_task(house.visits.beat())
        try:
            await house.box.open()
            async with nullcontext() if hall is None else hall.open():
                yield
        finally:
            await house.box.close()
            beating.cancel()
            await asyncio.wait([beating])
            await house.visits.close()

    app = _app(
        house,
        life,
        "The signal box of a model railway layout",
        "What changes is told on the websocket `/ws`, where everything on the layout is asked for too.",
    )
    app.state.house = house
    _serve(app, routes.router)
    return app if hall is None else _with(app, hall)


def make_hall_app(front: Front, hall: Hall) -> FastAPI:
    """The application of a competition alone."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        async with hall.open():
            yield

    app = _app(
        front,
        life,
        "A competition of model railway shunting",
        "What changes is told by the competition's events; everything is asked for by its deeds.",
    )
    _serve(app, alone.router)
    return _with(app, hall)


def _app(front: Front, life: Life, summary: str, description: str) -> FastAPI:
    app = FastAPI(
        title="pointsman",
        summary=summary,
        description=description,
        version=version("pointsman"),
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.state.front = front
    app.add_middleware(Guard)
    app.add_exception_handler(PointsmanError, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _no_such)
    app.state.routers = []
    _serve(app, fronts.router)
    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), name="static")
    return app


def _with(app: FastAPI, hall: Hall) -> FastAPI:
    app.state.hall = hall
    _serve(app, competing.router)
    _serve(app, papers.router)
    return app


def _serve(app: FastAPI, router: APIRouter) -> None:
    app.include_router(router)
    app.state.routers.append(router)


def _stop_all_the_same(request: Request) -> None:
    """Stop when a request for a stop is not understood otherwise; where there is a layout."""
    house = getattr(request.app.state, "house", None)
    if house is not None:
        assert isinstance(house, House), "that is what the application was made with"
        house.stop_all_the_same(request)


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PointsmanError), "that is what it is registered for"
    unusable = isinstance(error, CompetitionError) and not isinstance(error, EntryError)
    status = 403 if isinstance(error, RefusedError) else 503 if unusable else 422
    said = IN_WORDS[language_of(request)]({"why": error.what, "cure": error.cure})
    return JSONResponse(said, status_code=status)


async def _not_understood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError), "that is what it is registered for"
    _stop_all_the_same(request)
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return JSONResponse({"why": f"{where}: {first['msg']}", "cure": SEE}, status_code=422)


async def _no_such(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException), "that is what it is registered for"
    _stop_all_the_same(request)
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == METHOD_NOT_ALLOWED:
        # The router names the methods of the first route of an address only.
        here = [route for router in request.app.state.routers for route in router.routes if isinstance(route, Route)]
        here = [route for route in here if route.matches(request.scope)[0] is not Match.NONE]
        headers["allow"] = ", ".join(sorted({method for route in here for method in route.methods or ()}))
    said = IN_WORDS[language_of(request)]({"why": str(error.detail), "cure": SEE})
    return JSONResponse(said, status_code=error.status_code, headers=headers)
