"""A person who drives by hand on the page: looks at what the signal box tells, and touches the page's controls only."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from panel_server import SOON_MS, faster, journal, take, until_state, whole
from playwright.sync_api import Page, expect

SHUNTING = 4
"""How often the throttle is turned up for this speed."""
TRIES = 8


class PanelDriver:
    """Drives locomotive L of a page; on its diagram the headshunt is on the left.

    ``folder`` is the one whose journals are written meanwhile.
    """

    def __init__(self, page: Page, folder: Path) -> None:
        self.page, self._folder = page, folder

    def take(self) -> None:
        """Take the throttle."""
        take(self.page)
        expect(self.page.locator("#brake")).to_be_visible(timeout=SOON_MS)

    def set(self, name: str, leg: str) -> None:
        """Tap a turnout, if it lies otherwise, and wait until it lies so."""
        if whole(self.page)["turnouts"][name]["commanded"] != leg:
            self._tap(f"turnout-{name}")
        until_state(
            self.page,
            f"(({{ commanded, surety }}) => commanded === '{leg}' && ['seen', 'assumed'].includes(surety))"
            f"(state.turnouts.{name})",
        )

    def uncouple(self, name: str) -> None:
        """Tap a magnet, and wait until it is written down what was uncoupled there."""
        before, until_s = self._parted(), time.monotonic() + SOON_MS / 1000
        self._tap(f"magnet-{name}")
        while self._parted() == before:
            assert time.monotonic() < until_s, f"nothing was uncoupled at {name}"
        self._stands()

    def _parted(self) -> int:
        return sum(line.kind == "parted" for line in journal(self._folder))

    def drive_on(self, *, right: bool, arrived: Callable[[Any], bool]) -> None:
        """Drive until the signal box brakes at the end of a track, by when what it tells shows the train there.

        Where it stopped the train before, because it heard too little of a slow page, whoever drives goes on.
        """
        for _ in range(TRIES):
            told = self._drive(right=right)
            if arrived(told):
                return
        raise AssertionError(f"it never came there: {told['vehicles']}, {told['note']}")

    def _drive(self, *, right: bool) -> Any:
        """Drive until it stands by itself. What the signal box tells then."""
        way = self.page.locator(".ways .way").nth(int(right))
        way.click(timeout=SOON_MS)
        expect(way).to_have_attribute("aria-pressed", "true", timeout=SOON_MS)
        starts = whole(self.page)["puzzle"]["done"]["raw_starts"]
        faster(self.page, SHUNTING)
        until_state(self.page, f"state.drive === null && state.puzzle.done.raw_starts > {starts}")
        self._stands()
        return whole(self.page)

    def _stands(self) -> None:
        """Wait until the page shows that everything stands."""
        expect(self.page.locator("#leave")).to_be_enabled(timeout=SOON_MS)

    def _tap(self, key: str) -> None:
        self.page.locator(f'#diagram [data-key="{key}"]').click(timeout=SOON_MS)
