"""layout.toml -> Track: the built-in layouts as they are, and files that are no layouts."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_layouts import INGLENOOK, mistakes_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pointsman.errors import LayoutError
from pointsman.track.builtin import builtin_layouts, find_layout
from pointsman.track.layout import load_layout
from pointsman.track.model import End, Leg, Place, SegmentEnd, Side, TurnoutSide

# ---------------------------------------------------------------- what is read


def test_the_inglenook_is_read_as_it_is_written() -> None:
    track = load_layout(find_layout("inglenook"))
    assert (track.name, track.title, track.scale, track.unit_mm) == (
        "inglenook",
        "Inglenook Sidings, 5-3-3",
        "OO",
        84,
    )
    assert {name: (s.capacity, s.length_mm) for name, s in track.segments.items()} == {
        "head": (4, 414),
        "s1": (5, 471),
        "s2": (3, 283),
        "s3": (3, 283),
    }
    assert track.segments["head"].meets(End.TO) == TurnoutSide("T1", Side.TOE)
    assert track.segments["head"].meets(End.FROM) is None
    assert track.turnouts["T1"].toe == SegmentEnd("head", End.TO)
    assert track.turnouts["T1"].thrown == TurnoutSide("T2", Side.TOE)
    assert track.turnouts["T2"].toe == TurnoutSide("T1", Side.THROWN)
    assert track.turnouts["T1"].through_mm(Leg.CLOSED) == 282
    assert track.turnouts["T1"].through_mm(Leg.THROWN) == 185
    assert track.beams["head"].place == Place("head", None, 414)
    assert sorted(track.wagons) == list("12345678")
    assert len({wagon.colour for wagon in track.wagons.values()}) == 8
    assert {(w.length_mm, w.buffers_mm, w.body_mm) for w in track.wagons.values()} == {(84, 82, 75)}
    assert track.locomotives["L"].mark == Place("head", None, 340)
    assert track.locomotives["L"].speeds.speed_mm_s(10) == 40
    assert track.drawing.turnouts["T1"][Side.THROWN] == track.drawing.turnouts["T2"][Side.TOE] == (12, 4)


def test_the_small_inglenook_has_the_published_capacities() -> None:
    track = load_layout(find_layout("inglenook-small"))
    assert [s.capacity for s in track.segments.values()] == [3, 3, 2, 2]
    assert sorted(track.wagons) == list("12345")


@pytest.mark.parametrize("name", builtin_layouts())
def test_a_layout_is_found_by_its_folder_and_by_its_file(name: str) -> None:
    folder = find_layout(name)
    assert load_layout(folder) == load_layout(folder / "layout.toml") == load_layout(str(folder))


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_bytes(b"\xef\xbb\xbf" + INGLENOOK.replace("\n", "\r\n").encode())
    assert load_layout(path).segments == load_layout(find_layout("inglenook")).segments


def test_a_joint_of_two_turnouts_may_be_stated_at_both(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_text(INGLENOOK.replace("[turnouts.T2]", '[turnouts.T2]\ntoe = "T1.thrown"'), encoding="utf-8")
    assert load_layout(path).turnouts == load_layout(find_layout("inglenook")).turnouts


def test_a_wagon_may_have_its_own_lengths(tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    own = '1 = { kind = "open", colour = "#12aBcd", length_mm = 80, buffers_mm = 78, body_mm = 70 }'
    path.write_text(INGLENOOK.replace('1 = { kind = "open", colour = "red" }', own), encoding="utf-8")
    wagon = load_layout(path).wagons["1"]
    assert (wagon.length_mm, wagon.buffers_mm, wagon.body_mm) == (80, 78, 70)


# ---------------------------------------------------------------- files that are no layouts


def test_no_such_file(tmp_path: Path) -> None:
    (mistake,) = mistakes_of(tmp_path / "none.toml")
    assert "no such file" in mistake.what


def test_a_folder_without_a_layout(tmp_path: Path) -> None:
    (mistake,) = mistakes_of(tmp_path)
    assert (mistake.file, mistake.what) == (str(tmp_path), "this folder has no layout.toml")


@pytest.mark.parametrize(
    ("raw", "what"),
    [
        (b"title = OO", "line 1, column 9"),
        (b"title = ", "end of document"),
        (b'title = "a"\ntitle = "b"\n', "line 2"),
        (b"[segments.a]\n[segments.a]\n", "line 2"),
        (b'title = "caf\xe9"\n', "not text in UTF-8 (line 1"),
        ('title = "x"'.encode("utf-16"), "not text in UTF-8"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"a = " + b"9" * 5000, "is not TOML"),
        (b"a = 2024-13-45", "is not TOML"),
        (b"#" * 1_000_001, "larger than 1000 kB"),
        (b"\0", "is not TOML"),
    ],
)
def test_what_is_no_toml_is_said_with_its_place(raw: bytes, what: str, tmp_path: Path) -> None:
    path = tmp_path / "layout.toml"
    path.write_bytes(raw)
    (mistake,) = mistakes_of(path)
    assert what in mistake.what


def test_a_path_that_no_system_has() -> None:
    (mistake,) = mistakes_of(Path("nul\0byte.toml"))
    assert "no file name" in mistake.what
    (mistake,) = mistakes_of(Path("x" * 5000))
    assert "cannot be read" in mistake.what


VALUES = st.recursive(
    st.one_of(
        st.booleans(),
        st.integers(-5, 200),
        st.sampled_from(["nan", "inf", "-1.5", "0.0", '"T1.toe"', '"T2.thrown"', '"head"', '""', "1979-05-27"]),
    ),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(map(_toml, items))}]"),
    max_leaves=6,
)


def _toml(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_written_gives_a_track_or_findings(tmp_path: Path, data: st.DataObject) -> None:
    """Any value at any key, any line left out or doubled: never anything but a Track or a LayoutError."""
    lines = INGLENOOK.splitlines()
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(lines) - 1))
        key, equals, _ = lines[at].partition(" = ")
        action = data.draw(st.sampled_from(["value", "drop", "double", "rename"]))
        if action == "value" and equals:
            lines[at] = f"{key} = {_toml(data.draw(VALUES))}"
        elif action == "drop":
            lines[at] = ""
        elif action == "double":
            lines.insert(data.draw(st.integers(0, len(lines))), lines[at])
        else:
            lines[at] = lines[at].replace("s1", "s2").replace("T1", "T2")
    path = tmp_path / "layout.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    try:
        track = load_layout(path)
    except LayoutError:
        mistakes_of(path)
    else:
        assert all(segment.capacity >= 1 for segment in track.segments.values())
