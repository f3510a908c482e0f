"""What an entry makes of a competition, and what a competition refuses, with the reason and what to do instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from pointsman.compete import entries as e
from pointsman.compete.commitment import ParRange
from pointsman.compete.marks import Outcome
from pointsman.compete.ranking import Advance
from pointsman.compete.state import Attempt, Entrant, Phase, Round, State, Token, known, person
from pointsman.errors import RefusedError

T = TypeVar("T")


def apply(state: State, written: e.Written) -> State:
    """The competition after an entry that counts. Raises RefusedError, and UsageError for rules that cannot be right.

    ``Undone`` is not read here: whoever folds has left out what is taken back (``book``).
    """
    entry = written.entry
    if state.created is None and not isinstance(entry, e.Created):
        _refuse("the competition has not begun", written, "create it first")
    if isinstance(entry, _NEED_WHY) and not written.why:
        _refuse("this needs a reason", written, "say why, in one line")
    rule: Callable[[State, e.Written, Any], State] = _RULES[type(entry)]
    return rule(state, written, entry)


_NEED_WHY = (e.Undone, e.MarksCorrected, e.Paused, e.EntrantChanged)


def _refuse(reason: str, written: e.Written, cure: str) -> NoReturn:
    raise RefusedError([reason], where=f"entry {written.seq}", cure=cure)


def _with(names: Mapping[str, T], name: str, its: T) -> dict[str, T]:
    return {**names, name: its}


# ---------------------------------------------------------------- the competition and its entrants


def _created(state: State, written: e.Written, entry: e.Created) -> State:
    if state.created is not None:
        _refuse("the competition has begun already", written, "open another competition for another day")
    return replace(state, created=entry)


def _entrant(state: State, written: e.Written, entry: e.EntrantAdded) -> State:
    if entry.entrant in state.entrants:
        _refuse(f"there is an entrant {entry.entrant} already", written, "choose another id, or change that entrant")
    return replace(state, entrants=_with(state.entrants, entry.entrant, Entrant(entry)))


def _entrant_changed(state: State, written: e.Written, entry: e.EntrantChanged) -> State:
    its = known(state.entrants, entry.entrant, "entrant")
    started = [a for a in state.attempts.values() if a.started.entrant == entry.entrant]
    if started and entry.category != its.about.category:
        _refuse(
            f"{entry.entrant} has started, and a class is not changed after that",
            written,
            "leave the class as it is; names and trains can be corrected",
        )
    return replace(state, entrants=_with(state.entrants, entry.entrant, replace(its, about=entry)))


def _withdrawn(state: State, written: e.Written, entry: e.Withdrawn) -> State:
    its = known(state.entrants, entry.entrant, "entrant")
    if its.withdrawn:
        _refuse(f"{entry.entrant} has withdrawn already", written, "nothing is to be done")
    return replace(state, entrants=_with(state.entrants, entry.entrant, replace(its, withdrawn=True)))


# ---------------------------------------------------------------- rounds and their draws


def _round(state: State, written: e.Written, entry: e.RoundAnnounced) -> State:
    if entry.round in state.rounds:
        _refuse(
            f"round {entry.round} is announced, and an announced round is not changed",
            written,
            "take the announcement back while nothing has been committed to, or announce a round with another id",
        )
    its = Round(entry)
    ParRange(entry.par_least, entry.par_most)
    form = its.form
    form.check_heats(entry.heats)
    its.scheme.check(its.terms)
    if entry.cut_off is not None and entry.cut_off.after >= form.attempts:
        _refuse(
            f"a cut-off after {entry.cut_off.after} of {form.attempts} attempts cuts nothing off",
            written,
            "let it come before the last attempt, or leave it out",
        )
    if form.knockout and entry.advance is not None:
        _refuse("nobody advances from a knockout: it has a winner", written, "leave the advance out")
    if entry.advance is not None:
        Advance(entry.advance.by, entry.advance.value, entry.advance.edge)
    return replace(state, rounds=_with(state.rounds, entry.round, its))


def _committed(state: State, written: e.Written, entry: e.Committed) -> State:
    its = known(state.rounds, entry.round, "round")
    if its.committed is not None:
        _refuse(
            f"the draws of round {entry.round} are settled, and are not drawn again",
            written,
            "play it as it is, or announce a round with another id",
        )
    its.parts(entry)
    return replace(state, rounds=_with(state.rounds, entry.round, replace(its, committed=entry)))


def _heat_opened(state: State, written: e.Written, entry: e.HeatOpened) -> State:
    its = known(state.rounds, entry.round, "round")
    if its.committed is None:
        _refuse(f"nothing has been committed to in round {entry.round}", written, "commit to its draws first")
    if its.secret is not None:
        _refuse(f"round {entry.round} is over: its secret is out", written, "announce a round with another id")
    due = len(its.heats) + 1
    if entry.heat > its.announced.heats:
        _refuse(f"round {entry.round} has no heat {entry.heat}", written, f"its heats are 1 to {its.announced.heats}")
    if entry.heat < due:
        _refuse(f"heat {entry.heat} of round {entry.round} is open already", written, "play it")
    if entry.heat > due:
        _refuse(
            f"heat {entry.heat} of round {entry.round} is not the next one",
            written,
            f"heats are opened in their order: open heat {due} first",
        )
    played = [a.started.cards for a in state.of_round(entry.round).values()]
    if entry.cards in (*played, *(heat.cards for heat in its.heats)):
        _refuse(
            f"this draw was used in round {entry.round} already",
            written,
            "derive the draw of this heat again: no two draws of a round are equal",
        )
    _check_par(its, entry.par, written)
    return replace(state, rounds=_with(state.rounds, entry.round, replace(its, heats=(*its.heats, entry))))


def _check_par(its: Round, par: int, written: e.Written) -> None:
    pars = ParRange(its.announced.par_least, its.announced.par_most)
    if par not in pars:
        _refuse(f"a draw of par {par} is not in the range {pars}", written, "derive the draw from the commitment again")


def _revealed(state: State, written: e.Written, entry: e.Revealed) -> State:
    its = known(state.rounds, entry.round, "round")
    if its.committed is None:
        _refuse(f"nothing has been committed to in round {entry.round}", written, "commit to its draws first")
    if its.secret is not None:
        _refuse(f"the secret of round {entry.round} is out already", written, "nothing is to be done")
    running = [name for name, a in state.of_round(entry.round).items() if a.phase is not Phase.ENDED]
    if running:
        _refuse(
            f"attempt {running[0]} of round {entry.round} has not ended",
            written,
            "end every attempt first: with the secret, spare draws could be known",
        )
    its.parts(its.committed).check(bytes.fromhex(entry.secret), its.committed.commitment)
    return replace(state, rounds=_with(state.rounds, entry.round, replace(its, secret=entry.secret)))


def _speed(state: State, written: e.Written, entry: e.SpeedChecked) -> State:
    its = known(state.rounds, entry.round, "round")
    if its.announced.speed_limit_mm_s is None:
        _refuse(f"round {entry.round} has no speed limit", written, "nothing is to be measured")
    return replace(state, rounds=_with(state.rounds, entry.round, replace(its, speeds=(*its.speeds, entry))))


def _shared_train(state: State, written: e.Written, entry: e.SharedTrainCounted) -> State:
    its = known(state.rounds, entry.round, "round")
    if its.scheme.shared is None:
        _refuse(f"no train is shared in round {entry.round}", written, "nothing is to be counted")
    if entry.heat > len(its.heats):
        _refuse(f"heat {entry.heat} of round {entry.round} is not open", written, "open it first")
    if entry.heat in its.shared_placed:
        _refuse(f"the shared train of heat {entry.heat} is counted already", written, "take that back first")
    counted = {**its.shared_placed, entry.heat: entry.placed}
    return replace(state, rounds=_with(state.rounds, entry.round, replace(its, shared_placed=counted)))


# ---------------------------------------------------------------- attempts


def _attempt(state: State, written: e.Written, entry: e.AttemptStarted) -> State:
    entrant, its = known(state.entrants, entry.entrant, "entrant"), known(state.rounds, entry.round, "round")
    if entry.attempt in state.attempts:
        _refuse(f"there is an attempt {entry.attempt} already", written, "choose another id")
    if entrant.withdrawn:
        _refuse(f"{entry.entrant} has withdrawn", written, "take the withdrawal back if it was a mistake")
    if its.announced.category and entrant.about.category != its.announced.category:
        _refuse(
            f"{entry.entrant} is not in the class {its.announced.category} of round {entry.round}",
            written,
            "call somebody of that class, or correct the entrant's class before the first attempt",
        )
    if entry.heat > len(its.heats):
        _refuse(f"heat {entry.heat} of round {entry.round} is not open", written, "open it first")
    if its.secret is not None:
        _refuse(f"round {entry.round} is over: its secret is out", written, "announce a round with another id")
    if entry.number > its.attempts:
        _refuse(
            f"there is no attempt {entry.number} in round {entry.round}",
            written,
            f"{its.announced.format} has {its.attempts} attempts",
        )
    _check_place(state, written, entry)
    _check_draw(state, written, entry, its)
    rounds = state.rounds
    if its.form.knockout and its.settled is None:
        rounds = _with(rounds, entry.round, replace(its, settled=state))
    started = Attempt(entry, frozenset({person(written.by)}))
    return replace(state, rounds=rounds, attempts=_with(state.attempts, entry.attempt, started))


def _check_place(state: State, written: e.Written, entry: e.AttemptStarted) -> None:
    before = None
    for name, other in state.attempts.items():
        if other.started.entrant == entry.entrant and other.phase is not Phase.ENDED:
            _refuse(f"attempt {name} of {entry.entrant} has not ended", written, "end that one first")
        if other.place == (entry.round, entry.entrant, entry.number):
            before = other
    if before is None and entry.spare:
        _refuse("a spare draw is for an attempt that is run again", written, "take the heat's own draw")
    if before is not None and before.outcome is not Outcome.EQUIPMENT:
        _refuse(
            f"{entry.entrant} has made attempt {entry.number} of round {entry.round} already",
            written,
            "an attempt is run again after an equipment fault alone; correct its marks if they are wrong",
        )
    if before is not None and (not entry.spare or not written.why):
        _refuse("an attempt that is run again takes a spare draw, and a reason", written, "take a spare, and say why")


def _check_draw(state: State, written: e.Written, entry: e.AttemptStarted, its: Round) -> None:
    if entry.spare > its.announced.spares:
        _refuse(
            f"heat {entry.heat} has no spare {entry.spare}",
            written,
            f"it has {its.announced.spares}; announce a round with more of them",
        )
    if not entry.spare:
        own = its.heats[entry.heat - 1]
        if (entry.cards, entry.par) != (own.cards, own.par):
            _refuse(f"this is not the draw of heat {entry.heat}", written, "set up the cards that the heat has")
    elif any(entry.cards == heat.cards for heat in its.heats):
        _refuse(f"this draw was used in round {entry.round} already", written, "derive the spare draw again")
    _check_par(its, entry.par, written)
    for name, other in state.of_round(entry.round).items():
        mine = other.started.entrant == entry.entrant
        if (mine or entry.spare) and (
            other.draw == (entry.round, entry.heat, entry.spare) or other.started.cards == entry.cards
        ):
            _refuse(
                f"this draw was used in attempt {name} already",
                written,
                "take the next spare" if entry.spare else "call the entrant in another heat: nobody plays a draw twice",
            )


def _changed(
    state: State, written: e.Written, name: str, phases: tuple[Phase, ...], cure: str, **changes: object
) -> State:
    """An attempt changed by somebody; refused unless it is in one of these phases."""
    its = known(state.attempts, name, "attempt")
    if its.phase not in phases:
        _refuse(f"attempt {name} is {its.phase}", written, cure)
    clock_ms = changes.get("clock_ms", its.clock_ms)
    assert isinstance(clock_ms, int), "a clock is in milliseconds"
    if clock_ms < its.clock_ms:
        _refuse(
            f"the clock of attempt {name} has shown {its.clock_ms} ms already, and does not go back to {clock_ms} ms",
            written,
            "enter what it shows now",
        )
    hands = its.hands | {person(written.by)}
    changed: Attempt = replace(its, hands=hands, **changes)  # type: ignore[arg-type]  # each rule gives its own
    return replace(state, attempts=_with(state.attempts, name, changed))


_ANY = (Phase.CALLED, Phase.RUNNING, Phase.PAUSED)
_ON = (Phase.RUNNING, Phase.PAUSED)
_OVER = "it has ended: correct its marks if they are wrong"


def _set_up(state: State, written: e.Written, entry: e.SetUpAgreed) -> State:
    its = known(state.attempts, entry.attempt, "attempt")
    if its.set_up is not None:
        _refuse(f"the set-up of attempt {entry.attempt} is agreed already", written, "take that back first")
    return _changed(state, written, entry.attempt, (Phase.CALLED,), "before the clock runs it is agreed", set_up=entry)


def _clock_started(state: State, written: e.Written, entry: e.ClockStarted) -> State:
    its = known(state.attempts, entry.attempt, "attempt")
    if its.phase is Phase.CALLED and its.set_up is None:
        _refuse(
            f"the set-up of attempt {entry.attempt} is not agreed",
            written,
            "compare what stands on the layout with the picture first",
        )
    if not state.rounds[its.started.round].slow_enough:
        limit_mm_s = state.rounds[its.started.round].announced.speed_limit_mm_s
        _refuse(
            f"no locomotive has shown that it keeps to {limit_mm_s} mm/s",
            written,
            "time it over a measured distance; slow it down if it is too fast",
        )
    cure = "a clock is started once"
    return _changed(
        state, written, entry.attempt, (Phase.CALLED,), cure, phase=Phase.RUNNING, since=written.at, since_ms=0
    )


def _paused(state: State, written: e.Written, entry: e.Paused) -> State:
    cure = "only a clock that runs can be stopped"
    return _changed(state, written, entry.attempt, (Phase.RUNNING,), cure, phase=Phase.PAUSED, clock_ms=entry.at_ms)


def _resumed(state: State, written: e.Written, entry: e.Resumed) -> State:
    cure = "only a clock that was stopped can go on"
    its = known(state.attempts, entry.attempt, "attempt")
    if its.phase is Phase.PAUSED and entry.at_ms != its.clock_ms:
        _refuse(
            f"the clock of attempt {entry.attempt} was stopped at {its.clock_ms} ms, and not at {entry.at_ms} ms",
            written,
            "let it go on from where it stood",
        )
    return _changed(
        state,
        written,
        entry.attempt,
        (Phase.PAUSED,),
        cure,
        phase=Phase.RUNNING,
        since=written.at,
        since_ms=entry.at_ms,
    )


def _pressed(state: State, written: e.Written, entry: e.FaultMarked | e.HintMarked) -> State:
    its = known(state.attempts, entry.attempt, "attempt")
    # Two tablets need not agree on who was first: a press may be for a moment just gone.
    return _changed(state, written, entry.attempt, _ON, _OVER, pressed=(*its.pressed, entry))


def _ended(state: State, written: e.Written, entry: e.AttemptEnded) -> State:
    if entry.outcome is Outcome.EQUIPMENT and not written.why:
        _refuse("this needs a reason", written, "say what was wrong with the equipment")
    if entry.marks is not None and entry.marks.outcome is not entry.outcome:
        _refuse(
            f"the marks say {entry.marks.outcome}, and the entry says {entry.outcome}",
            written,
            "enter one and the same",
        )
    if entry.outcome is Outcome.FINISHED and entry.marks is None and entry.journal is None:
        _refuse("nothing shows how this was done", written, "give its journal, or enter its marks")
    return _changed(state, written, entry.attempt, _ANY, _OVER, phase=Phase.ENDED, ended=entry, marks=entry.marks)


def _corrected(state: State, written: e.Written, entry: e.MarksCorrected) -> State:
    its = known(state.attempts, entry.attempt, "attempt")
    at_its_place = [name for name, other in state.attempts.items() if other.place == its.place]
    if at_its_place[-1] != entry.attempt and entry.marks.outcome is not its.outcome:
        _refuse(
            f"attempt {entry.attempt} was run again as {at_its_place[-1]}, so that how it ended stays",
            written,
            "correct the figures alone",
        )
    return _changed(
        state,
        written,
        entry.attempt,
        (Phase.ENDED,),
        "end it first",
        marks=entry.marks,
        corrected=True,
        checked_by="",
    )


def _checked(state: State, written: e.Written, entry: e.Checked) -> State:
    its = known(state.attempts, entry.attempt, "attempt")
    if its.phase is not Phase.ENDED:
        _refuse(f"attempt {entry.attempt} is {its.phase}", written, "end it first")
    if its.checked_by:
        _refuse(f"attempt {entry.attempt} was checked by {its.checked_by}", written, "nothing is to be done")
    if person(written.by) in its.hands:
        _refuse(
            f"{written.by} has written of attempt {entry.attempt}, and does not check it too",
            written,
            "let somebody else look at it",
        )
    return replace(state, attempts=_with(state.attempts, entry.attempt, replace(its, checked_by=written.by)))


# ---------------------------------------------------------------- helpers' devices


def _token(state: State, written: e.Written, entry: e.TokenGiven) -> State:
    if entry.name in state.tokens or any(entry.sha256 == its.given.sha256 for its in state.tokens.values()):
        _refuse(f"there is a token {entry.name} already", written, "give another name, and make another token")
    if entry.expires <= written.at:
        _refuse("this token would have expired already", written, "let it expire later")
    return replace(state, tokens=_with(state.tokens, entry.name, Token(entry)))


def _token_revoked(state: State, written: e.Written, entry: e.TokenRevoked) -> State:
    its = known(state.tokens, entry.name, "token")
    if its.revoked:
        _refuse(f"token {entry.name} was revoked already", written, "nothing is to be done")
    return replace(state, tokens=_with(state.tokens, entry.name, replace(its, revoked=True)))


_RULES: dict[type[e.Entry], Callable[[State, e.Written, Any], State]] = {
    e.Created: _created,
    e.EntrantAdded: _entrant,
    e.EntrantChanged: _entrant_changed,
    e.Withdrawn: _withdrawn,
    e.RoundAnnounced: _round,
    e.Committed: _committed,
    e.HeatOpened: _heat_opened,
    e.Revealed: _revealed,
    e.AttemptStarted: _attempt,
    e.SetUpAgreed: _set_up,
    e.SpeedChecked: _speed,
    e.SharedTrainCounted: _shared_train,
    e.ClockStarted: _clock_started,
    e.Paused: _paused,
    e.Resumed: _resumed,
    e.FaultMarked: _pressed,
    e.HintMarked: _pressed,
    e.AttemptEnded: _ended,
    e.MarksCorrected: _corrected,
    e.Checked: _checked,
    e.TokenGiven: _token,
    e.TokenRevoked: _token_revoked,
}
