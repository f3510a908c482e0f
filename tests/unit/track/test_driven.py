"""Locomotives as a wiring drives them: whole percents behind a broker, another table on direct current."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.calibration_file import Measurement, calibration_file, store_calibration, with_calibrations
from pointsman.track.driven import as_driven
from pointsman.track.layout import load_layout
from pointsman.track.percent import STEPS
from pointsman.track.wiring import Feedback, LastWill, MqttWiring, Protocol, StationWiring
from pointsman.track.wiring_file import load_wiring

FOLDER = find_layout("inglenook-small")
TRACK = load_layout(FOLDER)
ON_DC = load_wiring(find_wiring(FOLDER, "uno-dc"), TRACK)
DC_POINTS = ((8, 20.0), (60, 100.0))
MEASURED = Measurement(
    date="2026-11-08T09:30:00Z",
    on="serial:/dev/ttyUSB0",
    between=("head", "s1"),
    distance_mm=300.0,
    speed_error=0.08,
    direction_error=0.06,
    speeds=((10, 22.0, 20.0, 0.01), (50, 92.0, 88.0, 0.02)),
)


def test_only_locomotives_behind_a_broker_are_bound_to_percents() -> None:
    wiring = load_wiring(find_wiring(FOLDER), TRACK)
    assert as_driven(TRACK, wiring) is TRACK
    mqtt = MqttWiring("", ("yard",), frozenset({Feedback.POWER}), LastWill.POWER)
    behind = replace(wiring, stations={"main": StationWiring("main", Protocol.MQTT, mqtt)})
    driven = as_driven(TRACK, behind)
    assert driven.locomotives["L"].speeds.steps == STEPS[1:]
    assert driven.segments is TRACK.segments


def test_on_direct_current_the_wirings_table_holds() -> None:
    driven = as_driven(TRACK, ON_DC).locomotives["L"]
    assert driven.speeds.points == DC_POINTS
    assert driven.speeds != TRACK.locomotives["L"].speeds
    assert driven.speed_error == TRACK.locomotives["L"].speed_error


def test_what_was_measured_on_a_decoder_is_nothing_on_direct_current_and_the_other_way_round(tmp_path: Path) -> None:
    store_calibration(calibration_file(tmp_path, "L"), TRACK.name, "L", [MEASURED])
    measured, used = with_calibrations(TRACK, tmp_path, on_dc={"L"})
    assert used == []
    assert as_driven(measured, ON_DC).locomotives["L"].speeds.points == DC_POINTS
    path = calibration_file(tmp_path, "L", on_dc=True)
    assert path.name == "L.dc.toml"
    dearer = replace(MEASURED, speeds=((12, 20.0, 20.0, 0.0), (60, 90.0, 90.0, 0.0)))
    store_calibration(path, TRACK.name, "L", [dearer])
    on_dc, (one,) = with_calibrations(TRACK, tmp_path, on_dc={"L"})
    assert one.path == path
    assert as_driven(on_dc, ON_DC).locomotives["L"].speeds.points == ((12, 20.0), (60, 90.0))
    by_decoder, (other,) = with_calibrations(TRACK, tmp_path)
    assert other.path == tmp_path / "L.toml"
    assert by_decoder.locomotives["L"].speeds.points == ((10, 21.0), (50, 90.0))
