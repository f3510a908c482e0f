"""Which draws are kept from those who have still to play them.

All of a group make an attempt on the same draw, one after the other: what it is stays withheld until the last of them
has ended. With a round's secret every draw is out.
"""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.compete.field import groups_in, heat_of
from pointsman.compete.knockout_table import bracket_of
from pointsman.compete.marks import Outcome
from pointsman.compete.schedule import places
from pointsman.compete.standings import Tables
from pointsman.compete.state import Phase, Round


def heats_over(tables: Tables, round_id: str) -> frozenset[int]:
    """The heats of a round that were played, and that nobody has to play any more; all of them once the secret is out.

    None before it is known who is in the round, and in which group.
    """
    its = tables.state.rounds[round_id]
    if its.secret is not None:
        return frozenset(range(1, its.announced.heats + 1))
    field = tables.field(round_id)
    if not field.certain:
        return frozenset()
    left: set[int] = set()
    for heat, number in (_of_knockout if its.form.knockout else _in_order)(tables, round_id):
        if number is None:
            return frozenset()
        left |= _from(its, heat, number)
    attempts = tables.state.of_round(round_id).values()
    for attempt in attempts:
        if attempt.phase is not Phase.ENDED:
            left |= _from(its, attempt.started.heat, attempt.started.number)
    return frozenset(attempt.started.heat for attempt in attempts) - left


def _in_order(tables: Tables, round_id: str) -> Iterator[tuple[int, int | None]]:
    """The heat and the number of what everybody has to make next; no number where the group is not settled."""
    last = {its.started.entrant: its for its in tables.state.of_round(round_id).values()}
    for due in places(tables, round_id):
        made = last.get(due.entrant)
        if due.place is not None:
            yield due.place.heat, None if made is None else due.place.number
        elif made is not None and made.outcome is Outcome.EQUIPMENT:
            yield made.started.heat, made.started.number


def _of_knockout(tables: Tables, round_id: str) -> Iterator[tuple[int, int | None]]:
    """The heats of meetings that are not decided: who plays in a later one hangs on them."""
    bracket = bracket_of(tables.played(round_id), tables.field(round_id))
    if bracket is None:
        yield 1, None
    else:
        yield from ((heat, heat) for heat in bracket.due.values())


def _from(its: Round, heat: int, number: int) -> set[int]:
    """The heats of somebody from an attempt on."""
    group = (heat - 1) % groups_in(its)
    return {heat_of(its, later, group) for later in range(number, its.attempts + 1)}
