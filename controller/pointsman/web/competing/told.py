"""A view as the text that is sent: made and packed once for each state of the book, scope and language.

What changes with the moment, the clocks that run and who asks, comes last, so that only that is made for each answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pointsman.compete.state import Attempt, Phase
from pointsman.web.audience import IN_WORDS, as_json
from pointsman.web.competing.admitted import Asker
from pointsman.web.competing.moment import in_text

_GZIP = 31  # window bits: zlib is to write gzip
_LEVEL = 5


class Told:
    """A view in one language. ``values`` are its JSON values but for the attempts, which have no clock yet."""

    def __init__(
        self,
        values: Mapping[str, Any],
        attempts: Mapping[str, Mapping[str, Any]],
        states: Mapping[str, Attempt],
        language: str,
    ) -> None:
        said = IN_WORDS[language]
        # Of an attempt only its score is words.
        attempts = {
            name: {**its, "score": said({"text": its["score"]})["text"]} if its["score"] else its
            for name, its in attempts.items()
        }
        on = {name for name, its in states.items() if its.phase is Phase.RUNNING}
        standing = [
            as_json({**its, "shows_ms": _stood_ms(states[name])}) for name, its in attempts.items() if name not in on
        ]
        self._running = [(as_json(its)[:-1], states[name]) for name, its in attempts.items() if name in on]
        self._any = bool(standing)
        self._plain = (as_json(said(values))[:-1] + ',"attempts":[' + ",".join(standing)).encode()
        self._packed = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
        self._head = self._packed.compress(self._plain)

    def answer(self, asker: Asker, now: datetime, *, packed: bool) -> bytes:
        """The text for somebody at a moment, packed with gzip or not."""
        running = [f'{text},"shows_ms":{its.shows_ms(now)}}}' for text, its in self._running]
        moment = in_text(now)
        last = as_json({"now": moment, "scope": str(asker.scope), "who": asker.who})
        between = "," if self._any and running else ""
        rest = f"{between}{','.join(running)}],{last[1:]}".encode()
        if not packed:
            return self._plain + rest
        packing = self._packed.copy()
        return self._head + packing.compress(rest) + packing.flush()


def _stood_ms(attempt: Attempt) -> int:
    """What a clock shows that does not run."""
    if attempt.marks is not None and attempt.marks.time_ms is not None:
        return attempt.marks.time_ms.value
    return attempt.clock_ms
