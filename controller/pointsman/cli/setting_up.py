"""Before a play: how everything has to stand, and the questions that only a person can answer."""

from __future__ import annotations

import sys

from rich.console import Console

from pointsman.app import HARDWARE_CAP_MM_S
from pointsman.cli.output import say
from pointsman.cli.puzzles import picture, show_draw
from pointsman.errors import PointsmanError, StoppedError
from pointsman.links import On, Target
from pointsman.operate.allowances import Allowances
from pointsman.posix import forget_typed
from pointsman.puzzle.choice import Chosen
from pointsman.track.ends import ends_of
from pointsman.track.marks import marked, pushed_towards
from pointsman.track.model import End, Track
from pointsman.track.wiring import Wiring


def set_up(
    out: Console, chosen: Chosen, wiring: Wiring, target: Target, facing: End | None, yes: bool, least: str
) -> End:
    """Show the set-up picture and wait for a person's yes; which way the locomotive faces."""
    engine = chosen.puzzle.locomotive
    out.print(chosen.puzzle.title, style="bold")
    out.print("Set up like this:")
    out.print(picture(out, chosen.track, chosen.start))
    for line in set_up_lines(chosen):
        say(out, line)
    real = target.on is not On.SIM
    if real:
        warn_of_no_relay(out, wiring)
    # Last, so that a small terminal still shows it when the question is asked.
    show_draw(out, chosen)
    out.print(f"It can be done in {least}.")
    if real and facing is None:
        segment = chosen.start.where(engine)[0]
        facing = ask_facing(out, chosen.track, engine, segment, dc=wiring.on_dc(engine))
    if real:
        confirm(out, "Is the layout set up like this, and is everybody clear of it?")
    elif not yes:
        confirm(out, "Is the layout set up like this?")
    return facing or End.TO


def warn_of_no_relay(out: Console, wiring: Wiring) -> None:
    """What a person has to know before anything moves on hardware, when no node has a relay in the track's feed."""
    if wiring.relays:
        return
    say(
        out,
        f"No relay in the track feed is known: nothing goes faster than {HARDWARE_CAP_MM_S:.0f} mm/s, "
        "and if this computer dies as a whole, only a hand on the power switch stops the train.",
        "yellow",
    )


def set_up_lines(chosen: Chosen) -> list[str]:
    """Where everything has to stand before a play, in words."""
    track, engine = chosen.track, chosen.puzzle.locomotive
    segment = chosen.start.where(engine)[0]
    row = chosen.start.in_segment(segment)
    beside = [vehicle for vehicle in row if vehicle != engine]
    coupled = f"; {' '.join(beside)} coupled to it" if beside else ""
    near = f"its coupler within {Allowances().setup_error_mm:.0f} mm of it"
    wagons = f"Wagons: the first in each track just clear of the beam, {near}, the others pushed up to it."
    if marked(track, segment, row) == engine:
        return [wagons, f"{mark_line(track, engine)}{coupled}."]
    end = pushed_towards(track.segments[segment])
    first = row[0] if end is End.FROM else row[-1]
    where = f"{first} just clear of the beam at {ends_of(track, segment)[end].told}, {near}"
    return [wagons, f"{engine}: in {segment}, set up like wagons: {where}{coupled}."]


def mark_line(track: Track, engine: str) -> str:
    """Where a locomotive's mark is, in words; without the full stop."""
    mark = track.locomotives[engine].mark
    names = ends_of(track, mark.element)
    return (
        f"{engine}: in {mark.element}, its coupler towards {names[End.TO].told} {mark.at_mm:.0f} mm from "
        f"{_what_is_at(track, mark.element, End.FROM)}"
    )


def _what_is_at(track: Track, segment: str, end: End) -> str:
    joint = track.segments[segment].meets(end)
    return "the buffer stop" if joint is None else f"the fouling point at {joint.turnout}"


def ask_facing(out: Console, track: Track, engine: str, segment: str, *, dc: bool) -> End:
    """Where the front of the locomotive in a segment points, says a person. Raises StoppedError without an answer.

    ``dc``: where it runs when it is driven forward on direct current, which its front does not tell.
    """
    names = ends_of(track, segment)
    answers = {name.answer: end for end, name in names.items()}
    told = " or to ".join(name.told for name in names.values())
    question = f"Does the front of {engine} point to {told}?"
    if dc:
        say(
            out,
            f"{engine} runs on direct current: the wires to the rails decide which way it runs, not its front. The "
            "first movement shows whether the answer is right.",
        )
        question = f"When the node drives {engine} forward, does it run to {told}?"
    while True:
        answer = asked(out, f"{question} [{'/'.join(answers)}]").lower()
        if answer in answers:
            return answers[answer]
        say(out, f"Please answer {' or '.join(answers)}.")


def confirm(out: Console, question: str) -> None:
    """Return when the answer is yes. Raises StoppedError when it is no."""
    if not agrees(out, question):
        raise StoppedError("the answer was no: nothing was sent to the layout", PointsmanError.exit_code)


def agrees(out: Console, question: str) -> bool:
    """Whether a person answers yes. Raises StoppedError when the terminal is closed instead."""
    while (answer := asked(out, f"{question} [y/N]").lower()) not in {"y", "yes"}:
        if answer in {"", "n", "no"}:
            return False
        say(out, "Please answer y or n.")
    return True


def asked(out: Console, question: str) -> str:
    """A person's answer, to nothing but this question: what was typed before it is thrown away.

    Raises StoppedError when the terminal is closed instead.
    """
    forget_typed(sys.stdin)
    try:
        return out.input(f"{question} ", markup=False, emoji=False).strip()
    except EOFError:
        raise StoppedError("there was no answer: nothing was sent to the layout", PointsmanError.exit_code) from None
