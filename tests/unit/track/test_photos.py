"""Pictures of vehicles: what is one, and what is told of the others."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from pictures import pictured, png, saved

from pointsman.errors import LayoutError
from pointsman.puzzle.choice import choose
from pointsman.track.layout import load_layout
from pointsman.track.photos import MOST_BYTES, MOST_PX, NoPhoto, Photo, read_photo

Put = Callable[[Path], None]


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.png", png(), "image/png"),
        ("a.PNG", png(MOST_PX, 1), "image/png"),
        ("a.jpg", saved("JPEG"), "image/jpeg"),
        ("a.jpeg", saved("JPEG", progressive=True, exif=b"Exif\0\0" + bytes(300)), "image/jpeg"),
        ("a.webp", saved("WEBP"), "image/webp"),
        ("a.webp", saved("WEBP", lossless=True), "image/webp"),
        ("a.webp", saved("WEBP", mode="RGBA", exif=b"Exif\0\0MM"), "image/webp"),
    ],
)
def test_what_every_program_saves_is_a_picture(tmp_path: Path, name: str, data: bytes, kind: str) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / name).write_bytes(data)
    assert read_photo(tmp_path, f"photos/{name}") == Photo(kind, data)


def put(name: str, data: bytes) -> Put:
    return lambda folder: (folder / name).write_bytes(data) and None


def link(name: str, to: str) -> Put:
    return lambda folder: (folder / name).symlink_to(to)


NOTHING: Put = lambda folder: None  # noqa: E731
OUT = "is no path inside of the layout's folder"


@pytest.mark.parametrize(
    ("name", "there", "what", "cure"),
    [
        ("/etc/passwd", NOTHING, OUT, "photos/w1.jpg"),
        ("../outside.png", NOTHING, OUT, "photos/w1.jpg"),
        ("photos/../../outside.png", NOTHING, OUT, "photos/w1.jpg"),
        ("photos\\w1.png", NOTHING, OUT, "photos/w1.jpg"),
        ("a\0.png", NOTHING, OUT, "photos/w1.jpg"),
        ("layout.toml", put("layout.toml", b"title"), "is not named as a picture", ".png, .jpg, .jpeg, .webp"),
        ("a.png", NOTHING, "is not there", "check the path"),
        ("a.png", lambda folder: (folder / "a.png").mkdir(), "is no file", "name a picture's file"),
        ("a.png", lambda folder: os.mkfifo(folder / "a.png"), "is no file", "name a picture's file"),
        ("a.png", put("a.png", b'title = "x"\n'), "is no picture", "save it as"),
        ("a.png", put("a.png", b""), "is no picture", "save it as"),
        ("a.png", put("a.png", saved("JPEG")), "is a JPEG picture, and is not named as one", ".jpg or .jpeg"),
        ("a.jpg", put("a.jpg", png()), "is a PNG picture, and is not named as one", ".png"),
        ("a.png", put("a.png", png()[:20]), "does not say how large it is", "save it again"),
        ("a.png", put("a.png", png(0, 8)), "does not say how large it is", "save it again"),
        ("a.jpg", put("a.jpg", saved("JPEG")[:40]), "does not say how large it is", "save it again"),
        ("a.webp", put("a.webp", saved("WEBP")[:25]), "does not say how large it is", "save it again"),
        ("a.png", put("a.png", png(MOST_PX + 1, 1)), f"is {MOST_PX + 1} x 1 pixels", "800 pixels"),
        ("a.png", put("a.png", png() + bytes(MOST_BYTES)), "is larger than 1000 kB", "800 pixels"),
        ("a.png", link("a.png", "../outside.png"), "leads out of the layout's folder", "no link"),
        ("a.png", link("a.png", "a.png"), "cannot be read", "photos/w1.jpg"),
        ("photos/outside.png", link("photos", ".."), "leads out of the layout's folder", "no link"),
    ],
)
def test_what_is_none_is_named_with_a_cure(tmp_path: Path, name: str, there: Put, what: str, cure: str) -> None:
    (tmp_path / "outside.png").write_bytes(png())
    home = tmp_path / "home"
    home.mkdir()
    there(home)
    found = read_photo(home, name)
    assert isinstance(found, NoPhoto)
    assert what in found.what
    assert cure in found.cure


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "one.png").write_bytes(png())
    (tmp_path / "other.png").symlink_to("one.png")
    assert read_photo(tmp_path, "other.png") == Photo("image/png", png())


def test_a_layout_names_its_pictures_and_tells_all_that_are_wrong(tmp_path: Path) -> None:
    home = pictured(tmp_path)
    track = load_layout(home)
    assert (track.wagons["1"].photo, track.locomotives["L"].photo) == ("photos/w1.png", "photos/engine.jpg")
    assert track.wagons["2"].photo is None
    (home / "photos" / "w1.png").unlink()
    (home / "photos" / "engine.jpg").write_bytes(b"no picture at all")
    with pytest.raises(LayoutError) as caught:
        load_layout(home)
    assert [(one.key, one.what) for one in caught.value.mistakes] == [
        ("wagons.1.photo", '"photos/w1.png" is not there'),
        ("locomotives.L.photo", '"photos/engine.jpg" is no picture'),
    ]
    # No train needs them: a draw is dealt, and played, without.
    assert choose(f"{home}/classic", seed="1").track == track
