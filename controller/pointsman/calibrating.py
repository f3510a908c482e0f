"""Measuring a locomotive on a target, and keeping what was measured.

A calibration is one or more sittings. One that had to be stopped because the locomotive stood still is over, as any
play would be; whether another begins is a person's word, and it begins with everything: the locomotive on its mark, the
turnouts, the proving move.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Protocol
from zlib import crc32

from platformdirs import user_data_dir

from pointsman.app import Setting, Stopper, cap_of, sit
from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.errors import HaltedError, StoppedError
from pointsman.links import On, Target
from pointsman.operate.belief import Belief
from pointsman.operate.calibration import Fit, Measured, fit, why_no_fit
from pointsman.operate.course import ALLOW, Course, Rejection, untested
from pointsman.operate.section import Section, choose_section
from pointsman.operate.tracker import Drive
from pointsman.puzzle.position import Position
from pointsman.track.builtin import builtin_layouts, find_layout
from pointsman.track.calibration_file import (
    FOLDER,
    Calibrated,
    Measurement,
    calibration_file,
    load_calibration,
    store_calibration,
    with_calibrations,
)
from pointsman.track.driven import as_driven
from pointsman.track.model import End, Track
from pointsman.track.wiring import Wiring


class HasIncidents(Protocol):
    """The simulated layout, as far as a calibration asks it."""

    @property
    def incidents(self) -> Sequence[object]:
        """Everything that went wrong, each with its text."""


@dataclass(frozen=True, slots=True)
class CalibrateRequest:
    """Everything a calibration needs to be told.

    ``built`` is the layout as its own file has it: what was measured before is not what is measured by, so that no
    mistake is handed on. ``track`` has what is in use now. ``speed`` is for the simulated layout only (None: as fast as
    it goes).
    """

    folder: Path
    track: Track
    built: Track
    wiring: Wiring
    target: Target
    locomotive: str
    section: Section
    facing: End
    journal: Path
    speed: float | None = None
    seed: str = ""

    @property
    def start(self) -> Position:
        """The locomotive alone, on its mark."""
        return alone(self.track, self.locomotive)


@dataclass(frozen=True, slots=True)
class CalibrateResult:
    """What came of a calibration: the sound measurements, what was rejected, and, if there is one, the fit to them.

    ``why_not`` and ``cure`` say why there is none. ``left_out`` has a sentence for each speed that was not tried.
    ``incidents`` are what the simulated layout tells afterwards.
    """

    measured: tuple[Measured, ...]
    rejected: tuple[Rejection, ...]
    fit: Fit | None
    why_not: str
    cure: str
    duration_s: float
    journals: tuple[Path, ...]
    incidents: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


def alone(track: Track, locomotive: str) -> Position:
    """A locomotive on its mark, and nothing else."""
    return Position.of(track, {track.locomotives[locomotive].mark.element: (locomotive,)})


def section_for(
    track: Track, wiring: Wiring, locomotive: str, target: Target, between: tuple[str, str] | None
) -> Section:
    """The section on which a locomotive is measured. Raises UsageError or RefusedError."""
    ceiling = min(cap_of(target, wiring) or track.speeds.limit, track.speeds.limit)
    engine = untested(as_driven(track, wiring).locomotives[locomotive])
    return choose_section(track, engine, ceiling, ALLOW, between)


def calibrate(
    request: CalibrateRequest,
    show: Callable[[Status], None],
    on_ready: Callable[[Stopper], None],
    again: Callable[[str], bool],
) -> CalibrateResult:
    """Measure, and return what came of it; blocks.

    ``again`` is asked, with the reason, when a measurement had to be stopped and the locomotive has to be put back on
    its mark: whether a person has done so, and wants to go on. Raises what ``sit`` raises.
    """
    course = Course(
        request.built,
        request.wiring,
        request.locomotive,
        request.section,
        cap_of(request.target, request.wiring) or float("inf"),
    )
    journals: list[Path] = []
    incidents: list[str] = []
    duration_s = 0.0
    while True:
        journals.append(_numbered(request.journal, len(journals) + 1))
        leg = _Leg(request, course, journals[-1])
        try:
            ended = sit(leg, show, on_ready)
        except StoppedError:
            raise
        except HaltedError as halt:
            why = course.stalled(leg.drive)
            if not why:
                raise halt if leg.drive is None or not leg.drive.doubt else _with_cure(halt, course) from halt
            if course.over or not again(why):
                break
        else:
            duration_s += ended.duration_s
            incidents += ended.incidents
            break
    why_not, cure = why_no_fit(course.measured)
    return CalibrateResult(
        measured=tuple(course.measured),
        rejected=tuple(course.rejected),
        fit=None if why_not else fit(course.measured),
        why_not=why_not,
        cure=cure,
        duration_s=duration_s,
        journals=tuple(journals),
        incidents=tuple(incidents),
        left_out=tuple(course.left_out),
    )


# ---------------------------------------------------------------- keeping it


def calibrated(
    track: Track, folder: Path, wiring: Wiring, target: Target, *, seed: str
) -> tuple[Track, list[Calibrated]]:
    """A layout with what was measured of its locomotives, driven so, and where that is written. Raises LayoutError."""
    on_dc = {name for name, wired in wiring.locomotives.items() if wired.dc}
    return with_calibrations(track, calibrations_of(folder), on_dc=on_dc, simulated=_simulated(target, seed))


def calibrations_of(folder: Path) -> Path:
    """The folder with the locomotives' files of a layout: beside a person's own layout, else in the user's data."""
    for name in builtin_layouts():
        if find_layout(name).resolve() == folder.resolve():
            return Path(user_data_dir("pointsman")) / FOLDER / name
    return folder / FOLDER


