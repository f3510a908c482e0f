"""A train that moves, and its driver's page is gone in one way or another: the server stops it, and says why."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from panel_server import Server, begin, deal, journal, served, until_state, whole
from panel_tab import Tab
from panel_visitor import Visitor
from playwright.sync_api import Browser, Page, expect

pytestmark = pytest.mark.system
SILENT = "the throttle was not renewed for 1.5 s"
AT_ONCE_S = 1.5
"""Renewals that cease are noticed only then: what is told at once is done before."""
SURELY_S = 3.5
"""The train would drive on for much longer by itself."""


@dataclass(frozen=True)
class Driven:
    """A tab that drives the locomotive: seen to move at a moment of the layout's clock, after so many journal lines."""

    tab: Tab
    watching: Page
    folder: Path
    moved_s: float
    lines: int

    def stopped(self) -> tuple[str, float]:
        """Wait until the train stands: why it was stopped, and how long after it was seen to move."""
        until_state(self.watching, "state.drive === null && state.vehicles.L.v_mm_s === 0")
        state = whole(self.watching)
        assert state["halted"] is None, state["halted"]
        since = journal(self.folder)[self.lines :]
        braked = next(i for i, line in enumerate(since) if line.kind == "command" and line.values["type"] == "Stop")
        why = [line.values["what"] for line in since[:braked] if line.kind == "order"]
        return why[-1], since[braked].t_s - self.moved_s


@contextmanager
def driven(browser: Browser, server: Server, watching: Page, folder: Path, key: str) -> Iterator[Driven]:
    """Drive in a new tab, the way of a key."""
    with closing(Tab(browser, server.address)) as tab:
        tab.take()
        tab.until("!document.querySelector('#leave').disabled")
        tab.press(key)
        tab.press("ArrowUp")
        until_state(watching, "state.drive !== null && state.vehicles.L.v_mm_s !== 0")
        yield Driven(tab, watching, folder, whole(watching)["t_s"], len(journal(folder)))


def test_the_train_stops_whatever_becomes_of_the_page_that_drives_it(
    browser: Browser, visitor: Visitor, tmp_path: Path, cache: Path
) -> None:
    """In real time: hidden, without renewals, closed, and taken over, each while the train moves."""
    with served(tmp_path, cache) as server:
        watching = visitor.page(server, "phone", language="fr")
        deal(watching, "1")
        begin(watching)

        with driven(browser, server, watching, tmp_path, "ArrowLeft") as one:
            one.tab.cover()
            why, after_s = one.stopped()
            assert why == "stop"
            assert after_s < AT_ONCE_S
            one.tab.uncover()
            one.tab.until(
                "!document.hidden && document.querySelector('output.now').value.startsWith('0 mm/s asked, 0 ')"
            )

        with driven(browser, server, watching, tmp_path, "ArrowRight") as one:
            one.tab.freeze()
            why, after_s = one.stopped()
            assert why == SILENT
            assert after_s < SURELY_S
            expect(watching.locator("#note")).to_contain_text("la commande n'a pas été confirmée")
            one.tab.thaw()
            one.tab.until("document.querySelector('output.now').value.startsWith('0 mm/s asked, 0 ')")

        with driven(browser, server, watching, tmp_path, "ArrowLeft") as one:
            one.tab.crash()
            why, after_s = one.stopped()
            assert why == "stop"
            assert after_s < AT_ONCE_S
            # It is nobody else's now: who wants it has to take it over.
            expect(watching.locator("#take")).to_have_text("Reprendre la commande")

        with driven(browser, server, watching, tmp_path, "ArrowRight") as one:
            watching.locator("#take").click()
            watching.locator(".dialog .main").click()
            why, after_s = one.stopped()
            assert why == "stop"
            assert after_s < SURELY_S
            expect(watching.locator("#brake")).to_be_visible()
            one.tab.until(
                "document.querySelector('#driving .quiet').textContent === 'Another page or phone drives it.'"
            )
            one.tab.until("document.querySelector('#driving .desk').hidden")
