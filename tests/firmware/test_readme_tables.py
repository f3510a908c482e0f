"""What firmware/README.md says in figures is what the boards and the protocol have."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

FIRMWARE = Path(__file__).parents[2] / "firmware"
README = (FIRMWARE / "README.md").read_text(encoding="utf-8")
SETTINGS = tomllib.loads((FIRMWARE / "protocol.toml").read_text(encoding="utf-8"))["settings"]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _rows(heading: str) -> dict[str, list[str]]:
    """The rows of the table with a heading, by their first cell."""
    table = README.partition(f"\n{heading}")[2].partition("\n\n")[0]
    return {cells[0]: cells[1:] for cells in map(_cells, table.splitlines()[2:])}


def _figures(text: str) -> list[list[int]]:
    return [[int(figure) for figure in re.findall(r"\d+", part)] for part in text.split(";")]


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_is_in_the_table_with_its_limits_and_what_a_new_board_has(name: str) -> None:
    rows = {names: cells for names, cells in _rows("| Setting |").items() if f"`{name}`" in names}
    ((names, (_, limits, new)),) = rows.items()
    setting = SETTINGS[name]
    if "named" in setting:
        assert new == f"`{setting['default']}`"
        return
    place = [one.strip("`") for one in re.findall(r"`\w+`", names)].index(name)
    found, defaults = _figures(limits), _figures(new)
    assert (found[place] if len(found) > 1 else found[0]) == [setting["lowest"], setting["highest"]]
    assert (defaults[place] if len(defaults) > 1 else defaults[0]) == [setting["default"]]


def test_the_parts_are_those_of_what_hangs_on_the_board() -> None:
    parts, boards = _rows("| Part |"), _rows("| Board |")
    for column, board in enumerate(("Uno, Nano", "Mega 2560")):
        turnouts, beams, magnets = map(int, boards[board][:3])
        counts = {what.split(",")[0].split(":")[0]: int(cells[column]) for what, cells in parts.items()}
        mosfets = magnets + 1
        assert counts == {
            "Arduino": 1,
            "switch in the track's supply": 1,
            "servo": turnouts,
            "infrared diode and photo transistor": beams,
            "uncoupling coil": magnets,
            "relay with a coil for 5 V": 1,
            "MOSFET for logic levels": mosfets,
            "resistor of 220 Ω": beams + mosfets,
            "resistor of 10 kΩ": turnouts + mosfets,
            "for a locomotive on direct current": 1,
        }
