"""The lines of a journal in words, each as one sentence.

A referee's presses are lines too. A fault that was seen is ``{"what": "fault", "fault": "derailment", "by": "Anna"}``,
with ``"taken_back": true`` for one that was none after all. A clock that is stopped is ``{"what": "clock", "stands":
true, "by": "Anna", "why": "a machine sticks"}``, and one that goes on the same with ``"stands": false``.
"""

from __future__ import annotations

from pointsman.errors import JournalError
from pointsman.record import Line

_FAULTS = {
    "derailment": "a derailment",
    "side-swipe": "a side-swipe",
    "hand": "a hand on a vehicle",
    "over-full": "an over-full siding",
}


def check_press(line: Line) -> None:
    """JournalError unless a line tells of a whole press."""
    what = line.text("what")
    line.text("by")
    if what == "fault":
        line.text("fault")
    elif what == "clock":
        if type(line.values.get("stands")) is not bool:
            raise JournalError("a press of the clock that says not how it is", cure="it was written by another version")
    else:
        raise JournalError(f"there is no press {what!r}", cure="it was written by another version")


def told(line: Line) -> str:
    """A line of the steps of ``retelling.Told`` in words."""
    values = line.values
    match line.kind:
        case "run":
            return f"run {values.get('number')} done: {values.get('position')}"
        case "stood":
            between = values.get("between")
            return f"stands: between positions, {between}" if between else f"stands: {values.get('position')}"
        case "order":
            return f"{values.get('who')}: {values.get('what')}"
        case "refused":
            return f"refused: {values.get('why')}"
        case "let pass":
            return f"let pass, protection {values.get('protection')}: {values.get('what')}"
        case "asked":
            return f"asked: {' '.join(filter(None, (str(values.get('note', '')), line.text('what'))))}"
        case "put right":
            return f"put right by {values.get('by')}: {values.get('position')}"
        case "hint":
            return f"hint: {values.get('run')}"
        case "halt":
            return f"STOPPED: {values.get('why')}"
        case "pressed":
            return _pressed(line)
        case _:
            return str(values.get("what"))


def _pressed(line: Line) -> str:
    by, why = line.values.get("by"), line.values.get("why")
    if line.values.get("what") == "fault":
        fault = str(line.values.get("fault"))
        seen = _FAULTS.get(fault, fault)
        back = line.values.get("taken_back") is True
        return f"{by} has taken back {seen}" if back else f"{by} has marked {seen}"
    if line.values.get("stands") is True:
        return f"{by} has stopped the clock: {why}" if why else f"{by} has stopped the clock"
    return f"{by} has let the clock go on: {why}" if why else f"{by} has let the clock go on"
