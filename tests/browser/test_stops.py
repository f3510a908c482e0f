"""A train that moves, and its driver's page is gone in one way or another: the server stops it, and says why."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from panel_server import SOON_MS, Server, begin, deal, journal, served, until_state, whole
from panel_tab import Tab
from panel_visitor import Visitor
from playwright.sync_api import Browser, Page, expect
from programs import change

from pointsman.track.builtin import find_layout

pytestmark = pytest.mark.system
SILENT = "the throttle was not renewed for 1.5 s"
TRIES = 3
"""On a busy machine a page may fail to renew its throttle before anything has befallen it: then once more."""
CLOSED = "document.querySelector('output.now').value.startsWith('0 mm/s asked, 0 ')"


@pytest.fixture
def layout(tmp_path: Path) -> Path:
    """The small Inglenook with a long headshunt: creeping, a train is on its way there for more than a minute."""
    home = tmp_path / "long"
    shutil.copytree(find_layout("inglenook-small"), home)
    description = home / "layout.toml"
    change(description, r"length_mm = 320", "length_mm = 2000")
    change(description, r'on = "head"\nat_mm = 320', 'on = "head"\nat_mm = 2000')
    change(description, r"mark = \{[^}]*\}", 'mark = { on = "head", at_mm = 1980 }')
    return home


@dataclass(frozen=True)
class Scene:
    """A page that looks on, and tabs that drive one after the other."""

    browser: Browser
    server: Server
    watching: Page
    folder: Path

    def stopped(self, befalls: Callable[[Tab], None], shows: Callable[[Tab], None], why: str = "stop") -> None:
        """Drive in a tab; what befalls it must stop the train for this reason; then the pages must show something."""
        for last in (False,) * (TRIES - 1) + (True,):
            with self._driving() as tab:
                lines = len(journal(self.folder))
                befalls(tab)
                found = self._why(lines)
                if found == why or last:
                    assert found == why
                    shows(tab)
                    return

    @contextmanager
    def _driving(self) -> Iterator[Tab]:
        """A tab that drives the locomotive, which is seen to move."""
        with closing(Tab(self.browser, self.server.address)) as tab:
            tab.take()
            tab.point_left()
            until_s = time.monotonic() + SOON_MS / 1000
            while (told := whole(self.watching))["drive"] is None or told["vehicles"]["L"]["v_mm_s"] == 0:
                assert time.monotonic() < until_s, told
                tab.creep()
            yield tab

    def _why(self, lines: int) -> str:
        """Wait until the train stands: what was ordered last before its Stop; empty if it had been told to before."""
        until_state(self.watching, "state.drive === null && state.vehicles.L.v_mm_s === 0")
        assert whole(self.watching)["halted"] is None
        written = journal(self.folder)
        braked = max(i for i, line in enumerate(written) if line.kind == "command" and line.values["type"] == "Stop")
        orders = [line.values["what"] for line in written[:braked] if line.kind == "order"]
        return orders[-1] if braked >= lines else ""


def test_the_train_stops_whatever_becomes_of_the_page_that_drives_it(
    browser: Browser, visitor: Visitor, tmp_path: Path, cache: Path, layout: Path
) -> None:
    """In real time: hidden, without renewals, closed, and taken over, each while the train moves."""
    with served(tmp_path, cache, layout=layout) as server:
        watching = visitor.page(server, "phone", language="fr")
        deal(watching, "1")
        begin(watching)
        scene = Scene(browser, server, watching, tmp_path)

        def back(tab: Tab) -> None:
            tab.uncover()
            tab.until(f"!document.hidden && {CLOSED}")

        def thawed(tab: Tab) -> None:
            expect(watching.locator("#note")).to_contain_text("la commande n'a pas été confirmée", timeout=SOON_MS)
            tab.thaw()
            tab.until(CLOSED)

        def nobody_elses(_: Tab) -> None:
            # Who wants it has to take it over.
            expect(watching.locator("#take")).to_have_text("Reprendre la commande", timeout=SOON_MS)

        def take_over(_: Tab) -> None:
            watching.locator("#take").click(timeout=SOON_MS)
            watching.locator(".dialog .main").click(timeout=SOON_MS)

        def drives_no_more(tab: Tab) -> None:
            expect(watching.locator("#brake")).to_be_visible(timeout=SOON_MS)
            tab.until("document.querySelector('#driving .quiet').textContent === 'Another page or phone drives it.'")
            tab.until("document.querySelector('#driving .desk').hidden")

        scene.stopped(Tab.cover, back)
        scene.stopped(Tab.freeze, thawed, why=SILENT)
        scene.stopped(Tab.crash, nobody_elses)
        scene.stopped(take_over, drives_no_more)
