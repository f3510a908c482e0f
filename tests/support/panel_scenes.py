"""Scenes for the page: layouts as the signal box describes them, and states of a play on them."""

from __future__ import annotations

from typing import Any

from panel_stage import Json, Stage

from pointsman.track.builtin import find_layout
from pointsman.track.colour import hex_colour
from pointsman.track.layout import load_layout
from pointsman.track.model import Leg, Locomotive, Place, SegmentEnd, Side, Track

KINDS = {"open": "open wagon", "van": "van", "mineral": "mineral wagon"}


def described(name: str) -> tuple[Track, Json]:
    """A built-in layout, and what ``/api/layout`` says of it."""
    track = load_layout(find_layout(name))
    speeds = track.speeds
    return track, {
        "name": track.name,
        "title": track.title,
        "scale": track.scale,
        "unit_mm": track.unit_mm,
        "segments": {
            one.name: {
                "capacity": one.capacity,
                "length_mm": one.length_mm,
                "draw": [list(point) for point in track.drawing.segments[one.name]],
                "from": _text(one.meets_from),
                "to": _text(one.meets_to),
            }
            for one in track.segments.values()
        },
        "turnouts": {
            one.name: {
                "length_mm": one.length_mm,
                "holds": one.holds,
                "kind": "servo",
                "draw": {str(side): list(point) for side, point in track.drawing.turnouts[one.name].items()},
                "joints": {str(side): _text(one.meets(side)) for side in Side},
                "through_mm": {str(leg): one.through_mm(leg) for leg in Leg},
            }
            for one in track.turnouts.values()
        },
        "beams": {one.name: _place(one.place) for one in track.beams.values()},
        "magnets": {one.name: {**_place(one.place), "kind": "permanent"} for one in track.uncouplers.values()},
        "vehicles": {
            one.name: {
                "kind": one.kind,
                "colour": hex_colour(one.colour),
                "length_mm": one.length_mm,
                "locomotive": isinstance(one, Locomotive),
                "photo": None,
                "words": f"{one.name}, {KINDS.get(one.kind, one.kind or 'locomotive')}",
            }
            for one in [*track.locomotives.values(), *track.wagons.values()]
        },
        "speeds": {
            "creep": speeds.creep,
            "coupling": speeds.coupling,
            "rough": speeds.rough,
            "shunting": speeds.shunting,
            "limit": speeds.limit,
            "cap": speeds.limit,
        },
        "puzzles": [{"name": "classic", "title": "Form the train of five", "count": "runs"}],
        "can_drive": True,
    }


def _text(joint: object) -> str | None:
    return None if joint is None else str(joint)


def _place(place: Place) -> Json:
    return {"element": place.element, "leg": place.leg and str(place.leg), "at_mm": place.at_mm}


def at_rest(track: Track, rows: dict[str, list[str]], *, error_mm: float = 6.0) -> Json:
    """Vehicles standing in segments, from -> to, pushed up to the points (a headshunt: to its ``to`` end)."""
    found: Json = {}
    for name, standing in rows.items():
        segment = track.segments[name]
        up = isinstance(segment.meets_from, SegmentEnd) or segment.meets_from is not None
        at = 4.0 if up else segment.length_mm - 4.0 - sum(track.vehicle(v).length_mm for v in standing)
        for vehicle in standing:
            length = track.vehicle(vehicle).length_mm
            found[vehicle] = {
                "element": name,
                "leg": None,
                "at_mm": at + length / 2,
                "error_mm": error_mm,
                "v_mm_s": 0.0,
            }
            at += length
    return found


def quiet(track: Track) -> Json:
    """Nothing has been drawn yet, and everything is well."""
    return {
        "seq": 1,
        "t_s": 0.0,
        "mode": "idle",
        "demo": False,
        "links": [{"station": "main", "state": "up", "why": ""}],
        "power": True,
        "protection": "full",
        "turnouts": {
            name: {"commanded": "closed", "reported": "closed", "surety": "assumed", "by_hand": False}
            for name in track.turnouts
        },
        "beams": dict.fromkeys(track.beams, False),
        "magnets": {name: {"on": False, "kind": "permanent"} for name in track.uncouplers},
        "vehicles": {},
        "drive": None,
        "route": [],
        "puzzle": None,
        "refusal": None,
        "halted": None,
        "question": None,
        "throttle": {},
        "unfinished": None,
        "note": "",
        "people": [],
    }


PLAN = [
    "L draws to head, with 4",
    "L pushes into s2, leaves 4",
    "L draws to T1",
    "L pushes into s1, takes 6",
    "L draws to head, with 6",
]


def inglenook_play(track: Track) -> Json:
    """In the middle of an Inglenook, at a stand."""
    rows = {"head": ["L", "4"], "s1": ["6", "2", "7", "8"], "s2": ["1", "5"], "s3": ["3"]}
    return {
        **quiet(track),
        "mode": "ready",
        "vehicles": at_rest(track, rows),
        "turnouts": {
            "T1": {"commanded": "thrown", "reported": None, "surety": "assumed", "by_hand": False},
            "T2": {"commanded": "closed", "reported": "closed", "surety": "seen", "by_hand": False},
        },
        "route": [
            {"element": "head", "leg": None},
            {"element": "T1", "leg": "thrown"},
            {"element": "T2", "leg": "closed"},
            {"element": "s2", "leg": None},
        ],
        "throttle": {"L": {"holder": None, "towards": None, "speed_mm_s": 0}},
        "puzzle": {
            "name": "classic",
            "title": "Form the train of five in the long siding; the others may be anywhere",
            "seed": "1979",
            "level": 3,
            "start": "head: L | s1: 4 6 2 7 8 | s2: 1 5 3 | s3:",
            "goal": "s1: 6 1 4 3 8",
            "position": "head: L 4 | s1: 6 2 7 8 | s2: 1 5 | s3: 3",
            "count": "runs",
            "par": 23,
            "proved": True,
            "cards": ["6", "1", "4", "3", "8"],
            "target": {"s1": ["6", "1", "4", "3", "8"]},
            "done": {
                "runs": 5,
                "reversals": 4,
                "couplings": 6,
                "pull_drops": 2,
                "seconds": 148,
                "raw_starts": 6,
                "hints": 1,
                "emergency_stops": 0,
                "by_hand": 0,
                "origins": {"runs": "seen", "reversals": "seen", "couplings": "inferred"},
            },
            "plan": [
                {"number": i + 1, "text": text, "engine": "L", "towards": "to", "left": [], "after": ""}
                for i, text in enumerate(PLAN)
            ],
            "next": 1,
            "distance": 18,
            "hint": None,
        },
    }


TRACK, LAYOUT = described("inglenook")
PLAY = inglenook_play(TRACK)
HELD = {"L": {"holder": "me", "towards": None, "speed_mm_s": 0}}
DRIVING = {**PLAY, "mode": "hand", "throttle": HELD}
HALTED = {
    **PLAY,
    "mode": "halted",
    "halted": {
        "why": "the beam at s2 was broken too early",
        "cure": "Look at the layout, then put right.",
        "confirmed": PLAY["puzzle"]["position"],
        "believed": PLAY["puzzle"]["position"],
    },
}


def stage(state: Json = PLAY, *, layout: Json = LAYOUT, **more: Any) -> Stage:
    """A server that is the signal box, in a state of the Inglenook."""
    return Stage(layout, state, **more)
