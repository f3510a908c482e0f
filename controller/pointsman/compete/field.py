"""Who is in a round, who plays as one, and in which heat everybody plays which attempt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from pointsman.compete.state import Attempt, Round, State


@dataclass(frozen=True, slots=True)
class Field:
    """Who is in a round: ``sides`` are those who play as one, by the name that they have in it.

    That is an entrant by itself, or a pair by the pair's name; the order is that of the book, or of the ranks in the
    round before. ``certain``: it is known who they are.
    """

    sides: Mapping[str, tuple[str, ...]]
    certain: bool = True

    @property
    def in_order(self) -> object:
        """What is the same in two fields that are the same, the order of the sides too."""
        return tuple(self.sides.items()), self.certain

    @property
    def entrants(self) -> tuple[str, ...]:
        """Everybody in it."""
        return tuple(entrant for members in self.sides.values() for entrant in members)


def feeder(state: State, round_id: str) -> str | None:
    """The round whose best go on to this one: the last of its class announced before it, if anybody advances there."""
    before = None
    for name, its in state.rounds.items():
        if name == round_id:
            break
        if its.announced.category == state.rounds[round_id].announced.category:
            before = name
    return before if before is not None and state.rounds[before].announced.advance is not None else None


def fed(state: State, round_id: str) -> str | None:
    """The round that the best of this one go on to; None when it is not announced, or there is none."""
    return next((name for name in state.rounds if feeder(state, name) == round_id), None)


def of_class(state: State, category: str) -> tuple[str, ...]:
    """The entrants of a class, in the order of the book; all of them for the class without a name."""
    return tuple(n for n, its in state.entrants.items() if not category or its.about.category == category)


def sides_of(state: State, its: Round, entrants: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Those who play as one: of a round for pairs the pairs that are whole, else everybody alone."""
    if not its.form.pairs:
        return {entrant: (entrant,) for entrant in entrants}
    pairs: dict[str, tuple[str, ...]] = {}
    for entrant in entrants:
        pair = state.entrants[entrant].about.pair
        if pair:
            pairs[pair] = (*pairs.get(pair, ()), entrant)
    return {pair: members for pair, members in pairs.items() if len(members) == 2}


def groups(its: Round, entrants: Iterable[str], attempts: Mapping[str, Attempt]) -> dict[str, int]:
    """The group of each entrant, from 0: that of an attempt made, else the smallest so far, in their order."""
    many = groups_in(its)
    made = {a.started.entrant: (a.started.heat - 1) % many for a in attempts.values()}
    found, sizes = dict(made), [0] * many
    for group in made.values():
        sizes[group] += 1
    for entrant in entrants:
        if entrant not in found:
            found[entrant] = min(range(many), key=sizes.__getitem__)
            sizes[found[entrant]] += 1
    return found


def groups_in(its: Round) -> int:
    """How many groups a round has: each of them has a heat of its own for every attempt."""
    return 1 if its.form.knockout else max(1, its.announced.heats // its.form.attempts)


def heat_of(its: Round, number: int, group: int) -> int:
    """The heat in which a group makes attempt ``number``."""
    return (number - 1) * groups_in(its) + group + 1


def withdrawn(state: State, but: Collection[str] = ()) -> frozenset[str]:
    """Who has withdrawn, but for these."""
    return frozenset(name for name, its in state.entrants.items() if its.withdrawn and name not in but)
