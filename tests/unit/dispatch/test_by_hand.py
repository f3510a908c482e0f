"""Driving by hand under the protection, on the simulated layout in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from shutil import copytree

import pytest
from hand_bench import HandBench

from pointsman.dispatch.hand_status import HandDrive
from pointsman.errors import HaltedError, RefusedError
from pointsman.operate.ahead import Protection
from pointsman.operate.belief import Spot
from pointsman.record import read
from pointsman.track.builtin import find_layout
from pointsman.track.model import Leg, Place


def written(bench: HandBench, kind: str) -> list[dict[str, object]]:
    return [dict(line.values) for line in read(bench.journal_path).lines if line.kind == kind]


class TestTheThrottle:
    def test_one_that_is_not_renewed_stops_the_train(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            bench.throttle(forward=True, speed_mm_s=40)
            said = bench.now_s()
            await bench.begun()
            await bench.until_stand()
            assert 1.5 < bench.now_s() - said < 2.5
            bench.throttle(forward=True, speed_mm_s=40)
            await asyncio.sleep(0.1)
            assert bench.dispatcher.drive is None, "it must be closed before it drives again"
            bench.throttle(forward=True, speed_mm_s=0)
            bench.throttle(forward=True, speed_mm_s=40)
            await bench.begun()

        bench.person = drive
        bench.play()
        assert any("not renewed for 1.5 s" in str(order["what"]) for order in written(bench, "order"))

    def test_reversing_brakes_and_then_goes_the_other_way(self, bench: HandBench) -> None:
        ways = []

        async def drive(bench: HandBench) -> None:
            bench.throttle(forward=True, speed_mm_s=60)
            await asyncio.sleep(1.0)
            for _ in range(6):
                bench.throttle(forward=False, speed_mm_s=60)
                await asyncio.sleep(0.4)
                drive = bench.dispatcher.drive
                ways.append(None if drive is None else drive.step.forward)

        bench.person = drive
        bench.play()
        assert ways[0] is not False, "it is braking"
        assert ways[-1] is False

    def test_it_stops_before_the_end_of_the_line_and_says_so(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            await bench.drive(forward=False, speed_mm_s=500)
            await bench.drive(forward=False, speed_mm_s=500)

        bench.person = drive
        bench.play()
        assert "stopped: the track ends in head" in [status.note for status in bench.statuses]
        (refusal,) = bench.refusals
        assert (refusal.who, refusal.error.what, refusal.about) == ("me", "the track ends in head", "segment head")
        assert bench.simulation.incidents == []
        assert bench.truth.on["head"][0].from_mm < 60

    def test_that_it_stands_and_why_are_told_as_one(self, bench: HandBench) -> None:
        """Whoever shows it looks when it can: a reason that came later would come too late."""

        async def drive(bench: HandBench) -> None:
            await bench.drive(forward=False, speed_mm_s=500)
            bench.throttle(forward=True, speed_mm_s=40)
            await bench.begun()
            await bench.until_stand()
            bench.throttle(forward=True, speed_mm_s=0)
            bench.throttle(forward=False, speed_mm_s=30)
            await bench.begun()
            bench.throttle(forward=False, speed_mm_s=0)
            await bench.until_stand()

        bench.person = drive
        bench.play()
        by_hand = [status for status in bench.statuses if status.hand is not None]
        ends = [after for before, after in pairwise(by_hand) if before.drive is not None and after.drive is None]
        assert [one.hand and one.hand.ended for one in ends] == [
            HandDrive(1, 0, "the track ends in head"),
            HandDrive(2, 1, "the throttle was not renewed for 1.5 s"),
            HandDrive(3, 2, ""),
        ]

    def test_a_faster_and_a_slower_throttle_are_followed(self, bench: HandBench) -> None:
        speeds: list[float] = []

        async def drive(bench: HandBench) -> None:
            for speed in (20, 80, 30):
                bench.throttle(forward=True, speed_mm_s=speed)
                await asyncio.sleep(0.9)
                speeds.append(bench.simulation.world.speed_mm_s("L"))

        bench.person = drive
        bench.play()
        creeping, fast, slower = speeds
        assert creeping < 27
        assert fast > 55
        assert slower < 40

    def test_of_another_locomotive_drives_nothing(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            bench.orders.throttle("me", "M", forward=True, speed_mm_s=30)
            await asyncio.sleep(0.1)

        bench.person = drive
        bench.play()
        assert [refusal.error.what for refusal in bench.refusals] == ["M is not driven here"]


class TestRefused:
    def refused(self, bench: HandBench) -> list[str]:
        return [refusal.error.what for refusal in bench.refusals]

    def test_points_under_a_train(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            bench.throttle(forward=True, speed_mm_s=80)
            await asyncio.sleep(1.4)
            bench.throttle(forward=True, speed_mm_s=0)
            await bench.until_stand()
            with pytest.raises(RefusedError, match="L stands on T1, or may") as caught:
                await bench.turnout("T1", Leg.THROWN)
            assert caught.value.where == "turnout T1"
            await bench.drive(forward=False, speed_mm_s=80)
            await bench.turnout("T1", Leg.THROWN)

        bench.person = drive
        bench.play()
        assert bench.simulation.incidents == []

    def test_while_it_moves(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            bench.throttle(forward=True, speed_mm_s=40)
            await bench.begun()
            for order in (bench.turnout("T1", Leg.THROWN), bench.uncouple("s1"), bench.play_runs()):
                with pytest.raises(RefusedError, match="L is moving"):
                    await order

        bench.person = drive
        bench.play()

    def test_uncoupling_where_nothing_is(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            for magnet in ("s1", "nowhere"):
                with pytest.raises(RefusedError):
                    await bench.uncouple(magnet)

        bench.person = drive
        bench.play()
        assert self.refused(bench) == ["the nearest coupling is 85 mm from magnet s1", "there is no magnet 'nowhere'"]

    def test_points_that_are_not_there(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            with pytest.raises(RefusedError, match="there is no turnout 'T9'"):
                await bench.turnout("T9", Leg.THROWN)

        bench.person = drive
        bench.play()

    def test_orders_after_the_end(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            await asyncio.wrap_future(bench.orders.finish("me"))
            with pytest.raises(RefusedError, match="nobody drives here any more"):
                await bench.turnout("T1", Leg.THROWN)

        bench.person = drive
        bench.play()


class TestLightsAndHorn:
    def test_at_any_time_and_nothing_moves_by_it(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            await asyncio.wrap_future(bench.orders.function("me", "L", 0, on=True))
            starts = bench.dispatcher.score.raw_starts
            bench.throttle(forward=True, speed_mm_s=40)
            await bench.begun()
            await asyncio.wrap_future(bench.orders.function("me", "L", 2, on=True))
            assert bench.dispatcher.drive is not None
            with pytest.raises(RefusedError, match="L has no F29 here"):
                await asyncio.wrap_future(bench.orders.function("me", "L", 29, on=True))
            assert bench.dispatcher.score.raw_starts == starts + 1

        bench.person = drive
        bench.play()
        sent = b"".join(data for _, data in bench.sent)
        assert b"<F 3 0 1>" in sent
        assert b"<F 3 2 1>" in sent

    def test_one_that_is_not_answered_stops_nothing(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            bench.to_station = lambda data: b"" if data.startswith(b"<F ") else data
            await asyncio.wrap_future(bench.orders.function("me", "L", 2, on=True))
            await asyncio.sleep(0.4)

        bench.person = drive
        bench.play()


def test_a_beam_that_is_dead_stops_everything(bench: HandBench) -> None:
    """The dispatcher's own halts end a sitting as they end a play, and whoever waits is told."""
    told: list[BaseException] = []

    async def drive(bench: HandBench) -> None:
        await bench.drive(forward=False, speed_mm_s=40)
        bench.from_station = lambda data: data.replace(b"<Q 2>", b"")
        answer = bench.orders.turnout("me", "T1", Leg.CLOSED)
        await asyncio.wrap_future(answer)
        await bench.drive(forward=True, speed_mm_s=60)
        told.append(asyncio.wrap_future(bench.orders.turnout("me", "T1", Leg.CLOSED)).exception() or AssertionError())

    bench.person = drive
    with pytest.raises(HaltedError, match="beam s1 should have been broken by L by now"):
        bench.play()
    assert bench.speed_in_the_end == 0
    assert {str(incident.kind) for incident in bench.simulation.incidents} <= {"rough coupling"}


