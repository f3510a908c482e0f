"""Refusals on the page: short-lived, at their place, only for who was refused, and nothing moves for them."""

from __future__ import annotations

import pytest
from panel_scenes import described, inglenook_play
from panel_stage import Json, Stage
from panel_visitor import Visitor
from playwright.sync_api import Page, expect

TRACK, LAYOUT = described("inglenook")
PLAY = inglenook_play(TRACK)
DRIVING = {**PLAY, "mode": "hand", "throttle": {"L": {"holder": "me", "towards": None, "speed_mm_s": 0}}}
OF_T1 = {"why": "L stands on T1, or may", "cure": "drive clear of it first", "kind": "turnout", "name": "T1"}
OF_S1 = {"why": "s1 is full", "cure": "draw one out", "kind": "segment", "name": "s1", "t_s": 4.0}
OF_NOTHING = {"why": "a train is moving", "cure": "stop it first", "kind": "", "name": ""}
MOVING = {"locomotive": "L", "towards": "to", "speed_mm_s": 20.0, "limit": {"why": "the track ends in head"}}


def top(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["y"]


def refused(page: Page, served: Stage) -> None:
    served.answers["turnout"] = OF_T1
    page.locator('#diagram [data-key="turnout-T1"]').click()
    expect(page.locator(".callout")).to_have_count(1)


def test_what_is_wrong_and_what_to_do_are_two_sentences(visitor: Visitor):
    with Stage(LAYOUT, DRIVING) as served:
        page = visitor.page(served)
        refused(page, served)
        expect(page.locator(".callout p")).to_have_text("L stands on T1, or may. Drive clear of it first.")
        # A name of the layout is written as it is.
        served.change(refusal=OF_S1)
        expect(page.locator(".callout p")).to_have_text("s1 is full. Draw one out.")


def test_it_is_shown_to_nobody_else_and_said_once(visitor: Visitor):
    with Stage(LAYOUT, DRIVING) as served:
        other = visitor.page(served)
        page = visitor.page(served)
        refused(page, served)
        expect(page.locator("#notices .notice")).to_have_count(0)
        served.change(note="told to both")
        expect(other.locator("#note")).to_have_text("Told to both.")
        expect(other.locator(".callout")).to_have_count(0)


@pytest.mark.parametrize(
    "newer",
    [
        {"drive": MOVING},
        {"mode": "halted", "halted": {"why": "stopped", "cure": "look", "confirmed": "", "believed": "", "where": ""}},
    ],
    ids=["movement", "halt"],
)
def test_a_movement_or_a_halt_is_newer_than_a_refusal(visitor: Visitor, newer: Json):
    with Stage(LAYOUT, DRIVING) as served:
        page = visitor.page(served)
        refused(page, served)
        served.change(**newer)
        expect(page.locator(".callout")).to_have_count(0)


def test_it_goes_with_the_next_success_and_by_itself(visitor: Visitor):
    with Stage(LAYOUT, DRIVING) as served:
        page = visitor.page(served, clock=True)
        refused(page, served)
        del served.answers["turnout"]
        page.locator('#diagram [data-key="turnout-T2"]').click()
        expect(page.locator(".callout")).to_have_count(0)
        refused(page, served)
        page.clock.run_for(11_000)
        expect(page.locator(".callout")).to_have_count(0)


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_nothing_moves_for_it_and_what_it_covers_can_be_pressed(visitor: Visitor, size: str):
    with Stage(LAYOUT, DRIVING) as served:
        page = visitor.page(served, size)
        before = {one: top(page, one) for one in ("#brake", "#puzzle", '[data-key="auto"]', "#diagram")}
        refused(page, served)
        assert {one: top(page, one) for one in before} == before
        for name in TRACK.uncouplers:
            page.locator(f'#diagram [data-key="magnet-{name}"]').click()
        assert [one["name"] for one in served.until_heard("uncouple", 3)] == [*TRACK.uncouplers]


def test_what_has_no_place_is_said_beside_what_was_pressed(visitor: Visitor):
    with Stage(LAYOUT, PLAY) as served:
        served.answers["auto"] = OF_NOTHING
        page = visitor.page(served)
        before = top(page, "#puzzle .score")
        page.get_by_role("button", name="Run by itself").click()
        expect(page.locator("#puzzle .refused")).to_have_text("A train is moving. Stop it first.")
        assert top(page, "#puzzle .score") == before


def test_a_magnets_refusal_stands_at_the_magnet(visitor: Visitor):
    with Stage(LAYOUT, DRIVING) as served:
        served.answers["uncouple"] = {**OF_T1, "kind": "magnet", "name": "s2"}
        page = visitor.page(served)
        page.locator('#diagram [data-key="magnet-s2"]').click()
        tip = page.locator(".callout").evaluate(
            "(box) => box.getBoundingClientRect().left + parseFloat(box.style.getPropertyValue('--tip')) + 9"
        )
        magnet = page.locator('#diagram [data-key="magnet-s2"]').bounding_box()
        assert magnet is not None
        assert abs(tip - magnet["x"] - magnet["width"] / 2) < 40
