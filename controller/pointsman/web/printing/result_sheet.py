"""A result sheet: who has which place, with each attempt, where its figures come from, and what settled the draws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pointsman.compete.attempted import Attempted
from pointsman.compete.book import Head
from pointsman.compete.formats import Result
from pointsman.compete.knockout import Met
from pointsman.compete.scoring.score import Score, Unit
from pointsman.compete.standing import Advances, RoundStanding, Row, Standings
from pointsman.compete.state import Round, State, known
from pointsman.errors import RefusedError
from pointsman.operate.referee import Origin
from pointsman.web.printing import results_told as told
from pointsman.web.printing.flow import Block, pages
from pointsman.web.printing.sheet import GREY, MARGIN_MM, MM_PER_PT, Face, Paper, Sheet, illegible
from pointsman.web.printing.table import Cell, Line, Table
from pointsman.web.printing.words import Words

_UPRIGHT_COLUMNS = 4
"""With more attempts or rounds than these, the pages lie on their long side."""
_TOP_MM, _FOOT_MM = 8.0, 10.0
"""What the lines at the head and the foot of every page take, inside of the margins."""
_DASH = "–"
_ORIGINS = {
    Origin.SEEN: "results.origin.seen",
    Origin.INFERRED: "results.origin.inferred",
    Origin.ENTERED: "results.origin.entered",
}
_GOING_ON = {Advances.YES: "results.goes-on", Advances.RESERVE: "results.reserve"}


def result_sheet(
    state: State,
    standings: Standings,
    *,
    language: str,
    paper: Paper,
    round_id: str | None = None,
    head: Head | None = None,
) -> bytes:
    """A PDF with the results of a round, or of all of them and what they come to together.

    ``head`` is that of the book, printed at the foot of every page. Raises UsageError for a round that there is not,
    RefusedError for a competition that has not begun.
    """
    if state.created is None:
        raise RefusedError(["the competition has not begun"], cure="create it first")
    if round_id is not None:
        known(state.rounds, round_id, "round")
    rounds = list(state.rounds) if round_id is None else [round_id]
    columns = [len(_numbers(state.rounds[name], standings.rounds[name])) for name in rounds]
    if round_id is None and len(rounds) > 1:
        columns.append(len(rounds))
    words = Words(language)
    title = f"{words('results')} - {state.created.name}"
    sheet = Sheet(paper, title, language, across=max(columns, default=0) > _UPRIGHT_COLUMNS)
    _Results(sheet, words, state, standings, head).draw(rounds, overall=round_id is None and len(rounds) > 1)
    return sheet.whole()


class _Results:
    def __init__(self, sheet: Sheet, words: Words, state: State, standings: Standings, head: Head | None) -> None:
        self._sheet, self._words, self._state, self._standings, self._head = sheet, words, state, standings, head
        self._room = sheet.width_mm - 2 * MARGIN_MM

    def draw(self, rounds: Sequence[str], *, overall: bool) -> None:
        """The whole document."""
        blocks = [self._title()]
        if overall:
            for category, placed in self._standings.overall.items():
                blocks += self._overall(category, placed, rounds) if placed else []
        for number, name in enumerate(rounds):
            blocks += self._round(name, apart=overall or number > 0)
        blocks += self._legend()
        found_pages = pages(blocks, self._sheet.height_mm - 2 * MARGIN_MM - _TOP_MM - _FOOT_MM)
        for number, page in enumerate(found_pages, 1):
            self._sheet.page()
            self._running(number, len(found_pages))
            y = MARGIN_MM + _TOP_MM
            for block in page:
                block.draw(y)
                y += block.high_mm

    # ------------------------------------------------------------ what is on every page

    def _running(self, number: int, many: int) -> None:
        sheet, words = self._sheet, self._words
        assert self._state.created is not None
        which = words("results.page", page=number, pages=many)
        name = f"{words('results')} {_DASH} {self._state.created.name}"
        right = MARGIN_MM + self._room
        sheet.text(right, MARGIN_MM + 3, which, 8, ink=GREY, align="right")
        room = self._room - sheet.width_of(which, 8) - 6
        size, lines = sheet.set_in(name, room, (8, 5))
        for down, line in enumerate(lines):
            sheet.text(MARGIN_MM, MARGIN_MM + 3 + down * 2.2, line, size, ink=GREY)
        if self._head is not None:
            foot = sheet.height_mm - MARGIN_MM
            told_of = words("results.book", entries=self._head.entries)
            sheet.text(MARGIN_MM, foot - 3.6, told_of, sheet.fitting(told_of, self._room, 7), ink=GREY)
            sheet.text(MARGIN_MM, foot - 0.5, self._head.hash, 7, ink=GREY, face=Face.DIGITS)

    def _title(self) -> Block:
        its = self._state.created
        assert its is not None
        size, lines = self._sheet.set_in(its.name, self._room, (20, 10), most=2, bold=True)
        where = told.where(self._words, its.place, its.date)
        small, more = self._sheet.set_in(where, self._room, (11, 7), most=2)

        def draw(top: float) -> None:
            y = self._stack(top, lines, size, bold=True)
            self._stack(y + 0.5, more, small)

        return Block(_stack_mm(lines, size) + _stack_mm(more, small) + 4.5, draw, together=True)

    def _stack(self, top: float, lines: Sequence[str], size: float, *, bold: bool = False) -> float:
        """Lines from a top; where they end."""
        step = size * MM_PER_PT * 1.2
        for number, line in enumerate(lines):
            self._sheet.text(MARGIN_MM, top + step * (number + 0.8), line, size, bold=bold)
        return top + step * len(lines)

    def _text(
        self,
        text: str,
        sizes: tuple[float, float],
        *,
        bold: bool = False,
        most: int = 1,
        gap: float = 2.0,
        together: bool = False,
        apart: bool = False,
    ) -> Block:
        size, lines = self._sheet.set_in(text, self._room, sizes, most=most, bold=bold)

        def draw(top: float) -> None:
            self._stack(top, lines, size, bold=bold)

        return Block(_stack_mm(lines, size) + gap, draw, together=together, apart=apart)

    def _legend(self) -> list[Block]:
        words = self._words
        found = [self._text(words("results.legend"), (7, 7), most=9)]
        texts = [
            text for one in self._state.entrants.values() for text in (one.about.name, one.about.club, one.about.train)
        ]
        if any(illegible(text) for text in texts):
            found.append(self._text(words("results.legend.letters"), (7, 7), most=9))
        return found

    # ------------------------------------------------------------ a round

    def _round(self, name: str, *, apart: bool) -> Iterator[Block]:
        words, its, standing = self._words, self._state.rounds[name], self._standings.rounds[name]
        title = its.announced.title
        unit = _unit([attempted.score for row in standing.rows for attempted in row.attempts])
        yield self._text(title, (15, 9), bold=True, most=2, gap=0.5, together=True, apart=apart)
        yield self._text(words("results.then").join(told.rules(words, its, unit)), (8, 7), most=3, gap=3, together=True)
        if not standing.rows:
            yield self._text(words("results.none"), (10, 8), gap=4)
        else:
            numbers = _numbers(its, standing)
            table = Table(self._sheet, len(numbers))
            columns = [words("results.attempt", number=at) for at in range(1, len(numbers) + 1)]
            heads = self._heads(columns, unit, words("results.result"))
            yield table.head(heads)
            again = table.head(heads, words("results.going-on", title=title))
            for row in standing.rows:
                yield table.block(self._row(row, numbers), again)
        if standing.meetings:
            yield Block(3, lambda _: None)
            yield self._text(words("results.meetings"), (9, 9), bold=True, gap=1, together=True)
        for met in standing.meetings:
            yield self._text(self._meeting(met, standing), (8, 7), most=2, gap=0.5)
        yield from self._draws(its)

    def _heads(self, columns: Sequence[str], unit: Unit | None, result: str) -> Line:
        words = self._words
        under = () if unit is None else (words("results.in", unit=words.sentence(unit.many)),)
        return Line(
            words("results.rank"),
            Cell(words("results.entrant")),
            tuple(Cell(column, under) for column in columns),
            Cell(result),
        )

    def _row(self, row: Row, numbers: Sequence[int]) -> Line:
        cells = tuple(self._cell([one for one in row.attempts if one.number == at], row.result) for at in numbers)
        place = self._place(row.rank, certain=row.rank_certain)
        return Line(place, self._who(row), cells, self._result(row))

    def _place(self, rank: int | None, *, certain: bool) -> str:
        if rank is None:
            return _DASH
        return str(rank) if certain else f"({rank})"

    def _who(self, row: Row) -> Cell:
        words, its = self._words, self._state.entrants
        if row.members == (row.entrant,):
            about = its[row.entrant].about
            more = [about.club] if about.club else []
            more += [words("results.train", name=about.train)] if about.train else []
            more += [words("results.class", name=about.category)] if about.category else []
        else:
            more = [self._name(name) for name in row.members]
        more += [words("results.withdrawn")] if any(its[name].withdrawn for name in row.members) else []
        return Cell(self._side(row), (" · ".join(more),) if more else ())

    def _side(self, row: Row) -> str:
        """The name of an entrant, or of a pair."""
        return self._name(row.entrant) if row.members == (row.entrant,) else row.entrant

    def _name(self, entrant: str) -> str:
        """A name, with the id where the font has not its letters."""
        name = self._state.entrants[entrant].about.name
        return f"{name} ({entrant})" if illegible(name) else name

    def _cell(self, made: Sequence[Attempted], result: Result) -> Cell:
        """An attempt at one number; of a pair both its attempts."""
        cells = [self._attempt(one) for one in made if one.attempt is not None]
        if not cells:
            return Cell(_DASH if result.certain else "")
        values = [cell.value for cell in cells if cell.value]
        return Cell(" + ".join(values), tuple(text for cell in cells for text in cell.under))

    def _attempt(self, one: Attempted) -> Cell:
        words, its = self._words, self._state.attempts[one.attempt or ""]
        if its.ended is None:
            return Cell("", (words("results.on"),))
        if one.score is None:
            return Cell("", (words.sentence(one.missing) if one.missing else words("results.again"),))
        value = told.amount(words, one.score)
        why = [told.number(words, words.sentence(one.score.why))] if one.score.why else []
        why += [words.sentence(one.missing)] if one.missing else []
        evidence = [words(_ORIGINS[one.score.origin])]
        evidence += [words("results.corrected")] if its.corrected else []
        evidence.append(its.checked_by or _DASH)
        return Cell(f"({value})" if one.open else value, (*why, " · ".join(evidence)))

    def _result(self, row: Row) -> Cell:
        words, its, best = self._words, row.result.score, row.result.best
        what = [one.rank for one in (its or best,) if one is not None and one.rank]
        what += [words(_ORIGINS[its.origin])] if its is not None else []
        onwards = []
        if row.result.cut_off:
            onwards.append(words("results.cut-off"))
        elif row.result.open:
            onwards.append(words("results.still", many=row.result.open))
        if row.advances in _GOING_ON:
            onwards.append(words(_GOING_ON[row.advances]))
        under = tuple(" · ".join(texts) for texts in (what, onwards) if texts)
        return Cell(_DASH if its is None else told.score(words, its), under)

    def _meeting(self, met: Met, standing: RoundStanding) -> str:
        """Who met whom, and who won."""
        words, names = self._words, {row.entrant: self._side(row) for row in standing.rows}
        first = names.get(met.first, met.first)
        if met.second is None:
            told_of = words("results.free", first=first)
        else:
            told_of = f"{first} {_DASH} {names.get(met.second, met.second)}"
            if met.winner is not None:
                told_of += ", " + words("results.winner", name=names.get(met.winner, met.winner))
            elif met.again:
                told_of += f", {words('results.meet-again')}"
        return f"{words('results.stage', stage=met.stage, heat=met.heat)} {told_of}"

    # ------------------------------------------------------------ all rounds together

    def _overall(self, category: str, placed: Sequence[Row], rounds: Sequence[str]) -> Iterator[Block]:
        words = self._words
        title = words("results.overall") + (f" {_DASH} {category}" if category else "")
        yield self._text(title, (15, 9), bold=True, most=2, gap=2, together=True)
        tables = {name: self._standings.rounds[name].rows for name in rounds}
        shown = {name: {member: row for row in rows for member in row.members} for name, rows in tables.items()}
        mine = [name for name in rounds if any(its.entrant in shown[name] for its in placed)]
        table = Table(self._sheet, len(mine))
        heads = self._heads([self._state.rounds[name].announced.title for name in mine], None, words("results.total"))
        yield table.head(heads)
        again = table.head(heads, words("results.going-on", title=title))
        for its in placed:
            cells = tuple(self._of_round(shown[name].get(its.entrant)) for name in mine)
            rank = self._place(its.rank, certain=its.rank_certain)
            yield table.block(Line(rank, self._who(its), cells, self._result(its)), again)
        yield Block(5, lambda _: None)

    def _of_round(self, row: Row | None) -> Cell:
        if row is None:
            return Cell(_DASH)
        if row.result.score is None:
            return Cell("", (self._words("results.still", many=row.result.open),) if row.result.open else ())
        place = self._place(row.rank, certain=row.rank_certain)
        return Cell(told.amount(self._words, row.result.score), (f"{self._words('results.rank')} {place}",))

    # ------------------------------------------------------------ what settled the draws

    def _draws(self, its: Round) -> Iterator[Block]:
        words, fixed, committed = self._words, its.announced, its.committed
        if committed is None:
            told_of = [(words("results.commitment"), words("results.none-settled"), Face.SANS)]
        else:
            told_of = [
                (words("results.commitment"), committed.commitment, Face.DIGITS),
                (
                    words("results.secret"),
                    its.secret or words("results.not-yet"),
                    Face.DIGITS if its.secret else Face.SANS,
                ),
                (words("results.layout-file"), fixed.layout_sha256, Face.DIGITS),
                (words("results.puzzle-file"), fixed.puzzle_sha256, Face.DIGITS),
                ("", words("results.settled", draws=committed.draws, version=committed.version), Face.SANS),
            ]
        step = 3.8

        def draw(top: float) -> None:
            sheet = self._sheet
            sheet.text(MARGIN_MM, top + 6, words("results.draws"), 9, bold=True)
            for number, (label, text, face) in enumerate(told_of, 1):
                y = top + 6.5 + number * step
                sheet.text(MARGIN_MM, y, label, sheet.fitting(label, 30, 8))
                sheet.text(MARGIN_MM + 32, y, text, sheet.fitting(text, self._room - 32, 8, face=face), face=face)

        yield Block(9 + step * len(told_of), draw)


def _numbers(its: Round, standing: RoundStanding) -> list[int]:
    """The numbers of a round's attempts; of a knockout those that somebody has made, of which most have few."""
    if not its.form.knockout:
        return list(range(1, its.form.attempts + 1))
    return sorted({one.number for row in standing.rows for one in row.attempts}) or [1]


def _stack_mm(lines: Sequence[str], size: float) -> float:
    return len(lines) * size * MM_PER_PT * 1.2


def _unit(scores: Sequence[Score | None]) -> Unit | None:
    return next((score.unit for score in scores if score is not None), None)
