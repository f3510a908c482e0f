"""The page in a real browser, before a stage that is the signal box: what it asks for."""

from __future__ import annotations

import re

import pytest
from panel_scenes import DRIVING, HALTED, HELD, LAYOUT, PLAY, TRACK, UNFINISHED, quiet, stage
from panel_visitor import Visitor, drive
from playwright.sync_api import Page, expect

FACING = {
    "ends": {"from": "the buffer stop", "to": "the points"},
    "facing": {"text": "When the node drives L forward, does it run there?", "note": "L runs on direct current."},
}


def hide(page: Page) -> None:
    """As when the tab is covered by another one."""
    page.evaluate(
        "() => { Object.defineProperty(document, 'hidden', {configurable: true, get: () => true});"
        " document.dispatchEvent(new Event('visibilitychange')); }"
    )


# ---------------------------------------------------------------- emergency stop


def test_space_stops_even_on_a_button_and_enter_presses_it(visitor: Visitor) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served)
        page.locator('[data-key="turnout-T1"]').focus()
        page.keyboard.press("Enter")
        assert served.until_heard("turnout") == [{"id": 1, "do": "turnout", "name": "T1", "leg": "closed"}]
        page.keyboard.press("Space")
        served.until_heard("emergency-stop")
        page.locator("#help").focus()
        page.keyboard.press("Space")
        assert [one.get("power_off") for one in served.until_heard("emergency-stop", 2)] == [None, True]
        expect(page.locator(".dialog")).to_have_count(0)
        assert len(served.said("turnout")) == 1
        page.keyboard.press("Enter")
        expect(page.locator(".dialog")).to_have_count(1)


def test_in_a_text_field_a_space_is_a_space_and_the_stop_is_in_reach(visitor: Visitor) -> None:
    with stage() as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Draw cards").click()
        page.get_by_label("Seed").press_sequentially("a b")
        expect(page.get_by_label("Seed")).to_have_value("a b")
        assert served.said("emergency-stop") == []
        page.locator("#emergency-stop").click()
        served.until_heard("emergency-stop")
        expect(page.get_by_role("alert").filter(has_text="Emergency stop sent")).to_be_visible()
        assert len(served.said("emergency-stop")) == 1
        page.locator("#emergency-stop").focus()
        page.keyboard.press("Enter")
        assert served.until_heard("emergency-stop", 2)[1]["power_off"] is True
        served.change(mode="halted", halted=HALTED["halted"])
        expect(page.locator("#notices")).to_contain_text("Halted")
        served.change(mode="ready", halted=None)
        expect(page.locator("#emergency-stop")).to_contain_text("EMERGENCY STOP")


def test_without_a_connection_a_stop_goes_by_post_and_again_on_the_next_one(visitor: Visitor) -> None:
    with stage(DRIVING, role="spectator") as served:
        page = visitor.page(served, "phone", clock=True)
        served.refusing = True
        served.seat.close()
        expect(page.locator("body")).to_have_class(re.compile("stale"))
        page.keyboard.press("Space")
        expect(page.locator("#stop p")).to_contain_text("NOT SENT")
        served.posts["POST", "/api/emergency-stop"] = (202, {})
        page.keyboard.press("Space")
        expect(page.locator("#stop p")).to_have_text("Emergency stop sent.")
        assert served.posted[-1] == ("POST", "/api/emergency-stop", {"power_off": True})
        served.refusing = False
        page.clock.run_for(9000)
        served.until_heard("emergency-stop")
        assert served.seat.heard[0]["do"] == "emergency-stop"
        assert served.seat.heard[0]["power_off"] is True


# ---------------------------------------------------------------- driving


def test_the_throttle_by_keyboard_and_its_renewals(visitor: Visitor) -> None:
    with stage({**PLAY, "mode": "hand"}) as served:
        page = visitor.page(served, clock=True)
        page.get_by_role("button", name="Take the throttle").click()
        served.until_heard("take")
        served.change(throttle=HELD)
        expect(page.get_by_role("button", name="towards the buffer stop")).to_be_visible()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("button", name="towards T1", exact=True)).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("ArrowUp")
        assert served.until_heard("drive")[0] == {"id": 2, "do": "drive", "towards": "to", "speed_mm_s": 20}
        page.clock.run_for(2100)
        assert len(served.until_heard("drive", 5)) == 5
        page.keyboard.press("ArrowDown")
        served.until_heard("stop")
        page.clock.run_for(2000)
        assert len(served.said("drive")) == 5


