"""The entries of a book in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pointsman.compete import entries as e
from pointsman.compete.book import taken_back
from pointsman.compete.state import NEVER_TAKEN_BACK
from pointsman.web.competing.moment import in_text

MOST_LINES = 100


def log_lines(written: Sequence[e.Written]) -> list[dict[str, Any]]:
    """The newest entries, the newest first."""
    gone = taken_back(written)
    return [
        {
            "seq": one.seq,
            "at": in_text(one.at),
            "by": one.by,
            "why": one.why,
            "kind": type(one.entry).__name__,
            "text": in_words(one.entry),
            "undone": one.seq in gone,
            "can_undo": one.seq not in gone and not isinstance(one.entry, NEVER_TAKEN_BACK),
        }
        for one in reversed(written[-MOST_LINES:])
    ]


def in_words(entry: e.Entry) -> str:
    """An entry as one sentence."""
    match entry:
        case e.FaultMarked():
            return f"a fault in {entry.attempt}: {entry.fault}"
        case e.AttemptStarted():
            if entry.spare:
                return f"{entry.attempt} is called in heat {entry.heat}, spare draw {entry.spare}"
            return f"{entry.attempt} is called in heat {entry.heat}"
        case e.AttemptEnded():
            return f"{entry.attempt} has ended: {entry.outcome}"
        case e.SetUpAgreed() | e.ClockStarted() | e.Paused() | e.Resumed() | e.HintMarked():
            return f"{entry.attempt}: {_OF_ATTEMPT[type(entry)]}"
        case e.MarksCorrected() | e.Checked():
            return f"{entry.attempt}: {_OF_ATTEMPT[type(entry)]}"
        case e.RoundAnnounced():
            return f"round {entry.round} is announced"
        case e.Committed():
            return f"the draws of round {entry.round} are settled"
        case e.HeatOpened():
            return f"heat {entry.heat} of round {entry.round} is opened"
        case e.Revealed():
            return f"the secret of round {entry.round} is published"
        case e.SpeedChecked():
            return f"{entry.locomotive} was timed: {entry.distance_mm} mm in {entry.time_ms} ms"
        case _:
            return _of_people(entry)


_OF_ATTEMPT: dict[type[e.Entry], str] = {
    e.SetUpAgreed: "the set-up is agreed",
    e.ClockStarted: "the clock runs",
    e.Paused: "the clock stands",
    e.Resumed: "the clock runs again",
    e.HintMarked: "a hint was given",
    e.MarksCorrected: "the marks are corrected",
    e.Checked: "the marks are checked",
}


def _of_people(entry: e.Entry) -> str:
    match entry:
        case e.EntrantAdded():
            return f"{entry.name} takes part"
        case e.EntrantChanged():
            return f"what is written of {entry.name} is changed"
        case e.Withdrawn():
            return f"{entry.entrant} withdraws"
        case e.TokenGiven():
            return f"the device {entry.name} is admitted"
        case e.TokenRevoked():
            return f"the device {entry.name} is admitted no more"
        case e.Undone():
            return f"entry {entry.seq} is taken back"
        case e.SharedTrainCounted():
            return f"the shared train of heat {entry.heat} of round {entry.round} has {entry.placed} in their places"
        case _:
            return "the competition begins"
