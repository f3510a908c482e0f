"""A whole puzzle driven by hand on the page, from the draw to "solved", as its plan says."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from panel_driver import PanelDriver
from panel_server import SOON_MS, begin, deal, served, until, whole
from panel_visitor import Visitor
from playwright.sync_api import expect
from two_wagons import TO_S1, TO_S2, TO_S3, at_the_end_of, two_wagons

pytestmark = pytest.mark.system
RUNS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("L to s1", "", "s1", TO_S1),
    ("L with 1 to head", "", "head", {}),
    ("L with 1 to s3", "", "s3", TO_S3),
    ("L to T1, leaving 1 in s3", "s3", "head", {}),
    ("L to s2", "", "s2", TO_S2),
    ("L with 2 to head", "", "head", {}),
    ("L with 2 to s1", "", "s1", TO_S1),
    ("L to head, leaving 2 in s1", "s1", "head", {}),
)
"""What the plan says, and what a person does for it: a magnet, then the points, and whither to drive."""


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    return two_wagons(tmp_path, "head: L | s1: 1 | s2: 2", "head: L | s1: 2 | s3: 1")


def test_a_drawn_puzzle_is_solved_by_hand_as_its_plan_says(
    visitor: Visitor, tmp_path: Path, cache: Path, layout: Path, keep_picture: Any
) -> None:
    """The signal box brakes wherever the way ends, so that nothing depends on how soon the page is looked at."""
    with served(tmp_path, cache, "--speed", "4", layout=layout) as server:
        page = visitor.page(server)
        deal(page, "1")
        begin(page)
        page.locator("#puzzle summary").click()
        driver = PanelDriver(page, tmp_path)
        driver.take()
        for run, magnet, end, turnouts in RUNS:
            expect(page.locator("#puzzle .plan [aria-current=step]")).to_contain_text(run, timeout=SOON_MS)
            if magnet:
                driver.uncouple(magnet)
            for turnout, leg in turnouts.items():
                driver.set(turnout, leg)
            driver.drive_on(right=end != "head", arrived=partial(at_the_end_of, end))
        # The signal box says so only where the layout's own truth is the goal.
        until(page, "solved")
        keep_picture(page, "solved-by-hand")
        expect(page.locator("p.solved")).to_be_visible()
        puzzle = whole(page)["puzzle"]
        done = puzzle["done"]
        assert (puzzle["position"], puzzle["distance"]) == ("head: L | s1: 2 | s2: | s3: 1", 0)
        assert (done["runs"], done["reversals"], done["couplings"], done["pull_drops"]) == (puzzle["par"], 7, 4, 4)
        assert (done["hints"], done["emergency_stops"], done["by_hand"]) == (0, 0, 0)
        assert page.locator("#puzzle .count b").first.text_content() == str(done["runs"])
