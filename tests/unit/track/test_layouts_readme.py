"""layouts/README.md explains every key there is, and its worked example is a layout that works."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from pointsman.puzzle.puzzle_file import PuzzleFile, load_puzzle
from pointsman.track import calibration_file, schema, wiring_file
from pointsman.track.colour import COLOURS
from pointsman.track.layout import load_layout
from pointsman.track.tomlfile import Shape, keys_of
from pointsman.track.wiring_file import MOVE_TIME_S, load_wiring

README = (Path(__file__).resolve().parents[3] / "layouts" / "README.md").read_text(encoding="utf-8")

SECTION_OF: dict[type[BaseModel], str] = {
    schema.LayoutShape: "The top of the file",
    schema.SegmentShape: "[segments.NAME]",
    schema.TurnoutShape: "[turnouts.NAME]",
    schema.TurnoutDrawShape: "[turnouts.NAME]",
    schema.BeamShape: "[beams.NAME]",
    schema.MagnetShape: "[magnets.NAME]",
    schema.KindShape: "[vehicles.KIND]",
    schema.WagonShape: "[wagons]",
    schema.LocomotiveShape: "[locomotives.NAME]",
    schema.MarkShape: "[locomotives.NAME]",
    schema.SpeedsShape: "[speeds]",
    wiring_file.WiringShape: "The tables",
    wiring_file.StationShape: "[stations.NAME]",
    wiring_file.TurnoutWiringShape: "Wiring of turnouts",
    wiring_file.ServoShape: "Wiring of turnouts",
    wiring_file.BeamWiringShape: "Wiring of beams",
    wiring_file.MagnetWiringShape: "Wiring of magnets",
    wiring_file.LocomotiveWiringShape: "Wiring of locomotives",
    calibration_file.CalibrationShape: "The file",
    calibration_file.MeasurementShape: "[measurements.DATE]",
    PuzzleFile: "Puzzles",
}


def section(heading: str) -> str:
    """The text under a heading, to the next one."""
    parts = re.split(r"^#+ (.*)$", README, flags=re.MULTILINE)
    texts = dict(zip(parts[1::2], parts[2::2], strict=True))
    return texts[heading]


def shapes(base: type[BaseModel]) -> set[type[BaseModel]]:
    return {base} | {one for sub in base.__subclasses__() for one in shapes(sub)}


def test_every_table_has_a_section() -> None:
    ours = {one for one in shapes(Shape) - {Shape} if one.__module__.startswith("pointsman.track")}
    assert ours | {PuzzleFile} == set(SECTION_OF)


@pytest.mark.parametrize("model", SECTION_OF, ids=lambda model: model.__name__)
def test_every_key_is_explained_in_its_section(model: type[BaseModel]) -> None:
    text = section(SECTION_OF[model])
    assert [key for key in keys_of(model) if f"`{key}`" not in text] == []


def test_no_key_is_explained_that_there_is_not() -> None:
    for heading in set(SECTION_OF.values()):
        known = {key for model, where in SECTION_OF.items() if where == heading for key in keys_of(model)}
        rows = re.findall(r"^\| ((?:`\w+` ?)+)\|", section(heading), flags=re.MULTILINE)
        explained = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
        assert explained <= known, heading


def test_every_colour_and_every_usual_time_is_told() -> None:
    assert all(re.search(rf"\b{colour}\b", section("[wagons]")) for colour in COLOURS)
    assert all(kind in section("Wiring of turnouts") for kind in MOVE_TIME_S)


def test_the_speeds_told_are_those_that_hold() -> None:
    told = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", section("[speeds]"), flags=re.MULTILINE))
    assert {key: float(value) for key, value in told.items()} == schema.SpeedsShape().model_dump()


def test_the_worked_example_is_a_layout_with_its_wiring_and_its_puzzle(tmp_path: Path) -> None:
    files = re.findall(r"^```toml\n# (\S+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
    for name, text in files:
        path = tmp_path / "fork" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert [name for name, _ in files] == ["layout.toml", "hardware/dccex.toml", "puzzles/classic.toml"]
    track = load_layout(tmp_path / "fork")
    assert (track.name, track.title, list(track.wagons)) == ("fork", "The fork", ["coal", "milk", "ale"])
    assert track.turnouts["T1"].holds == 1
    wiring = load_wiring(tmp_path / "fork" / "hardware" / "dccex.toml", track)
    assert wiring.locomotives["Percy"].cab == 3
    assert load_puzzle(tmp_path / "fork" / "puzzles" / "classic.toml", track).wagons == ("coal", "milk", "ale")
