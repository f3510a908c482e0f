"""Debian's Chromium, started once for the tests of a file, and pages in it that complain of nothing."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from panel_visitor import Visitor
from playwright.sync_api import Browser, Page, sync_playwright
from shared_cache import shared_cache

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ALL = os.environ.get("POINTSMAN_ALL") == "1"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        assert not ALL, "chromium is not installed"
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            yield started
        finally:
            started.close()


@pytest.fixture
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Visitor]:
    one = Visitor(browser)
    try:
        yield one
    finally:
        one.close()
    assert one.complaints == []


@pytest.fixture
def keep_picture(request: pytest.FixtureRequest) -> Any:
    """Keeps a picture of a page where POINTSMAN_PICTURES says; else only sees that one can be made."""

    def keep(page: Page, name: str) -> None:
        folder = os.environ.get("POINTSMAN_PICTURES")
        picture = page.screenshot(animations="disabled")
        assert picture[:4] == b"\x89PNG"
        if folder:
            Path(folder).mkdir(parents=True, exist_ok=True)
            (Path(folder) / f"{name}.png").write_bytes(picture)

    return keep
