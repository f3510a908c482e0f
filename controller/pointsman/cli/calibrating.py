"""``calibrate``: how fast a locomotive really is, step by step and both ways, measured between two beams."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from pointsman.app import Stopper, journal_path, stops_itself
from pointsman.beforehand import check_there, wired
from pointsman.calibrating import (
    CalibrateRequest,
    CalibrateResult,
    alone,
    calibrated,
    file_of,
    section_for,
    store,
)
from pointsman.calibrating import (
    calibrate as calibrate_on,
)
from pointsman.cli.aftermath import ask_for_hands, tell_power, tell_rivals
from pointsman.cli.driving import DEFAULT_SPEED, Targets, check_files, check_options
from pointsman.cli.output import AsJson, compact_table, console, fail_with, print_json, say, whole_line
from pointsman.cli.putting_right import tell_calibrated
from pointsman.cli.puzzles import picture
from pointsman.cli.screen import Screen
from pointsman.cli.setting_up import agrees, ask_facing, confirm, warn_of_no_relay
from pointsman.dispatch.control import Status
from pointsman.errors import HaltedError, JournalError, PointsmanError, StoppedError, UsageError, did_you_mean
from pointsman.links import On, parse_target
from pointsman.operate.calibration import MOST_SPREAD, PASSES
from pointsman.operate.course import STEPS
from pointsman.operate.set_up import mark_line
from pointsman.track.builtin import find_layout
from pointsman.track.calibration_file import why_not_writable
from pointsman.track.driven import as_driven
from pointsman.track.layout import load_layout
from pointsman.track.model import End, Track


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(calibrate)


def calibrate(
    layout: Annotated[str, typer.Argument(metavar="LAYOUT", help="A built-in name, a folder, or a layout.toml.")],
    locomotive: Annotated[str | None, typer.Option(help="Which one; needed only if there are several.")] = None,
    on: Targets = None,
    between: Annotated[
        str | None, typer.Option(metavar="BEAM,BEAM", help="Two beams in a line; the best ones if not given.")
    ] = None,
    speed: Annotated[
        float | None, typer.Option(help="Simulated layout only: times real time (1 if not given; 0 = at once).")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Simulated layout only: which one; play with the same --seed has the same.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Simulated layout only: do not ask.")] = False,
    facing: Annotated[
        End | None,
        typer.Option(
            help="Where the locomotive's front points, as for play; on direct current, where it runs forward. Asked if "
            "not given."
        ),
    ] = None,
    hardware: Annotated[str | None, typer.Option(help="Wiring: a name in hardware/, or a path.")] = None,
    journal: Annotated[Path | None, typer.Option(help="Where to write the journal.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a locomotive's speed per step between two beams, both ways, and store it.

    Every pass is watched as a play is. A measurement that is no good is rejected with its reason.
    """
    target = parse_target(",".join(on or ["sim"]))
    if seed is not None and target.on is not On.SIM:
        raise UsageError(
            "--seed is for the simulated layout only", cure="leave it out: a real locomotive is what it is"
        )
    check_options(target, speed, yes)
    check_files(journal, None)
    folder = find_layout(layout)
    built = load_layout(folder)
    wiring, target = wired(folder, built, hardware, target)
    name = _locomotive(built, locomotive)
    seed = seed or "0"
    path = file_of(folder, name, wiring, target, seed=seed)
    wrong = why_not_writable(path)
    if wrong:
        raise UsageError(f"nothing could be stored: {wrong}", where=str(path), cure="make it writable, then measure")
    track, used = calibrated(built, folder, wiring, target, seed=seed)
    section = section_for(built, wiring, name, target, _between(between))
    check_there(target)
    out = console(stderr=as_json)
    for one in used:
        if one.locomotive == name:
            tell_calibrated(out, one)
    request = CalibrateRequest(
        folder=folder,
        track=track,
        built=built,
        wiring=wiring,
        target=target,
        locomotive=name,
        section=section,
        facing=facing or End.TO,
        journal=journal or journal_path(f"{track.name}-{name}"),
        speed=None if speed == 0 else (speed or DEFAULT_SPEED),
        seed=seed,
    )
    request = _set_up(out, request, facing, yes, asked=between is not None)
    result = _carry_out(out, request, yes)
    _conclude(out, request, result, path, yes, as_json)


