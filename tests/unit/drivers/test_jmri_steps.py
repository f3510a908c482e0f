"""Speeds as JMRI is sent them: each of the 126 steps can be told from its neighbours."""

from __future__ import annotations

from pointsman.drivers.jmri.asked import speed_of
from pointsman.protocols.jmri_json import Throttle, read, write
from pointsman.track.model import HIGHEST_STEP


def test_every_step_is_written_so_that_jmri_makes_the_same_of_it() -> None:
    texts = {step: write(Throttle("L", speed=speed_of(step))) for step in range(1, HIGHEST_STEP + 1)}
    assert len(set(texts.values())) == HIGHEST_STEP
    for step, text in texts.items():
        (heard,) = read(text.encode())
        assert isinstance(heard, Throttle)
        assert heard.speed is not None
        assert round(heard.speed * HIGHEST_STEP) == step
