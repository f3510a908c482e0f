"""Test support: standings worked out once more by docs/scoring.md alone, with nothing of the program.

From an exported competition and the lines of its journals: dictionaries, tuples and exact fractions. Every round is
counted in pull-drops on the small Inglenook; there are no knockouts, and nothing was corrected or taken back.
"""

from __future__ import annotations

import hashlib
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from fair_draws import START, Tracks, reached
from raw_journal import Raw, read_raw, tracks_of

FINISHED, NOT_FINISHED, NOT_STARTED = 0, 1, 2
CLASSES = {"finished": FINISHED, "did-not-finish": NOT_FINISHED, "did-not-start": NOT_STARTED}
ABSENT = Raw()

# A score is (class, value or None, tie-breaks); of two keys the smaller one is better.
Ties = tuple[Fraction | int, ...]
Scored = tuple[int, Fraction | None, Ties]


def key(score: Scored) -> Ties:
    """What a score is sorted by: who has no value comes after those of the class who have."""
    return (score[0], int(score[1] is None), score[1] or 0, *score[2])


@cache
def missing(tracks: Tracks, goal: tuple[str, ...]) -> int:
    """The fewest pull-drops from where everything stands to the goal."""
    wanted = tuple(int(wagon) - 1 for wagon in goal)
    return min(many for there, many in reached(tracks).items() if there[1] == wanted)


@dataclass
class Played:
    """An attempt that counts: what was called, and what its journal shows."""

    called: dict[str, Any]
    raw: Raw
    outcome: str


@dataclass
class Standing:
    """A round: everybody's score, the attempts' own, who goes on, who is in reserve, who was cut off."""

    sides: dict[str, tuple[str, ...]]
    scores: dict[str, Scored] = field(default_factory=dict)
    attempts: dict[str, list[Scored | None]] = field(default_factory=dict)
    cut: set[str] = field(default_factory=set)
    through: list[str] = field(default_factory=list)
    reserves: list[str] = field(default_factory=list)

    def rank(self, side: str) -> int:
        """The rank; those who tie share it."""
        return 1 + sum(key(other) < key(self.scores[side]) for other in self.scores.values())


