"""The README of the firmware gives the pins that the firmware has."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from avr_node import FIRMWARE, pins_of

README = (FIRMWARE / "README.md").read_text(encoding="utf-8")


def rows() -> dict[str, tuple[list[str], list[str]]]:
    """Each row of the table of pins by the words before its colon: the Uno's pins, the Mega's."""
    section = README.split("## Pins")[1].split("## ")[0]
    found = {}
    for line in section.splitlines():
        if line.startswith("|") and "---" not in line and "At the node" not in line:
            name, uno, mega = (cell.strip() for cell in line.strip("|").split("|"))
            found[name.split(":")[0]] = (re.findall(r"\w+", uno), re.findall(r"\w+", mega))
    return found


@pytest.mark.parametrize(("board", "column", "turnouts"), [("uno", 0, 2), ("mega", 1, 5)])
def test_the_table_gives_the_pins_of_the_board(board: str, column: int, turnouts: int) -> None:
    table = {name: both[column] for name, both in rows().items()}
    there = pins_of(board)
    told = [pin for number in range(1, turnouts + 1) for pin in table[f"turnout {number}"]]
    assert told == there["TURNOUT_PINS"]
    assert not any(table.get(f"turnout {number}") for number in range(turnouts + 1, 9))
    assert table["beams from 1 on"] == there["BEAM_PINS"]
    assert table["coils of magnets from 1 on"] == there["MAGNET_PINS"]
    assert table["track relay"] == there["RELAY_PIN"]
    throttle = ["DC_DIRECTION_PIN", "DC_SPEED_PIN", "DC_BRAKE_PIN"]
    assert table["throttle"] == [pin for name in throttle for pin in there[name]]


def test_an_inglenook_takes_15_pins_of_an_uno() -> None:
    assert sum(len(some) for some in pins_of("uno").values()) == 15


def test_every_drawing_is_there_and_can_be_read() -> None:
    shown = re.findall(r"!\[[^\]]+\]\((wiring/\w+\.svg)\)", README)
    assert sorted(shown) == sorted(str(path.relative_to(FIRMWARE)) for path in FIRMWARE.glob("wiring/*.svg"))
    for name in shown:
        root = ET.fromstring((FIRMWARE / name).read_text(encoding="utf-8"))
        assert root.tag.endswith("svg")


# ---------------------------------------------------------------- the drawings

AT_PIN_PX, LABEL_PX = 5.0, 12.0
"""So near to its pin a wire ends, and a pin's name stands."""
ARDUINO_PX = 170.0
"""Where the Arduino's pins are in every drawing."""


def wires(drawing: str) -> dict[str, str]:
    """From the name of each pin of the Arduino to what stands where its wire ends; empty where nothing does."""
    root = ET.fromstring((FIRMWARE / "wiring" / drawing).read_text(encoding="utf-8"))
    labels, lines = [], []
    for one in root.iter():
        if one.tag.endswith("text"):
            labels.append((float(one.attrib["x"]), float(one.attrib["y"]) - 5, one.text or ""))
        elif one.tag.endswith("polyline"):
            points = [[float(px) for px in point.split(",")] for point in one.attrib["points"].split()]
            lines.append((points[0], points[-1]))

    def label(x_px: float, y_px: float) -> str:
        near = [text for x, y, text in labels if abs(x - x_px) <= AT_PIN_PX + LABEL_PX and abs(y - y_px) <= 1]
        return near[0] if near else ""

    return {label(x, y): label(*end) for (x, y), end in lines if x == ARDUINO_PX + 4 and label(x, y)}


@pytest.mark.parametrize("board", ["uno", "mega"])
def test_the_drawing_of_the_throttle_joins_the_pins_of_the_firmware(board: str) -> None:
    there = pins_of(board)
    wanted = {"direction A": "DC_DIRECTION_PIN", "PWM A": "DC_SPEED_PIN", "brake A": "DC_BRAKE_PIN"}
    assert wires("throttle.svg") == {there[name][0]: at for at, name in wanted.items()} | {"GND": "GND"}
    told = re.search(r"!\[The throttle: direction (\w+), speed (\w+), brake (\w+);", README)
    assert told is not None
    assert [*told.groups()] == [there[name][0] for name in wanted.values()]
    assert f"pin {there['DC_BRAKE_PIN'][0]} left open" in README.replace("\n", " ")


@pytest.mark.parametrize("board", ["uno", "mega"])
def test_the_drawing_of_the_relay_names_its_pin(board: str) -> None:
    pin = pins_of(board)["RELAY_PIN"][0]
    assert set(wires("relay.svg")) == {f"relay: {pin}", "5 V", "GND"}
    assert f"![The relay: pin {pin} switches its coil" in README


@pytest.mark.parametrize(
    ("drawing", "names"),
    [
        ("servo.svg", {"turnout pin", "GND"}),
        ("beam.svg", {"5 V", "beam pin", "GND"}),
        ("coil.svg", {"coil pin", "GND"}),
    ],
)
def test_a_drawing_of_what_there_is_several_times_names_no_pin(drawing: str, names: set[str]) -> None:
    assert set(wires(drawing)) == names


@pytest.mark.parametrize("board", ["uno", "mega"])
def test_no_pin_is_used_twice_and_none_that_must_stay_free(board: str) -> None:
    used = [pin for some in pins_of(board).values() for pin in some]
    assert len(used) == len(set(used))
    assert not {"0", "1", "13", "A0", "A1"} & set(used)
