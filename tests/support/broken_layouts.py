"""Test support: the built-in Inglenook with mistakes in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pointsman.errors import LayoutError, Mistake
from pointsman.track.builtin import find_layout
from pointsman.track.layout import load_layout

INGLENOOK = (find_layout("inglenook") / "layout.toml").read_text(encoding="utf-8")


def mistakes_of(path: Path) -> tuple[Mistake, ...]:
    with pytest.raises(LayoutError) as caught:
        load_layout(path)
    for mistake in caught.value.mistakes:
        assert mistake.what
        assert mistake.cure
    return caught.value.mistakes


def broken(tmp_path: Path, *swaps: tuple[str, str], extra: str = "") -> tuple[Mistake, ...]:
    """The mistakes of the Inglenook with some of its text swapped (first occurrence each) and some added."""
    text = INGLENOOK
    for old, new in swaps:
        assert old in text, f"the built-in layout no longer has {old!r}"
        text = text.replace(old, new, 1)
    path = tmp_path / "layout.toml"
    path.write_text(text + extra, encoding="utf-8")
    return mistakes_of(path)
