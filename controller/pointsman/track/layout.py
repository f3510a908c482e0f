"""layout.toml -> ``Track``, or a ``LayoutError`` that names every mistake at once: file, key, what, cure."""

from __future__ import annotations

import re
from pathlib import Path

from pointsman.track import checks
from pointsman.track.joints import Joints, read_joints
from pointsman.track.model import (
    Beam,
    Drawing,
    End,
    Joint,
    Leg,
    Locomotive,
    Place,
    Point,
    Segment,
    SegmentEnd,
    Side,
    Speeds,
    SpeedTable,
    Track,
    Turnout,
    TurnoutSide,
    Uncoupler,
    Vehicle,
)
from pointsman.track.schema import STAND_INS, BeamShape, KindShape, LayoutShape, LocomotiveShape, WagonShape
from pointsman.track.tomlfile import Draft, Notes, did_you_mean, is_file, is_folder, read_draft

LAYOUT_FILE = "layout.toml"

_NAME = re.compile(r"[A-Za-z0-9_-]{1,24}")


def load_layout(path: Path | str) -> Track:
    """The layout in a folder (its layout.toml) or in a file.

    Raises ``LayoutError`` with all mistakes, for whatever the path leads to.
    """
    path = Path(path)
    notes = Notes(str(path))
    if is_folder(path):
        path = path / LAYOUT_FILE
        if not is_file(path):
            notes.add("", f"this folder has no {LAYOUT_FILE}", "name the folder of a layout; see layouts/README.md")
            notes.raise_if_any()
        notes = Notes(str(path))
    draft = read_draft(path, LayoutShape, notes, stand_ins=STAND_INS)
    if draft.shape is None:
        notes.raise_if_any()
        raise AssertionError("a draft without a shape has mistakes")
    name = path.resolve().parent.name if path.name == LAYOUT_FILE else path.stem
    track, joints = _build(name, draft, draft.shape, notes)
    _check(track, draft, draft.shape, joints, notes)
    notes.raise_if_any()
    return track


# ---------------------------------------------------------------- building


