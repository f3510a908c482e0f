"""Shunting puzzles in PDDL, written from the rules in words and not from pointsman's code, and their witness.

Two domains. ``PULL_DROPS`` has the published Inglenook convention: stacks of wagons, one counted step for each trip
out of the headshunt. ``RUNS`` has the shunting model on any plan without a ring: one counted step for each start of
the locomotive. Where pointsman moves a whole train at once, here one unit of advance is a push that is handed from
vehicle to vehicle: an element that is pushed into takes the vehicle if it has room, and else pushes one out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from itertools import pairwise
from tempfile import TemporaryDirectory

from unified_planning.engines import PlanGenerationResultStatus
from unified_planning.io import PDDLReader
from unified_planning.shortcuts import OneshotPlanner, get_environment

Rows = Mapping[str, Sequence[str]]
"""What stands in each track, by name: in a siding and in a segment from its ``from`` end."""

PULL_DROPS = """
(define (domain pull-drops)
  (:requirements :typing :action-costs)
  (:types item track number - object  wagon buffer - item  siding headshunt - track)
  (:predicates
    (nearest ?x - item ?t - track)  ; to the points: a wagon, or the buffer of an empty track
    (behind ?x - wagon ?y - item)   ; y is next to x, on the side away from the points
    (room ?t - track ?n - number)
    (one-more ?n ?m - number)
    (home)                          ; the whole train stands in the headshunt
    (from ?t - track) (to ?t - track)
    (between-tracks ?w - wagon) (nothing-between))
  (:functions (total-cost))

  (:action go-and-pull
    :parameters (?s - siding ?h - headshunt)
    :precondition (home)
    :effect (and (not (home)) (from ?s) (to ?h) (increase (total-cost) 1)))
  (:action go-and-drop
    :parameters (?s - siding ?h - headshunt)
    :precondition (home)
    :effect (and (not (home)) (from ?h) (to ?s) (increase (total-cost) 1)))
  (:action out-of
    :parameters (?w - wagon ?t - track ?next - item ?n ?m - number)
    :precondition (and (from ?t) (nothing-between) (nearest ?w ?t) (behind ?w ?next) (room ?t ?n) (one-more ?n ?m))
    :effect (and (not (nothing-between)) (between-tracks ?w) (not (nearest ?w ?t)) (not (behind ?w ?next))
      (nearest ?next ?t) (not (room ?t ?n)) (room ?t ?m)))
  (:action into
    :parameters (?w - wagon ?t - track ?last - item ?n ?m - number)
    :precondition (and (to ?t) (between-tracks ?w) (nearest ?last ?t) (room ?t ?n) (one-more ?m ?n))
    :effect (and (nothing-between) (not (between-tracks ?w)) (not (nearest ?last ?t)) (nearest ?w ?t)
      (behind ?w ?last) (not (room ?t ?n)) (room ?t ?m)))
  (:action back
    :parameters (?t ?u - track)
    :precondition (and (from ?t) (to ?u) (nothing-between))
    :effect (and (not (from ?t)) (not (to ?u)) (home)))
)
"""

# A side is an end of a segment, or a tip of a turnout: its toe or a leg. What is met in a segment, its items, are
# vehicles and in the end an end. A type of PDDL has one parent, so vehicles come under sides, which nothing uses.
# `out` is the side through which the rearmost moving vehicle, the tail, will leave the element that it is on: with
# the tail it says all about a run under way.
RUNS = """
(define (domain runs)
  (:requirements :typing :equality :action-costs)
  (:types side segment turnout number - object  item tip - side  end vehicle - item  locomotive - vehicle)
  (:predicates
    (meets ?a ?b - side)
    (end-of ?e - end ?s - segment)
    (across ?e ?f - end)                 ; the two ends of one segment
    (tip-of ?a - tip ?t - turnout)
    (way ?a ?b - tip)                    ; over a turnout: toe to leg, or leg to toe
    (one-more ?n ?m - number)
    (none ?n - number)
    (next ?e - end ?x ?y - item)         ; going to the end e of a segment, y is met after x; the ends are met too
    (room ?s - segment ?n - number)
    (free ?t - turnout)
    (on ?v - vehicle ?t - turnout)
    (passage ?a ?b - tip)                ; an occupied turnout lies so
    (shut ?a - side)                     ; and no occupied turnout lies to this side
    (idle) (coupling) (moving) (settled) (tail-stays) (tail-leaves)
    (tail ?v - vehicle)
    (out ?a - side)
    (pushed ?v - vehicle ?a - side))     ; out of an element at its side a, and not yet on what lies beyond
  (:functions (total-cost))

  ; ---- a run begins: which way, and how many of the vehicles behind the locomotive come along
  (:action start-in-segment
    :parameters (?l - locomotive ?e ?f - end ?x - item)
    :precondition (and (idle) (across ?e ?f) (next ?e ?l ?x))
    :effect (and (not (idle)) (coupling) (tail ?l) (out ?e) (increase (total-cost) 1)))
  (:action start-on-turnout
    :parameters (?l - locomotive ?t - turnout ?a ?b - tip)
    :precondition (and (idle) (on ?l ?t) (tip-of ?a ?t) (passage ?b ?a))
    :effect (and (not (idle)) (coupling) (tail ?l) (out ?a) (increase (total-cost) 1)))
  (:action take-next
    :parameters (?v ?u - vehicle ?e ?f - end)
    :precondition (and (coupling) (tail ?v) (out ?e) (across ?e ?f) (next ?f ?v ?u))
    :effect (and (not (tail ?v)) (tail ?u)))
  (:action take-from-segment-to-turnout
    :parameters (?v ?u - vehicle ?e ?f - end ?a ?b - tip ?t - turnout)
    :precondition (and (coupling) (tail ?v) (out ?e) (across ?e ?f) (next ?f ?v ?f)
      (meets ?f ?a) (tip-of ?a ?t) (passage ?a ?b) (on ?u ?t))
    :effect (and (not (tail ?v)) (tail ?u) (not (out ?e)) (out ?a)))
  (:action take-from-turnout-to-segment
    :parameters (?v ?u - vehicle ?a ?b - tip ?f ?e - end ?t - turnout)
    :precondition (and (coupling) (tail ?v) (on ?v ?t) (out ?a) (passage ?b ?a)
      (meets ?b ?f) (across ?f ?e) (next ?e ?f ?u))
    :effect (and (not (tail ?v)) (tail ?u) (not (out ?a)) (out ?f)))
  (:action take-from-turnout-to-turnout
    :parameters (?v ?u - vehicle ?a ?b ?c ?d - tip ?t ?o - turnout)
    :precondition (and (coupling) (tail ?v) (on ?v ?t) (out ?a) (passage ?b ?a)
      (meets ?b ?c) (tip-of ?c ?o) (passage ?c ?d) (on ?u ?o))
    :effect (and (not (tail ?v)) (tail ?u) (not (out ?a)) (out ?c)))

  ; ---- nothing may be left behind on a turnout, or beyond one
  (:action depart-from-segment
    :parameters (?e ?f - end ?a - side)
    :precondition (and (coupling) (out ?e) (across ?e ?f) (meets ?f ?a) (shut ?a))
    :effect (and (not (coupling)) (moving)))
  (:action depart-from-turnout-behind-a-segment
    :parameters (?a ?b - tip ?f ?e - end ?c - side)
    :precondition (and (coupling) (out ?a) (passage ?b ?a) (meets ?b ?f) (across ?f ?e) (meets ?e ?c) (shut ?c))
    :effect (and (not (coupling)) (moving)))
  (:action depart-from-turnout-behind-a-turnout
    :parameters (?a ?b ?c - tip ?o - turnout)
    :precondition (and (coupling) (out ?a) (passage ?b ?a) (meets ?b ?c) (tip-of ?c ?o) (shut ?c))
    :effect (and (not (coupling)) (moving)))

  ; ---- one unit: the foremost vehicle on the tail's element is pushed out of it
  (:action push-tail-out-of-segment
    :parameters (?v - vehicle ?e ?f - end ?y - item ?s - segment ?n ?m - number)
    :precondition (and (moving) (out ?e) (across ?e ?f) (end-of ?e ?s) (tail ?v)
      (next ?f ?e ?v) (next ?f ?v ?y) (room ?s ?n) (one-more ?n ?m))
    :effect (and (not (moving)) (tail-leaves) (pushed ?v ?e) (not (room ?s ?n)) (room ?s ?m)
      (not (next ?f ?e ?v)) (not (next ?f ?v ?y)) (not (next ?e ?v ?e)) (not (next ?e ?y ?v))
      (next ?f ?e ?y) (next ?e ?y ?e)))
  (:action push-other-out-of-segment
    :parameters (?v ?w - vehicle ?e ?f - end ?y - item ?s - segment ?n ?m - number)
    :precondition (and (moving) (out ?e) (across ?e ?f) (end-of ?e ?s) (tail ?w) (not (= ?v ?w))
      (next ?f ?e ?v) (next ?f ?v ?y) (room ?s ?n) (one-more ?n ?m))
    :effect (and (not (moving)) (tail-stays) (pushed ?v ?e) (not (room ?s ?n)) (room ?s ?m)
      (not (next ?f ?e ?v)) (not (next ?f ?v ?y)) (not (next ?e ?v ?e)) (not (next ?e ?y ?v))
      (next ?f ?e ?y) (next ?e ?y ?e)))
  (:action push-tail-off-turnout
    :parameters (?v - vehicle ?t - turnout ?a ?b - tip)
    :precondition (and (moving) (tail ?v) (on ?v ?t) (out ?a) (tip-of ?a ?t) (passage ?b ?a))
    :effect (and (not (moving)) (tail-leaves) (pushed ?v ?a) (not (on ?v ?t)) (free ?t)
      (not (passage ?a ?b)) (not (passage ?b ?a)) (shut ?a) (shut ?b)))

  ; ---- what is pushed into takes the vehicle if there is room, and else pushes one out itself
  (:action onto-free-turnout
    :parameters (?v - vehicle ?a - side ?c ?d - tip ?t - turnout)
    :precondition (and (pushed ?v ?a) (meets ?a ?c) (tip-of ?c ?t) (way ?c ?d) (free ?t))
    :effect (and (not (pushed ?v ?a)) (settled) (on ?v ?t) (not (free ?t))
      (passage ?c ?d) (passage ?d ?c) (not (shut ?c)) (not (shut ?d))))
  (:action onto-occupied-turnout
    :parameters (?v ?u - vehicle ?a - side ?c ?d - tip ?t - turnout)
    :precondition (and (pushed ?v ?a) (meets ?a ?c) (tip-of ?c ?t) (on ?u ?t) (passage ?c ?d))
    :effect (and (not (pushed ?v ?a)) (pushed ?u ?d) (on ?v ?t) (not (on ?u ?t))))
  (:action into-room
    :parameters (?v - vehicle ?a - side ?f ?e - end ?x - item ?s - segment ?n ?m - number)
    :precondition (and (pushed ?v ?a) (meets ?a ?f) (across ?f ?e) (end-of ?f ?s)
      (next ?f ?x ?f) (room ?s ?n) (one-more ?m ?n))
    :effect (and (not (pushed ?v ?a)) (settled) (not (room ?s ?n)) (room ?s ?m)
      (not (next ?f ?x ?f)) (not (next ?e ?f ?x))
      (next ?f ?x ?v) (next ?f ?v ?f) (next ?e ?f ?v) (next ?e ?v ?x)))
  (:action through-full-segment
    :parameters (?v ?u ?x ?y - vehicle ?a - side ?f ?e - end ?s - segment ?n - number)
    :precondition (and (pushed ?v ?a) (meets ?a ?f) (across ?f ?e) (end-of ?f ?s) (room ?s ?n) (none ?n)
      (next ?f ?x ?f) (next ?f ?e ?u) (next ?f ?u ?y))
    :effect (and (not (pushed ?v ?a)) (pushed ?u ?e)
      (not (next ?f ?x ?f)) (not (next ?e ?f ?x))
      (next ?f ?x ?v) (next ?f ?v ?f) (next ?e ?f ?v) (next ?e ?v ?x)
      (not (next ?f ?e ?u)) (not (next ?f ?u ?y)) (not (next ?e ?u ?e)) (not (next ?e ?y ?u))
      (next ?f ?e ?y) (next ?e ?y ?e)))
  (:action through-segment-full-with-one
    :parameters (?v ?u - vehicle ?a - side ?f ?e - end ?s - segment ?n - number)
    :precondition (and (pushed ?v ?a) (meets ?a ?f) (across ?f ?e) (end-of ?f ?s) (room ?s ?n) (none ?n)
      (next ?f ?e ?u) (next ?f ?u ?f))
    :effect (and (not (pushed ?v ?a)) (pushed ?u ?e)
      (not (next ?f ?e ?u)) (not (next ?f ?u ?f)) (not (next ?e ?f ?u)) (not (next ?e ?u ?e))
      (next ?f ?e ?v) (next ?f ?v ?f) (next ?e ?f ?v) (next ?e ?v ?e)))

  ; ---- the unit is done: where does the tail go on from, and does the run go on at all
  (:action tail-stayed
    :parameters ()
    :precondition (and (settled) (tail-stays))
    :effect (and (not (settled)) (not (tail-stays)) (moving)))
  (:action tail-came-into-segment
    :parameters (?a - side ?f ?e - end)
    :precondition (and (settled) (tail-leaves) (out ?a) (meets ?a ?f) (across ?f ?e))
    :effect (and (not (settled)) (not (tail-leaves)) (moving) (not (out ?a)) (out ?e)))
  (:action tail-came-onto-turnout
    :parameters (?a - side ?c ?d - tip)
    :precondition (and (settled) (tail-leaves) (out ?a) (meets ?a ?c) (passage ?c ?d))
    :effect (and (not (settled)) (not (tail-leaves)) (moving) (not (out ?a)) (out ?d)))
  (:action stop
    :parameters (?v - vehicle ?a - side)
    :precondition (and (moving) (tail ?v) (out ?a))
    :effect (and (not (moving)) (not (tail ?v)) (not (out ?a)) (idle)))
)
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """A track plan: ``segments`` with their capacities (the locomotive counts), ``turnouts`` with what the toe, the
    closed and the thrown leg are joined to, like ``s1.from`` or ``T2.toe``. A segment's end that is not named has a
    buffer."""

    segments: Mapping[str, int]
    turnouts: Mapping[str, tuple[str, str, str]]


