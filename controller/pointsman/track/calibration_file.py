"""A locomotive's own file: what was measured of its speeds. The newest is in use, older ones are kept.

It stands beside the layout (``locomotives/NAME.toml``) when that is a person's own, else in the user's data folder;
what was measured on a simulated layout has a file of its own (``NAME.sim-....toml``) and is used only there, and so has
what was measured on a node's direct current (``NAME.dc.toml``, ``NAME.dc.sim-....toml``): a decoder makes other speeds.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import Field

from pointsman.errors import LayoutError, Mistake
from pointsman.track.checks import SLOWEST_STEP_MM_S
from pointsman.track.model import HIGHEST_STEP, ByDirection, Locomotive, SpeedTable, Track
from pointsman.track.tomlfile import Notes, Shape, is_file, read_draft

FOLDER = "locomotives"
AWAY = "mend it, or move the file away: then the layout's own speed_table holds"

_Number = Annotated[float, Field(ge=0, le=1_000)]
_Row = Annotated[list[_Number], Field(min_length=4, max_length=4)]
_Error = Annotated[float, Field(ge=0.01, le=0.5)]


class MeasurementShape(Shape):
    """``[measurements.DATE]``."""

    on: str = Field(min_length=1, max_length=200, description="what it was measured on")
    between: list[str] = Field(min_length=2, max_length=2, description="the two beams")
    distance_mm: float = Field(ge=1, le=100_000, description="how far apart they are")
    speed_error: _Error = Field(description="how far the mean of both directions may be off")
    direction_error: _Error = Field(description="how far either direction may be off")
    speeds: list[_Row] = Field(
        min_length=2, max_length=HIGHEST_STEP, description="rows of [step, forward mm/s, reverse mm/s, spread]"
    )


class CalibrationShape(Shape):
    """The whole file."""

    layout: str = Field(description="the layout's name")
    locomotive: str = Field(description="the locomotive's name")
    measurements: dict[str, MeasurementShape] = Field(min_length=1, description="by date; the newest is in use")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One calibration; ``date`` is in ISO 8601, so that dates sort.

    ``speeds`` are (step, forward mm/s, reverse mm/s, spread), all but the spread rising.
    """

    date: str
    on: str
    between: tuple[str, str]
    distance_mm: float
    speed_error: float
    direction_error: float
    speeds: tuple[tuple[int, float, float, float], ...]

    def applied(self, engine: Locomotive) -> Locomotive:
        """The locomotive with these speeds instead of those of the layout's file."""
        return replace(
            engine,
            speeds=SpeedTable(tuple((step, (forward + reverse) / 2) for step, forward, reverse, _ in self.speeds)),
            speed_error=self.speed_error,
            by_direction=ByDirection(
                forward=SpeedTable(tuple((step, forward) for step, forward, _, _ in self.speeds)),
                reverse=SpeedTable(tuple((step, reverse) for step, _, reverse, _ in self.speeds)),
                error=self.direction_error,
            ),
        )


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A calibration in use: whose, from which file, and what it says."""

    locomotive: str
    path: Path
    measurement: Measurement


def calibration_file(folder: Path, locomotive: str, *, on_dc: bool = False, simulated: str = "") -> Path:
    """The file of a locomotive in a folder of such files; ``simulated`` names the simulated layout, if it is one.

    ``on_dc``: it runs on direct current there.
    """
    return folder / ".".join(filter(None, (locomotive, "dc" if on_dc else "", simulated, "toml")))


def load_calibration(path: Path, layout: str, locomotive: str) -> list[Measurement]:
    """Every measurement in a locomotive's file, oldest first; none when there is no file.

    Raises LayoutError with all mistakes of a damaged one.
    """
    if not is_file(path):
        return []
    notes = Notes(str(path))
    draft = read_draft(path, CalibrationShape, notes)
    if draft.shape is not None and not notes.mistakes:
        _check(draft.shape, layout, locomotive, notes)
    if notes.mistakes:
        raise LayoutError([Mistake(m.file, m.key, m.what, _cure(m.cure)) for m in notes.mistakes])
    assert draft.shape is not None, "a file that could not be read has mistakes"
    return [
        Measurement(
            date=date,
            on=one.on,
            between=(one.between[0], one.between[1]),
            distance_mm=one.distance_mm,
            speed_error=one.speed_error,
            direction_error=one.direction_error,
            speeds=tuple((int(step), forward, reverse, spread) for step, forward, reverse, spread in one.speeds),
        )
        for date, one in sorted(draft.shape.measurements.items())
    ]


def with_calibrations(
    track: Track, folder: Path, *, on_dc: Collection[str] = (), simulated: str = ""
) -> tuple[Track, list[Calibrated]]:
    """The layout with what was measured last of each locomotive, and which files say so.

    Those named in ``on_dc`` run on direct current.
    Raises LayoutError with the mistakes of all damaged files.
    """
    engines: dict[str, Locomotive] = dict(track.locomotives)
    used: list[Calibrated] = []
    mistakes: list[Mistake] = []
    for name, engine in track.locomotives.items():
        path = calibration_file(folder, name, on_dc=name in on_dc, simulated=simulated)
        try:
            found = load_calibration(path, track.name, name)
        except LayoutError as error:
            mistakes += error.mistakes
            continue
        if found:
            engines[name] = found[-1].applied(engine)
            used.append(Calibrated(name, path, found[-1]))
    if mistakes:
        raise LayoutError(mistakes)
    return replace(track, locomotives=engines), used


def store_calibration(path: Path, layout: str, locomotive: str, measurements: Sequence[Measurement]) -> None:
    """Write a locomotive's file, whole or not at all. Raises LayoutError when it cannot be written."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.stem}-", delete=False
        ) as stream:
            temporary = Path(stream.name)
            stream.write(_text(layout, locomotive, measurements))
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    except OSError as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()
        what = f"cannot be written: {error.strerror or error}"
        raise LayoutError(
            [Mistake(str(path), "", what, "make room, or the folder writable, and store again")]
        ) from None


