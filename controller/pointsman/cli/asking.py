"""A person's answers while a play is under way: read without holding anything up, and given up when all is stopped."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from contextlib import suppress

from pointsman.dispatch.control import Ask
from pointsman.operate.hands import HandWork
from pointsman.posix import typed_line

Show = Callable[[str, Callable[[], None]], None]
"""Shows a question, at whose end is typed, and calls back from any thread when it stands there.

What was typed before that is no answer, and has been thrown away by then.
"""


def asking(show: Show) -> Ask:
    """What asks a person in the terminal to do something."""

    async def ask(work: HandWork) -> bool:
        question = " ".join(text for text in (work.note, work.text, "Done? [y/n]") if text)
        while True:
            await _shown(show, question)
            line = await typed_line(sys.stdin)
            answer = line.strip().lower()
            if answer in {"y", "yes"}:
                return True
            if answer in {"n", "no"} or not line:
                return False
            question = f"Please answer y when it is done, or n to stop. {work.text} Done? [y/n]"

    return ask


async def _shown(show: Show, question: str) -> None:
    """Return when a question can be read."""
    loop, stands = asyncio.get_running_loop(), asyncio.Event()

    def tell() -> None:
        with suppress(RuntimeError):  # the loop has ended: nobody waits for an answer any more
            loop.call_soon_threadsafe(stands.set)

    show(question, tell)
    await stands.wait()
