"""The page in a real browser, before a stage that is the signal box: what it shows."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from panel_scenes import DRIVING, HALTED, LAYOUT, PLAY, UNFINISHED, at_rest, described, quiet, stage
from panel_visitor import Visitor, drive
from pictures import png
from playwright.sync_api import expect

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
def test_every_layout_is_drawn_within_every_screen(visitor: Visitor, keep_picture: Any, name: str, size: str) -> None:
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
def test_what_is_for_fingers_is_large_enough(visitor: Visitor, size: str) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served, size)
        small = page.evaluate(
            "() => [...document.querySelectorAll('button, input, select, summary')]"
            ".filter((one) => one.checkVisibility())"
            ".filter((one) => { const b = one.getBoundingClientRect(); return b.width < 44 || b.height < 44; })"
            ".map((one) => one.outerHTML)"
        )
        assert small == []


def test_a_phone_has_diagram_throttle_and_stop_on_one_screen(visitor: Visitor) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served, "phone")
        for control in ("#diagram > svg", "#brake", "#emergency-stop"):
            expect(page.locator(control)).to_be_in_viewport(ratio=1)
        boxes = [page.locator(one).bounding_box() for one in ("#brake", "#emergency-stop")]
        assert boxes[0] is not None
        assert boxes[1] is not None
        assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_text_at_twice_its_size_still_fits(visitor: Visitor, size: str) -> None:
    with stage(DRIVING) as served:
        page = visitor.page(served, size)
        page.evaluate("() => { document.documentElement.style.fontSize = '200%'; }")
        expect(page.locator("#emergency-stop")).to_be_in_viewport()
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1]


def test_how_a_turnout_lies_is_said_in_words_and_marks(visitor: Visitor) -> None:
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


def test_the_position_is_there_in_words_and_changes_are_told_calmly(visitor: Visitor) -> None:
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


def test_a_train_moves_between_messages_but_never_beyond_the_error(visitor: Visitor) -> None:
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


def test_with_reduced_motion_it_stands_where_it_was_told(visitor: Visitor) -> None:
    spot = {"element": "head", "leg": None, "at_mm": 200.0, "error_mm": 20.0, "v_mm_s": 80.0}
    with stage({**PLAY, "mode": "auto", "vehicles": {"L": spot}}) as served:
        page = visitor.page(served, reduced_motion="reduce")
        place = page.locator("#diagram .vehicle").get_attribute("transform")
        page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.locator("#diagram .vehicle").get_attribute("transform") == place


def test_the_reason_for_a_refusal_stands_at_its_place(visitor: Visitor) -> None:
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
        expect(callout).to_contain_text("Wagon 4 stands on it. Draw forward.")
        box = callout.bounding_box()
        assert box is not None
        assert toe is not None
        assert box["x"] < toe["x"] + toe["width"]
        assert box["x"] + box["width"] > toe["x"]
        callout.get_by_role("button", name="Close").click()
        expect(callout).to_have_count(0)
        # Everybody is told of it, too, before the answer comes: closed once, it is closed.
        told = {**served.answers["turnout"], "t_s": 1.0}
        served.change(refusal=told)
        expect(callout).to_be_visible()
        page.locator('[data-key="turnout-T1"]').press("Enter")
        served.until_heard("turnout", 2)
        callout.get_by_role("button", name="Close").click()
        expect(callout).to_have_count(0)
        served.change(refusal={**told, "t_s": 2.0})
        expect(callout).to_be_visible()


# ---------------------------------------------------------------- silence


def test_a_silent_screen_looks_stale_within_five_seconds_and_says_since_when(
    visitor: Visitor, keep_picture: Any
) -> None:
    with stage() as served:
        page = visitor.page(served, clock=True)
        page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))  # in seconds
        served.change(note="the last that was heard")
        expect(page.locator("#note")).to_have_text("The last that was heard.")
        since = page.evaluate("new Date().toLocaleTimeString('en', {hour12: false})")
        served.refusing = True
        page.clock.run_for(4900)
        expect(page.locator("body")).not_to_have_class(re.compile("stale"))
        page.clock.run_for(100)
        expect(page.locator("body")).to_have_class(re.compile("stale"))
        expect(page.locator("#notices")).to_contain_text(f"No news since {since}")
        expect(page.locator("#links")).to_have_text("Not connected")
        keep_picture(page, "stale")


def test_a_server_that_ends_and_comes_again_is_survived_and_said(visitor: Visitor) -> None:
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


# ---------------------------------------------------------------- languages


def test_french_by_the_browser_and_kept_when_switched(visitor: Visitor) -> None:
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


# ---------------------------------------------------------------- accessibility


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
def test_axe_finds_nothing(visitor: Visitor, keep_picture: Any, scene: str) -> None:
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
