"""What one counted step is: a run, or a pull-drop made of two runs. Everything comes from the one legality.

A *pull-drop* is one trip of the whole train from the headshunt into one siding and back, which changes how many
wagons stand there: the published Inglenook convention. It is defined only where sidings fan out from one headshunt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pointsman.errors import UsageError
from pointsman.puzzle.moves import Run, runs
from pointsman.puzzle.position import Position
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import End, SegmentEnd, Side, Track, TurnoutSide


@dataclass(frozen=True, slots=True)
class Step:
    """One unit of the count: the runs it is made of, one or two."""

    runs: tuple[Run, ...]

    @property
    def before(self) -> Position:
        """The position it starts from."""
        return self.runs[0].before

    @property
    def after(self) -> Position:
        """The position it ends in."""
        return self.runs[-1].after

    @property
    def units(self) -> int:
        """How far the train goes in all."""
        return sum(run.units for run in self.runs)

    @property
    def legs(self) -> tuple[tuple[str, str], ...]:
        """Which way the turnouts must lie, in the order in which they are needed."""
        return tuple((turnout, str(leg)) for run in self.runs for turnout, leg in run.legs)

    def __str__(self) -> str:
        if len(self.runs) == 1:
            return str(self.runs[0])
        siding, wagons, pulled = self._trip()
        return f"pull {wagons} from {siding}" if pulled else f"drop {wagons} in {siding}"

    def _trip(self) -> tuple[str, str, bool]:
        """Siding, wagons and whether they were pulled out of it."""
        for segment, there in self.before.segments:
            then = self.after.in_segment(segment)
            gone, come = [v for v in there if v not in then], [v for v in then if v not in there]
            if segment != self.before.where(self.runs[0].locomotive)[0] and (gone or come):
                return segment, " ".join(gone or come), bool(gone)
        raise AssertionError("a trip changes a siding")


Steps = Callable[[Position], Iterator[Step]]


def steps_of(track: Track, count: Count, locomotive: str) -> Steps:
    """The steps of a count. Raises UsageError when the count is not defined on the track."""
    if count is not Count.PULL_DROPS:
        return lambda position: (Step((run,)) for run in runs(track, position, locomotive))
    home = headshunt(track)
    return lambda position: iter(_pull_drops(track, home, position, locomotive))


def check_start(track: Track, count: Count, start: Position, locomotive: str) -> None:
    """UsageError when the count is not defined from this position."""
    if count is Count.PULL_DROPS and not _at_home(start, headshunt(track).segment, locomotive):
        raise UsageError(
            "pull-drops are counted between positions with the whole train in the headshunt",
            where=str(start),
            cure=f"put {locomotive} in {headshunt(track).segment} with nothing on a turnout, or count runs",
        )


def has_count(track: Track, count: Count, start: Position, locomotive: str) -> bool:
    """Whether the count is defined from this position."""
    try:
        check_start(track, count, start, locomotive)
    except UsageError:
        return False
    return True


def headshunt(track: Track) -> SegmentEnd:
    """The end of the one headshunt from which all sidings fan out; UsageError when the track is no such fan."""
    ends = [SegmentEnd(name, end) for name in track.segments for end in End if track.segments[name].meets(end)]
    toes = [joint for joint in ends if _side(track, joint) is Side.TOE]
    reached: set[str] = set()
    ahead = [track.meets(toe) for toe in toes[:1]]
    while ahead:
        joint = ahead.pop()
        if isinstance(joint, TurnoutSide) and joint.side is Side.TOE and joint.turnout not in reached:
            reached.add(joint.turnout)
            ahead += [track.meets(TurnoutSide(joint.turnout, side)) for side in (Side.CLOSED, Side.THROWN)]
    if len(toes) != 1 or len(ends) != len(track.segments) or len(reached) != len(track.turnouts):
        raise UsageError(
            "pull-drops are defined only where dead-end sidings fan out from one headshunt",
            where=f"layout {track.name}",
            cure="count runs",
        )
    return toes[0]


def _side(track: Track, joint: SegmentEnd) -> Side | None:
    met = track.meets(joint)
    return met.side if isinstance(met, TurnoutSide) else None


def _at_home(position: Position, segment: str, locomotive: str) -> bool:
    return locomotive in position.in_segment(segment) and not position.turnouts


def _pull_drops(track: Track, home: SegmentEnd, position: Position, locomotive: str) -> list[Step]:
    """Trips out and home again that change something; of trips with the same end the one with the fewest units."""
    best: dict[Position, Step] = {}
    for out in runs(track, position, locomotive):
        if out.towards is not home.end or out.left:
            continue
        for back in runs(track, out.after, locomotive):
            if back.after == position or not _at_home(back.after, home.segment, locomotive):
                continue
            step = Step((out, back))
            if back.after not in best or step.units < best[back.after].units:
                best[back.after] = step
    return list(best.values())
