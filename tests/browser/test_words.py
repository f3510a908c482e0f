"""The page's files by themselves: two dictionaries with the same keys, and nothing that the policy would refuse."""

from __future__ import annotations

import json
import re

from panel_stage import STATIC

ENGLISH, FRENCH = (json.loads((STATIC / "words" / f"{one}.json").read_text("utf-8")) for one in ("en", "fr"))
SCRIPTS = sorted((STATIC / "js").glob("*.js"))


def test_both_languages_have_the_same_keys_in_the_same_order():
    assert list(ENGLISH) == list(FRENCH)


def test_both_say_something_with_the_same_values():
    for key, english in ENGLISH.items():
        french = FRENCH[key]
        values = [sorted(re.findall(r"\{(\w+)\}", words)) for words in (english, french)]
        assert values[0] == values[1], key
        assert english.strip() == english != "", key
        assert french.strip() == french != "", key


def test_every_key_that_the_page_names_is_there():
    text = "".join(file.read_text("utf-8") for file in [*SCRIPTS, STATIC / "index.html"])
    named = set(re.findall(r"""\bt\("([\w.-]+)"\)|\bt\("([\w.-]+)",|data-t(?:-label)?="([\w.-]+)\"""", text))
    keys = {key for found in named for key in found if key}
    assert len(keys) > 80
    assert keys - set(ENGLISH) == set()


def test_every_key_is_used():
    text = "".join(file.read_text("utf-8") for file in [*SCRIPTS, STATIC / "index.html"])
    starts = set(re.findall(r"`([a-z-]+\.)\$\{", text)) | {"key.", "help."}
    unused = {key for key in ENGLISH if f'"{key}"' not in text and not any(key.startswith(one) for one in starts)}
    unused -= {"closed", "thrown", "closed.short", "thrown.short"}  # legs: their names are the keys
    assert unused == set()


def test_nothing_inline_and_nothing_from_elsewhere():
    page = (STATIC / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\bstyle=|\son\w+=", page) == []
    for file in [*SCRIPTS, *(STATIC / "css").glob("*.css"), STATIC / "index.html"]:
        text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert (
            re.findall(r"https?://|\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write|@import", text)
            == []
        ), file


def test_modules_stay_small():
    assert {
        file.name: len(file.read_text("utf-8").splitlines()) for file in SCRIPTS if file.stat().st_size > 16000
    } == {}
