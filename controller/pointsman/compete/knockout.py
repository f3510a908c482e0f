"""Knockout: two meet, the better one goes on. The strongest meet late, and are free first where somebody has to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pointsman.compete.formats import check_alike
from pointsman.compete.marks import Outcome
from pointsman.compete.scoring.score import Score
from pointsman.errors import UsageError


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two who meet on the same draw; without a ``second``, the first is free and goes on."""

    first: str
    second: str | None


def first_stage(seeded: Sequence[str]) -> tuple[Meeting, ...]:
    """The meetings of entrants, the strongest first: the first and the second can meet in the final only."""
    if len(set(seeded)) != len(seeded) or len(seeded) < 2:
        raise UsageError("a knockout of fewer than two, or with one twice", cure="give each entrant once")
    order = [0]
    while len(order) < len(seeded):
        size = 2 * len(order)
        order = [number for seed in order for number in (seed, size - 1 - seed)]
    names = [seeded[number] if number < len(seeded) else None for number in order]
    meetings = zip(names[::2], names[1::2], strict=True)
    return tuple(Meeting(first, second) for first, second in meetings if first is not None)


def stages_of(many: int) -> int:
    """How many stages so many sides take, and so the least number of heats."""
    return max(0, many - 1).bit_length()


def winner(meeting: Meeting, scores: Mapping[str, Score]) -> str | None:
    """Who goes on; None while a score is missing, and for a tie, or when neither finished: they meet again.

    An opponent who did not start has lost against one who did.
    """
    first, second = meeting.first, meeting.second
    if second is None:
        return first
    if first not in scores or second not in scores:
        return None
    one, other = scores[first], scores[second]
    check_alike((one, other))
    if one.ties_with(other):
        return None
    better, name = (one, first) if one.key < other.key else (other, second)
    # One who did not finish has beaten nobody who has tried as well.
    neither = better.outcome is not Outcome.FINISHED and Outcome.DID_NOT_START not in (one.outcome, other.outcome)
    return None if neither else name


@dataclass(frozen=True, slots=True)
class Met:
    """Two sides that meet in a heat; without a ``second`` the first is free.

    ``winner`` is who goes on; None while it is not ``over``, and when both have withdrawn. ``again``: both have played,
    and they meet again in the next heat.
    """

    stage: int
    heat: int
    first: str
    second: str | None
    winner: str | None = None
    over: bool = False
    again: bool = False

    @property
    def sides(self) -> tuple[str, ...]:
        """Those who meet."""
        return (self.first,) if self.second is None else (self.first, self.second)


@dataclass(frozen=True, slots=True)
class Bracket:
    """How far a knockout has come: its ``meetings`` by stage and heat, and the ``ranks`` of who has gone out.

    Such a rank stays: it is one more than there were meetings in that stage. ``still`` are those who are in it yet, and
    ``due`` says in which heat those meet who do now; that may be one more than the round has.
    """

    meetings: tuple[Met, ...]
    ranks: Mapping[str, int]
    still: tuple[str, ...]
    due: Mapping[str, int]


ScoreIn = Callable[[str, int], Score | None]
"""The score of a side in a heat, None while there is none."""
Gone = Callable[[str], bool]
"""Whether a side has withdrawn, and plays nothing to its end."""


def bracket(seeded: Sequence[str], score_in: ScoreIn, gone: Gone) -> Bracket:
    """A knockout of sides, the strongest first, as far as it was played.

    Who meets one that has withdrawn goes on. Where both have nobody does, and the next opponent is free.
    """
    seen: list[Met] = []
    ranks: dict[str, int] = {}
    due: dict[str, int] = {}
    meetings, stage, heat = first_stage(seeded), 1, 1
    while meetings:
        won: dict[Meeting, str | None] = {}
        pending = meetings
        while pending:
            found = {its: _meet(stage, heat, its, score_in, gone) for its in pending}
            seen.extend(found.values())
            won |= {its: met.winner for its, met in found.items() if met.over}
            due |= {name: heat for met in found.values() if not met.over and not met.again for name in met.sides}
            pending = tuple(its for its, met in found.items() if met.again)
            heat += 1
        for meeting, name in won.items():
            for side in (meeting.first, meeting.second):
                if side is not None and side != name:
                    ranks[side] = len(meetings) + 1
        if len(won) < len(meetings) or len(meetings) == 1:
            break
        meetings, stage = _next_stage([won[its] for its in meetings]), stage + 1
    return Bracket(tuple(seen), ranks, tuple(name for name in seeded if name not in ranks), due)


def _meet(stage: int, heat: int, meeting: Meeting, score_in: ScoreIn, gone: Gone) -> Met:
    first, second = meeting.first, meeting.second
    if second is None:
        return Met(stage, heat, first, None, first, over=True)
    scores = {name: score for name in (first, second) if (score := score_in(name, heat)) is not None}
    if len(scores) == 2:
        name = winner(meeting, scores)
        return Met(stage, heat, first, second, name, over=name is not None, again=name is None)
    there = [name for name in (first, second) if not gone(name)] or list(scores)
    if len(there) == 2:
        return Met(stage, heat, first, second)
    return Met(stage, heat, first, second, there[0] if there else None, over=True)


def _next_stage(winners: Sequence[str | None]) -> tuple[Meeting, ...]:
    """The meetings of those who went on, in the order of the meetings they won; nobody meets who has no opponent."""
    meetings: list[Meeting] = []
    for first, second in zip_longest(winners[::2], winners[1::2]):
        there = [name for name in (first, second) if name is not None]
        if there:
            meetings.append(Meeting(there[0], there[1] if len(there) == 2 else None))
    return tuple(meetings)
