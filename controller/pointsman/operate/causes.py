"""The likeliest causes of a doubt, for the person who looks: points, a beam, or the locomotive itself."""

from __future__ import annotations

from pointsman.operate.sweep import Edge
from pointsman.operate.tracker import Drive
from pointsman.track.model import Leg, Track
from pointsman.track.path import Stretch, following

SWAP = "swap the two wires to the rails, or answer the other way"
"""For a locomotive on direct current: turned round by hand, it still runs the same way along the track."""


def likely_cause(drive: Drive) -> str:
    """What most likely is behind the doubt of a drive, in words; empty when nothing is likelier than the rest."""
    likely = _unmoved(drive)
    if not (drive.step.proves and drive.step.rails_decide):
        return likely
    other_way = f"if {drive.step.locomotive} ran the other way, {SWAP}"
    return f"{other_way}; else {likely}" if likely else other_way


def _unmoved(drive: Drive) -> str:
    """What has not moved or not reported, in words; empty when nothing is likelier than the rest."""
    if drive.unforeseen:
        points = _gone_over(drive, drive.unforeseen, other=True)
        return " or ".join(points) + " may not have moved" if points else ""
    missing = _missing(drive)
    if missing is None:
        return ""
    stood = f"{drive.step.locomotive} stood still, or beam {missing.beam} is dead"
    points = _gone_over(drive, missing.beam, other=False)
    return f"{' or '.join(points)} may not have moved, {stood}" if points else stood


def _missing(drive: Drive) -> Edge | None:
    """The edge that has not come, if that is the doubt."""
    if drive.mistimed is not None:
        return drive.mistimed if drive.mistimed in drive.expected else None
    return None if drive.edge_seen else drive.step.stop.edge


def _gone_over(drive: Drive, beam: str, *, other: bool) -> list[str]:
    """The turnouts that the train may stand on, or have gone over, from the toe in this drive, the last first.

    Only those whose leg that was to be taken leads to a beam; ``other``: whose other leg does, and that one does not.
    """
    swept = drive.step.sweep
    path, track = swept.path, swept.path.track
    front_mm = drive.envelope.fast.x_mm + swept.head.offset_mm + swept.head.half_length_mm
    tail_mm = swept.start_low_mm + swept.tail.offset_mm - swept.tail.half_length_mm
    wanted = track.beams[beam].place.element
    found = []
    for stretch, start in zip(path.stretches, path.starts_mm, strict=True):
        if stretch.leg is None or not stretch.forward or not tail_mm <= start <= front_mm:
            continue
        by_leg = {leg: wanted in _beyond(track, stretch.element, leg) for leg in Leg}
        if by_leg[stretch.leg] is not other and by_leg[stretch.leg.other] is other:
            found.append(stretch.element)
    return found[::-1]


def _beyond(track: Track, turnout: str, leg: Leg) -> set[str]:
    """The elements to which a leg of a turnout leads, without going over it again."""
    found: set[str] = set()
    todo = [Stretch(turnout, leg, True)]
    while todo:
        at = todo.pop()
        found.add(at.element)
        for lie in Leg:
            beyond = following(track, at, dict.fromkeys(track.turnouts, lie))
            if beyond is not None and beyond.element not in {turnout, *found}:
                todo.append(beyond)
    return found - {turnout}
