"""What is taken away from a competition: tables, the whole book, results and certificates to be printed, replays."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response

from pointsman.compete.entries import Scope
from pointsman.compete.export.attempts_csv import attempts_csv
from pointsman.compete.export.book_json import book_json
from pointsman.compete.export.results import results_of
from pointsman.compete.export.standings_csv import standings_csv
from pointsman.web.competing import admitted as admittance
from pointsman.web.competing.asking import AT, UNREADABLE, Lang, NamedHall
from pointsman.web.competing.catalogue import track_of
from pointsman.web.competing.hall import Hall
from pointsman.web.competing.schemas import ReplayView, SetUpView
from pointsman.web.front import LIMITED, REFUSED, Front, FrontOf
from pointsman.web.languages import language_of
from pointsman.web.printing.certificate import certificates
from pointsman.web.printing.result_sheet import result_sheet
from pointsman.web.printing.sheet import Paper
from pointsman.web.spreadsheets import style_of

router = APIRouter(responses={**LIMITED, **UNREADABLE})
Printed = Annotated[Paper, Query(description="What it is printed on.")]
FORBIDDEN: dict[int | str, dict[str, Any]] = {403: REFUSED[403]}


def _file(kind: str, what: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {kind: {}}, "description": what}, **FORBIDDEN}


class Table(StrEnum):
    """Which table."""

    STANDINGS = "standings"
    ATTEMPTS = "attempts"


@router.get(f"{AT}/export.csv", response_class=Response, responses=_file("text/csv", "The table."))
async def export_csv(
    hall: NamedHall, front: FrontOf, request: Request, lang: Lang = None, table: Table = Table.STANDINGS
) -> Response:
    """The standings, or all attempts, as a table for a spreadsheet."""
    seen, scope = await hall.seen(), _scope(hall, front, request)
    write = standings_csv if table is Table.STANDINGS else attempts_csv
    style = style_of(lang or language_of(request))
    made = await asyncio.to_thread(write, seen.book.state, seen.standings_for(scope), style)
    return _sent(made, "text/csv; charset=utf-8", f"{hall.name}-{table}.csv", kept=True)


@router.get(f"{AT}/export.json", response_class=Response, responses=_file("application/json", "The whole book."))
async def export_json(hall: NamedHall, front: FrontOf, request: Request) -> Response:
    """The competition as one file, to be kept and to be verified; for the marshal alone."""
    hall.asker(admittance.presented(front, request)).check(Scope.MARSHAL)
    seen = await hall.seen()
    made = await asyncio.to_thread(lambda: book_json(seen.book, results_of(seen.standings)))
    return _sent(made, "application/json", f"{hall.name}.json", kept=True)


PDF = _file("application/pdf", "The document.")


@router.get(f"{AT}/results.pdf", response_class=Response, responses=PDF)
async def results(
    hall: NamedHall, front: FrontOf, request: Request, lang: Lang = None, paper: Printed = Paper.A4
) -> Response:
    """The results of all rounds, to be printed."""
    return await _results(hall, None, _scope(hall, front, request), lang or language_of(request), paper)


@router.get(f"{AT}/rounds/{{round_id}}/results.pdf", response_class=Response, responses=PDF)
async def round_results(
    hall: NamedHall, front: FrontOf, round_id: str, request: Request, lang: Lang = None, paper: Printed = Paper.A4
) -> Response:
    """The results of a round, to be printed."""
    hall.round(round_id)
    return await _results(hall, round_id, _scope(hall, front, request), lang or language_of(request), paper)


def _scope(hall: Hall, front: Front, request: Request) -> Scope:
    """Of whoever asks: what gives a draw away is told to the marshal alone."""
    return hall.asker(admittance.presented(front, request)).scope


async def _results(hall: Hall, round_id: str | None, scope: Scope, language: str, paper: Paper) -> Response:
    seen = await hall.seen()
    standings = seen.standings_for(scope)
    make = partial(
        result_sheet,
        seen.book.state,
        standings,
        language=language,
        paper=paper,
        round_id=round_id,
        head=seen.head_for(scope),
    )
    full = scope is Scope.MARSHAL
    made = await hall.press.once(("results", seen.book.head.hash, full, round_id, language, paper), make)
    return _sent(made, "application/pdf", f"{hall.name}-{round_id or 'results'}.pdf")


@router.get(f"{AT}/entrants/{{entrant}}/certificate.pdf", response_class=Response, responses=PDF)
async def certificate(
    hall: NamedHall, front: FrontOf, entrant: str, request: Request, lang: Lang = None, paper: Printed = Paper.A4
) -> Response:
    """An entrant's certificate, to be printed."""
    seen, scope, language = await hall.seen(), _scope(hall, front, request), lang or language_of(request)
    standings = seen.standings_for(scope)

    def make() -> bytes:
        rounds = list(seen.book.state.rounds.values())
        track = track_of(rounds[-1].announced.puzzle) if rounds else None
        return certificates(seen.book.state, standings, entrants=[entrant], language=language, paper=paper, track=track)

    full = scope is Scope.MARSHAL
    made = await hall.press.once(("certificate", seen.book.head.hash, full, entrant, language, paper), make)
    return _sent(made, "application/pdf", f"{hall.name}-certificate.pdf")


@router.get(f"{AT}/rounds/{{round_id}}/set-up/{{heat}}", responses=FORBIDDEN)
async def set_up(hall: NamedHall, front: FrontOf, round_id: str, heat: int, request: Request) -> SetUpView:
    """What is to be set up for a heat that is open; for the marshal, and for all once everybody has played it."""
    asker = hall.asker(admittance.presented(front, request))
    return SetUpView.model_validate(await hall.set_up(round_id, heat, asker))


@router.get(f"{AT}/attempts/{{attempt}}/replay", response_model=ReplayView, responses=FORBIDDEN)
async def replay(hall: NamedHall, front: FrontOf, attempt: str, request: Request, lang: Lang = None) -> Response:
    """What happened in an attempt, beside the optimum."""
    asker = hall.asker(admittance.presented(front, request))
    said = await hall.replay(attempt, asker, lang or language_of(request))
    return Response(said, media_type="application/json")


def _sent(document: bytes, kind: str, name: str, *, kept: bool = False) -> Response:
    how = "attachment" if kept else "inline"
    return Response(document, media_type=kind, headers={"content-disposition": f'{how}; filename="{name}"'})