def file_of(folder: Path, locomotive: str, wiring: Wiring, target: Target, *, seed: str) -> Path:
    """A locomotive's file for a target, and for how a wiring drives it."""
    on_dc = wiring.locomotives[locomotive].dc
    return calibration_file(calibrations_of(folder), locomotive, on_dc=on_dc, simulated=_simulated(target, seed))


def _simulated(target: Target, seed: str) -> str:
    """Which simulated layout a target is: every seed is another one, with other locomotives."""
    return f"sim-{crc32(seed.encode(errors='surrogateescape')):08x}" if target.on is On.SIM else ""


def store(request: CalibrateRequest, result: CalibrateResult) -> Path:
    """Add what was measured to the locomotive's file, and return its path; what it had before is kept.

    Raises LayoutError when the file is damaged, or cannot be written.
    """
    assert result.fit is not None, "only a fit can be stored"
    section = request.section
    path = file_of(request.folder, request.locomotive, request.wiring, request.target, seed=request.seed)
    now = Measurement(
        date=datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        on=f"{request.target} {request.seed}" if request.target.on is On.SIM else str(request.target),
        between=(section.near, section.far),
        distance_mm=round(section.distance_mm, 1),
        speed_error=result.fit.speed_error,
        direction_error=result.fit.by_direction.error,
        speeds=tuple((m.step, m.forward_mm_s, m.reverse_mm_s, m.spread) for m in result.measured),
    )
    before = load_calibration(path, request.track.name, request.locomotive)
    store_calibration(path, request.track.name, request.locomotive, [*before, now])
    return path


# ---------------------------------------------------------------- one sitting


@dataclass(frozen=True, slots=True)
class _Ended:
    duration_s: float
    incidents: tuple[str, ...]


class _Leg:
    """One sitting of a calibration as an errand; ``drive`` is what was under way when it was stopped."""

    def __init__(self, request: CalibrateRequest, course: Course, journal: Path) -> None:
        self._request = request
        self._course = course
        self._journal = journal
        self._dispatcher: Dispatcher | None = None

    @property
    def drive(self) -> Drive | None:
        return None if self._dispatcher is None else self._dispatcher.drive

    @property
    def setting(self) -> Setting:
        request = self._request
        return Setting(
            track=self._course.track,
            built=request.built,
            start=request.start,
            wiring=request.wiring,
            target=request.target,
            facing=request.facing,
            journal=self._journal,
            speed=request.speed,
            seed=request.seed,
            allow=self._course.allow,
        )

    def header(self) -> dict[str, object]:
        request, section = self._request, self._request.section
        return {
            "program": f"pointsman {version('pointsman')}",
            "layout": request.track.name,
            "calibrates": request.locomotive,
            "between": [section.near, section.far],
            "distance_mm": round(section.distance_mm, 1),
            "start": str(request.start),
            "on": str(request.target),
            "facing": str(request.facing),
        }

    async def work(self, dispatcher: Dispatcher) -> Belief:
        self._dispatcher = dispatcher
        return await dispatcher.follow(self._course)

    def result(
        self,
        dispatcher: Dispatcher,  # noqa: ARG002 - every errand is given all of these
        final: Belief,  # noqa: ARG002
        duration_s: float,
        simulation: HasIncidents | None,
    ) -> _Ended:
        told = () if simulation is None else tuple(str(incident) for incident in simulation.incidents)
        return _Ended(duration_s, told)

    def ending(self, result: _Ended) -> dict[str, object]:  # noqa: ARG002
        return {"measured": [[m.step, m.forward_mm_s, m.reverse_mm_s, m.spread] for m in self._course.measured]}


def _numbered(journal: Path, number: int) -> Path:
    """The journal of a sitting: the second one of ``a.journal`` is ``a-2.journal``."""
    return journal if number == 1 else journal.with_name(f"{journal.stem}-{number}{journal.suffix}")


def _with_cure(halt: HaltedError, course: Course) -> HaltedError:
    """A doubt of a calibration, with what else may be behind it: the table that is to be replaced."""
    cure = (
        f"{halt.cure}; if {course.locomotive} went the right way, and nothing else moved, its speed_table is too far "
        "off: time the lowest step over a metre of track, and correct it"
    )
    return HaltedError(halt.what, where=halt.where, confirmed=halt.confirmed, believed=halt.believed, cure=cure)
