"""Whose turn it is, for which attempt and in which heat, and why somebody may not be called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pointsman.compete.attempted import Attempted
from pointsman.compete.field import feeder, heat_of
from pointsman.compete.knockout import Bracket
from pointsman.compete.knockout_table import bracket_of
from pointsman.compete.lines import Played, undecided
from pointsman.compete.standings import Tables
from pointsman.compete.state import Phase, State, known


@dataclass(frozen=True, slots=True)
class Place:
    """An attempt that is to be made: its number, and the heat that it is made in."""

    number: int
    heat: int


@dataclass(frozen=True, slots=True)
class Due:
    """What an entrant is to do next in a round: ``place`` is None where nothing is.

    ``why_not`` says why the entrant may not be called now, and is empty when it may.
    """

    entrant: str
    place: Place | None
    why_not: str


def in_round(state: State, round_id: str) -> tuple[str, ...]:
    """Who is in a round, as ``standings.Tables.field`` says. Raises UsageError for a round that is not announced."""
    known(state.rounds, round_id, "round")
    return Tables(state).field(round_id).entrants


def next_place(state: State, round_id: str, entrant: str) -> Place | None:
    """The attempt that an entrant makes next in a round, whether it may be called now or not; None where there is none.

    An attempt to be run again is not it: that keeps its place. Raises UsageError for names that are not known.
    """
    return _due_of(state, round_id, entrant).place


def why_not(state: State, round_id: str, entrant: str) -> str:
    """Why an entrant may not be called in a round now; empty when it may. Raises UsageError for unknown names."""
    return _due_of(state, round_id, entrant).why_not


def due(tables: Tables, round_id: str) -> tuple[Due, ...]:
    """What everybody in a round is to do next, in the order of the round's field."""
    state = tables.state
    busy = {its.started.entrant: name for name, its in state.attempts.items() if its.phase is not Phase.ENDED}
    return tuple(_why(state, round_id, its, busy) for its in places(tables, round_id))


def places(tables: Tables, round_id: str) -> Iterator[Due]:
    """As ``due``, by the round's own order alone: what somebody has to make also while playing elsewhere."""
    return _knockout(tables, round_id) if tables.played(round_id).form.knockout else _in_order(tables, round_id)


_LATEST: list[Tables] = []


def _tables(state: State) -> Tables:
    """The tables of a state. Whoever calls somebody asks twice of one state, and soon of one that is hardly another."""
    latest = next(iter(_LATEST), None)
    if latest is None or latest.state is not state:
        latest = Tables(state) if latest is None else latest.after(state)
        _LATEST[:] = [latest]
    return latest


def _due_of(state: State, round_id: str, entrant: str) -> Due:
    known(state.rounds, round_id, "round")
    known(state.entrants, entrant, "entrant")
    tables = _tables(state)
    found = [its for its in due(tables, round_id) if its.entrant == entrant]
    return found[0] if found else Due(entrant, None, _not_in(tables, round_id, entrant))


def _not_in(tables: Tables, round_id: str, entrant: str) -> str:
    """Why somebody is not in a round."""
    state, its, about = tables.state, tables.state.rounds[round_id], tables.state.entrants[entrant].about
    if its.announced.category and about.category != its.announced.category:
        return f"{entrant} is not in the class {its.announced.category} of round {round_id}"
    if state.entrants[entrant].withdrawn:
        return f"{entrant} has withdrawn"
    if not tables.field(round_id).certain:
        return f"who goes on to round {round_id} is not certain before round {feeder(state, round_id)} is over"
    if its.form.pairs and not about.pair:
        return f"{entrant} is in no pair"
    if its.settled is not None:
        return f"{entrant} was not in round {round_id} when it began"
    fed_by = feeder(state, round_id)
    if fed_by is not None and entrant not in tables.advancing_from(fed_by):
        return f"{entrant} has not advanced from round {fed_by}"
    return f"the pair {about.pair} has not two who are in round {round_id}"


def _in_order(tables: Tables, round_id: str) -> Iterator[Due]:
    played = tables.played(round_id)
    for entrant, line in tables.lines(round_id).items():
        place, why = None, ""
        number = next((one.number for one in line.attempts if one.score is None and not one.missing), None)
        if number is None:
            why = f"{entrant} has made every attempt of round {round_id}"
        elif line.result.cut_off:
            why = f"{entrant} has not reached the cut-off of round {round_id}"
        elif line.attempts[number - 1].attempt is not None:
            why = _again(played, line.attempts[number - 1])
        elif played.cut_off is not None and number > played.cut_off.after and undecided(line.attempts, played.cut_off):
            why = f"whether {entrant} reaches the cut-off of round {round_id} is not known yet"
        elif not played.stopped(entrant):
            place = Place(number, heat_of(played.round, number, line.group))
        yield Due(entrant, place, why)


def _again(played: Played, one: Attempted) -> str:
    """Of an attempt without a score: it is on, which is told of whoever is on, or is to be run again."""
    assert one.attempt is not None, "an attempt that was made"
    ended = played.attempts[one.attempt].ended is not None
    return f"attempt {one.attempt} is to be run again on a spare draw" if ended else ""


def _knockout(tables: Tables, round_id: str) -> Iterator[Due]:
    played, field = tables.played(round_id), tables.field(round_id)
    its = bracket_of(played, field)
    for side, members in field.sides.items():
        for entrant in members:
            if its is None:
                yield Due(entrant, None, f"round {round_id} has nobody for {side} to meet")
            else:
                yield _in_bracket(played, its, side, entrant)


def _in_bracket(played: Played, its: Bracket, side: str, entrant: str) -> Due:
    round_id, heat = played.round.announced.round, its.due.get(side)
    if heat is None:
        if side in its.ranks:
            return Due(entrant, None, f"{side} is out of round {round_id}")
        won = "has won" if len(its.still) == 1 else "is through to the next stage of"
        return Due(entrant, None, f"{side} {won} round {round_id}")
    one = played.at(entrant, heat)
    if one.missing:
        return Due(entrant, None, f"attempt {one.attempt} cannot be scored: {one.missing}")
    if one.score is not None:
        return Due(entrant, None, f"{entrant} has played, and the other has not yet")
    if one.attempt is not None:
        return Due(entrant, None, _again(played, one))
    if heat > played.round.announced.heats:
        return Due(entrant, None, f"round {round_id} has no heat left: announce another round for those still in it")
    return Due(entrant, Place(heat, heat), "")


def _why(state: State, round_id: str, its: Due, busy: Mapping[str, str]) -> Due:
    """The same with what else keeps somebody from being called."""
    played = state.rounds[round_id]
    if its.entrant in busy:
        return replace(its, why_not=f"attempt {busy[its.entrant]} of {its.entrant} has not ended")
    if state.entrants[its.entrant].withdrawn:
        return replace(its, place=None, why_not=f"{its.entrant} has withdrawn")
    if played.secret is not None:
        return replace(its, place=None, why_not=f"round {round_id} is over: its secret is out")
    if its.place is not None and its.place.heat > len(played.heats):
        return replace(its, why_not=f"heat {its.place.heat} of round {round_id} is not open")
    return its
