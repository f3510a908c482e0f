"""Runs told as a journey: which way a train faces at the end, where it comes to, and a sentence for people."""

from __future__ import annotations

from collections.abc import Mapping

from pointsman.errors import UsageError
from pointsman.puzzle.moves import Run, Train, train_of
from pointsman.track.model import End, Leg, Track
from pointsman.track.path import Stretch, following


def towards_after(track: Track, run: Run) -> End:
    """The direction of a run, relative to the element where its locomotive stands afterwards."""
    train = train_of(track, run.before, run.locomotive, run.towards)
    here = train.places[train.vehicles.index(run.locomotive)]
    element, leg = run.after.where(run.locomotive)
    for forward in (True, False):
        if _reaches(track, here, Stretch(element, leg, forward), dict(run.legs)):
            return End.TO if forward else End.FROM
    raise UsageError(f"the run does not lead from {here.element} to {element}", where=str(run))


def train_after(track: Track, run: Run) -> Train:
    """The train at the end of a run, rear to front in the run's direction."""
    return train_of(track, run.after, run.locomotive, towards_after(track, run))


def describe(track: Track, run: Run) -> str:
    """A run in a sentence: ``L with 1 2 to head, leaving 3 in s1``."""
    train = train_of(track, run.before, run.locomotive, run.towards)
    kept = [v for v in train.vehicles[len(run.left) :] if v != run.locomotive]
    text = run.locomotive + (f" with {' '.join(kept)}" if kept else "")
    text += f" to {train_after(track, run).places[-1].element}"
    if run.left:
        text += f", leaving {' '.join(run.left)} in {train.places[0].element}"
    return text


def _reaches(track: Track, here: Stretch, there: Stretch, legs: Mapping[str, Leg]) -> bool:
    at: Stretch | None = here
    seen: set[str] = set()
    lie = {**dict.fromkeys(track.turnouts, Leg.CLOSED), **legs}
    while at is not None and at.element not in seen:
        if at == there:
            return True
        seen.add(at.element)
        at = following(track, at, lie)
    return False
