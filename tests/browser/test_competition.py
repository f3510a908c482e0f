"""The page of a competition: every view in both languages, the hall, and a tablet whose network comes and goes."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from competition_scenes import attempt, evening, stage
from competition_stage import CompetitionStage
from panel_stage import Json
from panel_visitor import Visitor
from playwright.sync_api import Page, expect

CAPITAL_MM = 10.0
"""At five metres seven minutes of arc: a good eye reads five."""
PIXEL_MM = 0.53
"""Of a screen of 46 inches with 1920 x 1080 pixels."""
VIEWS = ("standings", "tablet", "check", "desk", "entrants", "replay=r2-ada-1")
PAGE_MS = 12_000
TRANSFORMS = "(all) => all.map((one) => one.getAttribute('transform'))"


def opened(visitor: Visitor, served: CompetitionStage, size: str = "desktop", **more: Any) -> Page:
    """The page, once it has its view."""
    page = visitor.page(served, size, ready=False, **more)
    expect(page.locator("#views a").first).to_be_visible()
    return page


def flawless(page: Page) -> None:
    """What axe finds is nothing, and nothing is wider than the screen."""
    found = Axe().run(page)
    assert [(one["id"], one["nodes"][0]["html"]) for one in found.response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize(("language", "size"), [("en", "desktop"), ("fr", "phone")])
def test_every_view_can_be_used_by_everybody(visitor: Visitor, keep_picture: Any, language: str, size: str) -> None:
    with stage() as served:
        page = opened(visitor, served, size, language=language)
        for view in VIEWS:
            page.evaluate("(view) => (location.hash = view)", view)
            name = view.partition("=")[0]
            expect(page.locator(f"#view-{name} h2").first).to_be_attached()
            expect(page.locator(".view:visible")).to_have_count(1)
            keep_picture(page, f"competition-{name}-{size}-{language}")
            flawless(page)


def test_what_is_certain_and_what_is_open_is_said_in_words_and_by_form(visitor: Visitor) -> None:
    with stage(evening("look")) as served:
        page = opened(visitor, served)
        first, second = page.get_by_role("region", name="Round 1"), page.get_by_role("region", name="Final")
        expect(first.get_by_role("row", name="Chloé")).to_contain_text("Chef de gare")
        expect(first.get_by_role("row", name="Chloé")).to_contain_text("certain")
        expect(first.get_by_role("row", name="Bruno")).to_contain_text("reserve")
        expect(second.get_by_role("row", name="Ada")).to_contain_text("(1)")
        expect(second.get_by_role("row", name="Ada")).to_contain_text("1 to come")
        # What is another's to do is not there, and the address alone does not give it.
        expect(page.get_by_role("link", name="Desk")).to_have_count(0)
        page.evaluate("location.hash = 'desk'")
        expect(page.locator("#view-denied")).to_contain_text("Sign in")


def test_a_round_that_is_played_comes_before_one_that_nobody_plays_yet(visitor: Visitor) -> None:
    its = evening()
    played, other = its["rounds"][:2]
    empty = {**other["standing"], "rows": [], "certain": False}
    to_come = {**other, "id": "r9", "title": "To come", "heats_open": 0, "standing": empty}
    playing = {**played, "title": "Playing", "heats_open": 1, "standing": {**played["standing"], "certain": False}}
    over = {**other, "title": "Over", "heats_open": 1, "standing": {**other["standing"], "certain": True}}
    view = {**its, "rounds": [over, playing, to_come]}
    for at, titles in (("standings", ["Playing", "Over", "To come"]), ("desk", ["Playing", "To come", "Over"])):
        with stage(view, at=at) as served:
            page = opened(visitor, served)
            for title in titles:
                expect(page.get_by_role("heading", name=title).first).to_be_visible()
            headings = page.locator("h2, h3").all_inner_texts()
            shown = [title for text in headings for title in titles if text.startswith(title)]
            assert list(dict.fromkeys(shown)) == titles


def test_a_replay_is_stepped_through_beside_the_optimum(visitor: Visitor) -> None:
    with stage(at="replay=r2-ada-1") as served:
        page = opened(visitor, served, clock=True)
        played, fewest = page.locator(".strip").first, page.locator(".strip").last
        expect(fewest.get_by_role("heading")).to_have_text("The fewest: 10 runs")
        expect(fewest.locator(".step")).to_contain_text("1/3")
        expect(played.locator("svg .vehicle")).to_have_count(6)
        before = played.locator("svg .vehicle").evaluate_all(TRANSFORMS)
        played.get_by_role("button", name="Play").click()
        page.clock.run_for(1500)
        expect(played.locator(".step")).to_contain_text("2/3 · 0:12 · L draws 1 2 out")
        assert played.locator("svg .vehicle").evaluate_all(TRANSFORMS) != before
        played.get_by_role("button", name="Pause").click()
        page.clock.run_for(5000)
        expect(played.locator(".step")).to_contain_text("2/3")
        expect(fewest.locator(".step")).to_contain_text("1/3 · What was set up")
        played.get_by_role("slider").press("End")
        expect(played.locator(".step")).to_contain_text("3/3 · 0:31 · 1 2 into s2")


def test_a_hall_pages_by_itself_and_stands_when_it_is_told_to(visitor: Visitor, keep_picture: Any) -> None:
    with stage(evening("look"), at="hall") as served:
        page = opened_hall(visitor, served)
        title = page.locator(".hall-page h2")
        expect(title).to_contain_text("Final")
        keep_picture(page, "competition-hall")
        flawless(page)
        assert page.locator("button:visible, a:visible, input:visible, [role=button]:visible").count() == 0
        least = page.evaluate(
            "() => Math.min(...[...document.querySelectorAll('.hall-page h2, .hall-rows .rank, .hall-rows b')]"
            ".map((one) => parseFloat(getComputedStyle(one).fontSize)))"
        )
        assert least * 0.7 * PIXEL_MM >= CAPITAL_MM
        page.clock.run_for(PAGE_MS + 500)
        expect(title).to_contain_text("Round 1")
        page.keyboard.press("p")
        page.clock.run_for(3 * PAGE_MS)
        expect(title).to_contain_text("Round 1")
        expect(page.locator(".hall-foot")).to_contain_text("PAUSED")
        page.keyboard.press("ArrowRight")
        expect(title).to_contain_text("Overall")
        page.keyboard.press("p")
        page.clock.run_for(PAGE_MS + 500)
        expect(title).to_contain_text("Final")
        page.keyboard.press("Escape")
        expect(page.locator("#view-standings")).to_be_visible()


def opened_hall(visitor: Visitor, served: CompetitionStage) -> Page:
    page = visitor.page(served, "wall", ready=False, clock=True, reduced_motion="reduce")
    expect(page.locator(".hall-page h2")).to_be_visible()
    expect(page.locator(".hall-progress")).to_be_hidden()
    return page


def with_attempt(**more: Any) -> Json:
    """An evening in which Chloé has been called."""
    view = evening("mark")
    return {**view, "attempts": [*view["attempts"], attempt("chloe", 1, heat=2, **more)]}


def at_the_tablet(visitor: Visitor, served: CompetitionStage, size: str = "desktop", **more: Any) -> Page:
    page = opened(visitor, served, size, **more)
    page.locator("[data-key=take-r2-chloe-1]").click()
    return page


def shown_ms(page: Page) -> int:
    """What the large clock shows."""
    minutes, seconds = page.locator(".big-clock .clock").inner_text().split(":")
    return int(minutes) * 60_000 + round(float(seconds) * 1000)


def test_the_cards_stay_covered_until_the_set_up_is_agreed(visitor: Visitor) -> None:
    with stage(with_attempt(), at="tablet") as served:
        page = at_the_tablet(visitor, served)
        expect(page.locator(".board li")).to_have_count(4)
        expect(page.locator(".cards")).to_have_count(0)
        expect(page.locator("[data-key=start]")).to_have_count(0)
        page.get_by_role("button", name="It stands so").click()
        assert served.until_done(1) == [{"do": "set-up", "attempt": "r2-chloe-1"}]
        expect(page.locator(".cards.covered li")).to_have_text(["?", "?", "?"])
        expect(page.locator("[data-key=start]")).to_have_count(0)
        page.get_by_role("button", name="Uncover the cards").click()
        expect(page.locator(".cards li").first).to_have_attribute("aria-label", "4")
        page.keyboard.press("b")
        assert served.until_done(2)[1] == {"do": "start", "attempt": "r2-chloe-1"}


def test_presses_without_a_network_are_kept_in_order_and_sent_once(visitor: Visitor, keep_picture: Any) -> None:
    with stage(with_attempt(set_up=True, phase="running", shows_ms=5000), at="tablet") as served:
        page = at_the_tablet(visitor, served, "phone")
        page.context.set_offline(True)
        expect(page.locator("#lost")).to_contain_text("No connection since")
        page.locator("[data-key=derailment]").click()
        page.locator("[data-key=hand]").click()
        page.locator("[data-key=hint]").click()
        expect(page.locator("#presses")).to_contain_text("3 presses are kept on this device")
        expect(page.locator("[data-key=derailment] .times")).to_have_text("1")
        keep_picture(page, "competition-offline")
        assert served.deeds == []
        page.context.set_offline(False)
        deeds = served.until_done(3)
        expect(page.locator("#presses")).to_be_empty()
        expect(page.locator("#lost")).to_be_empty()
        assert [(one["do"], one.get("fault")) for one in deeds] == [
            ("fault", "derailment"),
            ("fault", "hand"),
            ("hint", None),
        ]
        times = [one["at_ms"] for one in deeds]
        assert 5000 <= times[0] < times[1] < times[2]


def test_a_press_whose_answer_was_lost_is_sent_again_as_it_was_after_a_reload_too(visitor: Visitor) -> None:
    with stage(with_attempt(set_up=True), at="tablet") as served:
        served.silent = True
        page = at_the_tablet(visitor, served)
        page.get_by_role("button", name="Uncover the cards").click()
        page.locator("[data-key=start]").click()
        served.until_done(1)
        page.locator("[data-key=side-swipe]").click()
        before = shown_ms(page)
        page.reload()
        expect(page.locator("[data-key=side-swipe] .times")).to_have_text("1")
        assert shown_ms(page) >= before
        served.silent = False
        expect(page.locator("#presses")).to_be_empty(timeout=10_000)
        starts = [one for one in served.deeds if one["do"] == "start"]
        assert starts == [{"do": "start", "attempt": "r2-chloe-1"}] * len(starts)
        faults = [one for one in served.deeds if one["do"] == "fault"]
        assert len(faults) == 1
        assert served.deeds[-1] == faults[0]


def test_a_press_that_is_refused_is_shown_with_its_cure_and_keeps_nothing_waiting(visitor: Visitor) -> None:
    with stage(with_attempt(set_up=True, phase="running"), at="tablet") as served:
        served.refusals["fault"] = {"why": "the attempt has ended", "cure": "correct its marks"}
        page = at_the_tablet(visitor, served)
        page.keyboard.press("h")
        page.keyboard.press("i")
        assert [one["do"] for one in served.until_done(2)] == ["fault", "hint"]
        refused = page.locator("#presses [role=alert]")
        expect(refused).to_contain_text("Not taken: hand")
        expect(refused).to_contain_text("Correct its marks.")
        refused.get_by_role("button", name="I have read it").click()
        expect(page.locator("#presses")).to_be_empty()


def test_a_press_waits_where_the_device_has_lost_its_rights_until_it_has_them_again(visitor: Visitor) -> None:
    with stage(with_attempt(set_up=True, phase="running"), at="tablet") as served:
        page = at_the_tablet(visitor, served)
        served.refusals["fault"] = {"why": "this token has expired", "cure": "ask the marshal for another one"}
        served.view = {**served.view, "scope": "look"}
        page.keyboard.press("d")
        served.until_done(1)
        expect(page.locator("#view-denied")).to_be_visible()
        expect(page.locator("#presses")).to_contain_text("They stay here until you sign in again.")
        served.refusals.clear()
        served.change(scope="mark")
        expect(page.locator("#view-tablet")).to_be_visible()
        expect(page.locator("#presses")).to_be_empty()
        assert len({str(one) for one in served.until_done(2)}) == 1


def test_an_attempt_is_marked_and_counted_by_keys_alone_in_french(visitor: Visitor, keep_picture: Any) -> None:
    with stage(with_attempt(set_up=True, phase="running", shows_ms=90_000), at="tablet") as served:
        page = at_the_tablet(visitor, served, language="fr")
        page.keyboard.press("m")
        assert served.until_done(1)[0]["fault"] == "hand"
        page.keyboard.press("p")
        page.get_by_label("Une autre raison").fill("rail sale")
        page.keyboard.press("Enter")
        paused = served.until_done(2)[1]
        assert (paused["do"], paused["why"]) == ("pause", "rail sale")
        page.keyboard.press("p")
        assert served.until_done(3)[2] == {"do": "resume", "attempt": "r2-chloe-1"}
        page.keyboard.press("f")
        expect(page.locator(".clock-state")).to_have_text("arrêté")
        stopped = shown_ms(page)
        page.reload()
        expect(page.locator(".clock-state")).to_have_text("arrêté")
        page.keyboard.press("Enter")
        expect(page.locator(".stopped .refused")).to_contain_text("Choisissez")
        page.keyboard.press("t")
        page.keyboard.type("m12")
        page.keyboard.type("r7")
        keep_picture(page, "competition-counted")
        flawless(page)
        page.keyboard.press("Enter")
        end = served.until_done(4)[3]
        assert end == {
            "do": "end",
            "attempt": "r2-chloe-1",
            "outcome": "finished",
            "at_ms": end["at_ms"],
            "counts": {"runs": 12, "reversals": 7},
        }
        assert 0 <= end["at_ms"] - stopped < 100
        assert end["at_ms"] >= paused["at_ms"] >= 90_000


def test_with_a_layout_the_emergency_stop_is_there_and_the_layout_starts_the_clock(visitor: Visitor) -> None:
    on_it = {**with_attempt(set_up=True, on_layout=True), "layout": {"name": "inglenook-small"}}
    with stage(on_it, at="tablet") as served:
        page = at_the_tablet(visitor, served, "phone")
        page.get_by_role("button", name="Uncover the cards").click()
        expect(page.locator("[data-key=start]")).to_have_count(0)
        expect(page.locator("#emergency-stop strong")).to_have_text("EMERGENCY STOP")
        page.keyboard.press("b")
        with page.expect_response("**/api/emergency-stop"):
            page.keyboard.press("Space")
        expect(page.locator("#emergency-stop strong")).to_have_text("POWER OFF TOO")
        assert served.stopped == [{}]
        assert served.deeds == []
        flawless(page)


def test_what_the_server_refuses_is_said_in_the_form_which_stays_as_it_is(visitor: Visitor, keep_picture: Any) -> None:
    with stage(at="desk") as served:
        cure = "let it be 9 to 12, which leaves 210"
        served.refusals["announce"] = {"why": "a par of 12 to 12 leaves 3 of the draws", "cure": cure}
        page = opened(visitor, served)
        page.locator("[data-key=announce]").click()
        page.get_by_label("Title").fill("Semi-final")
        page.get_by_label("Par from").fill("12")
        page.get_by_label("The marshal's code").fill("steam")
        page.get_by_label("The code once more").fill("stream")
        send = page.get_by_role("button", name="Announce and seal")
        send.click()
        expect(page.locator(".dialog .refused")).to_contain_text("The two codes differ.")
        page.get_by_label("The code once more").fill("steam")
        send.click()
        expect(page.locator(".dialog .refused")).to_contain_text("Let it be 9 to 12, which leaves 210.")
        expect(page.get_by_label("Title")).to_have_value("Semi-final")
        keep_picture(page, "competition-announce")
        flawless(page)
        served.refusals.clear()
        send.click()
        expect(page.locator(".dialog")).to_have_count(0)
        expect(page.locator("[data-key=announce]")).to_be_focused()
        first, last = served.deeds
        assert first == last
        assert (last["code"], last["plan"]["id"], last["plan"]["par_least"]) == ("steam", "r3", 12)
        assert "time_limit_s" not in last["plan"]
