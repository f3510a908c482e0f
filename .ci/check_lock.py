"""Are the locks in step with pyproject.toml and each other, whole, and free of addresses?

Usage: check_lock.py [FOLDER]. Prints one line for each fault; ends with 1 if there is any.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+?)(?:\s*;.*?)?\s*\\?$")
ADDRESS = re.compile(r"://|^\s*(--(index-url|extra-index-url|find-links|trusted-host)|-[if]\s)|@\s*file:", re.MULTILINE)


LOCKS = {"requirements.lock": "dev", "requirements-witness.lock": "witness"}
"""Each lock with the extra that it is for."""


def main(folder: Path) -> int:
    """Print the faults; 0 when there are none."""
    faults = [f"{lock}: {fault}" for lock, extra in LOCKS.items() for fault in find_faults(folder, lock, extra)]
    faults += find_differences(folder)
    for fault in faults:
        print(fault)
    if faults:
        print("  -> run `make lock`, and commit the locks with pyproject.toml")
    return 1 if faults else 0


def find_faults(folder: Path, lock: str, extra: str) -> Iterator[str]:
    """One sentence for each fault of one lock."""
    text = (folder / lock).read_text(encoding="utf-8")
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for found in ADDRESS.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield f"line {line} holds an address ({found.group().strip()})"
    pins: dict[str, list[str]] = {}
    for block in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]:
        pin = PIN.match(block.splitlines()[0])
        if pin is None:
            yield f"{block.splitlines()[0]!r} is no exact version"
            continue
        pins.setdefault(canonicalize_name(pin["name"]), []).append(pin["version"])
        if "--hash=sha256:" not in block:
            yield f"{pin['name']} has no hash"
    extras = project["optional-dependencies"]
    for wanted in map(Requirement, [*project["dependencies"], *extras[extra]]):
        versions = pins.get(canonicalize_name(wanted.name))
        if not versions:
            yield f"{wanted.name} is in pyproject.toml and not here"
        elif not all(wanted.specifier.contains(version, prereleases=True) for version in versions):
            yield f"{wanted.name} {', '.join(versions)} is not what pyproject.toml asks for: {wanted}"


def find_differences(folder: Path) -> Iterator[str]:
    """One sentence for each package that the locks pin differently: they are installed in one environment."""
    first, second = (_pins((folder / lock).read_text(encoding="utf-8")) for lock in LOCKS)
    for name in sorted(first.keys() & second.keys()):
        if first[name] != second[name]:
            yield f"{name} is {', '.join(first[name])} in one lock and {', '.join(second[name])} in the other"


def _pins(text: str) -> dict[str, list[str]]:
    pins: dict[str, list[str]] = {}
    for pin in filter(None, map(PIN.match, text.splitlines())):
        pins.setdefault(canonicalize_name(pin["name"]), []).append(pin["version"])
    return pins


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
