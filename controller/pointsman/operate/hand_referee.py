"""Counting what a person drives, as the model counts a plan: runs, reversals, couplings, and pull-drops on a fan.

A person makes *movements*: one start until the stand. One run is one movement, but for these, which belong to the run
before them and are not counted:

* a slack-back of at most 20 mm, whoever makes it;
* a movement that goes on the same way after a stop with a coupling over an uncoupler, unless what was uncoupled there
  came to that place in this run: the model leaves only what stood in the rearmost segment when the run began;
* one that changes nothing: the position is what it was, however deep in a segment the train stands.

What a run that cannot be written does, between positions, is counted like any other. A reversal is a run against the
locomotive's own last direction. A coupling is counted when two vehicles have been moved together for the first time,
and when such a pair is parted; what is only come up to, or pushed within its segment, is not moved. A pull-drop is a
trip from the headshunt and back that has changed something; one that visits several sidings counts each visit.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from pointsman.operate.referee import Origin
from pointsman.puzzle.position import Position

SLACK_BACK_MM = 20.0
COUNTS = ("runs", "reversals", "couplings", "pull_drops")
_WORST = [Origin.SEEN, Origin.INFERRED, Origin.ENTERED]
Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything stood at a stand: the position, None between positions, and the element of each vehicle."""

    position: Position | None
    elements: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Movement:
    """One movement of the locomotive, from stand to stand.

    ``forward`` is the decoder's direction, ``least_mm`` how far it surely went. ``train`` are the vehicles that were
    moved or come up to, rear to front, ``hauled`` how many of them the locomotive drew, itself included. ``behind`` is
    what was coupled to its rear and was left, if anything was. ``over_magnet``: a coupling of the train ended over an
    uncoupler. ``seen``: a beam has seen it. ``slack_back``: the program made it to slacken a coupling.
    """

    forward: bool
    least_mm: float
    train: tuple[str, ...]
    hauled: int
    after: Place
    behind: str = ""
    over_magnet: bool = False
    seen: bool = True
    slack_back: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """What has been counted, each with where it comes from."""

    runs: int = 0
    reversals: int = 0
    couplings: int = 0
    pull_drops: int = 0
    origins: Mapping[str, Origin] = field(default_factory=lambda: dict.fromkeys(COUNTS, Origin.SEEN))

    def plus(self, origin: Origin, **more: int) -> Figures:
        """With so many more of each; a figure is as good as the worst that went into it."""
        origins = {
            name: max(self.origins[name], origin, key=_WORST.index) if more.get(name) else self.origins[name]
            for name in COUNTS
        }
        values = {name: getattr(self, name) + more.get(name, 0) for name in COUNTS}
        return Figures(**values, origins=origins)


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was counted until a person put everything right, and which vehicles were coupled then.

    ``under_way``: how many pull-drops the trip from the headshunt would be by then, if all of it had changed something.
    """

    figures: Figures = field(default_factory=Figures)
    pairs: frozenset[Pair] = frozenset()
    under_way: int = 0

    @property
    def put_right(self) -> Earlier:
        """The same, now that it rests on a person's word."""
        return replace(self, figures=replace(self.figures, origins=dict.fromkeys(COUNTS, Origin.ENTERED)))


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that may yet go on: its first movement, and where it stands now."""

    first: Movement
    last: Movement
    left: tuple[Pair, ...] = ()
    parted: frozenset[str] = frozenset()
    seen: bool = True


@dataclass(frozen=True, slots=True)
class _Trip:
    """A trip from the headshunt: which way leads out of it, how often it went that way, and whether it does now."""

    home: Position | None = None
    out: bool | None = None
    visits: int = 0
    outwards: bool = False


@dataclass(frozen=True, slots=True)
class Tally:
    """The state of the count. ``headshunt`` is the one segment of a fan, with its locomotive's name; else empty.

    ``stood`` is where everything stood when the run that may yet go on began.
    """

    stood: Place
    figures: Figures = field(default_factory=Figures)
    locomotive: str = ""
    headshunt: str = ""
    forward: bool | None = None
    pairs: frozenset[Pair] = frozenset()
    trip: _Trip = field(default_factory=_Trip)
    run: _Run | None = None

    @property
    def counted(self) -> Figures:
        """The figures as they are now: the run that may yet go on counts too."""
        return closed(self).figures

    @property
    def so_far(self) -> Earlier:
        """All of it, as it is now."""
        tally = closed(self)
        out = bool(tally.headshunt) and not _at_home(tally, tally.stood)
        return Earlier(tally.figures, tally.pairs, max(1, tally.trip.visits) if out else 0)


def begun(start: Place, locomotive: str, headshunt: str = "", earlier: Earlier | None = None) -> Tally:
    """The count at the start of a puzzle: nothing is coupled, and the first run is in no direction against the last.

    It goes on from an ``earlier`` one, if there is one: what was coupled then and stands side by side is not counted
    again, and a trip that was under way is counted when it comes home.
    """
    tally = Tally(start, locomotive=locomotive, headshunt=headshunt)
    at_home = _at_home(tally, start)
    if earlier is None:
        return replace(tally, trip=_Trip(home=start.position if at_home else None))
    rows = [] if start.position is None else [row for _, row in start.position.segments]
    beside = {frozenset(pair) for row in rows for pair in pairwise(row)}
    return replace(tally, figures=earlier.figures, pairs=earlier.pairs & beside, trip=_Trip(home=start.position))


def moved(tally: Tally, movement: Movement) -> Tally:
    """The count after a movement."""
    run = tally.run
    if run is not None and _slackens(run, movement):
        return replace(tally, run=replace(run, last=replace(run.last, after=movement.after)))
    left = () if not movement.behind else (frozenset((movement.train[0], movement.behind)),)
    if run is not None and _goes_on(tally, run, movement):
        seen = run.seen and movement.seen
        return replace(tally, run=replace(run, last=movement, left=run.left + left, parted=frozenset(), seen=seen))
    return replace(closed(tally), run=_Run(movement, movement, left, seen=movement.seen))


def parted(tally: Tally, left: Collection[str], *, entered: bool = False) -> Tally:
    """The count after vehicles were uncoupled from the train where it stands; ``entered``: a person says so."""
    if entered:
        figures = replace(tally.figures, origins=dict.fromkeys(COUNTS, Origin.ENTERED))
        tally = replace(tally, figures=figures)
    if tally.run is None:
        return tally
    return replace(tally, run=replace(tally.run, parted=tally.run.parted | frozenset(left)))


def placed(tally: Tally, position: Position) -> Tally:
    """The count once it is known in which position of the model the train stands."""
    run = tally.run
    if run is None:
        return replace(tally, stood=replace(tally.stood, position=position))
    last = replace(run.last, after=replace(run.last.after, position=position))
    return replace(tally, run=replace(run, last=last))


def closed(tally: Tally) -> Tally:
    """The count with the run that might have gone on at its end."""
    run = tally.run
    if run is None:
        return tally
    if not _changed(tally, run):
        return replace(tally, run=None)
    now, forward = run.last.after, run.first.forward
    broken = tally.pairs & frozenset(run.left)
    made = _moved_together(tally.stood, run) - (tally.pairs - broken)
    trip, visits = _travelled(tally, run)
    figures = tally.figures.plus(
        Origin.SEEN if run.seen else Origin.INFERRED,
        runs=1,
        reversals=int(tally.forward is not None and tally.forward is not forward),
        couplings=len(broken) + len(made),
        pull_drops=visits,
    )
    return replace(
        tally,
        stood=now,
        figures=figures,
        forward=forward,
        pairs=(tally.pairs - broken) | made,
        trip=trip,
        run=None,
    )


def _slackens(run: _Run, movement: Movement) -> bool:
    against = movement.forward is not run.first.forward
    return against and (movement.slack_back or movement.least_mm <= SLACK_BACK_MM)


def _goes_on(tally: Tally, run: _Run, movement: Movement) -> bool:
    if movement.forward is not run.first.forward:
        return False
    if not _changed(tally, run):
        return True
    stands, stood = run.last.after.elements, tally.stood.elements
    return run.last.over_magnet and all(stands[vehicle] == stood[vehicle] for vehicle in run.parted)


def _changed(tally: Tally, run: _Run) -> bool:
    now, before = run.last.after.position, tally.stood.position
    return now is None or before is None or now != before


def _moved_together(stood: Place, run: _Run) -> frozenset[Pair]:
    """The neighbours that a run has moved together."""
    train, hauled, now = run.last.train, run.last.hauled, run.last.after.elements
    waiting = {name for name in train[hauled:] if now[name] == stood.elements[name]}
    return frozenset(frozenset(pair) for pair in pairwise(train) if not waiting & set(pair))


def _at_home(tally: Tally, place: Place) -> bool:
    position = place.position
    return (
        position is not None
        and not position.turnouts
        and bool(tally.headshunt)
        and tally.locomotive in position.in_segment(tally.headshunt)
    )


def _travelled(tally: Tally, run: _Run) -> tuple[_Trip, int]:
    """The trip after a run, and how many pull-drops it has ended."""
    trip, forward = tally.trip, run.first.forward
    out = forward if trip.out is None and not _at_home(tally, run.last.after) else trip.out
    outwards = out is not None and forward is out
    trip = replace(trip, out=out, outwards=outwards, visits=trip.visits + (outwards and not trip.outwards))
    if not _at_home(tally, run.last.after):
        return trip, 0
    home = run.last.after.position
    done = max(1, trip.visits) if trip.home is not None and home != trip.home else 0
    return _Trip(home=home, out=out), done
