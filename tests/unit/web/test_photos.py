"""Pictures of vehicles over HTTP: those that the layout names, and nothing else."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from boxes import ground
from pictures import pictured, png

from pointsman.web.guarding import POLICY
from pointsman.web.running import Door, serving


@asynccontextmanager
async def served(home: Path, journals: Path) -> AsyncIterator[httpx.AsyncClient]:
    here = Door("127.0.0.1", 0, None)
    async with (
        serving(ground(home), journals, here, speed=None) as house,
        httpx.AsyncClient(base_url=house.address, trust_env=False) as browser,
    ):
        yield browser


async def test_a_picture_is_shown_as_what_it_is_and_kept(tmp_path: Path) -> None:
    async with served(pictured(tmp_path), tmp_path) as browser:
        vehicles = (await browser.get("/api/layout")).json()["vehicles"]
        addresses = {name: one["photo"] for name, one in vehicles.items() if one["photo"]}
        assert addresses == {"1": "/api/photos/1", "L": "/api/photos/L"}
        wagon, engine = [await browser.get(addresses[name]) for name in ("1", "L")]
        assert (wagon.status_code, wagon.content, wagon.headers["content-type"]) == (200, png(), "image/png")
        assert engine.headers["content-type"] == "image/jpeg"
        assert wagon.headers["cache-control"] == "private, max-age=600"
        assert wagon.headers["content-security-policy"] == POLICY
        assert wagon.headers["x-content-type-options"] == "nosniff"
        assert wagon.headers["etag"] != engine.headers["etag"]
        again = await browser.get(addresses["1"], headers={"if-none-match": wagon.headers["etag"]})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", wagon.headers["etag"])


@pytest.mark.parametrize(
    "path",
    [
        "2",
        "nobody",
        "layout.toml",
        "photos/w1.png",
        "photos%2Fw1.png",
        "..%2Flayout.toml",
        "%2e%2e/%2e%2e/layout.toml",
        "1%00",
        "%2Fetc%2Fpasswd",
    ],
)
async def test_nothing_else_of_the_folder_is_reached(tmp_path: Path, path: str) -> None:
    async with served(pictured(tmp_path), tmp_path) as browser:
        found = await browser.get(f"/api/photos/{path}")
        assert found.status_code == 404
        assert found.headers["content-type"] == "application/json"
        assert found.headers["cache-control"] == "no-store"
        assert found.json().keys() == {"why", "cure"}


async def test_a_picture_that_is_gone_or_is_none_any_more_is_told_and_may_come_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "pointsman.web.photos")
    home = pictured(tmp_path)
    picture = home / "photos" / "w1.png"
    async with served(home, tmp_path) as browser:
        first = await browser.get("/api/photos/1")
        picture.unlink()
        gone = [await browser.get("/api/photos/1", headers={"accept-language": "fr"}) for _ in range(3)]
        assert {one.status_code for one in gone} == {404}
        assert gone[0].json()["why"] == "il n'y a pas d'image de ce véhicule"
        picture.symlink_to("../layout.toml")
        assert (await browser.get("/api/photos/1")).status_code == 404
        picture.unlink()
        picture.symlink_to("/etc/hostname")
        assert (await browser.get("/api/photos/1")).status_code == 404
        picture.unlink()
        picture.write_bytes(png(9, 9))
        new = await browser.get("/api/photos/1", headers={"if-none-match": first.headers["etag"]})
        assert (new.status_code, new.content) == (200, png(9, 9))
    said = [record.getMessage().partition(" -> ")[0] for record in caplog.records]
    assert said == [
        "no picture of 1: photos/w1.png is not there",
        "no picture of 1: photos/w1.png is no picture",
        "no picture of 1: photos/w1.png leads out of the layout's folder",
    ]


async def test_the_cards_are_printed_with_the_pictures_that_there_are_now(tmp_path: Path) -> None:
    home = pictured(tmp_path)
    async with served(home, tmp_path) as browser:
        with_both = (await browser.get("/api/print/cards.pdf")).content
        assert (await browser.get("/api/print/cards.pdf")).content == with_both
        (home / "photos" / "w1.png").unlink()
        assert (await browser.get("/api/print/cards.pdf")).content != with_both
