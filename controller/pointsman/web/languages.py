"""The languages that are spoken, and which of them somebody reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

Language = Literal["en", "fr"]
LANGUAGES: tuple[str, ...] = get_args(Language)


def language_of(connection: HTTPConnection) -> str:
    """The one that is asked for with ``lang``; else the first that the browser wishes and we have; else English."""
    wished = connection.query_params.get("lang", "")
    if wished in LANGUAGES:
        return wished
    for one in connection.headers.get("accept-language", "").split(","):
        language = one.partition(";")[0].strip().partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return LANGUAGES[0]
