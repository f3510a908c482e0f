"""Every mistake in a layout.toml with its file, key and cure."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_layouts import INGLENOOK, broken, mistakes_of

from pointsman.puzzle.position import parse_position
from pointsman.track.layout import load_layout, read_layout
from pointsman.track.model import Leg, Place
from pointsman.track.tomlfile import Notes

MARK = "locomotives.L.mark"

ONE_MISTAKE = {
    "unknown turnout": (
        [('to = "T1.toe"', 'to = "T9.toe"')],
        "segments.head.to",
        "no turnout T9",
        "known here: T1, T2",
    ),
    "unknown side": ([('to = "T1.toe"', 'to = "T1.heel"')], "segments.head.to", 'no side "heel"', "toe, closed"),
    "no side": ([('to = "T1.toe"', 'to = "T1"')], "segments.head.to", "names no side", '"T1.toe"'),
    "meets a segment": ([('to = "T1.toe"', 'to = "s1.from"')], "segments.head.to", "s1 is a segment", "one segment"),
    "turnout meets nothing": (
        [('thrown = "T2.toe"', 'thrown = "T3.toe"')],
        "turnouts.T1.thrown",
        "no turnout T3",
        "known here",
    ),
    "turnout meets itself": (
        [('thrown = "T2.toe"', 'thrown = "T1.closed"')],
        "turnouts.T1.thrown",
        "cannot meet itself",
        "segment",
    ),
    "two tracks on one leg": (
        [('from = "T2.thrown"', 'from = "T2.closed"')],
        "segments.s3.from",
        "T2.closed is already met by s2.from",
        "another side",
    ),
    "capacity too large": (
        [("capacity = 5", "capacity = 6")],
        "segments.s1.capacity",
        "6 vehicles need 524 mm, but there is room for 460 mm",
        "capacity = 5, or lengthen the track by 64 mm",
    ),
    "capacity with the locomotive": (
        [("capacity = 4", "capacity = 5")],
        "segments.head.capacity",
        "5 vehicles need 473 mm, but there is room for 404 mm",
        "capacity = 4",
    ),
    "sensor off the track": (
        [('[beams.s1]\non = "s1"\nat_mm = 0', '[beams.s1]\non = "s1"\nat_mm = 0\n[beams.x]\non = "s1"\nat_mm = 472')],
        "beams.x.at_mm",
        "472 mm is off the track",
        "0 to 471",
    ),
    "sensor nowhere": (
        [("[beams.s1]\n", '[beams.x]\non = "s9"\nat_mm = 0\n[beams.s1]\n')],
        "beams.x.on",
        "no segment or turnout s9",
        "known here: head, s1",
    ),
    "sensor on a turnout without a leg": (
        [("[beams.s1]\n", '[beams.x]\non = "T1"\nat_mm = 0\n[beams.s1]\n')],
        "beams.x.leg",
        "T1 is a turnout",
        "closed",
    ),
    "sensor on a segment's leg": (
        [("[beams.s1]\n", '[beams.x]\non = "s1"\nleg = "closed"\nat_mm = 0\n[beams.s1]\n')],
        "beams.x.leg",
        "no legs",
        "remove",
    ),
    "sensor on a leg, off the track": (
        [("[beams.s1]\n", '[beams.x]\non = "T1"\nleg = "thrown"\nat_mm = 186\n[beams.s1]\n')],
        "beams.x.at_mm",
        "T1 ends at 185 mm",
        "0 to 185",
    ),
    "magnet off the track": (
        [('on = "s1"\nat_mm = 1\n', 'on = "s1"\nat_mm = 500\n')],
        "magnets.s1.at_mm",
        "off the track",
        "0 to 471",
    ),
    "magnet far from beams": (
        [("[magnets.s1]\n", '[magnets.x]\non = "s1"\nat_mm = 61\n[magnets.s1]\n')],
        "magnets.x",
        "no beam stands within 60 mm",
        "beam",
    ),
    "no beam at an end": (
        [('[beams.head]\non = "head"\nat_mm = 414', '[beams.head]\non = "head"\nat_mm = 400')],
        "segments.head",
        "no beam stands at its `to` end",
        "at_mm = 414",
    ),
    "fouling point inside the turnout": (
        [("fouling_mm = 282", "fouling_mm = 180")],
        "turnouts.T1.fouling_mm",
        "nearer to the toe than the leg joint, length_mm = 185",
        "same value",
    ),
    "mark nowhere": ([('mark = { on = "head"', 'mark = { on = "haed"')], MARK + ".on", "haed", "head"),
    "mark on a turnout": (
        [('mark = { on = "head"', 'mark = { on = "T1"')],
        MARK + ".on",
        "turnout",
        "clear",
    ),
    "mark off the track": (
        [("at_mm = 340", "at_mm = 4140")],
        MARK + ".at_mm",
        "off the track",
        "0 to 414",
    ),
    "does not fit at its mark": (
        [("at_mm = 340", "at_mm = 126")],
        MARK + ".at_mm",
        "from 9 to",
        "127 to 414",
    ),
    "body longer than wagon": (
        [("body_mm = 75", "body_mm = 85")],
        "vehicles.open.body_mm",
        "not shorter than the wagon",
        "less than",
    ),
    "buffers longer than couplers": (
        [("buffers_mm = 82", "buffers_mm = 85")],
        "vehicles.open.buffers_mm",
        "longer than length_mm = 84",
        "taut",
    ),
    "gap not seen": ([("body_mm = 75", "body_mm = 78.5")], "vehicles.open.body_mm", "a gap of 3.5 mm", "limit"),
    "gap not seen, locomotive": ([("body_mm = 108", "body_mm = 112")], "locomotives.L.body_mm", "3 mm", "limit"),
    "wagon longer than the unit": (
        [('colour = "red" }', 'colour = "red", length_mm = 90 }')],
        "wagons.1.length_mm",
        "longer than unit_mm = 84",
        "longest",
    ),
    "unknown kind": ([('kind = "open"', 'kind = "opne"')], "wagons.1.kind", "vehicles.opne", "did you mean open"),
    "unknown colour": ([('colour = "red"', 'colour = "redd"')], "wagons.1.colour", "redd", "did you mean red"),
    "steps do not rise": ([("[30, 80]", "[9, 80]")], "locomotives.L.speed_table", "do not rise", "sort"),
    "speeds do not rise": ([("[30, 80]", "[30, 40]")], "locomotives.L.speed_table", "do not rise", "sort"),
    "step too high": ([("[60, 100]", "[127, 100]")], "locomotives.L.speed_table", "1 to 126", "[10, 40]"),
    "half a step": ([("[10, 40]", "[10.5, 40]")], "locomotives.L.speed_table", "whole number", "[10, 40]"),
    "lowest step too fast": ([("[2, 20]", "[2, 26]")], "locomotives.L.speed_table", "gives 26 mm/s", "slower"),
    "speeds out of order": (
        [("coupling = 40", "coupling = 70")],
        "speeds.coupling",
        "faster than rough = 60",
        "rise",
    ),
    "name for a position": (
        [("1 = { kind", '"1>2" = { kind')],
        "wagons.1>2",
        "cannot be written in a position",
        "letters",
    ),
    "one name for two things": ([("1 = { kind", "T1 = { kind")], "wagons.T1", "[turnouts] has a T1 too", "rename"),
    "drawn apart": (
        [("draw = [[18, 6], [26, 6]]", "draw = [[18, 7], [26, 7]]")],
        "segments.s3.draw",
        "drawn at [18, 7], but it meets T2.thrown, drawn at [18, 6]",
        "same point",
    ),
    "unknown key": ([("capacity = 4", "capacity = 4\nlenght = 3")], "segments.head.lenght", "not a key", "length_mm"),
    "unknown section": ([("[speeds]", "[sped]\n[speeds]")], "sped", "not a key of the top", "did you mean speeds"),
    "missing key": ([("length_mm = 414\n", "")], "segments.head.length_mm", "is missing", "add `length_mm = ...`"),
    "missing title": ([("title =", "#")], "title", "is missing", "what people call"),
    "text for a number": ([("capacity = 4", 'capacity = "4"')], "segments.head.capacity", "whole number", "how many"),
    "boolean for a number": ([("at_mm = 340", "at_mm = true")], MARK + ".at_mm", "but is true", "where"),
    "boolean for a whole number": ([("capacity = 4", "capacity = true")], "segments.head.capacity", "is true", "how"),
    "not a number": ([("unit_mm = 84", "unit_mm = nan")], "unit_mm", "finite number", "wagon"),
    "infinite": ([("length_mm = 471", "length_mm = inf")], "segments.s1.length_mm", "finite number", "clear length"),
    "negative": ([("length_mm = 471", "length_mm = -471")], "segments.s1.length_mm", "at least 10", "clear length"),
    "half a wagon": ([("capacity = 4", "capacity = 3.5")], "segments.head.capacity", "whole number", "how many"),
    "a point with three numbers": (
        [("[26, 2]]", "[26, 2, 1]]")],
        "segments.s1.draw[1]",
        "at most 2 entries, but has 3",
        "[x, y]",
    ),
    "a wrong leg": (
        [("[beams.s1]\n", '[beams.x]\non = "T1"\nleg = "left"\nat_mm = 0\n[beams.s1]\n')],
        "beams.x.leg",
        "one of closed or thrown",
        "which leg",
    ),
    "a table that is none": ([("[speeds]", "[x]")], "x", "not a key", "known here"),
    "an empty text": ([('scale = "OO"', 'scale = ""')], "scale", "must not be empty", "scale"),
}


@pytest.mark.parametrize("name", ONE_MISTAKE)
def test_one_mistake_gives_one_finding_with_key_and_cure(name: str, tmp_path: Path) -> None:
    swaps, key, what, cure = ONE_MISTAKE[name]
    (mistake,) = broken(tmp_path, *swaps)
    assert mistake.file == str(tmp_path / "layout.toml")
    assert mistake.key == key
    assert what in mistake.what
    assert cure in mistake.cure


def test_both_sides_that_nothing_meets_are_named(tmp_path: Path) -> None:
    found = broken(tmp_path, ('thrown = "T2.toe"\n', ""))
    assert [(m.key, m.what) for m in found] == [
        ("turnouts.T1.thrown", "nothing meets this side of the turnout"),
        ("turnouts.T2.toe", "nothing meets this side of the turnout"),
    ]
    assert 'to = "T1.thrown"' in found[0].cure


def test_a_segment_that_nothing_reaches(tmp_path: Path) -> None:
    (mistake,) = broken(
        tmp_path,
        ("[turnouts.T1]", "[segments.yard]\ncapacity = 1\nlength_mm = 200\ndraw = [[0, 9], [3, 9]]\n[turnouts.T1]"),
    )
    assert (mistake.key, "nothing reaches it from head" in mistake.what) == ("segments.yard", True)


def test_all_mistakes_come_at_once_and_none_follows_from_another(tmp_path: Path) -> None:
    found = broken(
        tmp_path,
        ("unit_mm = 84", "unit_mm = true"),
        ("capacity = 4", 'capacity = "4"'),
        ("length_mm = 471", "lenght_mm = 471"),
        ('from = "T2.closed"', 'from = "T7.closed"'),
        ("speed_table = [[2, 20]", "speed_table = [[2, 30]"),
        ('colour = "orange"', 'colour = "oragne"'),
        ("creep = 20", "creep = 90"),
    )
    assert {m.key for m in found} == {
        "unit_mm",
        "segments.head.capacity",
        "segments.s1.length_mm",
        "segments.s1.lenght_mm",
        "segments.s2.from",
        "locomotives.L.speed_table",
        "wagons.2.colour",
        "speeds.creep",
    }


HIDES_NOTHING = {
    "a kind and a colour": (
        [('1 = { kind = "open", colour = "red"', '1 = { kind = "opne", colour = "redd"')],
        {"wagons.1.kind", "wagons.1.colour"},
    ),
    "a kind that is no text, and a colour": (
        [('1 = { kind = "open", colour = "red"', '1 = { kind = 3, colour = "redd"')],
        {"wagons.1.kind", "wagons.1.colour"},
    ),
    "a drawing and a capacity": (
        [("draw = [[13, 2], [26, 2]]", "draw = 3"), ("capacity = 5", "capacity = 6")],
        {"segments.s1.draw", "segments.s1.capacity"},
    ),
    "a joint, a capacity and a beam": (
        [
            ('from = "T1.closed"', 'from = "T7.closed"'),
            ("capacity = 5", "capacity = 6"),
            ('[beams.s1]\non = "s1"\nat_mm = 0', '[beams.s1]\non = "s1"\nat_mm = 20'),
        ],
        {"segments.s1.from", "segments.s1.capacity", "segments.s1"},
    ),
    "a joint of a wrong type and a capacity": (
        [('from = "T1.closed"', "from = 3"), ("capacity = 5", "capacity = 6")],
        {"segments.s1.from", "segments.s1.capacity"},
    ),
    "a length, and the capacity of another track": (
        [("length_mm = 471", 'length_mm = "471"'), ("capacity = 4", "capacity = 5")],
        {"segments.s1.length_mm", "segments.head.capacity"},
    ),
    "a locomotive's number, a capacity, and its colour": (
        [
            ("speed_error = 0.12", "speed_error = 12"),
            ("capacity = 4", "capacity = 5"),
            ('colour = "green"', 'colour = "x"'),
        ],
        {"locomotives.L.speed_error", "segments.head.capacity", "locomotives.L.colour"},
    ),
    "a beam's place, and two beams that are not there": (
        [
            ('[beams.s1]\non = "s1"\nat_mm = 0', '[beams.s1]\non = "s1"\nat_mm = true'),
            ('[beams.s2]\non = "s2"\nat_mm = 0', '[beams.s2]\non = "s2"\nat_mm = 90'),
            ('[beams.s3]\non = "s3"\nat_mm = 0', '[beams.s3]\non = "s3"\nat_mm = 90'),
        ],
        {"beams.s1.at_mm", "segments.s2", "segments.s3"},
    ),
    "a turnout's length, its drawing, and a beam": (
        [
            ("length_mm = 185", "length_mm = -1"),
            ("draw = { toe = [12, 4]", "draw = { toe = [12, 5]"),
            ("[beams.s1]\n", '[beams.x]\non = "T2"\nleg = "thrown"\nat_mm = 999\n[beams.s1]\n'),
        ],
        {"turnouts.T1.length_mm", "turnouts.T1.draw", "beams.x.at_mm"},
    ),
    "the measures of a kind, and a wagon's own": (
        [("body_mm = 75", 'body_mm = "x"'), ('colour = "grey" }', 'colour = "grey", length_mm = 99 }')],
        {"vehicles.open.body_mm", "wagons.3.length_mm"},
    ),
    "a magnet's place, and the place of another": (
        [('on = "s1"\nat_mm = 1\n', "on = 4\nat_mm = 1\n"), ('on = "s2"\nat_mm = 1\n', 'on = "s2"\nat_mm = 284\n')],
        {"magnets.s1.on", "magnets.s2.at_mm"},
    ),
    "a speed, and the order of others": (
        [("creep = 20", 'creep = "slow"'), ("shunting = 80", "shunting = 120")],
        {"speeds.creep", "speeds.shunting"},
    ),
}


@pytest.mark.parametrize("name", HIDES_NOTHING)
def test_a_mistake_hides_no_other_and_brings_none_with_it(name: str, tmp_path: Path) -> None:
    swaps, keys = HIDES_NOTHING[name]
    found = broken(tmp_path, *swaps)
    assert {m.key for m in found} == keys
    assert len(found) == len(keys)


def test_a_broken_layout_still_has_its_names(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    text = INGLENOOK.replace("capacity = 4", 'capacity = "4"').replace('1 = { kind = "open"', '1 = { kind = "opne"')
    path.write_text(text.replace("[turnouts.T2]", "[turnouts]\nT3 = 4\n[turnouts.T2]"), encoding="utf-8")
    found = read_layout(path, Notes("layout.toml"))
    assert found is not None
    assert found.names("turnouts") == ["T1", "T2", "T3"]
    track = found.for_notation()
    assert track is not None
    assert str(parse_position("head: L 1 2 3 4 5 | T3>closed: 6", track)).startswith("head: L 1 2 3 4 5 |")


def test_a_layout_without_a_section_has_no_names_there(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text('title = "x"\nwagons = 3\n', encoding="utf-8")
    found = read_layout(path, Notes("layout.toml"))
    assert found is not None
    assert found.names("wagons") is None
    assert found.for_notation() is None


def test_two_locomotives_on_one_spot(tmp_path: Path) -> None:
    second = INGLENOOK[INGLENOOK.index("[locomotives.L]") : INGLENOOK.index("[speeds]")].replace(".L]", ".M]")
    keys = {(m.key, m.what) for m in broken(tmp_path, extra="\n" + second)}
    assert ("locomotives.M.mark.at_mm", "M would stand in L") in keys


def test_two_locomotives_may_stand_one_behind_the_other(tmp_path: Path) -> None:
    """Each counts by its own length where both stand."""
    second = INGLENOOK[INGLENOOK.index("[locomotives.L]") : INGLENOOK.index("[speeds]")].replace(".L]", ".M]")
    path = tmp_path / "layout.toml"
    text = INGLENOOK.replace("at_mm = 340", "at_mm = 220").replace("capacity = 4", "capacity = 3")
    path.write_text(text + "\n" + second, encoding="utf-8")
    assert set(load_layout(path).locomotives) == {"L", "M"}


def test_a_wagons_own_lengths_are_checked_too(tmp_path: Path) -> None:
    def own(lengths: str) -> list[str]:
        return [m.key for m in broken(tmp_path, ('colour = "red" }', f'colour = "red", {lengths} }}'))]

    assert own("body_mm = 82") == ["wagons.1.body_mm"]
    assert own("buffers_mm = 85") == ["wagons.1.buffers_mm"]
    assert own("body_mm = 79") == ["wagons.1.body_mm"]


def test_a_locomotives_lengths_are_in_order(tmp_path: Path) -> None:
    (mistake,) = broken(tmp_path, ("buffers_mm = 115", "buffers_mm = 118"))
    assert mistake.key == "locomotives.L.buffers_mm"


def test_a_locomotive_in_a_beam_is_told_so(tmp_path: Path) -> None:
    (mistake,) = broken(tmp_path, ("[beams.s1]\n", '[beams.x]\non = "head"\nat_mm = 300\n[beams.s1]\n'))
    assert mistake.what == "L would stand in the beam x"


def test_a_beam_and_a_magnet_on_a_turnouts_leg(tmp_path: Path) -> None:
    """The distance from magnet to beam is measured along the track, over the joint."""
    path = tmp_path / "layout.toml"
    leg = (
        '[magnets.ladder]\non = "T2"\nleg = "thrown"\nat_mm = {}\n'
        '[beams.ladder]\non = "T1"\nleg = "thrown"\nat_mm = 150\n'
    )
    path.write_text(INGLENOOK + leg.format(25), encoding="utf-8")
    track = load_layout(path)
    assert track.uncouplers["ladder"].place == Place("T2", Leg.THROWN, 25)
    path.write_text(INGLENOOK + leg.format(26), encoding="utf-8")
    (mistake,) = mistakes_of(path)
    assert mistake.key == "magnets.ladder"


@pytest.mark.parametrize(("at_mm", "near"), [(222, True), (221, False)])
def test_a_magnet_before_a_segment_is_near_the_segments_beam(at_mm: int, near: bool, tmp_path: Path) -> None:
    """T1's closed leg ends at 282 mm, where the beam of s1 stands."""
    path = tmp_path / "layout.toml"
    magnet = f'[magnets.x]\non = "T1"\nleg = "closed"\nat_mm = {at_mm}\n'
    path.write_text(INGLENOOK + magnet, encoding="utf-8")
    if near:
        assert "x" in load_layout(path).uncouplers
    else:
        assert [m.key for m in mistakes_of(path)] == ["magnets.x"]


