"""The firmware's logic, tested on this computer: built with sanitizers, and nearly every line of it must run."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("make", "g++", "gcov", "awk")
MISSING = [tool for tool in TOOLS if shutil.which(tool) is None]


@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (make deps)")
def test_the_logic_passes_its_own_tests_and_they_reach_its_lines() -> None:
    run = subprocess.run(["make", "-C", "firmware", "test"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    ran = re.search(r"(\d+) tests, 0 failed", run.stdout)
    assert ran is not None, run.stdout
    assert int(ran[1]) > 50
    covered = re.search(r"of src/core ran: ([\d.]+) %", run.stdout)
    assert covered is not None, run.stdout
    assert float(covered[1]) >= 95


def test_the_firmware_tells_the_version_of_its_controller() -> None:
    header = (ROOT / "firmware/pointsman_node/src/core/firmware_version.h").read_text(encoding="utf-8")
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert f'"{version}"' in header
