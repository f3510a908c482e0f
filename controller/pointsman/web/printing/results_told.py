"""How results are told on paper: days and numbers as people write them, places, scores, and what a round has fixed."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction

from pointsman.compete.entries import AdvanceRule, RoundAnnounced
from pointsman.compete.marks import Outcome
from pointsman.compete.ranking import By, Edge
from pointsman.compete.scoring.score import SECONDS, Score, Unit
from pointsman.compete.state import Round
from pointsman.puzzle.puzzle import Count
from pointsman.web.printing.words import Words

_MONTHS = {
    "en": "January February March April May June July August September October November December",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
}
_POINT = re.compile(r"(?<=\d)\.(?=\d)")
_FORMATS = (
    (r"best-of-(\d+)", "format.best"),
    (r"mean-of-(\d+)", "format.mean"),
    (r"average-of-(\d+)", "format.average"),
    (r"sum-of-(\d+)", "format.sum"),
)


def day(words: Words, when: date) -> str:
    """``27 November 2026``, ``1er novembre 2026``."""
    first = words.language == "fr" and when.day == 1
    month = _MONTHS[words.language].split()[when.month - 1]
    return f"{when.day}{'er' if first else ''} {month} {when.year}"


def where(words: Words, place: str, when: date) -> str:
    """``The shed, 27 November 2026``; the day alone where no place is told."""
    its = day(words, when)
    return words("results.where", place=place, day=its) if place else words("results.day", day=its)


def ordinal(words: Words, number: int) -> str:
    """``1st``, ``12th``; ``1re``, ``2e``."""
    if words.language == "fr":
        return f"{number}e" if number > 1 else "1re"
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def number(words: Words, text: str) -> str:
    """A text with its decimals as the language has them."""
    return _POINT.sub(",", text) if words.language == "fr" else text


def score(words: Words, its: Score) -> str:
    """A score as it is read: ``12 runs``, ``did not finish``."""
    return number(words, words.sentence(its.text))


def amount(words: Words, its: Score) -> str:
    """A score in few letters, without its unit: ``12``, ``4:05.312``, ``DNF 120``; of what, is told above."""
    told = [] if its.outcome is Outcome.FINISHED else [words(_SHORT[its.outcome])]
    if its.value is not None:
        shown = its.unit.shown(its.value)
        told.append(number(words, shown if its.unit == SECONDS else shown.split()[0]))
    return " ".join(told) or score(words, its)


_SHORT = {Outcome.DID_NOT_FINISH: "results.dnf", Outcome.DID_NOT_START: "results.dns"}


def clock(words: Words, time_ms: int) -> str:
    """A time that is read aloud: ``4 min 5.3 s``."""
    minutes, rest_ms = divmod(time_ms, 60_000)
    seconds = [f"{rest_ms / 1000:.3f}".rstrip("0").rstrip(".") + " s"] if rest_ms or not minutes else []
    return number(words, " ".join([*([f"{minutes} min"] if minutes else []), *seconds]))


def so_many(words: Words, count: Count, many: int) -> str:
    """So many of what is counted: ``12 runs``, ``0 mouvement``."""
    one = many == 1 or (many == 0 and words.language == "fr")
    return f"{many} {words(f'count.{count}.one' if one else f'count.{count}')}"


def form(words: Words, name: str) -> str:
    """A format as people say it; its own name where we have no words for it."""
    if name.startswith("pairs-"):
        return words("format.pairs", format=form(words, name.removeprefix("pairs-")))
    if name == "knockout":
        return words("format.knockout")
    for pattern, key in _FORMATS:
        found = re.fullmatch(pattern, name)
        if found is not None:
            return words(key, attempts=found[1])
    found = re.fullmatch(r"best-(\d+)-of-(\d+)", name)
    return name if found is None else words("format.best-of-sum", counting=found[1], attempts=found[2])


def rules(words: Words, its: Round, unit: Unit | None) -> list[str]:
    """What a round has fixed, each in a few words; ``unit`` is that of its scores, None while there are none."""
    fixed = its.announced
    told = [
        words("rule.puzzle", name=fixed.puzzle),
        words("rule.count", count=words(f"count.{fixed.count}")),
        words.sentence(its.scheme.title),
        form(words, fixed.format),
    ]
    if fixed.par_least == fixed.par_most:
        told.append(words("rule.par", least=fixed.par_least))
    else:
        told.append(words("rule.pars", least=fixed.par_least, most=fixed.par_most))
    told.append(words("rule.heats", heats=fixed.heats, spares=fixed.spares))
    told += _limits(words, fixed, unit)
    if fixed.category:
        told.append(words("results.class", name=fixed.category))
    if fixed.advance is None:
        told.append(words("rule.final"))
    else:
        told += _advance(words, fixed.advance, unit)
    return told


def _limits(words: Words, fixed: RoundAnnounced, unit: Unit | None) -> list[str]:
    told = []
    if fixed.time_limit_ms is not None:
        told.append(words("rule.time", time=clock(words, fixed.time_limit_ms)))
    if fixed.cut_off is not None:
        value = _value(words, unit, fixed.cut_off.at_most)
        key = "rule.cut-off.one" if fixed.cut_off.after == 1 else "rule.cut-off"
        told.append(words(key, value=value, after=fixed.cut_off.after))
    if fixed.free_faults:
        told.append(words("rule.free", faults=", ".join(words(f"fault.{fault}") for fault in fixed.free_faults)))
    if fixed.most_faults is not None:
        told.append(words("rule.most-faults", most=fixed.most_faults))
    if fixed.most_hints is not None:
        told.append(words("rule.most-hints", most=fixed.most_hints))
    if fixed.speed_limit_mm_s is not None:
        told.append(words("rule.speed", speed=fixed.speed_limit_mm_s))
    return told


def _advance(words: Words, rule: AdvanceRule, unit: Unit | None) -> list[str]:
    if rule.by is By.RESULT:
        return [words("rule.result", value=_value(words, unit, rule.value))]
    value = number(words, f"{float(rule.value):g}")
    return [
        words("rule.first" if rule.by is By.RANK and rule.value == 1 else f"rule.{rule.by}", value=value),
        words("rule.all" if rule.edge is Edge.ALL else "rule.none"),
    ]


def _value(words: Words, unit: Unit | None, value: Fraction) -> str:
    """A value in the unit of a round's scores; the bare number while there is no score yet."""
    return number(words, f"{float(value):g}" if unit is None else words.sentence(unit.shown(value)))
