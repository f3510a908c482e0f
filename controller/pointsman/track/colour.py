"""Colours of vehicles, for drawings only.

The names are CSS colour keywords (CSS Color Module Level 4), so that a browser and a terminal show the same.
"""

from __future__ import annotations

import re

COLOURS: dict[str, str] = {
    "black": "#000000",
    "grey": "#808080",
    "silver": "#c0c0c0",
    "white": "#ffffff",
    "maroon": "#800000",
    "brown": "#a52a2a",
    "red": "#ff0000",
    "orange": "#ffa500",
    "yellow": "#ffff00",
    "olive": "#808000",
    "green": "#008000",
    "lime": "#00ff00",
    "teal": "#008080",
    "cyan": "#00ffff",
    "blue": "#0000ff",
    "navy": "#000080",
    "purple": "#800080",
    "magenta": "#ff00ff",
    "pink": "#ffc0cb",
}

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


def hex_colour(colour: str) -> str | None:
    """``#rrggbb`` of a colour name or of ``#rrggbb`` itself; None when it is neither."""
    if _HEX.fullmatch(colour):
        return colour.lower()
    return COLOURS.get(colour)
