"""A whole puzzle driven by hand on the page, from the draw to "solved", as its plan says."""

from __future__ import annotations

import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from panel_driver import PanelDriver
from panel_server import SOON_MS, begin, deal, served, until, whole
from panel_visitor import Visitor
from playwright.sync_api import expect
from programs import change

from pointsman.track.builtin import find_layout

pytestmark = pytest.mark.system
TO_S1 = {"T1": "closed"}
TO_S2 = {"T1": "thrown", "T2": "closed"}
TO_S3 = {"T1": "thrown", "T2": "thrown"}
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
    """The small Inglenook with magnets that reach far, and a puzzle of two wagons."""
    home = tmp_path / "two"
    shutil.copytree(find_layout("inglenook-small"), home)
    description = home / "layout.toml"
    for name in ("s1", "s2", "s3"):
        track, magnet = rf"(?<=\[segments\.{name}\]\n)", rf'(?<=\[magnets\.{name}\]\non = "{name}"\n)'
        change(description, track + r"capacity = \d\nlength_mm = \d+", "capacity = 1\nlength_mm = 160")
        change(description, magnet + r"at_mm = \d\nreach_mm = \d+", "at_mm = 30\nreach_mm = 60")
    shutil.rmtree(home / "puzzles")
    (home / "puzzles").mkdir()
    (home / "puzzles" / "two.toml").write_text(
        'title = "Each wagon into another siding"\nstart = "head: L | s1: 1 | s2: 2"\n'
        'goal = "head: L | s1: 2 | s3: 1"\n'
    )
    return home


def at_the_end_of(track: str, told: Any) -> bool:
    """Whether the foremost vehicle stands near the end of a track: the headshunt begins there, a siding ends."""
    there = [one["at_mm"] for one in told["vehicles"].values() if one["element"] == track]
    return bool(there) and (min(there) < 130 if track == "head" else max(there) > 90)


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