def test_a_magnet_near_a_joint_that_cannot_be_read_is_looked_at_as_far_as_the_track_is_known(tmp_path: Path) -> None:
    magnet = '[magnets.x]\non = "T1"\nleg = "thrown"\nat_mm = 180\n'
    found = broken(tmp_path, ('thrown = "T2.toe"', 'thrown = "T9.toe"'), extra=magnet)
    assert [m.key for m in found] == ["turnouts.T1.thrown", "magnets.x"]


def test_a_magnet_at_the_end_of_a_track_is_not_near_a_beam_beyond_the_buffer(tmp_path: Path) -> None:
    found = broken(tmp_path, extra='[magnets.x]\non = "s1"\nat_mm = 470\n')
    assert [m.key for m in found] == ["magnets.x"]


def test_an_empty_layout_asks_for_what_it_needs(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text("", encoding="utf-8")
    assert {m.key for m in mistakes_of(path)} == {"title", "scale", "unit_mm", "segments", "locomotives"}
    path.write_text('title = "x"\nscale = "N"\nunit_mm = 45\n[segments]\n[locomotives]\n', encoding="utf-8")
    assert {(m.key, m.what) for m in mistakes_of(path)} == {
        ("segments", "there is no track"),
        ("locomotives", "there is no locomotive"),
    }
