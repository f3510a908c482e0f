"""The live picture: every step is shown once, and a terminal that is gone stops the play instead of holding it up."""

from __future__ import annotations

import io
import re
import threading
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from rich.console import Console

from pointsman.cli.diagram import Lie, Surety
from pointsman.cli.screen import Screen, _lie, diagram, in_order
from pointsman.dispatch.control import Status
from pointsman.errors import UsageError
from pointsman.messages import LinkChanged, LinkState
from pointsman.operate import tracker
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, Spot, at_setup
from pointsman.operate.plan import Planner
from pointsman.operate.referee import Score
from pointsman.puzzle.choice import Chosen, choose
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End, Leg, Place
from pointsman.track.wiring_file import load_wiring


@pytest.fixture(scope="module")
def chosen() -> Chosen:
    return choose("inglenook-small", seed="1")


@pytest.fixture(scope="module")
def belief(chosen: Chosen) -> Belief:
    allow = Allowances()
    return at_setup(chosen.track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)


def status(belief: Belief, doing: str, run: int = 0, t_s: float = 10.0, note: str = "") -> Status:
    return Status(
        t_s=t_s, belief=belief, doing=doing, run=run, runs=9, score=Score(runs=run, raw_starts=run), note=note
    )


def plain() -> Console:
    return Console(file=io.StringIO(), width=80, markup=False, emoji=False)


def terminal() -> Console:
    return Console(file=io.StringIO(), width=100, force_terminal=True, _environ={"TERM": "xterm"})