def test_the_lights_are_shown_as_everybody_sees_them(visitor: Visitor) -> None:
    with stage({**DRIVING, "functions": {"L": [0]}}) as served:
        page = visitor.page(served)
        lights = page.get_by_role("button", name="Lights")
        expect(lights).to_have_attribute("aria-pressed", "true")
        lights.click()
        said = served.until_heard("function")[0]
        assert (said["number"], said["on"]) == (0, False)
        expect(lights).to_have_attribute("aria-pressed", "true")
        served.change(functions={"L": []})
        expect(lights).to_have_attribute("aria-pressed", "false")


def test_no_speed_is_above_the_cap_and_none_goes_without_a_direction(visitor: Visitor) -> None:
    capped = {**LAYOUT, "speeds": {**LAYOUT["speeds"], "cap": 60}}
    with stage(DRIVING, layout=capped) as served:
        page = visitor.page(served, clock=True)
        page.keyboard.press("ArrowUp")
        expect(page.get_by_text("Choose a direction first")).to_be_visible()
        expect(page.get_by_role("button", name="Faster")).to_be_disabled()
        drive(page, presses=9)
        page.clock.run_for(600)
        assert max(one["speed_mm_s"] for one in served.until_heard("drive", 3)) == 60
        expect(page.locator("#speed")).to_have_attribute("max", "60")


def test_the_throttle_is_zero_whenever_the_page_cannot_answer_for_it(visitor: Visitor) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served, clock=True)

        def hidden() -> None:
            hide(page)
            served.until_heard("stop")

        def taken_over() -> None:
            served.change(throttle={"L": {"holder": "another", "towards": "to", "speed_mm_s": 0}})
            expect(page.get_by_text("Another page or phone drives it.")).to_be_visible()
            served.change(throttle=HELD)

        def halted() -> None:
            served.change(mode="halted", halted=HALTED["halted"])
            expect(page.locator("#mode")).to_have_text("Halted")
            served.change(mode="hand", halted=None)

        def emergency() -> None:
            page.keyboard.press("Space")
            served.until_heard("emergency-stop")

        def end_of_its_drive() -> None:
            served.change(
                drive={"locomotive": "L", "towards": "to", "speed_mm_s": 20, "limit": {"why": "T1 lies wrong"}}
            )
            expect(page.locator(".limit")).to_have_text("It stops by itself: T1 lies wrong.")
            served.change(drive=None)

        def refused() -> None:
            served.answers["drive"] = {"why": "T1 lies against you", "kind": "turnout", "name": "T1"}
            page.clock.run_for(500)
            expect(page.locator(".callout")).to_contain_text("T1 lies against you")
            del served.answers["drive"]

        for how in (hidden, taken_over, halted, emergency, end_of_its_drive, refused):
            page.evaluate("() => { delete document.hidden; }")
            heard = len(served.said("drive"))
            drive(page, presses=1)
            expect(page.locator("output.now")).to_contain_text("20 mm/s asked")
            served.until_heard("drive", heard + 1)
            how()
            expect(page.locator("output.now")).to_contain_text("0 mm/s asked, 0 mm/s now")
            before = len(served.said("drive"))
            page.clock.run_for(1500)
            assert len(served.said("drive")) == before, how.__name__


def test_a_throttle_that_the_layout_refuses_is_closed_and_may_be_opened_again(visitor: Visitor) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served, clock=True)
        drive(page, presses=1)
        served.until_heard("drive", 1)
        served.seat.say(type="refused", id=None, why="s1 is full", cure="", kind="segment", name="s1")
        expect(page.locator("output.now")).to_contain_text("0 mm/s asked")
        assert len(served.until_heard("stop")) == 1
        drive(page, presses=1)
        assert len(served.until_heard("drive", 2)) == 2


def test_what_the_protection_lets_pass_is_said_for_as_long_as_it_is_driven_to(visitor: Visitor) -> None:
    drive_ = {"locomotive": "L", "towards": "to", "speed_mm_s": 20, "limit": {"why": "the track ends in s2"}}
    with stage({**DRIVING, "protection": "warn", "drive": {**drive_, "warning": {"why": "s2 holds 3"}}}) as served:
        page = visitor.page(served)
        expect(page.locator(".limit")).to_have_text("Careful: s2 holds 3. It stops by itself: the track ends in s2.")
        expect(page.locator("#protection")).to_have_text("Protection: warns only")
        served.change(drive={**drive_, "warning": None})
        expect(page.locator(".limit")).to_have_text("It stops by itself: the track ends in s2.")


