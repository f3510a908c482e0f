"""Runs of a plan that was driven by the program, counted as what a person drives is: by ``operate.hand_referee``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from pointsman.errors import JournalError, UsageError
from pointsman.operate.hand_referee import Earlier, Movement, Place, Tally, begun, moved
from pointsman.puzzle.journey import towards_after, train_after
from pointsman.puzzle.moves import Run, runs, train_of
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import locomotive_of
from pointsman.solver.steps import headshunt
from pointsman.track.model import Track


@dataclass(frozen=True, slots=True)
class Retraced:
    """The count of a plan's runs so far, and what the next one is followed from."""

    track: Track
    position: Position
    tally: Tally
    forward: bool = True
    last: Run | None = None

    def after(self, text: str, position: Position) -> Retraced:
        """With one more run, as ``str(run)`` writes it, that has led to a position. Raises JournalError."""
        locomotive = self.tally.locomotive
        legal = runs(self.track, self.position, locomotive)
        run = next((run for run in legal if run.after == position and str(run) == text), None)
        if run is None:
            raise JournalError(
                f"no run {text!r} leads from '{self.position}' to '{position}'",
                cure="it was not written by this program",
            )
        back = self.last is not None and run.towards is not towards_after(self.track, self.last)
        forward = self.forward is not back
        tally = moved(self.tally, _movement(self.track, run, forward=forward))
        return replace(self, position=position, tally=tally, forward=forward, last=run)


def retraced(track: Track, start: Position, earlier: Earlier) -> Retraced:
    """Nothing driven yet, going on from what was counted before."""
    place = Place(start, _elements(start))
    tally = begun(place, locomotive_of(track, start), fan_of(track), earlier)
    return Retraced(track, start, tally)


def fan_of(track: Track) -> str:
    """The one headshunt of a fan of sidings; empty where pull-drops are not defined."""
    try:
        return headshunt(track).segment
    except UsageError:
        return ""


def _movement(track: Track, run: Run, *, forward: bool) -> Movement:
    train = tuple(name for name in train_after(track, run).vehicles if name not in run.left)
    before = train_of(track, run.before, run.locomotive, run.towards).vehicles[len(run.left) :]
    return Movement(
        forward=forward,
        least_mm=inf,
        train=train,
        hauled=before.index(run.locomotive) + 1,
        after=Place(run.after, _elements(run.after)),
        behind=run.left[-1] if run.left else "",
    )


def _elements(position: Position) -> dict[str, str]:
    return {name: position.where(name)[0] for name in position.vehicles}
