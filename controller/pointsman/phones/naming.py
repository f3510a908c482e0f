"""How a device is called on the marshal's screen: what its owner has typed, made harmless."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 32
"""Characters."""
_MARKS = 2
"""Accents on one letter; more would be drawn over the lines above and below."""


def shown_name(told: str) -> str:
    """A name on one line, without what is not seen or changes how its neighbours are seen; may be empty then."""
    plain = unicodedata.normalize("NFKC", told[: 4 * LONGEST_NAME])
    kept: list[str] = []
    marks = 0
    for letter in plain:
        kind = unicodedata.category(letter)[0]
        marks = marks + 1 if kind == "M" else 0
        if letter.isspace():
            kept.append(" ")
        elif kind != "C" and marks <= _MARKS:
            kept.append(letter)
    return " ".join("".join(kept).split())[:LONGEST_NAME].strip()
