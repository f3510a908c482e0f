"""Entrants from a spreadsheet, as Excel and LibreOffice write it, and with every mistake that people make."""

from __future__ import annotations

import pytest

from pointsman.compete.entries import EntrantAdded
from pointsman.compete.export.entrants_csv import read_entrants
from pointsman.compete.state import Entrant
from pointsman.errors import LayoutError

ADA = EntrantAdded("ada", "Ada", "Eastern")
ZOE = EntrantAdded("zoe-leon", "Zoé Léon", "Paris, nord", "enfants", "Mistral")


@pytest.mark.parametrize(
    "text",
    [
        'Name,Club,Class,Train\nAda,Eastern,,\nZoé Léon,"Paris, nord",enfants,Mistral\n',
        "\ufeffNom;Club;Catégorie;Train\r\nAda;Eastern;;\r\nZoé Léon;Paris, nord;enfants;Mistral\r\n",
        "sep=;\r\nNOM;club;CATEGORIE;train\r\n;;;\r\nAda;Eastern\r\nZoé Léon;Paris, nord;enfants;Mistral",
        "train\tclasse\tclub\tnom\tidentifiant\n\t\tEastern\t Ada \tada\nMistral\tenfants\tParis, nord\tZoé Léon\t\n\n",
    ],
)
def test_what_spreadsheets_write_is_read(text: str) -> None:
    assert read_entrants(text.encode(), "e.csv", {}) == (ADA, ZOE)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", ["e.csv: has no rows"]),
        (b"name\n", ["e.csv: has no entrants"]),
        (b"nam,club\nAda,x\n", ["line 1: there is no column 'nam'\n  -> did you mean name?", "no column 'name'"]),
        (b"name,nom\nAda,x\n", ["line 1: column 'nom' is there twice"]),
        (b"name,club\n\n,Eastern\nBen,x,y\n", ["line 3: has no name", "line 4: 'y' stands in no column"]),
        (b"name\nAda\nada\n", ["line 3: ada is in line 2 already"]),
        (b"name\nBO\n", ["line 2: BO is in the competition already"]),
        (b"id,name\nbo,Ben\nx,Ada\nx,Eve\n", ["line 2: there is an entrant bo", "line 4: there is an entrant x"]),
        (b"id,name\nB o,Ben\n", ['line 2: entrant.entrant is not written as it should be: "B o"']),
        (b'name,club\n"A\nda",x\nBen,' + b"y" * 201 + b"\n", ["line 2: entrant.name must be one line", "line 4: "]),
        ("name\nAda\nZoé\n".encode("cp1252"), ["line 3: is not in UTF-8\n  -> save the table as"]),
        (b'name\nAda\n"Bo\n', ["line 3: cannot be read: unexpected end of data"]),
        (b"name\n" + b"x" * 1_000_000, ["is longer than 1,000,000 bytes"]),
    ],
)
def test_every_mistake_is_named_with_its_line_and_there_are_no_entrants(text: bytes, told: list[str]) -> None:
    with pytest.raises(LayoutError) as refused:
        read_entrants(text, "e.csv", {"bo": Entrant(EntrantAdded("bo", "Bo"))})
    assert len(refused.value.mistakes) == len(told)
    for mistake, words in zip(refused.value.mistakes, told, strict=True):
        assert words in str(mistake)
        assert mistake.cure


def test_two_of_one_name_are_told_apart_by_their_ids() -> None:
    text = b"id,name\njean,Jean Martin\n,Jean\njean-2,Jean Martin\n"
    assert [its.entrant for its in read_entrants(text, "e.csv", {})] == ["jean", "jean-3", "jean-2"]
