"""Test support: where something is along a way over several tracks of the simulated layout."""

from __future__ import annotations

from collections.abc import Mapping

from railsim.truth import Truth


def along_mm(truth: Truth, begins_mm: Mapping[str, float], vehicle: str = "L") -> float:
    """Where the middle of a vehicle is on a way; ``begins_mm`` says where each part of that begins."""
    for where, vehicles in truth.on.items():
        for one in vehicles:
            if one.name == vehicle:
                return begins_mm[where] + (one.from_mm + one.to_mm) / 2
    raise AssertionError(f"{vehicle} is nowhere")
