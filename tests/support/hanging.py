"""Test support: the program itself, whose event loop hangs for a while each time it is sent SIGUSR1.

python hanging.py SECONDS ARGUMENTS OF POINTSMAN ...

The process lives, its links stay open, and it can be sent signals; but nothing of it runs any more.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import time

from pointsman.__main__ import main


def hang(for_s: float) -> None:
    """What a fault in a callback may do: it does not come back to the loop."""
    until_s = time.monotonic() + for_s
    print("hangs", flush=True)
    while time.monotonic() < until_s:
        pass
    print("goes on", flush=True)


class Hanging(asyncio.DefaultEventLoopPolicy):
    """Every loop hangs when it is told to."""

    def __init__(self, for_s: float) -> None:
        super().__init__()
        self._for_s = for_s

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """A loop with one callback more."""
        loop = super().new_event_loop()
        loop.add_signal_handler(signal.SIGUSR1, hang, self._for_s)
        return loop


if __name__ == "__main__":
    asyncio.set_event_loop_policy(Hanging(float(sys.argv.pop(1))))
    main()
