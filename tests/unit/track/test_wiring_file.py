"""hardware/*.toml -> Wiring, and every mistake with its file, key and cure."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.errors import LayoutError, Mistake
from pointsman.track.builtin import builtin_layouts, find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.tomlfile import Notes
from pointsman.track.wiring import (
    NO_NUMBER,
    BeamWiring,
    LocomotiveWiring,
    Protocol,
    ServoPositions,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)
from pointsman.track.wiring_file import check_wiring, load_wiring

TRACK = load_layout(find_layout("inglenook"))
DCCEX = find_wiring(find_layout("inglenook")).read_text(encoding="utf-8")


def load(tmp_path: Path, *swaps: tuple[str, str], extra: str = "") -> Wiring:
    text = DCCEX
    for old, new in swaps:
        assert old in text, f"the built-in wiring no longer has {old!r}"
        text = text.replace(old, new, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text + extra, encoding="utf-8")
    return load_wiring(path, TRACK)


def broken(tmp_path: Path, *swaps: tuple[str, str], extra: str = "") -> tuple[Mistake, ...]:
    with pytest.raises(LayoutError) as caught:
        load(tmp_path, *swaps, extra=extra)
    assert all(m.what and m.cure and m.file == str(tmp_path / "mine.toml") for m in caught.value.mistakes)
    return caught.value.mistakes


@pytest.mark.parametrize("name", builtin_layouts())
def test_every_built_in_layout_is_wired(name: str) -> None:
    folder = find_layout(name)
    track = load_layout(folder)
    wiring = load_wiring(find_wiring(folder), track)
    assert set(wiring.turnouts) == set(track.turnouts)
    assert set(wiring.beams) == set(track.beams)
    assert set(wiring.uncouplers) == set(track.uncouplers)
    assert set(wiring.locomotives) == set(track.locomotives)


def test_the_inglenook_on_one_station() -> None:
    wiring = load_wiring(find_wiring(find_layout("inglenook")), TRACK)
    assert wiring.name == "dccex"
    assert wiring.stations == {"main": StationWiring("main", Protocol.DCCEX)}
    assert wiring.turnouts["T2"] == TurnoutWiring("main", 2, TurnoutKind.SERVO, 1.3, False, "")
    assert wiring.beams["s3"] == BeamWiring("main", 4, False)
    assert wiring.uncouplers["s1"] == UncouplerWiring("main", 1, UncouplerKind.COIL, 0.5, False, "hardware")
    assert wiring.locomotives == {"L": LocomotiveWiring("main", 3)}


@pytest.mark.parametrize(
    ("kind", "seconds"), [("servo", 1.3), ("stall-motor", 4.0), ("accessory-decoder", 4.0), ("solenoid", 0.5)]
)
def test_each_kind_has_its_usual_time(kind: str, seconds: float, tmp_path: Path) -> None:
    wiring = load(tmp_path, ('kind = "servo"\nmove_time_s = 1.3', f'kind = "{kind}"\npulse_limited_by = "hardware"'))
    assert wiring.turnouts["T1"].kind is TurnoutKind(kind)
    assert wiring.turnouts["T1"].move_time_s == seconds


def test_points_moved_by_hand_and_a_permanent_magnet_have_no_id(tmp_path: Path) -> None:
    wiring = load(
        tmp_path,
        ('station = "main"\nid = 1\nkind = "servo"\nmove_time_s = 1.3', 'kind = "hand"'),
        ('{ station = "main", id = 1, kind = "coil", pulse_limited_by = "hardware" }', '{ kind = "permanent" }'),
    )
    assert (wiring.turnouts["T1"].number, wiring.turnouts["T1"].kind) == (NO_NUMBER, TurnoutKind.HAND)
    assert (wiring.uncouplers["s1"].number, wiring.uncouplers["s1"].kind) == (None, UncouplerKind.PERMANENT)


def test_with_one_station_its_name_may_be_left_out(tmp_path: Path) -> None:
    assert load(tmp_path, ('L = { station = "main", cab = 3 }', "L = { cab = 3 }")).locomotives["L"].station == "main"


def test_two_stations_may_use_the_same_numbers(tmp_path: Path) -> None:
    wiring = load(
        tmp_path,
        ("[turnouts.T1]", '[stations.aux]\nprotocol = "dccex"\n[turnouts.T1]'),
        ('s1 = { station = "main", id = 2 }', 's1 = { station = "aux", id = 1, inverted = true }'),
    )
    assert wiring.beams["s1"] == BeamWiring("aux", 1, True)


def test_the_pins_of_the_inglenook_on_a_mega() -> None:
    folder = find_layout("inglenook")
    wiring = load_wiring(find_wiring(folder, "mega"), TRACK)
    assert (wiring.turnouts["T2"].pin, wiring.turnouts["T2"].servo) == (101, ServoPositions(340, 275))
    assert wiring.beams["head"].pin == 22
    assert wiring.uncouplers["s3"].pin == 32
    plain = load_wiring(find_wiring(folder), TRACK)
    assert (plain.turnouts["T2"].pin, plain.turnouts["T2"].servo, plain.beams["head"].pin) == (None, None, None)


COIL = 's1 = { station = "main", id = 1, kind = "coil", pulse_limited_by = "hardware" }'
LOCO = 'L = { station = "main", cab = 3 }'

ONE_MISTAKE = {
    "coil on a bare pin": (
        (COIL, 's1 = { station = "main", id = 1, kind = "coil" }'),
        "magnets.s1.pulse_limited_by",
        "burns out",
        'pulse_limited_by = "hardware"',
    ),
    "solenoid on a bare pin": (
        ('kind = "servo"', 'kind = "solenoid"'),
        "turnouts.T1.pulse_limited_by",
        "burns",
        "node",
    ),
    "limited by nothing known": (
        ('pulse_limited_by = "hardware"', 'pulse_limited_by = "luck"'),
        "magnets.s1.pulse_limited_by",
        "hardware",
        "capacitor",
    ),
    "unknown beam": (
        ("s3 = {", 'x9 = { station = "main", id = 9 }\ns3 = {'),
        "beams.x9",
        "no such name",
        "known here",
    ),
    "unwired locomotive": ((LOCO, ""), "locomotives.L", "not wired", "DCC address"),
    "unwired turnout": (
        ('[turnouts.T2]\nstation = "main"\nid = 2\nkind = "servo"\nmove_time_s = 1.3\n', ""),
        "turnouts.T2",
        "not wired",
        "hand",
    ),
    "unknown station": ((LOCO, 'L = { station = "mian", cab = 3 }'), "locomotives.L.station", "mian", "main?"),
    "unknown protocol": (('"dccex"', '"dcc-ex"'), "stations.main.protocol", "one of dccex", "dccex"),
    "same turnout id": (("id = 2\nkind", "id = 1\nkind"), "turnouts.T2.id", "turnouts.T1 has id 1 too", "its own"),
    "same sensor id": (
        ('s1 = { station = "main", id = 2 }', "s1 = { id = 1 }"),
        "beams.s1.id",
        "beams.head has id 1",
        "own id",
    ),
    "same output id": (
        ('id = 2, kind = "coil"', 'id = 1, kind = "coil"'),
        "magnets.s2.id",
        "magnets.s1 has",
        "own id",
    ),
    "id too large": (("id = 1\n", "id = 32768\n"), "turnouts.T1.id", "at most 32767", "0 to 32767"),
    "cab 0": ((LOCO, "L = { cab = 0 }"), "locomotives.L.cab", "at least 1, but is 0", "1 to 10239"),
    "cab too large": ((LOCO, "L = { cab = 10240 }"), "locomotives.L.cab", "at most 10239", "DCC address"),
    "servo without id": (("id = 1\n", ""), "turnouts.T1.id", "kind servo is switched", "add `id"),
    "hand with id": (('kind = "servo"', 'kind = "hand"'), "turnouts.T1.id", "nothing to switch", "remove"),
    "unknown key": (("move_time_s = 1.3", "move_times = 1"), "turnouts.T1.move_times", "not a key", "move_time_s?"),
    "pin of the USB line": (("id = 1\n", "id = 1\npin = 1\n"), "turnouts.T1.pin", "at least 2", "USB line"),
    "one pin for two": (
        (
            'id = 2 }\ns2 = { station = "main", id = 3 }',
            'id = 2, pin = 7 }\ns2 = { station = "main", id = 3, pin = 7 }',
        ),
        "beams.s2.pin",
        "beams.s1 has pin 7 too",
        "of its own",
    ),
    "a servo on the lamp's pin": (("id = 1\n", "id = 1\npin = 13\n"), "turnouts.T1.pin", "blinks", "another"),
    "a servo beyond its end": (
        ("id = 1\n", "id = 1\nservo = { thrown = 900, closed = 275 }\n"),
        "turnouts.T1.servo.thrown",
        "at most 512",
        "middle",
    ),
    "a decoder's address for a servo": (
        ("id = 1\n", "id = 1\ndcc_address = 5\n"),
        "turnouts.T1.dcc_address",
        "kind accessory-decoder only",
        "remove",
    ),
    "a pin for a permanent magnet": (
        (COIL, 's1 = { kind = "permanent", pin = 30 }'),
        "magnets.s1.pin",
        "on no pin",
        "remove",
    ),
    "no station": (
        ('[stations.main]\nprotocol = "dccex"', "[stations]"),
        "stations",
        "no station",
        "[stations.main]",
    ),
}


@pytest.mark.parametrize("name", ONE_MISTAKE)
def test_one_mistake_gives_one_finding_with_key_and_cure(name: str, tmp_path: Path) -> None:
    swap, key, what, cure = ONE_MISTAKE[name]
    (mistake,) = broken(tmp_path, swap)
    assert mistake.key == key
    assert what in mistake.what
    assert cure in mistake.cure


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    found = broken(
        tmp_path,
        ('L = { station = "main", cab = 3 }', "L = { cab = true }\nM = { cab = 4 }"),
        ("id = 1\nkind", "id = -1\nkind"),
        ('kind = "coil", pulse_limited_by = "hardware" }', 'kind = "coil" }'),
    )
    assert {m.key for m in found} == {
        "locomotives.L.cab",
        "locomotives.M",
        "turnouts.T1.id",
        "magnets.s1.pulse_limited_by",
    }


def test_a_wrong_kind_does_not_hide_the_rest_of_its_line(tmp_path: Path) -> None:
    found = broken(
        tmp_path,
        ('id = 2\nkind = "servo"', 'id = 1\nkind = "magic"'),
        (COIL, 's1 = { station = "mian", id = 1, kind = 3, pulse_limited_by = "luck" }'),
    )
    assert {m.key for m in found} == {
        "turnouts.T2.kind",
        "turnouts.T2.id",
        "magnets.s1.station",
        "magnets.s1.kind",
        "magnets.s1.pulse_limited_by",
    }


def test_names_that_are_not_known_are_not_asked_for(tmp_path: Path) -> None:
    """Of a layout that cannot be read: what is wrong in itself is said all the same."""
    path = tmp_path / "mine.toml"
    path.write_text(DCCEX.replace("id = 2\nkind", "id = 1\nkind"), encoding="utf-8")
    notes = Notes("mine.toml")
    check_wiring(path, {}, notes)
    assert [m.key for m in notes.mistakes] == ["turnouts.T2.id"]


def test_with_several_stations_each_thing_names_its_own(tmp_path: Path) -> None:
    (mistake,) = broken(
        tmp_path,
        ("[turnouts.T1]", '[stations.aux]\nprotocol = "dccex"\n[turnouts.T1]'),
        ('L = { station = "main", cab = 3 }', "L = { cab = 3 }"),
    )
    assert (mistake.key, mistake.cure) == ("locomotives.L.station", "known here: main, aux")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(LayoutError, match="no such file"):
        load_wiring(tmp_path / "none.toml", TRACK)


def test_an_empty_file_asks_for_a_station_and_all_the_wires(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("", encoding="utf-8")
    with pytest.raises(LayoutError) as caught:
        load_wiring(path, TRACK)
    keys = {m.key for m in caught.value.mistakes}
    assert keys == {"stations", "turnouts.T1", "turnouts.T2", "locomotives.L"} | {
        f"{section}.{name}"
        for section, names in (("beams", TRACK.beams), ("magnets", TRACK.uncouplers))
        for name in names
    }


# ---------------------------------------------------------------- stations that go by names


SMALL = load_layout(find_layout("inglenook-small"))
JMRI = (find_layout("inglenook-small") / "hardware" / "jmri.toml").read_text(encoding="utf-8")


def load_jmri(tmp_path: Path, *swaps: tuple[str, str]) -> Wiring:
    text = JMRI
    for old, new in swaps:
        assert old in text, f"the built-in wiring no longer has {old!r}"
        text = text.replace(old, new, 1)
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return load_wiring(path, SMALL)


def test_the_small_inglenook_behind_jmri() -> None:
    wiring = load_wiring(find_wiring(find_layout("inglenook-small"), "jmri"), SMALL)
    assert wiring.stations == {"main": StationWiring("main", Protocol.JMRI)}
    assert wiring.turnouts["T1"] == TurnoutWiring(
        "main", NO_NUMBER, TurnoutKind.STALL_MOTOR, 2.5, False, "", name="LT1"
    )
    assert wiring.beams["s3"] == BeamWiring("main", NO_NUMBER, False, name="LS4")
    assert wiring.uncouplers["s1"] == UncouplerWiring(
        "main", None, UncouplerKind.COIL, 0.5, False, "hardware", name="LL11"
    )
    assert wiring.locomotives == {"L": LocomotiveWiring("main", 3)}


def test_a_locomotive_behind_jmri_may_have_a_long_address_below_128(tmp_path: Path) -> None:
    assert load_jmri(tmp_path, ("cab = 3", "cab = 3, long = true")).locomotives["L"] == LocomotiveWiring(
        "main", 3, True
    )


@pytest.mark.parametrize(
    ("swap", "key", "what"),
    [
        (('name = "LT1", ', ""), "turnouts.T1.name", "is missing: kind stall-motor"),
        (('name = "LS1"', ""), "beams.head.name", "is missing"),
        (('name = "LL11", ', ""), "magnets.s1.name", "is missing"),
        (('name = "LT1"', 'name = "LT1", id = 1'), "turnouts.T1.id", "goes by `name`"),
        (('name = "LS1"', 'name = "LS1", pin = 22'), "beams.head.pin", "DCC-EX station only"),
        (('name = "LS2"', 'name = "LS1"'), "beams.s1.name", "beams.head has name LS1 too"),
        (('name = "LT1"', 'name = ""'), "turnouts.T1.name", ""),
        (('name = "LT1"', "name = 1"), "turnouts.T1.name", ""),
        (('"LT1", kind = "stall-motor"', '"LT1", kind = "hand"'), "turnouts.T1.name", "has nothing to switch"),
    ],
)
def test_a_mistake_with_a_name_is_told(swap: tuple[str, str], key: str, what: str, tmp_path: Path) -> None:
    with pytest.raises(LayoutError) as caught:
        load_jmri(tmp_path, swap)
    (mistake,) = caught.value.mistakes
    assert mistake.key == key
    assert what in mistake.what
    assert mistake.cure


def test_a_dcc_ex_station_has_no_names(tmp_path: Path) -> None:
    named, engine = broken(tmp_path, ("id = 1\n", 'id = 1\nname = "LT1"\n'), ("cab = 3", "cab = 3, long = true"))
    assert (named.key, named.what) == ("turnouts.T1.name", "its station goes by `id`")
    assert engine.key == "locomotives.L.long"
