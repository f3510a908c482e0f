"""A play: what it is told, what is written down of it, and how it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

from pointsman.app import Setting, Simulated, Stopper, Witness, asked, sit
from pointsman.dispatch.control import Ask, Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.links import Target
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import Belief
from pointsman.operate.hand_referee import Earlier, Figures
from pointsman.operate.referee import Score
from pointsman.operate.retelling import counted_values, score_values
from pointsman.puzzle.choice import Chosen
from pointsman.puzzle.moves import Run
from pointsman.puzzle.position import Position
from pointsman.record import content_of
from pointsman.track.layout import load_layout
from pointsman.track.model import End
from pointsman.track.wiring import Wiring

RequestT = TypeVar("RequestT", bound="Request")


@dataclass(frozen=True, slots=True)
class AttemptOf:
    """Which attempt of a competition a sitting is: the names of both.

    ``hints``: whether a person may be told the best next run.
    """

    competition: str
    attempt: str
    hints: bool = False

    @property
    def heading(self) -> dict[str, object]:
        """What the journal's first line says of it."""
        return {"attempt": {"competition": self.competition, "attempt": self.attempt, "hints": self.hints}}


@dataclass(frozen=True, slots=True)
class PutRight:
    """That a play goes on with an earlier one, from where a person (``by``) has said that everything stands.

    ``before`` is the position believed until then; ``earlier`` what was counted, ``score`` the same with that word.
    ``counted`` is what was counted by hand, None where not all of it is known.
    """

    journal: Path
    before: str
    earlier: Score
    score: Score
    by: str
    counted: Earlier | None = None

    def entered(self, position: Position) -> dict[str, object]:
        """What the journal's line about it says."""
        return {"by": self.by, "before": self.before, "position": str(position)}

    @property
    def heading(self) -> dict[str, object]:
        """What the journal's first line says of the play that is gone on with.

        What is in that journal now cannot be changed unseen any more; a referee's press may still be added.
        """
        counted = {} if self.counted is None else {"counted": counted_values(self.counted)}
        known = {}
        if self.journal.is_file():
            content = content_of(self.journal)
            known = {"goes_on_bytes": len(content), "goes_on_sha256": sha256(content).hexdigest()}
        before = {"goes_on_from": str(self.journal.resolve()), **known}
        return {**before, "score": score_values(self.earlier), **counted}

    @property
    def goes_on(self) -> Earlier:
        """What a sitting by hand counts on from, with that word; runs and reversals at least are always known."""
        known = self.counted or Earlier(Figures(self.score.runs, self.score.reversals))
        return known.put_right


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What every sitting at a layout needs to be told.

    ``speed`` (None: no pace) and ``on_simulation`` are for the simulated one; ``hardware`` is how the wiring was named,
    empty for the layout's usual one; ``put_right`` the sitting that this one goes on with, ``attempt`` the attempt of a
    competition that it is.
    """

    chosen: Chosen
    wiring: Wiring
    target: Target
    facing: End
    journal: Path
    speed: float | None = None
    count: str = "runs"
    hardware: str = ""
    put_right: PutRight | None = None
    attempt: AttemptOf | None = None
    on_simulation: Callable[[Simulated], None] | None = None

    def told_to(self, kind: type[RequestT], **own: Any) -> RequestT:
        """The same for another kind of sitting; ``own`` is what only that kind is told."""
        return kind(**{one.name: getattr(self, one.name) for one in fields(Request)}, **own)

    @property
    def setting(self) -> Setting:
        """Where it is done."""
        chosen, put_right = self.chosen, self.put_right
        return Setting(
            track=chosen.track,
            built=load_layout(chosen.folder, photos=False),
            start=chosen.start,
            wiring=self.wiring,
            target=self.target,
            facing=self.facing,
            journal=self.journal,
            speed=self.speed,
            seed=chosen.chance,
            allow=Allowances(),
            couple_up=bool(chosen.goal.trains),
            on_simulation=self.on_simulation,
            score=None if put_right is None else put_right.score,
            entered=None if put_right is None else put_right.entered(chosen.start),
        )

    def header(self, **more: object) -> dict[str, object]:
        """The first line of the journal; ``more`` is what only one kind of sitting says."""
        chosen = self.chosen
        return {
            "program": f"pointsman {version('pointsman')}",
            "layout": str(chosen.track.name),
            "folder": str(chosen.folder.resolve()),
            "hardware": self.hardware,
            "puzzle": chosen.name,
            "seed": chosen.seed,
            **({} if chosen.seed is not None else {"wagons": " ".join(chosen.wagons)}),
            "start": str(chosen.start),
            "goal": str(chosen.goal),
            "count": self.count,
            "on": str(self.target),
            "facing": str(self.facing),
            **({} if self.attempt is None else self.attempt.heading),
            **more,
            **({} if self.put_right is None else self.put_right.heading),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayRequest(Request):
    """A play: ``runs`` is the plan that is driven."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class PlayResult:
    """How a play ended: the confirmed position, whether it is the goal, and, on the simulated layout, what is true.

    ``seen`` are the vehicles that a beam has seen; of the others only a person has said where they stand.
    """

    position: Position
    reached: bool
    score: Score
    duration_s: float
    seen: frozenset[str] = frozenset()
    truth: Witness | None = None


def play(
    request: PlayRequest,
    show: Callable[[Status], None],
    on_ready: Callable[[Stopper], None],
    ask: Ask | None = None,
) -> PlayResult:
    """Play on the target and return how it ended; blocks. See ``sit``."""
    return sit(Play(request), show, on_ready, ask)


@dataclass(frozen=True, slots=True)
class Play:
    """A play as an errand."""

    request: PlayRequest

    @property
    def setting(self) -> Setting:
        """Where it is played."""
        return self.request.setting

    def header(self) -> dict[str, object]:
        """The first line of the journal."""
        return self.request.header(runs=[str(run) for run in self.request.runs])

    async def work(self, dispatcher: Dispatcher) -> Belief:
        """Drive every run."""
        return await dispatcher.play(self.request.runs)

    def result(
        self, dispatcher: Dispatcher, final: Belief, duration_s: float, simulation: Simulated | None
    ) -> PlayResult:
        """How it ended."""
        chosen = self.request.chosen
        return PlayResult(
            position=final.position,
            reached=chosen.goal.reached(final.position, chosen.track.locomotives),
            score=dispatcher.score,
            duration_s=duration_s,
            seen=dispatcher.seen,
            truth=None if simulation is None else asked(simulation, chosen, final.position),
        )

    def ending(self, result: PlayResult) -> dict[str, object]:
        """The last line of the journal."""
        return {"position": str(result.position), "runs": result.score.runs, "seen": sorted(result.seen)}
