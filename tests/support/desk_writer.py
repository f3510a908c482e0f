"""Test support, run as a program: the desk of an attempt, whose helper presses a fault at every millisecond.

Usage: desk_writer.py STORE ATTEMPT. It starts the attempt's clock, then tells of each press the moment, once that is
confirmed; it goes on until it is ended.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from itertools import count

from desk_bench import HELPER

from pointsman.compete.desk import Desk
from pointsman.compete.marks import Fault
from pointsman.compete.store.store import Store


def main(where: str, attempt: str) -> None:
    """Start it, and press."""
    with Store(where) as store:
        desk = Desk(store, "club", now=lambda: datetime.now(UTC), version="0.1.0")
        desk.start(attempt, HELPER)
        for at_ms in count(1):
            desk.fault(attempt, Fault.HAND, HELPER, at_ms)
            print(at_ms, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
