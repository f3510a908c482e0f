"""How tables for a spreadsheet are written in a language."""

from __future__ import annotations

from pointsman.compete.export.csv_cells import Style
from pointsman.web.french import sentence


def style_of(language: str) -> Style:
    """Words, separators and decimal signs as spreadsheets of that language have them."""
    return Style(sentence, decimal_comma=True) if language == "fr" else Style()