def _locomotive(track: Track, wanted: str | None) -> str:
    if wanted is None:
        if len(track.locomotives) > 1:
            names = ", ".join(track.locomotives)
            raise UsageError(f"{track.name} has several locomotives", cure=f"say which with --locomotive: {names}")
        return next(iter(track.locomotives))
    if wanted not in track.locomotives:
        cure = did_you_mean(wanted, track.locomotives)
        raise UsageError(f"there is no locomotive {wanted!r}", where="--locomotive", cure=cure)
    return wanted


def _between(text: str | None) -> tuple[str, str] | None:
    if text is None:
        return None
    first, comma, second = (part.strip() for part in text.partition(","))
    if not (first and comma and second) or "," in second or first == second:
        raise UsageError(f"{text!r} is not two beams", where="--between", cure="write their names, like head,s1")
    return first, second


def _set_up(out: Console, request: CalibrateRequest, facing: End | None, yes: bool, *, asked: bool) -> CalibrateRequest:
    """What will be done, how everything has to stand, and a person's yes. Raises StoppedError for a no."""
    section, name, real = request.section, request.locomotive, request.target.on is not On.SIM
    out.print(f"Calibration of {name} on {request.track.title}", style="bold", soft_wrap=True)
    legs = " ".join(f"{turnout}>{leg}" for turnout, leg in section.legs.items())
    why = "" if asked else f"the longest way between two beams that {name} can make from its mark, with "
    say(
        out,
        f"Timed between beam {section.near} and beam {section.far}, {section.distance_mm:.0f} mm apart along the "
        f"track{f' over {legs}' if legs else ''}: {why}room to gather speed and to stop beyond both, up to "
        f"{section.top_mm_s:.0f} mm/s.",
    )
    say(
        out,
        f"First a creep to the nearest beam, to prove where {name} is; then up to {STEPS} speed steps upwards, each in "
        f"both directions, {PASSES} passes that count each way. It takes about ten minutes.",
    )
    out.print("Set up like this:")
    out.print(picture(out, request.track, alone(request.track, name)))
    say(out, f"{mark_line(request.track, name)}.")
    say(out, f"Nothing else on any turnout, nor in: {', '.join(e for e in section.elements if e not in section.legs)}.")
    if real:
        warn_of_no_relay(out, request.wiring)
    chosen = facing
    if real and chosen is None:
        segment = request.track.locomotives[name].mark.element
        chosen = ask_facing(out, request.track, name, segment, dc=request.wiring.on_dc(name))
    if real:
        confirm(out, f"Is {name} alone there, and is everybody clear of it?")
    elif not yes:
        confirm(out, f"Is {name} alone there?")
    return replace(request, facing=chosen or End.TO)


@dataclass(slots=True)
class _Screens:
    """One screen for each sitting; between them a person is asked."""

    out: Console
    request: CalibrateRequest
    yes: bool
    stoppers: list[Stopper]
    screen: Screen | None = None

    @property
    def name(self) -> str:
        return f"{self.request.track.name}, {self.request.locomotive}"

    @property
    def track(self) -> Track:
        return self.request.track

    @property
    def goal(self) -> object:
        section = self.request.section
        return f"the speeds of {self.request.locomotive} between {section.near} and {section.far}"

    def show(self, status: Status) -> None:
        """Take a status."""
        if self.screen is None:
            self.screen = Screen(self.out, self, self._gone, things="speeds")
        self.screen.show(status)

    def again(self, why: str) -> bool:
        """Whether a person has put the locomotive back and wants to go on."""
        self.close()
        name = self.request.locomotive
        say(self.out, f"Everything was stopped, and this measurement is rejected: {why}.", "yellow")
        say(self.out, f"To go on, put {name} back on its mark, as at the start. {mark_line(self.track, name)}.")
        return self.yes or agrees(self.out, f"Is {name} back on its mark, and is everybody clear of it?")

    def close(self) -> None:
        """Draw what is left."""
        if self.screen is not None:
            self.screen.close()
            self.screen = None

    def _gone(self, why: str) -> None:
        for stop in self.stoppers[-1:]:
            stop(why, HaltedError.exit_code)


