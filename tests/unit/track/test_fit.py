"""Capacities and millimetres: the rule of the shunting model, "Exactness on real metal"."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.track.builtin import builtin_layouts, find_layout
from pointsman.track.fit import fit, largest_capacity
from pointsman.track.layout import load_layout
from pointsman.track.model import Place, Segment, Side, TurnoutSide, Uncoupler

INGLENOOK = load_layout(find_layout("inglenook"))


@pytest.mark.parametrize(
    ("segment", "room_mm", "need_mm"),
    [
        ("head", 404, 117 + 3 * 84 + 20),  # no magnet: from the fouling point, 10 mm off the buffer
        ("s1", 460, 5 * 84 + 20),  # the magnet lies 1 mm further in
        ("s2", 272, 3 * 84 + 20),
        ("s3", 272, 3 * 84 + 20),
    ],
)
def test_the_inglenook_in_millimetres(segment: str, room_mm: float, need_mm: float) -> None:
    found = fit(INGLENOOK, INGLENOOK.segments[segment])
    assert (found.room_mm, found.need_mm) == (room_mm, need_mm)
    assert found.fits


def test_the_siding_of_tchoutchou_takes_the_locomotive_with_its_train() -> None:
    """The mark is in the headshunt, so the check counts no locomotive there."""
    track = load_layout(find_layout("tchoutchou"))
    train_mm = track.locomotives["L"].length_mm + 5 * track.unit_mm
    assert track.segments["s1"].length_mm >= 1.12 * train_mm
    assert fit(track, track.segments["s1"]).room_mm >= train_mm + 20


@pytest.mark.parametrize("name", builtin_layouts())
def test_every_built_in_capacity_fits(name: str) -> None:
    track = load_layout(find_layout(name))
    for segment in track.segments.values():
        assert fit(track, segment).fits
        assert largest_capacity(track, segment) >= segment.capacity


@given(capacity=st.integers(1, 20), length=st.floats(10, 2000))
def test_the_largest_capacity_is_the_last_that_fits(capacity: int, length: float) -> None:
    """More room than needed is fine, less is refused."""
    segment = replace(INGLENOOK.segments["s1"], capacity=capacity, length_mm=length)
    assert fit(INGLENOOK, segment).fits == (capacity <= largest_capacity(INGLENOOK, segment))


def test_a_leg_of_a_run_around_loses_its_magnets_at_both_ends() -> None:
    """No buffer: what counts lies between the two magnets, each within its own half."""
    leg = Segment("leg", 2, 529, TurnoutSide("T1", Side.CLOSED), TurnoutSide("T2", Side.CLOSED))
    magnets = {name: Uncoupler(name, Place("leg", None, at), 10) for name, at in (("a", 60.0), ("b", 479.0))}
    track = replace(INGLENOOK, uncouplers=magnets, unit_mm=190, locomotives={})
    found = fit(track, leg)
    assert (found.room_mm, found.need_mm, found.fits) == (419, 400, True)
    assert not fit(track, replace(leg, capacity=3)).fits
