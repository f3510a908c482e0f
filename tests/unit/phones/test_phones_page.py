"""docs/phones.md says the numbers that hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pointsman.phones import guests, phone, server

PAGE = " ".join((Path(__file__).resolve().parents[3] / "docs" / "phones.md").read_text(encoding="utf-8").split())
SMALL = {4: "four", 20: "Twenty"}


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        (r"The port is (\d+), as apps expect", server.DEFAULT_PORT),
        (r"address and (\d+)\.", server.DEFAULT_PORT),
        (r"out of reach \| it stops in some (\d+) s", server.DEAD_S),
        (r"it stops ([\d.]+) to 5 s after the last sign of life", phone.SILENT_S),
        (r"it stops 4.5 to (\d+) s after the last sign of life", phone.SILENT_S + phone.RENEW_S),
        (r"after (\d+) s the locomotive is free again", phone.GIVEN_UP_S),
        (r"a sign of life every (\d+) s", phone.INTERVAL_S),
        (r"may come again within (\d+) s", guests.KEPT_S),
        (r"After (\d+) s, after a goodbye", guests.KEPT_S),
        (r"that a phone says for (\d+) s", phone.UNNAMED_S),
        (r"was silent longest, if that is (\d+) s", phone.QUIET_S),
    ],
)
def test_every_number(sentence: str, holds: float) -> None:
    (said,) = re.findall(sentence, PAGE)
    assert float(said) == holds


def test_how_many() -> None:
    assert f"{SMALL[server.MOST_PHONES]} phones may be connected, {SMALL[server.MOST_EACH]} from one address" in PAGE
