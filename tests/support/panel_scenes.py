"""Scenes for the page: layouts as the signal box describes them, and states of a play on them."""

from __future__ import annotations

from typing import Any

from boxes import ground
from panel_stage import Json, Stage

from pointsman.track.model import Track
from pointsman.web.layout_view import layout_view
from pointsman.web.schemas import json_of


def described(name: str) -> tuple[Track, Json]:
    """A built-in layout, and what ``/api/layout`` says of it."""
    layout = ground(name)
    return layout.track, json_of(layout_view(layout))


def at_rest(track: Track, rows: dict[str, list[str]], *, error_mm: float = 6.0) -> Json:
    """Vehicles standing in segments, from -> to, pushed up to the points (a headshunt: to its ``to`` end)."""
    found: Json = {}
    for name, standing in rows.items():
        segment = track.segments[name]
        up = segment.meets_from is not None
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

UNFINISHED = {"journal": "j", "puzzle": "classic", "position": "head: L", "why": "the power was cut"}


def stage(state: Json = PLAY, *, layout: Json = LAYOUT, **more: Any) -> Stage:
    """A server that is the signal box, in a state of the Inglenook."""
    return Stage(layout, state, **more)
