"""Wiring files with Arduino nodes: what is read, each mistake with its cure, the boards as their firmware has them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.errors import LayoutError, Mistake
from pointsman.protocols.node_constants import SETTINGS, Setting
from pointsman.track.builtin import builtin_layouts, find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.model import SpeedTable
from pointsman.track.wiring import (
    PLACES,
    BeamWiring,
    LocomotiveWiring,
    NodeBoard,
    NodeWiring,
    Places,
    Protocol,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)
from pointsman.track.wiring_file import load_wiring

BOARDS = Path(__file__).resolve().parents[3] / "firmware" / "pointsman_node" / "src" / "boards"
TRACK = load_layout(find_layout("inglenook"))
UNO = find_wiring(find_layout("inglenook"), "uno-dc").read_text(encoding="utf-8")
NODE = "stations.node"


def load(tmp_path: Path, *swaps: tuple[str, str]) -> Wiring:
    text = UNO
    for old, new in swaps:
        assert old in text, f"the built-in wiring no longer has {old!r}"
        text = text.replace(old, new, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load_wiring(path, TRACK)


def mistakes(tmp_path: Path, *swaps: tuple[str, str]) -> tuple[Mistake, ...]:
    with pytest.raises(LayoutError) as caught:
        load(tmp_path, *swaps)
    return caught.value.mistakes


def test_the_inglenook_on_one_node(tmp_path: Path) -> None:
    wiring = load(tmp_path)
    assert wiring.stations == {"node": StationWiring("node", Protocol.NODE, node=NodeWiring(NodeBoard.UNO, True))}
    assert wiring.turnouts["T2"] == TurnoutWiring("node", 2, TurnoutKind.SERVO, 1.3, False, "")
    assert wiring.beams["s3"] == BeamWiring("node", 4, False)
    assert wiring.uncouplers["s1"] == UncouplerWiring("node", 1, UncouplerKind.COIL, 0.5, False, "")
    assert wiring.locomotives == {
        "L": LocomotiveWiring("node", 0, dc=True, speeds=SpeedTable(((8, 20.0), (60, 100.0))))
    }


def test_a_node_behind_a_broker_may_have_a_prefix(tmp_path: Path) -> None:
    node = load(tmp_path, ("relay = true", 'relay = true\nprefix = "club/"')).stations["node"].node
    assert node == NodeWiring(NodeBoard.UNO, relay=True, prefix="club/")


def test_a_solenoid_at_a_node_needs_nothing_that_ends_its_pulse(tmp_path: Path) -> None:
    assert load(tmp_path, ('kind = "servo"', 'kind = "solenoid"')).turnouts["T1"].kind is TurnoutKind.SOLENOID


@pytest.mark.parametrize(
    ("swap", "key", "what", "cure"),
    [
        (('board = "uno"\n', ""), f"{NODE}.board", "is missing", 'board = "mega"'),
        (('board = "uno"', 'board = "due"'), f"{NODE}.board", "one of uno or mega", "a Nano too"),
        (("relay = true", 'relay = true\nprefix = "a#"'), f"{NODE}.prefix", "beginning of a topic", "leave out"),
        (("relay = true", "relay = true\nnodes = []"), f"{NODE}.nodes", "for MQTT", "remove"),
        (("id = 2, kind", "id = 3, kind"), "turnouts.T2.id", "an Uno has pins for turnouts 1 to 2", "firmware/README"),
        (("head = { id = 1 }", "head = { id = 0 }"), "beams.head.id", "beams 1 to 4", "order of the pins"),
        (("s1 = { id = 2 }", "s1 = { id = 3 }"), "beams.s2.id", "beams.s1 has id 3 too", "its own"),
        (("s1 = { id = 2 }", "s1 = {}"), "beams.s1.id", "is missing", "add `id"),
        (("s1 = { id = 2 }", "s1 = { id = 2, pin = 7 }"), "beams.s1.pin", "for a DCC-EX station only", "remove"),
        (("s1 = { id = 2 }", 's1 = { id = 2, name = "a" }'), "beams.s1.name", "goes by `id`", "remove"),
        (('kind = "servo"', 'kind = "stall-motor"'), "turnouts.T1.kind", "no stall-motor", "servo, solenoid, hand"),
        (('kind = "coil"', 'kind = "servo"'), "magnets.s1.kind", "a node works no servo", "coil, permanent"),
        (('kind = "coil"', 'kind = "coil", inverted = true'), "magnets.s1.inverted", "no current", "remove"),
        (('kind = "coil"', 'kind = "coil", hold_s = 2.5'), "magnets.s1.hold_s", "longer than 2 s", "shorter"),
        (("dc = true", "cab = 3, dc = true"), "locomotives.L.cab", "no address", "remove `cab`"),
        (
            ("L = { dc = true, speed_table = [[8, 20], [60, 100]] }", ""),
            "locomotives.L",
            "it is not wired",
            "with `dc = true`",
        ),
        (("dc = true, ", ""), "locomotives.L.dc", "direct current only", "dc = true"),
        ((", speed_table = [[8, 20], [60, 100]]", ""), "locomotives.L.speed_table", "of a decoder", "[[8, 20], [60"),
        (("[8, 20], [60, 100]", "[8, 30], [60, 100]"), "locomotives.L.speed_table", "gives 30", "dc_lowest"),
        (("[8, 20], [60, 100]", "[60, 20], [8, 100]"), "locomotives.L.speed_table", "do not rise", "sort"),
        (("[8, 20], [60, 100]", "[8, 20]"), "locomotives.L.speed_table", "at least 2", "pairs"),
        (("dc = true", "long = true, dc = true"), "locomotives.L.long", "JMRI only", "remove"),
    ],
)
def test_one_mistake_gives_one_finding_with_key_and_cure(
    swap: tuple[str, str], key: str, what: str, cure: str, tmp_path: Path
) -> None:
    (mistake,) = mistakes(tmp_path, swap)
    assert mistake.key == key
    assert what in mistake.what
    assert cure in mistake.cure


def test_a_coil_may_be_held_as_long_as_a_node_can_be_set_to_hold_it_and_no_longer(tmp_path: Path) -> None:
    longest_s = SETTINGS[Setting.MAGNET_MS][2] / 1000
    held = ('s1 = { id = 1, kind = "coil"', f's1 = {{ id = 1, kind = "coil", hold_s = {longest_s}')
    assert load(tmp_path, held).uncouplers["s1"].hold_s == longest_s
    (mistake,) = mistakes(tmp_path, (held[0], held[1].replace(str(longest_s), str(longest_s + 0.001))))
    assert mistake.key == "magnets.s1.hold_s"


def test_what_is_for_nodes_is_for_nothing_else(tmp_path: Path) -> None:
    found = mistakes(
        tmp_path,
        ('[stations.node]\nprotocol = "node"', '[stations.node]\nprotocol = "dccex"'),
        ('s1 = { id = 1, kind = "coil" }', 's1 = { kind = "permanent" }'),
        ('s2 = { id = 2, kind = "coil" }', 's2 = { kind = "permanent" }'),
        ('s3 = { id = 3, kind = "coil" }', 's3 = { kind = "permanent" }'),
        ("{ dc = true", "{ cab = 3, dc = true"),
    )
    engine = "locomotives.L"
    assert {one.key for one in found} == {f"{NODE}.board", f"{NODE}.relay", f"{engine}.dc", f"{engine}.speed_table"}


def test_without_a_relay_in_the_feed_a_node_that_drives_needs_its_watchdog(tmp_path: Path) -> None:
    assert load(tmp_path).needs_watchdog == ()
    assert load(tmp_path, ("relay = true", "relay = false")).needs_watchdog == ("node",)
    beside = load_wiring(find_wiring(find_layout("inglenook"), "dccex+node"), TRACK)
    assert beside.needs_watchdog == (), "DCC-EX drives"


def test_the_power_is_off_when_the_relay_in_the_feed_is_open() -> None:
    folder = find_layout("inglenook")
    both = load_wiring(find_wiring(folder, "dccex+node"), TRACK)
    assert both.feeding == both.switched == ("main", "node")
    assert both.relays == ("node",)
    assert both.power({"main": True, "node": True}) is True
    assert both.power({"main": True, "node": False}) is False
    assert both.power({"main": False, "node": True}) is None
    assert both.power({"main": True}) is None


def test_a_node_without_the_relay_feeds_nothing_and_is_armed_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    text = find_wiring(find_layout("inglenook"), "dccex+node").read_text(encoding="utf-8")
    path.write_text(re.sub(r"relay = true.*\n", "", text), encoding="utf-8")
    wiring = load_wiring(path, TRACK)
    assert (wiring.feeding, wiring.switched, wiring.relays) == (("main",), ("main", "node"), ())


# ---------------------------------------------------------------- the boards


def pins_of(board: NodeBoard, name: str) -> list[str]:
    """The pins of a table of the firmware, as they are printed on the board; of a turnout the first."""
    text = (BOARDS / f"{board}.h").read_text(encoding="utf-8")
    found = re.search(rf"{name}\[\](\[2\])? = \{{(.*?)\}};", text, re.DOTALL)
    assert found is not None, name
    pins = [pin.removeprefix("PIN_") for pin in re.findall(r"PIN_A\d+|\d+", found[2])]
    return pins[::2] if found[1] else pins


def pin_of(board: NodeBoard, name: str) -> str:
    """The pin of what a board has once."""
    text = (BOARDS / f"{board}.h").read_text(encoding="utf-8")
    found = re.search(rf"{name} = (?:PIN_)?(\w+);", text)
    assert found is not None, name
    return found[1]


@pytest.mark.parametrize("board", NodeBoard)
def test_a_board_has_as_many_places_as_its_firmware_has_pins(board: NodeBoard) -> None:
    counts = [len(pins_of(board, name)) for name in ("TURNOUT_PINS", "BEAM_PINS", "MAGNET_PINS")]
    assert PLACES[board] == Places(*counts)


WITH_NODES = {
    (layout, hardware)
    for layout in builtin_layouts()
    for hardware in ("dccex+node", "uno-dc", "mega-dc")
    if (find_layout(layout) / "hardware" / f"{hardware}.toml").exists()
}


def test_every_layout_has_a_node_beside_dccex_and_all_that_have_room_are_on_one_node() -> None:
    assert {layout for layout, hardware in WITH_NODES if hardware == "dccex+node"} == set(builtin_layouts())
    on_one = {(layout, hardware) for layout, hardware in WITH_NODES if hardware != "dccex+node"}
    assert on_one == {("inglenook", "uno-dc"), ("inglenook-small", "uno-dc"), ("timesaver", "mega-dc")}


@pytest.mark.parametrize(("layout", "hardware"), sorted(WITH_NODES))
def test_the_built_in_wirings_name_the_pins_of_the_firmware(layout: str, hardware: str) -> None:
    path = find_wiring(find_layout(layout), hardware)
    wiring = load_wiring(path, load_layout(find_layout(layout)))
    made = wiring.stations["node"].node
    assert made is not None
    tables = {"turnouts": "TURNOUT_PINS", "beams": "BEAM_PINS", "magnets": "MAGNET_PINS"}
    section, said = "", dict.fromkeys(tables, 0)
    for line in path.read_text(encoding="utf-8").splitlines():
        section = line.strip("[]") if line.startswith("[") else section
        found = re.search(r"id = (\d+).*# pin (\w+)", line)
        if found is not None:
            assert pins_of(made.board, tables[section])[int(found[1]) - 1] == found[2], line
            said[section] += 1
    assert [*said.values()] == [len(wiring.turnouts), len(wiring.beams), len(wiring.uncouplers)]


@pytest.mark.parametrize(("layout", "hardware"), sorted(WITH_NODES))
def test_the_built_in_wirings_name_the_pins_of_the_relay_and_the_throttle(layout: str, hardware: str) -> None:
    path = find_wiring(find_layout(layout), hardware)
    wiring = load_wiring(path, load_layout(find_layout(layout)))
    made = wiring.stations["node"].node
    assert made is not None
    text = path.read_text(encoding="utf-8")
    relay = [pin_of(made.board, "RELAY_PIN")] if made.relay else []
    assert re.findall(r"^relay = true +# pin (\w+)$", text, re.MULTILINE) == relay
    throttle = tuple(pin_of(made.board, f"DC_{name}_PIN") for name in ("DIRECTION", "SPEED", "BRAKE"))
    driven = sum(one.dc for one in wiring.locomotives.values())
    assert re.findall(r"dc = true.*\} +# pins (\w+), (\w+) and (\w+)$", text, re.MULTILINE) == [throttle] * driven
