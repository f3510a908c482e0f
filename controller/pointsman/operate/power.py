"""How the track power is, as far as anybody has said, and what a hand has to do about it."""

from __future__ import annotations

from enum import Enum, auto

from pointsman.errors import NOTHING_MOVES
from pointsman.messages import Command, Event, LinkLost, PowerDivided, PowerReported, SetPower

SWITCH_OFF = "SWITCH THE TRACK POWER OFF BY HAND NOW"


class Power(Enum):
    """The track power, as far as anybody has said."""

    UNTOLD = auto()
    OFF = auto()
    ON = auto()
    """On, if only in part, or told to go on, and not heard to be off since."""
    UNHEARD = auto()
    """As ``ON``, and then a link was lost."""

    @property
    def doubt(self) -> str:
        """Why it may still be on; empty when it was not switched on, or was heard to be off."""
        return _DOUBTS.get(self, "")


_DOUBTS = {
    Power.ON: "nobody confirmed that it went off",
    Power.UNHEARD: "a link was lost while it was on, and it is not confirmed that it went off everywhere",
}


def fold(power: Power, message: Command | Event) -> Power:
    """How the power is after one more message."""
    match message:
        case SetPower(on=True) | PowerReported(on=True) | PowerDivided():
            return Power.ON
        case PowerReported() if power is not Power.UNHEARD:
            return Power.OFF
        case LinkLost() if power is Power.ON:
            return Power.UNHEARD
        case _:
            return power


OFF_SINCE = "the track power has gone off since: look at the layout before anything else"


def no_hands(cure: str) -> str:
    """What to do when the power is heard to be off after all."""
    return OFF_SINCE if SWITCH_OFF in cure else cure


def by_hand(doubt: str, cure: str) -> str:
    """What to do when something is not known of the power: switch it off first, and say so once; then the rest."""
    if not doubt or SWITCH_OFF in cure:
        return cure
    after = "" if cure in {"", NOTHING_MOVES} else f"; then {cure}"
    return f"{SWITCH_OFF}: {doubt}{after}"