def _build(name: str, draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> tuple[Track, Joints]:
    joints = read_joints(draft, shape, notes)
    track = Track(
        name=name,
        title=shape.title,
        scale=shape.scale,
        unit_mm=shape.unit_mm,
        segments={
            key: Segment(
                key,
                one.capacity,
                one.length_mm,
                joints.of_end.get(SegmentEnd(key, End.FROM)),
                joints.of_end.get(SegmentEnd(key, End.TO)),
            )
            for key, one in shape.segments.items()
        },
        turnouts={
            key: Turnout(key, one.holds, one.length_mm, one.fouling_mm, *(_met(joints, key, side) for side in Side))
            for key, one in shape.turnouts.items()
        },
        beams={key: Beam(key, _place(one)) for key, one in shape.beams.items()},
        uncouplers={key: Uncoupler(key, _place(one), one.reach_mm) for key, one in shape.magnets.items()},
        wagons={key: _wagon(key, one, shape.vehicles[one.kind]) for key, one in _wagons(draft, shape, notes).items()},
        locomotives={key: _locomotive(key, one) for key, one in shape.locomotives.items()},
        speeds=Speeds(**shape.speeds.model_dump()),
        drawing=Drawing(
            segments={key: tuple(_point(p) for p in one.draw) for key, one in shape.segments.items()},
            turnouts={
                key: {
                    Side.TOE: _point(one.draw.toe),
                    Side.CLOSED: _point(one.draw.closed),
                    Side.THROWN: _point(one.draw.thrown),
                }
                for key, one in shape.turnouts.items()
            },
        ),
    )
    return track, joints


def _met(joints: Joints, turnout: str, side: Side) -> Joint:
    return joints.of_side.get(TurnoutSide(turnout, side), TurnoutSide(checks.UNREAD, side))


def _place(shape: BeamShape) -> Place:
    return Place(shape.on, None if shape.leg is None else Leg(shape.leg), shape.at_mm)


def _point(pair: list[float]) -> Point:
    return pair[0], pair[1]


def _wagons(draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> dict[str, WagonShape]:
    """The wagons whose kind is known."""
    known = {}
    for name, wagon in shape.wagons.items():
        if wagon.kind in shape.vehicles:
            known[name] = wagon
        elif not draft.is_damaged("vehicles", wagon.kind):
            notes.add(
                f"wagons.{name}.kind",
                f"there is no kind [vehicles.{wagon.kind}]",
                did_you_mean(wagon.kind, shape.vehicles),
            )
    return known


def _wagon(name: str, wagon: WagonShape, kind: KindShape) -> Vehicle:
    return Vehicle(
        name=name,
        kind=wagon.kind,
        length_mm=kind.length_mm if wagon.length_mm is None else wagon.length_mm,
        buffers_mm=kind.buffers_mm if wagon.buffers_mm is None else wagon.buffers_mm,
        body_mm=kind.body_mm if wagon.body_mm is None else wagon.body_mm,
        colour=wagon.colour,
    )


def _locomotive(name: str, loco: LocomotiveShape) -> Locomotive:
    return Locomotive(
        name=name,
        kind=loco.kind,
        length_mm=loco.length_mm,
        buffers_mm=loco.buffers_mm,
        body_mm=loco.body_mm,
        colour=loco.colour,
        speeds=SpeedTable(tuple((int(step), speed) for step, speed in loco.speed_table)),
        speed_error=loco.speed_error,
        acceleration_mm_s2=loco.acceleration_mm_s2,
        braking_mm_s2=loco.braking_mm_s2,
        mark=Place(loco.mark.on, None, loco.mark.at_mm),
    )


# ---------------------------------------------------------------- checking


def _check(track: Track, draft: Draft[LayoutShape], shape: LayoutShape, joints: Joints, notes: Notes) -> None:
    _check_names(shape, notes)
    if not shape.segments and not draft.has_damaged("segments"):
        notes.add("segments", "there is no track", "add at least one [segments.NAME]")
    if not shape.locomotives and not draft.has_damaged("locomotives"):
        notes.add("locomotives", "there is no locomotive", "add at least one [locomotives.NAME]")
    _check_sensing(track, draft, joints, notes)
    unit_read = not draft.is_damaged("unit_mm")
    if unit_read and not draft.has_damaged("locomotives"):
        for name in track.segments:
            if name not in joints.wrong:
                checks.check_capacity(track, name, notes)
    _check_vehicles(track, draft, shape, notes, unit_read=unit_read)
    checks.check_speeds(track.speeds, notes)
    checks.check_drawing(track, notes)
    if not joints.wrong and not draft.has_damaged("segments", "turnouts"):
        checks.check_reach(track, notes)


def _check_names(shape: LayoutShape, notes: Notes) -> None:
    """Names can be written in the one-line notation; segments, turnouts and vehicles share one name space."""
    owner: dict[str, str] = {}
    for section in ("segments", "turnouts", "wagons", "locomotives", "beams", "magnets", "vehicles"):
        shared = section in {"segments", "turnouts", "wagons", "locomotives"}
        for name in getattr(shape, section):
            if not _NAME.fullmatch(name):
                notes.add(
                    f"{section}.{name if name.isprintable() else ascii(name)}",
                    "this name cannot be written in a position",
                    "use 1 to 24 letters, digits, - and _",
                )
            if shared and name in owner:
                notes.add(
                    f"{section}.{name}",
                    f"[{owner[name]}] has a {name} too",
                    "segments, turnouts, wagons and locomotives share one set of names: rename one",
                )
            elif shared:
                owner[name] = section


def _check_sensing(track: Track, draft: Draft[LayoutShape], joints: Joints, notes: Notes) -> None:
    ends_known = not draft.has_damaged("beams")
    for beam in track.beams.values():
        if not draft.is_damaged("segments", beam.place.element) and not draft.is_damaged(
            "turnouts", beam.place.element
        ):
            checks.check_place(track, beam.place, f"beams.{beam.name}", notes)
    for magnet in track.uncouplers.values():
        place = magnet.place
        if draft.is_damaged("segments", place.element) or draft.is_damaged("turnouts", place.element):
            continue
        if checks.check_place(track, place, f"magnets.{magnet.name}", notes) and ends_known:
            checks.check_magnet(track, magnet, notes)
    if ends_known:
        for name in track.segments:
            if name not in joints.wrong:
                checks.check_end_beams(track, name, notes)


def _check_vehicles(
    track: Track, draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes, *, unit_read: bool
) -> None:
    for name, kind in shape.vehicles.items():
        key = f"vehicles.{name}"
        if checks.check_lengths(None, key, (kind.length_mm, kind.buffers_mm, kind.body_mm), notes):
            checks.check_gap(key, kind.buffers_mm, kind.body_mm, track.speeds, notes)
    for wagon in track.wagons.values():
        key = f"wagons.{wagon.name}"
        own = shape.wagons[wagon.name]
        checks.check_colour(wagon, key, notes)
        # Lengths that come from the kind were checked there.
        if (own.length_mm, own.buffers_mm, own.body_mm) != (None, None, None):
            lengths = (wagon.length_mm, wagon.buffers_mm, wagon.body_mm)
            if checks.check_lengths(wagon, key, lengths, notes):
                checks.check_gap(key, wagon.buffers_mm, wagon.body_mm, track.speeds, notes)
        if unit_read and wagon.length_mm > track.unit_mm:
            notes.add(
                f"{key}.length_mm",
                f"{wagon.length_mm:g} mm is longer than unit_mm = {track.unit_mm:g}, by which capacities are counted",
                "set unit_mm to the longest wagon's length, or leave this wagon out",
            )
    for loco in track.locomotives.values():
        key = f"locomotives.{loco.name}"
        checks.check_colour(loco, key, notes)
        if checks.check_lengths(loco, key, (loco.length_mm, loco.buffers_mm, loco.body_mm), notes):
            checks.check_gap(key, loco.buffers_mm, loco.body_mm, track.speeds, notes)
        checks.check_speed_table(shape.locomotives[loco.name].speed_table, f"{key}.speed_table", notes)
        if not draft.is_damaged("segments", loco.mark.element):
            checks.check_locomotive(track, loco, notes)
    checks.check_marks_apart(track, notes)
