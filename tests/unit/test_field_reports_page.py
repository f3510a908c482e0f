"""The page about reported faults names tests: each of them must be there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "field-reports.md"


def rows() -> list[list[str]]:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[1:]]


def defined(file: Path) -> set[str]:
    """The tests of a file: functions, methods with their class, and functions that are made of others."""
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                found.add(name)
            case ast.ClassDef(name=name, body=body):
                found |= {f"{name}::{inner.name}" for inner in body if isinstance(inner, ast.FunctionDef)}
            case ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
    return found


def test_every_line_is_whole() -> None:
    assert len(rows()) >= 27
    for row in rows():
        assert len(row) == 4, row
        assert all(row), row
        assert re.search(r"\d", row[3]), f"no number says where it was seen: {row[0]}"
    kinds = [row[0] for row in rows()]
    assert len({*kinds}) == len(kinds)


@pytest.mark.parametrize(("kind", "named"), [(row[0], row[2]) for row in rows()])
def test_every_test_that_is_named_exists(kind: str, named: str) -> None:
    tests = re.findall(r"`([^`]+)`", named)
    assert tests, kind
    assert re.sub(r"`[^`]+`", "", named).strip() == "", "nothing but tests"
    for test in tests:
        file, _, name = test.partition("::")
        assert name.rpartition("::")[2].startswith("test_"), test
        assert (TESTS / file).is_file(), test
        assert name in defined(TESTS / file), test
