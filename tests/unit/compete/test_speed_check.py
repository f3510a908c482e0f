"""A locomotive timed between two beams, from lines as a calibration writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pointsman.compete.speed_check import Timed, speed_from
from pointsman.errors import JournalError
from pointsman.record import encode

HEADER = {"calibrates": "L", "between": ["head", "s1"], "distance_mm": 282.4}


def written(folder: Path, *lines: tuple[float, str, dict[str, Any]], header: dict[str, Any] = HEADER) -> Path:
    path = folder / "c.journal"
    path.write_bytes(b"".join(encode(*line) for line in [(0.0, "begin", header), *lines]))
    return path


def edge(t_s: float, beam: str, *, active: bool = True) -> tuple[float, str, dict[str, Any]]:
    return t_s, "event", {"type": "SensorChanged", "sensor": beam, "active": active}


def drive(t_s: float, first: str, then: str, for_s: float) -> list[tuple[float, str, dict[str, Any]]]:
    """A drive past both beams; each is broken for a while, and perhaps twice."""
    told = [edge(t_s + 1, first), edge(t_s + 1.2, first, active=False), edge(t_s + 1.3, first)]
    told += [edge(t_s + 1 + for_s, then), edge(t_s + 1.1 + for_s, then, active=False)]
    return [(t_s, "step", {"run": 1, "what": "measure L"}), *told]


def test_the_fastest_passage_counts_whichever_way_it_goes(tmp_path: Path) -> None:
    passages = [*drive(0, "head", "s1", 13.0), *drive(20, "s1", "head", 3.4), *drive(30, "head", "s1", 5.0)]
    assert speed_from(written(tmp_path, *passages)) == Timed("L", 282, 3400)


def test_what_a_drive_has_begun_no_other_ends(tmp_path: Path) -> None:
    """It stood still, turned, or went by another way: that is no time over the distance."""
    cut = [*drive(0, "head", "s1", 9.0)[:4], *drive(10, "head", "s2", 0.5), *drive(20, "s1", "head", 8.0)]
    assert speed_from(written(tmp_path, *cut)).time_ms == 8000


@pytest.mark.parametrize(
    ("header", "what"),
    [
        (HEADER, "no passage"),
        ({"puzzle": "inglenook-small/classic"}, "not the journal of a calibration"),
        ({**HEADER, "distance_mm": "far"}, "not the journal of a calibration"),
        ({**HEADER, "between": ["head"]}, "not the journal of a calibration"),
    ],
)
def test_what_is_no_timing_is_refused(tmp_path: Path, header: dict[str, Any], what: str) -> None:
    with pytest.raises(JournalError, match=what):
        speed_from(written(tmp_path, *drive(0, "head", "s2", 2.0), header=header))
    (tmp_path / "empty").touch()
    with pytest.raises(JournalError):
        speed_from(tmp_path / "empty")
