"""A competition as a JSON file, and back: the same book, and whatever was changed in the file is named."""

from __future__ import annotations

import json
import re

import pytest
from evening import attempt, evening, finished

from pointsman.compete.entries import EntrantAdded, MarksCorrected
from pointsman.compete.export.book_json import book_json, read_book_json
from pointsman.errors import CompetitionError

RESULTS = {"rounds": [], "overall": []}


def exported() -> bytes:
    its = evening()
    its.write(EntrantAdded("zoe", "Zoë 🚂 Ляля"), attempt())
    its.undo(its.end())
    its.end()
    its.write(MarksCorrected("a1", finished(9)), why="miscounted")
    return book_json(its.book, RESULTS)


def test_what_is_exported_is_read_back_as_the_same_book() -> None:
    its = evening(heats=2)
    its.write(EntrantAdded("zoe", "Zoë 🚂 Ляля"))
    read = read_book_json(book_json(its.book, RESULTS), "club.json")
    assert (read.book, read.results) == (its.book, RESULTS)
    assert read_book_json(exported(), "club.json").book.state.attempts["a1"].corrected


def test_it_is_json_for_everybody_and_one_entry_is_one_line() -> None:
    values = json.loads(exported())
    assert values["head"]["entries"] == len(values["book"]) == len(re.findall(rb"^\{\"at\"", exported(), re.MULTILINE))
    # However another program writes the same values, it is the same book.
    assert read_book_json(json.dumps(values, indent=3).encode(), "x").book.head.hash == values["head"]["hash"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (b'"Ada"', b'"Eda"', "entry 2 was changed: entry 3 holds on to another one"),
        (b'"value":9', b'"value":8', "entry 12 was changed: another hash was noted"),
        (b'"competition":"club"', b'"competition":"clan"', "entry 1 was changed: it does not hold on to"),
        (b'"entries":12', b'"entries":13', "entry 13 is missing"),
        (b'"entries":12', b'"entries":true', "head a number and a hash"),
        (b'"results":{', b'"results":[{', "is not JSON"),
        (b'"form":"pointsman competition 1"', b'"form":"pointsman competition 9"', "is no exported competition"),
        (b'"book":[', b'"book":[3,', "entry 1 was changed: is no entry"),
    ],
)
def test_what_was_changed_in_the_file_is_named(old: bytes, new: bytes, told: str) -> None:
    assert exported().count(old)
    with pytest.raises(CompetitionError) as refused:
        read_book_json(exported().replace(old, new, 1), "club.json")
    assert told in refused.value.what
    assert (refused.value.where, bool(refused.value.cure)) == ("club.json", True)


def test_any_byte_of_the_book_that_is_changed_is_found() -> None:
    whole = exported()
    begin, end = whole.index(b'"book"'), whole.index(b'"results"')
    for place in range(begin, end, 41):
        changed = bytearray(whole)
        changed[place] ^= 1
        try:
            same = json.loads(bytes(changed)) == json.loads(whole)  # a space between two entries says nothing
        except ValueError:
            same = False
        if not same:
            with pytest.raises(CompetitionError):
                read_book_json(bytes(changed), "club.json")