def test_a_page_that_is_left_stops_and_closes_its_connection(visitor: Visitor) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served)
        drive(page)
        served.until_heard("drive", 1)
        page.goto("about:blank")
        served.until_heard("stop")
        served.until_gone(served.seat)


def test_taking_over_asks_first(visitor: Visitor) -> None:
    with stage({**DRIVING, "throttle": {"L": {"holder": "another"}}}) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Take it over").click()
        page.get_by_role("button", name="No", exact=True).click()
        assert served.said("take") == []
        page.get_by_role("button", name="Take it over").click()
        page.get_by_role("button", name="Stop it and take over").click()
        assert served.until_heard("take")[0]["steal"] is True


def test_a_tab_keeps_its_name_over_a_reload_and_another_has_another(visitor: Visitor) -> None:
    with stage() as served:
        context = visitor.context()
        page = visitor.another(context, served)
        page.reload()
        served.until_seats(2)
        visitor.another(context, served)
        first, again, other = (seat.query["tab"] for seat in served.seats)
        assert first == again != other


# ---------------------------------------------------------------- puzzle


def test_dealing_and_beginning(visitor: Visitor) -> None:
    with stage({**quiet(TRACK)}) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Draw cards").click()
        page.get_by_label("Seed").fill("1979")
        page.get_by_label("Level").select_option("3")
        page.get_by_role("button", name="Draw", exact=True).click()
        assert served.until_heard("deal")[0] == {"id": 1, "do": "deal", "puzzle": "classic", "seed": "1979", "level": 3}
        question = {"id": 7, "kind": "set-up", "text": "Set up like this.", **FACING}
        served.change(mode="dealt", puzzle=PLAY["puzzle"], question=question)
        expect(page.locator(".cards li")).to_have_count(5)
        begin = page.get_by_role("button", name="Yes, it stands like this")
        expect(begin).to_be_disabled()
        # On direct current the wires decide, and the page asks what the server asks.
        expect(page.get_by_text("L runs on direct current.")).to_be_visible()
        ends = page.get_by_role("group", name="When the node drives L forward")
        ends.get_by_role("button", name="the points").click()
        begin.click()
        assert served.until_heard("begin")[0]["facing"] == "to"


def test_what_a_draw_sheet_leads_to_is_ready_to_be_drawn(visitor: Visitor) -> None:
    with stage() as served:
        page = visitor.page(served)
        for name, words in (("cards", "Wagon cards"), ("draw", "Draw sheet")):
            link = page.get_by_role("link", name=words)
            expect(link).to_have_attribute("href", f"/api/print/{name}.pdf?lang=en")
        served.change(mode="idle", puzzle=None)
        expect(page.get_by_role("link", name="Draw sheet")).to_have_count(0)
        page.goto(f"{served.address}#puzzle=classic&seed=a%26b%20c")
        page.get_by_role("button", name="Draw cards").click()
        expect(page.get_by_label("Seed")).to_have_value("a&b c")
        page.get_by_role("button", name="Draw", exact=True).click()
        assert served.until_heard("deal")[0] == {"id": 1, "do": "deal", "puzzle": "classic", "seed": "a&b c"}


def test_the_counts_the_plan_and_the_next_run(visitor: Visitor) -> None:
    with stage() as served:
        page = visitor.page(served)
        expect(page.locator(".count").first).to_have_text("5runs")
        expect(page.locator(".figures")).to_contain_text("couplings6 inferred")
        page.get_by_text("Solution, 5 runs").click()
        expect(page.locator('[aria-current="step"]')).to_have_text("L pushes into s2, leaves 4")
        served.change(puzzle={**PLAY["puzzle"], "next": 2, "hint": {"run": "L draws to T1", "distance": 17}})
        expect(page.locator('[aria-current="step"]')).to_have_text("L draws to T1")
        expect(page.locator(".tip")).to_contain_text("17 to go")
        page.get_by_role("button", name="Hint").click()
        served.until_heard("hint")
        page.get_by_role("button", name="Run by itself").click()
        served.until_heard("auto")
        served.change(mode="auto")
        page.get_by_role("button", name="Pause").click()
        served.until_heard("pause")


