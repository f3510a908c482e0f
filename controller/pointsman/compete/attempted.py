"""What each attempt of a round is worth, by who made it, as far as it is known yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from pointsman.compete.marks import Marks
from pointsman.compete.scoring.scheme import Scheme, Terms
from pointsman.compete.scoring.score import Score
from pointsman.compete.state import Attempt
from pointsman.errors import UsageError


@dataclass(frozen=True, slots=True)
class Attempted:
    """An entrant's attempt of a number, as it counts: the last of those at that place.

    ``score`` is None until it has ended, when it is to be run again, and when ``missing`` says why it cannot be scored.
    ``open``: the score may change still, for it depends on others of its heat who have not played.
    """

    entrant: str
    number: int
    attempt: str | None = None
    score: Score | None = None
    open: bool = False
    missing: str = ""


def latest(attempts: Mapping[str, Attempt]) -> dict[tuple[str, int], str]:
    """The attempt that counts at each place (entrant, number) of a round: the last one there."""
    return {(its.started.entrant, its.started.number): name for name, its in attempts.items()}


def marks_of(its: Attempt) -> Marks:
    """What an attempt that has ended is made of, as far as anybody has said."""
    assert its.outcome is not None, "an attempt that has ended has an outcome"
    return its.marks if its.marks is not None else Marks(its.outcome)


def score_of(its: Attempt, scheme: Scheme, terms: Terms) -> tuple[Score | None, str]:
    """The score of an attempt by itself, and why it has none although it has ended; that is empty otherwise."""
    if its.outcome is None:
        return None, ""
    marks = marks_of(its)
    try:
        return scheme.attempt(marks, terms), ""
    except UsageError as error:
        return None, error.what


Worth = tuple[Attempt, Score | None, str]
"""An attempt with what ``score_of`` found."""


def worth(
    attempts: Mapping[str, Attempt], scheme: Scheme, terms: Terms, known: Mapping[str, Worth] = MappingProxyType({})
) -> dict[str, Worth]:
    """What the attempts that count in a round are worth; ``known`` is what was found by this scheme and these terms."""
    found: dict[str, Worth] = {}
    for name in latest(attempts).values():
        its, before = attempts[name], known.get(name)
        found[name] = before if before and before[0] is its else (its, *score_of(its, scheme, terms))
    return found


def scored(worth: Mapping[str, Worth]) -> dict[str, dict[int, Attempted]]:
    """Every attempt of a round by itself: by entrant, then by number."""
    found: dict[str, dict[int, Attempted]] = {}
    for name, (its, score, missing) in worth.items():
        entrant, number = its.started.entrant, its.started.number
        found.setdefault(entrant, {})[number] = Attempted(entrant, number, name, score, missing=missing)
    return found


def shared(
    members: Sequence[Attempted], attempts: Mapping[str, Attempt], scheme: Scheme, placed: int | None, *, is_open: bool
) -> Iterator[Attempted]:
    """The attempts of a heat by a scheme that shares; ``is_open``: somebody has still to play in it.

    ``placed`` are the wagons of the shared train in their places, None where there was none.
    """
    assert scheme.shared is not None, "asked for a scheme that shares"
    if is_open or any(its.score is None for its in members):
        yield from (replace(its, open=True) for its in members)
        return
    marks = {its.entrant: marks_of(attempts[its.attempt]) for its in members if its.attempt is not None}
    try:
        scores = scheme.shared(marks, {its.entrant: its.score for its in members}, placed)
    except UsageError as error:
        yield from (replace(its, open=True, missing=error.what) for its in members)
        return
    yield from (replace(its, score=scores[its.entrant]) for its in members)
