"""Before a play: how everything has to stand, and the questions that only a person can answer."""

from __future__ import annotations

import sys

from rich.console import Console

from pointsman.app import HARDWARE_CAP_MM_S
from pointsman.cli.output import say
from pointsman.cli.puzzles import picture, show_draw
from pointsman.errors import PointsmanError, StoppedError
from pointsman.links import On, Target
from pointsman.operate.set_up import facing_asked, set_up_lines
from pointsman.posix import forget_typed
from pointsman.puzzle.choice import Chosen
from pointsman.track.ends import ends_of
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


def ask_facing(out: Console, track: Track, engine: str, segment: str, *, dc: bool) -> End:
    """Where the front of the locomotive in a segment points, says a person. Raises StoppedError without an answer.

    ``dc``: where it runs when it is driven forward on direct current, which its front does not tell.
    """
    answers = {name.answer: end for end, name in ends_of(track, segment).items()}
    facing = facing_asked(track, engine, segment, dc=dc)
    if facing.note:
        say(out, facing.note)
    while True:
        answer = asked(out, f"{facing.question} [{'/'.join(answers)}]").lower()
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
