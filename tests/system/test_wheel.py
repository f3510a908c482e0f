"""What is installed from the wheel works without the checkout: its commands run and find the built-in layouts."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from pointsman.track.builtin import builtin_layouts

pytestmark = pytest.mark.system

CHECKOUT = Path(__file__).resolve().parents[2]


def run(*words: str | Path, cwd: Path) -> str:
    """What a command prints, both streams; it must succeed."""
    keep = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ}
    env = keep | {"HOME": str(cwd), "PIP_CONFIG_FILE": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{words}: {done.returncode}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the commands of a fresh environment that has nothing of the checkout but the wheel.

    The packages that pointsman needs come from the environment that runs the tests, so that no index is asked.
    """
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder, cwd=CHECKOUT)
    (wheel,) = folder.glob("pointsman-*.whl")
    home = folder / "env"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    scripts = home / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / Path(sys.executable).name
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", wheel, cwd=folder)
    target = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip()
    # A .pth inside a folder added by a .pth is not read: the checkout, installed there as editable, stays unseen.
    (Path(target) / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return scripts


def test_the_package_is_the_installed_one(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "python", "-c", "import pointsman, railsim; print(pointsman.__file__)", cwd=tmp_path)
    assert Path(said.strip()).is_relative_to(installed.parent)


def test_the_commands_run_and_find_every_built_in_layout(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "pointsman", "layouts", cwd=tmp_path)
    for name in builtin_layouts():
        assert name in said
    assert "railsim" in run(installed / "railsim", "--help", cwd=tmp_path).lower()


def test_layouts_wirings_and_puzzles_are_whole(installed: Path, tmp_path: Path) -> None:
    """The same layouts are read from the wheel as from the checkout."""
    program = (
        "from pointsman.track.builtin import builtin_layouts, find_layout, find_wiring, layout_puzzles\n"
        "from pointsman.track.layout import load_layout\n"
        "from pointsman.track.wiring_file import load_wiring\n"
        "for name in builtin_layouts():\n"
        "    folder = find_layout(name)\n"
        "    load_wiring(find_wiring(folder), load_layout(folder))\n"
        "    print(name, *layout_puzzles(folder))\n"
    )
    said = run(installed / "python", "-c", program, cwd=tmp_path).splitlines()
    assert [line.split()[0] for line in said] == builtin_layouts()
    assert all("classic" in line.split() for line in said)


def test_the_page_is_whole(installed: Path, tmp_path: Path) -> None:
    """It is served from the wheel with the same files as from the checkout."""
    program = (
        "from pointsman.web.routes import STATIC\n"
        "for path in sorted(STATIC.rglob('*')):\n"
        "    if path.is_file():\n"
        "        print(path.relative_to(STATIC), path.stat().st_size)\n"
    )
    said = run(installed / "python", "-c", program, cwd=tmp_path).splitlines()
    here = CHECKOUT / "controller" / "pointsman" / "web" / "static"
    wanted = [f"{path.relative_to(here)} {path.stat().st_size}" for path in sorted(here.rglob("*")) if path.is_file()]
    assert said == wanted
    assert any(line.startswith("index.html ") for line in said)
