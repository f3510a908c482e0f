"""A desk's deeds with attempts but for those of a clock: called, run again, ended, corrected, checked.

A function with a ``book`` judges on it, and tells what is to be written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pointsman.compete.book import Book
from pointsman.compete.by_hand import by_hand, check_scorable, with_outcome
from pointsman.compete.desk_book import Writing, attempt_of, ever_called, last_of, round_of, was_last, with_note
from pointsman.compete.desk_clock import Shown
from pointsman.compete.desk_entrants import numbered
from pointsman.compete.draws import HeatDraw
from pointsman.compete.entries import AttemptEnded, AttemptStarted, Checked, Journal, MarksCorrected
from pointsman.compete.marks import Marks, Measure, Outcome
from pointsman.compete.played_out import PlayedOut
from pointsman.compete.schedule import next_place, why_not
from pointsman.compete.state import Phase, known, person
from pointsman.errors import RefusedError
from pointsman.puzzle.puzzle import Count

_LONGEST = 60  # characters of an id
AGAIN = "-again"


def called(book: Book, round_id: str, entrant: str, by: str, shown: PlayedOut) -> Writing:
    """An entrant is called to the next place; nothing when this person has done that, and no clock has run since."""
    state = book.state
    its = round_of(state, round_id)
    known(state.entrants, entrant, "entrant")
    if waiting_at(book, round_id, entrant, by) is not None:
        return []
    reason, place = why_not(state, round_id, entrant), next_place(state, round_id, entrant)
    if reason or place is None:
        raise RefusedError(
            [reason or f"no attempt of {entrant} is to come in round {round_id}"],
            where=round_id,
            cure="call somebody else; the standings tell who is waited for",
        )
    if shown.before(book, round_id, place.heat, entrant):
        raise RefusedError(
            [f"the draw of heat {place.heat} of round {round_id} could be seen by all before {entrant} was to play it"],
            where=round_id,
            cure="let it be the next round; when all others have played, publish the secret of this one and say why",
        )
    heat = its.heats[place.heat - 1]
    name = _name(book, f"{round_id}-{entrant}-{place.number}", f"{round_id[:20]}-{entrant[:20]}-{place.number}")
    return [(AttemptStarted(name, round_id, place.heat, entrant, place.number, heat.cards, heat.par), "")]


def waiting_at(book: Book, round_id: str, entrant: str, by: str) -> AttemptStarted | None:
    """The call of an entrant in a round by this person, while no clock has run since."""
    for name, attempt in book.state.of_round(round_id).items():
        if attempt.started.entrant == entrant and attempt.phase is Phase.CALLED:
            return attempt.started if was_last(book, name, by, AttemptStarted) else None
    return None


def _name(book: Book, wished: str, shorter: str) -> str:
    """An id for an attempt, which no other one ever had."""
    taken = {its.attempt for its in ever_called(book)}
    found = numbered(wished, taken)
    return found if len(found) <= _LONGEST else numbered(shorter, taken)


def run_again(book: Book, attempt: str, draws: Sequence[HeatDraw], why: str, by: str) -> Writing:
    """An entrant is called again after an equipment fault, on the next spare; ``draws`` are those of the heat.

    A spare that somebody was called to is used up, also when the call was taken back.
    """
    its = attempt_of(book.state, attempt)
    started = its.started
    if ran_again(book, attempt, by) is not None:
        return []
    if its.outcome is not Outcome.EQUIPMENT:
        raise RefusedError(
            [f"attempt {attempt} has not ended by a fault of the equipment"],
            where=attempt,
            cure="end it as an equipment fault first, with the reason; another attempt is not run again",
        )
    used = {one.spare for one in ever_called(book) if (one.round, one.heat) == (started.round, started.heat)}
    left = [draw for draw in draws if draw.spare and draw.spare not in used]
    if not left:
        raise RefusedError(
            [f"heat {started.heat} has no spare draw left: it had {len(draws) - 1}"],
            where=attempt,
            cure="announce another round for who is still to play; draws are never made afterwards",
        )
    draw = left[0]
    name = _name(
        book,
        f"{started.attempt}{AGAIN}",
        f"{started.round[:20]}-{started.entrant[:20]}-{started.number}{AGAIN}",
    )
    again = AttemptStarted(
        name, started.round, started.heat, started.entrant, started.number, draw.wagons, draw.par, draw.spare
    )
    return [(again, why)]


def ran_again(book: Book, attempt: str, by: str) -> AttemptStarted | None:
    """The call by this person that has run an attempt again, while no clock has run since."""
    state = book.state
    place, names = attempt_of(state, attempt).place, list(state.attempts)
    later = [name for name in names[names.index(attempt) + 1 :] if state.attempts[name].place == place]
    if len(later) != 1 or state.attempts[later[0]].phase is not Phase.CALLED:
        return None
    return state.attempts[later[0]].started if was_last(book, later[0], by, AttemptStarted) else None


def ended(
    book: Book,
    attempt: str,
    outcome: Outcome,
    by: str,
    *,
    shown: Shown,
    counts: Mapping[Measure, int],
    journal: Journal | None,
    marks: Marks | None,
    par: Mapping[Count, int],
    why: str,
) -> Writing:
    """An attempt is over, with the marks given, else with those that presses, clock and counts come to."""
    its = attempt_of(book.state, attempt)
    if its.phase is Phase.ENDED and its.ended is not None:
        if its.ended.outcome is outcome and was_last(book, attempt, by, AttemptEnded):
            return []
        raise RefusedError(
            [f"attempt {attempt} has ended already: {its.outcome}"],
            where=attempt,
            cure="if that is wrong, correct its marks and say why",
        )
    clock_ms, note = shown.of(its)
    if marks is None:
        marks, why = by_hand(its, outcome, clock_ms=clock_ms, counts=counts, par=par), with_note(why, note)
    marks = with_outcome(marks, outcome)
    check_scorable(marks, book.state.rounds[its.started.round], attempt)
    return [(AttemptEnded(attempt, outcome, journal, marks), why)]


def as_told(seen: Marks, outcome: Outcome, attempt: str) -> Marks:
    """What a journal shows, with the outcome that a person tells; RefusedError when the two cannot both be true.

    That the equipment failed is a person's word, whatever the journal shows.
    """
    reached, moved = seen.outcome is Outcome.FINISHED, seen.outcome is not Outcome.DID_NOT_START
    cure = "if the journal is wrong, end it as the journal has it, correct the marks, and say why"
    if outcome is Outcome.FINISHED and not reached:
        raise RefusedError(["the journal does not show the goal confirmed"], where=attempt, cure=cure)
    if outcome is Outcome.DID_NOT_FINISH and reached:
        raise RefusedError(["the journal shows the goal confirmed"], where=attempt, cure=cure)
    if outcome is Outcome.DID_NOT_START and moved:
        raise RefusedError(["the journal shows that it was started"], where=attempt, cure=cure)
    return with_outcome(seen, outcome)


def corrected(book: Book, attempt: str, marks: Marks, why: str, by: str) -> Writing:
    """Other marks count from now on."""
    its = attempt_of(book.state, attempt)
    last = last_of(book, attempt, MarksCorrected, AttemptEnded)
    entry = MarksCorrected(attempt, marks)
    if last is not None and (last.entry, last.why, person(last.by)) == (entry, why, person(by)):
        return []
    check_scorable(marks, book.state.rounds[its.started.round], attempt)
    return [(entry, why)]


def checked(book: Book, attempt: str, by: str) -> Writing:
    """Somebody finds an attempt's marks right."""
    its = attempt_of(book.state, attempt)
    if its.checked_by and person(its.checked_by) == person(by):
        return []
    return [(Checked(attempt), "")]
