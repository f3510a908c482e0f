"""Scenes for the page of a competition: an evening in its second round, as the server tells it."""

from __future__ import annotations

from typing import Any

from competition_stage import CompetitionStage
from panel_scenes import described
from panel_stage import Json

TRACK, LAYOUT = described("inglenook-small")
START = "head: L | s1: 1 2 | s2: 3 4 | s3: 5"
CARDS = ["4", "1", "3"]
SEEN, ENTERED = "seen", "entered by a person"
PEOPLE = [
    ("ada", "Ada Bertrand", "RMM Liège", "Type 51"),
    ("bruno", "Bruno Claes", "RMM Liège", "Kof II"),
    ("chloe", "Chloé Dubois-Vandenbroucke", "Les Amis du Rail de Verviers", "Y 7400"),
    ("dirk", "Dirk Eyckmans", "De Wissel", "V 36"),
    ("elise", "Élise Fontaine", "", "Type 80"),
    ("finn", "Finn Gruber", "MEC Aachen", "Köf III"),
]


def figure(value: int, origin: str = SEEN) -> Json:
    """A figure of an attempt's marks."""
    return {"value": value, "origin": origin}


def attempt(entrant: str, number: int, *, round_id: str = "r2", heat: int = 1, **more: Any) -> Json:
    """An attempt that was called and has its set-up to be compared."""
    return {
        "id": f"{round_id}-{entrant}-{number}",
        "round": round_id,
        "heat": heat,
        "entrant": entrant,
        "number": number,
        "spare": 0,
        "phase": "called",
        "shows_ms": 0,
        "set_up": False,
        "outcome": None,
        "score": None,
        "origin": None,
        "marks": None,
        "checked_by": "",
        "corrected": False,
        "faults": [],
        "hints": 0,
        "cards": CARDS,
        "par": None,
        "start": START,
        "on_layout": False,
        "replay": False,
        **more,
    }


def over(entrant: str, number: int, runs: int, time_ms: int, **more: Any) -> Json:
    """An attempt that was finished."""
    marks = {
        "outcome": "finished",
        "outcome_origin": ENTERED,
        "time_ms": figure(time_ms, ENTERED),
        "runs": figure(runs, ENTERED),
        "faults": {"derailment": figure(1, ENTERED)},
    }
    its = {
        "phase": "ended",
        "shows_ms": time_ms,
        "set_up": True,
        "outcome": "finished",
        "score": f"{runs} runs",
        "origin": ENTERED,
        "marks": marks,
        "faults": [{"fault": "derailment", "at_ms": 61_200}],
        "par": 10,
        **more,
    }
    return attempt(entrant, number, **its)


def row(entrant: str, rank: int | None, text: str, **more: Any) -> Json:
    """A row of a round's standing that is certain."""
    return {
        "entrant": entrant,
        "rank": rank,
        "shared": False,
        "rank_certain": True,
        "text": text,
        "title": "",
        "origin": SEEN,
        "certain": True,
        "open": 0,
        "cut_off": False,
        "outcome": "finished",
        "advances": "no",
        "attempts": [],
        **more,
    }


def a_round(round_id: str, title: str, rows: list[Json], **more: Any) -> Json:
    """A round that is announced and has its draws settled."""
    return {
        "id": round_id,
        "title": title,
        "puzzle": "inglenook-small/classic",
        "puzzle_title": "Inglenook",
        "count": "runs",
        "scheme": "par-ratio",
        "scheme_title": "Moves in percent of the par, with ranks",
        "format": "best-of-2",
        "attempts": 2,
        "par_least": 8,
        "par_most": 12,
        "heats": 4,
        "heats_open": 2,
        "spares": 2,
        "time_limit_ms": 600_000,
        "cut_off": None,
        "free_faults": [],
        "most_faults": None,
        "most_hints": None,
        "advance": None,
        "category": "",
        "speed_limit_mm_s": None,
        "slow_enough": True,
        "commitment": "5f" * 32,
        "draws": 1324,
        "secret": None,
        "parts_text": None,
        "standing": {"certain": False, "rows": rows},
        "next": [],
        "waiting": [],
        **more,
    }


