"""What every route of a competition has: the hall, found by the competition's name, and a language."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.requests import HTTPConnection

from pointsman.web.competing.hall import Hall
from pointsman.web.front import REFUSED
from pointsman.web.languages import Language
from pointsman.web.schemas import RefusedView

AT = "/api/competitions/{competition}"
UNREADABLE: dict[int | str, dict[str, Any]] = {
    422: REFUSED[422],
    503: {"model": RefusedView, "description": "The store cannot be used, or the book is not whole."},
}


def _hall(connection: HTTPConnection) -> Hall:
    hall = connection.app.state.hall
    assert isinstance(hall, Hall), "that is what the application was made with"
    return hall


HallOf = Annotated[Hall, Depends(_hall)]


def _named(competition: str, hall: HallOf) -> Hall:
    hall.check_name(competition)
    return hall


NamedHall = Annotated[Hall, Depends(_named)]
Lang = Annotated[Language | None, Query(description="The language of its sentences.")]