class Recomputed:
    """A whole competition, from its exported book and the folder of its journals."""

    def __init__(self, book: Sequence[Mapping[str, Any]], journals: Path) -> None:
        self.entrants: dict[str, dict[str, Any]] = {}
        self.rounds: dict[str, dict[str, Any]] = {}
        self.played: dict[tuple[str, str, int], Played] = {}
        self.gone: set[str] = set()
        self.white: dict[tuple[str, int], int] = {}
        self.wrong: list[str] = []
        self._read(book, journals)
        self.standings: dict[str, Standing] = {}
        for name in self.rounds:
            self.standings[name] = self._standing(name)

    def _read(self, book: Sequence[Mapping[str, Any]], journals: Path) -> None:
        called: dict[str, dict[str, Any]] = {}
        for line in book:
            entry = line["entry"]
            match line["kind"]:
                case "entrant":
                    self.entrants[entry["entrant"]] = entry
                case "withdrawn":
                    self.gone.add(entry["entrant"])
                case "round":
                    self.rounds[entry["round"]] = entry
                case "shared-train":
                    self.white[entry["round"], entry["heat"]] = entry["placed"]
                case "attempt":
                    called[entry["attempt"]] = entry
                case "ended":
                    self._end(called[entry["attempt"]], entry, journals)
                case "corrected" | "undone":
                    raise AssertionError(f"nothing is recomputed of a {line['kind']}")

    def _end(self, called: dict[str, Any], ended: dict[str, Any], journals: Path) -> None:
        raw, outcome, name = Raw(), ended["outcome"], called["attempt"]
        if ended["journal"] is not None:
            path = journals / ended["journal"]["name"]
            if hashlib.sha256(path.read_bytes()).hexdigest() != ended["journal"]["sha256"]:
                self.wrong.append(f"{name}: another journal")
            raw = read_raw(path)
            if raw.attempt != name:
                self.wrong.append(f"{name}: its journal is of {raw.attempt}")
            if outcome not in {"equipment", raw.outcome}:
                self.wrong.append(f"{name}: the book says {outcome}, the journal {raw.outcome}")
            if missing(START, raw.goal) != called["par"]:
                self.wrong.append(f"{name}: its par is {missing(START, raw.goal)}")
        elif outcome != "did-not-start":
            self.wrong.append(f"{name}: {outcome}, and no journal")
        if outcome != "equipment":
            self.played[called["round"], called["entrant"], called["number"]] = Played(called, raw, outcome)

    # ---------------------------------------------------------------- one attempt

    def _score(self, its: Mapping[str, Any], outcome: str, raw: Raw, par: int) -> Scored:
        cls, limit = CLASSES[outcome], its["time_limit_ms"]
        faults = {kind: many for kind, many in raw.faults.items() if kind not in its["free_faults"]}
        many = sum(faults.values())
        over = [limit is not None and raw.time_ms > limit]
        over += [its["most_faults"] is not None and many > its["most_faults"]]
        over += [its["most_hints"] is not None and raw.hints > its["most_hints"]]
        if cls == FINISHED and any(over):
            cls = NOT_FINISHED
        seconds, moves = Fraction(raw.time_ms, 1000), raw.runs + raw.couplings
        over_par = Fraction(max(0, raw.pull_drops - par))
        in_hand = None
        if outcome == "did-not-finish":
            left = max(missing(tracks_of(raw.home), raw.goal), 0)
            in_hand = Fraction(max(0, raw.pull_drops + left - par))
        if its["own_scheme"] is not None:
            return _own(tomllib.loads(its["own_scheme"]), cls, raw, over_par, faults)
        if its["scheme"] == "added-up":
            hand = over_par if cls == FINISHED else in_hand
            return cls, min(Fraction(120), Fraction(120) if hand is None else hand), ()
        if its["scheme"] == "aiguilleur":
            return cls, over_par if cls == FINISHED else in_hand, ()
        if cls != FINISHED:
            return cls, None, ()
        found: dict[str, tuple[Fraction, Ties]] = {
            "allen": (seconds + 60 * many, (many,)),
            "least-moves": (Fraction(raw.pull_drops), (raw.time_ms,)),
            "reversals": (Fraction(raw.reversals), ()),
            "moves-and-time": (moves + seconds / 10, (moves,)),
            "par-ratio": (Fraction(100 * raw.pull_drops, par or 1), (raw.time_ms,)),
        }
        return (cls, *found[its["scheme"]])

    def _white_train(self, name: str, column: dict[str, Played], scores: dict[str, Scored]) -> None:
        """A heat of L'Aiguilleur: the winner's bonus, and what the others share."""
        for heat in {one.called["heat"] for one in column.values()}:
            here = {who: scores[who] for who, one in column.items() if one.called["heat"] == heat}
            best = min(map(key, here.values()))
            if best[0] != FINISHED:
                continue
            winners = {who for who, score in here.items() if key(score) == best}
            others = [who for who in here if who not in winners and here[who][0] != NOT_STARTED]
            # A winner has finished, so all three wagons are in their places.
            behind = max(0, 3 - self.white.get((name, heat), 3))
            for who, (cls, value, ties) in here.items():
                if value is not None and (who in winners or who in others):
                    more = Fraction(-5) if who in winners else Fraction(behind, len(others))
                    scores[who] = cls, value + more, ties

    # ---------------------------------------------------------------- a round

    def _in_round(self, name: str) -> list[str]:
        its = self.rounds[name]
        playing = {who for at, who, _ in self.played if at == name}
        fed_by = self._feeder(name)
        if fed_by is None:
            mine = [who for who, about in self.entrants.items() if its["category"] in ("", about["category"])]
            return [who for who in mine if who not in self.gone or who in playing]
        through = [who for side in self.standings[fed_by].through for who in self.standings[fed_by].sides[side]]
        return through + sorted(playing - set(through))

    def _feeder(self, name: str) -> str | None:
        names = list(self.rounds)
        before = [n for n in names[: names.index(name)] if self._class(n) == self._class(name)]
        return before[-1] if before and self.rounds[before[-1]]["advance"] is not None else None

    def _class(self, name: str) -> str:
        return str(self.rounds[name]["category"])

    def _standing(self, name: str) -> Standing:
        its, form = self.rounds[name], self.rounds[name]["format"]
        pairs, alone = form.startswith("pairs-"), form.removeprefix("pairs-")
        entrants = self._in_round(name)
        attempts: dict[str, list[Scored | None]] = {who: [] for who in entrants}
        for number in range(1, attempts_of(alone) + 1):
            column = {who: self.played[name, who, number] for who in entrants if (name, who, number) in self.played}
            scores = {who: self._score(its, one.outcome, one.raw, one.called["par"]) for who, one in column.items()}
            if its["scheme"] == "aiguilleur":
                self._white_train(name, column, scores)
            for who in entrants:
                attempts[who].append(scores.get(who))
        standing = Standing({who: (who,) for who in entrants}, attempts=attempts)
        absent = self._score(its, "did-not-start", ABSENT, 0)
        for who, made in attempts.items():
            some = made if any(score is not None for score in made) else [absent, *made[1:]]
            standing.scores[who] = combined(alone, some, quantum(its))
            if _is_cut_off(its["cut_off"], made, quantum(its)):
                standing.cut.add(who)
        if pairs:
            standing = self._paired(standing, quantum(its))
        if its["advance"] is not None:
            self._goes_on(name, standing, its["advance"])
        return standing

    def _paired(self, alone: Standing, parts: int) -> Standing:
        sides: dict[str, tuple[str, ...]] = {}
        for who in alone.scores:
            if self.entrants[who]["pair"]:
                name = self.entrants[who]["pair"]
                sides[name] = (*sides.get(name, ()), who)
        sides = {name: members for name, members in sides.items() if len(members) == 2}
        scores = {side: paired(*(alone.scores[who] for who in both), parts) for side, both in sides.items()}
        return Standing(sides, scores, {who: alone.attempts[who] for both in sides.values() for who in both})

    def _goes_on(self, name: str, standing: Standing, rule: Mapping[str, Any]) -> None:
        names = list(self.rounds)
        following = next((n for n in names[names.index(name) + 1 :] if self._class(n) == self._class(name)), None)
        on = {who for at, who, _ in self.played if at == following}
        out = {side for side, both in standing.sides.items() if any(w in self.gone and w not in on for w in both)}
        order = sorted(standing.scores, key=lambda side: key(standing.scores[side]))
        can = [side for side in order if side not in out and standing.scores[side][0] == FINISHED]
        value = Fraction(rule["value"])
        if rule["by"] == "result":
            reached_it = [(side, standing.scores[side][1]) for side in can]
            standing.through = [side for side, its in reached_it if its is not None and its <= value]
            return
        many = int(value)
        if rule["by"] == "percent":
            started = sum(score[0] != NOT_STARTED for score in standing.scores.values())
            many = max(1, int(value * started / 100))
        through = can[:many]
        if len(can) > many and key(standing.scores[can[many - 1]]) == key(standing.scores[can[many]]):
            edge = key(standing.scores[can[many]])
            tied = [side for side in can if key(standing.scores[side]) == edge]
            before = can[: can.index(tied[0])]
            through = before + tied if rule["edge"] == "all go on" else before
        standing.through, standing.reserves = through, can[len(through) :]

    # ---------------------------------------------------------------- overall

    def overall(self, category: str) -> dict[str, Scored]:
        """The rounds added up of everybody of a class; nobody where its rounds are of several units."""
        mine = [name for name, its in self.rounds.items() if its["category"] in ("", category)]
        if len({unit(self.rounds[name]) for name in mine}) > 1:
            return {}
        parts = quantum(self.rounds[mine[0]])
        people = [who for who, about in self.entrants.items() if about["category"] == category]
        return {who: added([self._of(name, who) for name in mine], parts) for who in people}

    def _of(self, name: str, who: str) -> Scored:
        standing, form = self.standings[name], self.rounds[name]["format"]
        for side, members in standing.sides.items():
            if who in members:
                return standing.scores[side]
        absent = self._score(self.rounds[name], "did-not-start", ABSENT, 0)
        alone, parts = form.removeprefix("pairs-"), quantum(self.rounds[name])
        all_of = combined(alone, [absent] * attempts_of(alone), parts)
        return paired(all_of, all_of, parts) if form != alone else all_of


