"""Whether any order helps a locomotive that has no room to start: the other way, or with turnouts set otherwise.

Nobody may know exactly enough where a train is for it to move at all. That must not go on for ever unsaid: a person who
is told to go the other way, and there to set a turnout that may stand under the train, goes round in a circle.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from pointsman.errors import RefusedError
from pointsman.operate.ahead import Protection, ahead
from pointsman.operate.belief import Belief
from pointsman.operate.hand_drive import has_room
from pointsman.operate.hand_parting import over
from pointsman.operate.office import Office
from pointsman.track.model import End, Leg


def nothing_helps(locomotive: str) -> str:
    """What a person is told where there is none."""
    return f"{locomotive} has no room either way, and no turnout on its way may be set"


def has_way_out(office: Office, belief: Belief, locomotive: str, settable: Collection[str]) -> bool:
    """Whether a locomotive may start either way, at the least protection, once ``settable`` turnouts are set somehow.

    Where a coupling stands over a magnet it may be parted, and that is an order that may help too. Raises RefusedError
    as ``ahead`` does.
    """
    return any(_leads_on(office, belief, locomotive, end, frozenset(settable)) for end in End) or any(
        _may_part(office, belief, magnet, locomotive) for magnet in office.track.uncouplers
    )


def _leads_on(office: Office, belief: Belief, locomotive: str, towards: End, settable: frozenset[str]) -> bool:
    found = ahead(office.track, belief, locomotive, towards, office.allow)
    if has_room(office, found, Protection.OFF):
        return True
    # Only turnouts on the line as it lies change anything; one that is set may bring others onto it.
    for turnout in settable & {stretch.element for stretch in found.sweep.path.stretches}:
        for leg in Leg:
            other = replace(belief, commanded={**belief.commanded, turnout: leg})
            if leg is not belief.commanded.get(turnout) and _leads_on(
                office, other, locomotive, towards, settable - {turnout}
            ):
                return True
    return False


def _may_part(office: Office, belief: Belief, magnet: str, locomotive: str) -> bool:
    try:
        over(office.track, belief, office.track.uncouplers[magnet], locomotive)
    except RefusedError:  # nothing stands over it that could part
        return False
    return True
