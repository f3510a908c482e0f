"""Reading a file into its shape: every finding in our words, and what is left when something is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import pytest
from pydantic import Field

from pointsman.errors import LayoutError
from pointsman.track.tomlfile import Notes, Shape, dotted, read_draft, shown


class Box(Shape):
    size: Annotated[int, Field(gt=0, lt=10, description="how large it is")]
    lid: Literal["flat", "round"] = "flat"
    marks: Annotated[list[str], Field(min_length=1, max_length=2)] = Field(default=["top"])
    open: bool = False


class Store(Shape):
    name: str = Field(description="what it is called", pattern="[a-z]+")
    boxes: dict[str, Box] = Field(default={})


def read(tmp_path: Path, text: str, **stand_ins: object) -> tuple[Store | None, frozenset[tuple[str, ...]], list[str]]:
    path = tmp_path / "store.toml"
    path.write_text(text, encoding="utf-8")
    notes = Notes("store.toml")
    draft = read_draft(path, Store, notes, stand_ins=stand_ins)
    return draft.shape, draft.damaged, [f"{m.key}: {m.what} ({m.cure})" for m in notes.mistakes]


def test_what_is_right_is_read_without_a_note(tmp_path: Path) -> None:
    shape, damaged, notes = read(tmp_path, 'name = "a"\n[boxes.x]\nsize = 3')
    assert shape == Store(name="a", boxes={"x": Box(size=3)})
    assert (damaged, notes) == (frozenset(), [])


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("size = 0", "boxes.x.size: must be more than 0, but is 0 (it is how large it is)"),
        ("size = 10", "boxes.x.size: must be less than 10, but is 10 (it is how large it is)"),
        ("size = 3.5", "boxes.x.size: must be a whole number, but is 3.5 (it is how large it is)"),
        ("size = {}", "boxes.x.size: must be a whole number, but is a table (it is how large it is)"),
        ("", "boxes.x.size: is missing (add `size = ...`: how large it is)"),
        ('size = 1\nlid = "oval"', 'boxes.x.lid: must be one of flat or round, but is "oval" (see layouts/README.md)'),
        ("size = 1\nmarks = []", "boxes.x.marks: must have at least 1 entries, but has 0 (see layouts/README.md)"),
        ("size = 1\nmarks = 4", "boxes.x.marks: must be a list in [ ], but is 4 (see layouts/README.md)"),
        ("size = 1\nmarks = [4]", "boxes.x.marks[0]: must be text in quotes, but is 4 (see layouts/README.md)"),
        ("size = 1\nopen = 1", "boxes.x.open: must be true or false, but is 1 (see layouts/README.md)"),
        ("size = 1\nlidd = 1", "boxes.x.lidd: is not a key of [boxes.x] (did you mean lid?)"),
        ("size = 1\nzzz = 1", "boxes.x.zzz: is not a key of [boxes.x] (known here: size, lid, marks, open)"),
    ],
)
def test_each_finding_in_our_words(line: str, note: str, tmp_path: Path) -> None:
    _, _, notes = read(tmp_path, f'name = "a"\n[boxes.x]\n{line}\n')
    assert notes == [note]


def test_what_is_wrong_is_left_out_and_the_rest_is_kept(tmp_path: Path) -> None:
    text = 'name = "a"\n[boxes.x]\nsize = 0\n[boxes.y]\nsize = 2\ncolor = 1\n[boxes]\nz = 3\n'
    shape, damaged, notes = read(tmp_path, text)
    assert shape is not None
    assert shape.boxes == {"y": Box(size=2)}  # an unknown key alone damages nothing
    assert damaged == {("boxes", "x"), ("boxes", "z")}
    assert len(notes) == 3


def test_a_section_that_is_no_table_is_left_out_whole(tmp_path: Path) -> None:
    shape, damaged, notes = read(tmp_path, 'name = "a"\nboxes = 3')
    assert shape == Store(name="a")
    assert damaged == {("boxes",)}
    assert notes == ["boxes: must be a table, but is 3 (see layouts/README.md)"]


def test_a_required_key_without_a_stand_in_ends_it(tmp_path: Path) -> None:
    assert read(tmp_path, "[boxes]")[0] is None
    shape, damaged, notes = read(tmp_path, "[boxes]", name="x")
    assert (shape, damaged) == (Store(name="x"), {("name",)})
    assert notes == ["name: is missing (add `name = ...`: what it is called)"]


def test_a_finding_without_words_of_ours_keeps_the_validators(tmp_path: Path) -> None:
    _, _, notes = read(tmp_path, 'name = "7"', name="x")
    assert notes == ["name: string should match pattern '[a-z]+' (it is what it is called)"]


def test_notes_are_raised_together() -> None:
    notes = Notes("f.toml")
    notes.raise_if_any()
    notes.add("a", "is wrong", "mend it")
    notes.add("b", "is wrong too", "mend that")
    with pytest.raises(LayoutError) as caught:
        notes.raise_if_any()
    assert str(caught.value) == "f.toml: a: is wrong\n  -> mend it\nf.toml: b: is wrong too\n  -> mend that"


def test_small_words() -> None:
    assert dotted(["segments", "s1", "draw", 0, 1]) == "segments.s1.draw[0][1]"
    assert (shown(True), shown({}), shown("a\x1bb")) == ("true", "a table", r"""'"a\x1bb"'""")
    assert len(shown("x" * 100)) == 40


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ('name = "a"\n[boxes.x]\nsize = 3,5\n', "numbers have a point, not a comma: write 3.5"),
        ('name = "a"\n[boxes]\nx = { size = -3,25 }\n', "numbers have a point, not a comma: write -3.25"),
        ('name = "a\n', "a common cause is a missing quote"),
        ("[segments]\n\u00e9t\u00e9 = 3\n", "a name with accents"),
    ],
)
def test_a_decimal_comma_is_recognised(text: str, cure: str, tmp_path: Path) -> None:
    shape, _, notes = read(tmp_path, text)
    assert shape is None
    assert len(notes) == 1
    assert cure in notes[0]


def test_a_number_in_quotes_with_a_comma_is_recognised(tmp_path: Path) -> None:
    _, _, notes = read(tmp_path, 'name = "a"\n[boxes.x]\nsize = "41,5"\n')
    assert notes == [
        'boxes.x.size: must be a whole number, but is "41,5" (write it without quotes and with a point: 41.5)'
    ]


def test_a_wrong_key_with_a_stand_in_leaves_its_table_in_place(tmp_path: Path) -> None:
    path = tmp_path / "store.toml"
    path.write_text(
        'name = "a"\n[boxes.x]\nsize = "big"\nopen = true\n[boxes.y]\nlid = 3\nsize = 2\n', encoding="utf-8"
    )
    notes = Notes("store.toml")
    draft = read_draft(path, Store, notes, in_tables={"boxes": {"size": 1}})
    assert draft.shape is not None
    assert draft.shape.boxes == {"x": Box(size=1, open=True), "y": Box(size=2)}
    assert draft.damaged == {("boxes", "x", "size"), ("boxes", "y", "lid")}
    assert draft.is_damaged("boxes", "x", "size")
    assert not draft.is_damaged("boxes", "x", "open")
    assert not draft.is_damaged("boxes", "x")
    assert not draft.has_left_out("boxes")
    assert draft.has_damaged("boxes")
