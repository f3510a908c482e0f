"""The steps of a run: what is commanded, what evidence is expected, and by when."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import inf

from pointsman.operate.stopping import Stop
from pointsman.operate.sweep import Sweep
from pointsman.puzzle.moves import Run
from pointsman.track.model import Leg


class Stage(StrEnum):
    """Where a run stands; each stage names the next in ``_AFTER``. SET_BACK comes only when a coupling did not part."""

    TURNOUTS = "turnouts"
    PART = "part"
    SLACK = "slack"
    SET_BACK = "set back"
    UNCOUPLE = "uncouple"
    DRIVE = "drive"
    DONE = "done"


_AFTER = {
    Stage.TURNOUTS: Stage.PART,
    Stage.PART: Stage.SLACK,
    Stage.SLACK: Stage.UNCOUPLE,
    Stage.SET_BACK: Stage.UNCOUPLE,
    Stage.UNCOUPLE: Stage.DRIVE,
    Stage.DRIVE: Stage.DONE,
}


@dataclass(frozen=True, slots=True)
class TurnoutStep:
    """Set a turnout and give its machine the time it needs; the station's echo is no evidence.

    ``by_hand``: a person is asked to set it, and says when it is done.
    """

    turnout: str
    leg: Leg
    wait_s: float
    deadline_s: float
    by_hand: bool = False

    def __str__(self) -> str:
        return f"{self.turnout} to {self.leg}{' by hand' if self.by_hand else ''}"


@dataclass(frozen=True, slots=True)
class UncoupleStep:
    """Stand over a magnet with the coupling between two vehicles; the count on the way out proves that it parted.

    ``energise``: the magnet has to be switched on for it; a permanent one only takes the time. ``by_hand``: a person is
    asked to part the coupling, and says when it is done.
    """

    uncoupler: str
    kept: str
    left: str
    hold_s: float
    deadline_s: float
    energise: bool = True
    by_hand: bool = False

    def __str__(self) -> str:
        return f"uncouple {self.left} from {self.kept} {'by hand ' if self.by_hand else ''}at {self.uncoupler}"


@dataclass(frozen=True, slots=True)
class Zone:
    """From ``from_mm`` on (the locomotive's middle), up to ``to_mm``, at most this fast."""

    from_mm: float
    speed_mm_s: float
    to_mm: float = inf


@dataclass(frozen=True, slots=True)
class DriveStep:
    """Drive one way until a stop; the edges in ``sweep`` are the evidence that is expected on the way.

    ``forward`` is the decoder's direction. ``zones`` rise in place. ``deadline_s`` is counted from its start.
    ``rails_decide``: which way it runs is a matter of the wires to the rails, and not of the locomotive's front.
    ``dragging`` is the sweep that it would be if the couplings to what is behind have not opened; ``loose`` are those
    of which nobody knows; where the first of them is not loose, it was opened, and holds only if that is seen.
    """

    locomotive: str
    forward: bool
    sweep: Sweep
    zones: tuple[Zone, ...]
    stop: Stop
    deadline_s: float
    text: str
    proves: bool = False
    rails_decide: bool = False
    dragging: Sweep | None = None
    loose: frozenset[frozenset[str]] = frozenset()

    def __str__(self) -> str:
        return self.text


Step = TurnoutStep | UncoupleStep | DriveStep


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a plan on its way to metal.

    ``couples_up``: at its end everything that stands in the locomotive's segment must have been met. ``tries`` is how
    often its coupling did not part.
    """

    number: int
    run: Run
    following: Run | None
    stage: Stage = Stage.TURNOUTS
    couples_up: bool = False
    tries: int = 0

    def at(self, stage: Stage) -> Job:
        """The same run at another stage."""
        return replace(self, stage=stage)

    @property
    def again(self) -> Job:
        """The same run once its coupling did not part: back over the magnet, and once more."""
        return replace(self, stage=Stage.SET_BACK, tries=self.tries + 1)

    @property
    def next(self) -> Job:
        """The same run one stage on."""
        return self.at(_AFTER[self.stage])
