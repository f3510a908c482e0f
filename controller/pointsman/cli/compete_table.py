"""Standings in a terminal: a table for each round, and one for each class overall."""

from __future__ import annotations

from rich.console import Console

from pointsman.cli.output import amount, compact_table, say
from pointsman.compete.scoring.score import Score
from pointsman.compete.standings import Advances, RoundStanding, Row, Standings
from pointsman.compete.state import Round, State

TO_COME = "-"
_GOES_ON = {
    None: "",
    Advances.NO: "",
    Advances.YES: "goes on",
    Advances.RESERVE: "reserve",
    Advances.OPEN: "open",
}


def print_standings(out: Console, state: State, found: Standings, only: str | None) -> None:
    """All of it, or one round alone."""
    assert state.created is not None, "a book that was read begins"
    out.print(state.created.name, style="bold")
    for name, standing in found.rounds.items():
        if only in (None, name):
            out.print()
            _print_round(out, state, state.rounds[name], standing)
    if only is not None:
        return
    if not found.rounds:
        out.print()
        say(out, f"No round is announced yet; {amount(len(state.entrants), 'entrants')}.")
    for category, rows in found.overall.items():
        if all(row.result.score is None for row in rows):
            continue
        out.print()
        say(out, f"Overall, {category}" if category else "Overall")
        table = compact_table(out, "", "name", "result")
        for row in rows:
            table.add_row(_rank(row.rank, shared=row.shared, certain=row.result.certain), _name(state, row.entrant),
                          _text(row.result.score))  # fmt: skip
        out.print(table)


def _print_round(out: Console, state: State, its: Round, standing: RoundStanding) -> None:
    told = its.announced
    to_come = sum(row.result.open for row in standing.rows)
    say(out, f"{told.title} ({told.round}): {told.format} by {told.scheme}, in {told.count}")
    if not standing.rows:
        say(out, "nobody is in it yet")
        return
    say(out, "certain" if standing.certain else f"open: {amount(to_come, 'attempts')} to come")
    numbers = range(1, its.attempts + 1)
    table = compact_table(out, "", "name", "result", *map(str, numbers), "")
    for row in standing.rows:
        table.add_row(
            _rank(row.rank, shared=row.shared, certain=row.rank_certain),
            _name(state, row.entrant),
            _text(row.result.score),
            *(_attempt(row, number) for number in numbers),
            _GOES_ON[row.advances],
        )
    out.print(table)


def _attempt(row: Row, number: int) -> str:
    """What was made of an attempt, by both of a pair."""
    made = [its for its in row.attempts if its.number == number and (its.score is not None or its.missing)]
    if made:
        return " + ".join(its.missing if its.score is None else _text(its.score) for its in made)
    return "cut off" if row.result.cut_off else TO_COME


def _rank(rank: int | None, *, shared: bool, certain: bool) -> str:
    """``1``, ``2=`` for one that is shared, ``3?`` for one that can still change."""
    if rank is None:
        return ""
    return f"{rank}{'=' if shared else ''}{'' if certain else '?'}"


def _name(state: State, entrant: str) -> str:
    """Of a pair there is its name alone."""
    if entrant not in state.entrants:
        return entrant
    its = state.entrants[entrant]
    return f"{its.about.name} (withdrawn)" if its.withdrawn else its.about.name


def _text(score: Score | None) -> str:
    if score is None:
        return ""
    return f"{score.text}, {score.rank}" if score.rank else score.text
