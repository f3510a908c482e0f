"""A club's competition night before `pointsman compete run` itself, from the first entrant to the verified book."""

from __future__ import annotations

import json
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from competition_night import (
    CODE,
    NAME,
    PIN,
    At,
    Night,
    attempt,
    call,
    commitment_on_the_sheet,
    fill,
    press,
    result,
    see,
    sign_in,
    stands,
    token_for,
)
from panel_driver import PanelDriver
from panel_server import SOON_MS, begin, until
from panel_visitor import Visitor
from playwright.sync_api import Page, expect
from printed import Printed
from two_wagons import TO_S1, TO_S2, TO_S3, at_the_end_of, two_wagons

pytestmark = pytest.mark.system
PROGRAMME = """
name = "evening"
title = "Soirée du club"
date = 2026-11-27
place = "Liège"

[entrants.ada]
name = "Ada Byron"
train = "Charbon"

[entrants.zoe]
name = "Zoé"

[rounds.r1]
title = "Finale"
puzzle = "inglenook-small/classic"
count = "runs"
scheme = "least-moves"
format = "best-of-1"
par_least = 9
par_most = 13
heats = 1
spares = 1
time_limit_s = 900
"""


@pytest.fixture
def night(tmp_path: Path, cache: Path) -> Night:
    return Night(tmp_path, cache)


def paper(page: Page, path: str) -> str:
    """What stands on a paper that the page has a link to."""
    link = page.locator(f'.view:visible a[href*="{path}"]')
    answer = page.request.get(str(link.evaluate("(its) => its.href")))
    assert answer.status == 200
    return Printed.of(answer.body()).text


def fetch(driver: PanelDriver, wagon: str) -> None:
    """Fetch a wagon from its siding; the locomotive was proved at the points, which are not set below it."""
    siding, turnouts = {"1": ("s1", TO_S1), "2": ("s2", TO_S2)}[wagon]
    driver.drive_on(right=False, arrived=partial(at_the_end_of, "head"))
    go_to(driver, siding, turnouts)
    driver.drive_on(right=False, arrived=partial(at_the_end_of, "head"))


def go_to(driver: PanelDriver, siding: str, turnouts: dict[str, str]) -> None:
    for turnout, leg in turnouts.items():
        driver.set(turnout, leg)
    driver.drive_on(right=True, arrived=partial(at_the_end_of, siding))


