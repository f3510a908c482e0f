"""Which language somebody reads."""

from __future__ import annotations

from starlette.requests import HTTPConnection

from pointsman.web.audience import LANGUAGES


def language_of(connection: HTTPConnection) -> str:
    """The one that is asked for with ``lang``; else the first that the browser wishes and we have; else English."""
    wished = connection.query_params.get("lang", "")
    if wished in LANGUAGES:
        return wished
    for one in connection.headers.get("accept-language", "").split(","):
        language = one.partition(";")[0].strip().partition("-")[0].lower()
        if language in LANGUAGES:
            return language
    return "en"
