"""Test support: `pointsman compete run` itself, and what the people of an evening do on its pages."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panel_server import SOON_MS
from playwright.sync_api import Locator, Page, expect
from programs import Program, running, tool

from pointsman.compete.book import Book
from pointsman.compete.store.store import Store

CODE = "seven red vans at dawn"
PIN = "4711"
NAME = "evening"
WITHIN_S = 60.0


class Served(Program):
    """A competition that is served, with a layout or without one."""

    def __init__(self, night: Night, *words: str, port: int = 0) -> None:
        where = ("--store", str(night.store), "--journals", str(night.journals), "--port", str(port))
        super().__init__(tool("pointsman"), "compete", "run", NAME, *words, *where, env=night.environment)
        self.address = self.expect(r"http://127\.0\.0\.1:\d+/competition").group()
        self.expect("Ctrl-C ends it")

    @property
    def port(self) -> int:
        """The port of the page."""
        return int(self.address.removesuffix("/competition").rpartition(":")[2])

    @property
    def layout(self) -> str:
        """The layout's own page."""
        return self.address.removesuffix("competition")


@dataclass(frozen=True)
class At:
    """Where a page is opened."""

    address: str


@dataclass
class Night:
    """The folder of an evening: its store and its journals."""

    folder: Path
    cache: Path

    @property
    def store(self) -> Path:
        return self.folder / "store.sqlite3"

    @property
    def journals(self) -> Path:
        return self.folder / "journals"

    @property
    def environment(self) -> dict[str, str]:
        return {"POINTSMAN_CACHE_DIR": str(self.cache), "XDG_DATA_HOME": str(self.folder / "data")}

    def said(self, command: str, *words: str) -> str:
        """What one of the commands for competitions says, which has to come to its end."""
        with_store = (tool("pointsman"), "compete", command, *words, "--store", str(self.store))
        environment = {**os.environ, **self.environment, "NO_COLOR": "1", "COLUMNS": "200"}
        ran = subprocess.run(with_store, capture_output=True, text=True, env=environment, timeout=WITHIN_S, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    @contextmanager
    def served(self, *words: str, port: int = 0) -> Iterator[Served]:
        with running(lambda: Served(self, *words, port=port)) as server:
            yield server

    @property
    def book(self) -> Book:
        """What is in the store, asked for beside the server."""
        with Store(str(self.store)) as store:
            return store.book(NAME)


def see(page: Page, view: str) -> Locator:
    """Go to a view of the competition's page by its link."""
    page.locator(f"#views [data-key={view}]").click()
    shown = page.locator(f"#view-{view}")
    expect(shown).to_be_visible()
    return shown


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.locator(f'.view:visible [data-key="{key}"]').click(timeout=SOON_MS)


def fill(page: Page, **fields: str) -> None:
    """Fill the form that is open, and send it; it goes when it was taken."""
    for name, text in fields.items():
        field = page.locator(f'.dialog [name="{name}"]')
        if field.evaluate("(its) => its.tagName") == "SELECT":
            field.select_option(text)
        else:
            field.fill(text)
    send(page)
    expect(page.locator(".dialog .refused:not(:empty)").or_(page.locator("body:not(:has(.dialog))"))).to_be_visible(
        timeout=SOON_MS
    )
    assert page.locator(".dialog").count() == 0, page.locator(".dialog .refused").text_content()


def send(page: Page) -> None:
    page.locator(".dialog [type=submit]").click()


def sign_in(page: Page) -> None:
    """Be the marshal."""
    page.locator("[data-key=sign]").click()
    fill(page, pin=PIN)
    expect(page.locator("#views [data-key=desk]")).to_be_visible()


def token_for(page: Page, name: str) -> str:
    """Give a helper a token at the desk: the address that is scanned."""
    see(page, "desk")
    press(page, "give")
    for field, text in {"name": name, "hours": "4"}.items():
        page.locator(f'.dialog [name="{field}"]').fill(text)
    send(page)
    address = page.locator(".dialog .address")
    expect(page.locator(".dialog .code svg")).to_be_visible()
    found = address.text_content()
    assert found is not None
    page.locator(".dialog .main").click()
    return found


def commitment_on_the_sheet(page: Page, round_id: str) -> str:
    """The digits on the sheet for the wall, which has what is told once it is over, too."""
    see(page, "desk")
    press(page, f"wall-{round_id}")
    shown = page.locator(".dialog .commitment").first.text_content() or ""
    page.locator(".dialog button").last.click()
    return re.sub(r"\s", "", shown)


def call(page: Page, round_id: str, entrant: str) -> None:
    """Call an entrant at a tablet."""
    see(page, "tablet")
    press(page, f"call-{round_id}-{entrant}")


def stands(page: Page) -> dict[str, list[str]]:
    """What the tablet's picture shows, track by track, by the vehicles' names."""
    rows: dict[str, list[str]] = page.locator("#view-tablet .board").evaluate(
        "(board) => Object.fromEntries([...board.querySelectorAll('[data-segment]')].map((row) =>"
        " [row.dataset.segment, [...row.querySelectorAll('.track > *')].map((one) => one.textContent.trim())]))"
    )
    return rows


def result(page: Page) -> Locator:
    """What the tablet says when an attempt is over."""
    return page.locator("#view-tablet .big-result")


def attempt(page: Page, name: str) -> Any:
    """An attempt as the server tells it to this page."""
    found = page.evaluate(f"fetch('/api/competitions/{NAME}').then((answer) => answer.json())")
    (one,) = [its for its in found["attempts"] if its["id"] == name]
    return one
