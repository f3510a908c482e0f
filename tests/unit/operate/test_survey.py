"""What a layout asks of its stops, against figures computed by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from metal import builtin

from pointsman.operate.allowances import Allowances
from pointsman.operate.survey import StopSurvey, narrowest_gap_mm, stops, top_speed_at_beams_mm_s
from pointsman.track.model import Leg, Place, Track

ALLOW = Allowances()
BASE_MM = 20 * 0.103 + 20 * 20 / 300
"""At creep, 20 mm/s: the reaction of 103 ms and braking at 150 mm/s²."""


def by_key(track: Track) -> dict[tuple[str, str], StopSurvey]:
    return {(s.place, s.what): s for s in stops(track, ALLOW)}


def test_the_narrowest_gap_is_between_two_bodies_buffer_to_buffer() -> None:
    track = builtin("inglenook")
    # 82 over buffers, body 75; the locomotive 115 and 108.
    assert narrowest_gap_mm(track) == pytest.approx(7.0)
    assert top_speed_at_beams_mm_s(track, ALLOW) == pytest.approx(7.0 / 0.040)
    long_body = replace(track.wagons["3"], body_mm=79.0)
    assert narrowest_gap_mm(replace(track, wagons={**track.wagons, "3": long_body})) == pytest.approx((3.0 + 7.0) / 2)
    alone = replace(track, wagons={})
    assert narrowest_gap_mm(alone) == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("name", "segment", "spare_mm"),
    [
        ("inglenook", "head", 414 - 10 - 117 - 3 * 84),
        ("inglenook", "s1", 471 - 10 - 5 * 84),
        ("inglenook", "s2", 283 - 10 - 3 * 84),
        ("inglenook-small", "head", 320 - 10 - 117 - 2 * 84),
        ("inglenook-small", "s1", 283 - 10 - 3 * 84),
        ("inglenook-small", "s3", 199 - 10 - 2 * 84),
    ],
)
def test_stops_of_the_built_in_layouts(name: str, segment: str, spare_mm: float) -> None:
    found = by_key(builtin(name))
    clear = found[segment, "clear of the points"]
    # The beam stands at the joint: blind from the middle of the 7 mm gap until 3 mm beyond the joint.
    assert clear.blind_mm == pytest.approx(6.5)
    assert clear.error_mm == pytest.approx(6.5 * 0.12 + BASE_MM)
    assert clear.room_mm == pytest.approx(spare_mm)
    met = found[segment, "vehicles met"]
    assert met.blind_mm == pytest.approx(15.0)
    assert met.error_mm == pytest.approx(15.0 * 0.12 + BASE_MM)
    assert met.room_mm == pytest.approx(spare_mm + 10)
    assert clear.good
    assert met.good


def test_a_coupling_over_a_magnet() -> None:
    found = by_key(builtin("inglenook"))
    survey = found["s1", "coupling over magnet s1"]
    # Magnet at 1, reach 10, cut off at the joint: 0 to 11, middle 5.5, and half a gap.
    assert survey.blind_mm == pytest.approx(9.0)
    assert survey.error_mm == pytest.approx(9.0 * 0.12 + BASE_MM)
    assert survey.room_mm == pytest.approx(11.0)
    assert survey.speed_mm_s == 20.0
    assert survey.good
    assert ("head", "coupling over magnet head") not in found


def test_a_magnet_with_too_small_a_reach_is_tight() -> None:
    track = builtin("inglenook")
    weak = replace(track.uncouplers["s2"], reach_mm=1.0)
    survey = by_key(replace(track, uncouplers={**track.uncouplers, "s2": weak}))["s2", "coupling over magnet s2"]
    assert survey.room_mm == pytest.approx(2.0)
    assert survey.error_mm == pytest.approx((1.0 + 3.5) * 0.12 + BASE_MM)
    assert not survey.good


def test_a_segment_without_a_beam_is_blind_for_its_whole_length() -> None:
    track = builtin("inglenook-small")
    deaf = replace(track, beams={name: beam for name, beam in track.beams.items() if name != "s1"})
    clear = by_key(deaf)["s1", "clear of the points"]
    assert clear.blind_mm == pytest.approx(283 + 6.5)
    assert not clear.good


def test_a_magnet_on_a_turnout_is_no_place_to_leave_anything() -> None:
    track = builtin("inglenook-small")
    odd = replace(track.uncouplers["s1"], place=Place("T1", Leg.CLOSED, 90.0))
    found = by_key(replace(track, uncouplers={**track.uncouplers, "s1": odd}))
    assert not any(what == "coupling over magnet s1" for _, what in found)


def test_of_several_locomotives_the_one_that_stops_worst_counts() -> None:
    track = builtin("inglenook-small")
    engine = track.locomotives["L"]
    away = Place("s2", None, 120.0)
    worse = replace(engine, name="M", braking_mm_s2=50.0, mark=away)
    better = replace(engine, name="N", braking_mm_s2=500.0, mark=away)
    for order in (("L", "M", "N"), ("M", "N", "L")):
        named = {"L": engine, "M": worse, "N": better}
        found = by_key(replace(track, locomotives={name: named[name] for name in order}))
        survey = found["s1", "clear of the points"]
        assert survey.error_mm == pytest.approx(6.5 * 0.12 + 20 * 0.103 + 400 / 100)
