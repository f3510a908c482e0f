"""Reading a TOML file that a person wrote: every mistake at once, each with its key and its cure.

Used for layouts and wirings, and fit for any file whose shape is a pydantic model. A file with mistakes still gives a
``Draft`` of what could be read, so that the checks between tables can run on the rest.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from pointsman.errors import LayoutError, Mistake, did_you_mean

MAX_BYTES = 1_000_000
"""A layout is a few kilobytes; a larger file is something else, and is not read into memory."""


class Shape(BaseModel):
    """A table of a file: no unknown keys, no number given as text or as true/false, no nan or inf."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


ShapeT = TypeVar("ShapeT", bound=Shape)


@dataclass(slots=True)
class Notes:
    """The mistakes found in one file so far; ``guide`` is the page that tells how such a file is written.

    ``if_missing`` helps somebody whose file is not there.
    """

    file: str
    mistakes: list[Mistake] = field(default_factory=list)
    guide: str = "layouts/README.md"
    if_missing: str = "check the path; `pointsman layouts` lists the built-in layouts"

    def add(self, key: str, what: str, cure: str) -> None:
        """Note one mistake; ``key`` is dotted, empty for the whole file."""
        self.mistakes.append(Mistake(self.file, key, what, cure))

    def raise_if_any(self) -> None:
        """Raise a ``LayoutError`` with all of them."""
        if self.mistakes:
            raise LayoutError(self.mistakes)


@dataclass(frozen=True, slots=True)
class Draft(Generic[ShapeT]):
    """What could be read of a file.

    ``damaged`` are the keys that were wrong, as (section,), (section, name) or (section, name, key). What is named
    there was left out or has a stand-in, and checks must not complain of it. ``shape`` is None when nothing can be
    said beyond the mistakes noted.
    """

    shape: ShapeT | None
    damaged: frozenset[tuple[str, ...]]

    def is_damaged(self, *key: str) -> bool:
        """Whether this key, or the table or section around it, was wrong."""
        return any(key[:length] in self.damaged for length in range(1, len(key) + 1))

    def has_damaged(self, *sections: str) -> bool:
        """Whether anything at all of these sections was wrong."""
        return any(key[0] in sections for key in self.damaged)

    def has_left_out(self, *sections: str) -> bool:
        """Whether one of these sections, or a table in it, had to be left out."""
        return any(key[0] in sections and len(key) < 3 for key in self.damaged)


def read_draft(
    path: Path,
    model: type[ShapeT],
    notes: Notes,
    *,
    stand_ins: Mapping[str, Any] | None = None,
    in_tables: Mapping[str, Mapping[str, Any]] | None = None,
) -> Draft[ShapeT]:
    """Read a file into its shape, noting every mistake.

    ``stand_ins`` are values for required top-level keys that are wrong or absent, ``in_tables`` those for required
    keys of the tables in a section; they only let the checks go on. A table with a wrong key that has no stand-in is
    left out whole.
    """
    return draft_of(read_toml(path, notes), model, notes, stand_ins=stand_ins, in_tables=in_tables)


def draft_of(
    data: dict[str, Any] | None,
    model: type[ShapeT],
    notes: Notes,
    *,
    stand_ins: Mapping[str, Any] | None = None,
    in_tables: Mapping[str, Mapping[str, Any]] | None = None,
) -> Draft[ShapeT]:
    """The same for tables that have been read already; None where that could not be done, with a mistake noted."""
    if data is None:
        return Draft(None, frozenset())
    try:
        return Draft(model.model_validate(data), frozenset())
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=True)
    damaged: set[tuple[str, ...]] = set()
    for problem in problems:
        loc = problem["loc"]
        what, cure = _explain(model, loc, problem, notes.guide)
        notes.add(dotted(loc), what, cure)
        if problem["type"] == "extra_forbidden":
            _drop(data, loc)
        else:
            damaged.add(_left_out(model, loc, in_tables or {}))
    for key in sorted(damaged, key=len, reverse=True):
        _drop(data, key)
        if len(key) == 1 and stand_ins is not None and key[0] in stand_ins:
            data[key[0]] = stand_ins[key[0]]
        elif len(key) == 3 and key[2] in (of_table := (in_tables or {}).get(key[0], {})):
            data[key[0]][key[1]][key[2]] = of_table[key[2]]
    try:
        return Draft(model.model_validate(data), frozenset(damaged))
    except ValidationError:
        return Draft(None, frozenset(damaged))


def _left_out(
    model: type[BaseModel], loc: tuple[int | str, ...], in_tables: Mapping[str, Mapping[str, Any]]
) -> tuple[str, ...]:
    """What has to be left out because of a finding: a key when the table can do without it, else the table."""
    key = tuple(str(part) for part in loc[:3])
    if len(key) == 3:
        _, info = _field_at(model, loc[:3])
        if key[2] not in in_tables.get(key[0], {}) and (info is None or info.is_required()):
            return key[:2]
    return key


def read_toml(path: Path, notes: Notes) -> dict[str, Any] | None:
    """The file's tables; None, with a mistake noted, when it cannot be read or is not TOML in UTF-8."""
    text = read_text(path, notes)
    return None if text is None else parse_toml(text, notes)


def read_text(path: Path, notes: Notes) -> str | None:
    """The file's text; None, with a mistake noted, when it cannot be read or is not UTF-8."""
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        notes.add("", "there is no such file", notes.if_missing)
        return None
    except OSError as error:
        notes.add("", f"cannot be read: {error.strerror or error}", "it must be a file that you may read")
        return None
    except ValueError as error:
        notes.add("", f"is no file name: {error}", "check the path")
        return None
    if len(raw) > MAX_BYTES:
        notes.add("", f"is larger than {MAX_BYTES // 1000} kB", "this is not a file of ours; check the path")
        return None
    try:
        # An editor on Windows may put a byte order mark in front; it means nothing here.
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        notes.add(
            "", f"is not text in UTF-8 (line {line}, byte {error.start})", "save it again with the encoding UTF-8"
        )
        return None


