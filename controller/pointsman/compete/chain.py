"""The journals of one attempt: the last one and those that it goes on from, each read, and found to be of the attempt.

A journal that was cut off in the middle of its last line, as when the program was killed, is good up to there. Any
other damage makes it no evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pointsman.compete.commitment import sha256_of
from pointsman.compete.entries import Journal
from pointsman.errors import CompetitionError, PointsmanError, RefusedError
from pointsman.operate.retelling import Told, untold
from pointsman.puzzle.choice import Chosen
from pointsman.record import Line, content_of, names_something, read
from pointsman.resuming import puzzle_of

MOST_JOURNALS = 100
"""So often nobody goes on."""
_ANOTHER = "give the journal of this attempt"


@dataclass(frozen=True, slots=True)
class AttemptName:
    """An attempt, as a journal names it: its competition, and its id there."""

    competition: str
    attempt: str

    def __str__(self) -> str:
        return f"{self.attempt} of {self.competition}"


@dataclass(frozen=True, slots=True)
class Link:
    """One journal of an attempt: its good lines, and what it says before the first of them was told."""

    path: Path
    lines: tuple[Line, ...]
    untold: Told

    @property
    def header(self) -> Mapping[str, Any]:
        """Its first line."""
        return self.untold.header

    @property
    def attempt(self) -> AttemptName | None:
        """The attempt that it is evidence of; None when it names none."""
        named = self.header.get("attempt")
        competition, name = (named.get(key) if isinstance(named, dict) else None for key in ("competition", "attempt"))
        return AttemptName(competition, name) if isinstance(competition, str) and isinstance(name, str) else None


def chain(journal: Path, chosen: Chosen | None, attempt: AttemptName | None) -> tuple[tuple[Link, ...], Chosen]:
    """The journals of an attempt, the earliest first, and what was played.

    ``chosen`` and ``attempt`` are what it must be, if that is known. A journal that is no longer where it was is looked
    for beside the one that goes on from it. Raises CompetitionError.
    """
    links = [_read(journal)]
    while "goes_on_from" in links[0].header:
        links.insert(0, _read(_before(links[0])))
        if len(links) > MOST_JOURNALS or links[0].path in {link.path for link in links[1:]}:
            raise CompetitionError(
                "it goes on from itself", where=str(links[0].path), cure="it was not written by this program"
            )
    with as_evidence(links[0].path):
        played = chosen or puzzle_of(links[0].header, str(links[0].path))
    for link in links:
        _check(link, played, attempt or links[0].attempt)
    start = links[0].header.get("start")
    if start != str(played.start):
        raise CompetitionError(
            f"it starts from '{start}', and the draw from '{played.start}'", where=str(links[0].path), cure=_ANOTHER
        )
    return tuple(links), played


def journal_in(folder: Path, named: Journal) -> Path:
    """The file of a journal that an attempt has ended with.

    Raises UsageError when it cannot be read there, RefusedError when it is not what it was then.
    """
    path = folder / Path(named.name).name
    if sha256_of(path) != named.sha256:
        raise RefusedError(
            [f"its journal {path.name} is not what it was when the attempt ended"],
            cure="put the right one into the folder of the journals; pointsman compete verify tells what differs",
        )
    return path


@contextmanager
def as_evidence(journal: Path) -> Iterator[None]:
    """Whatever a journal cannot be told for is told as an error of the competition, with the journal's path."""
    try:
        yield
    except CompetitionError:
        raise
    except PointsmanError as error:
        raise CompetitionError(error.what or str(error), where=error.where or str(journal), cure=error.cure) from error


def _read(journal: Path) -> Link:
    with as_evidence(journal):
        reading = read(journal)
        if reading.bad and not reading.torn:
            raise CompetitionError(
                f"{reading.bad}; it is no evidence of anything",
                where=str(journal),
                cure="take it from where it was written, or let a marshal enter the marks",
            )
        link = Link(journal.resolve(), reading.lines, untold(reading, str(journal)))
    if "calibrates" in link.header:
        raise CompetitionError("it is a calibration's, and no attempt's", where=str(journal), cure=_ANOTHER)
    return link


def _before(link: Link) -> Path:
    """Where the journal is that one goes on from."""
    named = link.header["goes_on_from"]
    if not names_something(named) or not named:
        raise CompetitionError(
            "its first line names no journal that it goes on from",
            where=str(link.path),
            cure="it was not written by this program",
        )
    path = Path(named)
    beside = link.path.with_name(path.name) if path.name else link.path
    places = ([path] if path.is_absolute() else []) + ([beside] if beside != link.path else [])
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise CompetitionError(
            f"it goes on from {path.name or named}, which is not there",
            where=str(link.path),
            cure="put that journal beside it",
        )
    with as_evidence(found):
        content, many = content_of(found), link.header.get("goes_on_bytes")
    then = sha256(content[:many] if type(many) is int else content).hexdigest()
    if link.header.get("goes_on_sha256", then) != then:
        raise CompetitionError(
            f"it goes on from {path.name}, which is not what it was then",
            where=str(link.path),
            cure="take that journal from where it was written",
        )
    return found


def _check(link: Link, played: Chosen, attempt: AttemptName | None) -> None:
    wanted = {"layout": str(played.track.name), "puzzle": played.name, "goal": str(played.goal)}
    for key, value in wanted.items():
        if link.header.get(key) != value:
            raise CompetitionError(
                f"its {key} is '{link.header.get(key)}', and the attempt's is '{value}'",
                where=str(link.path),
                cure=_ANOTHER,
            )
    if attempt is not None and link.attempt != attempt:
        other = "no attempt" if link.attempt is None else f"attempt {link.attempt}"
        raise CompetitionError(
            f"it is the journal of {other}, and not of {attempt}", where=str(link.path), cure=_ANOTHER
        )
