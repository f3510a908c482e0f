"""One play of the fault campaign: a drawn puzzle, a few faults at random moments, and what came of it.

Everything follows from the play's number. ``fault_rules`` says what is right.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from random import Random

from fault_rules import FOR_EVER, NOTHING, Ending, Played, judge, late_s

from pointsman.app import Stopper
from pointsman.dispatch.dispatcher import Status
from pointsman.errors import PointsmanError
from pointsman.links import On as PlayedOn
from pointsman.links import Target
from pointsman.playing import PlayRequest, PlayResult, play
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.moves import Run
from pointsman.record import read
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring
from railsim.embed import Simulation
from railsim.faults import ABOUT, BEHIND_BROKER, Fault, On, Planned

PUZZLES = (
    ("inglenook-small/classic", 12, 58),
    ("inglenook-small/full", 6, 12),
    ("inglenook/classic", 8, 15),
    ("timesaver/classic", 4, 10),
    ("tchoutchou/classic", 3, 5),
)
"""Puzzle, how many draws of it, and how many plays of a hundred."""
AT_BROKER = ("mqtt", "mixed")
"""The wirings of the first layout that have nodes behind a broker."""
AT_BROKER_SHARE = 0.1
"""How many are played on them of the plays whose first fault is one of any hardware."""
EARLY_SHARE = 0.3
"""How many of a broker's faults strike before the host has come to it."""
OPENING_S, A_RUN_S = 6.0, 7.0
"""A play lasts about this long: faults strike within."""
AMOUNTS: dict[Fault, tuple[float, float]] = {
    Fault.LOST: (1, 3),
    Fault.DOUBLED: (1, 3),
    Fault.CORRUPTED: (1, 3),
    Fault.SPLIT: (1, 10),
    Fault.DELAY: (0.02, 0.8),
    Fault.HELD: (0.1, 4),
    Fault.SILENT: (0.2, 30),
    Fault.VANISHES: (0.5, 5),
    Fault.FULL: (0.1, 3),
    Fault.SHORT: (0.05, 4),
    Fault.PAUSED: (0.1, 4),
    Fault.TURNOUT_SLOW: (0.2, 5),
    Fault.BEAM_CHATTERS: (0.1, 3),
    Fault.BEAM_LATE: (0.02, 1.5),
    Fault.HOLDS: (1, 6),
    Fault.STALLS: (0.1, 8),
    Fault.DIRTY: (0.1, 5),
    Fault.BROKER_RESTART: (0.2, 10),
    Fault.MESSAGES_DOUBLED: (1, 60),
    Fault.MESSAGES_LATE: (0.02, 0.8),
    Fault.MESSAGES_HELD: (0.1, 4),
}
"""Between what amounts are drawn; a kind that is not named has its usual one."""
WHOLE = frozenset({Fault.LOST, Fault.DOUBLED, Fault.CORRUPTED, Fault.HOLDS, Fault.MESSAGES_DOUBLED})
LAST_S = 3600.0
"""A play that is not over by then never ends."""
STANDS_WITHIN_S = 0.8
"""A stop is repeated until it is confirmed; after 0.3 s without that the power goes, and 100 mm/s roll out in 0.4 s."""
GO_ON_S = 3.0
"""After the end the layout is watched for so long."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A play to be."""

    number: int
    puzzle: str
    seed: str
    facing: End
    faults: tuple[Planned, ...]
    hardware: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a play ended. ``struck`` are the kinds that found something to strike, ``wrong`` what must not be so."""

    number: int
    puzzle: str
    faults: tuple[str, ...]
    struck: tuple[str, ...]
    ending: Ending
    wrong: tuple[str, ...]
    incidents: tuple[str, ...]
    simulated_s: float


def drawn(number: int) -> Drawn:
    """The play of a number. Its first fault takes turns through all kinds."""
    dice = Random(f"faults/{number}")
    first = list(Fault)[number % len(Fault)]
    hardware = dice.choice(AT_BROKER) if dice.random() < AT_BROKER_SHARE or at_broker(first) else None
    if not possible(first, hardware):
        hardware = None
    puzzles = PUZZLES if hardware is None else PUZZLES[:2]
    puzzle, draws, _ = dice.choices(puzzles, [share for _, _, share in puzzles])[0]
    seed = f"faults-{dice.randrange(draws)}"
    many = dice.choices((1, 2, 3), (3, 2, 1))[0]
    kinds = [first, *dice.sample([kind for kind in Fault if possible(kind, hardware)], many - 1)]
    _, runs = solved(puzzle, seed)
    lasts_s = OPENING_S + A_RUN_S * len(runs)
    left = sorted({vehicle for run in runs for vehicle in run.left})
    faults = []
    for kind in kinds:
        low, high = AMOUNTS.get(kind, (0.0, 0.0))
        amount = None
        if high:
            amount = float(dice.randint(int(low), int(high))) if kind in WHOLE else round(dice.uniform(low, high), 3)
        target = dice.choice(left) if kind is Fault.HOLDS and left else ""
        at_s = round(dice.uniform(0.0, lasts_s), 3)
        if at_broker(kind) and dice.random() < EARLY_SHARE:
            at_s = 0.0
            if kind is Fault.BROKER_RESTART:
                amount = 0.0  # it is back before the host comes, and its nodes are not
        faults.append(Planned(kind, target, at_s, amount))
    return Drawn(number, puzzle, seed, dice.choice(list(End)), tuple(faults), hardware)


def at_broker(kind: Fault) -> bool:
    """Is it a fault of a broker, or of what is on the way from it and to it?"""
    return ABOUT[kind].on in BEHIND_BROKER


def possible(kind: Fault, hardware: str | None) -> bool:
    """Whether a fault can strike a wiring: a broker's needs one, a board's or its link's needs a board."""
    if at_broker(kind):
        return hardware in AT_BROKER
    return hardware != "mqtt" or kind is Fault.PAUSED or ABOUT[kind].on not in (On.BYTES, On.LINK)


