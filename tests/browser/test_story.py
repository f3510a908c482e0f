"""The page in a real browser before `pointsman serve` itself, on the simulated layout: whole stories."""

from __future__ import annotations

import re
import signal
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from panel_server import SOON_MS, begin, deal, faster, press, served, take, until, until_state, whole
from panel_visitor import Visitor
from playwright.sync_api import expect

pytestmark = pytest.mark.system


def test_from_opening_the_page_to_the_solved_puzzle_with_two_browsers(
    visitor: Visitor, tmp_path: Path, cache: Path, keep_picture: Any
) -> None:
    with served(tmp_path, cache, "--speed", "40") as server:
        page = visitor.page(server)
        watching = visitor.page(server, "phone", language="fr")
        deal(page, "3")
        keep_picture(page, "dealt")
        begin(page)
        press(page, "hint")
        expect(page.locator(".tip")).to_be_visible()
        expect(watching.locator(".tip")).to_be_visible()
        press(page, "step")
        until(page, "paused")
        # A page that is opened again shows the same layout, and goes on with it.
        page.reload()
        until(page, "paused")
        shown = page.locator("#position tbody tr")
        expect(watching.locator("#position tbody tr")).to_have_count(shown.count())
        press(page, "go-on")
        until(page, "auto")
        keep_picture(page, "auto")
        until(page, "solved")
        until(watching, "solved")
        expect(page.locator("p.solved")).to_be_visible()
        expect(watching.locator("#mode")).to_have_text("Résolu")
        keep_picture(page, "solved")
        keep_picture(watching, "solved-phone")
        for one in (page, watching):
            assert Axe().run(one).generate_report().startswith("Found 0 accessibility violations")
        state = whole(page)
        assert (state["mode"], state["puzzle"]["distance"], state["puzzle"]["done"]["hints"]) == ("solved", 0, 1)
        assert state["puzzle"]["done"]["runs"] == state["puzzle"]["par"]
        server.signal(signal.SIGINT)
        assert server.ends() == 130


def test_stopped_then_the_server_ends_and_comes_again_then_put_right_and_gone_on_to_the_solved_puzzle(
    visitor: Visitor, tmp_path: Path, cache: Path, keep_picture: Any
) -> None:
    with served(tmp_path, cache, "--speed", "10") as server:
        page = visitor.page(server)
        deal(page, "3")
        begin(page)
        press(page, "auto")
        until(page, "auto")
        until_state(page, "state.drive !== null")
        page.keyboard.press("Space")
        until(page, "halted")
        expect(page.locator(".notice.halted")).to_contain_text("emergency stop")
        keep_picture(page, "halted")
        port = server.port
        server.signal(signal.SIGINT)
        server.ends()
        expect(page.locator("body")).to_have_class(re.compile("stale"), timeout=SOON_MS)
    with served(tmp_path, cache, "--speed", "40", port=port) as server:
        expect(page.locator("body")).not_to_have_class(re.compile("stale"), timeout=SOON_MS)
        press(page, "yes")
        until(page, "halted")
        press(page, "put-right")
        keep_picture(page, "put-right")
        press(page, "confirm")
        until(page, "dealt")
        begin(page)
        press(page, "auto")
        until(page, "solved")
        assert whole(page)["puzzle"]["done"]["emergency_stops"] == 1


def test_driven_by_hand_taken_over_reloaded_and_left(
    visitor: Visitor, tmp_path: Path, cache: Path, keep_picture: Any
) -> None:
    """In real time: a page renews its speed twice a second, and 1.5 s without that stop the train."""
    with served(tmp_path, cache) as server:
        context = visitor.context()
        page = visitor.another(context, server)
        deal(page, "3")
        begin(page)
        take(page)
        page.get_by_role("button", name="towards the buffer stop").click()
        faster(page)
        until_state(page, "state.vehicles.L.v_mm_s < 0 && state.mode === 'hand'")
        keep_picture(page, "hand")
        # Another tab takes over: the train stops first, and the first one drives no more.
        other = visitor.another(context, server)
        take(other)
        other.locator(".dialog .main").click()
        until_state(other, "state.drive === null")
        expect(page.locator("#take")).to_be_visible()
        expect(other.locator("#brake")).to_be_visible()
        # The page is loaded anew, and has the same locomotive.
        other.reload()
        expect(other.locator("#brake")).to_be_visible()
        other.get_by_role("button", name="towards the buffer stop").click()
        faster(other, 3)
        # The layout ends there: it brakes, and says why at that place.
        expect(other.locator(".notice.refused, .limit")).to_contain_text(["the track ends in head"])
        until_state(other, "state.drive === null")
        assert whole(other)["vehicles"]["L"]["element"] == "head"
        other.get_by_role("button", name="towards T1", exact=True).click()
        faster(other)
        until_state(other, "state.vehicles.L.v_mm_s > 0")
        other.close()
        until_state(page, "state.drive === null && state.throttle.L.speed_mm_s === 0")
        take(page)
        page.locator(".dialog .main").click()
        page.locator('[data-key="turnout-T2"]').click()
        until_state(page, "state.turnouts.T2.commanded === 'thrown'")
        page.locator("#leave").click()
        until(page, "paused", "ready")
        assert whole(page)["puzzle"]["done"]["raw_starts"] > 2