# ---------------------------------------------------------------- rules


def _own(rules: Mapping[str, Any], cls: int, raw: Raw, over_par: Fraction, faults: Mapping[str, int]) -> Scored:
    """A club's own scheme, as far as the campaign has one: a sum of costs, with caps."""
    much = {
        "time_s": Fraction(raw.time_ms, 1000),
        "runs": Fraction(raw.runs),
        "reversals": Fraction(raw.reversals),
        "couplings": Fraction(raw.couplings),
        "pull_drops": Fraction(raw.pull_drops),
        "hints": Fraction(raw.hints),
        "emergency_stops": Fraction(raw.stops),
        "faults": Fraction(sum(faults.values())),
        **{kind: Fraction(faults.get(kind, 0)) for kind in ("derailment", "side-swipe", "hand", "over-full")},
    }
    assert rules.get("over_par", []) in ([], ["pull_drops"])
    caps = {name: Fraction(str(cap)) for name, cap in rules.get("caps", {}).items()}
    most = caps.pop("points", None)
    if cls == FINISHED and any(much[name] > cap for name, cap in caps.items()):
        cls = NOT_FINISHED
    if cls != FINISHED:
        flat = rules.get({NOT_FINISHED: "did_not_finish", NOT_STARTED: "did_not_start"}[cls])
        return cls, None if flat is None else Fraction(str(flat)), ()
    costing = {**much, **dict.fromkeys(rules.get("over_par", []), over_par)}
    costs = {**rules.get("weights", {}), **rules.get("penalties", {})}
    cost = sum((Fraction(str(weight)) * costing[name] for name, weight in costs.items()), Fraction(0))
    return cls, cost if most is None else min(cost, most), tuple(much[name] for name in rules.get("ties", []))


