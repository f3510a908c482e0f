"""The desk of a competition: every deed of an evening, judged on what its book says and written into it.

Whatever is slow, as deriving draws, is done before the book is taken; whether a deed may be done is judged on the book
as it is when it is written, so that several desks at one store are right. A deed that has come twice, because an answer
was lost on the way, is done once and answered the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Self

from pointsman.compete import desk_attempts, desk_entrants, desk_presses, desk_rounds
from pointsman.compete.book import Book
from pointsman.compete.chain import AttemptName
from pointsman.compete.commitment import sha256_of
from pointsman.compete.desk_book import Writing, attempt_of, round_of
from pointsman.compete.desk_clock import Shown
from pointsman.compete.desk_draws import Draws
from pointsman.compete.entries import (
    AttemptStarted,
    Committed,
    EntrantAdded,
    FaultMarked,
    HeatOpened,
    HintMarked,
    Journal,
    Revealed,
    Scope,
    SetUpAgreed,
    SharedTrainCounted,
    SpeedChecked,
    TokenRevoked,
    Undone,
)
from pointsman.compete.evidence import evidence
from pointsman.compete.marks import Fault, Marks, Measure, Outcome
from pointsman.compete.plans import Programme, RoundPlan
from pointsman.compete.played_out import PlayedOut
from pointsman.compete.sealing import secret_of
from pointsman.compete.state import Attempt, Round, State
from pointsman.compete.store.store import Deed, Store
from pointsman.compete.tokens import give
from pointsman.errors import PointsmanError
from pointsman.puzzle.puzzle import Count


class Desk:
    """The desk of one competition in a store. ``now`` tells the time in UTC, ``version`` is that of the program.

    Desks of one program may share what they know of their puzzles, ``draws``.

    Every deed takes ``by``, who does it; blocks, for the tenth of a second that a marshal's code takes and for the
    seconds that a puzzle's table takes the first time (``Draws``); may be done by several threads; and raises
    RefusedError for what the competition does not allow, UsageError and LayoutError for what is not there or cannot be
    right, CompetitionError for a store that cannot be used.
    """

    def __init__(
        self,
        store: Store,
        competition: str,
        *,
        now: Callable[[], datetime],
        version: str,
        draws: Draws | None = None,
    ) -> None:
        self._store, self.competition, self._now, self._version = store, competition, now, version
        self._draws = Draws() if draws is None else draws
        self._shown = PlayedOut()

    @classmethod
    def begin(
        cls,
        store: Store,
        programme: Programme,
        code: str,
        by: str,
        *,
        now: Callable[[], datetime],
        version: str,
        draws: Draws | None = None,
    ) -> Self:
        """Begin a competition by its programme: entrants entered, rounds announced; everything, or nothing."""
        desk = cls(store, programme.name, now=now, version=version, draws=draws)
        # Before draws are listed, which may take minutes.
        store.check_new(programme.name)
        prepared = [desk_rounds.prepare_of(plan, desk._draws, code, version) for plan in programme.rounds]
        writing: Writing = [(entrant, "") for entrant in programme.entrants]
        for its in prepared:
            writing += [(its.announced, ""), (its.committed, "")]
        at = now()
        # All of it is judged before anything is written, so that no competition is left behind that is half of it.
        book, _ = Book.empty(programme.name).write(programme.created, by=by, at=at)
        for entry, why in writing:
            book, _ = book.write(entry, by=by, at=at, why=why)
        store.create(programme.name, programme.created, by=by, at=at)
        if writing:
            store.do(programme.name, lambda _: writing, by=by, at=at)
        return desk

    @property
    def book(self) -> Book:
        """The book as it is now."""
        return self._store.book(self.competition)

    @property
    def state(self) -> State:
        """What it comes to now."""
        return self.book.state

    def _do(self, deed: Deed, by: str, at: datetime | None = None) -> Book:
        return self._store.do(self.competition, deed, by=by, at=self._now() if at is None else at)

    def _press(self, attempt: str, deed: Deed, by: str, at: datetime | None = None) -> Attempt:
        return self._do(deed, by, at).state.attempts[attempt]

    # ---------------------------------------------------------------- who takes part

    def enter(
        self,
        name: str,
        by: str,
        *,
        entrant: str = "",
        club: str = "",
        category: str = "",
        train: str = "",
        pair: str = "",
    ) -> str:
        """Somebody takes part; the id, which is made of the name when none is given."""
        found = entrant

        def deed(book: Book) -> Writing:
            nonlocal found
            about = EntrantAdded(entrant, name, club, category, train, pair)
            if not entrant:
                just_now = desk_entrants.entered_just_now(book, about, by)
                if just_now is not None:
                    found = just_now
                    return []
                found = desk_entrants.id_of(name, book.state.entrants)
            return desk_entrants.entered(book, replace(about, entrant=found), by)

        self._do(deed, by)
        return found

    def enter_all(self, entrants: Sequence[EntrantAdded], by: str) -> None:
        """All of these take part, or none of them is written."""
        self._do(lambda book: [one for its in entrants for one in desk_entrants.entered(book, its, by)], by)

    def change(
        self,
        entrant: str,
        why: str,
        by: str,
        *,
        name: str | None = None,
        club: str | None = None,
        category: str | None = None,
        train: str | None = None,
        pair: str | None = None,
    ) -> None:
        """Write something else of an entrant; what is None stays."""
        given = {"name": name, "club": club, "category": category, "train": train, "pair": pair}
        changes = {key: text for key, text in given.items() if text is not None}
        self._do(lambda book: desk_entrants.changed(book, entrant, changes, why), by)

    def withdraw(self, entrant: str, why: str, by: str) -> None:
        """An entrant starts no more."""
        self._do(lambda book: desk_entrants.withdrawn(book, entrant, why), by)

    def give_token(self, name: str, scope: Scope, lasts: timedelta, by: str) -> str:
        """A token for a helper's device; it is told now and never again."""
        at = self._now()
        token, given = give(name, scope, now=at, lasts=lasts)
        self._do(lambda _: [(given, "")], by, at)
        return token

    def revoke(self, name: str, by: str) -> None:
        """A token is worth nothing any more."""
        self._do(lambda _: [(TokenRevoked(name), "")], by)

    # ---------------------------------------------------------------- rounds and their draws

    def announce(self, plan: RoundPlan, code: str, by: str) -> Committed:
        """Announce a round and commit to its draws, sealed with the marshal's code; both or neither."""
        prepared = desk_rounds.prepare(plan, self._draws, code, self._version)
        state = self._do(lambda book: desk_rounds.announced(book, prepared, by), by).state
        committed = state.rounds[plan.id].committed
        assert committed is not None, "both are written, or neither"
        if committed != prepared.committed:  # it was announced before: with this code?
            secret_of(state.rounds[plan.id], code)
        return committed

    def open_heat(self, round_id: str, code: str, by: str, *, heat: int | None = None) -> HeatOpened:
        """Open a round's next heat; whoever may ask twice says which one it is."""
        state = self.state
        number, its = desk_rounds.heat_to_open(state, round_id, heat), state.rounds[round_id]
        draw = self._draws.of_heat(its, number, code)[0]
        self._draws.pars(its, draw.wagons)  # now is the time: whoever ends an attempt does not want to wait
        after = self._do(lambda book: desk_rounds.heat_opened(book, round_id, draw, again=heat is not None), by).state
        return after.rounds[round_id].heats[number - 1]

    def reveal(self, round_id: str, code: str, by: str, *, why: str = "") -> Revealed:
        """Publish a round's secret; nobody plays in it any more. While attempts are to come it needs a reason."""
        secret = secret_of(round_of(self.state, round_id), code)
        self._do(lambda book: desk_rounds.revealed(book, round_id, secret, why), by)
        return Revealed(round_id, secret.hex())

    def speed(self, round_id: str, locomotive: str, distance_mm: int, time_ms: int, by: str) -> None:
        """A locomotive was timed over a measured distance."""
        self._do(lambda _: [(SpeedChecked(round_id, locomotive, distance_mm, time_ms), "")], by)

    def shared_train(self, round_id: str, heat: int, placed: int, by: str) -> None:
        """So many wagons of the train that all of a heat share stand in their places."""
        entry = SharedTrainCounted(round_id, heat, placed)
        self._do(lambda book: desk_rounds.shared_train_counted(book, entry, by), by)

    # ---------------------------------------------------------------- attempts

    def call(self, round_id: str, entrant: str, by: str) -> AttemptStarted:
        """Call an entrant to the next place that is the entrant's."""
        shown = self._shown
        book = self._do(lambda book: desk_attempts.called(book, round_id, entrant, by, shown), by)
        waiting = desk_attempts.waiting_at(book, round_id, entrant, by)
        assert waiting is not None, "who was called waits"
        return waiting

    def rerun(self, attempt: str, code: str, why: str, by: str) -> AttemptStarted:
        """Call an entrant again after an equipment fault, on the next spare that nobody has had."""
        state = self.state
        started = attempt_of(state, attempt).started
        draws = self._draws.of_heat(state.rounds[started.round], started.heat, code)
        book = self._do(lambda book: desk_attempts.run_again(book, attempt, draws, why, by), by)
        again = desk_attempts.ran_again(book, attempt, by)
        assert again is not None, "who was called again waits"
        self._draws.pars(state.rounds[started.round], again.cards)
        return again

    def agree(self, attempt: str, by: str, picture_sha256: str | None = None) -> Attempt:
        """The wagons stand as drawn."""
        its = attempt_of(state := self.state, attempt).started
        position = str(self._draws.laid_out(state.rounds[its.round], its.cards).start)
        entry = SetUpAgreed(attempt, position, picture_sha256)
        return self._press(attempt, lambda book: desk_presses.agreed(book, entry, by), by)

    def start(self, attempt: str, by: str) -> Attempt:
        """The clock runs from now on."""
        return self._press(attempt, lambda book: desk_presses.started(book, attempt, by), by)

    def pause(self, attempt: str, why: str, by: str, at_ms: int | None = None) -> Attempt:
        """The clock stands, because of the equipment."""
        at = Shown(self._now(), at_ms)
        return self._press(attempt, lambda book: desk_presses.paused(book, attempt, why, by, at), by, at.at)

    def resume(self, attempt: str, by: str) -> Attempt:
        """The clock runs again."""
        return self._press(attempt, lambda book: desk_presses.resumed(book, attempt, by), by)

    def fault(self, attempt: str, fault: Fault, by: str, at_ms: int | None = None) -> Attempt:
        """A fault was seen, when the clock of whoever saw it showed ``at_ms``."""
        at = Shown(self._now(), at_ms)
        entry = FaultMarked(attempt, fault, at_ms or 0)
        return self._press(attempt, lambda book: desk_presses.pressed(book, attempt, entry, by, at), by, at.at)

    def hint(self, attempt: str, by: str, at_ms: int | None = None) -> Attempt:
        """A hint was given."""
        at = Shown(self._now(), at_ms)
        entry = HintMarked(attempt, at_ms or 0)
        return self._press(attempt, lambda book: desk_presses.pressed(book, attempt, entry, by, at), by, at.at)

    def end(
        self,
        attempt: str,
        outcome: Outcome,
        by: str,
        *,
        at_ms: int | None = None,
        counts: Mapping[Measure, int] = {},
        journal: Path | None = None,
        marks: Marks | None = None,
        why: str = "",
    ) -> Attempt:
        """End an attempt. Without ``marks`` they are those of its journal, or of presses, clock and typed ``counts``.

        A count of ``Measure.TIME`` is in milliseconds, and is for a clock that did not run here.
        """
        shown = Shown(self._now(), at_ms)  # before anything that takes its time
        state = self.state
        its = attempt_of(state, attempt)
        of = state.rounds[its.started.round]
        played = None if journal is None else Journal(journal.name, sha256_of(journal))
        par: Mapping[Count, int] = {}
        if marks is None and journal is not None:
            marks = self._seen(its, of, journal, outcome)
        elif marks is None:
            par = self._par(of, its.started)
        deed = partial(
            desk_attempts.ended,
            attempt=attempt,
            outcome=outcome,
            by=by,
            shown=shown,
            counts=dict(counts),
            journal=played,
            marks=marks,
            par=par,
            why=why,
        )
        return self._press(attempt, deed, by, shown.at)

    def _seen(self, its: Attempt, of: Round, journal: Path, outcome: Outcome) -> Marks:
        """What a journal shows of an attempt."""
        started = its.started
        found = evidence(
            journal,
            chosen=self._draws.laid_out(of, started.cards),
            attempt=AttemptName(self.competition, started.attempt),
            pars=self._draws.solver_of(of),
        )
        return desk_attempts.as_told(found.marks, outcome, started.attempt)

    def _par(self, its: Round, started: AttemptStarted) -> Mapping[Count, int]:
        """What the draw of an attempt is solved with; that in the round's count is always known."""
        try:
            found = self._draws.pars(its, started.cards)
        except PointsmanError:
            # The attempt ends all the same; a scheme that needs another par says so.
            found = {}
        return {**found, its.announced.count: started.par}

    def correct(self, attempt: str, marks: Marks, why: str, by: str) -> Attempt:
        """These marks count from now on."""
        return self._press(attempt, lambda book: desk_attempts.corrected(book, attempt, marks, why, by), by)

    def check(self, attempt: str, by: str) -> Attempt:
        """Somebody who has written nothing of an attempt finds its marks right."""
        return self._press(attempt, lambda book: desk_attempts.checked(book, attempt, by), by)

    def undo(self, seq: int, why: str, by: str) -> None:
        """Entry ``seq`` does not count any more; when the entry that says so is undone, it counts again."""
        self._do(lambda _: [(Undone(seq), why)], by)
