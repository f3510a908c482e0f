"""A whole competition in virtual time: many entrants, good and bad drivers, real journals; and all of it checked.

    python tests/campaign/compete_campaign.py                 # 200 entrants, five rounds for each
    python tests/campaign/compete_campaign.py --entrants 60

It is played through the desk and a store, on simulated layouts. Then

* the standings must be those of a recomputation by docs/scoring.md alone, from the exported book and the journals;
* how each attempt has ended must be what is true of its layout;
* every draw must be the one that follows by docs/fair-draws.md;
* ``verify`` must find nothing, and must find each of a number of changes made afterwards.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "support"))
from commands import own_layout
from compete_checks import checked
from compete_drivers import FAULTS, Driven, Driver, Wish, drive
from desk_bench import CODE, HELPER, MARSHAL, OTHER, Watch

from pointsman.compete.commitment import Files
from pointsman.compete.desk import Desk
from pointsman.compete.desk_draws import Draws
from pointsman.compete.draws import DrawList, draw_list
from pointsman.compete.entries import Created, EntrantAdded
from pointsman.compete.marks import Outcome
from pointsman.compete.pars import MOVES, Pars, fewest
from pointsman.compete.plans import plan_of
from pointsman.compete.schedule import due
from pointsman.compete.standings import Tables, standings
from pointsman.compete.state import Round
from pointsman.compete.store.store import Store
from pointsman.puzzle.puzzle import Count

NAME = "campaign"
ENTRANTS = 200
TABLES = 6
"""So many attempts are on at the same time."""
WHY = "a wire came off"
OWN = """
title = "Tuesday evening"
over_par = ["pull_drops"]
ties = ["faults", "time_s"]
did_not_finish = 150
did_not_start = 200
[weights]
time_s = 0.1
pull_drops = 3
[penalties]
derailment = 5
hand = 10
hints = 4
[caps]
time_s = 900
hints = 2
points = 150
"""
FIRST = (
    Driver.PERFECT, Driver.UNLUCKY, Driver.CARELESS, Driver.WANDERER, Driver.PERFECT, Driver.SLOW, Driver.ASKS,
    Driver.GIVES_UP, Driver.STAYS, Driver.ABSENT, Driver.PERFECT, Driver.PERFECT,
)  # fmt: skip
DRIVERS = (
    *FIRST, Driver.WANDERER, Driver.CARELESS, Driver.PERFECT, Driver.WANDERER, Driver.PERFECT, Driver.GIVES_UP,
    Driver.PERFECT, Driver.WANDERER,
)  # fmt: skip
"""Who is like what, by the order of the book, again and again."""
LEAVES_AT_ONCE = 10
"""This one withdraws before anything is played."""

_ALL = {"count": "pull-drops", "par_least": 3, "par_most": 5}


def evening(many: int) -> list[dict[str, Any]]:
    """Nine rounds, five for each entrant: one for everybody, then four for the east and four for the west."""
    third = max(2, many * 3 // 20)
    east, west = {"category": "east", **_ALL}, {"category": "west", **_ALL}
    return [
        {**_ALL, "id": "r1", "scheme": "added-up", "format": "best-of-1", "heats": 2, "spares": 3},
        {
            **east, "id": "e2", "own_scheme": OWN, "format": "best-of-2", "heats": 2, "spares": 3,
            "cut_off": {"after": 1, "at_most": 20}, "advance": {"by": "rank", "value": third, "edge": "all stay"},
        },
        {
            **west, "id": "w2", "scheme": "allen", "format": "mean-of-2", "heats": 2, "spares": 3,
            "time_limit_s": 600, "free_faults": ["hand"], "cut_off": {"after": 1, "at_most": 240},
            "advance": {"by": "percent", "value": 30},
        },
        {
            **east, "id": "e3", "scheme": "moves-and-time", "format": "average-of-3", "heats": 3, "spares": 1,
            "most_hints": 1, "advance": {"by": "result", "value": 40},
        },
        {
            **west, "id": "w3", "scheme": "least-moves", "format": "best-of-1", "heats": 1, "spares": 3,
            "time_limit_s": 300, "advance": {"by": "rank", "value": max(1, third // 2)},
        },
        {**east, "id": "e4", "scheme": "aiguilleur", "format": "best-of-2", "heats": 2, "spares": 2},
        {**west, "id": "w4", "scheme": "par-ratio", "format": "sum-of-2", "heats": 2, "spares": 2},
        {**east, "id": "e5", "scheme": "added-up", "format": "pairs-best-of-1", "heats": 1, "spares": 6},
        {**west, "id": "w5", "scheme": "reversals", "format": "best-of-1", "heats": 1, "spares": 6, "most_faults": 1},
    ]  # fmt: skip


def small_evening() -> list[dict[str, Any]]:
    """Three rounds for a dozen: the first with a cut-off, and the best go on each time."""
    return [
        {
            **_ALL, "id": "r1", "own_scheme": OWN, "format": "best-of-2", "heats": 2, "spares": 1, "par_most": 4,
            "cut_off": {"after": 1, "at_most": 12}, "advance": {"by": "rank", "value": 4},
        },
        {
            **_ALL, "id": "r2", "scheme": "par-ratio", "format": "best-of-1", "heats": 1, "spares": 3, "par_most": 4,
            "advance": {"by": "rank", "value": 1},
        },
        {**_ALL, "id": "r3", "scheme": "moves-and-time", "format": "best-of-1", "heats": 1, "par_most": 4},
    ]  # fmt: skip


class Here(Draws):
    """Draws and pars found in this process, once each: starting another for each of them takes longer than finding."""

    def __init__(self, cache: Path | None) -> None:
        super().__init__(cache)
        self.pars_here: Pars = Once(cache)
        self._found: dict[tuple[str, Count], DrawList] = {}

    def listed(self, puzzle: str, files: Files, count: Count) -> DrawList:
        files.check(puzzle)
        if (puzzle, count) not in self._found:
            self._found[puzzle, count] = draw_list(puzzle, count, cache=self._cache)
        return self._found[puzzle, count]

    def solver_of(self, its: Round) -> Pars:
        return self.pars_here


class Once:
    """Pars of positions, each found once."""

    def __init__(self, cache: Path | None) -> None:
        self._solve = partial(fewest, counts=MOVES, cache=cache)
        self._known: dict[tuple[str, str], Mapping[Count, int]] = {}

    def __call__(self, track: Any, start: Any, goal: Any) -> Mapping[Count, int]:
        key = (str(start), str(goal))
        if key not in self._known:
            self._known[key] = self._solve(track, start, goal)
        return self._known[key]


@dataclass
class Evening:
    """A competition that is being played; ``wrong`` is what has gone wrong so far."""

    folder: Path
    pool: Executor
    cache: Path | None = None
    say: Callable[[str], None] = print
    watch: Watch = field(default_factory=Watch)
    drivers: dict[str, Driver] = field(default_factory=dict)
    happened: Counter[str] = field(default_factory=Counter)
    played: dict[str, Driven] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    spares: Counter[tuple[str, int]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.layout = own_layout(self.folder)
        self.journals = self.folder / "journals"
        self.journals.mkdir()
        self.draws = Here(self.cache)
        self.place = str(self.folder / "store.sqlite3")

    def play(self, many: int, rounds: Sequence[Mapping[str, Any]]) -> None:
        """Enter everybody, announce every round, and play them one after the other."""
        with Store(self.place) as store:
            store.create(NAME, Created("Campaign", date(2026, 11, 27)), by=MARSHAL, at=self.watch())
            self.desk = Desk(store, NAME, now=self.watch, version="0.1.0", draws=self.draws)
            self._enter(many)
            for values in rounds:
                full = {"title": f"Round {values['id']}", "puzzle": str(self.layout), "spares": 2, **values}
                self.desk.announce(plan_of(full), CODE, MARSHAL)
            self._withdraw(list(self.drivers)[LEAVES_AT_ONCE], "before the first round")
            for number, values in enumerate(rounds):
                self._play_round(values["id"], values["heats"])
                if values.get("advance") and number + 1 < len(rounds):
                    self._replace_best(values["id"])
            for values in rounds:
                self.desk.reveal(values["id"], CODE, MARSHAL)
            self.happened["entries in the book"] = self.desk.book.head.entries

    def _enter(self, many: int) -> None:
        """Half of them east, half of them west; two who follow each other there are a pair."""
        half, entrants = (many + 1) // 2, []
        for number in range(many):
            name, driver = f"n{number:03d}", DRIVERS[number % len(DRIVERS)]
            category, place = ("east", number) if number < half else ("west", number - half)
            entrants.append(EntrantAdded(name, f"Entrant {number}", category=category, pair=f"{category}-{place // 2}"))
            self.drivers[name] = driver
            self.happened[f"driver: {driver}"] += 1
        self.desk.enter_all(entrants, MARSHAL)

    def _withdraw(self, entrant: str, when: str) -> None:
        self.desk.withdraw(entrant, f"had to go {when}", MARSHAL)
        self.happened["withdrawn"] += 1

    def _replace_best(self, round_id: str) -> None:
        """The first of those who go on withdraws, and by ranks the next one goes on instead."""
        through = standings(self.desk.state).rounds[round_id].advancing
        if through is None or len(through.entrants) < 2:
            return
        self._withdraw(through.entrants[0], f"after round {round_id}")
        after = standings(self.desk.state).rounds[round_id].advancing
        assert after is not None, "a round that had an advance has one"
        self.happened["went on for one who withdrew"] += len(set(after.entrants) - set(through.entrants))

    # ---------------------------------------------------------------- a round

    def _play_round(self, round_id: str, heats: int) -> None:
        began = time.monotonic()
        for heat in range(1, heats + 1):
            self.desk.open_heat(round_id, CODE, MARSHAL, heat=heat)
            self.spares[round_id, heat] = self.desk.state.rounds[round_id].announced.spares
        made = 0
        while callable_now := [
            its.entrant for its in due(Tables(self.desk.state), round_id) if not its.why_not and its.place
        ]:
            made += self._play_all(round_id, callable_now)
        if self.desk.state.rounds[round_id].announced.scheme == "aiguilleur":
            self.desk.shared_train(round_id, 1, 1, MARSHAL)
        row = standings(self.desk.state).rounds[round_id]
        self.happened["cut off"] += sum(its.result.cut_off for its in row.rows)
        shared = sum(its.shared for its in row.rows)
        took = time.monotonic() - began
        self.say(f"round {round_id}: {len(row.rows)} in it, {made} attempts, {shared} share a rank, {took:.0f} s")
        if not row.certain:
            self.wrong.append(f"round {round_id} is not over, though nobody is to be called")

    def _to_be_called(self, round_id: str) -> list[str]:
        found = due(Tables(self.desk.state), round_id)
        return [its.entrant for its in found if its.place is not None and not its.why_not]

    def _play_all(self, round_id: str, entrants: Sequence[str]) -> int:
        on: dict[Future[Driven], str] = {}
        waiting, made = list(entrants), 0
        while waiting or on:
            while waiting and len(on) < TABLES:
                entrant = waiting.pop(0)
                on |= self._call(round_id, entrant)
                made += 1
            if on:
                ready, _ = wait(on, return_when=FIRST_COMPLETED)
                for one in ready:
                    again = self._end(on.pop(one), one.result())
                    on |= again
                    made += len(again)
        return made

    def _call(self, round_id: str, entrant: str) -> dict[Future[Driven], str]:
        self.watch.on(5)
        called = self.desk.call(round_id, entrant, MARSHAL)
        driver = self.drivers[entrant]
        if driver is Driver.ABSENT:
            self.desk.end(called.attempt, Outcome.DID_NOT_START, HELPER)
            self.desk.check(called.attempt, OTHER)
            self.happened["did-not-start, without a journal"] += 1
            return {}
        if driver is Driver.UNLUCKY:
            left = self.spares[round_id, called.heat]
            self.spares[round_id, called.heat] -= left > 0
            driver = Driver.UNLUCKY if left else Driver.PERFECT
        return self._begin(called.attempt, driver)

    def _begin(self, attempt: str, driver: Driver) -> dict[Future[Driven], str]:
        self.desk.agree(attempt, HELPER)
        self.desk.start(attempt, HELPER)
        cards = self.desk.state.attempts[attempt].started.cards
        seed = len(self.desk.state.attempts)
        wish = Wish(driver, str(self.layout), cards, NAME, attempt, self.journals / attempt, seed, self.cache)
        return {self.pool.submit(drive, wish): attempt}

    def _end(self, attempt: str, its: Driven) -> dict[Future[Driven], str]:
        """What was pressed comes to the desk as well, then the attempt ends; one to be run again begins again."""
        self.watch.on(its.took_s / TABLES)
        self.played[attempt] = its
        if its.wrong:
            self.wrong.append(f"attempt {attempt}, {its.driver}: {its.wrong}")
        if its.driver is Driver.CARELESS:
            for _, fault in FAULTS[:2]:
                self.desk.fault(attempt, fault, HELPER)
        if its.driver is Driver.UNLUCKY:
            self.desk.end(attempt, Outcome.EQUIPMENT, HELPER, journal=self.journals / attempt, why=WHY)
            again = self.desk.rerun(attempt, CODE, WHY, MARSHAL)
            self.happened["run again on a spare draw"] += 1
            return self._begin(again.attempt, Driver.PERFECT)
        told = Outcome.FINISHED if its.reached else Outcome.DID_NOT_FINISH
        told = Outcome.DID_NOT_START if its.driver is Driver.STAYS else told
        ended = self.desk.end(attempt, told, HELPER, journal=self.journals / attempt)
        self.desk.check(attempt, OTHER)
        self.happened[str(ended.outcome)] += 1
        return {}


def hold(
    folder: Path,
    pool: Executor,
    many: int,
    rounds: Sequence[Mapping[str, Any]],
    cache: Path | None = None,
    say: Callable[[str], None] = print,
) -> Evening:
    """Play a whole competition, and check everything of it."""
    its = Evening(folder, pool, cache, say)
    its.play(many, rounds)
    truths = {name: played.reached for name, played in its.played.items() if played.asked}
    found = checked(Path(its.place), NAME, its.journals, its.layout, truths, its.draws.pars_here, cache, say)
    its.wrong += found.wrong
    its.happened |= found.figures
    return its


def main() -> int:
    """Play, check, report, and end with 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--entrants", type=int, default=ENTRANTS, help="12 or more")
    parser.add_argument("--small", action="store_true", help="three rounds for a dozen, as the tests have it")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    many = 12 if arguments.small else max(12, arguments.entrants)
    rounds = small_evening() if arguments.small else evening(many)
    began = time.monotonic()
    say = partial(print, flush=True)
    with tempfile.TemporaryDirectory() as folder, ProcessPoolExecutor(arguments.jobs) as pool:
        try:
            its = hold(Path(folder), pool, many, rounds, say=say)
        except KeyboardInterrupt:
            pool.shutdown(cancel_futures=True)
            print("interrupted: nothing is left behind")
            return 130
    width = max(map(len, its.happened))
    for what, figure in its.happened.items():
        print(f"  {what:<{width}}  {figure:>7}")
    for what in its.wrong:
        print(f"WRONG: {what}")
    simulated_s = sum(one.took_s for one in its.played.values())
    print(
        f"{many} entrants, {len(rounds)} rounds, {len(its.played)} plays, {simulated_s / 3600:.1f} simulated hours: "
        f"{len(its.wrong)} wrong, in {time.monotonic() - began:.0f} s"
    )
    return 1 if its.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
