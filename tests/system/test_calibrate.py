"""A calibration through real terminals and ports: on the simulated layout behind a pseudo-terminal, and stopped."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest
from programs import Program, RailSim, quick_layout, running, tool

from pointsman.record import read

pytestmark = pytest.mark.system


def test_a_whole_calibration_behind_a_pseudo_terminal(tmp_path: Path) -> None:
    ended = subprocess.run(
        [
            tool("pointsman"),
            "calibrate",
            str(quick_layout(tmp_path)),
            "--yes",
            "--speed",
            "60",
            "--seed",
            "3",
            "--json",
        ],
        capture_output=True,
        timeout=120,
        check=False,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    assert len(told["speeds"]) >= 4
    assert (told["rejected"], told["incidents"]) == ([], [])
    assert Path(told["stored"]).parent == tmp_path / "quick" / "locomotives"
    assert read(Path(told["journals"][0])).bad == ""


def test_ctrl_c_during_a_pass_stops_the_locomotive(tmp_path: Path) -> None:
    layout = quick_layout(tmp_path)

    def measuring() -> Program:
        words = ("calibrate", str(layout), "--on", f"serial:{sim.port}", "--facing", "to")
        return Program(tool("pointsman"), *words, "--journal", str(tmp_path / "j"))

    with running(lambda: RailSim(tmp_path, "--position", "head: L", "--seed", "5", layout=layout)) as sim:
        with running(measuring) as program:
            program.expect("everybody clear")
            program.answer("y")
            program.expect("measure L at step 2, forward")
            program.signal(signal.SIGINT)
            assert program.ends() == 130
            assert "Nothing was stored." in program.text
            assert "The track power is off now." in program.text
        truth = sim.finish()
    assert truth["moving"] == []
    assert truth["incidents"] == []
    lines = read(tmp_path / "j").lines
    assert lines[0].values["calibrates"] == "L"
    assert lines[-1].kind == "end"
    assert not (layout / "locomotives").exists()
