"""What must hold between the parts of a layout: places on the track, room, sensing, vehicles, speeds, drawing.

Each check looks at a ``Track`` and notes what it finds, with the key in layout.toml and the cure. A track that is
being checked may be incomplete: where a joint could not be read it has ``UNREAD``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence
from itertools import combinations, pairwise

from pointsman.errors import did_you_mean
from pointsman.track.colour import COLOURS, hex_colour
from pointsman.track.fit import BUFFER_MM, fit, largest_capacity
from pointsman.track.joints import UNREAD
from pointsman.track.model import (
    HIGHEST_STEP,
    Beam,
    End,
    Joint,
    Leg,
    Locomotive,
    Place,
    SegmentEnd,
    Side,
    Speeds,
    Track,
    Turnout,
    TurnoutSide,
    Uncoupler,
    Vehicle,
)
from pointsman.track.path import Stretch, exit_joint, stretch_mm
from pointsman.track.tomlfile import Notes

MAGNET_TO_BEAM_MM = 60.0
"""A magnet lies within this of a beam, so that a stop over it is made soon after an edge."""

BEAM_AT_END_MM = 10.0
"""How far inside a segment the beam of its end may stand; half the slack that every capacity keeps."""

SLOWEST_STEP_MM_S = 25.0
"""The lowest step of a locomotive must give this or less."""

SHORTEST_GAP_S = 0.040
"""A gap between two bodies must take this long to pass a beam to be seen."""


def check_place(track: Track, place: Place, key: str, notes: Notes) -> bool:
    """Whether a place lies on the track; notes why not."""
    if place.element in track.segments:
        if place.leg is not None:
            notes.add(f"{key}.leg", f"{place.element} is a segment and has no legs", "remove `leg`")
            return False
        length = track.segments[place.element].length_mm
    elif place.element in track.turnouts:
        if place.leg is None:
            notes.add(f"{key}.leg", f"is missing: {place.element} is a turnout", 'add leg = "closed" or leg = "thrown"')
            return False
        turnout = track.turnouts[place.element]
        length = turnout.through_mm(place.leg)
    else:
        known = [*track.segments, *track.turnouts]
        notes.add(f"{key}.on", f"there is no segment or turnout {place.element}", did_you_mean(place.element, known))
        return False
    if not 0 <= place.at_mm <= length:
        notes.add(
            f"{key}.at_mm",
            f"{place.at_mm:g} mm is off the track: {place.element} ends at {length:g} mm",
            f"give a value from 0 to {length:g}",
        )
        return False
    return True


def check_capacity(track: Track, segment: str, notes: Notes) -> None:
    """The stated capacity must fit."""
    found = fit(track, track.segments[segment])
    if not found.fits:
        largest = largest_capacity(track, track.segments[segment])
        notes.add(
            f"segments.{segment}.capacity",
            f"{found.capacity} vehicles need {found.need_mm:g} mm, but there is room for {found.room_mm:g} mm "
            f"between the fouling point or magnet and {BUFFER_MM:g} mm before the buffer",
            f"state capacity = {largest}, or lengthen the track by {-found.spare_mm:g} mm"
            if largest
            else f"lengthen the track by {-found.spare_mm:g} mm",
        )


def ends_without_beam(track: Track, segment: str) -> list[End]:
    """The ends of a segment that meet a turnout and have no beam."""
    here = track.segments[segment]
    found = []
    for end in End:
        at_mm = 0.0 if end is End.FROM else here.length_mm
        near = (
            abs(beam.place.at_mm - at_mm) <= BEAM_AT_END_MM
            for beam in track.beams.values()
            if beam.place.element == segment
        )
        if here.meets(end) is not None and not any(near):
            found.append(end)
    return found


def note_no_beam(track: Track, segment: str, end: End, notes: Notes) -> None:
    """A beam stands at every segment end that meets a turnout; here none does."""
    at_mm = 0.0 if end is End.FROM else track.segments[segment].length_mm
    notes.add(
        f"segments.{segment}",
        f"no beam stands at its `{end}` end, where it meets a turnout",
        f'add a beam: on = "{segment}", at_mm = {at_mm:g} (at most {BEAM_AT_END_MM:g} mm further in)',
    )


def check_fouling(turnout: Turnout, notes: Notes) -> None:
    """A leg's segment begins at the fouling point, so that cannot lie inside the turnout."""
    if turnout.fouling_mm < turnout.length_mm:
        notes.add(
            f"turnouts.{turnout.name}.fouling_mm",
            f"{turnout.fouling_mm:g} mm is nearer to the toe than the leg joint, length_mm = {turnout.length_mm:g}",
            "measure both from the toe; when the legs are clear of one another before the joint, give them the same "
            "value",
        )


def check_magnet(track: Track, magnet: Uncoupler, notes: Notes) -> None:
    """A magnet lies within 60 mm of a beam, measured along the track."""
    if not _beam_near(track, magnet.place, MAGNET_TO_BEAM_MM):
        notes.add(
            f"magnets.{magnet.name}",
            f"no beam stands within {MAGNET_TO_BEAM_MM:g} mm of it, so no stop over it would be exact enough",
            "move the magnet, or add a beam near it",
        )


