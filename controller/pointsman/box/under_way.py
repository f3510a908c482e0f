"""A puzzle under way: its plan, and where in it everything stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from pointsman.box.task import Task, fixed_of, place_in, puzzle
from pointsman.dispatch.control import Status
from pointsman.errors import UsageError
from pointsman.operate.hand_referee import Figures
from pointsman.operate.referee import Score
from pointsman.puzzle.moves import Run, runs
from pointsman.puzzle.position import Position


@dataclass(slots=True)
class UnderWay:
    """``done`` runs of the plan are done; ``left``: a person has left the plan, and no other is made yet.

    ``hint`` is the number of the run that was told last, ``began_s`` when the layout first told anything.
    ``finishing``: the goal is reached, and the sitting is being ended.
    """

    task: Task
    done: int = 0
    left: bool = False
    hint: int = 0
    began_s: float | None = None
    finishing: bool = False
    _fixed: dict[str, Any] = field(init=False)

    def __post_init__(self) -> None:
        self._fixed = fixed_of(self.task)

    @property
    def rest(self) -> tuple[Run, ...]:
        """The runs of the plan that are not done; none where it is left."""
        return () if self.left else self.task.runs[self.done :]

    @property
    def next_run(self) -> Run | None:
        """The run that comes next."""
        return self.rest[0] if self.rest else None

    def follow(self, position: Position) -> bool:
        """Everything stands so now; whether that is the goal."""
        at = place_in(self.task.runs, position)
        if at is None:
            at = self._written_otherwise(position)
        self.left = at is None
        self.done = self.done if at is None else at
        return self.task.chosen.goal.reached(position, self.task.chosen.track.locomotives)

    def _written_otherwise(self, position: Position) -> int | None:
        """The index of the run of the plan that a run from a position is as good as, and which it then replaces.

        A train that stands across joints can be written in more ways than the plan's: what counts is that the run
        under way, or the one after it, leaves the same vehicles and ends the same from there.
        """
        track, planned = self.task.chosen.track, self.task.runs
        if not planned:
            return None
        try:
            ways = list(runs(track, position, self.task.chosen.puzzle.locomotive))
        except UsageError:
            return None  # nothing can be planned from there
        for at in range(self.done, min(self.done + 2, len(planned))):
            meant = planned[at]
            for run in ways:
                if (run.towards, run.left, run.after) == (meant.towards, meant.left, meant.after):
                    self.task = replace(self.task, runs=(*planned[:at], run, *planned[at + 1 :]))
                    self._fixed = fixed_of(self.task)
                    return at
        return None

    def plan_anew(self, task: Task) -> None:
        """The same puzzle with another plan, from where everything stands."""
        self.task, self.done, self.hint, self.left = task, 0, 0, False
        self._fixed = fixed_of(task)

    def solved(self) -> None:
        """Everything is done."""
        self.done, self.left = len(self.task.runs), False

    @property
    def score_before(self) -> Score:
        """What was counted by an earlier play that this one goes on with."""
        earlier = self.task.earlier
        return Score() if earlier is None else earlier.told.score

    @property
    def _counted_before(self) -> Figures | None:
        """What was counted by hand by an earlier play, if all of it is known."""
        earlier = self.task.earlier
        return None if earlier is None or earlier.told.counted is None else earlier.told.counted.figures

    def puzzle(self, status: Status | None) -> dict[str, Any]:
        """The puzzle as it stands, in JSON values."""
        score = self.score_before if status is None else status.score
        position = self.task.chosen.start if status is None else status.belief.position
        seconds = 0.0 if status is None or self.began_s is None else status.t_s - self.began_s
        by_hand = self._counted_before if status is None or status.hand is None else status.hand.figures
        hint = self.hint if self.hint == self.done + 1 and not self.left else None
        done = None if self.left else self.done
        return puzzle(self.task, self._fixed, score, done, position, seconds, hint, by_hand)
