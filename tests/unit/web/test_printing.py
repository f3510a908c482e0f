"""Wagon cards and draw sheets, read as PDF."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from pictures import png, saved
from printed import Printed, code_of

import pointsman.web
from pointsman.box.task import target_of
from pointsman.errors import RefusedError
from pointsman.puzzle.choice import choose
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track
from pointsman.web.printing.cards import cards
from pointsman.web.printing.draw_sheet import Drawn, draw_sheet
from pointsman.web.printing.press import Press, drawn_of
from pointsman.web.printing.sheet import Ink, Paper, printable
from pointsman.web.printing.silhouettes import MARKS, OUTLINES, lines
from pointsman.web.printing.words import Words

MARGIN_MM = 14.9
SHAPES = (Path(pointsman.web.__file__).parent / "static" / "js" / "shapes.js").read_text(encoding="utf-8")


def drawn(text: str, seed: str = "42", *, goal: str | None = None, link: str = "pointsman play it") -> Drawn:
    chosen = choose(text, seed=seed)
    wanted = chosen.goal if goal is None else parse_goal(goal, chosen.track, chosen.start.vehicles)
    return Drawn(
        track=chosen.track,
        name=chosen.name,
        title=chosen.puzzle.title,
        seed=chosen.seed,
        cards=chosen.cards,
        start=chosen.start,
        goal=str(wanted),
        target=target_of(wanted),
        count=Count.RUNS,
        par=17,
        proved=True,
        link=link,
    )


def called(track: Track, old: str, new: str) -> Track:
    wagons = {(new if name == old else name): one for name, one in track.wagons.items()}
    return replace(track, wagons={name: replace(one, name=name) for name, one in wagons.items()})


def _in_unit_box(path: str) -> str:
    """A template of the page's, for w = h = 1: its places are ``w``, ``w / 2`` or ``0.3 * w``."""
    numbers = {"w": 1.0, "h": 1.0, "w / 2": 0.5}
    return re.sub(r"\$\{([^}]*)\}", lambda m: str(numbers.get(m[1]) or float(re.sub(r" \* [wh]$", "", m[1]))), path)


def _of_the_page(section: str) -> dict[str, str]:
    body = re.search(rf"const {section} = {{(.*?)\n}};", SHAPES, re.DOTALL)
    assert body is not None
    found = re.findall(r"^  (\w+): \(w, h\) =>\s*((?:`[^`]*`(?: \+\s*)?)+),", body[1], re.MULTILINE)
    return {kind: _in_unit_box("".join(re.findall(r"`([^`]*)`", path))) for kind, path in found}


def _points(path: str) -> list[list[tuple[float, float]]]:
    return [[(round(x, 6), round(y, 6)) for x, y in line] for line in lines(path)]


def test_the_outlines_are_those_of_the_page() -> None:
    page = _of_the_page("OUTLINES")
    assert page.keys() == OUTLINES.keys()
    assert {kind: _points(path) for kind, path in page.items()} == {k: _points(path) for k, path in OUTLINES.items()}
    # Of the cattle wagon the page makes its lines one by one.
    marks = _of_the_page("MARKS")
    assert marks.keys() == MARKS.keys() - {"cattle"}
    assert {kind: _points(path) for kind, path in marks.items()} == {kind: _points(MARKS[kind]) for kind in marks}


@pytest.mark.parametrize(("paper", "size"), [(Paper.A4, (210.0, 297.0)), (Paper.LETTER, (215.9, 279.4))])
def test_a_card_says_everything_without_its_colour(paper: Paper, size: tuple[float, float]) -> None:
    track = choose("inglenook").track
    found = Printed.of(cards(track, "en", paper))
    assert found.sizes_mm == {size}
    words = found.text.split()
    for wagon in track.wagons.values():
        assert {wagon.name, *Words("en").kind(wagon.kind).split(), wagon.colour} <= set(words)
    assert [words.count(length) for length in ("84", "117")] == [8, 1]
    assert {"L", "locomotive"} <= set(words)
    assert not [text for text, x, y in found.feet_mm() if not (5 < x < size[0] - 5 and 5 < y < size[1] - 5)]


