"""Whole programs in real time: a play ends before its end, a person puts right what stands where, and it goes on.

Where a person would put things by hand, the simulated layout is ended and started anew as they then stand.
"""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from programs import Program, RailSim, quick_layout, running, tool

from pointsman.puzzle.choice import choose
from pointsman.record import read

pytestmark = pytest.mark.system


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    return quick_layout(tmp_path)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"POINTSMAN_CACHE_DIR": str(tmp_path / "cache"), "XDG_DATA_HOME": str(tmp_path / "data")}


def one_run_before_the_goal(layout: Path) -> tuple[str, str]:
    """Where everything stands just before the last run of seed 3, and what then stands in siding 1."""
    chosen = choose(str(layout), seed="3")
    train = str(chosen.goal).removeprefix("s1: ").split()
    rest = [wagon for wagon in chosen.puzzle.wagons if wagon not in train]
    return f"head: L {train[0]} {train[1]} | s1: {train[2]} | s2: {' '.join(rest)}", f"s1: {' '.join(train)}"


def test_from_kill_9_to_the_goal(tmp_path: Path, layout: Path, environment: dict[str, str]) -> None:
    journal = tmp_path / "play.journal"
    stands, goal = one_run_before_the_goal(layout)
    with running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout)) as sim:
        words = ("play", str(layout), "--seed", "3", "--on", f"serial:{sim.port}", "--facing", "to")
        with running(lambda: Program(tool("pointsman"), *words, "--journal", str(journal), env=environment)) as play:
            play.expect("everybody clear")
            play.answer("y")
            play.expect(r"run 1 of \d+: drive")
            play.signal(signal.SIGKILL)
            play.process.wait()
        sim.finish()
    assert read(journal).bad == ""
    assert read(journal).lines[-1].kind != "end"
    with (
        running(lambda: RailSim(tmp_path, "--seed", "6", "--position", stands, layout=layout)) as sim,
        running(lambda: Program(tool("pointsman"), "resume", str(journal), env=environment)) as resumed,
    ):
        resumed.expect("the journal stops in the middle")
        resumed.expect("under way: drive")
        resumed.expect("Is that right|What stands elsewhere")
        resumed.answer(stands)
        resumed.asked(f"stands  {re.escape(stands)}[^?]*Is that right\\? ")
        resumed.answer("y")
        resumed.expect(r"Does the front of L point to .*\?")
        resumed.answer("points")
        resumed.asked("everybody clear")
        resumed.answer("y")
        assert resumed.ends(90) == 0, resumed.text
        assert "prove L" in resumed.text
        assert "Done. 1 run " in resumed.text
        assert "Traceback" not in resumed.text
        truth = sim.finish()
    assert goal in truth["line"]
    assert truth["incidents"] == []
    lines = read(tmp_path / "play-2.journal").lines
    assert [line.kind for line in lines[:2]] == ["begin", "put right"]
    assert lines[1].text("position").startswith(stands)
    assert lines[0].text("goes_on_from") == str(journal)


def test_a_halt_is_put_right_and_gone_on_with_at_once(
    tmp_path: Path, layout: Path, environment: dict[str, str]
) -> None:
    """The locomotive was put on the track the wrong way round; the link goes and comes back with everything else."""
    journal = tmp_path / "play.journal"
    stands, goal = one_run_before_the_goal(layout)
    port = f"serial:{tmp_path / 'station'}"
    words = ("play", str(layout), "--seed", "3", "--on", port, "--facing", "to", "--journal", str(journal))
    with running(lambda: RailSim(tmp_path, "--facing", "L=from", layout=layout)) as sim:
        play = Program(tool("pointsman"), *words, env=environment)
        with running(lambda: play):
            play.expect("everybody clear")
            play.answer("y")
            play.expect("turned round")
            play.expect(r"Put right what stands where, and go on\? \[y/N\]")
            play.answer("perhaps")
            play.asked(r"Please answer y or n\.\s+Put right.* \[y/N\]")
            sim.finish()
            with running(lambda: RailSim(tmp_path, "--facing", "L=from", "--position", stands, layout=layout)) as again:
                play.answer("y")
                play.expect("Is that right")
                play.answer(stands)
                play.asked(f"stands  {re.escape(stands)}[^?]*Is that right\\? ")
                play.answer("y")
                play.expect(r"Does the front of L point to .*\?")
                play.answer("buffers")
                play.asked("everybody clear")
                play.answer("y")
                assert play.ends(90) == 0, play.text
                assert "Done. 1 run " in play.text
                truth = again.finish()
    assert goal in truth["line"]
    assert truth["incidents"] == []
    assert read(journal).bad == ""
    assert read(tmp_path / "play-2.journal").lines[1].kind == "put right"


