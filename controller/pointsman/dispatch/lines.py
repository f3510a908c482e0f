"""What the dispatcher writes into a journal of steps, and of where everything stands."""

from __future__ import annotations

from pointsman.operate.belief import Belief
from pointsman.operate.hands import is_by_hand
from pointsman.operate.steps import DriveStep, Step, UncoupleStep


def step_line(run: int, step: Step) -> dict[str, object]:
    """A step that is begun, of which run, and what will show that it is done; ``proves``: it belongs to no run."""
    values: dict[str, object] = {"run": run, "what": str(step), "evidence": _evidence(step)}
    return {**values, "proves": True} if isinstance(step, DriveStep) and step.proves else values


def stand_line(belief: Belief) -> dict[str, object]:
    """Where everything stands after a drive: the position, and of each vehicle element, leg, place and doubt in mm."""
    return {"position": str(belief.position), "spots": _spots(belief)}


def _evidence(step: Step) -> str:
    if is_by_hand(step):
        return "a person's word"
    if isinstance(step, UncoupleStep) and not step.energise:
        return "the time it stands over the magnet"
    if not isinstance(step, DriveStep):
        return "accepted by the station, then the machine's own time"
    edges = [
        f"{e.vehicle}{'+' if e.active else '-'}@{e.beam}" for e in step.sweep.edges if e.c_mm <= step.stop.target_mm
    ]
    return " ".join(edges[-12:]) or "none on the way"


def _spots(belief: Belief) -> dict[str, list[object]]:
    return {
        name: [spot.place.element, spot.place.leg, round(spot.place.at_mm, 1), round(spot.error_mm, 1)]
        for name, spot in belief.spots.items()
    }
