"""Which track meets which: reads what segments and turnouts say of their ends, and sees that it fits together."""

from __future__ import annotations

from dataclasses import dataclass, field

from pointsman.errors import did_you_mean
from pointsman.track.model import End, Joint, SegmentEnd, Side, TurnoutSide
from pointsman.track.schema import LayoutShape
from pointsman.track.tomlfile import Draft, Notes

UNREAD = ""
"""Name of the turnout that an unreadable joint leads to."""


@dataclass(slots=True)
class Joints:
    """What every turnout side and segment end meets; ``wrong`` are elements with a joint that could not be read.

    A segment's end whose joint could not be read meets a turnout named ``UNREAD``: it is no buffer.
    """

    of_side: dict[TurnoutSide, Joint] = field(default_factory=dict)
    of_end: dict[SegmentEnd, TurnoutSide] = field(default_factory=dict)
    wrong: set[str] = field(default_factory=set)


def read_joints(draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> Joints:
    """All joints of a layout; notes joints that name nothing, sides claimed twice, and sides that nothing meets."""
    joints = Joints()
    taken: dict[TurnoutSide, str] = {}
    for name, segment in shape.segments.items():
        for end, text in ((End.FROM, segment.from_), (End.TO, segment.to)):
            key = f"segments.{name}.{end}"
            if text is None:
                if draft.is_damaged("segments", name, end):
                    _unread(joints, SegmentEnd(name, end))
                continue
            side = _read_side(text, key, draft, shape, notes)
            if side is None or not _claim(side, SegmentEnd(name, end), key, joints, taken, notes):
                _unread(joints, SegmentEnd(name, end))
            else:
                joints.of_end[SegmentEnd(name, end)] = side
    for name, turnout in shape.turnouts.items():
        for own, text in ((Side.TOE, turnout.toe), (Side.CLOSED, turnout.closed), (Side.THROWN, turnout.thrown)):
            if (
                text is not None
                and not _join_turnouts(TurnoutSide(name, own), text, draft, shape, joints, taken, notes)
            ) or (text is None and draft.is_damaged("turnouts", name, own)):
                joints.wrong.add(name)
    # A joint that could not be read may be the one that is missing here: ask for it only when all were read.
    if not joints.wrong and not draft.has_left_out("segments", "turnouts"):
        _check_all_met(shape, joints, notes)
    return joints


def _unread(joints: Joints, end: SegmentEnd) -> None:
    joints.wrong.add(end.segment)
    joints.of_end[end] = TurnoutSide(UNREAD, Side.TOE)


def _check_all_met(shape: LayoutShape, joints: Joints, notes: Notes) -> None:
    for name in shape.turnouts:
        for side in Side:
            if TurnoutSide(name, side) not in joints.of_side:
                joints.wrong.add(name)
                notes.add(
                    f"turnouts.{name}.{side}",
                    "nothing meets this side of the turnout",
                    f'say at a segment: from = "{name}.{side}" or to = "{name}.{side}"; '
                    f'or here, when it meets a turnout: {side} = "OTHER.toe"',
                )


def _join_turnouts(
    own: TurnoutSide,
    text: str,
    draft: Draft[LayoutShape],
    shape: LayoutShape,
    joints: Joints,
    taken: dict[TurnoutSide, str],
    notes: Notes,
) -> bool:
    key = f"turnouts.{own.turnout}.{own.side}"
    side = _read_side(text, key, draft, shape, notes)
    if side is None:
        return False
    if side.turnout == own.turnout:
        notes.add(key, "a turnout cannot meet itself", "put a segment between its sides, or name another turnout")
        return False
    # The same joint may be stated at both turnouts.
    if joints.of_side.get(own) == side and joints.of_side.get(side) == own:
        return True
    return _claim(own, side, key, joints, taken, notes) and _claim(side, own, key, joints, taken, notes)


def _claim(
    side: TurnoutSide, joint: Joint, key: str, joints: Joints, taken: dict[TurnoutSide, str], notes: Notes
) -> bool:
    if side in taken:
        notes.add(
            key,
            f"{side} is already met by {joints.of_side[side]} (stated at {taken[side]})",
            "one side of a turnout meets one track: name another side here or there",
        )
        return False
    taken[side] = key
    joints.of_side[side] = joint
    return True


def _read_side(text: str, key: str, draft: Draft[LayoutShape], shape: LayoutShape, notes: Notes) -> TurnoutSide | None:
    turnout, dot, side = text.rpartition(".")
    if turnout in shape.turnouts and side in set(Side):
        return TurnoutSide(turnout, Side(side))
    if draft.is_damaged("turnouts", turnout) and side in set(Side):
        return None
    if not dot:
        example = f'"{text}.toe"' if text in shape.turnouts else '"T1.toe"'
        notes.add(key, f'"{text}" names no side of a turnout', f"write the turnout and its side, like {example}")
    elif turnout in shape.segments:
        notes.add(
            key,
            f"{turnout} is a segment, and only turnouts are met",
            "make two tracks that meet end to end one segment; a segment states the turnout at each of its ends",
        )
    elif turnout not in shape.turnouts:
        notes.add(key, f"there is no turnout {turnout}", did_you_mean(turnout, shape.turnouts))
    else:
        notes.add(key, f'a turnout has no side "{side}"', "its sides are toe, closed and thrown")
    return None
