"""Certificates: a page for each entrant to take home, with name and train, the place, and the moves it took."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pointsman.compete.marks import MEASURE_OF, Fault, Marks, Outcome
from pointsman.compete.scoring.score import Score
from pointsman.compete.standing import Row, Standings
from pointsman.compete.standings import Tables
from pointsman.compete.state import Entrant, State, known
from pointsman.compete.withheld import heats_over
from pointsman.errors import RefusedError
from pointsman.puzzle.puzzle import Count
from pointsman.track.model import Track, Vehicle
from pointsman.web.printing import results_told as told
from pointsman.web.printing.flow import Block
from pointsman.web.printing.ornament import CLEAR_MM, border, rails
from pointsman.web.printing.sheet import BLACK, GREY, MM_PER_PT, Face, Ink, Paper, Sheet, illegible
from pointsman.web.printing.words import Words

_SIDE_MM = CLEAR_MM + 8
_FOOT_MM = 21.0
"""What place, date and signature take."""
_LEAST_GAP_MM = 0.5
_MOST_GAP_MM = 9.0
_VEHICLE_MM, _LOCOMOTIVE_MM = 28.0, 38.0
_HIGH = 0.64
"""Of a wagon's width, how high it is."""
_DECOR = (
    ("locomotive", Ink.of("maroon")),
    ("van", Ink(150, 110, 80)),
    ("open", Ink.of("silver")),
    ("coach", Ink(70, 110, 80)),
)
"""A train of no layout."""


def certificates(
    state: State,
    standings: Standings,
    *,
    entrants: Iterable[str],
    language: str,
    paper: Paper,
    track: Track | None = None,
    round_id: str | None = None,
) -> bytes:
    """A PDF with a page for each of these entrants: of a round, or of all rounds together.

    With the ``track`` a train is drawn: the entrant's own where its name is made of the layout's vehicles, else the
    wagons that were drawn for the best attempt, once nobody has them before them any more. A place that can still
    change is not printed. Raises UsageError for an entrant or a round that there is not, RefusedError for one who is
    not in the round, and when there is nobody.
    """
    if state.created is None:
        raise RefusedError(["the competition has not begun"], cure="create it first")
    if round_id is not None:
        known(state.rounds, round_id, "round")
    if round_id is None and len(state.rounds) == 1:
        round_id = next(iter(state.rounds))
    wanted = list(dict.fromkeys(entrants))
    if not wanted:
        raise RefusedError(["there is nobody to print a certificate for"], cure="name an entrant")
    over = frozenset() if round_id is None else heats_over(Tables(state), round_id)
    words = Words(language)
    sheet = Sheet(paper, f"{words('certificate')} - {state.created.name}", language, across=True)
    for name in wanted:
        known(state.entrants, name, "entrant")
        sheet.page()
        _Page(sheet, words, state, standings, track, over).draw(name, _honour(standings, name, round_id))
    return sheet.whole()


@dataclass(frozen=True, slots=True)
class _Honour:
    """What somebody has come to, in a round or (without its id) in all of them, of so many."""

    entrant: str
    row: Row | None
    many: int
    round_id: str | None


def _honour(standings: Standings, entrant: str, round_id: str | None) -> _Honour:
    if round_id is not None:
        rows = standings.rounds[round_id].rows
        row = next((one for one in rows if entrant in one.members), None)
        if row is None:
            raise RefusedError([f"{entrant} is not in round {round_id}"], cure="choose one who is, or another round")
        return _Honour(entrant, row, len(rows), round_id)
    for rows in standings.overall.values():
        row = next((one for one in rows if entrant in one.members), None)
        if row is not None:
            return _Honour(entrant, row, len(rows), None)
    return _Honour(entrant, None, 0, None)