def check_reach(track: Track, notes: Notes) -> None:
    """Everything is joined to the track that the first locomotive stands on."""
    start = next((loco.mark.element for loco in track.locomotives.values()), next(iter(track.segments), None))
    if start is None or start not in track.segments:
        return
    seen = {start}
    queue = deque([start])
    while queue:
        element = queue.popleft()
        for joint in _joints(track, element):
            beyond = _element(joint)
            if beyond not in seen:
                seen.add(beyond)
                queue.append(beyond)
    for section, names in (("segments", track.segments), ("turnouts", track.turnouts)):
        for name in names:
            if name not in seen:
                notes.add(
                    f"{section}.{name}",
                    f"nothing reaches it from {start}, where the locomotive stands",
                    "join it to a turnout, or leave it out",
                )


def check_locomotive(track: Track, loco: Locomotive, notes: Notes) -> None:
    """It stands on its mark, clear of turnouts, buffers and beams."""
    key = f"locomotives.{loco.name}.mark"
    if loco.mark.element in track.turnouts:
        notes.add(
            f"{key}.on",
            f"{loco.mark.element} is a turnout",
            "let it start in a segment, clear of all turnouts",
        )
        return
    if not check_place(track, loco.mark, key, notes):
        return
    segment = track.segments[loco.mark.element]
    low = 0.0 if segment.meets_from is not None else BUFFER_MM
    high = segment.length_mm - (0.0 if segment.meets_to is not None else BUFFER_MM)
    front, back = loco.mark.at_mm, loco.mark.at_mm - loco.length_mm
    if back < low or front > high:
        notes.add(
            f"{key}.at_mm",
            f"{loco.name} is {loco.length_mm:g} mm long and would stand from {back:g} to {front:g} mm, "
            f"but {segment.name} has room from {low:g} to {high:g} mm",
            f"give a value from {low + loco.length_mm:g} to {high:g}"
            if low + loco.length_mm <= high
            else f"{segment.name} is too short for it: choose another segment",
        )
    overhang = (loco.length_mm - loco.body_mm) / 2
    for beam in track.beams.values():
        if beam.place.element == segment.name and back + overhang < beam.place.at_mm < front - overhang:
            notes.add(
                f"{key}.at_mm", f"{loco.name} would stand in the beam {beam.name}", "move the mark clear of the beam"
            )


def check_marks_apart(track: Track, notes: Notes) -> None:
    """No two locomotives stand in one another."""
    for one, two in combinations(track.locomotives.values(), 2):
        first, second = sorted((one, two), key=lambda loco: loco.mark.at_mm)
        if one.mark.element == two.mark.element and second.mark.at_mm - second.length_mm < first.mark.at_mm:
            notes.add(
                f"locomotives.{two.name}.mark.at_mm", f"{two.name} would stand in {one.name}", "set the marks apart"
            )


def check_speed_table(
    points: Sequence[Sequence[float]],
    key: str,
    notes: Notes,
    *,
    lower: str = "lower the decoder's start voltage (CV2)",
) -> None:
    """Pairs of step and mm/s: both rise, steps are whole and possible, and the lowest is slow enough.

    ``lower`` is what else makes the lowest step slower.
    """
    if any(not (1 <= step <= HIGHEST_STEP) or step != int(step) for step, _ in points):
        notes.add(
            key, f"a speed step is a whole number from 1 to {HIGHEST_STEP}", "write pairs [step, mm/s], like [10, 40]"
        )
    if any(b[0] <= a[0] or b[1] <= a[1] for a, b in pairwise(points)):
        notes.add(key, "steps and speeds do not rise from pair to pair", "sort the pairs, and measure again")
    slowest = points[0][1]
    if not 0 < slowest <= SLOWEST_STEP_MM_S:
        notes.add(
            key,
            f"the lowest step gives {slowest:g} mm/s; it must give more than 0 and at most {SLOWEST_STEP_MM_S:g}",
            f"begin the table with a slower step, or {lower}",
        )


def check_lengths(vehicle: Vehicle | None, key: str, lengths: tuple[float, float, float], notes: Notes) -> bool:
    """Body, buffers and couplers are in order of length; ``vehicle`` is None for a kind."""
    length_mm, buffers_mm, body_mm = lengths
    sound = True
    if buffers_mm > length_mm:
        notes.add(
            f"{key}.buffers_mm",
            f"{buffers_mm:g} mm is longer than length_mm = {length_mm:g}",
            "length_mm is measured with the couplings drawn taut, and is the longer one",
        )
        sound = False
    if body_mm >= buffers_mm:
        notes.add(
            f"{key}.body_mm",
            f"the body, {body_mm:g} mm, is not shorter than the {'vehicle' if vehicle else 'wagon'} over its buffers",
            f"measure again: it must be less than buffers_mm = {buffers_mm:g}",
        )
        sound = False
    return sound