def test_cards_in_french_have_their_accents() -> None:
    text = Printed.of(cards(choose("tchoutchou").track, "fr", Paper.A4)).text
    assert "wagon à bestiaux" in text
    assert "Imprimer en taille réelle (100 %)" in text
    assert "bordeaux" in text


def test_a_long_name_stays_on_its_card() -> None:
    track = called(choose("inglenook-small").track, "1", "WWWWWWWWWWWWWWWWWWWWWWWW")
    found = Printed.of(cards(track, "en", Paper.A4))
    name = next(x for text, x, _ in found.feet_mm() if text.startswith("WWW"))
    assert 20 < name < 30
    assert len(found.pages) == 1


def test_a_picture_stands_where_the_silhouette_would(tmp_path: Path) -> None:
    track = choose("inglenook-small").track
    turned = saved("JPEG", 900, 600, exif=b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0")
    photos = {"1": png(300, 200), "2": saved("WEBP", 30, 20, mode="RGBA"), "3": turned}
    made = cards(track, "en", Paper.A4, {**photos, "4": png()[:45], "5": b""})
    assert cards(track, "en", Paper.A4, {**photos, "4": png()[:45], "5": b""}) == made
    (page,) = Printed.of(made).pages
    # No finer than a printer shows, and upright.
    assert [one.image.size for one in page.images if one.image] == [(300, 200), (30, 20), (232, 348)]
    # What is damaged has its silhouette, and all else of a card is as without pictures.
    plain = Printed.of(cards(track, "en", Paper.A4))
    assert Printed.of(made).feet_mm() == plain.feet_mm()
    assert cards(track, "en", Paper.A4, {"4": png()[:45]}) == cards(track, "en", Paper.A4)


def test_a_picture_has_room_beside_a_short_name_and_under_a_long_one() -> None:
    track = called(choose("inglenook-small").track, "1", "WWWWWWWWWWWWWWWWWWWWWWWW")
    found = Printed.of(cards(track, "en", Paper.A4, {"WWWWWWWWWWWWWWWWWWWWWWWW": png(60, 40), "2": png(60, 10)}))
    under, beside = found.pictures_mm()
    left, foot = next((x, y) for text, x, y in found.feet_mm() if text.startswith("WWW"))
    assert under.top <= foot
    assert under.left > left
    assert (round(under.wide, 1), round(under.high, 1)) == (27.0, 18.0)
    assert (round(beside.wide, 1), round(beside.high, 2)) == (40.0, 6.67)


def test_the_same_draw_gives_the_same_bytes() -> None:
    one = draw_sheet(drawn("inglenook-small"), "en", Paper.A4)
    assert one == draw_sheet(drawn("inglenook-small"), "en", Paper.A4)
    assert one != draw_sheet(drawn("inglenook-small", "43"), "en", Paper.A4)
    assert Printed.of(one).created == "D:20000101000000Z"


def test_a_draw_sheet_says_what_is_to_be_done() -> None:
    wanted = drawn("inglenook-small/sidings", link="http://192.168.1.20:8765/#puzzle=sidings&seed=42")
    found = Printed.of(draw_sheet(wanted, "en", Paper.LETTER))
    assert found.sizes_mm == {(215.9, 279.4)}
    assert len(found.pages) == 1
    for part in (
        "Form the train of three in the long siding; the others in",
        "inglenook-small/sidings, seed 42",
        "Par: 17 runs (proved)",
        "s1: 1 2 3",
        "s2: 4 5",
        "in any order",
        f"as notation: {wanted.goal}",
        "Signature",
        wanted.link,
    ):
        assert part in found.text
    assert found.code() == code_of(wanted.link)


def test_a_draw_sheet_in_french() -> None:
    wanted = replace(drawn("inglenook-small"), par=1, proved=False)
    text = Printed.of(draw_sheet(wanted, "fr", Paper.A4)).text
    assert "Formez le train de trois dans la voie longue ; les autres" in text
    assert "Par : 1 mouvement (au plus, non prouvé)" in text
    assert "graine 42" in text


@pytest.mark.parametrize(
    "puzzle", ["inglenook", "timesaver", "timesaver/xtrackcad", "tchoutchou", "tchoutchou/variant"]
)
def test_every_built_in_puzzle_has_room_on_one_page(puzzle: str) -> None:
    found = Printed.of(draw_sheet(drawn(puzzle), "fr", Paper.LETTER))
    assert len(found.pages) == 1
    outside = [
        (text, x, y)
        for text, x, y in found.feet_mm()
        if not (MARGIN_MM <= x < 215.9 - MARGIN_MM and MARGIN_MM <= y < 279.4 - 10)
    ]
    assert not outside


def test_what_has_no_room_goes_on_another_page() -> None:
    many = {f"s{number}": ["1", "?", "@van", ["2", "3"], ".."] for number in range(1, 14)}
    found = Printed.of(draw_sheet(replace(drawn("inglenook"), target=many), "en", Paper.A4))
    assert len(found.pages) > 1
    assert "Signature" in found.pages[-1].extract_text()
    assert min(y for _, _, y in found.feet_mm()) >= MARGIN_MM


def test_letters_that_the_font_lacks_are_replaced() -> None:
    assert printable("Gare d’Aubenas – chef-d’œuvre, 5 €") == "Gare d’Aubenas – chef-d’œuvre, 5 €"
    assert printable("Olomouc hlavní nádraží, Kraków, 東京\n") == "Olomouc hlavní nádraží, Kraków, ?? "
    assert printable("Brěclav") == "Breclav"
    wanted = replace(drawn("inglenook-small"), title="Manœuvres à Brěclav: 東")
    assert "Manœuvres à Breclav: ?" in Printed.of(draw_sheet(wanted, "en", Paper.A4)).text


@pytest.mark.parametrize(("colour", "dark"), [("yellow", False), ("silver", False), ("navy", True), ("#101010", True)])
def test_a_name_is_written_in_the_colour_that_is_read_better(colour: str, dark: bool) -> None:
    assert (Ink.of(colour).lettering == Ink(255, 255, 255)) is dark


async def test_the_press_prints_a_draw_once() -> None:
    press, wanted = Press(), drawn("inglenook-small")
    first = await press.draw(wanted, "en", Paper.A4)
    assert await press.draw(replace(wanted), "en", Paper.A4) is first
    assert await press.draw(drawn("inglenook-small", "43"), "en", Paper.A4) != first


async def test_the_press_prints_another_document_once_and_keeps_the_last_ones() -> None:
    press = Press()
    made: list[int] = []

    def make() -> bytes:
        made.append(len(made))
        return b"%d" % len(made)

    assert [await press.once(("results", number % 16), make) for number in range(32)] == [
        b"%d" % (number % 16 + 1) for number in range(32)
    ]
    assert await press.once(("results", 16), make) == b"17"
    assert await press.once(("results", 1), make) == b"2"
    assert await press.once(("results", 0), make) == b"18"


def test_the_code_leads_to_the_page_only_where_others_reach_it() -> None:
    track = choose("inglenook-small").track
    told = {
        "name": "classic",
        "title": "t",
        "seed": "a&b c",
        "cards": ["1"],
        "wagons": ["1", "3", "2"],
        "start": "head: L | s1: 1 2 3 | s2: 4 5",
        "goal": "s1: 1 2 3",
        "target": {"s1": ["1", "2", "3"]},
        "count": "runs",
        "par": 5,
        "proved": True,
    }
    links = [drawn_of(track, told, f"http://{host}:8765/").link for host in ("127.0.0.1", "[::1]", "192.168.1.20")]
    assert links[0] == links[1] == "pointsman play inglenook-small/classic --seed 'a&b c'"
    assert links[2] == "http://192.168.1.20:8765/#puzzle=classic&seed=a%26b%20c"
    given = {**told, "seed": None}
    assert drawn_of(track, given, "http://127.0.0.1/").link == "pointsman play inglenook-small/classic --cards '1 3 2'"
    assert drawn_of(track, given, "http://box.local/").link == "http://box.local/#puzzle=classic&cards=1%203%202"
    with pytest.raises(RefusedError, match="the draw of an attempt is not printed"):
        drawn_of(track, {**told, "par": None}, "http://127.0.0.1:8765/")
    with pytest.raises(RefusedError, match="no draw"):
        drawn_of(track, None, "http://127.0.0.1:8765/")
