"""What is really where: plain data for tests, for ``--truth`` files and for a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

from pointsman.track.model import End, Leg, Locomotive, Track
from pointsman.track.path import stretch_mm
from railsim.train import Lie, Placed, Rake


@dataclass(frozen=True, slots=True)
class VehicleTruth:
    """A vehicle on the element where its middle is: from and to in mm of that element (over buffers), which may reach
    past its ends. ``facing``: the end to which a locomotive's "forward" points; None for wagons and on turnouts.
    """

    name: str
    from_mm: float
    to_mm: float
    facing: End | None = None


@dataclass(frozen=True, slots=True)
class Truth:
    """Keys of ``on`` are segments, and turnouts with the leg (``T1>thrown``); vehicles from -> to, or toe -> leg.

    ``line`` is the puzzles' one-line notation. A vehicle is where its middle is, hence wholly or mostly.
    """

    t_s: float
    line: str
    on: Mapping[str, tuple[VehicleTruth, ...]]
    coupled: tuple[tuple[str, str], ...]
    derailed: tuple[str, ...]
    lie: Mapping[str, str]
    moving: tuple[str, ...]

    def coupled_up(self, row: Sequence[str]) -> bool:
        """Whether each of some vehicles is coupled to the next one named."""
        return all((min(pair), max(pair)) in self.coupled for pair in pairwise(row))

    def as_json(self) -> dict[str, Any]:
        """For json.dump; lengths to the hundredth of a mm."""
        plain = asdict(self)
        plain["t_s"] = round(self.t_s, 6)
        for vehicles in plain["on"].values():
            for vehicle in vehicles:
                vehicle["from_mm"], vehicle["to_mm"] = round(vehicle["from_mm"], 2), round(vehicle["to_mm"], 2)
        return plain


def truth_of(
    track: Track, t_s: float, rakes: Sequence[tuple[Rake, Sequence[float]]], lie: Lie, moving: Sequence[str]
) -> Truth:
    """The truth, from rakes with the middles of their vehicles."""
    on: dict[str, list[VehicleTruth]] = {name: [] for name in track.segments}
    coupled = []
    for rake, middles in rakes:
        for placed, middle in zip(rake.vehicles, middles, strict=True):
            where, vehicle = _where(rake, placed, middle)
            on.setdefault(where, []).append(vehicle)
        names = rake.names
        coupled += [(names[i], names[i + 1]) for i, is_coupled in enumerate(rake.coupled) if is_coupled]
    for vehicles in on.values():
        vehicles.sort(key=lambda vehicle: vehicle.from_mm)
    turnouts = [f"{turnout}>{leg}" for turnout in track.turnouts for leg in Leg]
    ordered = {where: tuple(on[where]) for where in [*track.segments, *turnouts] if where in on}
    return Truth(
        t_s=t_s,
        line=" | ".join(" ".join((f"{where}:", *(v.name for v in found))) for where, found in ordered.items()),
        on=ordered,
        coupled=tuple(sorted((min(pair), max(pair)) for pair in coupled)),
        derailed=tuple(sorted(name for rake, _ in rakes if rake.derailed for name in rake.names)),
        lie={name: "moving" if leg is None else str(leg) for name, leg in lie.items()},
        moving=tuple(moving),
    )


def _where(rake: Rake, placed: Placed, middle: float) -> tuple[str, VehicleTruth]:
    track = rake.path.track
    half = placed.vehicle.buffers_mm / 2
    # A middle exactly at a joint belongs to the segment: nothing may be left on a turnout.
    index, distance = 0, float("inf")
    for i, (stretch, start) in enumerate(zip(rake.path.stretches, rake.path.starts_mm, strict=True)):
        away = max(start - middle, middle - start - stretch_mm(track, stretch), 0.0)
        if (away, stretch.leg is not None) < (distance, rake.path.stretches[index].leg is not None):
            index, distance = i, away
    stretch, start = rake.path.stretches[index], rake.path.starts_mm[index]
    along = middle - start if stretch.forward else start + stretch_mm(track, stretch) - middle
    facing = None
    if isinstance(placed.vehicle, Locomotive) and stretch.leg is None:
        facing = End.TO if placed.points_up is stretch.forward else End.FROM
    where = stretch.element if stretch.leg is None else f"{stretch.element}>{stretch.leg}"
    return where, VehicleTruth(placed.vehicle.name, along - half, along + half, facing)
