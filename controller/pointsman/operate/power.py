"""How the track power is, as far as anybody has said, and what a hand has to do about it."""

from __future__ import annotations

from enum import Enum, auto

from pointsman.errors import NOTHING_MOVES
from pointsman.messages import Command, Event, LinkLost, PowerDivided, PowerReported, SetPower

SWITCH_OFF = "SWITCH THE TRACK POWER OFF BY HAND NOW"
STOPS_ITSELF = (
    "the node stops the locomotive by itself within 1 second: look whether it stands; if it does not, switch the track "
    "power off by hand"
)
"""In place of ``SWITCH_OFF`` where what feeds the track stops everything when it hears nothing more."""


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
    return OFF_SINCE if _names_hand(cure) else cure


def _names_hand(cure: str) -> bool:
    return SWITCH_OFF in cure or STOPS_ITSELF in cure


def without_hands(text: str) -> str:
    """What is said of a halt, where no hand can switch the power: that of the simulated layout goes off with it."""
    for hand in (SWITCH_OFF, STOPS_ITSELF):
        before, found, after = text.partition(hand)
        if found:
            return "; ".join(filter(None, [before.removesuffix("; "), after.partition("; then ")[2]]))
    return text


def running_on(*, stops_itself: bool) -> str:
    """What to do when the locomotive may not have heard that it is to stop.

    ``stops_itself``: what feeds the track stops by itself when it hears nothing more. A hand is the last resort there.
    """
    return STOPS_ITSELF if stops_itself else f"{SWITCH_OFF}: the locomotive may still be running"


def by_hand(doubt: str, cure: str, *, stops_itself: bool) -> str:
    """What to do when something is not known of the power: a hand's work first, and said once; then the rest.

    ``stops_itself`` as for ``running_on``.
    """
    if not doubt or _names_hand(cure):
        return cure
    after = "" if cure in {"", NOTHING_MOVES} else f"; then {cure}"
    return f"{STOPS_ITSELF if stops_itself else SWITCH_OFF}: {doubt}{after}"
