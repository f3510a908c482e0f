"""The page as a hall sees it: large, and nothing to press but the emergency stop."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from panel_scenes import at_rest, described, inglenook_play, quiet
from panel_stage import Json, Stage
from panel_visitor import Visitor
from playwright.sync_api import expect

CAPITAL_MM = 6.0
"""At three metres seven minutes of arc: a good eye reads five."""
PIXEL_MM = 0.277
"""Of a screen of 24 inches with 1920 x 1080 pixels."""
TRACK, LAYOUT = described("inglenook")
PLAY = inglenook_play(TRACK)


class Hall:
    """A stage whose address asks for the view for a hall."""

    def __init__(self, stage: Stage) -> None:
        self.address = f"{stage.address}?view=hall"


def timesaver() -> tuple[Json, Json]:
    track, layout = described("timesaver")
    vehicles = at_rest(track, {"UL": ["L", "1"], "UR": ["2"], "LL": ["3", "4"], "B": ["5"]})
    target = {"U": ["1"], "B": ["2"], "W": ["3"], "LL": ["4"], "R": ["5"]}
    puzzle = {**PLAY["puzzle"], "title": "Timesaver", "count": "seconds", "par": 239_900, "distance": 24, "cards": []}
    return layout, {**quiet(track), "mode": "auto", "vehicles": vehicles, "puzzle": {**puzzle, "target": target}}


@pytest.mark.parametrize(("size", "language"), [("wall", "en"), ("desktop", "fr")])
def test_a_hall_can_read_it_and_press_nothing_but_the_stop(visitor: Visitor, keep_picture, size: str, language: str):
    for layout, state in ((LAYOUT, PLAY), timesaver()):
        with Stage(layout, state) as served:
            page = visitor.page(Hall(served), size, language=language)
            assert page.locator("button:visible, a:visible, input:visible, [role=button]:visible").count() == 1
            for seen in ("#emergency-stop", "#diagram > svg", ".next-run p", ".score .count >> nth=2", ".target"):
                expect(page.locator(seen)).to_be_in_viewport(ratio=1)
            least = page.evaluate(
                "() => Math.min(...[...document.querySelectorAll("
                "'#title, #mode, .count span, .next-run p, .label, .board .place, #diagram .name')]"
                ".map((one) => parseFloat(getComputedStyle(one).fontSize)))"
            )
            if size == "wall":
                keep_picture(page, f"hall-{layout['name']}")
                # A capital is as high as seven tenths of its letter's size.
                assert least * 0.7 * PIXEL_MM >= CAPITAL_MM
            found = Axe().run(page)
            assert [one["id"] for one in found.response["violations"]] == []


def test_the_view_is_chosen_on_the_page_and_left_by_a_key(visitor: Visitor):
    with Stage(LAYOUT, PLAY) as served:
        page = visitor.page(served)
        page.get_by_role("link", name="For the hall").click()
        expect(page.locator("html")).to_have_class("hall")
        expect(page.locator("#diagram svg")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("link", name="For the hall")).to_be_visible()
        page.keyboard.press("Space")
        served.until_heard("emergency-stop")
