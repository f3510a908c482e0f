"""The commitment to a round's draws: 64 digits, published before the round, that settle all of them.

docs/fair-draws.md says what that promises, and specifies the text that is hashed.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.puzzle import Count
from pointsman.track.builtin import split_puzzle
from pointsman.track.layout import LAYOUT_FILE

FIRST_LINE = "pointsman draws 1"
"""What the text begins with; another form of it gets another number."""
SECRET_BYTES = 16
MOST_HEATS = 1_000
MOST_SPARES = 100

_HASH = re.compile(r"[0-9a-f]{64}")
_LONGEST = 200  # characters of a name


def fresh_secret() -> bytes:
    """128 bits from the operating system's secure source."""
    return secrets.token_bytes(SECRET_BYTES)


@dataclass(frozen=True, slots=True)
class ParRange:
    """The pars that a draw may have, both ends included; a draw of par 0 is solved as it is set up, and never meant.

    Raises UsageError when there is no such range.
    """

    least: int
    most: int

    def __post_init__(self) -> None:
        if self.least < 1:
            raise UsageError(
                f"a least par of {self.least}: that would be solved as it is set up", cure="let it be 1 or more"
            )
        if self.most < self.least:
            raise UsageError(f"the pars {self.least} to {self.most} are no range", cure="exchange the two")

    def __contains__(self, par: int) -> bool:
        return self.least <= par <= self.most

    def __str__(self) -> str:
        return f"{self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Files:
    """What a layout's and a puzzle's file have in them, byte by byte: the SHA-256 of each, in hexadecimal digits."""

    layout: str
    puzzle: str

    def __post_init__(self) -> None:
        for where, value in (("layout", self.layout), ("puzzle", self.puzzle)):
            if not _HASH.fullmatch(value):
                raise UsageError(
                    f"{value!r} is no SHA-256 of a file", where=where, cure="give its 64 digits, 0 to 9 and a to f"
                )

    @classmethod
    def of(cls, text: str) -> Files:
        """Those of a puzzle, given by its name or path. Raises UsageError."""
        place = split_puzzle(text)
        return cls(sha256_of(place.layout / LAYOUT_FILE), sha256_of(place.puzzle))

    def check(self, text: str) -> None:
        """RefusedError, which names the files, unless a puzzle has the same ones still."""
        found, place = Files.of(text), split_puzzle(text)
        changed = [place.layout / LAYOUT_FILE] if found.layout != self.layout else []
        changed += [place.puzzle] if found.puzzle != self.puzzle else []
        if changed:
            raise RefusedError(
                [f"{path} is not what it was when the draws were committed to" for path in changed],
                cure="put the file back as it was, or announce the round anew",
            )


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that settles a round's draws, but for the secret.

    ``pars`` are counted in ``count``, and ``draws`` is how many draws of the puzzle have such a par. Every heat has a
    draw of its own and ``spares`` more. Raises UsageError when one of them cannot be right.
    """

    version: str
    files: Files
    round_id: str
    count: Count
    pars: ParRange
    draws: int
    heats: int
    spares: int

    def __post_init__(self) -> None:
        for where, value in (("version", self.version), ("round", self.round_id)):
            if not value.isprintable() or not 0 < len(value) <= _LONGEST or value != value.strip():
                raise UsageError(
                    f"{value[:_LONGEST]!r} is not one line of 1 to {_LONGEST} characters",
                    where=where,
                    cure="give one line, with no space at its ends",
                )
        if not 1 <= self.heats <= MOST_HEATS:
            raise UsageError(
                f"a round has 1 to {MOST_HEATS:,} heats, and not {self.heats:,}",
                where=self.round_id,
                cure="give another number of heats",
            )
        if not 0 <= self.spares <= MOST_SPARES:
            raise UsageError(
                f"a heat has 0 to {MOST_SPARES} spare draws, and not {self.spares:,}",
                where=self.round_id,
                cure="give another number of spares",
            )
        if self.draws < self.needed:
            raise UsageError(
                f"{self.draws:,} draws are possible, and the round takes {self.needed:,}, no two of them equal",
                where=self.round_id,
                cure="widen the par range, or take fewer heats or spares",
            )

    @property
    def needed(self) -> int:
        """How many draws the round takes, no two of them equal."""
        return self.heats * (1 + self.spares)

    def text(self, secret: bytes) -> str:
        """What is hashed. Raises UsageError for a secret that has not 128 bits."""
        if len(secret) != SECRET_BYTES:
            raise UsageError(
                f"a secret of {len(secret)} bytes: a round has one of {SECRET_BYTES}, which nobody has chosen",
                cure="give the 32 hexadecimal digits that were published after the round",
            )
        lines = (
            FIRST_LINE,
            f"secret {secret.hex()}",
            f"program {self.version}",
            f"layout {self.files.layout}",
            f"puzzle {self.files.puzzle}",
            f"round {self.round_id}",
            f"count {self.count}",
            f"pars {self.pars.least} {self.pars.most}",
            f"draws {self.draws}",
            f"heats {self.heats}",
            f"spares {self.spares}",
        )
        return unicodedata.normalize("NFC", "".join(f"{line}\n" for line in lines))

    def commitment(self, secret: bytes) -> str:
        """The SHA-256 of the text, in hexadecimal digits."""
        return hashlib.sha256(self.text(secret).encode()).hexdigest()

    def check(self, secret: bytes, commitment: str) -> None:
        """RefusedError unless these parts and the secret are what was committed to."""
        if self.commitment(secret) != commitment:
            raise RefusedError(
                ["this secret and these parts are not what was committed to"],
                where=self.round_id,
                cure="compare the secret, the version, both files and every number with what was published",
            )


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits. Raises UsageError when it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(
            f"cannot be read: {error.strerror or error}", where=str(path), cure="it must be a file that you may read"
        ) from error
