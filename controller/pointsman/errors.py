"""Every exception of the program, and the exit code each ends a command with.

::

    PointsmanError
    ├── UsageError           2  an argument that cannot be right
    │   └── NotationError       a position, goal or run that cannot be read
    ├── LayoutError          3  layout, wiring or puzzle file: all mistakes at once
    ├── UnsolvableError      4  proved impossible: the search is exhausted
    ├── BudgetSpentError    10  not proved: the search was stopped
    ├── LinkError            5  port or network
    │   ├── PortError           cannot be opened: missing, held, no permission
    │   ├── LinkLostError       was open, is gone
    │   └── StationError        the station refuses, or is not what was expected
    ├── HaltedError          6  everything was stopped: missing or unexpected evidence
    │   └── StoppedError        by a person or the system; with a code of its own
    ├── RefusedError         7  the interlocking does not let a step go, with its reasons
    ├── JournalError         8  a journal that cannot be read or written
    ├── CompetitionError    11  a competition's book or store that cannot be read or written, or is not whole
    │   └── EntryError          words or figures that are not written in a book
    └── ProtocolError        9  a frame that must not be sent (a fault of ours)

0 is success, 1 an error of the program itself, or a question answered with no, or output that nobody reads any more;
those of keys and signals are in ``posix.ENDINGS``. The table for people is in README.md.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar


class PointsmanError(Exception):
    """Root of the tree.

    ``what`` says what happened, ``where`` names the file, port or step, ``cure`` says what to do.
    """

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, *, where: str = "", cure: str = "") -> None:
        self.what = what
        self.where = where
        self.cure = cure
        super().__init__(what, where, cure)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross from the solver's process to ours; keyword-only arguments do not survive the usual way.
        return _revived, (type(self), self.__dict__)

    def __str__(self) -> str:
        head = f"{self.where}: {self.what}" if self.where else self.what
        return f"{head}\n  -> {self.cure}" if self.cure else head


def _revived(cls: type[PointsmanError], values: dict[str, object]) -> PointsmanError:
    error = cls.__new__(cls)
    error.__dict__.update(values)
    return error


class UsageError(PointsmanError):
    """An argument that cannot be right."""

    exit_code = 2


class NotationError(UsageError):
    """A position, goal or run that cannot be read."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """One mistake in a file: the file, the key (dotted; empty for the whole file), what and how to mend it."""

    file: str
    key: str
    what: str
    cure: str

    def __str__(self) -> str:
        place = f"{self.file}: {self.key}" if self.key else self.file
        return f"{place}: {self.what}\n  -> {self.cure}"


class LayoutError(PointsmanError):
    """A layout, wiring or puzzle file with mistakes, all of them at once in ``mistakes``."""

    exit_code = 3

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        self.mistakes = tuple(mistakes)
        super().__init__("\n".join(str(m) for m in self.mistakes))


class UnsolvableError(PointsmanError):
    """Proved impossible: every reachable position was looked at."""

    exit_code = 4


class BudgetSpentError(PointsmanError):
    """The search was stopped before anything was proved."""

    exit_code = 10


class LinkError(PointsmanError):
    """A port or a network link."""

    exit_code = 5


class PortError(LinkError):
    """A port that cannot be opened: missing, held by another program, or no permission."""


class LinkLostError(LinkError):
    """A link that was open and is gone."""


class StationError(LinkError):
    """The station refuses a command, or is not what was expected."""


class HaltedError(PointsmanError):
    """Everything was stopped.

    ``what`` says what was doubted, ``confirmed`` is the position that was confirmed last, ``believed`` where the
    locomotives were believed to be when it was stopped, ``cure`` what a person should do.
    """

    exit_code = 6

    def __init__(self, what: str, *, where: str = "", cure: str = "", confirmed: str = "", believed: str = "") -> None:
        super().__init__(what, where=where, cure=cure)
        self.confirmed = confirmed
        self.believed = believed

    def __str__(self) -> str:
        head, arrow, cure = super().__str__().partition("\n  -> ")
        lines = [("last confirmed", self.confirmed), ("now believed", self.believed)]
        return head + "".join(f"\n  {name}: {text}" for name, text in lines if text) + arrow + cure


NOTHING_MOVES = "nothing moves any more; start again when you like"


class StoppedError(HaltedError):
    """A person or the system ended the play; ``code`` is the exit code that says so.

    Without a ``cure`` it says that nothing moves any more.
    """

    def __init__(self, what: str, code: int, *, confirmed: str = "", believed: str = "", cure: str = "") -> None:
        super().__init__(what, cure=cure or NOTHING_MOVES, confirmed=confirmed, believed=believed)
        self.code = code


class RefusedError(PointsmanError):
    """The interlocking does not let a step go; ``reasons`` has one sentence each.

    ``run`` is the number of the run of the plan that it belongs to, from 1; 0 when it belongs to none.
    """

    exit_code = 7

    def __init__(self, reasons: Sequence[str], *, where: str = "", cure: str = "", run: int = 0) -> None:
        self.reasons = tuple(reasons)
        self.run = run
        super().__init__("; ".join(self.reasons), where=where, cure=cure)


class JournalError(PointsmanError):
    """A journal that cannot be read or written."""

    exit_code = 8


class CompetitionError(PointsmanError):
    """A competition's book or store that cannot be read or written, or is not whole."""

    exit_code = 11


class EntryError(CompetitionError):
    """Words or figures that are not written in a competition's book; book and store are as they were."""


class ProtocolError(PointsmanError):
    """A frame that must not be sent: the station would wrap, cut or misread it."""

    exit_code = 9


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A cure for a name that is not known: the nearest one, or all of them."""
    names = list(known)
    near = difflib.get_close_matches(name.lower(), [n.lower() for n in names], n=1, cutoff=0.6)
    if near:
        return f"did you mean {next(n for n in names if n.lower() == near[0])}?"
    if not names:
        return "there is none in this file"
    return f"known here: {', '.join(names[:20])}{' ...' if len(names) > 20 else ''}"
