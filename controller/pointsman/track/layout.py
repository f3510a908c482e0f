"""layout.toml -> ``Track``, or a ``LayoutError`` that names every mistake at once: file, key, what, cure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from pointsman.errors import did_you_mean
from pointsman.track import checks
from pointsman.track.joints import UNREAD, Joints, read_joints
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
from pointsman.track.photos import check_photos
from pointsman.track.schema import (
    IN_TABLES,
    STAND_INS,
    BeamShape,
    KindShape,
    LayoutShape,
    LocomotiveShape,
    SpeedsShape,
    WagonShape,
    table_of,
)
from pointsman.track.tomlfile import Draft, Notes, is_file, is_folder, read_draft

LAYOUT_FILE = "layout.toml"

_NAME = re.compile(r"[A-Za-z0-9_-]{1,24}")


def load_layout(path: Path | str, *, photos: bool = True) -> Track:
    """The layout in a folder (its layout.toml) or in a file.

    Raises ``LayoutError`` with all mistakes, for whatever the path leads to; without ``photos`` nobody looks whether
    the pictures of vehicles are there: no train needs them.
    """
    path = Path(path)
    notes = Notes(str(path))
    if is_folder(path):
        path = path / LAYOUT_FILE
        if not is_file(path):
            notes.add("", f"this folder has no {LAYOUT_FILE}", "name the folder of a layout; see layouts/README.md")
            notes.raise_if_any()
        notes = Notes(str(path))
    found = read_layout(path, notes, photos=photos)
    notes.raise_if_any()
    assert found is not None, "a layout that could not be read has mistakes"
    return found.track


@dataclass(frozen=True, slots=True)
class LayoutDraft:
    """A layout as far as it could be read: what is ``damaged`` has stand-ins in ``track``, or is not in it."""

    track: Track
    draft: Draft[LayoutShape]

    def names(self, section: str) -> list[str] | None:
        """The names under a section, those of tables that could not be read too; None when it is no section."""
        if self.draft.shape is None or self.draft.is_damaged(section):
            return None
        left_out = [key[1] for key in sorted(self.draft.damaged) if key[0] == section and len(key) == 2]
        return [*getattr(self.draft.shape, section), *left_out]

    def for_notation(self) -> Track | None:
        """A track in which every name can be looked up, fit only to read positions and goals; None without names.

        What could not be read has room for anything.
        """
        names = {section: self.names(section) for section in ("segments", "turnouts", "wagons", "locomotives")}
        if any(found is None for found in names.values()):
            return None
        track, damaged = self.track, self.draft.is_damaged
        segments = {
            name: _ANYTHING if damaged("segments", name, "capacity") else track.segments[name]
            for name in names["segments"] or ()
        }
        some_points = TurnoutSide(UNREAD, Side.TOE)
        turnouts = {
            name: track.turnouts.get(name) or Turnout(name, 1, 1.0, 1.0, some_points, some_points, some_points)
            for name in names["turnouts"] or ()
        }
        wagons = {name: track.wagons.get(name) or _vehicle(name) for name in names["wagons"] or ()}
        engines = {name: track.locomotives.get(name) or _engine(name) for name in names["locomotives"] or ()}
        return replace(track, segments=segments, turnouts=turnouts, wagons=wagons, locomotives=engines)


_ANYTHING = Segment("?", 99, 1.0, None, None)


def _vehicle(name: str) -> Vehicle:
    return Vehicle(name, "?", 1.0, 1.0, 1.0, "grey")


def _engine(name: str) -> Locomotive:
    return Locomotive(name, "?", 1.0, 1.0, 1.0, "grey", SpeedTable(((1, 1.0),)), 0.0, 1.0, 1.0, Place("?", None, 0.0))


def read_layout(path: Path, notes: Notes, *, photos: bool = True) -> LayoutDraft | None:
    """A layout.toml as far as it can be read, noting every mistake; None when nothing of it can be."""
    draft = read_draft(path, LayoutShape, notes, stand_ins=STAND_INS, in_tables=IN_TABLES)
    if draft.shape is None:
        return None
    name = path.resolve().parent.name if path.name == LAYOUT_FILE else path.stem
    track, joints = _build(name, draft, draft.shape, notes)
    _check(track, draft, draft.shape, joints, notes)
    if photos:
        everyone = [("wagons", one) for one in track.wagons.values()]
        check_photos([*everyone, *(("locomotives", one) for one in track.locomotives.values())], path.parent, notes)
    return LayoutDraft(track, draft)


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
            segments={
                key: tuple(_point(p) for p in one.draw)
                for key, one in shape.segments.items()
                if not draft.is_damaged("segments", key, "draw")
            },
            turnouts={
                key: {
                    Side.TOE: _point(one.draw.toe),
                    Side.CLOSED: _point(one.draw.closed),
                    Side.THROWN: _point(one.draw.thrown),
                }
                for key, one in shape.turnouts.items()
                if not draft.is_damaged("turnouts", key, "draw")
            },
        ),
    )
    return track, joints


def _met(joints: Joints, turnout: str, side: Side) -> Joint:
    return joints.of_side.get(TurnoutSide(turnout, side), TurnoutSide(UNREAD, side))


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
        elif not draft.is_damaged("vehicles", wagon.kind) and not draft.is_damaged("wagons", name, "kind"):
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
        photo=wagon.photo,
    )


def _locomotive(name: str, loco: LocomotiveShape) -> Locomotive:
    return Locomotive(
        name=name,
        kind=loco.kind,
        length_mm=loco.length_mm,
        buffers_mm=loco.buffers_mm,
        body_mm=loco.body_mm,
        colour=loco.colour,
        photo=loco.photo,
        speeds=table_of(loco.speed_table),
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
    for turnout in track.turnouts.values():
        if not _wrong(draft, "turnouts", turnout.name, "length_mm", "fouling_mm"):
            checks.check_fouling(turnout, notes)
    _check_sensing(track, draft, notes)
    for name in track.segments:
        if not draft.is_damaged("unit_mm") and _capacity_known(track, draft, name):
            checks.check_capacity(track, name, notes)
    _check_kinds(track, draft, shape, notes)
    _check_wagons(track, draft, shape, notes)
    _check_locomotives(track, draft, shape, notes)
    checks.check_speeds(track.speeds, [s for s in SpeedsShape.model_fields if not draft.is_damaged("speeds", s)], notes)
    checks.check_drawing(track, notes)
    if not joints.wrong and not draft.has_left_out("segments", "turnouts", "locomotives"):
        checks.check_reach(track, notes)


def _wrong(draft: Draft[LayoutShape], section: str, name: str, *keys: str) -> bool:
    """Whether one of these keys of a table could not be read."""
    return any(draft.is_damaged(section, name, key) for key in keys)


def _length_known(draft: Draft[LayoutShape], element: str) -> bool:
    return not (
        _wrong(draft, "segments", element, "length_mm") or _wrong(draft, "turnouts", element, "length_mm", "fouling_mm")
    )


def _capacity_known(track: Track, draft: Draft[LayoutShape], segment: str) -> bool:
    """Whether everything is known that the room in a segment and the need for it depend on."""
    standing = [loco.name for loco in track.locomotives.values() if loco.mark.element == segment]
    magnets = [magnet.name for magnet in track.uncouplers.values() if magnet.place.element == segment]
    return not (
        _wrong(draft, "segments", segment, "capacity", "length_mm")
        or any(_wrong(draft, "locomotives", name, "length_mm") for name in standing)
        or any(_wrong(draft, "magnets", name, "at_mm") for name in magnets)
    )


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
                    "use 1 to 24 letters (a to z, A to Z, without accents), digits, - and _",
                )
            if shared and name in owner:
                notes.add(
                    f"{section}.{name}",
                    f"[{owner[name]}] has a {name} too",
                    "segments, turnouts, wagons and locomotives share one set of names: rename one",
                )
            elif shared:
                owner[name] = section


def _check_sensing(track: Track, draft: Draft[LayoutShape], notes: Notes) -> None:
    placed = {
        beam.name
        for beam in track.beams.values()
        if not _wrong(draft, "beams", beam.name, "on", "leg", "at_mm")
        and (
            draft.is_damaged("segments", beam.place.element)
            or draft.is_damaged("turnouts", beam.place.element)
            or checks.check_place(track, beam.place, f"beams.{beam.name}", notes)
        )
    }
    left_out = sum(1 for key in draft.damaged if key[0] == "beams" and len(key) < 3)
    unplaced = len(track.beams) - len(placed) + left_out
    for magnet in track.uncouplers.values():
        element = magnet.place.element
        if _wrong(draft, "magnets", magnet.name, "on", "leg", "at_mm"):
            continue
        if draft.is_damaged("segments", element) or draft.is_damaged("turnouts", element):
            continue
        on_track = checks.check_place(track, magnet.place, f"magnets.{magnet.name}", notes)
        if on_track and not unplaced and _length_known(draft, element):
            checks.check_magnet(track, magnet, notes)
    missing = [
        (name, end)
        for name in track.segments
        for end in checks.ends_without_beam(track, name)
        if end is End.FROM or _length_known(draft, name)
    ]
    # A beam whose place could not be read may well be the one that is missing.
    if len(missing) > unplaced and not draft.is_damaged("beams"):
        for name, end in missing:
            checks.note_no_beam(track, name, end, notes)


_LENGTHS = ("length_mm", "buffers_mm", "body_mm")


def _check_kinds(track: Track, draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> None:
    for name, kind in shape.vehicles.items():
        if not _wrong(draft, "vehicles", name, *_LENGTHS):
            lengths = (kind.length_mm, kind.buffers_mm, kind.body_mm)
            _check_lengths(track, draft, None, f"vehicles.{name}", lengths, notes)


def _check_wagons(track: Track, draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> None:
    for name, own in shape.wagons.items():
        checks.check_colour(own.colour, f"wagons.{name}", notes)
    for wagon in track.wagons.values():
        key = f"wagons.{wagon.name}"
        own = shape.wagons[wagon.name]
        if _wrong(draft, "wagons", wagon.name, *_LENGTHS) or _wrong(draft, "vehicles", wagon.kind, *_LENGTHS):
            continue
        # Lengths that come from the kind were checked there.
        if (own.length_mm, own.buffers_mm, own.body_mm) != (None, None, None):
            lengths = (wagon.length_mm, wagon.buffers_mm, wagon.body_mm)
            _check_lengths(track, draft, wagon, key, lengths, notes)
        if not draft.is_damaged("unit_mm") and wagon.length_mm > track.unit_mm:
            notes.add(
                f"{key}.length_mm",
                f"{wagon.length_mm:g} mm is longer than unit_mm = {track.unit_mm:g}, by which capacities are counted",
                "set unit_mm to the longest wagon's length, or leave this wagon out",
            )


def _check_locomotives(track: Track, draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> None:
    for loco in track.locomotives.values():
        key = f"locomotives.{loco.name}"
        checks.check_colour(loco.colour, key, notes)
        sizes_known = not _wrong(draft, "locomotives", loco.name, *_LENGTHS)
        if sizes_known:
            _check_lengths(track, draft, loco, key, (loco.length_mm, loco.buffers_mm, loco.body_mm), notes)
        if not _wrong(draft, "locomotives", loco.name, "speed_table"):
            checks.check_speed_table(shape.locomotives[loco.name].speed_table, f"{key}.speed_table", notes)
        mark_known = not _wrong(draft, "locomotives", loco.name, "mark")
        if sizes_known and mark_known and not draft.is_damaged("segments", loco.mark.element):
            checks.check_locomotive(track, loco, notes)
    if not draft.has_damaged("locomotives"):
        checks.check_marks_apart(track, notes)


def _check_lengths(
    track: Track,
    draft: Draft[LayoutShape],
    vehicle: Vehicle | None,
    key: str,
    lengths: tuple[float, float, float],
    notes: Notes,
) -> None:
    _, buffers_mm, body_mm = lengths
    if checks.check_lengths(vehicle, key, lengths, notes) and not draft.is_damaged("speeds", "limit"):
        checks.check_gap(key, buffers_mm, body_mm, track.speeds, notes)
