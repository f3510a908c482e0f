"""The application, put together: routes, what guards them, how errors are told, and what lives as long as it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route

from pointsman.errors import PointsmanError, RefusedError
from pointsman.web.audience import IN_WORDS
from pointsman.web.guarding import Guard
from pointsman.web.languages import language_of
from pointsman.web.routes import STATIC, House, router

METHOD_NOT_ALLOWED = 405
SEE = "see /openapi.json"


def make_app(house: House) -> FastAPI:
    """The application; its loop is the box's."""

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        beating = asyncio.create_task(house.visits.beat())
        try:
            await house.box.open()
            yield
        finally:
            await house.box.close()
            beating.cancel()
            await asyncio.wait([beating])
            await house.visits.close()

    app = FastAPI(
        title="pointsman",
        summary="The signal box of a model railway layout",
        description="What changes is told on the websocket `/ws`, where everything on the layout is asked for too.",
        version=version("pointsman"),
        lifespan=life,
        docs_url=None,
        redoc_url=None,
    )
    app.state.house = house
    app.add_middleware(Guard)
    app.add_exception_handler(PointsmanError, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _no_such)
    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC, check_dir=False), name="static")
    return app


def _house(request: Request) -> House:
    house = request.app.state.house
    assert isinstance(house, House), "that is what the application was made with"
    return house


async def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, PointsmanError), "that is what it is registered for"
    status = 403 if isinstance(error, RefusedError) else 422
    said = IN_WORDS[language_of(request)]({"why": error.what, "cure": error.cure})
    return JSONResponse(said, status_code=status)


async def _not_understood(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError), "that is what it is registered for"
    _house(request).stop_all_the_same(request)
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return JSONResponse({"why": f"{where}: {first['msg']}", "cure": SEE}, status_code=422)


async def _no_such(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException), "that is what it is registered for"
    _house(request).stop_all_the_same(request)
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == METHOD_NOT_ALLOWED:
        # The router names the methods of the first route of an address only.
        here = [route for route in router.routes if isinstance(route, Route)]
        here = [route for route in here if route.matches(request.scope)[0] is not Match.NONE]
        headers["allow"] = ", ".join(sorted({method for route in here for method in route.methods or ()}))
    return JSONResponse({"why": str(error.detail), "cure": SEE}, status_code=error.status_code, headers=headers)
