"""``doctor --move`` at a node: what a person is told and asked before its machines are tried."""

from __future__ import annotations

from functools import partial

from rich.console import Console

from pointsman.cli.doctor_report import moved_json, show_moved
from pointsman.cli.output import amount, say
from pointsman.cli.setting_up import agrees, confirm
from pointsman.doctor import Listening
from pointsman.drivers.node.moving import check_unarmed, fitting_magnets, fitting_turnouts
from pointsman.track.wiring import TurnoutKind, Wiring


def move_node(out: Console, heard: Listening, wiring: Wiring, station: str, *, yes: bool) -> list[dict[str, str]]:
    """Ask, and try every turnout and magnet. Raises StoppedError for a no, StationError and LinkError."""
    check_unarmed(heard.node)
    turnouts, magnets = fitting_turnouts(heard.node), fitting_magnets(heard.node)
    solenoids = sum(1 for points in turnouts if points.kind is TurnoutKind.SOLENOID)
    coils = bool(solenoids or magnets)
    out.print()
    say(
        out,
        f"Each turnout is moved to and fro, each magnet is on for a moment, one after the other "
        f"({amount(len(turnouts) + len(magnets), 'machines')}). No locomotive is driven.",
    )
    if coils:
        coils = _may_be_armed(out, wiring, station, yes=yes)
    if not yes:
        confirm(out, "Does nothing stand on a turnout, and is everybody clear of the machines?")

    moved = heard.move(partial(show_moved, out), coils=coils)
    say(out, "Did each of them move? The node tells only what it was told to do.")
    return moved_json(moved)


def _may_be_armed(out: Console, wiring: Wiring, station: str, *, yes: bool) -> bool:
    """Whether the node may be armed, which its coils need."""
    others = sorted({one.station for one in wiring.locomotives.values()} - {station})
    say(
        out,
        "Coils get current from an armed node only: it is armed with its speed at 0, and stops everything again at the "
        "end." + (" Its relay closes meanwhile." if station in wiring.relays else ""),
    )
    if station not in wiring.relays or not others or yes:
        return True
    # What was told to run before would run when the relay closes.
    if agrees(
        out, f"The track then has the power of {', '.join(others)}. Is that switched off, or does all there stand?"
    ):
        return True
    say(out, "Then only servos are tried.", "yellow")
    return False