def test_put_right_by_click_with_undo(visitor: Visitor) -> None:
    with stage(HALTED) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Put right").click()
        page.locator('[data-key="piece-4"]').click()
        page.get_by_label("Put it in s3, after mineral wagon 3").click()
        page.locator('[data-key="piece-7"]').click()
        page.get_by_label("Put it in head, first from the buffer stop").click()
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="It stands like this").click()
        said = served.until_heard("put-right")[0]
        assert said["position"] == "head: L | s1: 6 2 7 8 | s2: 1 5 | s3: 3 4"


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_put_right_by_drag(visitor: Visitor, size: str) -> None:
    with stage(HALTED) as served:
        page = visitor.page(served, size)
        page.get_by_role("button", name="Put right").click()
        page.locator("#putright .board").evaluate("(board) => board.scrollIntoView({block: 'end'})")
        page.locator('[data-key="piece-4"]').hover()
        row = page.locator('[data-segment="s3"] .track').bounding_box()
        assert row is not None
        page.mouse.down()
        page.mouse.move(row["x"] + 150, row["y"] + 30, steps=6)
        page.mouse.up()
        expect(page.locator('#putright [role="status"]')).to_contain_text("put in s3")
        page.get_by_role("button", name="It stands like this").click()
        said = served.until_heard("put-right")[0]
        assert said["position"] == "head: L | s1: 6 2 7 8 | s2: 1 5 | s3: 3 4"


def test_after_a_halt_another_puzzle_is_offered_and_it_is_said_what_that_gives_up(visitor: Visitor) -> None:
    with stage(HALTED) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Draw cards").click()
        expect(page.locator(".dialog")).to_contain_text("The play that is not at its end is given up.")
        page.get_by_role("button", name="Cancel").click()
        assert served.said("deal") == []
        page.get_by_role("button", name="Draw cards").click()
        page.get_by_role("button", name="Give it up and draw").click()
        served.until_heard("deal")
        served.change(mode="dealt", halted=None)
        expect(page.locator(".notice.halted")).to_have_count(0)
        page.get_by_role("button", name="Draw cards").click()
        expect(page.locator(".dialog")).not_to_contain_text("given up")


# ---------------------------------------------------------------- roles


def test_a_spectator_has_nothing_to_press_but_the_stop(visitor: Visitor) -> None:
    with stage(role="spectator") as served:
        served.posts["POST", "/api/session"] = (403, {"why": "this is not the marshal's PIN", "cure": "Ask."})
        page = visitor.page(served, "phone")
        assert page.locator("main button:visible").count() == 0
        expect(page.locator('[data-key="turnout-T1"]')).to_have_attribute("role", "img")
        page.locator('[data-key="turnout-T1"]').click()
        page.get_by_role("button", name="You are: Spectator").click()
        page.get_by_label("Marshal's PIN").fill("0000")
        page.get_by_role("button", name="Be the marshal").click()
        expect(page.get_by_text("This is not the marshal's PIN. Ask.")).to_be_visible()
        served.posts["POST", "/api/session"] = (200, {"role": "marshal"})
        served.you["role"] = "marshal"
        page.get_by_label("Marshal's PIN").fill("4711")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Code for a driver")).to_be_visible()
        assert served.posted[-1] == ("POST", "/api/session", {"pin": "4711"})
        assert served.said("turnout") == []


def test_the_marshal_accepts_a_phone_and_shows_a_code(visitor: Visitor) -> None:
    phone = {"who": "p1", "name": "Anna", "kind": "phone", "role": "driver", "state": "waiting", "locomotive": None}
    with stage({**PLAY, "people": [phone]}) as served:
        drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0h1v1H0z"/></svg>'
        served.posts["POST", "/api/driver-codes"] = (200, {"svg": drawing, "seconds": 120})
        page = visitor.page(served, clock=True)
        page.get_by_role("button", name="You are: Marshal").click()
        page.get_by_role("button", name="Accept").click()
        assert served.until_heard("accept")[0]["who"] == "p1"
        page.get_by_role("button", name="warns only").click()
        assert served.until_heard("protection")[0]["level"] == "warn"
        page.get_by_role("button", name="Code for a driver").click()
        code = page.get_by_role("img", name="QR code for a driver")
        box = code.bounding_box()
        assert box is not None
        assert box["width"] >= 250
        page.clock.run_for(121_000)
        expect(code).to_have_count(0)


