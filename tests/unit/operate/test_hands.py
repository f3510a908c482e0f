"""What a person is asked to do, in words that fit the layout."""

from __future__ import annotations

from dataclasses import replace

import pytest
from metal import builtin

from pointsman.operate.hands import hand_work, leads_to
from pointsman.operate.steps import TurnoutStep, UncoupleStep
from pointsman.track.model import Leg, Place, Side, Track, TurnoutSide


def request(track: Track, turnout: str, leg: Leg) -> str:
    return hand_work(track, TurnoutStep(turnout, leg, 0.0, 1.0, by_hand=True)).text


@pytest.mark.parametrize(
    ("layout", "turnout", "leg", "text"),
    [
        ("inglenook-small", "T1", Leg.CLOSED, "Set T1 by hand to closed: towards s1."),
        ("inglenook-small", "T1", Leg.THROWN, "Set T1 by hand to thrown: towards s2 or s3."),
        ("inglenook-small", "T2", Leg.THROWN, "Set T2 by hand to thrown: towards s3."),
    ],
)
def test_points_are_named_with_where_they_lead(layout: str, turnout: str, leg: Leg, text: str) -> None:
    assert request(builtin(layout), turnout, leg) == text


@pytest.mark.parametrize("layout", ["inglenook", "timesaver", "tchoutchou"])
def test_every_leg_of_every_turnout_leads_somewhere(layout: str) -> None:
    track = builtin(layout)
    for turnout in track.turnouts:
        for leg in Leg:
            found = leads_to(track, turnout, leg)
            assert found
            assert set(found) <= set(track.segments)


def test_two_turnouts_leg_to_leg_lead_to_what_is_at_the_other_toe() -> None:
    track = builtin("inglenook-small")
    turned = replace(track.turnouts["T1"], thrown=TurnoutSide("T2", Side.THROWN))
    other = replace(track.turnouts["T2"], thrown=TurnoutSide("T1", Side.THROWN), toe=track.turnouts["T2"].thrown)
    crossover = replace(track, turnouts={"T1": turned, "T2": other})
    assert leads_to(crossover, "T1", Leg.THROWN) == ["s3"]


def test_a_coupling_is_named_with_its_place() -> None:
    track = builtin("inglenook-small")
    step = UncoupleStep("s1", "2", "3", 0.0, 1.0, energise=False, by_hand=True)
    assert hand_work(track, step).text == "Uncouple 3 from 2 by hand, in s1 by T1. Move no wagon."
    deep = replace(track.uncouplers["s1"], place=Place("s1", None, 250.0))
    far = hand_work(replace(track, uncouplers={"s1": deep}), step)
    assert far.text == "Uncouple 3 from 2 by hand, in s1. Move no wagon."
