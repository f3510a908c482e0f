"""A person's answers while a play is under way: read without holding anything up, and given up when all is stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pointsman.dispatch.control import Ask
from pointsman.operate.hands import HandWork
from pointsman.posix import typed_line


def asking(show: Callable[[str], None]) -> Ask:
    """What asks a person in the terminal to do something; ``show`` prints a question, at whose end is typed."""

    async def ask(work: HandWork) -> bool:
        question = " ".join(text for text in (work.note, work.text, "Done? [y/n]") if text)
        while True:
            show(question)
            line = await typed_line(sys.stdin)
            answer = line.strip().lower()
            if answer in {"y", "yes"}:
                return True
            if answer in {"n", "no"} or not line:
                return False
            question = f"Please answer y when it is done, or n to stop. {work.text} Done? [y/n]"

    return ask
