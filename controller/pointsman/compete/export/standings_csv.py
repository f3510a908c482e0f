"""Where everybody stands, as a table: each round, then each class overall, the best first."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.compete.export.csv_cells import Cell, Style, table_csv
from pointsman.compete.formats import Result
from pointsman.compete.standings import Standings
from pointsman.compete.state import State

HEADINGS = (
    "round",
    "title of the round",
    "rank",
    "shared",
    "entrant",
    "name",
    "club",
    "class",
    "train",
    "how it ended",
    "result",
    "unit",
    "rank by par",
    "origin",
    "certain",
    "attempts to come",
    "goes on",
)
"""The columns; docs/competition-export.md tells what each is."""


def standings_csv(state: State, standings: Standings, style: Style) -> bytes:
    """The table as CSV; overall, the round is empty."""
    return table_csv(HEADINGS, _rows(state, standings, style), style)


def _rows(state: State, standings: Standings, style: Style) -> Iterator[list[Cell]]:
    for name, standing in standings.rounds.items():
        title = state.rounds[name].announced.title
        for row in standing.rows:
            yield [
                name,
                title,
                row.rank,
                row.shared,
                *_who(state, row.entrant),
                *_result(row.result, style),
                row.rank_certain,
                row.result.open,
                None if row.advances is None else style.tell(row.advances),
            ]
    for category, rows in standings.overall.items():
        for place in rows:
            who = _who(state, place.entrant)
            who[3] = category
            yield [
                None,
                style.tell("overall"),
                place.rank,
                place.shared,
                *who,
                *_result(place.result, style),
                place.result.certain,
                place.result.open,
                None,
            ]


def _who(state: State, entrant: str) -> list[Cell]:
    """Of a pair there is its name alone."""
    if entrant not in state.entrants:
        return [entrant, entrant, None, None, None]
    about = state.entrants[entrant].about
    return [entrant, about.name, about.club, about.category, about.train]


def _result(result: Result, style: Style) -> Iterator[Cell]:
    score = result.score
    if score is None:
        yield from (None,) * 5
        return
    yield style.tell(score.outcome)
    yield None if score.value is None else score.rounded.value
    yield style.tell(score.unit.many)
    yield score.rank
    yield style.tell(score.origin)