def pull_drops(sidings: Mapping[str, int], headshunt: int, start: Rows, goal: Rows) -> str:
    """The problem: capacities in wagons, rows written from the points, the locomotive left out.

    A track that the goal names holds exactly that row in the end.
    """
    tracks = {"head": headshunt, **sidings}
    wagons = [wagon for row in start.values() for wagon in row]
    facts = [f"(room {track} n{capacity - len(start.get(track, ()))})" for track, capacity in tracks.items()]
    facts += [f"(one-more n{number} n{number + 1})" for number in range(max(tracks.values()))]
    for track in tracks:
        facts += _stack(track, start.get(track, ()))
    wanted = [fact for track, row in goal.items() for fact in _stack(track, row)]
    objects = {
        "wagon": [f"w{wagon}" for wagon in wagons],
        "buffer": [f"buffer-{track}" for track in tracks],
        "siding": list(sidings),
        "headshunt": ["head"],
        "number": [f"n{number}" for number in range(max(tracks.values()) + 1)],
    }
    return _problem("pull-drops", objects, ["(home)", "(nothing-between)", *facts], ["(home)", *wanted])


def runs(plan: Plan, start: Rows, goal: Rows, locomotive: str = "L") -> str:
    """The problem: nothing stands on a turnout at the start; a segment that the goal names holds exactly that row in
    the end, wherever the locomotive is."""
    most = max(plan.segments.values())
    vehicles = [vehicle for row in start.values() for vehicle in row]
    tips = ["nothing"]
    facts = [f"(one-more n{number} n{number + 1})" for number in range(most)]
    facts += ["(none n0)", "(shut nothing)", "(idle)"]
    met = set()
    for turnout, joined in plan.turnouts.items():
        toe, *legs = own = [f"{turnout}.{side}" for side in ("toe", "closed", "thrown")]
        tips += own
        facts.append(f"(free {turnout})")
        facts += [fact for side in own for fact in (f"(tip-of {side} {turnout})", f"(shut {side})")]
        facts += [fact for leg in legs for fact in (f"(way {toe} {leg})", f"(way {leg} {toe})")]
        for side, other in zip(own, joined, strict=True):
            facts += [f"(meets {side} {other})", f"(meets {other} {side})"]
            met.add(other)
    for segment, capacity in plan.segments.items():
        ends = first, last = f"{segment}.from", f"{segment}.to"
        row = start.get(segment, ())
        facts += [f"(end-of {first} {segment})", f"(end-of {last} {segment})"]
        facts += [f"(across {first} {last})", f"(across {last} {first})", f"(room {segment} n{capacity - len(row)})"]
        facts += [f"(meets {end} nothing)" for end in ends if end not in met]
        facts += _row(segment, row)
    wanted = []
    for segment, row in goal.items():
        rows = [row, *([*row[:place], locomotive, *row[place:]] for place in range(len(row) + 1))]
        ways = [f"(and {' '.join(_row(segment, one))})" for one in rows if len(one) <= plan.segments[segment]]
        wanted.append(f"(or {' '.join(ways)})")
    objects = {
        "segment": list(plan.segments),
        "turnout": list(plan.turnouts),
        "end": [f"{segment}.{end}" for segment in plan.segments for end in ("from", "to")],
        "tip": tips,
        "vehicle": [f"v{vehicle}" for vehicle in vehicles if vehicle != locomotive],
        "locomotive": [f"v{locomotive}"],
        "number": [f"n{number}" for number in range(most + 1)],
    }
    return _problem("runs", objects, list(dict.fromkeys(facts)), ["(idle)", *wanted])


