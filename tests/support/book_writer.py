"""Test support, run as a program: adds entrants to a competition, and tells the number of each that is confirmed.

Usage: book_writer.py STORE NAME HOW_MANY. It waits for a line on its input before the first.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from pointsman.compete.entries import EntrantAdded
from pointsman.compete.store.store import Store


def main(where: str, name: str, many: int) -> None:
    """Add them."""
    with Store(where, busy_s=60.0) as store:
        sys.stdin.readline()
        for number in range(many):
            book = store.add("club", EntrantAdded(f"{name}-{number}", name), by=name, at=datetime.now(UTC))
            print(book.head.entries, book.head.hash, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
