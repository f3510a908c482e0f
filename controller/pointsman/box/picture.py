"""The layout as a moment has it, in JSON values: what is believed and reported, never what is hoped for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pointsman.dispatch.control import Status
from pointsman.messages import LinkState
from pointsman.operate.ahead import Limit
from pointsman.operate.belief import Belief, Spot
from pointsman.operate.power import Power
from pointsman.operate.sweep import Sweep
from pointsman.operate.tracker import Drive
from pointsman.puzzle.journey import train_after
from pointsman.puzzle.moves import Run, train_of
from pointsman.puzzle.position import Position
from pointsman.track.model import Leg, Place, Track
from pointsman.track.path import Stretch, following
from pointsman.track.wiring import TurnoutKind, Wiring

POWER = {Power.ON: True, Power.OFF: False}
"""What is not among them is not known."""
NOWHERE: Mapping[str, Any] = {"element": None, "leg": None, "at_mm": 0.0, "error_mm": 0.0, "v_mm_s": 0.0}
"""A vehicle of which nobody knows where it is."""
_BARELY_MM_S = 0.05


def vehicles(belief: Belief, drive: Drive | None, t_s: float, *, rolling: bool = True) -> dict[str, Any]:
    """Where every vehicle's middle is believed to be at a moment of the layout's clock, and how fast it moves.

    ``v_mm_s`` is positive towards an element's ``to`` end; on a turnout towards its leg. Without ``rolling`` everything
    has been stopped in the middle of the drive.
    """
    spots: dict[str, Spot] = dict(belief.spots)
    speeds: dict[str, float] = {}
    if drive is not None:
        envelope, sweep = drive.envelope.at(t_s), drive.step.sweep
        spots |= sweep.spots(envelope.slow.x_mm, envelope.fast.x_mm)
        speeds = _speeds(sweep, envelope.likely.x_mm, envelope.likely.v_mm_s if rolling else 0.0)
    return {name: _seen(spot, speeds.get(name, 0.0)) for name, spot in spots.items()}


def _speeds(sweep: Sweep, c_mm: float, v_mm_s: float) -> dict[str, float]:
    """Of all that moves with a locomotive, or is pushed by it, when its middle is at a place."""
    forward = {stretch.element: stretch.forward for stretch in sweep.path.stretches}
    found = {}
    for body in sweep.bodies:
        at = c_mm + body.offset_mm
        if v_mm_s > _BARELY_MM_S and at >= (body.rest_low_mm + body.rest_high_mm) / 2:
            found[body.vehicle] = v_mm_s if forward[sweep.path.place(at).element] else -v_mm_s
    return found


def _seen(spot: Spot, v_mm_s: float) -> dict[str, Any]:
    return {**place(spot.place), "error_mm": round(spot.error_mm, 1), "v_mm_s": round(v_mm_s, 1)}


def place(at: Place) -> dict[str, Any]:
    """A place on the track."""
    return {"element": at.element, "leg": None if at.leg is None else str(at.leg), "at_mm": round(at.at_mm, 1)}


def position_of(track: Track, standing: Mapping[str, Any]) -> str:
    """Where ``vehicles`` has everything, as a position; empty where that is none: two on one turnout, say."""
    if any(seen["element"] is None for seen in standing.values()):
        return ""
    rows: dict[str, list[str]] = {}
    for name in sorted(standing, key=lambda name: standing[name]["at_mm"]):
        rows.setdefault(standing[name]["element"], []).append(name)
    if any(len(rows[name]) > 1 for name in rows if name in track.turnouts):
        return ""
    on = {name: (row[0], Leg(standing[row[0]]["leg"])) for name, row in rows.items() if name in track.turnouts}
    return str(Position.of(track, rows, on))


def drive(found: Drive | None, t_s: float, warned: Limit | None = None) -> dict[str, Any] | None:
    """What drives, how fast, and where it is to stop, and why there; ``warned`` is what it may pass, and should not.

    ``towards`` is an end of the element in which the locomotive stood when it began.
    """
    if found is None:
        return None
    step, pace = found.step, found.envelope.at(t_s).likely
    here = step.sweep.path.place((step.sweep.start_low_mm + step.sweep.start_high_mm) / 2)
    stretch = next(one for one in step.sweep.path.stretches if one.element == here.element)
    return {
        "locomotive": step.locomotive,
        "towards": "to" if stretch.forward else "from",
        "speed_mm_s": round(pace.v_mm_s, 1),
        "limit": {"why": step.stop.why, **place(step.sweep.path.place(step.stop.target_mm))},
        "warning": None if warned is None else {"why": warned.why, **place(warned.place)},
    }


def turnouts(track: Track, wiring: Wiring, belief: Belief | None, turning: tuple[str, ...]) -> dict[str, Any]:
    """How every turnout was commanded and is reported; ``surety`` is how surely it lies as it was commanded.

    It is not known either where it is reported to lie otherwise. Nothing on a layout sees the blades: ``assumed`` is
    what was commanded once the machine has had its time.
    """
    found = {}
    for name in track.turnouts:
        commanded = None if belief is None else belief.commanded.get(name)
        reported = None if belief is None else belief.reported.get(name)
        if name in turning:
            surety = "moving"
        elif commanded is None or reported not in {None, commanded}:
            surety = "unknown"
        else:
            surety = "assumed"
        found[name] = {
            "commanded": _leg(commanded),
            "reported": _leg(reported),
            "surety": surety,
            "by_hand": wiring.turnouts[name].kind is TurnoutKind.HAND,
        }
    return found


def _leg(leg: Leg | None) -> str | None:
    return None if leg is None else str(leg)


def beams(track: Track, belief: Belief | None) -> dict[str, bool]:
    """Which beams are broken; what is not known yet is taken for free."""
    seen: Mapping[str, bool] = {} if belief is None else belief.beams
    return {name: seen.get(name, False) for name in track.beams}


def magnets(track: Track, wiring: Wiring, energised: tuple[str, ...]) -> dict[str, Any]:
    """Which magnets were switched on, and of what kind each is."""
    return {
        name: {"on": name in energised, "kind": str(wiring.uncouplers[name].kind)}
        for name in track.uncouplers
        if name in wiring.uncouplers
    }


def links(status: Status | None) -> tuple[dict[str, Any], ...]:
    """How the link to every station is; ``why`` only where it is neither up nor closed on purpose."""
    found = {} if status is None else status.links
    fine = {LinkState.UP, LinkState.CLOSED}
    return tuple(
        {"station": one.station, "state": str(one.state), "why": "" if one.state in fine else one.why}
        for one in found.values()
    )


def route(track: Track, run: Run | None) -> tuple[dict[str, Any], ...]:
    """The elements that a run passes, from where its train stands to where it comes to."""
    if run is None:
        return ()
    train = train_of(track, run.before, run.locomotive, run.towards)
    at: Stretch | None = train.places[len(run.left)]
    end = train_after(track, run).places[-1].element
    lie = {**dict.fromkeys(track.turnouts, Leg.CLOSED), **dict(run.legs)}
    found: list[dict[str, Any]] = []
    seen: set[str] = set()
    moved = False
    while at is not None and at.element not in seen:
        seen.add(at.element)
        found.append({"element": at.element, "leg": _leg(at.leg)})
        moved = moved or at.element == run.before.where(run.locomotive)[0]
        if moved and at.element == end:
            break
        at = following(track, at, lie)
    return tuple(found)