class _Page:
    def __init__(
        self,
        sheet: Sheet,
        words: Words,
        state: State,
        standings: Standings,
        track: Track | None,
        over: frozenset[int],
    ) -> None:
        """``over`` are the heats whose draws everybody may know, of the round that it is about."""
        self._sheet, self._words, self._state, self._standings = sheet, words, state, standings
        self._track, self._over = track, over
        self._middle = sheet.width_mm / 2
        self._room = sheet.width_mm - 2 * _SIDE_MM

    def draw(self, entrant: str, honour: _Honour) -> None:
        """From the top to the signature, the room that is left shared out between."""
        words, created, its = self._words, self._state.created, self._state.entrants[entrant]
        assert created is not None
        border(self._sheet)
        blocks = [
            self._text(created.name, (18, 9), most=2),
            self._text(words("certificate"), (42, 42), bold=True),
            self._text(words("certificate.awarded"), (12, 12), ink=GREY),
            *self._name(entrant, its),
            *self._pair(honour),
            *self._train(its, honour),
            *self._place(honour),
            *self._figures(honour),
        ]
        room = self._sheet.height_mm - 2 * CLEAR_MM - _FOOT_MM
        spare = room - sum(block.high_mm for block in blocks)
        gap = min(max(spare / (len(blocks) + 1), _LEAST_GAP_MM), _MOST_GAP_MM)
        y = CLEAR_MM + (room - sum(block.high_mm for block in blocks) - gap * (len(blocks) - 1)) / 2
        for block in blocks:
            block.draw(y)
            y += block.high_mm + gap
        self._foot()

    def _text(
        self, text: str, sizes: tuple[float, float], *, most: int = 1, bold: bool = False, ink: Ink = BLACK
    ) -> Block:
        """Lines in the middle of the page."""
        size, lines = self._sheet.set_in(text, self._room, sizes, most=most, bold=bold, face=Face.SERIF)
        step = size * MM_PER_PT * 1.15

        def draw(top: float) -> None:
            for number, line in enumerate(lines):
                y = top + step * (number + 0.78)
                self._sheet.text(self._middle, y, line, size, bold=bold, ink=ink, align="middle", face=Face.SERIF)

        return Block(step * len(lines), draw)

    def _name(self, entrant: str, its: Entrant) -> list[Block]:
        """The name; a line to write it on where the font has not its letters, with the id under it."""
        about = its.about
        if illegible(about.name):

            def draw(top: float) -> None:
                half = min(80.0, self._room / 2)
                self._sheet.line((self._middle - half, top + 13), (self._middle + half, top + 13), 0.3, dashed=True)

            found = [Block(14, draw), self._text(entrant, (9, 7), ink=GREY)]
        else:
            found = [self._text(about.name, (36, 13), most=2, bold=True)]
        return [*found, self._text(about.club, (14, 8), most=2)] if _legible(about.club) else found

    def _pair(self, honour: _Honour) -> list[Block]:
        """With whom it was, where two played as one."""
        row = honour.row
        if row is None or len(row.members) < 2:
            return []
        others = [self._state.entrants[name].about.name for name in row.members if name != honour.entrant]
        if not all(_legible(name) for name in (row.entrant, *others)):
            return []
        told_of = self._words("certificate.pair", pair=row.entrant, others=", ".join(others))
        return [self._text(told_of, (12, 8), most=2)]

    # ------------------------------------------------------------ the train

    def _train(self, its: Entrant, honour: _Honour) -> list[Block]:
        words, name = self._words, its.about.train
        own = _of_layout(self._track, name.replace(",", " ").split())
        cards = () if own else self._cards(honour)
        drawn = own or _of_layout(self._track, cards)
        found = [self._drawing(drawn)]
        if _legible(name) and not own:
            found.append(self._text(words("certificate.train", name=name), (12.5, 7), most=2))
        return found

    def _cards(self, honour: _Honour) -> tuple[str, ...]:
        """The wagons of the best attempt, once everybody may know them."""
        best = self._best(honour)
        if best is None:
            return ()
        started = self._state.attempts[best].started
        return started.cards if started.heat in self._over else ()

    def _drawing(self, vehicles: Sequence[Vehicle]) -> Block:
        """On its track; where nothing is known of it, one of no layout."""
        track, sheet = self._track, self._sheet
        locomotives = [] if track is None else list(track.locomotives.values())
        leading = [] if any(one in locomotives for one in vehicles) else locomotives[:1]
        row = [*leading, *vehicles] if vehicles else []
        widths = [_LOCOMOTIVE_MM if one in locomotives else _VEHICLE_MM for one in row]
        if not row:
            widths = [_LOCOMOTIVE_MM if kind == "locomotive" else _VEHICLE_MM for kind, _ in _DECOR]
        scale = min(1.0, (self._room - 10) / (1.06 * sum(widths)))
        high = _HIGH * _VEHICLE_MM * scale

        def draw(top: float) -> None:
            x = self._middle - 1.06 * sum(widths) * scale / 2
            foot = top + high
            rails(sheet, (x - 6, x + 1.06 * sum(widths) * scale + 6), foot)
            for number, wide in enumerate(widths):
                middle = x + 1.06 * wide * scale / 2
                if row:
                    sheet.vehicle(middle, foot, wide * scale, high, row[number])
                else:
                    sheet.silhouette(middle, foot, wide * scale, high, *_DECOR[number])
                x += 1.06 * wide * scale

        return Block(high + 3, draw)

    # ------------------------------------------------------------ what was come to

    def _place(self, honour: _Honour) -> list[Block]:
        words, row = self._words, honour.row
        found = []
        if row is None or row.rank is None or not row.rank_certain or not _finished(row.result.score):
            found.append(self._text(words("certificate.took-part"), (26, 26), bold=True))
        else:
            key = "certificate.shared" if row.shared else "certificate.place"
            place = words(key, rank=told.ordinal(words, row.rank), many=honour.many)
            found.append(self._text(place, (26, 20), bold=True))
        title = "" if row is None or row.result.best is None else row.result.best.rank
        if title:
            found.append(self._text(title, (18, 12), bold=True))
        return [*found, self._text(self._what(honour), (14, 8), most=2)]

    def _what(self, honour: _Honour) -> str:
        """Which round it was, and how it was scored."""
        words = self._words
        parts = []
        if honour.round_id is None:
            parts.append(words("results.overall"))
            parts += [category] if (category := self._state.entrants[honour.entrant].about.category) else []
        else:
            its = self._state.rounds[honour.round_id]
            parts += [its.announced.title, words.sentence(its.scheme.title)]
        return " · ".join(parts)

    def _figures(self, honour: _Honour) -> list[Block]:
        words, row = self._words, honour.row
        found = []
        if row is not None and row.result.certain and row.result.score is not None and _finished(row.result.score):
            found.append(self._text(told.score(words, row.result.score), (16, 9), bold=True))
        best = self._best(honour)
        if best is not None and honour.round_id is not None:
            marks = self._state.attempts[best].marks
            form = self._state.rounds[honour.round_id].form
            if marks is not None:
                key = "certificate.figures" if form.attempts == 1 and not form.knockout else "certificate.best"
                found.append(self._text(words(key, figures=_moves(words, marks)), (12.5, 7), most=2))
        if honour.round_id is None:
            each = [self._of_round(name, honour) for name in self._state.rounds]
            played = [one for one in each if one]
            found += [self._text(words("results.then").join(played), (12.5, 7), most=3)] if played else []
        return found

    def _best(self, honour: _Honour) -> str | None:
        """The id of the best attempt that was finished."""
        row = honour.row
        # Which one it was may be withheld still.
        if row is None or (row.result.best is not None and row.result.best.value is None):
            return None
        mine = [one for one in row.attempts if one.entrant == honour.entrant and _finished(one.score)]
        made = [(one.score.key, one.number, one.attempt) for one in mine if one.score is not None and one.attempt]
        return min(made)[2] if made else None

    def _of_round(self, name: str, honour: _Honour) -> str:
        """What somebody has in a round, in a few words; empty for none."""
        words = self._words
        row = next((one for one in self._standings.rounds[name].rows if honour.entrant in one.members), None)
        if row is None or row.result.score is None or not row.result.certain or not _finished(row.result.score):
            return ""
        place = [] if row.rank is None or not row.rank_certain else [told.ordinal(words, row.rank)]
        return f"{self._state.rounds[name].announced.title}: " + ", ".join(
            [*place, told.score(words, row.result.score)]
        )

    def _foot(self) -> None:
        """Place and date at the left, room to sign at the right."""
        sheet, words, created = self._sheet, self._words, self._state.created
        assert created is not None
        foot = sheet.height_mm - CLEAR_MM - 5
        wide = min(85.0, self._room / 2 - 10)
        right = sheet.width_mm - _SIDE_MM
        size, lines = sheet.set_in(
            told.where(words, created.place, created.date), wide, (12, 7), most=2, face=Face.SERIF
        )
        step = size * MM_PER_PT * 1.15
        for number, line in enumerate(reversed(lines)):
            sheet.text(_SIDE_MM, foot - number * step, line, size, face=Face.SERIF)
        sheet.line((right - wide, foot - 4.5), (right, foot - 4.5), 0.3)
        sheet.text(right - wide / 2, foot, words("certificate.marshal"), 10, ink=GREY, align="middle", face=Face.SERIF)