@lru_cache
def solved(puzzle: str, seed: str) -> tuple[Chosen, tuple[Run, ...]]:
    """A draw and its best plan."""
    chosen = choose(puzzle, seed=seed)
    return chosen, solve(chosen.track, chosen.start, chosen.goal, chosen.puzzle.count).runs


def play_number(number: int) -> Outcome:
    """Play the play of a number."""
    return play_drawn(drawn(number))


@dataclass
class _Watcher:
    """Looks at the layout from outside while a play goes on: whether it stands ``patience_s`` after a halt."""

    faults: Sequence[Planned]
    patience_s: float
    simulation: Simulation | None = None
    stopper: Stopper | None = None
    halted_s: float | None = None
    stood: bool | None = None
    finished_s: float = 0.0

    def given(self, simulation: Simulation) -> None:
        self.simulation = simulation
        simulation.plan(self.faults)
        asyncio.get_running_loop().call_later(LAST_S, self._never_ends)

    def _never_ends(self) -> None:
        assert self.stopper is not None
        self.stopper(FOR_EVER, 1)

    def show(self, status: Status) -> None:
        if status.note.startswith("STOPPED") and self.simulation is not None and self.halted_s is None:
            truth = self.simulation.truth()
            self.halted_s = truth.t_s
            asyncio.get_running_loop().call_later(self.patience_s, self._look)

    def _look(self) -> None:
        assert self.simulation is not None
        if self.stood is None:
            truth = self.simulation.truth()
            self.stood = not truth.moving or not self.simulation.world.powered

    def finish(self) -> None:
        """Let the layout go on by itself for a while."""
        if self.simulation is None:
            return
        self.finished_s = self.simulation.world.now_s
        if self.halted_s is not None and self.stood is None:
            self.simulation.run_on(self.halted_s + self.patience_s)
            self._look()
        self.simulation.run_on(self.simulation.world.now_s + GO_ON_S)


def play_drawn(draw: Drawn) -> Outcome:
    """Play it, and judge how it ended."""
    return judged(draw, play_out(draw), draw.faults)


def play_out(draw: Drawn) -> Played:
    """Play it to its end, and a little further."""
    chosen, runs = solved(draw.puzzle, draw.seed)
    wiring = load_wiring(find_wiring(chosen.folder, draw.hardware), chosen.track)
    watcher = _Watcher(draw.faults, STANDS_WITHIN_S + late_s(draw.faults))
    result: PlayResult | None = None
    error: PointsmanError | None = None
    with tempfile.TemporaryDirectory() as folder:
        journal = Path(folder) / "journal"
        request = PlayRequest(
            chosen=chosen,
            runs=runs,
            wiring=wiring,
            target=Target(PlayedOn.SIM),
            facing=draw.facing,
            journal=journal,
            on_simulation=watcher.given,
        )

        def ready(stopper: Stopper) -> None:
            watcher.stopper = stopper

        try:
            result = play(request, watcher.show, ready)
        except PointsmanError as failure:
            error = failure
        watcher.finish()
        reading = read(journal)
    assert watcher.simulation is not None
    ended_s = watcher.finished_s if watcher.halted_s is None else watcher.halted_s
    return Played(watcher.simulation, reading, result, error, watcher.stood, ended_s, watcher.finished_s)


def judged(draw: Drawn, played: Played, blamed: Sequence[Planned]) -> Outcome:
    """What came of a play, judged as if these faults were the ones that struck."""
    ending, wrong = judge(blamed, played, contacts=draw.hardware in AT_BROKER)
    return Outcome(
        draw.number,
        draw.puzzle + (f", hardware {draw.hardware}" if draw.hardware else ""),
        tuple(str(fault) for fault in draw.faults),
        _struck(played.simulation, played.ended_s),
        ending,
        tuple(wrong),
        tuple(str(incident.kind) for incident in played.simulation.incidents),
        played.finished_s,
    )


def _struck(simulation: Simulation, ended_s: float) -> tuple[str, ...]:
    found = [s.kind for s in simulation.struck if s.t_s <= ended_s and not s.text.startswith(NOTHING)]
    return tuple(sorted(found))
