"""A club's own scheme from TOML: ``Scheme``, or a ``LayoutError`` that names every mistake at once.

A score is a sum of what things cost, so no fault and no further move ever helps. Decimal fractions are taken as they
are written: 0.1 is a tenth.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from pydantic import Field

from pointsman.compete.marks import MEASURE_OF, Fault, Marks, Measure, Outcome
from pointsman.compete.scoring.scheme import Scheme, Taken, Terms, scored
from pointsman.compete.scoring.score import Key, Score, Unit
from pointsman.errors import did_you_mean
from pointsman.puzzle.puzzle import Count
from pointsman.track.tomlfile import Notes, Shape, draft_of, parse_toml, read_text

GUIDE = "docs/scoring.md"
FAULTS = "faults"
_MOST = 1_000_000
_EACH = "what one of them costs, from 0"
_CAP = "the most that is allowed; one with more counts as not finished"


class _Weights(Shape):
    time_s: float = Field(default=0, ge=0, le=_MOST, description="what a second costs, from 0")
    runs: float = Field(default=0, ge=0, le=_MOST, description=_EACH)
    reversals: float = Field(default=0, ge=0, le=_MOST, description=_EACH)
    couplings: float = Field(default=0, ge=0, le=_MOST, description=_EACH)
    pull_drops: float = Field(default=0, ge=0, le=_MOST, description=_EACH)


class _Penalties(Shape):
    derailment: float = Field(default=0, ge=0, le=_MOST, description=_EACH)
    side_swipe: float = Field(default=0, ge=0, le=_MOST, alias="side-swipe", description=_EACH)
    hand: float = Field(default=0, ge=0, le=_MOST, description=_EACH)
    over_full: float = Field(default=0, ge=0, le=_MOST, alias="over-full", description=_EACH)
    hints: float = Field(default=0, ge=0, le=_MOST, description=_EACH)
    emergency_stops: float = Field(default=0, ge=0, le=_MOST, description=_EACH)


class _Caps(Shape):
    time_s: float | None = Field(default=None, gt=0, le=_MOST, description=_CAP)
    runs: int | None = Field(default=None, gt=0, description=_CAP)
    reversals: int | None = Field(default=None, gt=0, description=_CAP)
    couplings: int | None = Field(default=None, gt=0, description=_CAP)
    pull_drops: int | None = Field(default=None, gt=0, description=_CAP)
    hints: int | None = Field(default=None, ge=0, description=_CAP)
    faults: int | None = Field(default=None, ge=0, description=_CAP)
    points: float | None = Field(default=None, gt=0, le=_MOST, description="the most that an attempt can cost")


class _OwnFile(Shape):
    title: str = Field(min_length=1, max_length=80, description="one line for a person: how it is scored")
    unit: str = Field(default="points", min_length=1, max_length=20, description="what a score is so many of")
    start_with: float | None = Field(
        default=None, gt=0, le=_MOST, description="points that costs are taken from; then more is better"
    )
    over_par: list[str] = Field(default=[], max_length=10, description="what costs only as far as it is over the par")
    ties: list[str] = Field(default=[], max_length=10, description="what breaks a tie, the first first; less is better")
    did_not_finish: float | None = Field(
        default=None, ge=0, le=_MOST, description="what an attempt costs that was not finished"
    )
    did_not_start: float | None = Field(
        default=None, ge=0, le=_MOST, description="what an attempt costs that was not started"
    )
    weights: _Weights = Field(default=_Weights(), description="a table of what moves and time cost")
    penalties: _Penalties = Field(default=_Penalties(), description="a table of what faults and hints cost")
    caps: _Caps = Field(default=_Caps(), description="a table of what is the most")


_WITH_PAR = {MEASURE_OF[count].value: count for count in Count}
_TIES = [*_Weights.model_fields, Measure.HINTS.value, Measure.EMERGENCY_STOPS.value, FAULTS]


@dataclass(frozen=True, slots=True)
class _Rules:
    """What the file says, exact. ``caps`` are by measure, or by the word faults; a time is in seconds."""

    unit: Unit
    costs: Mapping[Measure | Fault, Fraction]
    over_par: frozenset[Measure]
    ties: tuple[str, ...]
    caps: Mapping[str, Fraction]
    most: Fraction | None
    start_with: Fraction | None
    flat: Mapping[Outcome, Fraction]


def read_own(text: str, *, file: str, name: str = "own") -> Scheme:
    """The scheme that a TOML text describes; ``file`` is what its mistakes are told of. Raises LayoutError."""
    notes = Notes(file, guide=GUIDE)
    scheme = _read(text, notes, name)
    notes.raise_if_any()
    assert scheme is not None, "a scheme that could not be read has mistakes"
    return scheme


def load_own(path: Path) -> tuple[Scheme, str]:
    """The scheme of a file, named as the file is, and the text it was read from. Raises LayoutError."""
    notes = Notes(str(path), guide=GUIDE, if_missing=f"check the path; {GUIDE} shows how to write one")
    text = read_text(path, notes)
    notes.raise_if_any()
    assert text is not None, "a file that could not be read has mistakes"
    return read_own(text, file=str(path), name=path.stem), text


def _read(text: str, notes: Notes, name: str) -> Scheme | None:
    draft = draft_of(parse_toml(text, notes), _OwnFile, notes, stand_ins={"title": "?"})
    entries = draft.shape
    if entries is None:
        return None
    _check_names(entries, notes)
    _check_sums(entries, notes)
    if notes.mistakes:
        return None
    rules = _rules_of(entries)
    return Scheme(
        name=name,
        title=entries.title,
        source=f"the club's own: {notes.file}",
        attempt=lambda marks, terms: _attempt(rules, marks, terms),
        uses=lambda _: _uses(rules),
        best=lambda _terms, _par: Fraction(0) if rules.start_with is None else rules.start_with,
        by_par=bool(rules.over_par),
    )


def _check_names(entries: _OwnFile, notes: Notes) -> None:
    weights = entries.weights.model_dump()
    for key, names, known in (("over_par", entries.over_par, list(_WITH_PAR)), ("ties", entries.ties, _TIES)):
        for number, name in enumerate(names):
            if name not in known:
                notes.add(f"{key}[{number}]", f"{name!r} cannot be used here", did_you_mean(name, known))
            elif name in names[:number]:
                notes.add(f"{key}[{number}]", f"{name!r} is there twice", "leave one of them out")
            elif key == "over_par" and not weights[name]:
                notes.add(f"{key}[{number}]", f"{name!r} costs nothing", f"add `{name} = ...` under [weights]")


def _check_sums(entries: _OwnFile, notes: Notes) -> None:
    """Note what cannot be meant."""
    costs = [*entries.weights.model_dump().values(), *entries.penalties.model_dump().values()]
    # What costs something may be just what could not be read.
    if not notes.mistakes and not any(costs):
        notes.add("", "nothing costs anything", "add what costs, as `time_s = 1` under [weights]")
    flats = {"did_not_finish": entries.did_not_finish, "did_not_start": entries.did_not_start}
    given = {key: value for key, value in flats.items() if value is not None}
    most = entries.caps.points
    if entries.start_with is not None:
        for key in given:
            notes.add(key, "stands beside start_with", "leave it out: with start_with such an attempt has 0")
        return
    if entries.did_not_start is not None and entries.did_not_start < (entries.did_not_finish or 0):
        notes.add("did_not_start", "costs less than did_not_finish", "let it cost as much, or more")
    if given and most is None:
        key = next(iter(given))
        notes.add(
            "caps.points", "is missing", f"add `points = ...`, at most {min(given.values()):g}: else {key} could help"
        )
    for key, value in given.items():
        if most is not None and value < most:
            notes.add(
                key, f"costs less than the {most:g} that a finished attempt can", f"let it cost at least {most:g}"
            )


def _rules_of(entries: _OwnFile) -> _Rules:
    costs: dict[Measure | Fault, Fraction] = {}
    for name, cost in entries.weights.model_dump().items():
        costs[Measure(name)] = _exact(cost)
    for name, cost in entries.penalties.model_dump(by_alias=True).items():
        costs[Fault(name) if name in list(Fault) else Measure(name)] = _exact(cost)
    caps = {name: _exact(cap) for name, cap in entries.caps.model_dump().items() if cap is not None}
    flats = {Outcome.DID_NOT_FINISH: entries.did_not_finish, Outcome.DID_NOT_START: entries.did_not_start}
    if entries.start_with is not None:
        flats = dict.fromkeys(flats, 0.0)
    return _Rules(
        unit=Unit(entries.unit.removesuffix("s"), entries.unit),
        costs={measure: cost for measure, cost in costs.items() if cost},
        over_par=frozenset(Measure(name) for name in entries.over_par),
        ties=tuple(entries.ties),
        most=caps.pop("points", None),
        caps=caps,
        start_with=None if entries.start_with is None else _exact(entries.start_with),
        flat={outcome: _exact(cost) for outcome, cost in flats.items() if cost is not None},
    )


def _exact(number: float) -> Fraction:
    """A number as it was written: the shortest decimal that is this float."""
    return Fraction(repr(number))


def _uses(rules: _Rules) -> frozenset[Measure]:
    named = {name for name in (*rules.ties, *rules.caps) if name != FAULTS}
    return frozenset({m for m in rules.costs if isinstance(m, Measure)} | {Measure(name) for name in named})


def _attempt(rules: _Rules, marks: Marks, terms: Terms) -> Score | None:
    def rule(taken: Taken) -> tuple[Fraction, Key]:
        cost = sum((weight * _much(rules, taken, measure) for measure, weight in rules.costs.items()), Fraction(0))
        cost = cost if rules.most is None else min(cost, rules.most)
        value = cost if rules.start_with is None else max(Fraction(0), rules.start_with - cost)
        return value, tuple(_read_by_name(taken, name) for name in rules.ties)

    def flat(taken: Taken) -> tuple[Fraction, Key] | None:
        # One that reached the goal over a cap has not finished.
        outcome = taken.outcome if taken.outcome is not Outcome.FINISHED else Outcome.DID_NOT_FINISH
        return None if outcome not in rules.flat else (rules.flat[outcome], ())

    def too_much(taken: Taken) -> str:
        over = [name for name, cap in rules.caps.items() if _read_by_name(taken, name) > cap]
        return f"more than the cap allows: {', '.join(over)}" if over else ""

    higher = rules.start_with is not None
    return scored(marks, terms, rules.unit, rule, flat=flat, higher=higher, too_much=too_much)


def _much(rules: _Rules, taken: Taken, measure: Measure | Fault) -> Fraction:
    if isinstance(measure, Fault):
        return Fraction(taken.figure(measure))
    if measure in rules.over_par:
        return taken.over_par(_WITH_PAR[measure.value])
    return taken.amount(measure)


def _read_by_name(taken: Taken, name: str) -> Fraction:
    return Fraction(taken.faults) if name == FAULTS else taken.amount(Measure(name))
