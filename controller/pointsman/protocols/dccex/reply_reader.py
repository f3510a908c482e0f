"""The host's side of the wire: bytes in, replies out. Nothing a station or a bad cable sends raises here."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum, auto

from pointsman.protocols.dccex.replies import (
    Comment,
    CurrentLimitList,
    CurrentList,
    Display,
    Done,
    FenceReached,
    Forgotten,
    Greeting,
    LegacyThrottleState,
    LockState,
    LocomotiveState,
    MainCurrentState,
    OperatorMessage,
    OutputDefinition,
    OutputState,
    PowerState,
    Refused,
    Reply,
    Saved,
    SensorDefinition,
    SensorState,
    TrackMode,
    TurnoutCaption,
    TurnoutDefinition,
    TurnoutIdList,
    TurnoutState,
    UnknownReply,
)

LONGEST_FRAME = 1024
LONGEST_COMMENT = 8192

_NUMBER = re.compile(r"-?[0-9]{1,10}")
_WORDS = re.compile(r'"[^"]*"|[^\s"]+')
_FENCE_LINE = re.compile(r"<#\s*[0-9]{1,5}>\r?")


class _Where(Enum):
    OUTSIDE = auto()
    FRAME = auto()
    QUOTES = auto()
    COMMENT = auto()


class HostReader:
    """Feed bytes, get the replies they complete.

    Text outside brackets is skipped. Every frame of a station but a comment ends on its own line, so a line feed or
    another ``<`` inside one means that bytes were lost: the piece is handed out as ``UnknownReply`` and reading
    goes on. A comment ends at ``*>`` and may hold anything; a whole line with a fence's answer inside one means
    that the comment's end was lost, and what followed its first line is read again. Memory is bounded by
    ``LONGEST_FRAME`` and ``LONGEST_COMMENT``.
    """

    def __init__(self) -> None:
        self._where = _Where.OUTSIDE
        self._text: list[str] = []
        self._line_start = 0

    def feed(self, data: bytes) -> list[Reply]:
        """Replies completed by ``data``, in order."""
        replies: list[Reply] = []
        for char in data.decode("latin-1"):
            self._take(char, replies)
        return replies

    def _take(self, char: str, replies: list[Reply]) -> None:
        if self._where is _Where.OUTSIDE:
            if char == "<":
                self._begin(_Where.FRAME)
        elif self._where is _Where.COMMENT:
            self._take_comment(char, replies)
        else:
            self._take_frame(char, replies)

    def _begin(self, where: _Where) -> None:
        self._where = where
        self._text.clear()
        self._line_start = 0

    def _take_frame(self, char: str, replies: list[Reply]) -> None:
        quoted = self._where is _Where.QUOTES
        if char == "\n" or len(self._text) >= LONGEST_FRAME:
            self._give_up(replies)
        elif char == '"':
            self._where = _Where.FRAME if quoted else _Where.QUOTES
            self._text.append(char)
        elif quoted:
            self._text.append(char)
        elif char == "*" and not self._text:
            self._begin(_Where.COMMENT)
        elif char == ">":
            replies.append(parse_reply("".join(self._text)))
            self._begin(_Where.OUTSIDE)
        elif char == "<":
            self._give_up(replies)
            self._begin(_Where.FRAME)
        else:
            self._text.append(char)

    def _give_up(self, replies: list[Reply]) -> None:
        if self._text:
            replies.append(UnknownReply("".join(self._text)))
        self._begin(_Where.OUTSIDE)

    def _take_comment(self, char: str, replies: list[Reply]) -> None:
        if char == ">" and self._text and self._text[-1] == "*":
            replies.append(Comment("".join(self._text[:-1]).strip()))
            self._begin(_Where.OUTSIDE)
        elif len(self._text) >= LONGEST_COMMENT:
            replies.append(Comment("".join(self._text).strip()))
            self._begin(_Where.OUTSIDE)
        elif char == "\n":
            line = "".join(self._text[self._line_start :])
            if self._line_start and _FENCE_LINE.fullmatch(line):
                self._reread_broken_comment(replies)
            else:
                self._text.append(char)
                self._line_start = len(self._text)
        else:
            self._text.append(char)

    def _reread_broken_comment(self, replies: list[Reply]) -> None:
        first, _, rest = "".join(self._text).partition("\n")
        replies.append(Comment(first.strip(" *>\r")))
        self._begin(_Where.OUTSIDE)
        for line in rest.split("\n"):
            for char in line:
                self._take(char, replies)
            # each line stands for itself this time: nothing can swallow the next one again
            if self._where is _Where.COMMENT:
                replies.append(Comment("".join(self._text).strip()))
                self._begin(_Where.OUTSIDE)
            else:
                self._give_up(replies)


def parse_reply(text: str) -> Reply:
    """The reply in the text between two brackets; ``UnknownReply`` for what is not known."""
    if text.startswith("iDCC"):
        return Greeting(text)
    words = _WORDS.findall(text[1:])
    parser = _PARSERS.get(text[:1])
    return (parser(words) if parser else None) or UnknownReply(text)


def _ints(words: list[str]) -> list[int] | None:
    """All words as numbers, or None."""
    if all(_NUMBER.fullmatch(word) for word in words):
        return [int(word) for word in words]
    return None


def _unquoted(word: str) -> str | None:
    return word[1:-1] if len(word) >= 2 and word[0] == word[-1] == '"' else None


def _power(words: list[str]) -> Reply | None:
    match words:
        case ["0" | "1" as on]:
            return PowerState(on == "1")
        case ["0" | "1" as on, track] if track in ("MAIN", "PROG", "JOIN") or track in tuple("ABCDEFGH"):
            return PowerState(on == "1", track)
    return None


def _locomotive(words: list[str]) -> Reply | None:
    match _ints(words):
        case [cab, register, speed_byte, functions] if 0 <= speed_byte <= 255 and cab >= 0:
            code = speed_byte & 0x7F
            speed = -1 if code == 1 else max(code - 1, 0)
            return LocomotiveState(cab, speed, speed_byte >= 0x80, functions & 0xFFFFFFFF, register)
    return None


def _turnout(words: list[str]) -> Reply | None:
    match _ints(words):
        case [turnout, 0 | 1 as thrown]:
            return TurnoutState(turnout, thrown == 1)
        case [turnout, *values, 0 | 1 as thrown] if len(values) == 2:
            return TurnoutDefinition(turnout, "", tuple(values), thrown == 1)
    match words:
        case [first, kind, *rest] if kind.isalpha() and kind.isascii():
            match _ints([first, *rest]):
                case [turnout, *values, 0 | 1 as thrown]:
                    return TurnoutDefinition(turnout, kind, tuple(values), thrown == 1)
    return None


def _sensor(active: bool) -> Callable[[list[str]], Reply | None]:
    def parse(words: list[str]) -> Reply | None:
        match _ints(words):
            case [sensor]:
                return SensorState(sensor, active)
            case [sensor, vpin, 0 | 1 as pullup] if active:
                return SensorDefinition(sensor, vpin, pullup == 1)
        return None

    return parse


def _output(words: list[str]) -> Reply | None:
    match _ints(words):
        case [output, 0 | 1 as on]:
            return OutputState(output, on == 1)
        case [output, vpin, iflag, 0 | 1 as on]:
            return OutputDefinition(output, vpin, iflag, on == 1)
    return None


def _fence(words: list[str]) -> Reply | None:
    match _ints(words):
        case [slots]:
            return FenceReached(slots)
    return None


def _alone(reply: Reply) -> Callable[[list[str]], Reply | None]:
    return lambda words: None if words else reply


def _current(words: list[str]) -> Reply | None:
    match words:
        case [_, current, "C", "Milli", low, full_scale, step, trip]:
            match _ints([current, low, full_scale, step, trip]):
                case [current_ma, _, full_scale_ma, _, trip_ma]:
                    return MainCurrentState(current_ma, full_scale_ma, trip_ma)
    return None


def _information(words: list[str]) -> Reply | None:
    match words:
        case ["T", turnout, "X"] if numbers := _ints([turnout]):
            return TurnoutCaption(numbers[0], None)
        case ["T", turnout, "T" | "C" as state, caption] if numbers := _ints([turnout]):
            text = _unquoted(caption)
            return None if text is None else TurnoutCaption(numbers[0], state == "T", text)
        case ["T" | "I" | "G" as kind, *rest] if (values := _ints(rest)) is not None:
            if kind == "T":
                return TurnoutIdList(tuple(values))
            return CurrentList(tuple(values)) if kind == "I" else CurrentLimitList(tuple(values))
    return None


def _track_mode(words: list[str]) -> Reply | None:
    match words:
        case [track, mode, *rest] if track in tuple("ABCDEFGH"):
            flag = rest.pop() if rest and rest[-1] in ("A", "I") else ""
            cabs = _ints(rest)
            if cabs is not None and len(cabs) <= 1:
                return TrackMode(track, mode, cabs[0] if cabs else None, flag)
    return None


def _saved(words: list[str]) -> Reply | None:
    match _ints(words):
        case [turnouts, sensors, outputs]:
            return Saved(turnouts, sensors, outputs)
    return None


def _legacy_throttle(words: list[str]) -> Reply | None:
    match _ints(words):
        case [register, speed, 0 | 1 as forward]:
            return LegacyThrottleState(register, speed, forward == 1)
    return None


def _forgotten(words: list[str]) -> Reply | None:
    match _ints(words):
        case [cab]:
            return Forgotten(cab)
    return None


def _lock(words: list[str]) -> Reply | None:
    match words:
        case ["PAUSED" | "RESUMED" as state]:
            return LockState(state == "PAUSED")
    return None


def _display(words: list[str]) -> Reply | None:
    match words:
        case [display, row, quoted] if numbers := _ints([display, row]):
            text = _unquoted(quoted)
            return None if text is None else Display(numbers[0], numbers[1], text)
    return None


def _operator_message(words: list[str]) -> Reply | None:
    match words:
        case [quoted] if (text := _unquoted(quoted)) is not None:
            return OperatorMessage(text)
    return None


_PARSERS: dict[str, Callable[[list[str]], Reply | None]] = {
    "p": _power,
    "l": _locomotive,
    "H": _turnout,
    "Q": _sensor(True),
    "q": _sensor(False),
    "Y": _output,
    "#": _fence,
    "O": _alone(Done()),
    "X": _alone(Refused()),
    "c": _current,
    "j": _information,
    "=": _track_mode,
    "e": _saved,
    "T": _legacy_throttle,
    "-": _forgotten,
    "!": _lock,
    "@": _display,
    "m": _operator_message,
}