def unit(its: Mapping[str, Any]) -> str:
    """What a score of a round is so many of."""
    if its["own_scheme"] is not None:
        return str(tomllib.loads(its["own_scheme"]).get("unit", "points"))
    units = {"allen": "seconds", "least-moves": "pull-drops", "reversals": "reversals", "par-ratio": "%"}
    return units.get(its["scheme"], "points")


def quantum(its: Mapping[str, Any]) -> int:
    """Results are rounded to so many parts of one."""
    return 1000 if unit(its) == "seconds" else 100


def attempts_of(form: str) -> int:
    """How many attempts a format has."""
    return int(form.rpartition("-")[2])


def rounded(score: Scored, parts: int) -> Scored:
    """Half up, to what is shown."""
    cls, value, ties = score
    return cls, None if value is None else Fraction(math.floor(value * parts + Fraction(1, 2)), parts), ties


def combined(form: str, attempts: Sequence[Scored | None], parts: int) -> Scored:
    """What becomes of the attempts of a round; None is one that was not made."""
    made = sorted((score for score in attempts if score is not None), key=key)
    each = sorted((rounded(score, parts) for score in made), key=key)
    best = each[0]
    if form.startswith("best-of"):
        later = tuple(part for score in each[1:] for part in key(score)) + (3,) * (len(attempts) - len(made))
        return best[0], best[1], (*best[2], *later)
    if len(made) < len(attempts):
        return _without(made, best)
    values = sorted((score[1] is None, score[1] or Fraction(0)) for score in made)
    if form.startswith("average"):
        values = values[1:-1]
    elif form.startswith("best-"):
        values = values[: int(form.split("-")[1])]
    if any(none for none, _ in values):
        return _without(made, best)
    total = sum((value for _, value in values), Fraction(0))
    adds = form.startswith(("sum-", "best-"))
    return rounded((best[0], total if adds else total / len(values), key(best)), parts)


def _without(made: Sequence[Scored], best: Scored) -> Scored:
    started = any(score[0] != NOT_STARTED for score in made)
    return NOT_FINISHED if started else NOT_STARTED, None, key(best)


def added(scores: Sequence[Scored], parts: int) -> Scored:
    """Several results added up."""
    return combined(f"sum-of-{len(scores)}", scores, parts)


def paired(one: Scored, other: Scored, parts: int) -> Scored:
    """What two have who play as one: they have finished when both have."""
    both = added([one, other], parts)
    return both if both[1] is None else (max(one, other, key=key)[0], *both[1:])


def _is_cut_off(rule: Mapping[str, Any] | None, made: Sequence[Scored | None], parts: int) -> bool:
    if rule is None or any(score is None for score in made[: rule["after"]]):
        return False
    first = [rounded(score, parts) for score in made[: rule["after"]] if score is not None]
    at_most = Fraction(rule["at_most"])
    return not any(cls == FINISHED and value is not None and value <= at_most for cls, value, _ in first)
