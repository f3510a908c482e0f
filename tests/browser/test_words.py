"""The page's files by themselves: two dictionaries with the same keys, and nothing that the policy would refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from panel_stage import STATIC

from pointsman.box.snapshot import Mode
from pointsman.compete.entries import Scope
from pointsman.compete.marks import Fault, Measure, Outcome
from pointsman.compete.state import Phase
from pointsman.operate.ahead import Protection
from pointsman.operate.referee import Origin
from pointsman.phones.guests import Person, State
from pointsman.puzzle.puzzle import Count
from pointsman.web.phones import row
from pointsman.web.printing.silhouettes import OUTLINES
from pointsman.web.schemas import LONGEST_CARDS, LONGEST_PIN, LONGEST_SEED
from pointsman.web.sessions import Role


def dictionary(name: str) -> dict[str, str]:
    """The words of a file."""
    return dict(json.loads((STATIC / "words" / f"{name}.json").read_text("utf-8")))


COUNTED = ("runs", "reversals", "couplings", "pull_drops", "placed", "helped")
ENGLISH, FRENCH = dictionary("en"), dictionary("fr")
COMPETITION, CONCOURS = dictionary("competition.en"), dictionary("competition.fr")
SCRIPTS = sorted((STATIC / "js").glob("*.js"))
OF_COMPETITION = sorted((STATIC / "js" / "competition").glob("*.js"))
BOTH = pytest.mark.parametrize(
    ("english", "french"), [(ENGLISH, FRENCH), (COMPETITION, CONCOURS)], ids=["box", "competition"]
)
PAGES = [
    pytest.param(ENGLISH, [*SCRIPTS, STATIC / "index.html"], id="box"),
    pytest.param(COMPETITION, [*OF_COMPETITION, STATIC / "competition.html"], id="competition"),
]


@BOTH
def test_both_languages_have_the_same_keys_in_the_same_order(english: dict[str, str], french: dict[str, str]) -> None:
    assert list(english) == list(french)


@BOTH
def test_both_say_something_with_the_same_values(english: dict[str, str], french: dict[str, str]) -> None:
    for key, words in english.items():
        mots = french[key]
        values = [sorted(re.findall(r"\{(\w+)\}", one)) for one in (words, mots)]
        assert values[0] == values[1], key
        assert words.strip() == words != "", key
        assert mots.strip() == mots != "", key


@pytest.mark.parametrize(("words", "files"), PAGES)
def test_every_key_that_the_page_names_is_there(words: dict[str, str], files: list[Path]) -> None:
    text = "".join(file.read_text("utf-8") for file in files)
    named = set(re.findall(r"""\bt\("([\w.-]+)"\)|\bt\("([\w.-]+)",|data-t(?:-label)?="([\w.-]+)\"""", text))
    keys = {key for found in named for key in found if key}
    assert len(keys) > 80
    assert keys - set(ENGLISH) - set(words) == set()


def test_no_word_is_in_two_dictionaries() -> None:
    assert set(ENGLISH) & set(COMPETITION) == set()


def test_what_is_typed_at_once_has_letters_of_its_own() -> None:
    at_the_clock = [*Fault, "pause", "hint", "stop"]
    afterwards = [*COUNTED, *Outcome]
    for words in (COMPETITION, CONCOURS):
        for things in (at_the_clock, afterwards):
            letters = [words[f"key.{one}"] for one in things]
            assert len(set(letters)) == len(letters), letters
            assert all(re.fullmatch("[A-Z]", letter) for letter in letters)


PHONE = row(Person("phone 1", "", State.READING, None))


@pytest.mark.parametrize(
    ("family", "sent"),
    [
        ("mode", list(Mode)),
        ("protection", list(Protection)),
        ("role", [role.word for role in Role]),
        ("people", list(State)),
        ("device", ["page", PHONE["kind"]]),
        ("count", list(Count)),
        ("origin", [origin.name.lower() for origin in Origin if origin is not Origin.SEEN]),
        ("kind", list(OUTLINES)),
        ("outcome", list(Outcome)),
        ("fault", list(Fault)),
        ("measure", [one for one in Measure if one is not Measure.COUPLING_RUNS]),
        ("phase", list(Phase)),
        ("scope", list(Scope)),
        ("advances", ["yes", "open", "reserve"]),
    ],
)
def test_every_word_that_the_server_sends_is_there(family: str, sent: list[str]) -> None:
    assert {f"{family}.{word}" for word in sent} - set(ENGLISH) - set(COMPETITION) == set()


@pytest.mark.parametrize(("words", "files"), PAGES)
def test_every_key_is_used(words: dict[str, str], files: list[Path]) -> None:
    text = "".join(file.read_text("utf-8") for file in files)
    starts = set(re.findall(r"`([a-z.-]+\.)\$\{", text)) | {"key.", "help."}
    # The words for one thing are found by those for several.
    named = {key: key.removesuffix(".one") for key in words}
    unused = {
        key
        for key, one in named.items()
        if f'"{one}"' not in text and not any(key.startswith(start) for start in starts)
    }
    unused -= {"closed", "thrown", "closed.short", "thrown.short"}  # legs: their names are the keys
    assert unused == set()


def test_nothing_inline_and_nothing_from_elsewhere() -> None:
    pages = [STATIC / "index.html", STATIC / "competition.html"]
    for page in pages:
        assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=", page.read_text("utf-8")) == []
    for file in [*SCRIPTS, *OF_COMPETITION, *(STATIC / "css").glob("*.css"), *pages]:
        text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert (
            re.findall(r"https?://|\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write|@import", text)
            == []
        ), file


def test_fields_take_as_much_as_the_server_does() -> None:
    text = "".join(file.read_text("utf-8") for file in SCRIPTS)
    fields = dict(re.findall(r'id: "([\w-]+)"[^}]*\bmaxlength: (\d+)', text))
    taken = {"pin": LONGEST_PIN, "deal-seed": LONGEST_SEED, "deal-cards": LONGEST_CARDS}
    assert {name: int(most) for name, most in fields.items()} == taken
    assert re.search(r'id: "pin"[^}]*inputmode', text) is None, "a PIN may have letters"


def test_modules_stay_small() -> None:
    assert {
        file.name: len(file.read_text("utf-8").splitlines())
        for file in [*SCRIPTS, *OF_COMPETITION]
        if file.stat().st_size > 16000
    } == {}
