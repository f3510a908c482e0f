"""From opening the page to the solved puzzle without a mouse or a finger: by hand a little, then by itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from panel_server import served, until, until_state, whole
from panel_visitor import Visitor
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.system
MOST_TABS = 80
FOCUS = """() => {
  const one = document.activeElement;
  const { left, top, width, height } = one.getBoundingClientRect();
  const at = document.elementFromPoint(left + width / 2, top + height / 2);
  const lines = [getComputedStyle(one), ...[...one.querySelectorAll("rect")].map((inner) => getComputedStyle(inner))];
  const thick = ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  return {
    name: one.dataset.key ?? one.id ?? "",
    place: one.closest("[id]:is(section, #stop, #dialogs, #notices)")?.id ?? one.closest("header")?.localName ?? "",
    ring: one.matches(":focus-visible") && lines.some((line) => thick(line) || parseFloat(line.strokeWidth) >= 2),
    seen: at !== null && (one.contains(at) || at.contains(one)),
  };
}"""
"""What has the focus, in which part of the page; whether a line around it says so, and whether nothing covers it."""


def tab_to(page: Page, selector: str) -> None:
    """Go on with Tab until something has the focus; whatever has it on the way is seen to have it."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        if page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
            assert focus["ring"], focus
            assert focus["seen"], focus
            return
    raise AssertionError(f"Tab never comes to {selector}")


def enter(page: Page, selector: str) -> None:
    """Press what Tab leads to."""
    tab_to(page, selector)
    page.keyboard.press("Enter")


def places(page: Page) -> list[str]:
    """The parts of the page in the order in which Tab comes through them, from the top to the emergency stop."""
    page.locator(".skip").focus()
    found = [""]
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focus = page.evaluate(FOCUS)
        assert focus["ring"] or not focus["place"], focus
        assert focus["seen"] or not focus["place"], focus
        if focus["place"] != found[-1]:
            found.append(focus["place"])
        if focus["place"] == "stop":
            return found[1:]
    raise AssertionError(f"Tab never comes to the emergency stop: {found}")


def test_the_whole_story_by_keyboard_in_french_on_a_small_screen(visitor: Visitor, tmp_path: Path, cache: Path) -> None:
    with served(tmp_path, cache, "--speed", "20") as server:
        page = visitor.page(server, "phone", language="fr")
        enter(page, '[data-key="deal"]')
        tab_to(page, "#deal-seed")
        page.keyboard.type("1")
        page.keyboard.press("Enter")
        until(page, "dealt")
        enter(page, '[data-key="facing-to"]')
        enter(page, '[data-key="begin"]')
        until(page, "ready")
        enter(page, "#take")
        expect(page.locator("#brake")).to_be_visible()
        assert places(page) == ["header", "panel", "driving", "puzzle", "stop"]
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
        until_state(page, "state.vehicles.L.v_mm_s < 0")
        page.keyboard.press("ArrowDown")
        expect(page.locator("#leave")).to_be_enabled()
        until_state(page, "state.drive === null && state.puzzle.done.raw_starts === 2")
        enter(page, '#diagram [data-key="turnout-T2"]')
        until_state(page, "state.turnouts.T2.commanded === 'thrown'")
        enter(page, '[data-key="auto"]')
        until(page, "solved")
        expect(page.locator("#mode")).to_have_text("Résolu")
        done = whole(page)["puzzle"]["done"]
        assert (done["runs"], done["emergency_stops"]) == (whole(page)["puzzle"]["par"], 0)
