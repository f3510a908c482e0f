"""Plans that are driven by hand, or played between: what they cost, on the simulated layout in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from random import Random

import pytest
from hand_bench import HandBench

from pointsman.errors import RefusedError
from pointsman.operate.ahead import Protection
from pointsman.operate.allowances import Allowances
from pointsman.operate.plan import Planner
from pointsman.operate.referee import Origin
from pointsman.puzzle.puzzle import Count
from pointsman.record import read
from pointsman.solver.cost import tally
from pointsman.solver.search import Solution, solve
from pointsman.solver.steps import Step
from pointsman.track.builtin import find_wiring
from pointsman.track.model import Leg
from pointsman.track.wiring import UncouplerKind, Wiring
from pointsman.track.wiring_file import load_wiring


def solved(bench: HandBench, count: Count) -> Solution:
    puzzle = bench.chosen.puzzle
    return solve(puzzle.track, puzzle.start, bench.chosen.goal, count, cache=bench.cache)


def planned(bench: HandBench, plan: Solution, count: Count) -> int:
    """What the model counts of a plan."""
    return tally(bench.chosen.track, [Step((run,)) for run in plan.runs], count)


def planner(bench: HandBench) -> Planner:
    track = bench.chosen.track
    return Planner(track, load_wiring(find_wiring(bench.chosen.folder), track), Allowances())


def permanent(wiring: Wiring) -> Wiring:
    """With magnets that are always on: what stands slack over one of them may part."""
    magnets = {name: replace(one, kind=UncouplerKind.PERMANENT) for name, one in wiring.uncouplers.items()}
    return replace(wiring, uncouplers=magnets)


class TestCountedAsTheModelDoes:
    @pytest.mark.parametrize(
        ("puzzle", "start", "goal", "count"),
        [
            ("inglenook-small", None, "s1: 3 1 2", Count.RUNS),
            ("inglenook-small", None, "s1: 2 1 3", Count.PULL_DROPS),
            ("inglenook-small", None, "s1: 5 4 1 | s2: 2 3", Count.RUNS),
            ("timesaver", "UL: L 1 | UR: 2 | B: 3 4 | W: 5", "R: 1 2", Count.RUNS),
        ],
        ids=["small", "small in pull-drops", "both sidings", "timesaver"],
    )
    def test_a_plan_driven_by_hand(
        self, bench: HandBench, puzzle: str, start: str | None, goal: str, count: Count
    ) -> None:
        bench.puzzle, bench.start, bench.goal = puzzle, start, goal

        async def drive(bench: HandBench) -> None:
            await bench.drive_plan(solved(bench, count).runs, planner(bench), Random(goal))

        bench.person = drive
        final = bench.play()
        plan, figures = solved(bench, count), bench.figures
        assert figures.runs == planned(bench, plan, Count.RUNS) == len(plan.runs)
        assert figures.reversals == planned(bench, plan, Count.REVERSALS)
        assert figures.couplings == planned(bench, plan, Count.COUPLINGS)
        if count is Count.PULL_DROPS:
            assert figures.pull_drops == plan.optimum
        assert set(figures.origins.values()) == {Origin.SEEN}
        assert bench.simulation.incidents == []
        assert final.position == plan.runs[-1].after
        assert bench.chosen.goal.reached(final.position, ["L"])
        assert bench.refusals == []


class TestTheProgramPlays:
    def test_from_where_a_person_stopped_with_a_pause(self, bench: HandBench) -> None:
        done: list[str] = []

        async def drive(bench: HandBench) -> None:
            runs = solved(bench, Count.RUNS).runs
            await bench.drive_plan(runs[:3], planner(bench), Random(1))
            assert bench.dispatcher.belief.position == runs[3].before

            def told(run: object) -> None:
                done.append(str(run))
                if len(done) == 2:
                    bench.orders.pause()

            first = await asyncio.wrap_future(bench.orders.play("me", runs[3:], told))
            assert first == 2
            assert await asyncio.wrap_future(bench.orders.play("me", runs[5:])) == len(runs) - 5

        bench.person = drive
        final = bench.play()
        runs = solved(bench, Count.RUNS).runs
        assert done == [str(run) for run in runs[3:5]]
        assert final.position == runs[-1].after
        assert bench.figures.runs == len(runs)
        assert bench.figures.couplings == planned(bench, solved(bench, Count.RUNS), Count.COUPLINGS)
        assert bench.simulation.incidents == []

    def test_a_pause_counts_from_the_moment_the_play_was_ordered(self, bench: HandBench) -> None:
        """Said before the play has begun in the layout's thread; an older one holds up nothing."""

        async def drive(bench: HandBench) -> None:
            runs = solved(bench, Count.RUNS).runs
            for brake in (bench.orders.pause, lambda: bench.throttle(forward=True, speed_mm_s=0)):
                answer = bench.orders.play("me", runs)
                brake()
                assert await asyncio.wrap_future(answer) == 0
            assert bench.dispatcher.belief.position == runs[0].before
            assert await asyncio.wrap_future(bench.orders.play("me", runs[:1])) == 1

        bench.person = drive
        bench.play()
        assert bench.figures.runs == 1

    def test_the_protection_is_changed_at_once_while_the_program_drives(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            runs = solved(bench, Count.RUNS).runs
            answer = bench.orders.play("me", runs[:2])
            await bench.begun()
            for protection in (Protection.WARN, Protection.FULL):
                await asyncio.wait_for(asyncio.wrap_future(bench.orders.protect("ann", protection)), 0.1)
                assert bench.dispatcher.drive is not None, "it drives on meanwhile"
            assert await asyncio.wrap_future(answer) == 2

        bench.person = drive
        bench.play()
        ordered = [line.values["what"] for line in read(bench.journal_path).lines if line.kind == "order"]
        assert ordered == ["play 2 runs", "protection warn", "protection full", "end"]

    def test_not_while_nobody_knows_what_is_coupled(self, bench: HandBench) -> None:
        """A person has drawn off from a wagon that may have met the locomotive, or may not."""

        async def drive(bench: HandBench) -> None:
            track = bench.chosen.track

            def left_mm() -> float:
                drive = bench.dispatcher.drive
                assert drive is not None
                body = drive.step.sweep.body("1")
                meets_mm = (body.rest_low_mm + body.rest_high_mm) / 2 - body.offset_mm
                return meets_mm - drive.envelope.stop_place_mm(bench.now_s(), drive.allow)

            await bench.drive(forward=True, speed_mm_s=40, left_mm=left_mm)
            belief = bench.dispatcher.belief
            assert frozenset("L1") not in belief.coupled
            runs = solve(track, belief.position, bench.chosen.goal, Count.RUNS, cache=bench.cache).runs
            with pytest.raises(RefusedError, match="nobody knows whether 1 is coupled to L") as caught:
                await asyncio.wrap_future(bench.orders.play("me", runs))
            assert caught.value.where == "s1"
            assert caught.value.cure.startswith("by hand: drive L against 1 until they have surely met")
            await bench.drive(forward=True, speed_mm_s=40, left_mm=lambda: left_mm() + 20)
            position = bench.dispatcher.belief.position
            runs = solve(track, position, bench.chosen.goal, Count.RUNS, cache=bench.cache).runs
            assert await asyncio.wrap_future(bench.orders.play("me", runs)) == len(runs)

        bench.goal = "s2: 1"
        bench.person = drive
        final = bench.play()
        assert final.position.in_segment("s2") == ("1",)
        assert bench.simulation.incidents == []

    def test_not_with_what_was_uncoupled_until_it_has_been_coupled_up_again(self, bench: HandBench) -> None:
        def left_mm(way_mm: float) -> float:
            drive = bench.dispatcher.drive
            assert drive is not None
            return drive.step.sweep.start_low_mm + way_mm - drive.envelope.stop_place_mm(bench.now_s(), drive.allow)

        async def drive(bench: HandBench) -> None:
            runs = solved(bench, Count.RUNS).runs
            await bench.drive_plan(runs[:1], planner(bench), Random(1))
            with pytest.raises(RefusedError, match="nobody knows whether 1 is coupled to L") as caught:
                await asyncio.wrap_future(bench.orders.play("me", runs[1:]))
            assert caught.value.cure.startswith("by hand: draw L away from 1, then drive against it until")
            await bench.drive(forward=False, speed_mm_s=30, left_mm=lambda: left_mm(50))
            await bench.drive(forward=True, speed_mm_s=30, left_mm=lambda: left_mm(80))
            assert await asyncio.wrap_future(bench.orders.play("me", runs[1:])) == len(runs) - 1

        bench.goal, bench.wired = "s2: 1", permanent
        bench.person = drive
        final = bench.play()
        assert final.position.in_segment("s2") == ("1",)
        assert bench.simulation.incidents == []

    def test_not_over_points_that_it_stands_foul_of_until_it_has_been_driven_clear(self, bench: HandBench) -> None:
        """The proof of a train with wagons ahead ends over the beam at the points."""

        async def drive(bench: HandBench) -> None:
            runs = solved(bench, Count.RUNS).runs
            assert dict(runs[0].legs)["T1"] is Leg.THROWN
            with pytest.raises(RefusedError, match="2 stands on T1, or may") as caught:
                await asyncio.wrap_future(bench.orders.play("me", runs))
            assert (caught.value.where, caught.value.cure) == ("turnout T1", "by hand: drive clear of it first")
            bench.throttle(forward=False, speed_mm_s=40)
            await bench.begun()
            await bench.until_stand()
            bench.throttle(forward=False, speed_mm_s=0)
            assert await asyncio.wrap_future(bench.orders.play("me", runs)) == len(runs)

        bench.start, bench.goal = "head: L 1 2 | s1: 3 | s2: 4 5", "s3: 2"
        bench.person = drive
        bench.play()
        assert bench.simulation.incidents == []

    def test_not_from_another_position(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            with pytest.raises(RefusedError, match="the first run starts from"):
                await asyncio.wrap_future(bench.orders.play("me", solved(bench, Count.RUNS).runs[1:]))

        bench.person = drive
        bench.play()
