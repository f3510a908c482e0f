"""Knockout: two meet, the better one goes on. The strongest meet late, and are free first where somebody has to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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


def next_stage(winners: Sequence[str]) -> tuple[Meeting, ...]:
    """The meetings of those who went on, in the order of the meetings they won; UsageError when they are not even."""
    if len(winners) < 2 or len(winners) % 2:
        raise UsageError(f"{len(winners)} cannot meet in twos", cure="decide every meeting of the stage before")
    return tuple(Meeting(first, second) for first, second in zip(winners[::2], winners[1::2], strict=True))


def places(stages: Sequence[Mapping[Meeting, str]]) -> dict[str, int]:
    """Ranks out of every stage's meetings with their winners, the last stage last; who lost in one stage shares a rank.

    Before the final is played, those who are still in it share the first.
    """
    ranks: dict[str, int] = {}
    for stage in reversed(stages):
        for meeting, won in stage.items():
            ranks.setdefault(won, 1)
            for name in (meeting.first, meeting.second):
                if name is not None:
                    ranks.setdefault(name, len(stage) + 1)
    return ranks
