"""What the server logs: sentences, or one JSON object a line. No address of a page, no PIN, no code ever comes here."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import TextIO

OURS = ("pointsman.web", "pointsman.phones")
OTHERS = ("uvicorn", "asyncio")
"""Of these only what is wrong."""


class _AsJson(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        values = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "from": record.name,
            "what": record.getMessage(),
        }
        if record.exc_info:
            values["trace"] = self.formatException(record.exc_info)
        return json.dumps(values, ensure_ascii=False)


def log_to(stream: TextIO, *, as_json: bool) -> None:
    """Log to a stream from now on; of what the server is made with only what is wrong."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_AsJson() if as_json else logging.Formatter("%(message)s"))
    for name in (*OURS, *OTHERS):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO if as_json and name in OURS else logging.WARNING)
        logger.propagate = False
