"""What holds for every drive, and the closed form against small steps."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from sim_tracks import CLOSED, THROWN, fork_track, joined_turnouts_track, line_track, loop_track

from pointsman.track.model import Leg, Track
from railsim.hidden import Hidden
from railsim.incidents import BeamChanged, Coupled, Parted, WorldEvent
from railsim.setup import Setup
from railsim.train import closed_mm, taut_mm
from railsim.truth import Truth
from railsim.world import World

ROUTES = {
    "line": [["a"]],
    "fork": [["head", "T1>closed", "s1"], ["head", "T1>thrown", "s2"]],
    "joined": [
        ["head", "T1>closed", "s1"],
        ["head", "T1>thrown", "T2>closed", "s2"],
        ["head", "T1>thrown", "T2>thrown", "s3"],
    ],
    "loop": [["w", "TA>closed", "up", "-TB>closed", "e"], ["w", "TA>thrown", "down", "-TB>thrown", "e"]],
}
"""Every line through a track; a minus marks a turnout passed from its leg to its toe."""


def along(track: Track, route: list[str], truth: Truth) -> list[tuple[float, str]]:
    """The vehicles on a line, and where their middles are on it."""
    found, begin = [], 0.0
    for step in route:
        where = step.removeprefix("-")
        name, _, leg = where.partition(">")
        length = track.turnouts[name].through_mm(Leg(leg)) if leg else track.segments[name].length_mm
        for vehicle in truth.on.get(where, ()):
            middle = (vehicle.from_mm + vehicle.to_mm) / 2
            found.append((begin + (length - middle if step.startswith("-") else middle), vehicle.name))
        begin += length
    return found


@dataclass(frozen=True)
class Act:
    what: str
    name: str
    forward: bool
    step: int
    after_s: float


TRACKS = {
    "fork": (fork_track(), "head: L 7 | s1: 1 2 3 | s2: 4 5"),
    "joined": (joined_turnouts_track(), "head: L | s1: 1 2 3 | s2: 4 5 | s3: 6"),
    "loop": (loop_track(), "w: 1 L | up: 2 3 | e: 4 M 5"),
    "line": (line_track(beams=(200.0, 800.0), magnets=(600.0,)), "a: 1 L 2 3 4"),
}


@st.composite
def plays(draw: st.DrawFn) -> tuple[str, int, list[Act]]:
    name = draw(st.sampled_from(sorted(TRACKS)))
    track = TRACKS[name][0]
    locomotives = sorted(track.locomotives)
    acts = draw(
        st.lists(
            st.builds(
                Act,
                st.sampled_from(["drive"] * 6 + ["stop", "stop", "emergency", "throw", "magnet", "power"]),
                st.sampled_from(locomotives),
                st.booleans(),
                st.sampled_from([1, 2, 5, 10, 20, 30, 60]),
                st.floats(0.01, 6.0),
            ),
            min_size=3,
            max_size=25,
        )
    )
    return name, draw(st.integers(0, 50)), acts


def do(world: World, act: Act) -> None:
    track = world.track
    if act.what == "drive":
        world.set_throttle(act.name, act.forward, act.step)
    elif act.what == "stop":
        world.set_throttle(act.name, act.forward, 0)
    elif act.what == "emergency":
        world.set_throttle(act.name, act.forward, act.step, emergency=True)
    elif act.what == "power":
        world.set_power(act.forward)
    elif act.what == "throw" and track.turnouts:
        turnout = sorted(track.turnouts)[act.step % len(track.turnouts)]
        world.throw(turnout, THROWN if act.forward else CLOSED, 1.0)
    elif act.what == "magnet" and track.uncouplers:
        world.set_magnet(sorted(track.uncouplers)[act.step % len(track.uncouplers)], act.forward)


def begin(name: str, seed: int) -> World:
    track, position = TRACKS[name]
    setup = Setup.parse(position)
    world = World(track, setup, Hidden(seed))
    world.set_power(True)
    return world


def check(world: World, truth: Truth) -> None:
    """Nothing lost, doubled, overlapping; coupled neighbours within their slack, over the points too."""
    track = world.track
    seen = [vehicle.name for vehicles in truth.on.values() for vehicle in vehicles]
    assert sorted(seen) == sorted(name for names in world_names(world) for name in names)
    coupled = set(truth.coupled)
    for route in ROUTES[next(name for name, (known, _) in TRACKS.items() if known is track)]:
        row = sorted(along(track, route, truth))
        for (low, one), (high, other) in itertools.pairwise(row):
            kinds = track.vehicle(one), track.vehicle(other)
            assert high - low >= closed_mm(*kinds) - 1e-6, (route, one, other)
            pair = (min(one, other), max(one, other))
            if pair in coupled:
                coupled.discard(pair)
                assert high - low <= taut_mm(*kinds) + 1e-6, (route, one, other)
    assert not coupled, "coupled, and not neighbours on any line"
    for name, segment in track.segments.items():
        for vehicle in truth.on.get(name, ()):
            if segment.meets_from is None:
                assert vehicle.from_mm >= -1e-6
            if segment.meets_to is None:
                assert vehicle.to_mm <= segment.length_mm + 1e-6


def world_names(world: World) -> list[tuple[str, ...]]:
    position = next(position for track, position in TRACKS.values() if track is world.track)
    return list(Setup.parse(position).segments.values())


def beams_agree(world: World, events: list[WorldEvent], before: dict[str, bool]) -> None:
    """Edges of a beam alternate and end at what the beam is now."""
    for event in events:
        if isinstance(event, BeamChanged):
            assert before[event.beam] is not event.broken
            before[event.beam] = event.broken
    for beam in world.track.beams:
        assert world.beam_broken(beam) is before[beam]
        assert before[beam] in bodies_in(world.track, beam, world.truth())


def bodies_in(track: Track, beam: str, truth: Truth) -> set[bool]:
    """Whether the beam is broken, from the truth alone; both may be so when a body ends exactly at it."""
    place = track.beams[beam].place
    may = {False}
    for where, vehicles in truth.on.items():
        for vehicle in vehicles:
            middle, half = (vehicle.from_mm + vehicle.to_mm) / 2, track.vehicle(vehicle.name).body_mm / 2
            for point in measured_from(track, where, place.element, place.at_mm):
                if abs(point - middle) < half - 1e-7:
                    return {True}
                if abs(point - middle) < half + 1e-7:
                    may.add(True)
    return may


def measured_from(track: Track, where: str, segment: str, at_mm: float) -> list[float]:
    """A point of a segment measured on the element ``where``, when that is the segment or a turnout next to it."""
    if where == segment:
        return [at_mm]
    if ">" not in where:
        return []
    name, leg = where.split(">")
    turnout = track.turnouts[name]
    found = []
    for end, joint in (("from", track.segments[segment].meets_from), ("to", track.segments[segment].meets_to)):
        if joint is not None and joint.turnout == name:
            into = at_mm if end == "from" else track.segments[segment].length_mm - at_mm
            if joint.side == "toe":
                found.append(-into)
            elif joint.side == leg:
                found.append(turnout.fouling_mm + into)
    return found


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plays())
def test_nothing_is_lost_doubled_or_overlapping(play: tuple[str, int, list[Act]]) -> None:
    name, seed, acts = play
    world = begin(name, seed)
    before = {beam: world.beam_broken(beam) for beam in world.track.beams}
    for act in acts:
        do(world, act)
        events = world.advance(world.now_s + act.after_s)
        check(world, world.truth())
        beams_agree(world, events, before)
        times = [event.t_s for event in events]
        assert times == sorted(times)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(plays(), st.integers(2, 40))
def test_one_step_or_many_make_no_difference(play: tuple[str, int, list[Act]], pieces: int) -> None:
    name, seed, acts = play
    whole, cut = begin(name, seed), begin(name, seed)
    t_s = 0.0
    for act in acts:
        do(whole, act)
        do(cut, act)
        one = whole.advance(t_s + act.after_s)
        many = []
        for i in range(1, pieces + 1):
            many += cut.advance(t_s + act.after_s * i / pieces if i < pieces else t_s + act.after_s)
            cut.truth()
        t_s += act.after_s
        assert one == many
        assert whole.truth() == cut.truth()
    assert whole.incidents == cut.incidents


# ---------------------------------------------------------------- against small steps


@dataclass
class Body:
    name: str
    at: float
    buffers: float
    pitch: float
    body: float


class SmallSteps:
    """One straight track, time cut into steps: written without a look at the closed form."""

    dt = 0.001

    def __init__(self, world: World) -> None:
        track = world.track
        self.length = track.segments["a"].length_mm
        self.real = world.hidden.performance(track.locomotives["L"])
        self.bodies = [
            Body(v.name, (v.from_mm + v.to_mm) / 2, kind.buffers_mm, kind.length_mm, kind.body_mm)
            for v in world.truth().on["a"]
            for kind in [track.vehicle(v.name)]
        ]
        self.beams = {name: beam.place.at_mm for name, beam in track.beams.items()}
        self.broken = {name: self.is_broken(at) for name, at in self.beams.items()}
        self.t, self.speed, self.heading = 0.0, 0.0, 1
        self.edges: list[Edge] = []
        self.stalled: tuple[int, int] | None = None

    def is_broken(self, at: float) -> bool:
        return any(abs(b.at - at) < b.body / 2 for b in self.bodies)

    def run(self, forward: bool, step: int, until: float) -> None:
        if step == 0 or (self.stalled and self.stalled[0] != (1 if forward else -1)):
            self.stalled = None
        while self.t < until - self.dt / 2:
            way = 1 if forward else -1
            if self.speed == 0:
                self.heading = way
            target = self.real.speed_mm_s(step, forward) if way == self.heading and not self.stalled else 0.0
            before = self.speed
            if target > self.speed:
                self.speed = min(target, self.speed + self.real.acceleration_mm_s2 * self.dt)
            else:
                self.speed = max(target, self.speed - self.real.braking_mm_s2 * self.dt)
            self.shift(self.heading * (before + self.speed) / 2 * self.dt)
            self.t += self.dt
            for name, at in self.beams.items():
                if self.is_broken(at) is not self.broken[name]:
                    self.broken[name] = not self.broken[name]
                    self.edges.append((self.t, name, self.broken[name], self.speed))

    def shift(self, by: float) -> None:
        row = self.bodies if by >= 0 else [*reversed(self.bodies)]
        sign = 1 if by >= 0 else -1
        at = [sign * b.at for b in row]
        loco = next(i for i, b in enumerate(row) if b.name == "L")
        at[loco] += abs(by)
        for i in range(loco + 1, len(row)):
            at[i] = max(at[i], at[i - 1] + (row[i].buffers + row[i - 1].buffers) / 2)
        for i in range(loco - 1, -1, -1):
            at[i] = max(at[i], at[i + 1] - (row[i].pitch + row[i + 1].pitch) / 2)
        end = self.length if by >= 0 else 0.0
        if at[-1] + row[-1].buffers / 2 > end * sign:
            self.speed, self.stalled = 0.0, (self.heading, 1)
            return
        for b, x in zip(row, at, strict=True):
            b.at = sign * x


Edge = tuple[float, str, bool, float]
"""Time, beam, broken, speed of the locomotive then."""


def matched(edges: list[Edge], others: list[Edge]) -> None:
    """Every edge passed at more than 15 mm/s is there too (slower ones may fall on either side of a stop)."""
    for t_s, beam, broken, speed in edges:
        if speed > 15.0:
            assert any((beam, broken) == (b, k) and abs(t_s - t) < 0.03 for t, b, k, _ in others), (t_s, beam, broken)


@settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
)
@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.booleans(), st.sampled_from([0, 2, 10, 30]), st.integers(1, 8)), min_size=2, max_size=8),
    st.sampled_from([0.0, 1.0, 2.0, 6.0]),
)
def test_closed_form_against_small_steps(seed: int, runs: list[tuple[bool, int, int]], slack_mm: float) -> None:
    track = line_track(1600.0, mark_mm=700.0, beams=(400.0, 760.0, 1100.0), slack_mm=slack_mm)
    world = World(track, Setup.parse("a: 1 2 L 3 4 5"), Hidden(seed))
    world.set_power(True)
    small = SmallSteps(world)
    edges: list[Edge] = []
    t_s = 0.0
    for forward, step, halves in runs:
        t_s += halves / 2
        world.set_throttle("L", forward, step)
        while world.now_s < t_s:
            due = world.next_event_s()
            happened = world.advance(t_s if due is None else min(due, t_s))
            seen = [event for event in happened if isinstance(event, BeamChanged)]
            edges += [(event.t_s, event.beam, event.broken, world.speed_mm_s("L")) for event in seen]
        assume(not world.incidents)  # the small steps know no buffer stops
        small.run(forward, step, t_s)
        exact = {v.name: (v.from_mm + v.to_mm) / 2 for v in world.truth().on["a"]}
        assert {b.name: b.at for b in small.bodies} == pytest.approx(exact, abs=0.2)
    matched(edges, small.edges)
    matched(small.edges, edges)


# ---------------------------------------------------------------- cost


def test_a_whole_play_costs_little() -> None:
    """25 runs in 350 s of simulated time, drawn and pushed over beams, well under half a second of one core."""
    world = World(joined_turnouts_track(), Setup.parse("head: L | s1: 1 2 3 4 5 | s2: 6 7 8"), Hidden(1))
    world.set_power(True)
    world.throw("T1", CLOSED, 1.0)
    world.throw("T2", CLOSED, 1.0)
    world.advance(2.0)
    begin_s = time.process_time()
    events: list[WorldEvent] = []
    for run in range(25):
        world.set_throttle("L", run % 2 == 0, 10)
        events += world.advance(world.now_s + 12.0)
        world.set_throttle("L", run % 2 == 0, 0)
        events += world.advance(world.now_s + 2.0)
    took_s = time.process_time() - begin_s
    assert any(isinstance(event, Coupled) for event in events)
    assert not any(isinstance(event, Parted) for event in events)
    assert len(events) > 150
    assert took_s < 0.5