def test_an_evening_with_a_layout_from_the_first_entrant_to_the_verified_book(
    visitor: Visitor, night: Night, tmp_path: Path, keep_picture: Any
) -> None:
    layout = two_wagons(tmp_path, "head: L | s1: 1 | s2: 2", "s3: 1")
    night.said("new", NAME, "--title", "Club evening", "--place", "The shed", "--by", "Vera")
    night.said("enter", NAME, "Ada Byron", "--id", "ada", "--train", "Coal", "--club", "Eastern", "--by", "Vera")
    night.said("enter", NAME, "Bo", "--by", "Vera")
    with night.served(str(layout), "--speed", "4", "--pin", PIN) as server:
        marshal = visitor.page(server, ready=False)
        sign_in(marshal)
        see(marshal, "entrants")
        press(marshal, "enter")
        fill(marshal, name="Chloé", train="Milk")
        see(marshal, "desk")
        press(marshal, "announce")
        plan = {"title": "Final", "puzzle": f"{layout}/two", "format": "best-of-1", "scheme": "least-moves"}
        fill(marshal, **plan, par_least="3", par_most="3", spares="1", limit="15:00", code=CODE, again=CODE)
        told = night.book.state.rounds["r1"].committed
        assert told is not None
        assert commitment_on_the_sheet(marshal, "r1") == told.commitment
        press(marshal, "heat-r1")
        fill(marshal, code=CODE)
        helper = visitor.page(At(token_for(marshal, "Hugo")), "tall phone", ready=False)
        other = visitor.page(At(token_for(marshal, "Olga")), "tall phone", ready=False)
        hall = visitor.page(server, "wall", ready=False)
        see(hall, "hall")

        # Ada plays on the layout; the helper's tablet only marks.
        call(helper, "r1", "ada")
        assert stands(helper) == {"head": ["L"], "s1": ["1"], "s2": ["2"], "s3": []}
        see(marshal, "desk")
        press(marshal, "play-r1-ada-1")
        driving = visitor.another(marshal.context, At(server.layout))
        begin(driving)
        expect(helper.locator("[data-key=uncover]")).to_be_visible(timeout=SOON_MS)
        press(helper, "uncover")
        (card,) = attempt(helper, "r1-ada-1")["cards"]
        driver = PanelDriver(driving, tmp_path)
        driver.take()
        fetch(driver, card)
        press(helper, "side-swipe")
        go_to(driver, "s3", TO_S3)
        until(driving, "solved")
        expect(result(helper)).to_contain_text("3", timeout=SOON_MS)
        press(helper, "next")

        # Bo's locomotive gives up: an equipment fault, and run again on the spare.
        call(helper, "r1", "bo")
        press(helper, "agree", "uncover", "start", "stop")
        helper.keyboard.press("e")
        helper.keyboard.type("a rod has come off")
        press(helper, "send")
        expect(result(helper)).to_contain_text("equipment fault", timeout=SOON_MS)
        press(helper, "next")
        see(marshal, "desk")
        press(marshal, "rerun-r1-bo-1")
        fill(marshal, why="a rod has come off", code=CODE)
        press(helper, "take-r1-bo-1-again")
        press(helper, "agree", "uncover", "start", "derailment", "stop")
        helper.keyboard.press("f")
        helper.keyboard.type("5")
        press(helper, "send", "next")

        # Chloé plays by hand too.
        call(helper, "r1", "chloe")
        press(helper, "agree", "uncover", "start", "stop")
        helper.keyboard.press("f")
        helper.keyboard.type("4")
        press(helper, "send")
        expect(result(helper)).to_contain_text("4", timeout=SOON_MS)

        # Whoever has written of an attempt does not check it.
        see(helper, "check")
        press(helper, "check-r1-bo-1-again")
        expect(helper.locator("#view-check [role=alert]")).not_to_be_empty()
        see(other, "check")
        for name in ("r1-ada-1", "r1-bo-1", "r1-bo-1-again", "r1-chloe-1"):
            press(other, f"check-{name}")
            expect(other.locator(f"[data-key=check-{name}]")).to_have_count(0, timeout=SOON_MS)
        expect(other.locator("#view-check")).to_contain_text("All is checked.")

        see(marshal, "desk")
        press(marshal, "reveal-r1")
        fill(marshal, code=CODE)
        assert commitment_on_the_sheet(marshal, "r1") == told.commitment

        see(marshal, "standings")
        rows = marshal.locator("#view-standings tbody tr")
        expect(rows.locator("th b")).to_have_text(["Ada Byron", "Chloé", "Bo"])
        expect(rows.locator(".rank")).to_have_text(["1", "2", "3"])
        expect(rows.locator(".state")).to_have_text(["certain"] * 3)
        expect(hall.locator(".hall-rows li b").first).to_have_text("Ada Byron")
        expect(hall.locator(".hall-page h2")).to_contain_text("certain")
        keep_picture(marshal, "evening-standings")
        keep_picture(hall, "evening-hall")

        # Everybody may see it again now.
        hall.keyboard.press("Escape")
        hall.get_by_role("link", name="Replay: 3").click()
        expect(hall.get_by_role("heading", name="The fewest: 3 runs")).to_be_visible(timeout=SOON_MS)
        expect(hall.locator(".strip").last.locator(".step")).to_contain_text("1/4")
        keep_picture(hall, "evening-replay")

        see(marshal, "desk")
        sheet = paper(marshal, "rounds/r1/results.pdf")
        assert [word for word in ("Ada Byron", "Chloé", "Coal", told.commitment[:8]) if word not in sheet] == []
        see(marshal, "entrants")
        certificate = paper(marshal, "entrants/ada/certificate.pdf")
        assert [word for word in ("Ada Byron", "Coal", "3") if word not in certificate] == []
        see(marshal, "desk")
        with marshal.expect_download() as taken:
            marshal.get_by_role("link", name="The whole book as JSON").click()
        exported = tmp_path / "evening.json"
        taken.value.save_as(exported)
        server.signal(signal.SIGINT)
        assert server.ends() == 130

    ended = night.book.state.attempts["r1-ada-1"]
    assert ended.marks is not None
    assert {str(fault): figure.value for fault, figure in ended.marks.faults.items()} == {"side-swipe": 1}
    assert json.loads(exported.read_text())
    for what in (NAME, str(exported)):
        said = night.said("verify", what, "--journals", str(night.journals))
        assert " is right: " in " ".join(said.split())


