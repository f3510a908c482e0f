"""Test support: a journal of the small Inglenook read line by line, with nothing of the program.

What is counted, and when, is docs/competition-evidence.md's.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from fair_draws import Tracks

_ORDER = ("head", "s1", "s2", "s3")


def segments(position: str) -> dict[str, tuple[str, ...]]:
    """What stands where by a position's text: ``head: L 1 | s1: 2 3 | ...``."""
    parts = (part.partition(":") for part in position.split("|"))
    return {name.strip(): tuple(rest.split()) for name, _, rest in parts}


def tracks_of(position: str) -> Tracks:
    """The wagons by number on headshunt and sidings; those on the turnouts belong to no track."""
    there = segments(position)
    found = [tuple(int(v) - 1 for v in there.get(name, ()) if v != "L") for name in _ORDER]
    return found[0], found[1], found[2], found[3]


def at_home(position: str) -> bool:
    """Whether the whole train stands in the headshunt."""
    there = segments(position)
    return "L" in there["head"] and not any(there[name] for name in there if name not in _ORDER)


@dataclass
class Raw:
    """What the lines of a journal come to; ``home`` is where everything stood when the train was last at home."""

    attempt: str = ""
    goal: tuple[str, ...] = ()
    position: str = ""
    home: str = ""
    time_ms: int = 0
    runs: int = 0
    reversals: int = 0
    couplings: int = 0
    pull_drops: int = 0
    hints: int = 0
    stops: int = 0
    moved: bool = False
    reached: bool = False
    faults: Counter[str] = field(default_factory=Counter)

    @property
    def outcome(self) -> str:
        """How the attempt ended."""
        return "finished" if self.reached else "did-not-finish" if self.moved else "did-not-start"


def read_raw(journal: Path) -> Raw:
    """Everything that is counted of an attempt."""
    raw, clock = Raw(), _Clock()
    by_hand, coupled = False, set[tuple[str, str]]()
    for text in journal.read_text(encoding="utf-8").splitlines():
        line: dict[str, Any] = json.loads(text[text.index("{") :])
        kind = line["kind"]
        if kind == "begin":
            raw.attempt, by_hand = line["attempt"]["attempt"], line.get("by_hand") is True
            (term,) = segments(line["goal"]).items()
            assert term[0] == "s1", line["goal"]
            raw.goal, raw.position, raw.home = term[1], line["start"], line["start"]
        if kind == "pressed" and line["what"] == "fault":
            raw.faults[line["fault"]] += -1 if line.get("taken_back") else 1
        if raw.reached:
            continue
        clock.take(kind, line)
        raw.moved, raw.time_ms = clock.begun, round(1000 * clock.shows_s)
        raw.hints += kind == "hint"
        raw.stops += kind == "halt"
        if kind == ("stood" if by_hand else "run"):
            if by_hand:
                raw.runs, raw.reversals, raw.couplings = line["runs"], line["reversals"], line["couplings"]
            else:
                raw.runs, raw.reversals = raw.runs + 1, raw.reversals + line["reversed"]
                raw.couplings += _recoupled(coupled, line["run"], line["position"])
            _stands(raw, line["position"], between=line.get("between", ""))
    return raw


def _recoupled(coupled: set[tuple[str, str]], run: str, position: str) -> int:
    """How many couplings a run has made and parted: made is one when two have moved together for the first time."""
    if " from " not in run:
        return 0  # what is pushed was coupled before
    train = segments(position)["head"]
    made = {pair for pair in pairwise(train) if pair not in coupled}
    parted = {(one, other) for one, other in coupled if (one in train) != (other in train)}
    coupled |= made
    coupled -= parted
    return len(made) + len(parted)


def _stands(raw: Raw, position: str, *, between: str) -> None:
    """Everything stands: perhaps at home, perhaps at the goal."""
    raw.position = position
    changed = tracks_of(position)[1:] != tracks_of(raw.home)[1:]
    raw.reached = raw.moved and not between and segments(position)["s1"] == raw.goal
    if changed and (raw.reached or at_home(position)):
        raw.pull_drops += 1
    if at_home(position):
        raw.home = position


@dataclass
class _Clock:
    """From the first order to drive after the proof to the goal, without the pauses."""

    now_s: float = 0.0
    ran_s: float = 0.0
    since_s: float | None = None
    begun: bool = False
    proving: bool = False
    held: bool = False

    @property
    def shows_s(self) -> float:
        return self.ran_s + (0.0 if self.since_s is None else self.now_s - self.since_s)

    def take(self, kind: str, line: dict[str, Any]) -> None:
        """One more line."""
        self.now_s = max(self.now_s, line["t_s"])
        if kind == "step" and line.get("proves"):
            self.proving = True
        elif kind == "stand":
            self.proving = False
        elif kind == "command" and line["type"] == "Drive" and line["step"] > 0 and not (self.begun or self.proving):
            self.begun, self.since_s = True, None if self.held else self.now_s
        elif kind == "pressed" and line["what"] == "clock":
            self.ran_s, self.held = self.shows_s, line["stands"]
            self.since_s = self.now_s if self.begun and not self.held else None
        elif kind in {"halt", "end"}:
            self.ran_s, self.since_s = self.shows_s, None
