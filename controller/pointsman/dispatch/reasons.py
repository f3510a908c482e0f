"""What is said of a stop: why it was, and where everything was believed to be."""

from __future__ import annotations

from asyncio import CancelledError

from pointsman.errors import PointsmanError
from pointsman.messages import Event, ForeignControl, LinkLost, OverCurrent, StationRestarted, StationStopped
from pointsman.operate.belief import Belief
from pointsman.operate.tracker import Drive
from pointsman.track.model import Track


def reason_to_stop(event: Event) -> str:
    """Why an event stops everything, whatever is under way; empty when it does not."""
    match event:
        case LinkLost(why=why):
            return f"the link to the station is lost: {why}"
        case StationRestarted(greeting=greeting):
            return f"the station restarted: {greeting}"
        case StationStopped(why=why):
            return f"the station stopped everything by itself: {why}"
        case OverCurrent(what=what):
            return f"overload on the track: {what}"
        case ForeignControl(what=what):
            return f"something else controls the layout: {what}"
        case _:
            return ""


def what_ended(error: BaseException) -> str:
    """What ended the work before its end, in a sentence for a person."""
    match error:
        case PointsmanError():
            return error.what
        case CancelledError():
            return "the program was told to end it"
        case _:
            return f"a fault of the program: {error!r}"


def whereabouts(track: Track, belief: Belief, drive: Drive | None) -> str:
    """Where the locomotives were believed to be when everything was stopped, for the person who looks."""
    engines = [name for name in track.locomotives if name in belief.spots]
    spots = {name: belief.spots[name] for name in engines}
    if drive is not None:
        # As when the stop was sent: how far it ran on after that, nobody has seen.
        moving = drive.step.sweep.spots(drive.envelope.slow.x_mm, drive.envelope.fast.x_mm)
        spots |= {name: spot for name, spot in moving.items() if name in engines}
    where = [
        f"the middle of {name} at {spot.place.at_mm:.0f} mm of {spot.place.element}, give or take {spot.error_mm:.0f}"
        for name, spot in spots.items()
    ]
    return "; ".join(where)