def _stack(track: str, row: Sequence[str]) -> Iterator[str]:
    items = [*(f"w{wagon}" for wagon in row), f"buffer-{track}"]
    yield f"(nearest {items[0]} {track})"
    for one, other in pairwise(items):
        yield f"(behind {one} {other})"


def _row(segment: str, row: Sequence[str]) -> list[str]:
    first, last = f"{segment}.from", f"{segment}.to"
    items = [first, *(f"v{vehicle}" for vehicle in row), last]
    pairs = list(pairwise(items))
    return [f"(next {last} {a} {b})" for a, b in pairs] + [f"(next {first} {b} {a})" for a, b in pairs]


def _problem(domain: str, objects: Mapping[str, Sequence[str]], facts: Sequence[str], wanted: Sequence[str]) -> str:
    named = " ".join(f"{' '.join(names)} - {kind}" for kind, names in objects.items() if names)
    text = (
        f"(define (problem puzzle) (:domain {domain}) (:objects {named})\n"
        f"(:init {' '.join(facts)} (= (total-cost) 0))\n"
        f"(:goal (and {' '.join(wanted)}))\n(:metric minimize (total-cost)))\n"
    )
    return text.replace(".", "-")  # a dot is no part of a name in PDDL


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the planner says: ``cost`` is that of its plan, None when it has none."""

    status: PlanGenerationResultStatus
    cost: int | None


def ask(domain: str, problem: str) -> Verdict:
    """Let Fast Downward search for a plan of the least cost, and say what it has proved."""
    get_environment().credits_stream = None
    puzzle = PDDLReader().parse_problem_string(domain, problem)
    # The planner writes a file of a fixed name where it is started: two at a time would read each other's.
    with TemporaryDirectory() as folder, chdir(folder), OneshotPlanner(name="fast-downward-opt") as planner:
        result = planner.solve(puzzle)
    if result.plan is None:
        return Verdict(result.status, None)
    (metric,) = puzzle.quality_metrics
    costs = [metric.get_action_cost(step.action) for step in result.plan.actions]
    return Verdict(result.status, sum(cost.constant_value() for cost in costs if cost is not None))
