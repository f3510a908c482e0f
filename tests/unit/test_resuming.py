"""A play is found again by its journal's first line, however its draw was given."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.links import On, Target
from pointsman.playing import PlayRequest
from pointsman.puzzle.choice import Chosen, choose
from pointsman.record import encode
from pointsman.resuming import interrupted
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring

DRAWN = [
    choose("inglenook-small", seed="1"),
    choose("inglenook-small", cards=("2", "1", "5")),
    choose("inglenook-small/siding-2", cards=("2", "1", "5", "4", "3")),
    choose("tchoutchou", cards=("oxen", "salt", "cows", "coal", "ladies", "miners", "tender", "caboose")),
    choose("tchoutchou"),
]


@pytest.mark.parametrize("chosen", DRAWN, ids=lambda chosen: f"{chosen.name} {chosen.seed} {' '.join(chosen.cards)}")
def test_the_same_draw_is_gone_on_with(chosen: Chosen, tmp_path: Path) -> None:
    journal = tmp_path / "j"
    wiring = load_wiring(find_wiring(chosen.folder), chosen.track)
    request = PlayRequest(
        chosen=chosen, wiring=wiring, target=Target(On.SIM), facing=End.TO, journal=journal, count="runs", runs=()
    )
    journal.write_bytes(encode(0.0, "begin", request.header()))
    found = interrupted(journal).chosen
    assert (found.start, found.goal, found.seed) == (chosen.start, chosen.goal, chosen.seed)
    assert found.wagons == chosen.wagons
