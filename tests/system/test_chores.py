"""The chores of the Makefile: each has one name and a line of help, and the lock is guarded."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

CHECKOUT = Path(__file__).resolve().parents[2]


def test_make_alone_lists_every_chore() -> None:
    done = subprocess.run(["make"], cwd=CHECKOUT, capture_output=True, encoding="utf-8", timeout=20, check=True)
    listed = re.findall(r"^ +make ([\w-]+) +\S", done.stdout, flags=re.MULTILINE)
    phony = re.search(r"^\.PHONY: (.*)$", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert phony is not None
    assert sorted(listed) == sorted(phony[1].split())


def test_the_firmware_says_what_its_compiler_lacks(tmp_path: Path) -> None:
    """With neither compiler nor core: no error of a compiler that is not there."""
    for tool in ("bash", "awk", "make"):
        (tmp_path / tool).symlink_to(str(shutil.which(tool)))
    done = subprocess.run(
        ["make", "-C", "firmware", "uno", f"BUILD={tmp_path / 'build'}", f"ARDUINO={tmp_path / 'core'}"],
        cwd=CHECKOUT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    assert "missing: avr-gcc avr-g++ avr-gcc-ar avr-objcopy avr-size" in done.stderr
    assert f"{tmp_path / 'core'}/cores/arduino/Arduino.h" in done.stderr
    assert "make deps" in done.stderr
    assert not (tmp_path / "build").exists()


def check_lock(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECKOUT / ".ci" / "check_lock.py"), str(folder)],
        capture_output=True,
        encoding="utf-8",
        timeout=20,
        check=False,
    )


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("", "", ""),
        ("\nrich==", "\nricher==", "rich is in pyproject.toml and not here"),
        ("\npyserial==3", "\npyserial==2", "is not what pyproject.toml asks for: pyserial>="),
        ("\npyserial==", "\n--index-url https://example.org/simple\npyserial==", "holds an address"),
        ("\npyserial==", "\npyserial>=", "is no exact version"),
        ("\nrich==", "\nrich==1", "in one lock and"),
        ("\npyserial==3.5 \\\n", "\npyserial==3.5\nx==1 \\\n", "pyserial has no hash"),
    ],
)
def test_a_lock_out_of_step_is_found(old: str, new: str, fault: str, tmp_path: Path) -> None:
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    shutil.copy(CHECKOUT / "requirements-witness.lock", tmp_path)
    lock = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    assert old in lock
    (tmp_path / "requirements.lock").write_text(lock.replace(old, new, 1), encoding="utf-8")
    done = check_lock(tmp_path)
    assert (done.returncode, fault in done.stdout) == (1 if fault else 0, True), done.stdout
    assert bool(done.stdout) is bool(fault)


LEAKS = {
    "a task": (
        "import asyncio\nasync def test_it():\n"
        "    asyncio.ensure_future(asyncio.sleep(60))\n    await asyncio.sleep(0)\n"
    ),
    "a task of asyncio.run": (
        "import asyncio\nasync def main():\n    asyncio.ensure_future(asyncio.sleep(60))\n    await asyncio.sleep(0)\n"
        "def test_it():\n    asyncio.run(main())\n"
    ),
    "a process": "import subprocess\ndef test_it():\n    subprocess.Popen(['sleep', '5'])\n",
    "a thread": (
        "import threading\nhold = threading.Event()\n"
        "def test_it():\n    threading.Thread(target=hold.wait, args=(30,), daemon=True).start()\n"
    ),
}


def run_pytest(folder: Path, text: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run one test file under the project's own conftest and configuration."""
    shutil.copy(CHECKOUT / "pyproject.toml", folder)
    shutil.copy(CHECKOUT / "tests" / "conftest.py", folder)
    (folder / "test_one.py").write_text(text, encoding="utf-8")
    support = f"pythonpath={CHECKOUT / 'tests' / 'support'}"
    words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", support, "test_one.py"]
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, encoding="utf-8", timeout=60, check=False)


@pytest.mark.parametrize("leak", LEAKS)
def test_what_a_test_leaves_running_fails_it(leak: str, tmp_path: Path) -> None:
    done = run_pytest(tmp_path, LEAKS[leak], {})
    assert done.returncode == 1
    assert "left running" in done.stdout


@pytest.mark.parametrize("where", ["def test_it():\n    pytest.skip('no such tool')", "pytest.importorskip('no_such')"])
def test_what_is_left_out_is_named_and_fails_where_all_must_run(where: str, tmp_path: Path) -> None:
    text = f"import pytest\ndef test_other():\n    pass\n{where}\n"
    named = run_pytest(tmp_path, text, {})
    assert "left out" in named.stdout
    assert "make deps" in named.stdout
    assert named.returncode in {0, 5}  # 5: the whole file was left out
    assert run_pytest(tmp_path, text, {"POINTSMAN_ALL": "1"}).returncode not in {0, 5}
