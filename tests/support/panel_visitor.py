"""Pages in a real browser that complain of nothing."""

from __future__ import annotations

from typing import Any, Protocol

from playwright.sync_api import Browser, BrowserContext, Page, expect

SIZES = {"phone": (360, 740), "tall phone": (390, 844), "desktop": (1280, 800), "wall": (1920, 1080)}


class Served(Protocol):
    """What serves the page: a stage, or the program itself."""

    @property
    def address(self) -> str:
        """Where the page is."""


class Visitor:
    """Opens pages, and at the end of the test closes them and says what they complained of."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.complaints: list[str] = []

    def context(self, size: str = "desktop", language: str = "en", **more: Any) -> BrowserContext:
        width, height = SIZES[size]
        context = self._browser.new_context(
            viewport={"width": width, "height": height}, locale=language, has_touch="phone" in size, **more
        )
        context.set_default_timeout(5000)
        self._contexts.append(context)
        return context

    def page(
        self, stage: Served, size: str = "desktop", *, clock: bool = False, ready: bool = True, **more: Any
    ) -> Page:
        """A page that has been told its state; with ``clock`` its time stands until the test moves it on."""
        return self.another(self.context(size, **more), stage, clock=clock, ready=ready)

    def another(self, context: BrowserContext, stage: Served, *, clock: bool = False, ready: bool = True) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: self._hear(said.type, said.text))
        if clock:
            page.clock.install()
        page.goto(stage.address)
        if ready:
            page.wait_for_selector("#diagram svg")
            expect(page.locator("#mode")).not_to_be_empty()
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()

    def _hear(self, kind: str, text: str) -> None:
        # A connection that the test refuses is reported by the browser itself.
        if kind in {"error", "warning"} and "WebSocket connection to" not in text and "Failed to load" not in text:
            self.complaints.append(text)


def drive(page: Page, presses: int = 3) -> None:
    """Choose the way to the points, and press for more speed so many times."""
    page.get_by_role("button", name="towards T1", exact=True).click()
    for _ in range(presses):
        page.keyboard.press("ArrowUp")
