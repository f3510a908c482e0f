"""Tables for spreadsheets: read back as they were, and nothing in them is ever a formula."""

from __future__ import annotations

import csv
import io
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.compete.export.csv_cells import Style, harmless, table_csv

FRENCH = Style({"yes": "oui", "no": "non", "name": "nom"}.__getitem__, decimal_comma=True)


def test_a_table_is_what_excel_and_libreoffice_open_with_a_double_click() -> None:
    row = ('Zoé, "Mistral"', 12, Fraction(-4), Fraction(245_312, 1000), Fraction(350, 3), True, None)
    assert table_csv(("name",), [row], Style()) == (
        '\ufeffname\r\n"Zoé, ""Mistral""",12,-4,245.312,116.667,yes,\r\n'.encode()
    )
    assert table_csv(("name",), [row], FRENCH) == (
        '\ufeffnom\r\n"Zoé, ""Mistral""";12;-4;245,312;116,667;oui;\r\n'.encode()
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("=1+1", "'=1+1"),
        ("-4 points", "'-4 points"),
        (" @SUM(A1)", " '@SUM(A1)"),
        ("Nord; -1", "Nord; '-1"),
        ('x,"=1', "x,\"'=1"),
        ("＝1", "'＝1"),
        ("Öhman-Ünal + co", "Öhman-Ünal + co"),
        ("a=b", "a=b"),
    ],
)
def test_what_could_be_a_formula_is_text(text: str, written: str) -> None:
    assert harmless(text) == written


@given(st.lists(st.text(st.sampled_from("a=+-@,;\t\"' |"), max_size=8), min_size=1, max_size=4))
def test_whatever_separator_it_is_opened_with_no_cell_begins_a_formula(cells: list[str]) -> None:
    for style in (Style(), Style(decimal_comma=True)):
        text = table_csv(["x"], [cells], style).decode("utf-8-sig")
        for separator in ",;\t|":
            for row in csv.reader(io.StringIO(text), delimiter=separator):
                for cell in row:
                    assert not cell.strip().startswith(("=", "+", "-", "@"))