def evening(scope: str = "marshal", **more: Any) -> Json:
    """The first round is certain, the second is being played: one is on, one is to be run again, one looks wrong."""
    first = [
        row("chloe", 1, "100 %", title="Chef de gare", advances="yes"),
        row("ada", 2, "110 %", shared=True, advances="yes"),
        row("finn", 2, "110 %", shared=True, advances="yes", origin=ENTERED),
        row("dirk", 4, "125 %", advances="yes"),
        row("bruno", 5, "160 %", advances="reserve"),
        row("elise", 6, "did not finish", outcome="did-not-finish"),
    ]
    open_row = {"certain": False, "rank_certain": False, "advances": "open"}
    made = {"number": 1, "attempt": "r2-ada-1", "text": "110 %", "outcome": "finished"}
    second = [
        row("ada", 1, "110 %", open=1, attempts=[made], **open_row),
        row("chloe", None, "", open=2, **open_row),
        row("dirk", None, "", open=2, **open_row),
        row("finn", None, "", open=2, **open_row),
    ]
    spoilt = {"outcome": "equipment", "score": None, "marks": {"outcome": "equipment", "outcome_origin": ENTERED}}
    entry = {"at": "2026-11-30T19:02:11.000Z", "by": "Marie", "why": "", "undone": False, "can_undo": True}
    view = {
        "name": "club-evening",
        "title": "Soirée de manœuvre du club",
        "date": "2026-11-30",
        "place": "Liège",
        "scope": scope,
        "who": "Marie" if scope == "marshal" else "tablet 1",
        "now": "2026-11-30T19:30:00.000Z",
        "head": {"entries": 57, "hash": "ab" * 32},
        "schemes": [
            {"name": "par-ratio", "title": "Moves in percent of the par, with ranks"},
            {"name": "allen", "title": "Time, and 60 s for each fault"},
        ],
        "formats": ["best-of-3", "mean-of-3", "average-of-5"],
        "puzzles": [
            {"name": "inglenook-small/classic", "title": "Inglenook", "wagons": 5, "counts": ["runs", "reversals"]},
            {"name": "tchoutchou/classic", "title": "Tchoutchou", "wagons": 8, "counts": ["runs"]},
        ],
        "entrants": [
            {"id": i, "name": n, "club": c, "category": "", "train": t, "pair": "", "withdrawn": False}
            for i, n, c, t in PEOPLE
        ],
        "rounds": [
            a_round(
                "r1",
                "Round 1",
                first,
                heats_open=4,
                secret="ab" * 16,
                parts_text="pointsman draws 1\nround r1\nheats 4",
                advance={"by": "rank", "value": "4", "edge": "all go on"},
                standing={"certain": True, "rows": first},
            ),
            a_round(
                "r2",
                "Final",
                second,
                next=[{"entrant": "chloe", "number": 1, "heat": 2}, {"entrant": "ada", "number": 2, "heat": 3}],
                waiting=[{"entrant": "dirk", "why": "attempt 1 is to be run again"}],
                speed_limit_mm_s=150,
                slow_enough=True,
            ),
        ],
        "overall": [
            {
                "category": "",
                "rows": [
                    {"entrant": i, "rank": k + 1, "shared": False, "text": f"{210 + 10 * k} %", "certain": False}
                    for k, (i, *_) in enumerate(PEOPLE)
                ],
            }
        ],
        "attempts": [
            over("ada", 1, 11, 245_300, replay=True),
            over("dirk", 1, 12, 95_000, **spoilt),
            attempt("finn", 1, phase="running", shows_ms=72_400, set_up=True),
        ],
        "unchecked": ["r2-ada-1"],
        "doubts": [
            {"attempt": "r2-ada-1", "kind": "outlier", "text": "11 runs are far more than anybody else has here"}
        ],
        "layout": None,
        "tokens": [
            {"name": "tablet 1", "scope": "mark", "expires": "2026-11-30T23:00:00.000Z", "revoked": False},
            {"name": "tablet 2", "scope": "mark", "expires": "2026-11-30T23:00:00.000Z", "revoked": True},
        ],
        "log": [
            {**entry, "seq": 57, "kind": "fault", "text": "Ada Bertrand, attempt 1: derailment at 1:01.2"},
            {**entry, "seq": 56, "kind": "started", "text": "Ada Bertrand, attempt 1: the clock runs", "undone": True},
            {**entry, "seq": 55, "kind": "opened", "text": "Final: heat 2 is open", "can_undo": False, "why": "late"},
        ],
        **more,
    }
    if scope != "marshal":
        del view["tokens"], view["log"]
    return view


REPLAY = {
    "steps": [
        {"t_s": 0.0, "position": START, "text": "L stands in head", "kind": "start"},
        {"t_s": 12.5, "position": "head: L 1 2 | s1: | s2: 3 4 | s3: 5", "text": "L draws 1 2 out", "kind": "run"},
        {"t_s": 31.0, "position": "head: L | s1: | s2: 1 2 3 | s3: 5 4", "text": "1 2 into s2", "kind": "run"},
    ],
    "plan": [
        {"text": "L to s1", "position": "head: | s1: L 1 2 | s2: 3 4 | s3: 5"},
        {"text": "L 1 2 to head", "position": "head: L 1 2 | s1: | s2: 3 4 | s3: 5"},
    ],
    "count": "runs",
    "par": 10,
}


def stage(view: Json | None = None, *, at: str = "standings") -> CompetitionStage:
    """A stage with the layout of every round, and the replay of one attempt."""
    gets = {
        "/rounds/r1/layout": LAYOUT,
        "/rounds/r2/layout": LAYOUT,
        "/attempts/r2-ada-1/replay": REPLAY,
    }
    return CompetitionStage(view or evening(), gets=gets, at=at)
