"""The layout in the terminal: readable without colour, within its width, and every state told apart by its signs."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from pointsman.cli.canvas import line_cells
from pointsman.cli.diagram import Lie, Surety, can_draw, dimensions, render
from pointsman.track.builtin import builtin_layouts, find_layout
from pointsman.track.layout import load_layout
from pointsman.track.model import Beam, Drawing, Leg, Place, Track, Uncoupler

TRACKS = {name: load_layout(find_layout(name)) for name in builtin_layouts()}
INGLENOOK = TRACKS["inglenook"]

SEEN_CLOSED = Lie(Leg.CLOSED, Surety.SEEN)
START = {"head": ["L"], "s1": ["1", "2", "3", "4", "5"], "s2": ["6", "7", "8"]}


def test_the_start_of_the_classic_inglenook() -> None:
    """Headshunt with its buffer to the left, the train at the points; solid is the leg that a turnout lies for."""
    lies = {"T1": SEEN_CLOSED, "T2": Lie(Leg.THROWN, Surety.ASSUMED)}
    assert render(INGLENOOK, START, lies=lies, beams={"s1": True}).plain.splitlines() == [
        "  head 1/4                 ▽ T1 closed  ▼                               s1 5/5",
        "┣━━━━━━━━━━━━━━━━━━━━▐ L ▌━●━━━━━━━━━━━━━━[ 1 ][ 2 ][ 3 ][ 4 ][ 5 ]━━━━━━━━━━━━┫",
        "                            ⋱           △",
        "                             ⋱        T2 ~thrown       ▽                s2 3/3",
        "                              ╌╌╌╌╌╌●╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌━━[ 6 ][ 7 ][ 8 ]━━━━━━━┫",
        "                                     ╲                 △",
        "                                      ╲                ▽                s3 0/3",
        "                                       ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫",
        "                                                       △",
        "",
        "▽ beam free   ▼ beam broken   △ magnet   ~assumed, not seen",
    ]


def test_a_terminal_without_drawing_characters_sees_the_same() -> None:
    lies = {"T1": SEEN_CLOSED, "T2": Lie(Leg.THROWN, Surety.ASSUMED)}
    assert render(INGLENOOK, START, lies=lies, beams={"s1": True}, unicode=False).plain.splitlines() == [
        "  head 1/4                 v T1 closed  V                               s1 5/5",
        "|====================< L >=O==============[ 1 ][ 2 ][ 3 ][ 4 ][ 5 ]============|",
        "                            .           ^",
        "                             .        T2 ~thrown       v                s2 3/3",
        "                              ......O..................==[ 6 ][ 7 ][ 8 ]=======|",
        "                                     \\                 ^",
        "                                      \\                v                s3 0/3",
        "                                       ========================================|",
        "                                                       ^",
        "",
        "v beam free   V beam broken   ^ magnet   ~assumed, not seen",
    ]


@pytest.mark.parametrize("unicode", [True, False])
def test_every_state_of_a_turnout_looks_different_without_colour(unicode: bool) -> None:
    states = [Lie(leg, surety) for leg, surety in product(Leg, Surety) if surety is not Surety.UNKNOWN]
    states.append(Lie(None, Surety.UNKNOWN))
    pictures = {render(INGLENOOK, START, lies={"T1": lie}, unicode=unicode).plain for lie in states}
    assert len(pictures) == len(states) == 7


@pytest.mark.parametrize("unicode", [True, False])
def test_beams_magnets_and_locomotives_are_told_apart_without_colour(unicode: bool) -> None:
    def picture(**states: object) -> str:
        return render(INGLENOOK, {"s1": ["L", "1"]}, unicode=unicode, **states).plain  # type: ignore[arg-type]

    assert len({picture(), picture(beams={"s2": True}), picture(magnets_on={"s2"})}) == 3
    loco, wagon = (" L ", "[ 1 ]")
    assert loco in picture()
    assert wagon in picture()
    assert f"[{loco}]" not in picture()


def test_vehicles_wear_their_colours_with_readable_ink() -> None:
    spans = render(INGLENOOK, START).spans
    styles = {str(span.style) for span in spans}
    assert "#ffffff on #ff0000" in styles  # wagon 1, red
    assert "#000000 on #ffa500" in styles  # wagon 2, orange
    assert "bold #ffffff on #008000" in styles  # the locomotive, green


def test_a_plan_of_the_track_says_nothing_of_how_turnouts_lie() -> None:
    lines = render(INGLENOOK, {}).plain.splitlines()
    assert lines[1] == "┣━━━━━━━━━━━━━━━━━━━━━━━━━━●━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┫"
    assert lines[3].split() == ["╲", "T2", "▽", "s2", "0/3"]
    assert render(INGLENOOK, {}).plain != render(INGLENOOK, {}, lies={}).plain


def test_a_vehicle_on_a_turnout_stands_on_the_leg_it_lies_for() -> None:
    rows = {
        leg: next(
            i
            for i, line in enumerate(
                render(INGLENOOK, {"T1": ["4"]}, lies={"T1": Lie(leg, Surety.SEEN)}).plain.splitlines()
            )
            if "[ 4 ]" in line
        )
        for leg in Leg
    }
    assert rows == {Leg.CLOSED: 1, Leg.THROWN: 4}


def _dealt(track: Track, order: list[str], cuts: list[int]) -> dict[str, list[str]]:
    """The vehicles in this order, dealt to the segments by cutting at these places; segments may be over-full."""
    places = sorted(min(cut, len(order)) for cut in cuts)
    edges = [0, *places, len(order)]
    return {name: order[edges[i] : edges[i + 1]] for i, name in enumerate(track.segments)}


def _perhaps_cut(names: list[str]) -> str:
    """A pattern for these names in a row; of each, letters at its end may be missing."""
    return "".join(f"{name[0]}{''.join(f'(?:{letter}' for letter in name[1:])}{')?' * len(name[1:])}" for name in names)


@given(st.data())
@settings(max_examples=80, deadline=None)
def test_any_position_fits_its_width_and_shows_every_vehicle_in_order(data: st.DataObject) -> None:
    track = TRACKS[data.draw(st.sampled_from(sorted(TRACKS)))]
    names = [*track.wagons, *track.locomotives]
    order = data.draw(st.permutations(names))
    parted = len(track.segments) - 1
    cuts = data.draw(st.lists(st.integers(0, len(names)), min_size=parted, max_size=parted))
    width = data.draw(st.integers(80, 160))
    unicode = data.draw(st.booleans())
    vehicles = _dealt(track, list(order), cuts)
    picture = render(track, vehicles, width=width, unicode=unicode).plain
    lines = picture.splitlines()
    assert max(map(len, lines)) <= width
    assert unicode or picture.isascii()
    for name, standing in vehicles.items():
        (row,) = (i for i, line in enumerate(lines) if re.search(rf"\b{name} {len(standing)}/", line))
        shown = [ch for ch in lines[row + 1] if ch.isalnum()]
        # Tracks share lines; what stands in one is there without a gap and in order, from its from end to its to end.
        line = track.drawing.segments[name]
        along = standing if line[0][0] <= line[-1][0] else standing[::-1]
        assert re.search(_perhaps_cut(along), "".join(shown)) or f"[{len(standing)} vehicles]" in lines[row + 1]
    over_full = any(len(standing) > track.segments[name].capacity + 1 for name, standing in vehicles.items())
    assert over_full or "vehicles" not in picture


COORDINATES = st.integers(0, 12)
POINTS = st.tuples(COORDINATES, COORDINATES)


@given(st.data(), st.integers(40, 120), st.booleans())
@settings(max_examples=80, deadline=None)
def test_whatever_the_drawing_is_it_stays_on_the_sheet(data: st.DataObject, width: int, unicode: bool) -> None:
    """Mirrored, upright, crossing or all in one point: an odd drawing is shown oddly, and never fails."""
    drawing = Drawing(
        segments={
            name: tuple(data.draw(st.lists(POINTS, min_size=2, max_size=4))) for name in INGLENOOK.drawing.segments
        },
        turnouts={
            name: {side: data.draw(POINTS) for side in joints} for name, joints in INGLENOOK.drawing.turnouts.items()
        },
    )
    picture = render(replace(INGLENOOK, drawing=drawing), START, lies={}, width=width, unicode=unicode).plain
    assert max(map(len, picture.splitlines())) <= width
    assert "T1 ?" in picture
    assert "T2 ?" in picture


@given(st.tuples(COORDINATES, COORDINATES), st.tuples(COORDINATES, COORDINATES))
def test_a_line_is_whole_and_ends_where_it_should(start: tuple[int, int], end: tuple[int, int]) -> None:
    cells = [cell for cell, _ in line_cells(start, end, "-", "\\", "/", "|")]
    assert cells[-1] == end
    assert len(set(cells)) == len(cells)
    for (x, y), (next_x, next_y) in pairwise([start, *cells]):
        assert max(abs(next_x - x), abs(next_y - y)) <= 1


def test_a_beam_and_a_magnet_on_a_leg_are_drawn_beside_it() -> None:
    track = replace(
        INGLENOOK,
        beams={"x": Beam("x", Place("T1", Leg.CLOSED, 141))},
        uncouplers={"y": Uncoupler("y", Place("T1", Leg.CLOSED, 141), 10)},
    )
    lines = render(track, {}, lies={"T1": SEEN_CLOSED}).plain.splitlines()
    assert lines[0].index("▽") == lines[2].index("△") == 33


def test_a_mirrored_layout_is_the_mirror_image_of_its_tracks() -> None:
    def mirror(point: tuple[float, float]) -> tuple[float, float]:
        return 26 - point[0], point[1]

    drawing = Drawing(
        {name: tuple(map(mirror, line)) for name, line in INGLENOOK.drawing.segments.items()},
        {name: {side: mirror(p) for side, p in joints.items()} for name, joints in INGLENOOK.drawing.turnouts.items()},
    )
    straight = render(INGLENOOK, START, lies={}).plain.splitlines()
    mirrored = render(replace(INGLENOOK, drawing=drawing), START, lies={}).plain.splitlines()
    assert mirrored[1].replace(" ", "") == "┣━━━━━━━━━━━━━[5][4][3][2][1]━━╌╌╌╌╌╌╌╌╌╌╌○━▐L▌━━━━━━━━━━━━━━━━━━━━┫"
    assert mirrored[3].count("⋰") == straight[3].count("⋱") == 1


def test_too_many_for_the_room_are_cut_and_then_counted() -> None:
    track = replace(
        INGLENOOK, wagons={f"coal-{i}": replace(INGLENOOK.wagons["1"], name=f"coal-{i}") for i in range(40)}
    )
    assert "[coal…]" in render(track, {"s2": [f"coal-{i}" for i in range(3)]}, width=80).plain
    assert "[40 vehicles]" in render(track, {"s2": list(track.wagons)}, width=80).plain


def test_the_room_left_is_shown_for_every_track() -> None:
    out = io.StringIO()
    Console(file=out, width=80).print(dimensions(INGLENOOK))
    rows = [line.split() for line in out.getvalue().splitlines()]
    assert ["head", "4", "414", "404", "389", "15"] in rows
    assert ["s2", "3", "283", "272", "272", "0"] in rows


@pytest.mark.parametrize(
    ("term", "encoding", "expected"),
    [
        ("xterm-256color", "utf-8", True),
        ("xterm", "latin-1", False),
        ("xterm", "ascii", False),
        ("dumb", "utf-8", False),
        ("linux", "utf-8", False),
    ],
)
def test_plain_signs_where_others_would_not_show(
    term: str, encoding: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", term)
    console = Console(file=io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert can_draw(console) is expected


def test_without_colour_nothing_but_the_signs_is_written() -> None:
    out = io.StringIO()
    Console(file=out, width=80, no_color=True, force_terminal=False).print(render(INGLENOOK, START))
    assert "\x1b" not in out.getvalue()
    assert out.getvalue().rstrip("\n") == render(INGLENOOK, START).plain
