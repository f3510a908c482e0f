"""The page's files by themselves: two dictionaries with the same keys, and nothing that the policy would refuse."""

from __future__ import annotations

import json
import re

import pytest
from panel_stage import STATIC

from pointsman.box.snapshot import Mode
from pointsman.operate.ahead import Protection
from pointsman.operate.referee import Origin
from pointsman.phones.guests import Person, State
from pointsman.puzzle.puzzle import Count
from pointsman.web.phones import row
from pointsman.web.printing.silhouettes import OUTLINES
from pointsman.web.schemas import LONGEST_CARDS, LONGEST_PIN, LONGEST_SEED
from pointsman.web.sessions import Role

ENGLISH, FRENCH = (json.loads((STATIC / "words" / f"{one}.json").read_text("utf-8")) for one in ("en", "fr"))
SCRIPTS = sorted((STATIC / "js").glob("*.js"))


def test_both_languages_have_the_same_keys_in_the_same_order() -> None:
    assert list(ENGLISH) == list(FRENCH)


def test_both_say_something_with_the_same_values() -> None:
    for key, english in ENGLISH.items():
        french = FRENCH[key]
        values = [sorted(re.findall(r"\{(\w+)\}", words)) for words in (english, french)]
        assert values[0] == values[1], key
        assert english.strip() == english != "", key
        assert french.strip() == french != "", key


def test_every_key_that_the_page_names_is_there() -> None:
    text = "".join(file.read_text("utf-8") for file in [*SCRIPTS, STATIC / "index.html"])
    named = set(re.findall(r"""\bt\("([\w.-]+)"\)|\bt\("([\w.-]+)",|data-t(?:-label)?="([\w.-]+)\"""", text))
    keys = {key for found in named for key in found if key}
    assert len(keys) > 80
    assert keys - set(ENGLISH) == set()


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
    ],
)
def test_every_word_that_the_server_sends_is_there(family: str, sent: list[str]) -> None:
    assert {f"{family}.{word}" for word in sent} - set(ENGLISH) == set()


def test_every_key_is_used() -> None:
    text = "".join(file.read_text("utf-8") for file in [*SCRIPTS, STATIC / "index.html"])
    starts = set(re.findall(r"`([a-z-]+\.)\$\{", text)) | {"key.", "help."}
    # The words for one thing are found by those for several.
    named = {key: key.removesuffix(".one") for key in ENGLISH}
    unused = {
        key
        for key, one in named.items()
        if f'"{one}"' not in text and not any(key.startswith(start) for start in starts)
    }
    unused -= {"closed", "thrown", "closed.short", "thrown.short"}  # legs: their names are the keys
    assert unused == set()


def test_nothing_inline_and_nothing_from_elsewhere() -> None:
    page = (STATIC / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=", page) == []
    for file in [*SCRIPTS, *(STATIC / "css").glob("*.css"), STATIC / "index.html"]:
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
        file.name: len(file.read_text("utf-8").splitlines()) for file in SCRIPTS if file.stat().st_size > 16000
    } == {}
