"""Telling that code is compiled before it can run: that takes seconds, and as a rule comes once on a machine.

The compiler calls from deep within a search; who wants to hear of it need not import the compiler for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

ONCE = "compiling this kind of search, only this first time"
EVERY_TIME = "compiling this kind of search, as every time: its cache cannot be written"


def _unheard(_: str) -> None:
    """Nobody listens."""


_listener: ContextVar[Callable[[str], None]] = ContextVar("listener", default=_unheard)


@contextmanager
def listening(tell: Callable[[str], None]) -> Iterator[None]:
    """While inside, ``tell`` is given ONCE or EVERY_TIME before a function is compiled; several may be, in turn."""
    before = _listener.set(tell)
    try:
        yield
    finally:
        _listener.reset(before)


def about_to_compile(what: str) -> None:
    """Tell whoever listens."""
    _listener.get()(what)
