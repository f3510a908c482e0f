"""Following an attempt through its journals, line by line: what is counted, what the clock shows, when it is over."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pointsman.compete.chain import Link
from pointsman.compete.clocking import Clock
from pointsman.compete.marks import NONE, Fault, Figure, weakest
from pointsman.compete.retracing import Retraced, retraced
from pointsman.errors import CompetitionError, JournalError, PointsmanError
from pointsman.operate.hand_referee import COUNTS, Earlier, Figures
from pointsman.operate.referee import Origin
from pointsman.operate.retelling import Told, counted_of, with_line
from pointsman.operate.telling import told as told_in_words
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.position import Position, parse_position
from pointsman.puzzle.puzzle import Count, locomotive_of
from pointsman.record import Line
from pointsman.solver.steps import has_count

_TOLD = {"run", "stood", "order", "refused", "let pass", "asked", "put right", "step", "hint", "halt"}
"""Lines that a replay shows, besides presses; others tell the same."""
_AFTER_THE_END = {"pressed", "event"}
"""A referee's press may be added to a journal that has ended, and what a link tells last may come late."""
_NOT_OURS = "it was not written by this program"


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One thing that happened: what the clock showed, in seconds, where everything stood then, and a sentence.

    ``kind`` is the kind of the journal's line; or ``start`` and ``goal``, when the clock starts and ends, and ``cut``
    where a journal stops in the middle.
    """

    t_s: float
    position: str
    text: str
    kind: str


class Following:
    """What the journals of an attempt say, as far as they were followed; to be given them in their order."""

    def __init__(self, chosen: Chosen) -> None:
        self._chosen = chosen
        self._engine = locomotive_of(chosen.track, chosen.start)
        self._counted = self._before = Earlier()
        self._base = Figures()
        self._retraced: Retraced | None = None
        self.clock = Clock()
        self.position = self.home = chosen.start
        """Where everything stood last, and where it did when the train was last in the headshunt of a fan."""
        self.between = ""
        self.faults: dict[Fault, Figure] = {}
        self.hints = self.stops = 0
        self.moved = self.reached = self.entered = False
        """Whether anything has moved, the goal was confirmed, and a person's word was taken for anything."""
        self.steps: list[ReplayStep] = []

    @property
    def figures(self) -> Figures:
        """What has been counted."""
        return self._counted.figures

    def follow(self, link: Link) -> None:
        """Take in one journal. Raises CompetitionError, with the number of the line that makes no sense."""
        told, number, ended = link.untold, 0, False
        if not self.reached:
            self.clock = self.clock.going_on()
        try:
            for number, line in enumerate(link.lines, 1):
                told = with_line(told, line)
                if ended and line.kind not in _AFTER_THE_END:
                    raise JournalError(f"a {line.kind} line after its end", cure=_NOT_OURS)
                ended = ended or line.kind == "end"
                self._take(line, told, first=number == 1)
        except PointsmanError as error:
            raise CompetitionError(f"line {number}: {error.what}", where=str(link.path), cure=error.cure) from error
        if not self.clock.over:
            self.clock = self.clock.cut_off()
            self._step("cut", told.ending)

    def _take(self, line: Line, told: Told, *, first: bool) -> None:
        if line.kind == "pressed" and line.values.get("what") == "fault":
            # What is marked a moment after the end still belongs to the attempt.
            self._mark(line)
        if self.reached:
            if line.kind == "pressed":
                self._step(line.kind, told_in_words(line))
            return
        self.clock = self.clock.at(line)
        if self.clock.begun and not self.moved:
            self.moved = True
            self._step("start", "the clock starts")
        self._count(line, told, first=first)
        self.entered = self.entered or told.score.origin is Origin.ENTERED
        if line.kind in _TOLD or line.kind == "pressed":
            self._step(line.kind, told_in_words(line))
        if line.kind in {"run", "stood"}:
            self._look()

    def _look(self) -> None:
        """Everything stands somewhere, confirmed: perhaps at the goal."""
        track = self._chosen.track
        if has_count(track, Count.PULL_DROPS, self.position, self._engine):
            self.home = self.position
        if self.moved and not self.between and self._chosen.goal.reached(self.position, track.locomotives):
            self.reached = True
            self._end_trip()
            self.clock = self.clock.stopped()
            self._step("goal", "the goal is reached")

    def _count(self, line: Line, told: Told, *, first: bool) -> None:
        match line.kind:
            case "begin":
                if not first:
                    raise JournalError("it begins twice", cure=_NOT_OURS)
                self._begin(told)
            case "put right":
                self.position, self.between = self._position(line), ""
                self._counted = self._before = self._counted.put_right
            case "run" if self._retraced is not None:
                self.position = self._position(line)
                self._retraced = self._retraced.after(line.text("run"), self.position)
                counted = self._retraced.tally.so_far
                self._counted = counted.put_right if told.score.origin is Origin.ENTERED else counted
            case "stood" if self._retraced is None:
                self.position, self.between = self._position(line), str(line.values.get("between", ""))
                now = counted_of(line.values, told.score.runs, told.score.reversals)
                self._counted = replace(now, figures=_since(self._before.figures, self._base, now.figures))
            case "run" | "stood":
                raise JournalError(f"a {line.kind} line where none can be", cure=_NOT_OURS)
            case "hint":
                self.hints += 1
            case "halt":
                self.stops += 1

    def _begin(self, told: Told) -> None:
        """A journal begins: what it counts goes on from what was counted before, whatever it says of that itself."""
        self._before = self._counted
        start = told.header.get("start")
        if not isinstance(start, str):
            raise JournalError("its first line has no start", cure=_NOT_OURS)
        self.position = parse_position(start, self._chosen.track, self._chosen.start.vehicles)
        if told.header.get("by_hand") is True:
            self._retraced = None
            score, hand = told.score, told.counted
            counted = (0, 0) if hand is None else (hand.figures.couplings, hand.figures.pull_drops)
            self._base = Figures(score.runs, score.reversals, *counted)
        else:
            self._retraced = retraced(self._chosen.track, self.position, self._counted)

    def _end_trip(self) -> None:
        """The trip from the headshunt that has led to the goal counts, though the locomotive need not come home."""
        figures = self.figures
        more = figures.plus(figures.origins["pull_drops"], pull_drops=self._counted.under_way)
        self._counted = replace(self._counted, figures=more)

    def _mark(self, line: Line) -> None:
        try:
            fault = Fault(line.text("fault"))
        except ValueError:
            raise JournalError(
                f"there is no fault {line.text('fault')!r}", cure="it was written by another version"
            ) from None
        before = self.faults.get(fault, NONE)
        many = before.value + (-1 if line.values.get("taken_back") is True else 1)
        self.faults[fault] = Figure(max(0, many), weakest((before.origin, Origin.ENTERED)))

    def _position(self, line: Line) -> Position:
        return parse_position(line.text("position"), self._chosen.track, self._chosen.start.vehicles)

    def _step(self, kind: str, text: str) -> None:
        self.steps.append(ReplayStep(self.clock.shows_ms / 1000, str(self.position), text, kind))


def _since(before: Figures, base: Figures, now: Figures) -> Figures:
    """What was counted before, and what a sitting has counted since its own beginning."""
    more = {name: getattr(now, name) - getattr(base, name) for name in COUNTS}
    if min(more.values()) < 0:
        raise JournalError("it has counted fewer than it began with", cure=_NOT_OURS)
    values = {name: getattr(before, name) + more[name] for name in COUNTS}
    origins = {name: weakest((before.origins[name], now.origins[name])) for name in COUNTS}
    return Figures(**values, origins=origins)
