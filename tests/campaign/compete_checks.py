"""What must hold of a competition that was played: recomputed by the documents alone, and verified as anybody would."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from fair_draws import chosen, pars_of, sha256, text_of, train_only, within
from recomputed import CLASSES, Recomputed, Scored, Standing, key

from pointsman.compete.book import Book
from pointsman.compete.entries import AttemptEnded
from pointsman.compete.export.book_json import book_json, read_book_json
from pointsman.compete.export.results import results_of
from pointsman.compete.marks import Figure
from pointsman.compete.pars import Pars
from pointsman.compete.standings import standings
from pointsman.compete.store.store import Store
from pointsman.compete.verify import Means, verify, verify_book, verify_exported
from pointsman.errors import CompetitionError

Values = Mapping[str, Any]


@dataclass
class Found:
    """What is wrong, and figures for the table."""

    wrong: list[str] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)


def checked(
    place: Path,
    name: str,
    journals: Path,
    layout: Path,
    truths: Mapping[str, bool],
    pars: Pars,
    cache: Path | None,
    say: Callable[[str], None],
) -> Found:
    """Everything; ``truths`` has of each attempt whose layout could be asked whether the goal is reached on it."""
    found = Found()
    with Store(str(place)) as store:
        book = store.book(name)
        data = book_json(book, results_of(standings(book.state)))
        values, exported = json.loads(data), read_book_json(data, "export.json")
        _step(found, say, "standings recomputed", lambda: list(_standings(values, journals, found.figures)))
        _step(found, say, "truths", lambda: list(_truths(values["book"], truths, found.figures)))
        _step(found, say, "draws derived", lambda: list(_draws(values["book"], layout, found.figures)))
        means = Means(journals, cache=cache, pars=pars)

        def whole() -> list[str]:
            its = verify(store, name, means, noted=book.head, exported=exported)
            return [f"verify: {one}" for one in (*its.differences, *its.unchecked)]

        _step(found, say, "verified", whole)
    nothing = journals.parent / "nothing"
    nothing.mkdir()
    changes = _Changes(book, data, place, journals, layout, replace(means, journals=nothing))
    _step(found, say, "changes made afterwards", lambda: changes.not_found(found.figures))
    return found


def _step(found: Found, say: Callable[[str], None], what: str, check: Callable[[], list[str]]) -> None:
    began = time.monotonic()
    wrong = check()
    found.wrong += wrong
    say(f"{what}: {len(wrong)} wrong, {time.monotonic() - began:.1f} s")


# ---------------------------------------------------------------- the standings


def _standings(values: Values, journals: Path, figures: Counter[str]) -> Iterator[str]:
    mine = Recomputed(values["book"], journals)
    yield from mine.wrong
    for its in values["results"]["rounds"]:
        standing = mine.standings[its["round"]]
        where = f"round {its['round']}"
        figures["results compared"] += len(its["rows"])
        figures["scores of attempts compared"] += sum(len(row["attempts"]) for row in its["rows"])
        yield from _rows(where, its["rows"], standing.scores)
        yield from _attempts(where, its["rows"], standing)
        through = its["advancing"] or {"entrants": [], "reserves": []}
        yield from _same(f"{where}, who goes on", set(through["entrants"]), set(standing.through))
        yield from _same(f"{where}, reserves", set(through["reserves"]), set(standing.reserves))
    for its in values["results"]["overall"]:
        figures["results compared"] += len(its["rows"])
        yield from _rows(f"overall {its['category']}", its["rows"], mine.overall(its["category"]))


def _rows(where: str, rows: Sequence[Values], scores: Mapping[str, Scored]) -> Iterator[str]:
    yield from _same(f"{where}, who is in it", {row["entrant"] for row in rows}, set(scores))
    keys = {side: key(score) for side, score in scores.items()}
    for row in rows:
        if row["entrant"] not in scores:
            continue
        its = keys[row["entrant"]]
        rank = 1 + sum(other < its for other in keys.values())
        shared = sum(other == its for other in keys.values()) > 1
        yield from _same(f"{where}, {row['entrant']}, rank", (row["rank"], row["shared"]), (rank, shared))
        yield from _same(f"{where}, {row['entrant']}", _plain(row["score"]), scores[row["entrant"]][:2])


def _attempts(where: str, rows: Sequence[Values], standing: Standing) -> Iterator[str]:
    for row in rows:
        if row["entrant"] not in standing.scores:
            continue  # told of where they are ranked
        cut = all(who in standing.cut for who in row["members"])
        yield from _same(f"{where}, {row['entrant']}, cut off", row["cut_off"], cut)
        for its in row["attempts"]:
            mine = standing.attempts[its["entrant"]][its["number"] - 1]
            theirs = None if its["score"] is None else _plain(its["score"])
            yield from _same(f"{where}, {its['attempt']}", theirs, None if mine is None else mine[:2])


def _plain(score: Values) -> tuple[int, Fraction | None]:
    return CLASSES[score["outcome"]], None if score["value"] is None else Fraction(score["value"])


def _same(where: str, its: object, mine: object) -> Iterator[str]:
    if its != mine:
        yield f"{where}: the program has {its}, and by the documents it is {mine}"


# ---------------------------------------------------------------- truths, draws


def _truths(book: Sequence[Values], truths: Mapping[str, bool], figures: Counter[str]) -> Iterator[str]:
    """How each attempt has ended in the book, against what is true of its layout."""
    for line in book:
        entry = line["entry"]
        if line["kind"] != "ended" or entry["attempt"] not in truths:
            continue
        figures["outcomes compared with the truth"] += 1
        if (entry["outcome"] == "finished") != truths[entry["attempt"]]:
            true = "is" if truths[entry["attempt"]] else "is not"
            yield f"{entry['attempt']}: {entry['outcome']}, and in truth the goal {true} reached"


def _draws(book: Sequence[Values], layout: Path, figures: Counter[str]) -> Iterator[str]:
    """The commitment of every round, and every draw that anybody had."""
    by_kind: dict[str, list[Values]] = {}
    for line in book:
        by_kind.setdefault(line["kind"], []).append(line["entry"])
    files = tuple(hashlib.sha256((layout / name).read_bytes()).hexdigest() for name in ("layout.toml", _puzzle(layout)))
    known = pars_of(*train_only())
    secrets = {entry["round"]: entry["secret"] for entry in by_kind["revealed"]}
    committed = {entry["round"]: entry for entry in by_kind["committed"]}
    for its in by_kind["round"]:
        name, pars = its["round"], (its["par_least"], its["par_most"])
        listed = within(known, *pars)
        text = text_of(
            secrets[name], committed[name]["version"], (files[0], files[1]), name, pars,
            len(listed), its["heats"], its["spares"],
        )  # fmt: skip
        commitment = sha256(text).hex()
        yield from _same(f"round {name}, commitment", committed[name]["commitment"], commitment)
        draws = chosen(listed, secrets[name], commitment, its["heats"] * (1 + its["spares"]))
        had = {(entry["heat"], entry["spare"], *_draw(entry)) for entry in by_kind["attempt"] if entry["round"] == name}
        had |= {(entry["heat"], 0, *_draw(entry)) for entry in by_kind["heat-opened"] if entry["round"] == name}
        for heat, spare, row, par in sorted(had):
            figures["draws derived again"] += 1
            mine = draws[(heat - 1) * (1 + its["spares"]) + spare]
            yield from _same(f"round {name}, heat {heat}, spare {spare}", (row, par), mine)


def _draw(entry: Values) -> tuple[tuple[int, ...], int]:
    return tuple(int(wagon) - 1 for wagon in entry["cards"]), entry["par"]


def _puzzle(layout: Path) -> str:
    return str((layout / "puzzles" / "classic.toml").relative_to(layout))


# ---------------------------------------------------------------- changes made afterwards


@dataclass
class _Changes:
    """Each of them is made in a copy, and must be found; ``means`` has a folder of journals with nothing in it.

    A journal that is not there is told of as not looked at, which is no difference, so that each change is found alone.
    """

    book: Book
    data: bytes
    place: Path
    journals: Path
    layout: Path
    means: Means

    def not_found(self, figures: Counter[str]) -> list[str]:
        """Those that are not found, and those found where nothing was changed."""
        before = self._told(self.book, self.means)
        wrong = [f"before any change: {one}" for one in before]
        changes = {
            "a byte of a journal": self._journal,
            "a figure in the book, written anew": self._figure_in_book,
            "a byte in the store": self._store,
            "a byte of the layout": self._layout,
            "a byte of the puzzle": self._puzzle,
            "a rank in the export": self._rank_in_export,
            "a figure in the export": self._figure_in_export,
        }
        for what, change in changes.items():
            found = change()
            figures["changes found"] += bool(found)
            if not found:
                wrong.append(f"{what} was changed, and verify has not found it")
        return wrong

    def _told(self, book: Book, means: Means) -> list[str]:
        return [str(one) for one in verify_book(book, means).differences]

    def _one(self) -> AttemptEnded:
        """An attempt in the middle of the evening that was played to its end."""
        ends = [one.entry for one in self.book.written if isinstance(one.entry, AttemptEnded)]
        ends = [entry for entry in ends if entry.journal is not None and entry.outcome == "finished"]
        return ends[len(ends) // 2]

    def _journal(self) -> list[str]:
        journal = self._one().journal
        assert journal is not None, "chosen so"
        data = bytearray((self.journals / journal.name).read_bytes())
        data[len(data) // 2] ^= 1
        return self._told(self.book, self._with_journal(journal.name, bytes(data)))

    def _with_journal(self, name: str, data: bytes) -> Means:
        folder = self.journals.parent / "one"
        folder.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
        return replace(self.means, journals=folder)

    def _figure_in_book(self) -> list[str]:
        """The whole chain is written anew, so that it holds together; the journal tells."""
        one = self._one()
        assert one.marks is not None, "chosen so"
        assert one.marks.time_ms is not None, "chosen so"
        assert one.journal is not None, "chosen so"
        better = replace(one.marks, time_ms=Figure(one.marks.time_ms.value - 1, one.marks.time_ms.origin))
        forged = Book.empty(self.book.competition)
        for written in self.book.written:
            entry = replace(one, marks=better) if written.entry == one else written.entry
            forged, _ = forged.write(entry, by=written.by, at=written.at, why=written.why)
        means = self._with_journal(one.journal.name, (self.journals / one.journal.name).read_bytes())
        return self._told(forged, means)

    def _store(self) -> list[str]:
        copy = self.place.with_name("changed.sqlite3")
        shutil.copy(self.place, copy)
        seq = self.book.head.entries // 2
        with closing(sqlite3.connect(copy)) as connection, connection:
            (line,) = connection.execute("SELECT line FROM entries WHERE seq = ?", (seq,)).fetchone()
        data = bytearray(copy.read_bytes())
        at = data.index(line.encode()[:60]) + line.index('"by":"') + len('"by":"')
        data[at] ^= 1
        copy.write_bytes(data)
        with Store(str(copy)) as store:
            return [str(one) for one in verify(store, self.book.competition, self.means).differences]

    def _layout(self) -> list[str]:
        return self._with_file("layout.toml")

    def _puzzle(self) -> list[str]:
        return self._with_file(_puzzle(self.layout))

    def _with_file(self, name: str) -> list[str]:
        path = self.layout / name
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        try:
            return self._told(self.book, self.means)
        finally:
            path.write_bytes(before)

    def _rank_in_export(self) -> list[str]:
        values = json.loads(self.data)
        values["results"]["rounds"][0]["rows"][0]["rank"] += 1
        exported = read_book_json(json.dumps(values).encode(), "export.json")
        return [str(one) for one in verify_exported(exported, self.means).differences]

    def _figure_in_export(self) -> list[str]:
        values = json.loads(self.data)
        (ended,) = [
            line["entry"]
            for line in values["book"]
            if line["kind"] == "ended" and line["entry"]["attempt"] == self._one().attempt
        ]
        ended["marks"]["time_ms"]["value"] -= 1
        try:
            read_book_json(json.dumps(values).encode(), "export.json")
        except CompetitionError as error:
            return [error.what]
        return []