def test_two_phones_of_one_name_are_told_apart_and_none_passes_for_another(visitor: Visitor) -> None:
    names = {"phone 1": "Anna", "phone 2": "Anna", "phone 3": "marshal 1", "phone 4": "phone 4"}
    phone = {"kind": "phone", "role": "driver", "state": "waiting", "locomotive": None}
    with stage({**PLAY, "people": [{**phone, "who": who, "name": name} for who, name in names.items()]}) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="You are: Marshal").click()
        shown = page.locator(".people .list b")
        expect(shown).to_have_text([*names])
        expect(page.locator(".people .list q")).to_have_text(["Anna", "Anna", "marshal 1"])


def test_a_drivers_code_leaves_the_address_at_once(visitor: Visitor) -> None:
    with stage(role="driver", locomotive="L") as served:
        served.posts["POST", "/api/session"] = (200, {"role": "driver"})
        page = visitor.context().new_page()
        page.goto(f"{served.address}#driver=Ab3_x-9")
        expect(page.locator("#role")).to_have_text("Driver")
        assert served.posted == [("POST", "/api/session", {"code": "Ab3_x-9"})]
        assert "driver=" not in page.url
        assert page.evaluate("history.length") == 2  # the blank page and this one


def test_a_driver_is_told_who_decides_after_a_halt(visitor: Visitor) -> None:
    with stage(HALTED, role="driver") as served:
        page = visitor.page(served)
        expect(page.locator(".notice.halted")).to_contain_text("then put right. The marshal decides that.")
        served.change(mode="idle", halted=None, unfinished=UNFINISHED)
        expect(page.locator(".notice.unfinished")).to_contain_text("The marshal decides that.")
        for name in ("Put right", "Take it up", "Draw cards"):
            expect(page.get_by_role("button", name=name)).to_have_count(0)
        served.change(question={"id": 1, "kind": "take-up", "text": "Take it up?"})
        expect(page.locator(".notice.question")).to_contain_text("Take it up? The marshal decides that.")
        expect(page.get_by_role("button", name="Yes")).to_have_count(0)
        served.change(question={"id": 2, "kind": "by-hand", "text": "Set T1 by hand."})
        expect(page.get_by_role("button", name="Yes")).to_be_visible()


def test_in_an_attempt_the_page_says_so_and_offers_no_plan_no_other_draw_and_no_sheet(visitor: Visitor) -> None:
    kept = {**PLAY["puzzle"], "par": None, "proved": None, "plan": [], "next": 0, "distance": None, "seed": None}
    attempt = {"competition": "autumn", "attempt": "r1-ann-1", "journal": None, "hints": False}
    attempt |= dict.fromkeys(("clock_stands", "over", "reached"), False)
    with stage({**DRIVING, "puzzle": kept, "attempt": attempt, "route": []}) as served:
        page = visitor.page(served)
        notice = page.locator(".notice.attempt")
        expect(notice).to_contain_text("Attempt r1-ann-1 of autumn is on.")
        expect(page.locator("#puzzle .controls button")).to_have_count(0)
        expect(page.locator("#puzzle .plan")).to_be_empty()
        expect(page.locator("#puzzle .prints a")).to_have_count(1)
        served.change(attempt={**attempt, "hints": True})
        expect(page.get_by_role("button", name="Hint")).to_be_visible()
        served.change(attempt={**attempt, "hints": True, "clock_stands": True})
        expect(notice).to_contain_text("the clock stands")
        expect(page.locator("#puzzle .controls button")).to_have_count(0)
        served.change(attempt={**attempt, "over": True, "reached": True}, mode="solved")
        expect(notice).to_contain_text("the goal is reached")
        expect(page.get_by_role("button", name="Draw cards")).to_be_visible()


def test_a_certain_draw_is_asked_for_by_its_cards(visitor: Visitor) -> None:
    with stage() as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Draw cards").click()
        page.get_by_label("Certain cards").fill(" 3 5 1 ")
        page.locator(".dialog button.main").click()
        assert served.until_heard("deal") == [{"id": 1, "do": "deal", "puzzle": "classic", "cards": "3 5 1"}]