def check_gap(key: str, buffers_mm: float, body_mm: float, speeds: Speeds, notes: Notes) -> None:
    """The gap between two pushed vehicles is seen at the layout's highest speed."""
    least = SHORTEST_GAP_S * speeds.limit
    if buffers_mm - body_mm < least:
        notes.add(
            f"{key}.body_mm",
            f"two of these leave a gap of {buffers_mm - body_mm:g} mm, "
            f"and at {speeds.limit:g} mm/s a beam sees no gap under {least:g} mm",
            "set the beam where the gap is wider (at solebar height), or lower [speeds] limit",
        )


def check_speeds(speeds: Speeds, known: Collection[str], notes: Notes) -> None:
    """The layout's speeds are in order, as far as they are known."""
    rising = (
        ("creep", speeds.creep, "coupling", speeds.coupling),
        ("coupling", speeds.coupling, "rough", speeds.rough),
        ("coupling", speeds.coupling, "shunting", speeds.shunting),
        ("rough", speeds.rough, "limit", speeds.limit),
        ("shunting", speeds.shunting, "limit", speeds.limit),
    )
    for low_name, low, high_name, high in rising:
        if low > high and low_name in known and high_name in known:
            notes.add(
                f"speeds.{low_name}",
                f"{low:g} mm/s is faster than {high_name} = {high:g}",
                "creep, coupling, shunting and limit must rise; rough lies between coupling and limit",
            )


def check_colour(colour: str, key: str, notes: Notes) -> None:
    """A colour is one that a screen can show."""
    if hex_colour(colour) is None:
        notes.add(f"{key}.colour", f"there is no colour {colour!r}", did_you_mean(colour, COLOURS))


def check_drawing(track: Track, notes: Notes) -> None:
    """Tracks that meet are drawn to meet."""
    drawing = track.drawing
    for name, line in drawing.segments.items():
        segment = track.segments[name]
        for end, point in ((End.FROM, line[0]), (End.TO, line[-1])):
            joint = segment.meets(end)
            if joint is not None and joint.turnout in drawing.turnouts:
                _check_point(f"segments.{name}.draw", str(end), point, joint, track, notes)
    for name in drawing.turnouts:
        for side in Side:
            there = track.turnouts[name].meets(side)
            if isinstance(there, TurnoutSide) and there.turnout in drawing.turnouts and name < there.turnout:
                _check_point(f"turnouts.{name}.draw", str(side), drawing.turnouts[name][side], there, track, notes)


def _check_point(
    key: str, end: str, point: tuple[float, float], joint: TurnoutSide, track: Track, notes: Notes
) -> None:
    there = track.drawing.turnouts[joint.turnout][joint.side]
    if point != there:
        notes.add(
            key,
            f"its `{end}` is drawn at {_point(point)}, but it meets {joint}, drawn at {_point(there)}",
            "draw both at the same point",
        )


def _point(point: tuple[float, float]) -> str:
    return f"[{point[0]:g}, {point[1]:g}]"


def _beam_near(track: Track, place: Place, within_mm: float) -> bool:
    beams = list(track.beams.values())
    ways = []
    for forward in (True, False):
        stretch = Stretch(place.element, place.leg, forward)
        at = place.at_mm if forward else stretch_mm(track, stretch) - place.at_mm
        ways.append((stretch, at, within_mm))
    while ways:
        stretch, at, left = ways.pop()
        length = stretch_mm(track, stretch)
        if any(at <= along <= at + left for along in _along(beams, stretch, length)):
            return True
        if length - at <= left:
            ways += [(onward, 0.0, left - (length - at)) for onward in _onward(track, stretch)]
    return False


def _along(beams: list[Beam], stretch: Stretch, length_mm: float) -> list[float]:
    """Where the beams of a stretch stand, in the direction of travel."""
    here = [b.place.at_mm for b in beams if b.place.element == stretch.element and b.place.leg == stretch.leg]
    return here if stretch.forward else [length_mm - at for at in here]


def _onward(track: Track, stretch: Stretch) -> list[Stretch]:
    """Every stretch that may follow, whichever way turnouts lie; none beyond a buffer or an unread joint."""
    joint = track.meets(exit_joint(stretch))
    if isinstance(joint, SegmentEnd):
        return [Stretch(joint.segment, None, joint.end is End.FROM)]
    if joint is None or joint.turnout == UNREAD:
        return []
    if joint.side is Side.TOE:
        return [Stretch(joint.turnout, leg, True) for leg in Leg]
    return [Stretch(joint.turnout, Leg(joint.side), False)]


def _joints(track: Track, element: str) -> list[Joint]:
    if element in track.segments:
        segment = track.segments[element]
        return [joint for joint in (segment.meets_from, segment.meets_to) if joint is not None]
    turnout = track.turnouts.get(element)
    return [] if turnout is None else [turnout.toe, turnout.closed, turnout.thrown]


def _element(joint: Joint) -> str:
    return joint.segment if isinstance(joint, SegmentEnd) else joint.turnout