def test_an_evening_at_a_tablet_alone_in_french(visitor: Visitor, night: Night, tmp_path: Path) -> None:
    programme, code = tmp_path / "soiree.toml", tmp_path / "code"
    programme.write_text(PROGRAMME)
    code.write_text(f"{CODE}\n")
    night.said("new", "--programme", str(programme), "--code-file", str(code), "--by", "Vera")
    told = night.book.state.rounds["r1"].committed
    assert told is not None
    with night.served("--pin", PIN) as server:
        marshal = visitor.page(server, ready=False, language="fr")
        sign_in(marshal)
        assert commitment_on_the_sheet(marshal, "r1") == told.commitment
        press(marshal, "heat-r1")
        fill(marshal, code=CODE)
        tablet = visitor.page(At(token_for(marshal, "Hugo")), "phone", ready=False, language="fr")
        second = visitor.page(At(token_for(marshal, "Olga")), "phone", ready=False, language="fr")
        # Ada's locomotive gives up: she plays again on the spare draw.
        call(tablet, "r1", "ada")
        press(tablet, "agree", "uncover", "start", "stop")
        tablet.keyboard.press("e")
        tablet.keyboard.type("une bielle est tombée")
        press(tablet, "send")
        expect(result(tablet)).to_contain_text("panne du matériel", timeout=SOON_MS)
        press(tablet, "next")
        press(marshal, "rerun-r1-ada-1")
        fill(marshal, why="une bielle est tombée", code=CODE)
        for entrant, ends, score in (("ada", "t14", "14"), ("zoe", "n", "n'a pas terminé")):
            if entrant == "ada":
                press(tablet, "take-r1-ada-1-again")
            else:
                call(tablet, "r1", entrant)
            assert stands(tablet)["s1"] == ["1", "2", "3"]
            press(tablet, "agree", "uncover")
            tablet.keyboard.press("l")
            # The network goes away for a moment: what is pressed is kept, and counted once.
            tablet.context.set_offline(True)
            tablet.keyboard.press("m")
            expect(tablet.locator("#presses")).not_to_be_empty()
            tablet.context.set_offline(False)
            expect(tablet.locator("#presses")).to_be_empty(timeout=SOON_MS)
            tablet.keyboard.press("f")
            tablet.keyboard.type(ends)
            press(tablet, "send")
            expect(result(tablet)).to_contain_text(score, timeout=SOON_MS)
            press(tablet, "next")
        see(second, "check")
        for name in ("r1-ada-1", "r1-ada-1-again", "r1-zoe-1"):
            press(second, f"check-{name}")
        expect(second.locator("#view-check")).to_contain_text("Tout est vérifié.", timeout=SOON_MS)
        see(marshal, "desk")
        press(marshal, "reveal-r1")
        fill(marshal, code=CODE)
        hall = see(marshal, "hall")
        expect(hall.locator(".hall-rows li b")).to_have_text(["Ada Byron", "14 mouvements", "Zoé", "n'a pas terminé"])
        expect(hall.locator(".hall-rows .surety")).to_have_text(["acquis", "acquis"])
        marshal.keyboard.press("Escape")
        see(marshal, "desk")
        assert "Finale" in paper(marshal, "rounds/r1/results.pdf")
        see(marshal, "entrants")
        certificate = paper(marshal, "entrants/ada/certificate.pdf")
        assert [word for word in ("Ada Byron", "Charbon", "14") if word not in certificate] == []
    for name in ("r1-ada-1-again", "r1-zoe-1"):
        marks = night.book.state.attempts[name].marks
        assert marks is not None
        assert {str(fault): figure.value for fault, figure in marks.faults.items()} == {"hand": 1}
    assert " is right: " in " ".join(night.said("verify", NAME).split())