def _carry_out(out: Console, request: CalibrateRequest, yes: bool) -> CalibrateResult:
    stoppers: list[Stopper] = []
    screens = _Screens(out, request, yes, stoppers)
    try:
        return calibrate_on(request, screens.show, stoppers.append, screens.again)
    except PointsmanError as error:
        screens.close()
        if not isinstance(error, JournalError):
            whole_line(out, f"Journal: {request.journal}")
            ask_for_hands(error, request.journal, stops_itself=stops_itself(request.target, request.wiring))
            tell_power(out, request.journal)
            tell_rivals(out, request.target.serial_ports)
            say(out, f"Nothing was stored. To begin again, put {request.locomotive} back on its mark.")
        raise
    finally:
        screens.close()


def _conclude(
    out: Console, request: CalibrateRequest, result: CalibrateResult, path: Path, yes: bool, as_json: bool
) -> None:
    """Tell what was measured, ask whether to store it, and raise what is wrong in spite of it."""
    for rejection in result.rejected:
        say(out, f"Rejected: step {rejection.step}: {rejection.why}.", "yellow")
    for why in result.left_out:
        say(out, f"Left out: {why}.")
    out.print(_table(out, request, result))
    for written in result.journals:
        whole_line(out, f"Journal: {written}")
    for incident in result.incidents:
        out.print(incident, style="red", soft_wrap=True)
    wrong: PointsmanError | None = None
    stored = False
    if result.incidents:
        wrong = HaltedError("something went wrong on the simulated layout", cure="report it, with the journal")
    elif result.fit is None:
        wrong = HaltedError(f"nothing to store: {result.why_not}", where=request.locomotive, cure=result.cure)
    else:
        say(out, _errors(result))
        question = f"Store it in {path}{', beside what was stored there before' if path.exists() else ''}?"
        if yes or agrees(out, question):
            store(request, result)
            stored = True
            whole_line(out, f"Stored: {path}")
        else:
            wrong = StoppedError("the answer was no: nothing was stored", PointsmanError.exit_code)
    if as_json and wrong is not None:
        raise fail_with(_as_json(request, result, path if stored else None), wrong)
    if as_json:
        print_json(_as_json(request, result, path if stored else None))
    elif wrong is not None:
        raise wrong


def _errors(result: CalibrateResult) -> str:
    assert result.fit is not None, "there is a fit"
    fit = result.fit
    return (
        f"With what may change from day to day, each direction is counted on within {fit.by_direction.error:.1%}, and "
        f"the mean, with which stops are planned, within {fit.speed_error:.1%}. Faster than step "
        f"{fit.speeds.points[-1][0]} was not measured, and will not be driven."
    )


def _table(out: Console, request: CalibrateRequest, result: CalibrateResult) -> Table:
    before = as_driven(request.track, request.wiring).locomotives[request.locomotive].speeds
    table = compact_table(out, "step", "mm/s", "forward", "reverse", "spread", "before")
    for column in table.columns:
        column.justify = "right"
    for m in result.measured:
        table.add_row(
            str(m.step),
            f"{m.mean_mm_s:.1f}",
            f"{m.forward_mm_s:.1f}",
            f"{m.reverse_mm_s:.1f}",
            f"{m.spread:.1%}",
            f"{before.speed_mm_s(m.step):.1f}",
        )
    return table


def _as_json(request: CalibrateRequest, result: CalibrateResult, stored: Path | None) -> dict[str, Any]:
    section = request.section
    before = as_driven(request.track, request.wiring).locomotives[request.locomotive].speeds
    return {
        "layout": request.track.name,
        "locomotive": request.locomotive,
        "on": str(request.target),
        "between": [section.near, section.far],
        "distance_mm": round(section.distance_mm, 1),
        "most_spread": MOST_SPREAD,
        "speeds": [
            {
                "step": m.step,
                "mm_s": round(m.mean_mm_s, 2),
                "forward_mm_s": round(m.forward_mm_s, 2),
                "reverse_mm_s": round(m.reverse_mm_s, 2),
                "spread": round(m.spread, 4),
                "before_mm_s": round(before.speed_mm_s(m.step), 2),
            }
            for m in result.measured
        ],
        "rejected": [{"step": rejection.step, "why": rejection.why} for rejection in result.rejected],
        "left_out": list(result.left_out),
        "speed_error": None if result.fit is None else result.fit.speed_error,
        "direction_error": None if result.fit is None else result.fit.by_direction.error,
        "stored": None if stored is None else str(stored),
        "duration_s": round(result.duration_s, 1),
        "journals": [str(path) for path in result.journals],
        "incidents": list(result.incidents),
    }