def _legible(text: str) -> bool:
    """Whether there is something of which every letter can be printed."""
    return bool(text) and not illegible(text)


def _finished(score: Score | None) -> bool:
    return score is not None and score.outcome is Outcome.FINISHED


def _of_layout(track: Track | None, names: Sequence[str]) -> list[Vehicle]:
    """The vehicles of these names; none unless all of them are the layout's."""
    if track is None or not all(name in track.wagons or name in track.locomotives for name in names):
        return []
    return [track.vehicle(name) for name in names]


def _moves(words: Words, marks: Marks) -> str:
    """``12 runs, 10 reversals, in 4 min 5.3 s, without a fault``."""
    parts = []
    for count in (Count.RUNS, Count.PULL_DROPS, Count.REVERSALS, Count.COUPLINGS):
        figure = marks.figure(MEASURE_OF[count])
        if figure is not None:
            parts.append(told.so_many(words, count, figure.value))
    if marks.time_ms is not None:
        parts.append(words("certificate.time", time=told.clock(words, marks.time_ms.value)))
    faults = sum(figure.value for fault in Fault if (figure := marks.faults.get(fault)) is not None)
    key = "no-fault" if faults == 0 else "fault" if faults == 1 else "faults"
    return ", ".join([*parts, words(f"certificate.{key}", many=faults)])