def text_of(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@dataclass
class Shown:
    """What was printed, and why the play was stopped, if it was."""

    text: str
    gone: list[str]


def shown(console: Console, chosen: Chosen, *statuses: Status) -> Shown:
    gone: list[str] = []
    screen = Screen(console, chosen, gone.append)
    for each in statuses:
        screen.show(each)
    screen.close()
    screen.close()
    return Shown(text_of(console), gone)


def test_every_step_is_a_line_and_no_step_is_two(chosen: Chosen, belief: Belief) -> None:
    found = shown(
        plain(),
        chosen,
        status(belief, "track power on", t_s=10.0),
        status(belief, "T1 to [closed]", t_s=10.5),
        status(belief, "T1 to [closed]", t_s=11.0),
        status(belief, "drive L to s1", run=1, t_s=12.0),
        status(belief, "drive L to s1", run=2, t_s=13.0),
        status(belief, "drive L to s1", run=2, t_s=13.5, note="STOPPED: beam s1 :smile:"),
    )
    assert found.text.splitlines() == [
        "     0.0 s  before the first run: track power on",
        "     0.5 s  before the first run: T1 to [closed]",
        "     2.0 s  run 1 of 9: drive L to s1",
        "     3.0 s  run 2 of 9: drive L to s1",
        "     3.5 s  run 2 of 9: STOPPED: beam s1 :smile:",
    ]
    assert found.gone == []


def test_a_long_step_is_not_broken(chosen: Chosen, belief: Belief) -> None:
    long = "drive " + "L " * 60 + "to s1"
    assert len(shown(plain(), chosen, status(belief, long)).text.splitlines()) == 1


def test_a_terminal_shows_the_picture_with_the_last_steps(chosen: Chosen, belief: Belief) -> None:
    steps = [status(belief, f"step {number}", run=1, t_s=float(number)) for number in range(9)]
    found = shown(terminal(), chosen, *steps)
    last = "wanted" + re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", found.text).split("wanted")[-1]
    assert last.startswith("wanted  s1: 2 1 3\n")
    assert "head 1/3" in last
    assert [f"step {number}" in last for number in range(9)] == [False] * 3 + [True] * 6
    assert "1 of 9 runs done, 1 start, 0 uncouplings, points set 0 times" in last
    assert found.gone == []


def test_before_there_is_a_plan_nothing_is_said_of_its_runs(chosen: Chosen, belief: Belief) -> None:
    found = shown(terminal(), chosen, replace(status(belief, "getting ready"), runs=0))
    assert "0 starts, 0 uncouplings" in found.text
    assert "0 of 0" not in found.text


def test_a_dumb_terminal_gets_lines(chosen: Chosen, belief: Belief) -> None:
    console = Console(file=io.StringIO(), width=80, force_terminal=True, _environ={"TERM": "dumb"})
    assert shown(console, chosen, status(belief, "x")).text == "     0.0 s  before the first run: x\n"


class Broken(io.StringIO):
    """A terminal that fails."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def write(self, text: str) -> int:
        raise self.error


def links(*changes: LinkChanged) -> dict[str, LinkChanged]:
    return {change.station: change for change in changes}


def test_every_change_of_a_link_is_a_line_with_its_moment_and_its_reason(chosen: Chosen, belief: Belief) -> None:
    def with_link(t_s: float, state: LinkState, why: str) -> Status:
        return replace(status(belief, "drive L", run=1, t_s=t_s), links=links(LinkChanged(t_s, "main", state, why)))

    statuses = [
        with_link(1.0, LinkState.OPENING, "it is being opened"),
        with_link(2.5, LinkState.BOOTING, "it talks by itself"),
        with_link(9.0, LinkState.UP, "iDCC-EX V-5.6.0"),
        with_link(21.0, LinkState.DOUBTFUL, "no answer for 0.5 s"),
        with_link(21.5, LinkState.LOST, "no answer for 1 s"),
    ]
    again = replace(statuses[-1], t_s=30.0)
    closed = with_link(31.0, LinkState.CLOSED, "closed")
    assert shown(plain(), chosen, *statuses, again, closed).text.splitlines() == [
        "     0.0 s  link main: opening, it is being opened",
        "     0.0 s  run 1 of 9: drive L",
        "     1.5 s  link main: booting, it talks by itself",
        "     8.0 s  link main: up, iDCC-EX V-5.6.0",
        "    20.0 s  link main: doubtful, no answer for 0.5 s",
        "    20.5 s  link main: lost, no answer for 1 s",
    ]


@pytest.mark.parametrize(("state", "seen"), [(LinkState.UP, False), (LinkState.DOUBTFUL, True), (LinkState.LOST, True)])
def test_a_link_that_is_not_up_stands_below_the_picture(
    chosen: Chosen, belief: Belief, state: LinkState, seen: bool
) -> None:
    change = LinkChanged(1.0, "main", state, "the reason")
    steps = [replace(status(belief, f"step {n}", run=1, t_s=float(n)), links=links(change)) for n in range(9)]
    last = shown(terminal(), chosen, *steps).text.split("wanted")[-1]
    assert (f"link    main: {state}, the reason" in last) is seen


def test_a_terminal_that_is_gone_stops_the_play(chosen: Chosen, belief: Belief) -> None:
    gone: list[str] = []
    screen = Screen(Console(file=Broken(OSError(5, "I/O error"))), chosen, gone.append)
    screen.show(status(belief, "x"))
    screen.close()
    assert gone == ["the screen is gone: nobody can read any more"]


def test_a_fault_in_drawing_stops_the_play_and_is_told(
    chosen: Chosen, belief: Belief, monkeypatch: pytest.MonkeyPatch
) -> None:
    faults: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", faults.append)
    gone: list[str] = []
    screen = Screen(Console(file=Broken(ValueError("I/O operation on closed file"))), chosen, gone.append)
    screen.show(status(belief, "x"))
    screen.close()
    assert gone == ["the screen failed: I/O operation on closed file"]
    assert [fault.exc_type for fault in faults] == [ValueError]


def test_the_last_picture_can_be_kept(chosen: Chosen, belief: Belief, tmp_path: Path) -> None:
    screen = Screen(plain(), chosen, pytest.fail)
    screen.save_picture(tmp_path / "none.svg")
    assert not (tmp_path / "none.svg").exists()
    screen.show(status(belief, "drive L to s1", run=1))
    screen.close()
    screen.save_picture(tmp_path / "p.svg")
    svg = (tmp_path / "p.svg").read_text(encoding="utf-8")
    assert "@font-face" not in svg
    assert "drive&#160;L&#160;to&#160;s1" in svg
    with pytest.raises(UsageError, match="picture cannot be written"):
        screen.save_picture(tmp_path)


def test_a_train_on_its_way_is_drawn_where_it_is_believed_to_be(chosen: Chosen, belief: Belief) -> None:
    """The proving move brings the locomotive over the points to the right."""
    track, allow = chosen.track, Allowances()
    planner = Planner(track, load_wiring(find_wiring(chosen.folder), track), allow)
    step = planner.proving(belief, "L")
    drive = tracker.ordered(tracker.begin(step, track.locomotives["L"], {}, {}, 0.0, allow), 2, 0.0)
    before, later = (
        diagram(plain(), chosen, replace(status(belief, "prove L", t_s=t_s), drive=drive)).plain for t_s in (0.0, 8.0)
    )
    assert before.startswith("  head 1/3")
    assert later.startswith("  head 0/3")
    assert column(before, "L") < column(before, "T1") < column(later, "L")


def column(picture: str, text: str) -> int:
    """Where a text stands in the first line that has it."""
    return next(line.index(text) for line in picture.splitlines() if text in line)


def test_how_turnouts_lie() -> None:
    assert _lie(None, False) == Lie(None, Surety.UNKNOWN)
    assert _lie(Leg.CLOSED, False) == Lie(Leg.CLOSED, Surety.ASSUMED)
    assert _lie(Leg.CLOSED, True) == Lie(Leg.CLOSED, Surety.MOVING)


def test_vehicles_stand_in_the_order_of_their_places() -> None:
    spots = {name: Spot(Place(where, None, at), 1.0) for name, where, at in (("b", "s1", 9.0), ("a", "s1", 3.0))}
    assert in_order(spots) == {"s1": ["a", "b"]}