def why_not_writable(path: Path) -> str:
    """Why a locomotive's file could not be written, as far as that can be seen; empty when it could."""
    folder = path.parent
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    if not folder.is_dir():
        return f"{folder} is no folder"
    return "" if os.access(folder, os.W_OK | os.X_OK) else f"you may not write in {folder}"


def _check(shape: CalibrationShape, layout: str, locomotive: str, notes: Notes) -> None:
    for key, there, expected in (("layout", shape.layout, layout), ("locomotive", shape.locomotive, locomotive)):
        if there != expected:
            notes.add(key, f'it is of "{there}", and is looked for as "{expected}"', "give the file its own name again")
    for date, one in shape.measurements.items():
        key = f"measurements.{date}.speeds"
        steps = [row[0] for row in one.speeds]
        if any(step != int(step) or not 1 <= step <= HIGHEST_STEP for step in steps):
            notes.add(key, f"a speed step is a whole number from 1 to {HIGHEST_STEP}", "")
        for column, what in enumerate(("steps", "forward speeds", "reverse speeds")):
            if any(low[column] >= high[column] for low, high in pairwise(one.speeds)):
                notes.add(key, f"the {what} do not rise from row to row", "")
        slowest = (one.speeds[0][1] + one.speeds[0][2]) / 2
        if min(one.speeds[0][1:3]) <= 0 or slowest > SLOWEST_STEP_MM_S:
            notes.add(key, f"the lowest step must give more than 0 and at most {SLOWEST_STEP_MM_S:g} mm/s", "")


def _cure(cure: str) -> str:
    return f"{cure}; or {AWAY}" if cure else AWAY


def _text(layout: str, locomotive: str, measurements: Sequence[Measurement]) -> str:
    lines = [
        "# Written by pointsman calibrate. The newest of the measurements is in use.",
        "# speeds: rows of [step, forward mm/s, reverse mm/s, spread of the passes].",
        f"layout = {_quoted(layout)}",
        f"locomotive = {_quoted(locomotive)}",
    ]
    for one in measurements:
        lines += [
            "",
            f"[measurements.{_quoted(one.date)}]",
            f"on = {_quoted(one.on)}",
            f"between = [{', '.join(map(_quoted, one.between))}]",
            f"distance_mm = {float(one.distance_mm)}",
            f"speed_error = {float(one.speed_error)}",
            f"direction_error = {float(one.direction_error)}",
            "speeds = [",
            *(
                f"    [{step}, {forward:.1f}, {reverse:.1f}, {spread:.4f}],"
                for step, forward, reverse, spread in one.speeds
            ),
            "]",
        ]
    return "\n".join(lines) + "\n"


_ESCAPES: Mapping[str, str] = {'"': '\\"', "\\": "\\\\"}


def _quoted(text: str) -> str:
    """A TOML basic string; what is no printable sign, or half of a pair, is written by its number or left out."""
    found = []
    for sign in text:
        if sign in _ESCAPES:
            found.append(_ESCAPES[sign])
        elif sign.isprintable():
            found.append(sign)
        else:
            found.append("?" if 0xD800 <= ord(sign) <= 0xDFFF else f"\\U{ord(sign):08X}")
    return f'"{"".join(found)}"'
