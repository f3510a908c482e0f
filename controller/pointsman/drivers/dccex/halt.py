"""An emergency stop that no fence has confirmed yet."""

from __future__ import annotations

from dataclasses import dataclass, field

from pointsman.messages import Command, Drive, SetPower, SetUncoupler

STOP_REPEAT_S = 0.1
POWER_CUT_AFTER_S = 0.3


@dataclass(slots=True)
class Halt:
    """Since when, whether the power goes too, and the commands that it carries out.

    ``answered``: a fence came back on a link that was silent. What was written meanwhile may have been swallowed with
    the remains of a broken command, so only the fence behind the next stop confirms it.
    """

    started_t_s: float
    cut_power: bool
    answered: bool = False
    numbers: list[int] = field(default_factory=list)


def refusal(command: Command, *, halted: bool, unconfirmed: bool) -> str:
    """Why this may not begin now, after a stop; empty when it may."""
    match command:
        case Drive() | SetUncoupler(on=True) if halted:
            return "everything was stopped: a person must release it first"
        case SetPower(on=True) if unconfirmed:
            return "a stop is not confirmed yet"
    return ""
