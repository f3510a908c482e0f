"""What docs/first-evening.md tells a club to type is what the program sends."""

from __future__ import annotations

import re
from pathlib import Path

from commands import CHECKOUT

from pointsman.drivers.dccex.lines import STANDARD_SHIELD, definitions
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring

PAGE = (CHECKOUT / "docs" / "first-evening.md").read_text(encoding="utf-8")
FOLDER = find_layout("inglenook")
FILE = Path(FOLDER) / "hardware" / "mega.toml"
WIRING = load_wiring(FILE, load_layout(FOLDER))


def test_the_lines_are_those_that_define_sends() -> None:
    (station,) = WIRING.stations
    sent = [one.line for one in definitions(WIRING, station, str(FILE), STANDARD_SHIELD).lines]
    assert re.findall(r"^<.*>$", PAGE, re.MULTILINE) == [*sent, "<E>"]


def test_the_stations_own_automation_has_the_same_turnouts() -> None:
    """DCC-EX's SERVO_TURNOUT has id, pin, the position when thrown and the one when closed."""
    told = re.findall(r"^SERVO_TURNOUT\((\d+), (\d+), (\d+), (\d+), Medium, \"(\w+)\"\)$", PAGE, re.MULTILINE)
    wired = []
    for name, turnout in WIRING.turnouts.items():
        assert turnout.servo is not None
        wired.append((turnout.number, turnout.pin, turnout.servo.thrown, turnout.servo.closed, name))
    assert [(*map(int, numbers), name) for *numbers, name in told] == wired


def test_the_table_of_pins_is_that_of_the_wiring() -> None:
    pins = [turnout.pin for turnout in WIRING.turnouts.values()]
    pins += [beam.pin for beam in WIRING.beams.values()]
    pins += [magnet.pin for magnet in WIRING.uncouplers.values()]
    rows = [line for line in PAGE.splitlines() if re.match(r"\| (turnout|beams|magnets) ", line)]
    found = [int(number) for row in rows for number in re.findall(r"\b(1\d\d|2\d|3\d)\b", row.split("|")[2])]
    assert found == pins
