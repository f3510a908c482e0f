"""The tree of errors: codes, words, and that an error survives the way from one process to another."""

from __future__ import annotations

import pickle
import re

import pytest

from pointsman import errors
from pointsman.errors import LayoutError, Mistake, PointsmanError, RefusedError, StoppedError, did_you_mean

MISTAKE = Mistake("layout.toml", "segments.s1", "is missing", "add it")


def every_class(root: type[PointsmanError] = PointsmanError) -> list[type[PointsmanError]]:
    return [root, *(found for child in root.__subclasses__() for found in every_class(child))]


def made(kind: type[PointsmanError]) -> PointsmanError:
    if issubclass(kind, LayoutError):
        return kind([MISTAKE])
    if issubclass(kind, RefusedError):
        return kind(["T1 is locked", "the beam is broken"], where="T1 to closed", cure="look")
    if issubclass(kind, StoppedError):
        return kind("stopped by Ctrl-C", 130)
    return kind("what", where="where", cure="cure")


def test_the_docstring_draws_the_tree_as_it_is() -> None:
    code = 0
    drawn: dict[str, int] = {}
    for name, number in re.findall(r"[├└]── (\w+) +(\d+)?", errors.__doc__ or ""):
        code = int(number) if number else code  # without a number it is its parent's
        drawn[name] = code
    real = {kind.__name__: kind.exit_code for kind in every_class() if kind.__module__ == "pointsman.errors"}
    assert real.pop("PointsmanError") == 1
    assert drawn == real


@pytest.mark.parametrize("kind", every_class())
def test_an_error_comes_whole_out_of_another_process(kind: type[PointsmanError]) -> None:
    error = made(kind)
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert vars(copy) == vars(error)
    assert str(copy) == str(error)
    assert copy.exit_code == error.exit_code


def test_what_a_person_reads() -> None:
    assert str(PointsmanError("it broke")) == "it broke"
    assert str(PointsmanError("it broke", where="T1")) == "T1: it broke"
    assert str(PointsmanError("it broke", where="T1", cure="mend it")) == "T1: it broke\n  -> mend it"
    assert str(RefusedError(["a", "b"], where="T1")) == "T1: a; b"
    assert RefusedError(["a", "b"]).reasons == ("a", "b")


def test_a_layout_error_has_every_mistake() -> None:
    whole_file = Mistake("puzzle.toml", "", "is not TOML", "mend it")
    error = LayoutError([MISTAKE, whole_file])
    assert error.mistakes == (MISTAKE, whole_file)
    assert str(error) == "layout.toml: segments.s1: is missing\n  -> add it\npuzzle.toml: is not TOML\n  -> mend it"


def test_a_name_that_is_nearly_right() -> None:
    assert did_you_mean("haed", ["head", "s1"]) == "did you mean head?"
    assert did_you_mean("x", []) == "there is none in this file"
    assert did_you_mean("x", map(str, range(30))).endswith(" ...")
