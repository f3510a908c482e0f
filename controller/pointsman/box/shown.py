"""What is shown of a play at a moment: its snapshot's keys, made of what the layout has told."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from pointsman.box import picture
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.box.task import Ground, Task
from pointsman.dispatch.control import Status
from pointsman.errors import NOTHING_MOVES, HaltedError, PointsmanError
from pointsman.links import On
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief, at_setup
from pointsman.operate.power import without_hands
from pointsman.operate.set_up import facing_asked, set_up_lines
from pointsman.puzzle.position import Position
from pointsman.resuming import Interrupted
from pointsman.track.ends import ends_of
from pointsman.track.model import End, Track

BY_HAND = "by hand"
"""What a sitting that takes orders is doing, at the least."""
MAKES_WAY = "another puzzle is dealt"
"""Why a play is stopped that makes way for another one: nothing is to be put right."""
DRAWING = "drawing and solving"
STOPPED = "nothing moves any more; say what stands where to go on, or draw anew"


def nothing_on(ground: Ground) -> dict[str, Any]:
    """The layout before anything is known of it."""
    return {
        "t_s": 0.0,
        "links": (),
        "power": None,
        "turnouts": picture.turnouts(ground.track, ground.wiring, None, ()),
        "beams": picture.beams(ground.track, None),
        "magnets": picture.magnets(ground.track, ground.wiring, ()),
        "drive": None,
    }


def before_all(ground: Ground) -> Snapshot:
    """The first snapshot."""
    return Snapshot(**nothing_on(ground))


def seen(ground: Ground, status: Status) -> dict[str, Any]:
    """What a status says of the layout, moving things left out."""
    return {
        "links": picture.links(status),
        "power": picture.POWER.get(status.power),
        "turnouts": picture.turnouts(ground.track, ground.wiring, status.belief, status.turning),
        "beams": picture.beams(ground.track, status.belief),
        "magnets": picture.magnets(ground.track, ground.wiring, status.energised),
    }


def moving(status: Status, t_s: float, *, over: bool) -> dict[str, Any]:
    """What changes all the time while a train moves, at a moment of its clock; ``over``: it moved until then.

    What was refused before a movement is no longer so.
    """
    warned = None if status.hand is None else status.hand.warned
    drive = None if over else picture.drive(status.drive, t_s, warned)
    return {
        "t_s": round(t_s, 3),
        "vehicles": picture.vehicles(status.belief, status.drive, t_s, rolling=not over),
        "drive": drive,
        **({} if drive is None else {"refusal": None}),
    }


def note(status: Status) -> str:
    """What is being done; nothing, where a person may drive and nobody does."""
    idle = status.hand is not None and status.drive is None and status.doing.startswith(BY_HAND)
    return "" if idle else status.doing


def set_up(task: Task, *, real: bool) -> str:
    """How everything has to stand, in words; on a ``real`` layout nobody may have a hand in it."""
    clear = ["Begin when everybody is clear of the layout."] if real else []
    return " ".join(["Set up like this.", *set_up_lines(task.chosen), *clear])


def facing(ground: Ground, task: Task) -> dict[str, Any]:
    """What a person is asked about the way the locomotive goes, and what the ends of its track are called."""
    track, engine = task.chosen.track, task.chosen.puzzle.locomotive
    segment = task.chosen.start.where(engine)[0]
    asked = facing_asked(track, engine, segment, dc=ground.wiring.on_dc(engine))
    return {
        "ends": {str(end): name.told for end, name in ends_of(track, segment).items()},
        "facing": {"text": asked.question, "note": asked.note},
    }


def standing(track: Track, position: Position, facing: End) -> dict[str, Any]:
    """Where every vehicle is when everything is set up by hand like a position; nowhere yet what stands on points."""
    return {
        **dict.fromkeys(position.vehicles, picture.NOWHERE),
        **picture.vehicles(_at_setup(track, position, facing), None, 0.0),
    }


def _at_setup(track: Track, position: Position, facing: End) -> Belief:
    allow = Allowances()
    return at_setup(track, position, facing, allow.mark_error_mm, allow.setup_error_mm)


def _cure(ground: Ground, text: str) -> str:
    """What is to be done. There is nothing to be switched off by hand on a simulated layout."""
    return without_hands(text) if ground.target.on is On.SIM else text


def halted(ground: Ground, error: PointsmanError, position: str, standing: Mapping[str, Any]) -> dict[str, Any]:
    """Why everything was stopped. ``position`` is the last confirmed one, if the error says none.

    ``believed`` is where everything stands by ``standing``, the vehicles as they are shown, if that is a position;
    ``where`` says it of the locomotives in millimetres.
    """
    cure = _cure(ground, error.cure.replace(NOTHING_MOVES, STOPPED))
    ours = error if isinstance(error, HaltedError) else None
    return {
        "mode": Mode.HALTED,
        "refusal": None,
        "note": _note_at_halt(error.what),
        "halted": {
            "why": error.what,
            "making_way": error.what == MAKES_WAY,
            "cure": cure or (STOPPED if error.cure else "look at the layout"),
            "confirmed": position if ours is None else ours.confirmed or position,
            "believed": picture.position_of(ground.track, standing),
            "where": "" if ours is None else ours.believed,
        },
    }


def being_halted(ground: Ground, status: Status) -> dict[str, Any]:
    """Everything was stopped just now; the cure is what a hand must do at once.

    What else is to be done is not known before the link is closed.
    """
    position = str(status.belief.position)
    return {
        "mode": Mode.HALTED,
        "refusal": None,
        "note": _note_at_halt(status.halted),
        "halted": {
            "why": status.halted,
            "making_way": status.halted == MAKES_WAY,
            "cure": _cure(ground, status.cure),
            "confirmed": position,
            "believed": position,
            "where": "",
        },
    }


def _note_at_halt(why: str) -> str:
    return f"{DRAWING} ..." if why == MAKES_WAY else ""


def taking_up(play: Interrupted) -> dict[str, Any]:
    """Nothing has been confirmed since the play was stopped: what stands where is to be said."""
    position = str(play.position)
    return {
        "why": play.why,
        "making_way": False,
        "cure": "say what stands where",
        "confirmed": position,
        "believed": position,
        "where": "",
    }


def unfinished(play: Interrupted) -> dict[str, Any]:
    """A play that did not come to its end."""
    return {
        "journal": play.journal.name,
        "puzzle": play.chosen.name,
        "position": str(play.position),
        "why": play.why,
    }


def refusal(track: Track, error: PointsmanError, t_s: float) -> dict[str, Any]:
    """Why something was refused, and what on the layout it concerns: see ``_concerns``."""
    kind, name = _concerns(track, error)
    return {"why": error.what, "cure": error.cure, "kind": kind, "name": name, "t_s": t_s}


def _concerns(track: Track, error: PointsmanError) -> tuple[str, str]:
    """What an error says it is about (``magnet s1``), else the first thing that it names; empty where it is nothing."""
    names: dict[str, Container[str]] = {
        "turnout": track.turnouts,
        "segment": track.segments,
        "locomotive": track.locomotives,
        "magnet": track.uncouplers,
    }
    kind, _, name = error.where.partition(" ")
    if name in names.get(kind, ()):
        return kind, name
    # A magnet has its track's name, so that only the error itself can say that it is meant.
    del names["magnet"]
    words = f"{error.where} {error.what}".replace(",", " ").replace(":", " ").replace(";", " ").split()
    return next(((kind, word) for word in words for kind in names if word in names[kind]), ("", ""))
