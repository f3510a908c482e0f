"""What a person needs next is in sight without scrolling, and what would be refused is not offered."""

from __future__ import annotations

import pytest
from panel_scenes import described, inglenook_play, quiet
from panel_stage import Stage
from panel_visitor import Visitor
from playwright.sync_api import expect

TRACK, LAYOUT = described("inglenook")
PLAY = inglenook_play(TRACK)
SET_UP = "Set up like this. Wagons are pushed up to the points. L stands in head at its mark."
DEALT = {**PLAY, "mode": "dealt", "question": {"id": 1, "kind": "set-up", "text": SET_UP}}
ON_POINTS = "head: 4 | s1: 6 2 7 8 | s2: 1 5 3 | s3: | T1>closed: L"
NOWHERE = {"element": None, "leg": None, "at_mm": 0.0, "error_mm": 0.0, "v_mm_s": 0.0}
TAKEN_UP = {
    **quiet(TRACK),
    "mode": "halted",
    "vehicles": {**PLAY["vehicles"], "L": NOWHERE},
    "unfinished": {"journal": "j", "puzzle": "inglenook/classic", "position": ON_POINTS, "why": "the power was cut"},
    "halted": {
        "why": "the power was cut",
        "cure": "say what stands where",
        "confirmed": ON_POINTS,
        "believed": ON_POINTS,
        "where": "",
    },
}


def within_the_stop(page, selector: str) -> None:
    """In sight, and not under the emergency stop."""
    expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    box, stop = (page.locator(one).bounding_box() for one in (selector, "#emergency-stop"))
    assert box is not None
    assert stop is not None
    apart = box["y"] + box["height"] <= stop["y"] or box["y"] >= stop["y"] + stop["height"]
    assert apart or box["x"] + box["width"] <= stop["x"]


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("size", ["tall phone", "desktop", "wall"])
def test_beginning_and_the_hint_are_in_sight_without_scrolling(visitor: Visitor, size: str, language: str):
    with Stage(LAYOUT, DEALT) as served:
        page = visitor.page(served, size, language=language)
        within_the_stop(page, '[data-key="begin"]')
        hint = {"run": "L with 4 to s2", "distance": 18}
        served.change(mode="ready", question=None, puzzle={**PLAY["puzzle"], "hint": hint})
        within_the_stop(page, ".tip")


@pytest.mark.parametrize(
    ("after", "coupled"),
    [
        ("head: | s1: L 4 6 2 7 8 | s2: 1 5 3 | s3:", "couples up to open wagon 4 "),
        ("head: | T1>closed: L | s1: 4 6 2 7 8 | s2: 1 5 3 | s3:", "couples up to open wagon 4 "),
        ("head: | s1: 4 6 2 7 8 | s2: 1 5 3 | s3: L", ""),
        ("head: | T1>thrown: L | s1: 4 6 2 7 8 | s2: 1 5 3 | s3:", ""),
    ],
)
def test_a_hint_says_what_is_coupled_up(visitor: Visitor, after: str, coupled: str):
    run = {"number": 1, "text": "L goes", "engine": "L", "towards": "to", "left": [], "after": after}
    puzzle = {**PLAY["puzzle"], "plan": [run], "next": 0, "hint": {"run": "L goes", "distance": 1}}
    with Stage(LAYOUT, {**PLAY, "puzzle": puzzle}) as served:
        page = visitor.page(served)
        expect(page.locator(".tip")).to_have_text(f"Hint: L goes{', ' if coupled else ' '}{coupled}(1 to go)")
        expect(page.locator("summary")).to_have_text("Solution, 1 run")


def test_a_play_that_is_taken_up_is_one_notice_and_one_button(visitor: Visitor):
    with Stage(LAYOUT, TAKEN_UP) as served:
        page = visitor.page(served)
        expect(page.locator("#notices .notice")).to_have_count(1)
        expect(page.locator("#notices button")).to_have_count(1)
        expect(page.locator("#notices")).not_to_contain_text("head:")
        expect(page.locator("#position")).to_contain_text("not known wherelocomotive L")
        page.locator('[data-key="put-right"]').click()
        expect(page.locator("#putright")).to_contain_text("push locomotive L by hand onto a track")
        confirm = page.locator('[data-key="confirm"]')
        expect(confirm).to_be_disabled()
        within_the_stop(page, '[data-key="confirm"]')
        # No place is offered where it may not stand: on points, and in a full track.
        page.locator('[data-key="piece-L"]').click()
        expect(page.locator('[data-segment="s2"] .slot')).to_have_count(0)
        expect(page.locator('#putright .slot[aria-label*="turnout"]')).to_have_count(0)
        page.get_by_label("Put it in head, first from the buffer stop").click()
        confirm.click()
        said = served.until_heard("put-right")[0]
        assert said["position"] == "head: L 4 | s1: 6 2 7 8 | s2: 1 5 3 | s3:"


