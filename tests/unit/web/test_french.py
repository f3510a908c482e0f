"""French sentences for the program's own: taken from where the program makes them, as far as that can be."""

from __future__ import annotations

import pytest

from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import at_setup
from pointsman.operate.plan import Planner
from pointsman.operate.set_up import set_up_lines
from pointsman.operate.steps import DriveStep
from pointsman.puzzle.choice import choose
from pointsman.puzzle.journey import describe
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring
from pointsman.web.french import french, sentence


def test_everything_that_a_play_tells_is_said_in_french() -> None:
    chosen = choose("inglenook-small", seed="1")
    runs = solve(chosen.track, chosen.start, chosen.goal, chosen.puzzle.count).runs
    wiring, allow = load_wiring(find_wiring(chosen.folder), chosen.track), Allowances()
    planner = Planner(chosen.track, wiring, allow, None)
    belief = at_setup(chosen.track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
    said = [describe(chosen.track, run) for run in runs]
    said += [" ".join(["Set up like this.", *set_up_lines(chosen)])]
    for done in planner.rehearse(belief, runs):
        said.append(str(done.step))
        if isinstance(done.step, DriveStep):
            said += [part for part in done.step.stop.why.split("; ") if part]
    untold = [text for text in said if sentence(text) == text]
    assert untold == []


def test_names_numbers_and_everything_that_is_no_sentence_stay_as_they_are() -> None:
    told = {"vehicles": {"L": {"element": "solved"}}, "mode": "solved", "note": "solved", "seq": 3}
    assert french(told) == {**told, "note": "résolu"}


@pytest.mark.parametrize(
    ("english", "in_french"),
    [
        (
            "solved Begin when everybody is clear of the layout.",
            "résolu Commencez quand personne n'a plus la main au réseau.",
        ),
        ("T1 to thrown", "T1 vers la voie déviée"),
        ("STOPPED: emergency stop by driver 1", "ARRÊTÉ : arrêt d'urgence par driver 1"),
        ("nobody has ever said this", "nobody has ever said this"),
        ("T1 may not have moved; look at the layout", "T1 n'a peut-être pas bougé ; regardez le réseau"),
    ],
)
def test_sentences(english: str, in_french: str) -> None:
    assert sentence(english) == in_french
