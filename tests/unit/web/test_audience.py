"""Each client has what is newest, however slow it is, and nobody waits for another."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from pointsman.box.snapshot import Mode, Snapshot
from pointsman.web.audience import IN_WORDS, MOST_ANSWERS, Audience
from pointsman.web.languages import LANGUAGES


async def test_who_is_behind_gets_what_is_newest_in_one_message() -> None:
    start = Snapshot()
    audience = Audience(start, dict)
    quick, slow = audience.join("en"), audience.join("en")
    for client in (quick, slow):
        assert json.loads(client.next())["type"] == "state"
    at = start
    for number in range(1000):
        at = replace(at, note=str(number), mode=Mode.AUTO)
        audience.hear(at)
        assert json.loads(quick.next())["note"] == str(number)
        audience.beat(number)
    last = json.loads(slow.next())
    assert last == {"type": "change", "seq": 1000, "note": "999", "mode": "auto"}
    assert json.loads(slow.next()) == {"type": "beat", "t_ms": 999}
    quick.next()
    waiting = asyncio.create_task(slow.something())
    await asyncio.sleep(0)
    assert not waiting.done()
    audience.hear(replace(at, demo=True))
    await waiting
    assert json.loads(slow.next())["demo"] is True


async def test_who_joins_late_or_is_behind_from_the_start_has_the_whole_state() -> None:
    audience = Audience(Snapshot(), dict)
    audience.hear(Snapshot(note="before"))
    client = audience.join("en")
    audience.hear(Snapshot(note="after"))
    told = json.loads(client.next())
    assert (told["type"], told["note"], told["mode"]) == ("state", "after", "idle")


async def test_everybody_is_told_in_their_own_language_and_may_change_it() -> None:
    audience = Audience(Snapshot(), dict)
    here, there = audience.join("en"), audience.join("fr")
    audience.hear(Snapshot(note="solved", puzzle={"plan": [{"text": "L with 1 2 to head, leaving 3 in s1"}]}))
    assert json.loads(here.next())["note"] == "solved"
    said = json.loads(there.next())
    assert said["note"] == "résolu"
    assert said["puzzle"]["plan"][0]["text"] == "L avec 1 2 vers head, en laissant 3 dans s1"
    audience.speak(here, "fr")
    whole = json.loads(here.next())
    assert (whole["type"], whole["note"]) == ("state", "résolu")


async def test_who_reads_no_answers_is_given_up() -> None:
    client = Audience(Snapshot(), dict).join("en")
    for number in range(MOST_ANSWERS + 1):
        client.answer({"type": "done", "id": number})
    assert client.lost


async def test_what_concerns_insiders_is_told_to_nobody_else() -> None:
    people: dict[str, list[str]] = {"people": []}
    audience = Audience(Snapshot(), lambda: dict(people))
    marshal, other = audience.join("en", insider=True), audience.join("en")
    assert json.loads(marshal.next())["people"] == []
    assert "people" not in json.loads(other.next())
    people["people"] = ["Anna's phone"]
    audience.again()
    assert json.loads(marshal.next())["people"] == ["Anna's phone"]
    waiting = asyncio.create_task(other.something())
    await asyncio.sleep(0)
    assert not waiting.done(), "it was told something"
    audience.hear(Snapshot(note="solved"))
    people["people"] = []
    audience.again()
    await waiting
    told = json.loads(other.next())
    assert (told["note"], "people" in told) == ("solved", False)
    audience.initiate(other, insider=True)
    assert json.loads(other.next())["people"] == []


def test_every_language_has_its_words() -> None:
    assert tuple(IN_WORDS) == LANGUAGES
