"""An attempt's marks where people saw what happened: from their presses, from the clock, and from counts they type.

Every figure is *entered by a person*: nobody else has seen it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pointsman.compete.entries import LONGEST_MS, FaultMarked
from pointsman.compete.marks import NONE, Fault, Figure, Marks, Measure, Outcome, called
from pointsman.compete.state import Attempt, Phase, Round
from pointsman.errors import RefusedError, UsageError
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count

TYPED = (
    Measure.TIME,
    Measure.RUNS,
    Measure.REVERSALS,
    Measure.COUPLINGS,
    Measure.PULL_DROPS,
    Measure.HINTS,
    Measure.EMERGENCY_STOPS,
    Measure.HELPED,
    Measure.PLACED,
)
"""What a person may type; couplings and runs together are typed one by one."""
_MOST = 100_000  # of anything that a person counts in an attempt


def by_hand(
    its: Attempt, outcome: Outcome, *, clock_ms: int, counts: Mapping[Measure, int], par: Mapping[Count, int]
) -> Marks:
    """The marks of an attempt that ends now, its clock at ``clock_ms``; a typed time is in milliseconds.

    A time is typed where the clock did not run. Raises UsageError for a count that cannot be right, RefusedError for
    one that says something else than what was pressed.
    """
    _check(counts)
    started = its.phase is not Phase.CALLED
    if outcome is Outcome.DID_NOT_START:
        if started:
            _refuse(f"the clock of attempt {its.started.attempt} has run", "then it was started: it did not finish")
        if counts or its.pressed:
            _refuse("an attempt that was not started has no counts", "leave them out")
        return Marks(outcome, Origin.ENTERED, par=dict(par))
    faults, hints = _pressed(its)
    time_ms = clock_ms if started else None
    if Measure.TIME in counts:
        if started and counts[Measure.TIME] != clock_ms:
            _refuse(
                f"the clock of attempt {its.started.attempt} shows {clock_ms} ms, and {counts[Measure.TIME]} ms were "
                "typed",
                "leave the time out; if the clock is wrong, correct the marks afterwards and say why",
            )
        time_ms = counts[Measure.TIME]
    if Measure.HINTS in counts and hints and counts[Measure.HINTS] != hints:
        _refuse(
            f"hints pressed: {hints}, hints typed: {counts[Measure.HINTS]}",
            "leave them out, or correct the marks afterwards and say why",
        )
    typed = {measure: Figure(many, Origin.ENTERED) for measure, many in counts.items()}
    return Marks(
        outcome,
        Origin.ENTERED,
        time_ms=None if time_ms is None else Figure(time_ms, Origin.ENTERED),
        runs=typed.get(Measure.RUNS),
        reversals=typed.get(Measure.REVERSALS),
        couplings=typed.get(Measure.COUPLINGS),
        pull_drops=typed.get(Measure.PULL_DROPS),
        hints=Figure(hints, Origin.ENTERED) if hints else typed.get(Measure.HINTS, NONE),
        emergency_stops=typed.get(Measure.EMERGENCY_STOPS, NONE),
        helped=typed.get(Measure.HELPED, NONE),
        placed=typed.get(Measure.PLACED),
        faults={fault: Figure(many, Origin.ENTERED) for fault, many in faults.items()},
        par=dict(par),
    )


def with_outcome(marks: Marks, outcome: Outcome) -> Marks:
    """Marks whose outcome a person has told otherwise."""
    return marks if marks.outcome is outcome else replace(marks, outcome=outcome, outcome_origin=Origin.ENTERED)


def check_scorable(marks: Marks, of: Round, attempt: str) -> None:
    """RefusedError, naming what is missing, unless the scheme of a round can score such marks."""
    if marks.outcome is Outcome.FINISHED:
        missing = [called(its) for its in Measure if its in of.scheme.measures(of.terms) and marks.figure(its) is None]
        if missing:
            raise RefusedError(
                [f"nobody has measured: {its}" for its in missing],
                where=attempt,
                cure="type what was counted, or end the attempt as one that did not finish",
            )
    try:
        of.scheme.attempt(marks, of.terms)
    except UsageError as error:
        raise RefusedError([error.what], where=attempt, cure=error.cure) from error


def _check(counts: Mapping[Measure, int]) -> None:
    for measure, many in counts.items():
        if measure not in TYPED:
            raise UsageError(
                f"{called(measure)} are not typed together", where="counts", cure="type couplings and runs one by one"
            )
        most = LONGEST_MS if measure is Measure.TIME else _MOST
        if not 0 <= many <= most:
            raise UsageError(f"{called(measure)}: {many} cannot be", where="counts", cure=f"give 0 to {most}")


def _pressed(its: Attempt) -> tuple[dict[Fault, int], int]:
    """How often each fault was pressed, and hints."""
    faults: dict[Fault, int] = {}
    for press in its.pressed:
        if isinstance(press, FaultMarked):
            faults[press.fault] = faults.get(press.fault, 0) + 1
    return faults, len(its.pressed) - sum(faults.values())


def _refuse(reason: str, cure: str) -> None:
    raise RefusedError([reason], cure=cure)
