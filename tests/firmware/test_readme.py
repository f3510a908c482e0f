"""The README of the firmware gives the pins that the firmware has."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

FIRMWARE = Path(__file__).parents[2] / "firmware"
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


def pins(board: str) -> dict[str, list[str]]:
    """Each constant of a board's header with its pins, as they stand on the board."""
    header = (FIRMWARE / "pointsman_node" / "src" / "boards" / f"{board}.h").read_text(encoding="utf-8")
    made = re.findall(r"constexpr uint8_t (\w+_PINS?)(?:\[\])*(?:\[2\])? =\s*([^;]+);", header)
    return {name: [pin.removeprefix("PIN_") for pin in re.findall(r"PIN_\w+|\d+", value)] for name, value in made}


@pytest.mark.parametrize(("board", "column", "turnouts"), [("uno", 0, 2), ("mega", 1, 5)])
def test_the_table_gives_the_pins_of_the_board(board: str, column: int, turnouts: int) -> None:
    table = {name: both[column] for name, both in rows().items()}
    there = pins(board)
    told = [pin for number in range(1, turnouts + 1) for pin in table[f"turnout {number}"]]
    assert told == there["TURNOUT_PINS"]
    assert not any(table.get(f"turnout {number}") for number in range(turnouts + 1, 9))
    assert table["beams from 1 on"] == there["BEAM_PINS"]
    assert table["coils of magnets from 1 on"] == there["MAGNET_PINS"]
    assert table["track relay"] == there["RELAY_PIN"]
    throttle = ["DC_DIRECTION_PIN", "DC_SPEED_PIN", "DC_BRAKE_PIN"]
    assert table["throttle"] == [pin for name in throttle for pin in there[name]]


def test_an_inglenook_takes_15_pins_of_an_uno() -> None:
    assert sum(len(some) for some in pins("uno").values()) == 15


def test_every_drawing_is_there_and_can_be_read() -> None:
    shown = re.findall(r"!\[[^\]]+\]\((wiring/\w+\.svg)\)", README)
    assert sorted(shown) == sorted(str(path.relative_to(FIRMWARE)) for path in FIRMWARE.glob("wiring/*.svg"))
    for name in shown:
        root = ET.fromstring((FIRMWARE / name).read_text(encoding="utf-8"))
        assert root.tag.endswith("svg")
