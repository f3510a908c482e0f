"""A plan that the real lengths allow: where they forbid a run, another plan is sought around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pointsman.app import cap_of
from pointsman.errors import RefusedError, UnsolvableError
from pointsman.links import Target
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.moves import Run
from pointsman.solver.apart import runs_avoiding_apart
from pointsman.solver.avoiding import Forbidden
from pointsman.solver.table import Report
from pointsman.track.driven import as_driven
from pointsman.track.model import End
from pointsman.track.wiring import Wiring

MOST_PLANS_AROUND = 20
"""Runs that are forbidden one after the other before it is given up to find a plan without them."""


@dataclass(frozen=True, slots=True)
class Drivable:
    """A plan that the real lengths allow, and why earlier ones were not taken."""

    runs: tuple[Run, ...]
    refused: tuple[RefusedError, ...]


def drivable(
    chosen: Chosen,
    wiring: Wiring,
    runs: Sequence[Run],
    target: Target,
    progress: Report,
    *,
    under_way: Belief | None = None,
) -> Drivable:
    """The plan itself; or, where the real lengths forbid a run of it, the one with the fewest runs around such runs.

    It begins as ``chosen`` is set up; or, in a sitting that is ``under_way``, from what is believed there.
    Raises RefusedError, with the first reason, when there is none.
    """
    track, allow = as_driven(chosen.track, wiring), Allowances()
    planner = _planner(chosen, wiring, target)
    belief = under_way or at_setup(track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
    forbidden: list[Forbidden] = []
    refused: list[RefusedError] = []
    plan = tuple(runs)
    while True:
        try:
            planner.rehearse(belief, plan, under_way=under_way is not None)
        except RefusedError as refusal:
            if refusal.run == 0:
                raise
            if len(forbidden) >= MOST_PLANS_AROUND:
                raise _refused(refused[0], len(forbidden)) from refusal
            refused.append(refusal)
            forbidden.append(Forbidden.of(plan[refusal.run - 1]))
        else:
            return Drivable(plan, tuple(refused))
        try:
            plan = runs_avoiding_apart(track, chosen.start, chosen.goal, forbidden, progress=progress)
        except UnsolvableError as proof:
            raise _refused(refused[0], len(forbidden)) from proof


def may_begin(chosen: Chosen, wiring: Wiring, runs: Sequence[Run], target: Target, belief: Belief) -> bool:
    """Whether the first of the runs can be carried out from what is believed in a sitting under way."""
    try:
        _planner(chosen, wiring, target).rehearse_first(belief, runs)
    except RefusedError:
        return False
    return True


def _planner(chosen: Chosen, wiring: Wiring, target: Target) -> Planner:
    track, cap_mm_s = as_driven(chosen.track, wiring), cap_of(target, wiring)
    return Planner(track, wiring, Allowances(), cap_mm_s, couple_up=bool(chosen.goal.trains))


def _refused(first: RefusedError, others: int) -> RefusedError:
    """The first refusal, and that going round it did not help."""
    also = f"and going round it did not help ({others} such runs tried)"
    return RefusedError([*first.reasons, also], where=first.where, cure=first.cure, run=first.run)
