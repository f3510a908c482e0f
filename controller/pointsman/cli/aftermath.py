"""What a person has to know when a play has ended before its end; told from its journal, not from hopes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from functools import reduce
from pathlib import Path

from rich.console import Console

from pointsman.cli.output import say, whole_line
from pointsman.errors import JournalError, PointsmanError
from pointsman.links import On
from pointsman.messages import Command, Drive, Event, SetTurnout
from pointsman.operate.power import Power, by_hand, fold, no_hands
from pointsman.playing import PlayRequest
from pointsman.puzzle.choice import Chosen
from pointsman.record import message_of, read
from pointsman.transports.diagnosis import rivals


def repeat_command(puzzle: str, request: PlayRequest, hardware: str | None) -> str:
    """The command that plays the same draw again."""
    words = ["pointsman", "play", puzzle, *draw_options(request.chosen), "--count", request.count]
    if request.target.on is not On.SIM:
        each = [f"{name}={target}" for name, target in request.target.each] or [str(request.target)]
        words += [word for one in each for word in ("--on", one)]
    if hardware is not None:
        words += ["--hardware", hardware]
    return shlex.join(words)


def draw_options(chosen: Chosen) -> list[str]:
    """The options of a command that give the same draw; none where nothing was drawn."""
    if chosen.seed is not None:
        return ["--seed", chosen.seed]
    return ["--cards", " ".join(chosen.wagons)] if chosen.wagons else []


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
    messages, unread = _past(request.journal)
    if came_to_something(request):
        say(out, "Nothing resumes by itself. To say what stands where, and go on from there:")
        whole_line(out, f"  {resume_command(request.journal)}")
        say(out, "Or else set locomotive and wagons up as at the start, and begin again:")
    elif unread:
        say(out, "Whether anything has moved is not known. Set everything up as at the start to begin again:")
    else:
        only_points = any(isinstance(message, SetTurnout) for message in messages)
        say(out, f"{'Only points have moved' if only_points else 'Nothing has moved'}. To repeat this puzzle:")
    whole_line(out, f"  {command}")


def came_to_something(request: PlayRequest) -> bool:
    """Whether anything has moved in a play, or in one that it goes on with, as far as its journal says."""
    return request.put_right is not None or any(isinstance(message, Drive) for message in _past(request.journal)[0])


def tell_power(out: Console, journal: Path) -> None:
    """That the track power is off, if a journal says so; if not, that is in the error: see ``ask_for_hands``."""
    messages, unread = _past(journal)
    if unread:
        say(out, unread)
    elif _power(messages) is Power.OFF:
        say(out, "The track power is off now.")


def ask_for_hands(error: PointsmanError, journal: Path, *, stops_itself: bool) -> None:
    """Let an error say first that the track power is to be switched off by hand, where a journal does not say it is,
    and no more where it does. ``stops_itself``: a hand does it only where the layout has not stopped by itself.
    """
    messages, unread = _past(journal)
    if not unread and _power(messages) is Power.OFF:
        error.cure = no_hands(error.cure)
        return
    unknown = "what has happened cannot be read in the journal, and whether it is off is not known" if unread else ""
    error.cure = by_hand(unknown or _power(messages).doubt, error.cure, stops_itself=stops_itself)


def _past(journal: Path) -> tuple[Sequence[Command | Event], str]:
    """The messages in a journal as far as it can be read, and why it cannot be read to its end."""
    messages: list[Command | Event] = []
    try:
        reading = read(journal)
        messages.extend(message_of(line) for line in reading.lines if line.kind in {"command", "event"})
    except JournalError as error:
        return messages, str(error)
    return messages, f"{journal}: {reading.bad}" if reading.bad else ""


def _power(messages: Iterable[Command | Event]) -> Power:
    return reduce(fold, messages, Power.UNTOLD)


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
