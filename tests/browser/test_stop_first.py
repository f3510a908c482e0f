"""The emergency stop is there, and stops, whatever else of the page does not load."""

from __future__ import annotations

import json

import pytest
from panel_scenes import stage
from panel_stage import STATIC
from panel_visitor import Visitor
from playwright.sync_api import Page, Route, expect

STOPPED = (202, {"role": "spectator", "who": "spectator 1", "locomotive": None})


def never(page: Page, *paths: str) -> None:
    """Whatever is asked for at these paths does not come."""
    for path in paths:
        page.route(path, lambda route: route.abort())


@pytest.mark.parametrize(
    "missing",
    [
        ("**/static/words/*",),
        ("**/api/layout*", "**/static/css/*"),
        ("**/static/js/puzzle.js",),
        ("**/static/js/main.js", "**/static/words/*"),
    ],
)
@pytest.mark.parametrize("by", ["press", "key"])
def test_what_does_not_load_takes_nobody_the_stop(visitor: Visitor, missing: tuple[str, ...], by: str) -> None:
    with stage() as served:
        served.posts["POST", "/api/emergency-stop"] = STOPPED
        context = visitor.context()
        page = context.new_page()
        never(page, *missing)
        page.goto(served.address)
        stop = page.locator("#emergency-stop")
        expect(stop).to_contain_text("EMERGENCY STOP")
        with page.expect_response("**/api/emergency-stop"):
            if by == "press":
                stop.click()
            else:
                page.keyboard.press("Space")
        assert served.posted[0][:2] == ("POST", "/api/emergency-stop")
        expect(page.locator("#stop")).to_contain_text("Emergency stop sent.")


def test_a_code_that_is_not_answered_takes_nobody_the_stop(visitor: Visitor) -> None:
    with stage() as served:
        served.posts["POST", "/api/emergency-stop"] = STOPPED
        page = visitor.context().new_page()
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/api/session", hold)
        page.goto(f"{served.address}#driver=abc")
        expect(page.locator("#emergency-stop")).to_contain_text("EMERGENCY STOP")
        with page.expect_response("**/api/emergency-stop"):
            page.keyboard.press("Space")
        page.unroute_all(behavior="ignoreErrors")


def test_words_that_come_late_are_put_in(visitor: Visitor) -> None:
    with stage() as served:
        page = visitor.context(language="fr").new_page()
        failed: list[str] = []

        def once(route: Route) -> None:
            if failed:
                route.continue_()
            else:
                failed.append(route.request.url)
                route.abort()

        page.route("**/static/words/*", once)
        page.goto(served.address)
        expect(page.locator("#notices")).to_contain_text("Waiting for the signal box")
        expect(page.locator("#emergency-stop")).to_contain_text("ARRÊT D'URGENCE")
        page.wait_for_selector("#diagram svg")


def test_the_words_until_then_are_those_of_the_dictionary() -> None:
    script = (STATIC / "js" / "words.js").read_text("utf-8")
    english = json.loads((STATIC / "words" / "en.json").read_text("utf-8"))
    first = script.partition("let dictionary = {\n")[2].partition("};")[0]
    lines = [line.strip().removesuffix(",") for line in first.splitlines()]
    said = dict(line.split(": ", 1) for line in lines)
    assert {key.strip('"'): json.loads(words) for key, words in said.items()} == {
        key: english[key] for key in (one.strip('"') for one in said)
    }
    assert "stop" in said
