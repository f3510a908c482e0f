"""What a person calls the two ends of a track."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.track.model import End, Track


@dataclass(frozen=True, slots=True)
class EndName:
    """What a person calls an end of a track: in a sentence, and as an answer."""

    told: str
    answer: str


def ends_of(track: Track, segment: str) -> dict[End, EndName]:
    """Both ends of a track in plain words: the points and the buffers, or the turnouts when both ends have one."""
    here = track.segments[segment]
    joints = {end: here.meets(end) for end in (End.TO, End.FROM)}
    both = {joint.turnout for joint in joints.values() if joint is not None}
    found = {}
    for end, joint in joints.items():
        if joint is None:
            found[end] = EndName("the buffer stop", "buffers")
        elif joints[end.other] is None:
            found[end] = EndName("the points", "points")
        else:
            name = joint.turnout if len(both) > 1 else str(joint)
            found[end] = EndName(name, name.lower())
    return found
