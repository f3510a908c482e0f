"""What a person has to know when a play has ended before its end; told from its journal, not from hopes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from enum import Enum, auto
from pathlib import Path

from rich.console import Console

from pointsman.cli.output import say, whole_line
from pointsman.errors import JournalError
from pointsman.links import On
from pointsman.playing import PlayRequest
from pointsman.record import Line, read
from pointsman.transports.diagnosis import rivals


def repeat_command(puzzle: str, request: PlayRequest, hardware: str | None) -> str:
    """The command that plays the same draw again."""
    words = ["pointsman", "play", puzzle, "--seed", str(request.chosen.seed), "--count", request.count]
    if request.target.on is not On.SIM:
        each = [f"{name}={target}" for name, target in request.target.each] or [str(request.target)]
        words += [word for one in each for word in ("--on", one)]
    if hardware is not None:
        words += ["--hardware", hardware]
    return shlex.join(words)


def resume_command(journal: Path) -> str:
    """The command that goes on with a play."""
    return shlex.join(["pointsman", "resume", str(journal)])


def tell_stopped(out: Console, request: PlayRequest, command: str) -> None:
    """The journal, how the track power is, and what can be done now."""
    tell_written(out, request)
    tell_ways(out, request, command)


def tell_written(out: Console, request: PlayRequest) -> None:
    """The journal, and how the track power is."""
    whole_line(out, f"Journal: {request.journal}")
    tell_power(out, request.journal)
    tell_rivals(out, request.target.serial_ports)


def tell_ways(out: Console, request: PlayRequest, command: str) -> None:
    """How to go on with a play, or else how to begin again."""
    if came_to_something(request):
        say(out, "Nothing resumes by itself. To say what stands where, and go on from there:")
        whole_line(out, f"  {resume_command(request.journal)}")
        say(out, "Or else set locomotive and wagons up as at the start, and begin again:")
    else:
        moved = "Only points have moved." if _points_were_set(request.journal) else "Nothing has moved."
        say(out, f"{moved} To repeat this puzzle:")
    whole_line(out, f"  {command}")


def _points_were_set(journal: Path) -> bool:
    return any(line.kind == "command" and line.values.get("type") == "SetTurnout" for line in _lines(journal))


def came_to_something(request: PlayRequest) -> bool:
    """Whether anything has moved in a play, or in one that it goes on with, as far as its journal says."""
    if request.put_right is not None:
        return True
    return any(line.kind == "command" and line.values.get("type") == "Drive" for line in _lines(request.journal))


def _lines(journal: Path) -> Sequence[Line]:
    """The lines of a journal; none when it cannot be read, which ``tell_power`` says."""
    try:
        return read(journal).lines
    except JournalError:
        return ()


def tell_power(out: Console, journal: Path) -> None:
    """Whether the track power is off, as far as a journal says."""
    lines: Sequence[Line] = ()
    try:
        lines = read(journal).lines
    except JournalError as error:
        say(out, str(error))
    match _power(lines):
        case Power.ON:
            say(out, "Nobody confirmed that the track power went off: switch it off by hand.", "bold red")
        case Power.UNHEARD:
            say(
                out,
                "A link was lost while the track power was on, and it is not confirmed that it went off everywhere: "
                "look at the layout, or switch it off by hand.",
                "bold red",
            )
        case Power.OFF:
            say(out, "The track power is off now.")


def tell_rivals(out: Console, ports: Iterable[str]) -> None:
    """Which other programs have a port open now that everything has stopped: one may have come meanwhile."""
    for port in ports:
        for rival in rivals(port):
            say(
                out,
                f"{port} is open in {rival} too: what it sends, or takes of the answers, may be why. Close that "
                "program before you go on.",
                "bold red",
            )


class Power(Enum):
    """The track power, as far as a journal says."""

    UNKNOWN = auto()
    OFF = auto()
    ON = auto()
    """On, if only in part, or told to go on, and not heard to be off since."""
    UNHEARD = auto()
    """As ``ON``, and then a link was lost."""


def _power(lines: Iterable[Line]) -> Power:
    power = Power.UNKNOWN
    for line in lines:
        match line.kind, line.values.get("type"), line.values.get("on"):
            case ("event", "PowerReported", True) | ("event", "PowerDivided", _) | ("command", "SetPower", True):
                power = Power.ON
            case "event", "PowerReported", _ if power is not Power.UNHEARD:
                power = Power.OFF
            case "event", "LinkLost", _ if power is Power.ON:
                power = Power.UNHEARD
    return power