def parse_toml(text: str, notes: Notes) -> dict[str, Any] | None:
    """The tables of a text; None, with a mistake noted, when it is not TOML."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        notes.add("", "is nested too deeply", f"write it as {notes.guide} shows")
    except ValueError as error:  # TOMLDecodeError, and numbers of thousands of digits
        notes.add("", f"is not TOML: {error}", _cure_of(text, str(error)))
    return None


_AT_LINE = re.compile(r"at line (\d+)")
_WITH_A_COMMA = re.compile(r"=\s*([+-]?\d+),(\d+)")


def _cure_of(text: str, error: str) -> str:
    """How to mend a line that is not TOML."""
    line = _AT_LINE.search(error)
    lines = text.splitlines()
    if line is not None and int(line[1]) <= len(lines):
        comma = _WITH_A_COMMA.search(lines[int(line[1]) - 1])
        if comma is not None:
            return f"numbers have a point, not a comma: write {comma[1]}.{comma[2]}"
        if not lines[int(line[1]) - 1].partition("=")[0].isascii():
            return "a name with accents would need quotes, and is refused then: names have a to z, 0 to 9, - and _"
    return "mend that line; a common cause is a missing quote, or a name given twice"


def is_file(path: Path) -> bool:
    """Whether the path leads to a file; False, too, for a path that cannot be looked at."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def is_folder(path: Path) -> bool:
    """Whether the path leads to a folder; False, too, for a path that cannot be looked at."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def dotted(loc: Iterable[int | str]) -> str:
    """A pydantic location as people write it: ``segments.s1.draw[0]``."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def keys_of(model: type[BaseModel]) -> list[str]:
    """The keys that a table of this shape may have, as written in the file."""
    return [info.alias or name for name, info in model.model_fields.items()]


def shown(value: object) -> str:
    """A value as the file has it, cut to a readable length."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a table"
    text = f'"{value}"' if isinstance(value, str) else str(value)
    text = text if text.isprintable() else repr(text)
    return text if len(text) <= 40 else text[:37] + "..."


# ---------------------------------------------------------------- pydantic's findings in our words

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "list_type": "a list in [ ]",
    "dict_type": "a table",
    "model_type": "a table",
    "finite_number": "a finite number",
}

_NUMBER_WITH_A_COMMA = re.compile(r"\s*([+-]?\d+),(\d+)\s*")

_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}


def _explain(  # one row per kind of finding
    model: type[BaseModel], loc: tuple[int | str, ...], problem: ErrorDetails, guide: str
) -> tuple[str, str]:
    """What is wrong and how to mend it."""
    kind, message, ctx, value = problem["type"], problem["msg"], problem.get("ctx", {}), problem["input"]
    table, info = _field_at(model, loc)
    meaning = info.description if info is not None and info.description else ""
    name = str(loc[-1]) if loc else ""
    if kind == "missing":
        return "is missing", f"add `{name} = ...`{f': {meaning}' if meaning else ''}"
    if kind == "extra_forbidden":
        where = f"[{dotted(loc[:-1])}]" if len(loc) > 1 else "the top of the file"
        return f"is not a key of {where}", did_you_mean(name, keys_of(table) if table is not None else [])
    cure = f"it is {meaning}" if meaning else f"see {guide}"
    if kind in _KINDS:
        comma = _NUMBER_WITH_A_COMMA.fullmatch(value) if isinstance(value, str) and "number" in _KINDS[kind] else None
        if comma is not None:
            cure = f"write it without quotes and with a point: {comma[1]}.{comma[2]}"
        return f"must be {_KINDS[kind]}, but is {shown(value)}", cure
    if kind in _BOUNDS:
        words, bound = _BOUNDS[kind]
        return f"must be {words} {ctx[bound]:g}, but is {shown(value)}", cure
    if kind in {"too_short", "too_long"}:
        least, most = ctx.get("min_length"), ctx.get("max_length")
        bound_text = f"at least {least}" if least is not None else f"at most {most}"
        return f"must have {bound_text} entries, but has {ctx['actual_length']}", cure
    if kind == "string_too_short":
        return "must not be empty", cure
    if kind in {"enum", "literal_error"}:
        allowed = str(ctx["expected"]).replace("'", "")
        return f"must be one of {allowed}, but is {shown(value)}", cure
    message = message.removeprefix("Value error, ")
    return message[:1].lower() + message[1:], cure


def _field_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[type[BaseModel] | None, FieldInfo | None]:
    """The innermost table that a location lies in, and the last of its fields on the way."""
    table: type[BaseModel] | None = None
    info: FieldInfo | None = None
    kind: Any = model
    for part in loc:
        kind = _plain(kind)
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            table = kind
            info = next((f for n, f in kind.model_fields.items() if (f.alias or n) == part), None)
            if info is None:
                return table, None
            kind = info.annotation
        elif get_args(kind):
            kind = get_args(kind)[-1]
        else:
            break
    return table, info


def _plain(kind: Any) -> Any:
    """A type without ``Annotated`` and without ``| None``."""
    while get_origin(kind) is Annotated or type(None) in get_args(kind):
        kind = next(a for a in get_args(kind) if a is not type(None))
    return kind


def _drop(data: dict[str, Any], loc: Iterable[int | str]) -> None:
    """Remove one key from nested tables, if it is there."""
    keys = tuple(loc)
    if not keys:  # it is about the table as a whole
        data.clear()
        return
    *way, last = keys
    here: Any = data
    for part in way:
        here = here[part]
    here.pop(last, None)
