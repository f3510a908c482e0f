"""``calibrate`` at its boundary: what it refuses at once, what it asks, what it tells, what it stores and keeps."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from zlib import crc32

import pytest
from commands import QUICK, Person, Pointsman, own_layout, refused

from pointsman.record import read
from pointsman.track.builtin import find_layout
from pointsman.track.calibration_file import load_calibration
from pointsman.track.driven import as_driven
from pointsman.track.layout import load_layout
from pointsman.track.percent import STEPS as PERCENT_STEPS
from pointsman.track.wiring_file import load_wiring
from railsim.hidden import Hidden

SMALL = ("calibrate", "inglenook-small")


def sim_file(folder: Path, seed: str, name: str = "L") -> Path:
    return folder / f"{name}.sim-{crc32(seed.encode()):08x}.toml"


def test_what_is_measured_is_true_stored_and_used(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman(*SMALL, *QUICK, "--seed", "1", "--journal", tmp_path / "j", "--json")
    assert ran.code == 0
    told = ran.json
    real = Hidden(crc32(b"1")).performance(load_layout(find_layout("inglenook-small")).locomotives["L"])
    assert len(told["speeds"]) >= 4
    for row in told["speeds"]:
        assert row["forward_mm_s"] == pytest.approx(real.speed_mm_s(row["step"], True), rel=0.05)
        assert row["reverse_mm_s"] == pytest.approx(real.speed_mm_s(row["step"], False), rel=0.05)
    assert (told["rejected"], told["incidents"]) == ([], [])
    path = sim_file(tmp_path / "data" / "pointsman" / "locomotives" / "inglenook-small", "1")
    assert told["stored"] == str(path)
    (stored,) = load_calibration(path, "inglenook-small", "L")
    assert [row[0] for row in stored.speeds] == [row["step"] for row in told["speeds"]]
    assert read(tmp_path / "j").bad == ""
    replayed = pointsman("replay", tmp_path / "j")
    assert "calibration of L between head and s1" in replayed.out
    assert replayed.code == 0
    # The same simulated layout is now played on with these speeds, and no other.
    played = pointsman("play", "inglenook-small", "--seed", "1", *QUICK)
    assert played.code == 0
    assert "L: speeds as measured on" in played.out
    assert "nothing was bumped" in " ".join(played.out.split())
    other = pointsman("play", "inglenook-small", "--seed", "2", *QUICK)
    assert other.code == 0
    assert "speeds as measured" not in other.out


def test_behind_a_broker_only_whole_percents_are_measured_and_stored(pointsman: Pointsman, tmp_path: Path) -> None:
    # No whole percent gives step 2, 7, 12 or 31.
    table = "speed_table = [[2, 20], [7, 32], [12, 44], [31, 80], [60, 100]]"
    home = own_layout(tmp_path, "inglenook-small", ("layout.toml", r"speed_table = [^\n]*", table))
    ran = pointsman("calibrate", home, "--hardware", "mqtt", *QUICK, "--seed", "1", "--json")
    assert ran.code == 0, ran.err
    told = ran.json
    assert (told["rejected"], told["incidents"]) == ([], [])
    steps = [row["step"] for row in told["speeds"]]
    assert steps[0] == 3
    assert len(steps) >= 4
    assert set(steps) <= set(PERCENT_STEPS)
    real = Hidden(crc32(b"1")).performance(load_layout(home).locomotives["L"])
    for row in told["speeds"]:
        assert row["forward_mm_s"] == pytest.approx(real.speed_mm_s(row["step"], True), rel=0.01)
        assert row["reverse_mm_s"] == pytest.approx(real.speed_mm_s(row["step"], False), rel=0.01)
    (stored,) = load_calibration(Path(told["stored"]), "own", "L")
    assert [row[0] for row in stored.speeds] == steps
    lines = read(Path(told["journals"][0])).lines
    assert {line.values["step"] for line in lines if line.values.get("type") == "Drive"} == set(steps)


def test_on_direct_current_it_is_measured_by_the_wirings_table_and_kept_apart(
    pointsman: Pointsman, tmp_path: Path
) -> None:
    home = own_layout(tmp_path, "inglenook-small")
    track = load_layout(home)
    wiring = load_wiring(home / "hardware" / "uno-dc.toml", track)
    ran = pointsman("calibrate", home, "--hardware", "uno-dc", *QUICK, "--seed", "1", "--json")
    assert ran.code == 0, ran.err
    told = ran.json
    assert (told["rejected"], told["incidents"]) == ([], [])
    assert told["speeds"][0]["step"] == 8
    assert len(told["speeds"]) >= 4
    real = Hidden(crc32(b"1")).performance(as_driven(track, wiring).locomotives["L"])
    for row in told["speeds"]:
        assert row["forward_mm_s"] == pytest.approx(real.speed_mm_s(row["step"], True), rel=0.05)
        assert row["reverse_mm_s"] == pytest.approx(real.speed_mm_s(row["step"], False), rel=0.05)
    assert told["stored"] == str(sim_file(home / "locomotives", "1", "L.dc"))
    # It is for direct current, and the decoder's table for the rest.
    played = pointsman("play", home, "--hardware", "uno-dc", "--seed", "1", *QUICK)
    assert played.code == 0
    assert "L: speeds as measured on" in played.out
    by_decoder = pointsman("play", home, "--seed", "1", *QUICK)
    assert by_decoder.code == 0
    assert "speeds as measured" not in by_decoder.out
    assert pointsman("check", home).code == 0


def test_what_a_person_sees_and_is_asked(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("y\nn\n")
    ran = pointsman(*SMALL, "--speed", "0", "--between", "s2,head")
    told = " ".join(ran.out.split())
    assert "Timed between beam head and beam s2, 467 mm apart along the track over T1>thrown T2>closed" in told
    assert "Nothing else on any turnout, nor in: head, s2." in told
    assert "its coupler towards the points" in told
    assert "Is L alone there? [y/N]" in told
    assert "prove L: creep towards beam head" in told
    assert re.search(r"speed 2 of 5: measure L at step \d+, forward, pass 3", told)
    assert "before the first speed: measure" not in told
    assert re.search(r"step\s+mm/s\s+forward\s+reverse\s+spread\s+before", ran.out)
    assert "Store it in" in told
    assert ran.code == 1
    assert "nothing was stored" in ran.err
    assert not (tmp_path / "data" / "pointsman" / "locomotives").exists()


def test_old_values_are_kept_and_a_layout_of_ones_own_keeps_them_itself(pointsman: Pointsman, tmp_path: Path) -> None:
    home = own_layout(tmp_path)
    for _ in range(2):
        ran = pointsman("calibrate", home, *QUICK, "--seed", "4")
        assert ran.code == 0
    path = sim_file(home / "locomotives", "4")
    assert f"Stored: {path}" in ran.out
    old, new = load_calibration(path, "own", "L")
    assert old.date < new.date
    # Measured by the layout's own table, not by what was measured before.
    assert [row[0] for row in old.speeds] == [row[0] for row in new.speeds]
    assert "L: speeds as measured on" in ran.out
    assert pointsman("check", home).code == 0


def test_a_damaged_file_is_refused_before_anything_moves(pointsman: Pointsman, tmp_path: Path) -> None:
    home = own_layout(tmp_path)
    path = sim_file(home / "locomotives", "1")
    path.parent.mkdir()
    path.write_text("layout = 'own'\n")
    refused(pointsman("calibrate", home, *QUICK, "--seed", "1"), 3, str(path), "move the file away")
    refused_play = pointsman("play", home, *QUICK, "--seed", "1")
    assert refused_play.code == 3
    assert "move the file away" in refused_play.err
    checked = pointsman("check", home)
    assert checked.code == 3
    assert str(path) in checked.err


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--locomotive", "M"), 2, "there is no locomotive 'M'"),
        (("--between", "head"), 2, "is not two beams"),
        (("--between", "head,head"), 2, "is not two beams"),
        (("--between", "head,s9"), 2, "there is no beam 's9'"),
        (("--between", "s1,s2"), 7, "no line from head, where L stands, leads past both s1 and s2"),
        (("--speed", "-1"), 2, "--speed"),
        (("--journal", "/nowhere/at/all"), 8, "no such folder"),
    ],
)
def test_what_is_refused_at_once(pointsman: Pointsman, words: tuple[str, ...], code: int, told: str) -> None:
    refused(pointsman(*SMALL, "--yes", *words), code, told)


def test_a_track_without_room_is_refused_with_the_reason(pointsman: Pointsman, tmp_path: Path) -> None:
    home = own_layout(
        tmp_path, "inglenook-small", ("layout.toml", r"acceleration_mm_s2 = \d+", "acceleration_mm_s2 = 10")
    )
    refused(pointsman("calibrate", home, *QUICK), 7, "with room for L to gather speed and to stop beyond both")


def test_several_locomotives_want_a_name(pointsman: Pointsman, tmp_path: Path) -> None:
    home = own_layout(tmp_path)
    layout = home / "layout.toml"
    text = re.sub(r"(\[segments\.s1\]\ncapacity = \d+\nlength_mm = )\d+", r"\g<1>900", layout.read_text())
    block = re.search(r"\[locomotives\.L\]\n.*?(?=\n\[)", text, re.DOTALL)
    assert block is not None
    second = block.group(0).replace("locomotives.L", "locomotives.M")
    second = re.sub(r"mark = .*", 'mark = { on = "s1", at_mm = 200 }', second)
    layout.write_text(f"{text}\n{second}\n")
    wiring = home / "hardware" / "dccex.toml"
    wiring.write_text(
        re.sub(r"(L = \{[^}]*cab = )\d+( \})", r"\g<0>\nM = { station = 'main', cab = 77 }", wiring.read_text())
    )
    refused(pointsman("calibrate", home, *QUICK), 2, "has several locomotives", "L, M")


def test_only_the_simulated_layout_takes_seed_speed_and_yes(pointsman: Pointsman) -> None:
    for words in (("--seed", "1"), ("--speed", "2"), ("--yes",)):
        refused(pointsman(*SMALL, "--on", "tcp:127.0.0.1:1", *words), 2, words[0])


def test_the_questions_before_a_calibration_on_a_station(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        on = f"tcp:127.0.0.1:{listener.getsockname()[1]}"
    person("points\ny\n")
    ran = pointsman(*SMALL, "--on", on, "--journal", tmp_path / "j")
    told = " ".join(ran.out.split())
    assert ran.code == 5
    assert "60 mm/s" in told
    assert "Does the front of L point to the points or to the buffer stop?" in told
    assert "Is L alone there, and is everybody clear of it?" in told
    assert "Nothing was stored." in told
    assert f"Journal: {tmp_path / 'j'}" in ran.out


def test_a_speed_that_is_not_tried_is_told_with_its_reason(pointsman: Pointsman) -> None:
    ran = pointsman(*SMALL, *QUICK, "--json")
    tried = len(ran.json["speeds"]) + len({rejection["step"] for rejection in ran.json["rejected"]})
    assert len(ran.json["left_out"]) == 5 - tried > 0
    assert all(re.fullmatch(r"speed \d of 5: .*step \d+.*", why) for why in ran.json["left_out"])
    for why in ran.json["left_out"]:
        assert f"Left out: {why}." in " ".join(ran.err.split())


def test_a_no_sends_nothing(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("n\n")
    ran = pointsman(*SMALL, "--speed", "0", "--journal", tmp_path / "j")
    assert ran.code == 1
    assert "nothing was sent" in ran.err
    assert not (tmp_path / "j").exists()
