"""The journal's format: one line each, with its length and a checksum, so that a torn line is seen for what it is.

::

    LLLLLLLL CCCCCCCC {"t_s":12.5,"kind":"command",...}\\n

L is the length of the JSON text in bytes, C its CRC-32, both as eight hexadecimal digits. Reading ends at the first
line that is not whole, and says so: what follows a bad line cannot be trusted. The writer is ``dispatch.journal``.
"""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints
from zlib import crc32

from pointsman.errors import JournalError
from pointsman.messages import Command, Event, LinkChanged, LinkState

LONGEST_BYTES = 1 << 30
"""Longer files are no journals: a play of a day writes a few tens of megabytes."""
_HEAD = 18
_HEAD_FORM = re.compile(rb"[0-9a-f]{8} [0-9a-f]{8} ")
_TYPES = {cls.__name__: cls for cls in (*get_args(Command), *get_args(Event))}
_KINDS: dict[type, dict[str, type]] = {cls: get_type_hints(cls) for cls in _TYPES.values()}
"""The kind of every field of every message."""


@dataclass(frozen=True, slots=True)
class Line:
    """One entry: when, what kind, and its own values."""

    t_s: float
    kind: str
    values: Mapping[str, Any]

    def text(self, name: str) -> str:
        """A value that must be text; JournalError when it is not there."""
        value = self.values.get(name)
        if not isinstance(value, str):
            raise JournalError(f"a {self.kind} line without {name}", cure="it was not written by this program")
        return value


@dataclass(frozen=True, slots=True)
class Reading:
    """A journal as far as it could be read. ``bad`` says what is wrong with the line after the last good one.

    ``torn``: nothing but that its last line was not written to its end, as when the program was killed.
    """

    lines: tuple[Line, ...]
    bad: str = ""
    torn: bool = False


def encode(t_s: float, kind: str, values: Mapping[str, Any]) -> bytes:
    """One entry as bytes, newline included. Text that is no valid Unicode is written escaped, and comes back."""
    text = json.dumps({"t_s": round(t_s, 6), "kind": kind, **values}, ensure_ascii=False, separators=(",", ":"))
    body = text.encode(errors="backslashreplace")
    return b"%08x %08x %s\n" % (len(body), crc32(body), body)


def decode(raw: bytes) -> Line:
    """One entry from its bytes, without the newline. Raises JournalError saying what is wrong with it."""
    if len(raw) < _HEAD:
        raise JournalError("it is cut short")
    head, body = raw[:_HEAD], raw[_HEAD:]
    if _HEAD_FORM.fullmatch(head) is None:
        raise JournalError("it does not begin with a length and a checksum")
    length, check = int(head[:8], 16), int(head[9:17], 16)
    if len(body) != length:
        raise JournalError("it is not as long as it says")
    if crc32(body) != check:
        raise JournalError("its checksum is wrong")
    try:
        values = json.loads(body)
        return Line(float(values.pop("t_s")), str(values.pop("kind")), values)
    except (ValueError, OverflowError, KeyError, AttributeError, TypeError, RecursionError):
        raise JournalError("it is not an entry of a journal") from None


def read(path: Path) -> Reading:
    """Every good line of a journal up to the first bad one. Raises JournalError when the file cannot be read."""
    lines: list[Line] = []
    for number, (raw, whole) in enumerate(_split(content_of(path)), 1):
        try:
            if not whole:
                raise JournalError("it is cut short")
            lines.append(decode(raw))
        except JournalError as error:
            return Reading(tuple(lines), f"line {number} is damaged: {error.what}", torn=not whole)
    return Reading(tuple(lines))


def content_of(path: Path) -> bytes:
    """The bytes of a journal's file. Raises JournalError when it cannot be read."""
    try:
        return _content(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise JournalError(f"cannot be read: {reason}", where=str(path), cure="give the path of a journal") from error


def _content(path: Path) -> bytes:
    """The bytes of an ordinary file. Devices and pipes may wait, or go on, for ever: they are not even opened."""
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise ValueError("it is a directory" if stat.S_ISDIR(found.st_mode) else "it is no ordinary file")
    with path.open("rb") as file:
        # what is read counts, not what is promised: the system's own files claim to be empty
        data = file.read(LONGEST_BYTES + 1) if found.st_size <= LONGEST_BYTES else b""
    if max(found.st_size, len(data)) > LONGEST_BYTES:
        raise ValueError(f"it is longer than {LONGEST_BYTES >> 30} GiB")
    return data


def _split(data: bytes) -> Iterator[tuple[bytes, bool]]:
    *whole, rest = data.split(b"\n")
    for raw in whole:
        yield raw, True
    if rest:
        yield rest, False


def message_values(message: Command | Event) -> dict[str, Any]:
    """A message as JSON values; ``t_s`` of an event is the line's own."""
    values = {f.name: getattr(message, f.name) for f in fields(message) if f.name != "t_s"}
    return {"type": type(message).__name__, **values}


def message_of(line: Line) -> Command | Event:
    """The message of a command or event line. Raises JournalError when it names none."""
    values = {k: v for k, v in line.values.items() if k != "number" or "number" in _names(line)}
    cls = _TYPES.get(str(values.pop("type", "")))
    if cls is None:
        raise JournalError("the line names no message of this program", cure="it was written by another version")
    names = {f.name for f in fields(cls)}
    if "t_s" in names:
        values["t_s"] = line.t_s
    kinds = _KINDS[cls]
    if values.keys() - kinds.keys() or any(not _is(kinds[name], value) for name, value in values.items()):
        raise JournalError(f"the line is no whole {cls.__name__}", cure="it was written by another version")
    try:
        if cls is LinkChanged:
            values["state"] = LinkState(values["state"])
        message: Command | Event = cls(**values)
        return message
    except (TypeError, ValueError, KeyError):
        raise JournalError(f"the line is no whole {cls.__name__}", cure="it was written by another version") from None


def _is(kind: type, value: object) -> bool:
    """Is a JSON value of a field's kind? True and False are no numbers."""
    if kind is float:
        return type(value) in {int, float}
    return type(value) is (str if kind is LinkState else kind)


def names_something(text: object) -> bool:
    """Is a value text that a file may be named by? Anything may stand in a journal that somebody else has written."""
    if not isinstance(text, str) or "\0" in text:
        return False
    try:
        text.encode(errors="surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _names(line: Line) -> set[str]:
    cls = _TYPES.get(str(line.values.get("type", "")))
    return {f.name for f in fields(cls)} if cls is not None else set()
