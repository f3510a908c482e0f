"""Entries as text and back, and the chain that holds them together. docs/competition-book.md has the exact rule.

The text of an entry is JSON with sorted keys, no spaces and no fractions, in UTF-8, so that the same entry always has
the same bytes. It tells the hash of the text before it, and the hash of a text is its SHA-256: whoever changes, removes
or moves one has to change all that follow.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from pointsman.compete import entries
from pointsman.compete.entries import MOST_BYTES, Entry, Heading, Written
from pointsman.errors import CompetitionError, EntryError, LayoutError, did_you_mean
from pointsman.track.tomlfile import dotted, shown

FIRST = "pointsman book 1"
"""What the chain hangs on, with the competition's name; another form of the book gets another number."""

KINDS: dict[str, type[Entry]] = {
    "created": entries.Created,
    "entrant": entries.EntrantAdded,
    "entrant-changed": entries.EntrantChanged,
    "withdrawn": entries.Withdrawn,
    "round": entries.RoundAnnounced,
    "committed": entries.Committed,
    "heat-opened": entries.HeatOpened,
    "revealed": entries.Revealed,
    "attempt": entries.AttemptStarted,
    "set-up": entries.SetUpAgreed,
    "speed-checked": entries.SpeedChecked,
    "shared-train": entries.SharedTrainCounted,
    "clock-started": entries.ClockStarted,
    "paused": entries.Paused,
    "resumed": entries.Resumed,
    "fault": entries.FaultMarked,
    "hint": entries.HintMarked,
    "ended": entries.AttemptEnded,
    "corrected": entries.MarksCorrected,
    "checked": entries.Checked,
    "undone": entries.Undone,
    "token": entries.TokenGiven,
    "token-revoked": entries.TokenRevoked,
}
"""Every kind of entry by its name in the text."""
_NAMES = {kind: name for name, kind in KINDS.items()}
_ADAPTERS: dict[type, TypeAdapter[Any]] = {kind: TypeAdapter(kind) for kind in KINDS.values()}
_HEADING: TypeAdapter[Heading] = TypeAdapter(Heading)
_HEADING_KEYS = ("seq", "by", "at", "why")
_KEYS = frozenset({*_HEADING_KEYS, "kind", "entry", "before"})


def kind_of(entry: Entry) -> str:
    """The name of an entry's kind: ``entrant``, ``heat-opened``."""
    return _NAMES[type(entry)]


def first_hash(competition: str) -> str:
    """What the first entry of a competition tells as the hash before it."""
    return hashlib.sha256(f"{FIRST}\n{competition}\n".encode()).hexdigest()


def line_hash(line: str) -> str:
    """The hash of an entry's text, in hexadecimal digits."""
    return hashlib.sha256(line.encode()).hexdigest()


def canonical(values: object) -> str:
    """JSON values as the one text that they have: sorted keys, no spaces, no escapes that are not needed."""
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def write_line(written: Written, before: str) -> str:
    """An entry's text; ``before`` is the hash of the one before it. Raises EntryError for what is not allowed.

    What cannot be read again is not written.
    """
    heading = Heading(written.seq, written.by, written.at, written.why)
    values = {
        **_HEADING.dump_python(heading, mode="json", warnings=False),
        "kind": kind_of(written.entry),
        "entry": _ADAPTERS[type(written.entry)].dump_python(written.entry, mode="json", warnings=False),
        "before": before,
    }
    line = canonical(values)
    where = f"entry {written.seq}"
    try:
        read = read_line(line, where)
    except CompetitionError as error:
        raise EntryError(error.what, where=where, cure="write it otherwise, in one line where it is text") from error
    if read != (written, before):
        raise EntryError(
            "this entry would be read as another one",
            where=where,
            cure="give texts and times as they are read back: whole microseconds, UTC",
        )
    return line


def read_line(line: str, where: str) -> tuple[Written, str]:
    """The entry of a text, and the hash of the one before it. Raises CompetitionError; ``where`` names the text."""
    values = _values_of(line, where)
    kind = values["kind"]
    if not isinstance(kind, str) or kind not in KINDS:
        raise CompetitionError(
            f"there is no kind of entry {shown(kind)}",
            where=where,
            cure=did_you_mean(str(kind), KINDS) + "; or use the version of the program that wrote it",
        )
    before = values["before"]
    if not isinstance(before, str):
        raise CompetitionError("before must be a hash", where=where, cure="restore the book from a copy")
    entry = _validated(_ADAPTERS[KINDS[kind]], values["entry"], where, kind)
    told: Heading = _validated(_HEADING, {key: values[key] for key in _HEADING_KEYS}, where, "entry")
    return Written(told.seq, told.by, told.at, told.why, entry), before


def _values_of(line: str, where: str) -> dict[str, Any]:
    if len(line.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise CompetitionError(f"is longer than {MOST_BYTES:,} bytes", where=where, cure="write less into one entry")
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CompetitionError(f"is not JSON: {error}", where=where, cure="restore the book from a copy") from error
    if not isinstance(values, dict) or values.keys() != _KEYS:
        raise CompetitionError(
            f"is no entry: it must have {', '.join(sorted(_KEYS))}", where=where, cure="restore the book from a copy"
        )
    return values


def _validated(adapter: TypeAdapter[Any], values: object, where: str, kind: str) -> Any:
    try:
        # By way of JSON: there a text may stand for a date and a list for a tuple, and nothing else is forgiven.
        return adapter.validate_json(json.dumps(values))
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=True)[0]
        raise CompetitionError(_told(found, kind), where=where, cure="see docs/competition-book.md") from error
    except LayoutError as error:
        raise CompetitionError(str(error), where=where, cure="see docs/competition-book.md") from error


_MUST = {
    "int_type": "must be a whole number",
    "string_type": "must be text",
    "datetime_type": "must be a moment",
    "tuple_type": "must be a list",
    "dataclass_type": "must be a table",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "must not be empty",
    "too_long": "must have at most {max_length} of them",
    "enum": "must be one of {expected}",
    "value_error": "{error}",
}
"""What pydantic's findings ask for, in our words."""


def _told(found: ErrorDetails, kind: str) -> str:
    """A finding of pydantic's in our words."""
    key, what = f"{kind}.{dotted(found['loc'])}" if found["loc"] else kind, found["type"]
    if what in {"missing", "missing_argument"}:
        return f"{key} is missing"
    if what in {"extra_forbidden", "unexpected_keyword_argument"}:
        return f"{key} is no key of such an entry"
    value = shown(found["input"])
    if what not in _MUST:
        return f"{key} is not written as it should be: {value}"
    must = _MUST[what].format(**found.get("ctx", {}))
    return f"{key} {must}, but is {value}"