def test_where_no_order_helps_everything_is_stopped_and_may_be_put_right(bench: HandBench) -> None:
    """Nobody knows exactly enough where it stands: between points that lie against it and a full siding."""
    bench.puzzle, bench.start, bench.goal = "tchoutchou", "head: L | s2: ladies coal salt", "s3: salt"

    async def drive(bench: HandBench) -> None:
        state = bench.dispatcher._control.state
        spots = {**state.belief.spots, "L": Spot(Place("T2", Leg.CLOSED, 161.6), 95.4)}
        state.belief = replace(state.belief, spots=spots, commanded=dict.fromkeys(("T1", "T2"), Leg.CLOSED))
        bench.throttle(forward=True, speed_mm_s=30)
        await asyncio.sleep(1)

    bench.person = drive
    with pytest.raises(HaltedError, match="L has no room either way") as caught:
        bench.play()
    assert caught.value.cure == "say what stands where"
    assert [refusal.error.what for refusal in bench.refusals] == ["the track ends in s2"]


ALL_PROTECTIONS = pytest.mark.parametrize("protection", Protection)


class TestProtection:
    """What each setting lets a person do, with a siding that is longer than what the game lets stand in it."""

    TOO_MANY = "s2 holds 2: 1 2 3 would be too many"

    @pytest.fixture
    def roomy(self, bench: HandBench, tmp_path: Path, protection: Protection) -> HandBench:
        folder = copytree(find_layout("inglenook-small"), tmp_path / "roomy")
        layout = folder / "layout.toml"
        short = "[segments.s2]\ncapacity = 2\nlength_mm = 199"
        assert short in layout.read_text()
        layout.write_text(layout.read_text().replace(short, short.replace("199", "400")))
        bench.puzzle, bench.start, bench.goal = str(folder), "head: L 1 | s2: 2 3", "s2: 1 2"
        bench.protection = protection
        return bench

    def notes(self, bench: HandBench) -> set[str]:
        return {status.note for status in bench.statuses if status.note}

    @ALL_PROTECTIONS
    def test_one_wagon_too_many(self, roomy: HandBench, protection: Protection) -> None:
        async def drive(bench: HandBench) -> None:
            await bench.drive(forward=False, speed_mm_s=80)
            await bench.turnout("T1", Leg.THROWN)
            await bench.turnout("T2", Leg.CLOSED)
            await bench.drive(forward=True, speed_mm_s=80)

        roomy.person = drive
        roomy.play()
        notes = self.notes(roomy)
        inside = [v for v in roomy.truth.on["s2"] if v.from_mm > 0]
        if protection is Protection.FULL:
            assert f"stopped: {self.TOO_MANY}" in notes
            assert [v.name for v in inside] == ["2", "3"]
        else:
            assert "stopped: the track ends in s2" in notes
            assert {"1", "2", "3"} <= {v.name for v in inside}
        assert (f"careful: {self.TOO_MANY}" in notes) is (protection is Protection.WARN)
        told = [s.hand.warned.why for s in roomy.statuses if s.drive is not None and s.hand and s.hand.warned]
        assert set(told) == ({self.TOO_MANY} if protection is Protection.WARN else set())
        passed = {"what": self.TOO_MANY, "protection": str(protection)}
        assert (passed in written(roomy, "let pass")) is (protection is not Protection.FULL)
        assert roomy.simulation.incidents == []

    @ALL_PROTECTIONS
    def test_the_rules_of_the_metal_hold_under_each(self, roomy: HandBench, protection: Protection) -> None:
        assert roomy.protection is protection

        async def drive(bench: HandBench) -> None:
            await bench.drive(forward=False, speed_mm_s=80)
            await bench.turnout("T1", Leg.THROWN)
            await bench.turnout("T2", Leg.CLOSED)
            bench.throttle(forward=True, speed_mm_s=80)
            await bench.begun()
            await asyncio.sleep(1.5)
            with pytest.raises(RefusedError, match="L is moving"):
                await bench.turnout("T1", Leg.CLOSED)
            bench.throttle(forward=True, speed_mm_s=0)
            await bench.until_stand()
            with pytest.raises(RefusedError, match=r"stands on T1"):
                await bench.turnout("T1", Leg.CLOSED)
            with pytest.raises(RefusedError, match=r"magnet s3"):
                await bench.uncouple("s3")
            await bench.drive(forward=False, speed_mm_s=500)
            await bench.turnout("T2", Leg.THROWN)
            await bench.turnout("T1", Leg.CLOSED)
            await bench.drive(forward=True, speed_mm_s=500)

        roomy.person = drive
        roomy.play()
        notes = self.notes(roomy)
        assert "stopped: the track ends in head" in notes
        assert "stopped: the track ends in s1" in notes
        assert roomy.simulation.incidents == []

    @ALL_PROTECTIONS
    def test_points_that_lie_against_the_train(self, roomy: HandBench, protection: Protection) -> None:
        assert roomy.protection is protection
        roomy.start = "s1: L | s3: 1 | s2: 2 3"

        async def drive(bench: HandBench) -> None:
            await bench.drive(forward=True, speed_mm_s=30)
            await bench.turnout("T1", Leg.THROWN)
            await bench.drive(forward=False, speed_mm_s=80)

        roomy.person = drive
        roomy.play()
        against = "T1 lies for its thrown leg, against a train from closed"
        assert {f"stopped: {against}"} & self.notes(roomy) or against in {r.error.what for r in roomy.refusals}
        assert roomy.simulation.incidents == []

    @pytest.mark.parametrize("protection", [Protection.OFF])
    def test_one_that_is_raised_under_way_holds_at_once(self, roomy: HandBench, protection: Protection) -> None:
        assert roomy.protection is protection

        async def drive(bench: HandBench) -> None:
            await bench.drive(forward=False, speed_mm_s=80)
            await bench.turnout("T1", Leg.THROWN)
            await bench.turnout("T2", Leg.CLOSED)
            bench.throttle(forward=True, speed_mm_s=40)
            await bench.begun()
            await asyncio.wrap_future(bench.orders.protect("marshal", Protection.FULL))
            await bench.until_stand()
            bench.throttle(forward=True, speed_mm_s=0)
            await bench.drive(forward=True, speed_mm_s=80)

        roomy.person = drive
        roomy.play()
        notes = self.notes(roomy)
        assert {"stopped: the protection was raised", f"stopped: {self.TOO_MANY}"} <= notes
        orders = [str(order["what"]) for order in written(roomy, "order")]
        assert orders.index("protection full") < orders.index("the protection was raised")
        assert [v.name for v in roomy.truth.on["s2"] if v.from_mm > 0] == ["2", "3"]

    def test_it_is_changed_in_the_sitting(self, bench: HandBench) -> None:
        async def drive(bench: HandBench) -> None:
            await asyncio.wrap_future(bench.orders.protect("me", Protection.WARN))
            await bench.drive(forward=True, speed_mm_s=60)

        bench.person = drive
        bench.play()
        assert bench.statuses[-1].hand is not None
        assert bench.statuses[-1].hand.protection is Protection.WARN
