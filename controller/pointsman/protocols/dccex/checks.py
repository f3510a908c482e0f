"""Range checks of the encoders: what would be wrapped, cut or misread never leaves the host."""

from __future__ import annotations

import re

from pointsman.errors import ProtocolError

HIGHEST_CAB = 10239
HIGHEST_SPEED = 126
HIGHEST_NUMBER = 32767
"""Numbers are signed 16 bit at the station: 65539 would become 3."""
LONGEST_COMMAND = 60
"""Characters of a command with both brackets; firmware 5.6 on small boards discards more than 63 without a word."""

_KEYWORD = re.compile(r"[A-Z][A-Z0-9_]*")
_FORBIDDEN_IN_QUOTES = frozenset('"<>\n\r')


def within(what: str, value: int, low: int, high: int) -> int:
    """``value`` itself, or ``ProtocolError`` when it is outside ``low`` .. ``high``."""
    if not low <= value <= high:
        raise ProtocolError(
            f"{what} {value} is outside {low} .. {high}", cure="correct the number in the layout's hardware file"
        )
    return value


def number(what: str, value: int) -> int:
    """An id or pin: 0 .. 32767."""
    return within(what, value, 0, HIGHEST_NUMBER)


def cab(value: int) -> int:
    """A locomotive's address, 1 .. 10239 (0 is everyone, which only ``<!>`` may address)."""
    return within("cab", value, 1, HIGHEST_CAB)


def speed(value: int) -> int:
    """A locomotive's speed step, 0 .. 126, or -1 for an emergency stop."""
    return within("speed", value, -1, HIGHEST_SPEED)


def keyword(what: str, value: str) -> str:
    """A word of capitals, digits and underscores."""
    if not _KEYWORD.fullmatch(value):
        raise ProtocolError(f"{what} {value!r} is no keyword", cure="use capitals, digits and underscores only")
    return value


def quoted(text: str) -> str:
    """``text`` in double quotes; the station splits a command at ``<`` even inside quotes, so none may be in it."""
    bad = sorted(_FORBIDDEN_IN_QUOTES.intersection(text))
    if bad or not text.isascii():
        raise ProtocolError(f"a caption cannot carry {text!r}", cure="leave out quotes, angle brackets and accents")
    return f'"{text}"'