def test_two_vehicles_on_one_turnout_are_both_to_be_placed(visitor: Visitor):
    on_t1 = {"element": "T1", "leg": "closed", "at_mm": 40.0, "error_mm": 5.0, "v_mm_s": 0.0}
    vehicles = {**PLAY["vehicles"], "L": on_t1, "4": {**on_t1, "at_mm": 120.0}}
    halted = {**TAKEN_UP["halted"], "believed": "", "confirmed": PLAY["puzzle"]["position"]}
    with Stage(LAYOUT, {**PLAY, "mode": "halted", "vehicles": vehicles, "halted": halted}) as served:
        page = visitor.page(served)
        page.locator('[data-key="put-right"]').click()
        expect(page.locator("#putright .clear")).to_contain_text("locomotive L, open wagon 4")
        expect(page.locator('[data-segment="head"] .piece')).to_have_count(0)


def test_drawing_anew_in_a_play_says_what_becomes_of_it_and_a_demonstration_is_not_offered(visitor: Visitor):
    with Stage(LAYOUT, PLAY) as served:
        page = visitor.page(served)
        expect(page.locator('[data-key="demo"]')).to_have_count(0)
        page.get_by_role("button", name="Draw cards").click()
        expect(page.locator(".dialog")).to_contain_text("The play that is not at its end is given up.")
        page.keyboard.press("Escape")
        making_way = {**TAKEN_UP["halted"], "making_way": True}
        served.change(mode="halted", halted=making_way, note="drawing and solving ...")
        expect(page.locator("#mode")).to_have_text("Halted")
        expect(page.locator("#notices .notice")).to_have_count(0)
        # Where no cards could be drawn, the play is still there.
        served.change(note="")
        expect(page.locator("#notices .notice")).to_have_count(1)
        served.change(mode="idle", halted=None, puzzle=None)
        expect(page.locator('[data-key="demo"]')).to_be_visible()


def test_seconds_are_seconds_and_the_rest_is_in_runs(visitor: Visitor):
    done = {**PLAY["puzzle"]["done"], "seconds": 1, "runs": 1, "origins": {"runs": "seen"}}
    puzzle = {**PLAY["puzzle"], "count": "seconds", "par": 239_900, "distance": 24, "done": done}
    with Stage(LAYOUT, {**PLAY, "puzzle": {**puzzle, "target": {"s1": ["1"], "s2": ["2"]}}}) as served:
        page = visitor.page(served)
        counts = page.locator(".count").all_text_contents()
        assert counts == ["1second", "240planned, about", "24runs to go"]
        expect(page.locator(".figures")).to_contain_text("run1")
        expect(page.locator(".target")).to_contain_text("Spots")


def test_what_a_person_told_is_said_so_in_both_languages(visitor: Visitor):
    done = {**PLAY["puzzle"]["done"], "origins": {"runs": "entered"}}
    with Stage(LAYOUT, {**PLAY, "puzzle": {**PLAY["puzzle"], "done": done}}) as served:
        for language, words in (("en", "par, from where it was put right"), ("fr", "par, depuis la correction")):
            page = visitor.page(served, language=language)
            expect(page.locator(".count").nth(1)).to_have_text(f"23{words}")
        expect(page.locator(".count .origin")).to_have_text("selon une personne")


def test_a_stop_does_not_offer_to_cut_a_power_that_is_off(visitor: Visitor):
    with Stage(LAYOUT, PLAY) as served:
        page = visitor.page(served)
        page.keyboard.press("Space")
        served.until_heard("emergency-stop")
        expect(page.locator("#emergency-stop")).to_contain_text("POWER OFF TOO")
        served.change(mode="halted", power=False, halted=TAKEN_UP["halted"])
        expect(page.locator("#emergency-stop")).to_contain_text("STOPPED")
        expect(page.locator("#emergency-stop")).to_contain_text("the power is off")


def test_a_vehicle_has_one_length_on_every_track(visitor: Visitor):
    rows = {"head": "1", "s1": "2", "s2": "3"}
    with Stage(LAYOUT, PLAY) as served:
        page = visitor.page(served)
        served.change(
            vehicles={
                vehicle: {"element": track, "leg": None, "at_mm": 120.0, "error_mm": 0.0, "v_mm_s": 0.0}
                for track, vehicle in rows.items()
            }
        )
        expect(page.locator("#diagram .vehicle")).to_have_count(3)
        wide = page.evaluate(
            "() => [...document.querySelectorAll('#diagram .vehicle .body')].map((one) => one.getBBox().width)"
        )
        assert max(wide) - min(wide) < 1
