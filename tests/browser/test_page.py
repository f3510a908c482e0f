"""The page in a real browser, before a stage that is the signal box: what it shows, and what it asks for."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from panel_scenes import at_rest, described, inglenook_play, quiet
from panel_stage import Json, Stage
from panel_visitor import Visitor
from pictures import png
from playwright.sync_api import Page, expect

TRACK, LAYOUT = described("inglenook")
PLAY = inglenook_play(TRACK)
HELD = {"L": {"holder": "me", "towards": None, "speed_mm_s": 0}}
DRIVING = {**PLAY, "mode": "hand", "throttle": HELD}
FACING = {
    "ends": {"from": "the buffer stop", "to": "the points"},
    "facing": {"text": "When the node drives L forward, does it run there?", "note": "L runs on direct current."},
}
HALTED = {
    **PLAY,
    "mode": "halted",
    "halted": {
        "why": "the beam at s2 was broken too early",
        "cure": "Look at the layout, then put right.",
        "confirmed": PLAY["puzzle"]["position"],
        "believed": PLAY["puzzle"]["position"],
    },
}


def stage(state: Json = PLAY, *, layout: Json = LAYOUT, **more: Any) -> Stage:
    return Stage(layout, state, **more)


def hide(page: Page) -> None:
    """As when the tab is covered by another one."""
    page.evaluate(
        "() => { Object.defineProperty(document, 'hidden', {configurable: true, get: () => true});"
        " document.dispatchEvent(new Event('visibilitychange')); }"
    )


def drive(page: Page, presses: int = 3) -> None:
    page.get_by_role("button", name="towards T1", exact=True).click()
    for _ in range(presses):
        page.keyboard.press("ArrowUp")


# ---------------------------------------------------------------- what is shown


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("inglenook", "phone"),
        ("inglenook", "wall"),
        ("timesaver", "phone"),
        ("timesaver", "desktop"),
        ("tchoutchou", "desktop"),
    ],
)
def test_every_layout_is_drawn_within_every_screen(visitor: Visitor, keep_picture, name: str, size: str):
    track, layout = described(name)
    rows = {"inglenook": {"head": ["L"], "s1": list("12345"), "s2": list("678")}}.get(name)
    first = next(iter(track.segments))
    state = {
        **quiet(track),
        "mode": "ready",
        "vehicles": at_rest(track, rows or {first: ["L", next(iter(track.wagons))]}),
    }
    with stage(state, layout=layout) as served:
        page = visitor.page(served, size)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for turnout in track.turnouts:
            expect(page.locator(f'#diagram [data-key="turnout-{turnout}"]')).to_have_attribute("role", "button")
        sheet = page.locator("#diagram > svg").bounding_box()
        vehicles = page.locator("#diagram .vehicle")
        assert vehicles.count() == len(state["vehicles"])
        assert sheet is not None
        for box in (vehicles.nth(i).bounding_box() for i in range(vehicles.count())):
            assert box is not None
            assert sheet["x"] <= box["x"]
            assert box["x"] + box["width"] <= sheet["x"] + sheet["width"]
        keep_picture(page, f"{name}-{size}")


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_what_is_for_fingers_is_large_enough(visitor: Visitor, size: str):
    with stage(DRIVING) as served:
        page = visitor.page(served, size)
        small = page.evaluate(
            "() => [...document.querySelectorAll('button, input, select, summary')]"
            ".filter((one) => one.checkVisibility())"
            ".filter((one) => { const b = one.getBoundingClientRect(); return b.width < 44 || b.height < 44; })"
            ".map((one) => one.outerHTML)"
        )
        assert small == []


def test_a_phone_has_diagram_throttle_and_stop_on_one_screen(visitor: Visitor):
    with stage(DRIVING) as served:
        page = visitor.page(served, "phone")
        for control in ("#diagram > svg", "#brake", "#emergency-stop"):
            expect(page.locator(control)).to_be_in_viewport(ratio=1)
        boxes = [page.locator(one).bounding_box() for one in ("#brake", "#emergency-stop")]
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_text_at_twice_its_size_still_fits(visitor: Visitor, size: str):
    with stage(DRIVING) as served:
        page = visitor.page(served, size)
        page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
        expect(page.locator("#emergency-stop")).to_be_in_viewport()
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1]


def test_how_a_turnout_lies_is_said_in_words_and_marks(visitor: Visitor):
    turnouts = {
        "T1": {"commanded": "thrown", "reported": "closed", "surety": "moving", "by_hand": False},
        "T2": {"commanded": None, "reported": None, "surety": "unknown", "by_hand": False},
    }
    with stage({**PLAY, "turnouts": turnouts}) as served:
        page = visitor.page(served)
        drawn = page.locator("#diagram")
        expect(drawn.get_by_label("Turnout T1 is moving to thrown. Set it closed")).to_be_visible()
        expect(drawn.get_by_label(re.compile("Turnout T2: not known how it lies"))).to_be_visible()
        labels = page.locator("#diagram .label.turnout")
        assert labels.all_text_contents() == ["T1 » thrown", "T2 ?"]
        expect(page.locator("#diagram .asked.shown")).to_have_count(1)
        served.change(turnouts={**turnouts, "T1": {**turnouts["T1"], "reported": "thrown", "surety": "seen"}})
        expect(labels.first).to_have_text("T1 thrown")
        expect(page.locator("#diagram .leg.lies")).to_have_count(1)
        differs = {"commanded": "closed", "reported": "thrown", "surety": "seen", "by_hand": False}
        served.change(turnouts={**turnouts, "T1": differs})
        expect(labels.first).to_have_text("T1 thrown ≠ closed")


def test_the_position_is_there_in_words_and_changes_are_told_calmly(visitor: Visitor):
    with stage() as served:
        page = visitor.page(served, clock=True)
        expect(page.locator("#position tbody tr").nth(1)).to_have_text("s1mineral wagon 6, van 2, open wagon 7, van 8")
        seen = {
            **PLAY["turnouts"],
            "T1": {"commanded": "closed", "reported": "closed", "surety": "seen", "by_hand": False},
        }
        moving = {**PLAY["turnouts"], "T1": {**seen["T1"], "surety": "moving"}}
        served.change(turnouts=moving)
        served.change(turnouts=seen, mode="hand")
        expect(page.locator("#mode")).to_have_text("Driven by hand")
        assert page.locator("#spoken").text_content() == ""
        page.clock.run_for(1600)
        expect(page.locator("#spoken")).to_have_text("Driven by hand. Turnout T1 lies closed")


def test_a_vehicles_picture_is_beside_its_name_and_one_that_is_gone_leaves_the_name(visitor: Visitor, keep_picture):
    vehicles = {name: {**one, "photo": f"/api/photos/{name}"} for name, one in LAYOUT["vehicles"].items()}
    with stage(layout={**LAYOUT, "vehicles": vehicles}) as served:
        for name in vehicles:
            if name != "6":
                served.pictures[f"/api/photos/{name}"] = png(300, 200)
        page = visitor.page(served)
        card = page.locator(".cards li").filter(has=page.get_by_label("van 8"))
        expect(card.get_by_alt_text("Photo: van 8")).to_be_visible()
        assert card.locator("img").evaluate("one => one.decode().then(() => one.naturalWidth)") == 300
        standing = page.locator("#position tbody tr")
        # Where there is none to be had the drawing and the words are all that is there.
        expect(standing.filter(has_text="mineral wagon 6, van 2, open wagon 7, van 8").locator("img")).to_have_count(3)
        expect(page.get_by_alt_text("Photo: mineral wagon 6")).to_have_count(0)
        expect(page.locator(".cards").get_by_label("mineral wagon 6", exact=True)).to_be_visible()
        assert Axe().run(page).response["violations"] == []
        keep_picture(page, "photos")


def test_a_train_moves_between_messages_but_never_beyond_the_error(visitor: Visitor):
    spot = {"element": "head", "leg": None, "at_mm": 200.0, "error_mm": 20.0, "v_mm_s": 80.0}
    with stage({**PLAY, "mode": "auto", "vehicles": {"L": spot}}) as served:
        page = visitor.page(served, clock=True)
        per_mm = page.evaluate(
            "() => { const line = document.querySelector('#diagram .rail').points;"
            " return (line[1].x - line[0].x) / 414; }"
        )
        x = "() => Number(document.querySelector('.vehicle').getAttribute('transform').slice(10).split(' ')[0])"
        origin = page.evaluate("() => document.querySelector('#diagram .rail').points[0].x")
        page.clock.run_for(3000)
        assert (page.evaluate(x) - origin) / per_mm == pytest.approx(220.0, abs=0.5)
        # What comes next is no jump: it glides there from where it is shown.
        served.change(vehicles={"L": {**spot, "at_mm": 230.0, "v_mm_s": 0.0}}, note="it stands")
        expect(page.get_by_text("it stands")).to_be_visible()
        page.clock.run_for(500)
        assert (page.evaluate(x) - origin) / per_mm == pytest.approx(230.0, abs=0.5)
        expect(page.locator("#diagram .error.shown")).to_have_count(1)


def test_with_reduced_motion_it_stands_where_it_was_told(visitor: Visitor):
    spot = {"element": "head", "leg": None, "at_mm": 200.0, "error_mm": 20.0, "v_mm_s": 80.0}
    with stage({**PLAY, "mode": "auto", "vehicles": {"L": spot}}) as served:
        page = visitor.page(served, reduced_motion="reduce")
        place = page.locator("#diagram .vehicle").get_attribute("transform")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.locator("#diagram .vehicle").get_attribute("transform") == place


def test_the_reason_for_a_refusal_stands_at_its_place(visitor: Visitor):
    with stage(DRIVING) as served:
        served.answers["turnout"] = {
            "why": "wagon 4 stands on it",
            "cure": "Draw forward.",
            "kind": "turnout",
            "name": "T1",
        }
        page = visitor.page(served)
        toe = page.locator('[data-key="turnout-T1"]').bounding_box()
        page.locator('[data-key="turnout-T1"]').click()
        callout = page.locator(".callout")
        expect(callout).to_contain_text("wagon 4 stands on it")
        box = callout.bounding_box()
        assert box is not None
        assert toe is not None
        assert box["x"] < toe["x"] + toe["width"]
        assert box["x"] + box["width"] > toe["x"]
        callout.get_by_role("button", name="Close").click()
        expect(callout).to_have_count(0)


def test_where_nothing_can_be_driven_by_hand_nothing_offers_it(visitor: Visitor):
    with stage(layout={**LAYOUT, "can_drive": False}) as served:
        page = visitor.page(served)
        for gone in ("#driving", "#levers", "#protection"):
            expect(page.locator(gone)).to_be_hidden()
        expect(page.locator('[data-key="turnout-T1"]')).to_have_attribute("role", "img")
        page.locator('[data-key="turnout-T1"]').click()
        page.locator("#role").click()
        expect(page.locator(".people")).not_to_contain_text("Protection")
        page.keyboard.press("Escape")
        page.locator("#help").click()
        expect(page.locator(".keys")).not_to_contain_text("faster")
        assert served.said("turnout") == []
        assert served.said("protection") == []


# ---------------------------------------------------------------- silence


def test_a_silent_screen_looks_stale_within_five_seconds_and_says_since_when(visitor: Visitor, keep_picture):
    with stage() as served:
        page = visitor.page(served, clock=True)
        page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))  # in seconds
        served.change(note="the last that was heard")
        expect(page.locator("#note")).to_have_text("the last that was heard")
        since = page.evaluate("new Date().toLocaleTimeString('en', {hour12: false})")
        served.refusing = True
        page.clock.run_for(4900)
        expect(page.locator("body")).not_to_have_class(re.compile("stale"))
        page.clock.run_for(100)
        expect(page.locator("body")).to_have_class(re.compile("stale"))
        expect(page.locator("#notices")).to_contain_text(f"No news since {since}")
        expect(page.locator("#links")).to_have_text("Not connected")
        keep_picture(page, "stale")


def test_a_server_that_ends_and_comes_again_is_survived_and_said(visitor: Visitor):
    with stage(DRIVING) as served:
        page = visitor.page(served, clock=True)
        drive(page)
        served.until_heard("drive", 3)
        served.refusing = True
        served.seat.close()
        expect(page.locator("body")).to_have_class(re.compile("stale"))
        expect(page.locator("output.now")).to_contain_text("0 mm/s asked")
        page.clock.run_for(600)
        served.refusing = False
        page.clock.run_for(9000)
        served.until_seats(2)
        expect(page.locator("#notices")).to_contain_text("The connection is back")
        expect(page.locator("body")).not_to_have_class(re.compile("stale"))
        page.clock.run_for(3000)
        assert served.said("drive", served.seat) == []


# ---------------------------------------------------------------- emergency stop


def test_space_stops_even_on_a_button_and_enter_presses_it(visitor: Visitor):
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


def test_in_a_text_field_a_space_is_a_space_and_the_stop_is_in_reach(visitor: Visitor):
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


def test_without_a_connection_a_stop_goes_by_post_and_again_on_the_next_one(visitor: Visitor):
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


def test_the_throttle_by_keyboard_and_its_renewals(visitor: Visitor):
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


def test_no_speed_is_above_the_cap_and_none_goes_without_a_direction(visitor: Visitor):
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


def test_the_throttle_is_zero_whenever_the_page_cannot_answer_for_it(visitor: Visitor):
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
            expect(page.locator(".limit")).to_contain_text("T1 lies wrong")
            served.change(drive=None)

        def refused() -> None:
            served.answers["drive"] = {"why": "T1 lies against you", "kind": "turnout", "name": "T1"}
            page.clock.run_for(500)
            expect(page.locator(".callout")).to_contain_text("T1 lies against you")
            del served.answers["drive"]

        for how in (hidden, taken_over, halted, emergency, end_of_its_drive, refused):
            page.evaluate("() => { delete document.hidden; }")
            drive(page, presses=1)
            expect(page.locator("output.now")).to_contain_text("20 mm/s asked")
            how()
            expect(page.locator("output.now")).to_contain_text("0 mm/s asked, 0 mm/s now")
            before = len(served.said("drive"))
            page.clock.run_for(1500)
            assert len(served.said("drive")) == before, how.__name__


def test_a_page_that_is_left_stops_and_closes_its_connection(visitor: Visitor):
    with stage(DRIVING) as served:
        page = visitor.page(served)
        drive(page)
        served.until_heard("drive", 1)
        page.goto("about:blank")
        served.until_heard("stop")
        served.until_gone(served.seat)


def test_taking_over_asks_first(visitor: Visitor):
    with stage({**DRIVING, "throttle": {"L": {"holder": "another"}}}) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Take it over").click()
        page.get_by_role("button", name="No", exact=True).click()
        assert served.said("take") == []
        page.get_by_role("button", name="Take it over").click()
        page.get_by_role("button", name="Stop it and take over").click()
        assert served.until_heard("take")[0]["steal"] is True


def test_a_tab_keeps_its_name_over_a_reload_and_another_has_another(visitor: Visitor):
    with stage() as served:
        context = visitor.context()
        page = visitor.another(context, served)
        page.reload()
        served.until_seats(2)
        visitor.another(context, served)
        first, again, other = (seat.query["tab"] for seat in served.seats)
        assert first == again != other


# ---------------------------------------------------------------- languages


def test_french_by_the_browser_and_kept_when_switched(visitor: Visitor):
    with stage() as served:
        page = visitor.page(served, language="fr-FR")
        expect(page.locator("#emergency-stop")).to_contain_text("ARRÊT D'URGENCE")
        expect(page.locator("html")).to_have_attribute("lang", "fr")
        assert served.seat.query["lang"] == "fr"
        page.locator("#language").click()
        assert served.until_heard("language")[0]["language"] == "en"
        expect(page.locator("#emergency-stop")).to_contain_text("EMERGENCY STOP")
        expect(page.get_by_role("button", name="Take the throttle")).to_be_visible()
        page.reload()
        expect(page.locator("#mode")).to_have_text("Ready")
        served.until_seats(2)
        assert served.seat.query["lang"] == "en"


# ---------------------------------------------------------------- puzzle


def test_dealing_and_beginning(visitor: Visitor):
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


def test_what_a_draw_sheet_leads_to_is_ready_to_be_drawn(visitor: Visitor):
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


def test_the_counts_the_plan_and_the_next_run(visitor: Visitor):
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


def test_put_right_by_click_with_undo(visitor: Visitor):
    with stage(HALTED) as served:
        page = visitor.page(served)
        page.get_by_role("button", name="Put right").click()
        page.locator('[data-key="piece-4"]').click()
        page.get_by_label("Put it in s3, after mineral wagon 3").click()
        page.locator('[data-key="piece-7"]').click()
        page.get_by_label("Put it on turnout T1, thrown").click()
        page.get_by_role("button", name="Undo").click()
        page.get_by_role("button", name="It stands like this").click()
        said = served.until_heard("put-right")[0]
        assert said["position"] == "head: L | s1: 6 2 7 8 | s2: 1 5 | s3: 3 4"


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_put_right_by_drag(visitor: Visitor, size: str):
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


# ---------------------------------------------------------------- roles


def test_a_spectator_has_nothing_to_press_but_the_stop(visitor: Visitor):
    with stage(role="spectator") as served:
        served.posts["POST", "/api/session"] = (403, {"why": "this is not the marshal's PIN", "cure": "Ask."})
        page = visitor.page(served, "phone")
        assert page.locator("main button:visible").count() == 0
        expect(page.locator('[data-key="turnout-T1"]')).to_have_attribute("role", "img")
        page.locator('[data-key="turnout-T1"]').click()
        page.get_by_role("button", name="You are: Spectator").click()
        page.get_by_label("Marshal's PIN").fill("0000")
        page.get_by_role("button", name="Be the marshal").click()
        expect(page.get_by_text("this is not the marshal's PIN Ask.")).to_be_visible()
        served.posts["POST", "/api/session"] = (200, {"role": "marshal"})
        served.you["role"] = "marshal"
        page.get_by_label("Marshal's PIN").fill("4711")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Code for a driver")).to_be_visible()
        assert served.posted[-1] == ("POST", "/api/session", {"pin": "4711"})
        assert served.said("turnout") == []


def test_the_marshal_accepts_a_phone_and_shows_a_code(visitor: Visitor):
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


def test_a_drivers_code_leaves_the_address_at_once(visitor: Visitor):
    with stage(role="driver", locomotive="L") as served:
        served.posts["POST", "/api/session"] = (200, {"role": "driver"})
        page = visitor.context().new_page()
        page.goto(f"{served.address}#driver=Ab3_x-9")
        expect(page.locator("#role")).to_have_text("Driver")
        assert served.posted == [("POST", "/api/session", {"code": "Ab3_x-9"})]
        assert "driver=" not in page.url
        assert page.evaluate("history.length") == 2  # the blank page and this one


# ---------------------------------------------------------------- accessibility

UNFINISHED = {"journal": "j", "puzzle": "classic", "position": "head: L", "why": "the power was cut"}
REFUSAL = {"why": "s1 is full", "cure": "Draw one out.", "kind": "segment", "name": "s1", "t_s": 1.0}
SCENES = {
    "spectator-phone": ({**PLAY, "mode": "auto"}, "spectator", None),
    "spectator-desktop": ({**PLAY, "mode": "auto"}, "spectator", None),
    "driving-phone": (DRIVING, "driver", None),
    "driving-desktop": ({**DRIVING, "unfinished": UNFINISHED, "refusal": REFUSAL}, "marshal", None),
    "set-up-phone": (
        {**PLAY, "mode": "dealt", "question": {"id": 1, "kind": "set-up", "text": "Set up."}},
        "marshal",
        None,
    ),
    "halted-desktop": (HALTED, "marshal", "put-right"),
    "help-phone": (PLAY, "marshal", "help"),
    "people-desktop": (PLAY, "marshal", "role"),
}


@pytest.mark.parametrize("scene", SCENES)
def test_axe_finds_nothing(visitor: Visitor, keep_picture, scene: str):
    state, role, press = SCENES[scene]
    size = scene.rpartition("-")[2]
    with stage(state, role=role) as served:
        page = visitor.page(served, size, language="fr" if size == "phone" else "en", reduced_motion="reduce")
        if press == "put-right":
            page.locator('[data-key="put-right"]').click()
            page.locator('[data-key="piece-4"]').click()
        elif press:
            page.locator(f"#{press}").click()
        found = Axe().run(page)
        said = [(one["id"], [node["html"][:160] for node in one["nodes"]]) for one in found.response["violations"]]
        assert said == []
        keep_picture(page, scene)
