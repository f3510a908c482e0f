"""Test support: `pointsman serve` itself on a simulated layout, and what a person does first on its page."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect
from programs import Program, running, tool

from pointsman.record import Line, read

SOON_MS = 60_000


class Server(Program):
    """The signal box of a layout, the small Inglenook if none is named."""

    def __init__(
        self, folder: Path, cache: Path, *options: str, port: int = 0, layout: str | Path = "inglenook-small"
    ) -> None:
        words = ("serve", str(layout), "--port", str(port), "--journals", str(folder / "journals"), *options)
        super().__init__(tool("pointsman"), *words, env={"POINTSMAN_CACHE_DIR": str(cache)})
        self.address = self.expect(r"http://127\.0\.0\.1:\d+/").group()

    @property
    def port(self) -> int:
        """The port of the page."""
        return int(self.address.rstrip("/").rpartition(":")[2])


@contextmanager
def served(
    folder: Path, cache: Path, *options: str, port: int = 0, layout: str | Path = "inglenook-small"
) -> Iterator[Server]:
    with running(lambda: Server(folder, cache, *options, port=port, layout=layout)) as server:
        yield server


def press(page: Page, key: str) -> None:
    page.locator(f'[data-key="{key}"]').click(timeout=SOON_MS)


def until(page: Page, *modes: str) -> None:
    expect(page.locator("body")).to_have_attribute("data-mode", re.compile("|".join(modes)), timeout=SOON_MS)


def deal(page: Page, seed: str) -> None:
    press(page, "deal")
    page.locator("#deal-seed").fill(seed)
    page.locator(".dialog [type=submit]").click()
    until(page, "dealt")


def begin(page: Page) -> None:
    press(page, "facing-to")
    press(page, "begin")
    until(page, "ready")


def whole(page: Page) -> Any:
    """What the newest state is, asked for beside the page."""
    return page.evaluate("fetch('/api/state').then((answer) => answer.json())")


def until_state(page: Page, holds: str) -> None:
    """Wait until something holds of the newest state, in JavaScript."""
    until_s = time.monotonic() + SOON_MS / 1000
    while not page.evaluate(f"fetch('/api/state').then((answer) => answer.json()).then((state) => {holds})"):
        assert time.monotonic() < until_s, f"never so: {holds}"


def take(page: Page) -> None:
    page.locator("#take").click(timeout=SOON_MS)


def faster(page: Page, presses: int = 2) -> None:
    for _ in range(presses):
        page.keyboard.press("ArrowUp")


def journal(folder: Path) -> list[Line]:
    """What the one sitting under way in a folder has written down so far."""
    (path,) = (folder / "journals").glob("*.journal")
    return list(read(path).lines)
