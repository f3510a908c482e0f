"""Couplings: they close when vehicles touch, and a magnet parts one that stands over it with slack."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pointsman.track.model import Track
from railsim.train import Rake, coordinates, taut_mm

SLACK_TO_PART_MM = 0.5
"""A coupling must be closed by at least this from taut to drop out."""
RECOUPLES_MM = 1.0
"""Vehicles that a magnet has parted couple again only after moving towards each other by more than this."""

Pair = tuple[str, str]


class PartedPairs:
    """Which neighbours a magnet has parted, and how far they have been apart since."""

    def __init__(self) -> None:
        self._apart_mm: dict[frozenset[str], float] = {}

    def parted(self, pair: Pair) -> None:
        """A magnet has parted them."""
        self._apart_mm[frozenset(pair)] = 0.0

    def seen_apart(self, pair: Pair, gap_mm: float) -> None:
        """They stand apart by a gap now."""
        key = frozenset(pair)
        if key in self._apart_mm:
            self._apart_mm[key] = max(self._apart_mm[key], gap_mm)

    def couple(self, pair: Pair) -> bool:
        """They touch: whether they couple. If so they are forgotten."""
        key = frozenset(pair)
        if self._apart_mm.get(key, RECOUPLES_MM * 2) <= RECOUPLES_MM:
            return False
        self._apart_mm.pop(key, None)
        return True


def partings(track: Track, rake: Rake, active: Collection[str]) -> Iterator[tuple[int, str]]:
    """The links (index of the lower vehicle) that the active magnets part, with the magnet; the rake must stand."""
    for magnet in sorted(active):
        uncoupler = track.uncouplers[magnet]
        for at in coordinates(rake.path, uncoupler.place):
            for i, coupled in enumerate(rake.coupled):
                low, high = rake.vehicles[i], rake.vehicles[i + 1]
                slack = taut_mm(low.vehicle, high.vehicle) - (high.at_mm - low.at_mm)
                centre = (low.high_mm + high.low_mm) / 2
                if coupled and slack >= SLACK_TO_PART_MM and abs(centre - at) <= uncoupler.reach_mm:
                    yield i, magnet
