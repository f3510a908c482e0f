"""From drives to counts: what each drive has moved, where everything then stands, and the tally of it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise

from pointsman.errors import UsageError
from pointsman.operate import hand_referee, tracker
from pointsman.operate.ahead import hand_sweeps
from pointsman.operate.belief import Belief
from pointsman.operate.coming_along import what_moves
from pointsman.operate.hand_parting import over_any
from pointsman.operate.hand_referee import Earlier, Movement, Place, Tally
from pointsman.operate.standing import Standing, parts_of, standing
from pointsman.operate.sweep import Sweep
from pointsman.puzzle.position import Position
from pointsman.solver.steps import headshunt
from pointsman.track.model import End, Track

NO_MOVE_MM = 0.5
"""A drive that went no further is none: it was stopped before it began."""


def coupled_as_set_up(belief: Belief) -> Belief:
    """The belief once everything was set up: what stands side by side in a segment is coupled."""
    rows = [row for _, row in belief.position.segments]
    pairs = frozenset(frozenset(pair) for row in rows for pair in pairwise(row))
    return replace(belief, coupled=(belief.coupled | pairs) - belief.parted)


class Counting:
    """Counts what a locomotive does, from the belief before and after each of its drives.

    It goes on from what an ``earlier`` sitting has counted, if there is one.
    """

    def __init__(self, track: Track, belief: Belief, locomotive: str, earlier: Earlier | None = None) -> None:
        self._track = track
        self._locomotive = locomotive
        self._position = belief.position
        place = Place(belief.position, self._elements(belief))
        self.tally: Tally = hand_referee.begun(place, locomotive, _headshunt(track), earlier)

    def driven(self, belief: Belief, drive: tracker.Drive, *, slack_back: bool = False) -> Standing:
        """Take in a drive that stands; where everything stands now."""
        stands = self.look(belief)
        slow_mm, fast_mm = tracker.stands_between(drive)
        if fast_mm - drive.step.sweep.start_low_mm < NO_MOVE_MM:
            return stands
        swept = what_moves(drive.step, drive.rear)
        train, hauled = _train(swept, belief, fast_mm)
        behind = _behind(drive.step.dragging, swept)
        movement = Movement(
            forward=drive.step.forward,
            least_mm=max(0.0, slow_mm - drive.step.sweep.start_high_mm),
            train=train,
            hauled=hauled,
            after=Place(stands.position, self._elements(belief)),
            behind=behind,
            over_magnet=over_any(self._track, belief, (behind, *train) if behind else train),
            seen=any(edge.sure for edge, _ in drive.seen),
            slack_back=slack_back,
        )
        self.tally = hand_referee.moved(self.tally, movement)
        return stands

    def look(self, belief: Belief) -> Standing:
        """Where everything stands now, for the model."""
        found = standing(self._track, belief, self._position, self._locomotive, self._may_be_coupled(belief))
        self._position = found.position or self._position
        return found

    def parted(self, left: Collection[str], *, entered: bool = False) -> None:
        """Take in that vehicles were uncoupled; ``entered``: a person has done it and says so."""
        self.tally = hand_referee.parted(self.tally, left, entered=entered)

    def placed(self, position: Position) -> None:
        """Take in in which position a run of a plan has ended."""
        self._position = position
        self.tally = hand_referee.placed(self.tally, position)

    def _may_be_coupled(self, belief: Belief) -> set[str]:
        found = {self._locomotive}
        for end in End:
            for swept in hand_sweeps(self._track, belief, self._locomotive, end):
                if swept is not None:
                    found |= {body.vehicle for body in swept.bodies if body.in_train}
        return found

    def _elements(self, belief: Belief) -> dict[str, str]:
        return {
            name: max(parts_of(self._track, belief, name), key=lambda part: part.mm).element for name in belief.spots
        }


def _train(swept: Sweep, belief: Belief, high_mm: float) -> tuple[tuple[str, ...], int]:
    """What was moved or come up to, rear to front, and how many of it the locomotive drew, itself included."""
    names = [body.vehicle for body in swept.bodies]
    hauled = names.index(swept.locomotive) + 1
    touched = swept.touched(high_mm) | belief.coupled
    front = hauled
    while front < len(names) and frozenset(names[front - 1 : front + 1]) in touched:
        front += 1
    return tuple(names[:front]), hauled


def _behind(dragging: Sweep | None, swept: Sweep) -> str:
    """What stood at the rear of the train, uncoupled, and was left there."""
    names = [] if dragging is None else [body.vehicle for body in dragging.bodies]
    at = names.index(swept.tail.vehicle) if names else 0
    return names[at - 1] if at else ""


def _headshunt(track: Track) -> str:
    """The one headshunt of a fan; empty where pull-drops are not defined."""
    try:
        return headshunt(track).segment
    except UsageError:
        return ""