def test_no_is_an_answer(tmp_path: Path, layout: Path, environment: dict[str, str]) -> None:
    words = ("play", str(layout), "--seed", "3", "--facing", "to", "--journal", str(tmp_path / "j"))
    with (
        running(lambda: RailSim(tmp_path, "--facing", "L=from", layout=layout)) as sim,
        running(lambda: Program(tool("pointsman"), *words, "--on", f"serial:{sim.port}", env=environment)) as play,
    ):
        play.expect("everybody clear")
        play.answer("y")
        play.expect(r"go on\? \[y/N\]")
        play.answer("")
        assert play.ends() == 6
        order = [
            "last confirmed: ",
            "-> ",
            "Journal: ",
            "Put right what stands where, and go on?",
            f"pointsman resume {tmp_path / 'j'}",
            "Or else set locomotive and wagons up as at the start, and begin again",
            "pointsman play ",
        ]
        assert sorted(order, key=play.text.index) == order
        assert sim.finish()["incidents"] == []


def test_the_link_is_not_back_yet(tmp_path: Path, layout: Path, environment: dict[str, str]) -> None:
    """Going on is tried in vain, told, and offered again; a no ends it with the code of the link."""
    stands, _ = one_run_before_the_goal(layout)
    words = ("play", str(layout), "--seed", "3", "--facing", "to", "--journal", str(tmp_path / "j.journal"))
    with running(lambda: RailSim(tmp_path, layout=layout)) as sim:
        play = Program(tool("pointsman"), *words, "--on", f"tcp:127.0.0.1:{sim.tcp_port}", env=environment)
        with running(lambda: play):
            play.expect("everybody clear")
            play.answer("y")
            play.expect(r"run 1 of \d+: drive")
            sim.signal(signal.SIGKILL)
            play.expect(r"SWITCH THE TRACK POWER OFF BY HAND NOW")
            play.expect(r"go on\? \[y/N\]")
            play.answer("y")
            play.expect("Is that right|What stands elsewhere")
            play.answer(stands)
            play.asked(f"stands  {re.escape(stands)}[^?]*Is that right\\? ")
            play.answer("y")
            play.expect(r"Does the front of L point to .*\?")
            play.answer("points")
            play.asked("everybody clear")
            play.answer("y")
            play.asked(r"go on\? \[y/N\]")
            play.answer("n")
            assert play.ends() == 5
            assert "Traceback" not in play.text


def test_ctrl_c_is_heard_while_a_hand_is_waited_for(tmp_path: Path, environment: dict[str, str]) -> None:
    home = quick_layout(tmp_path)
    wiring = home / "hardware" / "dccex.toml"
    wiring.write_text(
        re.sub(r'id = \d\nkind = "accessory-decoder"\nmove_time_s = 0.3', 'kind = "hand"', wiring.read_text())
    )
    journal = tmp_path / "j"
    words = ("play", str(home), "--seed", "3", "--speed", "50", "--journal", str(journal))
    with running(lambda: Program(tool("pointsman"), *words, env=environment)) as play:
        play.expect("set up like this")
        play.answer("y")
        play.expect(r"Set T1 by hand to \w+: towards .*\. Done\? \[y/n\]")
        play.signal(signal.SIGINT)
        assert play.ends() == 130
        assert "Traceback" not in play.text
    assert [line.kind for line in read(journal).lines if line.kind in ("halt", "end")] == ["halt", "end"]
