"""The standing of a knockout: attempt k is made in heat k, by those who meet in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from pointsman.compete.attempted import Attempted
from pointsman.compete.field import Field
from pointsman.compete.formats import Result
from pointsman.compete.knockout import Bracket, bracket
from pointsman.compete.lines import Played
from pointsman.compete.standing import RoundStanding, Row


def bracket_of(played: Played, field: Field) -> Bracket | None:
    """How far a knockout has come, seeded in the order of its field; None while there are not two to meet."""
    sides = field.sides
    if len(sides) < 2:
        return None
    return bracket(
        tuple(sides),
        lambda side, heat: played.side_in(sides[side], heat),
        lambda side: played.side_gone(sides[side]),
    )


def knockout_standing(round_id: str, played: Played, field: Field) -> RoundStanding:
    """Who has gone out has a rank that stays; those still in it share the first, until one is left."""
    its = bracket_of(played, field)
    over = played.over or (its is not None and len(its.still) <= 1)
    rows: list[Row] = []
    for side, members in field.sides.items():
        rank = None if its is None else its.ranks.get(side, 1)
        out = its is not None and side in its.ranks
        attempts = tuple(sorted(_made(played, members), key=lambda one: one.number))
        numbers = dict.fromkeys(one.number for one in attempts)
        scores = [score for number in numbers if (score := played.side_in(members, number)) is not None]
        result = Result(scores[-1] if scores else None, int(not (out or over)), min(scores, default=None))
        rows.append(Row(side, members, rank, False, rank is not None and (out or over), result, attempts))
    many = Counter(row.rank for row in rows)
    in_order = sorted(rows, key=lambda row: row.rank or 0)
    placed = tuple(replace(row, shared=row.rank is not None and many[row.rank] > 1) for row in in_order)
    return RoundStanding(round_id, placed, field.certain and over, None, its.meetings if its else ())


def _made(played: Played, members: tuple[str, ...]) -> Iterator[Attempted]:
    return (its for name in members for its in played.scores.get(name, {}).values())
