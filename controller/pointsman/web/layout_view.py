"""A layout as the page draws it."""

from __future__ import annotations

from pointsman.app import cap_of
from pointsman.box.picture import place
from pointsman.box.task import Ground
from pointsman.puzzle.puzzle_file import load_puzzle
from pointsman.track.builtin import layout_puzzles
from pointsman.track.colour import hex_colour
from pointsman.track.model import Leg, Locomotive, Side, Vehicle
from pointsman.web.photos import address_of
from pointsman.web.schemas import (
    LayoutView,
    MagnetView,
    PlaceView,
    PuzzleView,
    SegmentView,
    SpeedsView,
    TurnoutView,
    VehicleView,
)


def layout_view(ground: Ground) -> LayoutView:
    """Everything of a layout that does not change while it is played on. Raises LayoutError for a bad puzzle."""
    track, wiring = ground.track, ground.wiring
    speeds = track.speeds
    puzzles = [load_puzzle(ground.folder / "puzzles" / f"{name}.toml", track) for name in layout_puzzles(ground.folder)]
    return LayoutView(
        name=track.name,
        title=track.title,
        scale=track.scale,
        unit_mm=track.unit_mm,
        segments={
            name: SegmentView(
                capacity=segment.capacity,
                length_mm=segment.length_mm,
                draw=list(track.drawing.segments[name]),
                joined_from=None if segment.meets_from is None else str(segment.meets_from),
                joined_to=None if segment.meets_to is None else str(segment.meets_to),
            )
            for name, segment in track.segments.items()
        },
        turnouts={
            name: TurnoutView(
                length_mm=turnout.length_mm,
                through_mm={str(leg): turnout.through_mm(leg) for leg in Leg},
                holds=turnout.holds,
                kind=str(wiring.turnouts[name].kind),
                draw={str(side): track.drawing.turnouts[name][side] for side in Side},
                joints={str(side): str(turnout.meets(side)) for side in Side},
            )
            for name, turnout in track.turnouts.items()
        },
        beams={name: PlaceView(**place(beam.place)) for name, beam in track.beams.items()},
        magnets={
            name: MagnetView(**place(magnet.place), kind=str(wiring.uncouplers[name].kind))
            for name, magnet in track.uncouplers.items()
            if name in wiring.uncouplers
        },
        vehicles={name: _vehicle(track.vehicle(name)) for name in (*track.locomotives, *track.wagons)},
        speeds=SpeedsView(
            creep=speeds.creep,
            coupling=speeds.coupling,
            rough=speeds.rough,
            shunting=speeds.shunting,
            limit=speeds.limit,
            cap=min(speeds.limit, cap_of(ground.target, wiring) or speeds.limit),
        ),
        puzzles=[PuzzleView(name=one.name, title=one.title, count=str(one.count)) for one in puzzles],
    )


def _vehicle(vehicle: Vehicle) -> VehicleView:
    return VehicleView(
        kind=vehicle.kind,
        colour=hex_colour(vehicle.colour),
        length_mm=vehicle.length_mm,
        locomotive=isinstance(vehicle, Locomotive),
        photo=address_of(vehicle),
        words=vehicle.name,
    )
