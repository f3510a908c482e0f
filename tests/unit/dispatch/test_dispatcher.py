"""Whole plays in virtual time: done only when it is true, and stopped, standing and told when anything is wrong."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import pytest
from bench import Bench

from pointsman.errors import HaltedError, PointsmanError, RefusedError
from pointsman.messages import SensorChanged
from pointsman.record import message_of, read
from pointsman.track.model import End
from railsim.faults import Fault, Planned
from railsim.incidents import Kind
from railsim.profiles import PROFILES


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def bench(tmp_path: Path, cache: Path) -> Bench:
    return Bench(tmp_path / "play.journal", cache)


@dataclass
class Lost:
    """The first of some commands never arrive."""

    command: bytes
    left: int

    def __call__(self, data: bytes) -> bytes:
        def drop(found: re.Match[bytes]) -> bytes:
            self.left -= 1
            return found[0] if self.left < 0 else b""

        return re.sub(self.command, drop, data)


class Powerless:
    """The first of some magnets are said to be on, and are not."""

    def __init__(self, bench: Bench, left: int = 1000) -> None:
        self._left = left
        self._pretended: set[bytes] = set()
        bench.to_station, bench.from_station = self._down, self._up

    def _down(self, data: bytes) -> bytes:
        return re.sub(rb"<Z (\d) 1>", self._off, data)

    def _off(self, found: re.Match[bytes]) -> bytes:
        self._left -= 1
        if self._left < 0:
            return found[0]
        self._pretended.add(found[1])
        return b"<Z " + found[1] + b" 0>"

    def _up(self, data: bytes) -> bytes:
        return re.sub(rb"<Y (\d) 0>", self._on, data)

    def _on(self, found: re.Match[bytes]) -> bytes:
        if found[1] not in self._pretended:
            return found[0]
        self._pretended.remove(found[1])
        return b"<Y " + found[1] + b" 1>"


def notes(bench: Bench) -> list[str]:
    """What was said beside the steps."""
    return [status.note for status in bench.statuses if status.note]


def stopped(bench: Bench, error: type[PointsmanError] = HaltedError) -> str:
    """Play a play that must be stopped; nothing may move afterwards, and the journal must be whole. The reason."""
    with pytest.raises(error) as caught:
        bench.play()
    assert bench.speed_in_the_end == 0
    assert bench.truth.moving == ()
    reading = read(bench.journal_path)
    assert reading.bad == ""
    return caught.value.what


class TestToTheEnd:
    @pytest.mark.parametrize("seed", range(3))
    def test_truth_is_the_goal_and_nothing_was_bumped(self, bench: Bench, seed: int) -> None:
        bench.seed = seed
        final = bench.play()
        assert bench.chosen.goal.reached(final.position, ["L"])
        assert "s1: 3 1 2" in bench.truth.line
        assert bench.simulation.incidents == []
        assert bench.dispatcher.score.runs == len(bench.runs())

    @pytest.mark.parametrize("serial", [True, False], ids=["serial", "network"])
    @pytest.mark.parametrize("profile", PROFILES)
    def test_on_every_version_of_the_firmware(self, bench: Bench, profile: str, serial: bool) -> None:
        bench.profile, bench.serial = profile, serial
        final = bench.play()
        assert bench.chosen.goal.reached(final.position, ["L"])
        assert "s1: 3 1 2" in bench.truth.line
        assert bench.simulation.incidents == []

    def test_the_ladder_trick_and_both_short_sidings(self, bench: Bench) -> None:
        bench.goal = "s1: 5 4 1 | s2: 2 3"
        bench.play()
        assert "s1: 5 4 1 | s2: 2 3" in bench.truth.line
        assert bench.simulation.incidents == []

    def test_nothing_to_do_still_powers_on_and_ends(self, bench: Bench) -> None:
        bench.goal = "s1: 1 2 3"
        bench.play()
        assert bench.dispatcher.score.raw_starts == 0

    def test_every_command_is_in_the_journal_and_numbered_once(self, bench: Bench) -> None:
        bench.play()
        lines = [line for line in read(bench.journal_path).lines if line.kind == "command"]
        numbers = [line.values["number"] for line in lines]
        assert numbers == list(range(1, len(numbers) + 1))
        for line in lines:
            message_of(line)

    def test_power_comes_on_only_after_everything_stands_and_is_off(self, bench: Bench) -> None:
        bench.play()
        written = b"".join(data for _, data in bench.sent).decode()
        before = written[: written.index("<1 MAIN>")]
        assert "<1>" not in written
        assert before.rindex("<!>") < before.rindex("<t 3 0 1>") < before.rindex("<Z 3 0>")
        assert re.search(r"<#>$", before.rstrip())

    def test_no_drive_before_every_turnout_was_set_once(self, bench: Bench) -> None:
        bench.play()
        written = b"".join(data for _, data in bench.sent).decode()
        first_drive = re.search(r"<t 3 [1-9]", written)
        assert first_drive is not None
        assert {m.group(1) for m in re.finditer(r"<T (\d) [01]>", written[: first_drive.start()])} == {"1", "2"}

    def test_no_drive_while_points_move(self, bench: Bench) -> None:
        bench.play()
        thrown_s = [t_s for t_s, data in bench.sent if b"<T " in data]
        driven_s = [t_s for t_s, data in bench.sent if re.search(rb"<t 3 [1-9]", data)]
        assert thrown_s
        assert driven_s
        assert all(not 0 <= driven - thrown < 1.3 for thrown in thrown_s for driven in driven_s)


class TestBeforeAnythingMoves:
    def test_a_locomotive_the_wrong_way_round_is_found_by_the_proving_move(self, bench: Bench) -> None:
        bench.facing = End.FROM
        reason = stopped(bench)
        assert "turned round" in reason
        assert bench.simulation.incidents == []

    def test_a_wagon_in_a_beam_that_should_be_free(self, bench: Bench) -> None:
        # A wagon more than the picture shows, out of place at the throat.
        bench.later(0.0, lambda b: b.simulation.show_beam("s1", True))
        reason = stopped(bench, RefusedError)
        assert "beam s1 is broken" in reason
        assert bench.dispatcher.score.raw_starts == 0
        assert not any(b"<1 MAIN>" in data for _, data in bench.sent)


class TestEvidence:
    def test_a_dead_beam(self, bench: Bench) -> None:
        dead = [False]
        bench.from_station = lambda data: re.sub(rb"<[Qq] 2>\n?", b"", data) if dead[0] else data
        bench.while_doing("prove", lambda b: dead.__setitem__(0, True))
        reason = stopped(bench)
        assert "s1" in reason
        assert "was not" in reason
        assert all(str(i.kind) == "buffer" for i in bench.simulation.incidents)

    def test_a_locomotive_that_does_not_hear_where_it_should_stop(self, bench: Bench) -> None:
        """Without contact it hears nothing: it runs on, and does not turn back when it is told to."""
        deaf = Fault.DIRTY
        bench.while_doing("drive", lambda b: b.simulation.plan([Planned(deaf, "L", b.now_s(), 6.0)]), 5.0)
        assert stopped(bench) == "beam s1 should have been freed by L by now, and was not"
        assert {incident.kind for incident in bench.simulation.incidents} == {Kind.BUFFER}, "no command can hinder that"

    def test_points_that_did_not_move_are_named(self, bench: Bench) -> None:
        """The train then comes by the beam of the other leg."""

        def stick(b: Bench) -> None:
            b.simulation.plan([Planned(Fault.TURNOUT_STUCK, "T1", b.now_s(), 1e6)])

        bench.while_doing("T1 to thrown", stick)
        with pytest.raises(HaltedError) as halted:
            bench.play()
        error = halted.value
        assert "and nothing that moves should do that here" in error.what
        assert error.cure == "T1 may not have moved; look at the layout before anything else"
        last, now = str(error).splitlines()[1:3]
        assert last == f"  last confirmed: {error.confirmed}"
        assert re.fullmatch(r"  now believed: the middle of L at \d+ mm of \w+, give or take \d+", now)

    def test_points_that_did_not_move_may_keep_an_edge_from_coming(self, bench: Bench) -> None:
        bench.while_doing("T1 to", lambda b: b.simulation.plan([Planned(Fault.TURNOUT_STUCK, "T1", b.now_s(), 1e6)]))
        with pytest.raises(HaltedError) as halted:
            bench.play()
        assert halted.value.what == "beam s1 should have been broken by L by now, and was not"
        assert halted.value.cure.startswith("T1 may not have moved, L stood still, or beam s1 is dead; look at")

    def test_what_may_be_behind_an_edge_that_did_not_come(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.simulation.plan([Planned(Fault.DIRTY, "L", b.now_s(), 6.0)]), 5.0)
        with pytest.raises(HaltedError) as halted:
            bench.play()
        assert halted.value.cure == "L stood still, or beam s1 is dead; look at the layout before anything else"

    def test_a_hand_in_a_beam_while_a_train_runs(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.simulation.show_beam("s3", True), 1.0)
        reason = stopped(bench)
        assert "beam s3 became broken" in reason
        assert bench.simulation.incidents == []

    def test_a_hand_in_a_beam_while_everything_stands(self, bench: Bench) -> None:
        bench.while_doing("T2 to", lambda b: b.simulation.show_beam("s3", True), 0.5)
        assert "while everything stood" in stopped(bench)
        assert bench.dispatcher.score.raw_starts == 0

    def test_a_magnet_that_never_parts(self, bench: Bench) -> None:
        Powerless(bench)
        assert stopped(bench) == "2 came along: it did not uncouple, tried 4 times"
        assert notes(bench).count("2 came along: it did not uncouple; trying again") == 3
        assert bench.simulation.incidents == []
        assert bench.dispatcher.score.uncouplings == 0

    @pytest.mark.parametrize("failures", [1, 2, 3])
    def test_a_magnet_that_parts_in_the_end(self, bench: Bench, failures: int) -> None:
        Powerless(bench, failures)
        final = bench.play()
        assert str(final.position) == bench.truth.line
        assert notes(bench).count("2 came along: it did not uncouple; trying again") == failures
        assert bench.simulation.incidents == []
        plain = [run for run in bench.runs() if run.left]
        # What was tried again counts once, in runs and in uncouplings; the starts are as many as there were.
        assert bench.dispatcher.score.runs == len(bench.runs())
        assert bench.dispatcher.score.uncouplings == len(plain)
        tried = [line for line in read(bench.journal_path).lines if line.kind == "came along"]
        assert [line.values["tries"] for line in tried] == list(range(1, failures + 1))

    def test_a_wagon_that_comes_along_when_another_may_have_been_met(self, bench: Bench) -> None:
        """Nobody knows then what is coupled: a person looks."""
        bench.puzzle, bench.goal = "timesaver", "UR: 5 | LL: 3 | B: 1 | W: 4 | R: 2"
        Powerless(bench, 1)
        assert stopped(bench) == "2 came along: it did not uncouple, and L may have met 5 meanwhile"
        assert bench.simulation.incidents == []

    def test_a_magnet_that_the_station_never_heard_of(self, bench: Bench) -> None:
        bench.to_station = lambda data: re.sub(rb"<Z \d 1>", b"", data)
        assert "did not say that magnet" in stopped(bench)
        assert bench.simulation.incidents == []

    def test_points_that_do_not_move_are_noticed_at_the_next_beam(self, bench: Bench) -> None:
        # The station says what it commanded, whatever the machine does.
        bench.later(0.0, lambda b: b.simulation.plan([Planned(Fault.TURNOUT_STUCK, "T1")]))
        assert "beam" in stopped(bench)

    def test_a_station_that_says_the_points_lie_otherwise(self, bench: Bench) -> None:
        bench.to_station = lambda data: data.replace(b"<T 1 1>", b"")
        assert stopped(bench) == "T1 was set to thrown twice, and is reported closed"

    def test_points_that_move_when_they_are_set_again(self, bench: Bench) -> None:
        bench.to_station = Lost(rb"<T 1 1>", 1)
        final = bench.play()
        assert str(final.position) == bench.truth.line
        assert "T1 was set to thrown, and is reported closed; setting it again" in notes(bench)


class TestTheStation:
    def test_a_restart_in_mid_run(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.simulation.reset_station(), 1.0)
        # What is noticed first (a missing edge, or silence) depends on where the train is.
        stopped(bench)
        assert not bench.simulation.world.powered
        assert bench.simulation.incidents == []

    def test_a_quick_restart_while_everything_stands(self, bench: Bench) -> None:
        bench.while_doing("T2 to", lambda b: b.link.deliver(b"<iDCC-EX V-5.6.0 / MEGA / SHIELD G-x>\n"), 0.1)
        assert "restarted" in stopped(bench)
        assert bench.dispatcher.score.raw_starts == 0

    def test_another_throttle_takes_the_locomotive(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.other_throttle(b"<t 3 100 1>"), 1.0)
        assert "something else controls" in stopped(bench)

    def test_another_throttle_throws_points(self, bench: Bench) -> None:
        bench.while_doing("prove", lambda b: b.other_throttle(b"<T 2 1>"), 0.2)
        assert "something else controls" in stopped(bench)

    def test_the_power_goes_off(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.other_throttle(b"<0>"), 1.0)
        assert stopped(bench) == "the track power went off"

    @pytest.mark.parametrize(("doing", "moved"), [("T2 to", False), ("drive", True)])
    def test_a_cable_that_is_pulled_out(self, bench: Bench, doing: str, moved: bool) -> None:
        """The plan ends with its station. Nothing can be written any more: a hand has to switch off what still runs."""
        bench.while_doing(doing, lambda b: b.host.plug(False), 0.5)
        with pytest.raises(HaltedError) as halt:
            bench.play()
        assert halt.value.what == "the link to the station is lost: the port is gone"
        assert ("BY HAND" in halt.value.cure) is moved
        lines = read(bench.journal_path).lines
        halted = next(at for at, line in enumerate(lines) if line.kind == "halt")
        assert not [line for line in lines[halted:] if line.kind in ("step", "command", "run")]

    def test_silence(self, bench: Bench) -> None:
        quiet = [False]
        bench.from_station = lambda data: b"" if quiet[0] else data
        bench.while_doing("T2 to", lambda b: quiet.__setitem__(0, True), 0.1)
        assert "did not confirm" in stopped(bench)
        assert bench.simulation.incidents == []

    def test_an_order_that_is_not_confirmed_at_once(self, bench: Bench) -> None:
        """The train is then further on than is believed, and goes faster: waiting for longer would make it worse."""
        lost: list[float] = []

        def slower(data: bytes) -> bytes:
            if b"<t 3 10 " in data and not lost:
                lost.append(bench.now_s())
                return b""
            return data

        bench.to_station = slower
        with pytest.raises(HaltedError, match=r"did not confirm command \d+ \(Drive\)") as raised:
            bench.play()
        assert "BY HAND" in raised.value.cure
        assert "BY HAND" in notes(bench)[-1]
        assert bench.halted_s is not None
        assert bench.halted_s - lost[0] == pytest.approx(0.3, abs=0.01)
        assert bench.simulation.incidents == []

    def test_a_rejected_turnout(self, bench: Bench) -> None:
        bench.to_station = lambda data: data.replace(b"<T 2 ", b"<T 77 ")
        assert re.search(r"command \d+ was not accepted: the station rejected it", stopped(bench))

    def test_the_stop_is_repeated_until_the_fence_and_then_the_power_is_cut(self, bench: Bench) -> None:
        deaf = [False]
        bench.from_station = lambda data: b"" if deaf[0] else data
        bench.while_doing("drive", lambda b: deaf.__setitem__(0, True), 0.5)
        stopped(bench)
        assert bench.halted_s is not None
        after = bench.frames_after(bench.halted_s - 0.001)
        stops = [data for data in after if data.startswith(b"<!>")]
        assert len(stops) >= 4
        assert any(b"<0>" in data for data in stops)


class TestAPerson:
    def test_a_stop_in_mid_run(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.dispatcher.halt("stopped by hand"), 1.0)
        assert stopped(bench) == "stopped by hand"
        assert bench.simulation.incidents == []
        halt_s = next(line.t_s for line in read(bench.journal_path).lines if line.kind == "halt")
        first = bench.frames_after(halt_s)[0]
        assert first.startswith(b"<!><#>")

    def test_what_still_moves_after_a_stop_loses_its_power(self, bench: Bench) -> None:
        deaf = [Planned(Fault.DIRTY, "L", 0.0, 60.0)]
        bench.while_doing("drive", lambda b: b.simulation.plan([replace(deaf[0], at_s=b.now_s())]), 0.9)
        bench.while_doing("drive", lambda b: b.dispatcher.halt("stopped by hand"), 1.0)
        bench.run_on_s = 10.0
        assert stopped(bench) == "stopped by hand"
        assert bench.halted_s is not None
        (cut_s, *_) = [at for at, data in bench.sent if at > bench.halted_s and b"<0>" in data]
        changed = [e.t_s for e in bench.events if isinstance(e, SensorChanged) and e.t_s > bench.halted_s + 0.3]
        assert cut_s == pytest.approx(changed[0])
        assert not bench.simulation.world.powered

    def test_a_play_that_is_cancelled_is_no_fault_of_the_program(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.playing and b.playing.cancel(), 1.0)
        with pytest.raises(asyncio.CancelledError):
            bench.play()
        assert bench.speed_in_the_end == 0
        (halt,) = [line for line in read(bench.journal_path).lines if line.kind == "halt"]
        assert halt.text("why") == "the program was told to end it"
        assert notes(bench) == ["STOPPED: the program was told to end it"]

    def test_nothing_starts_again_after_a_stop(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.dispatcher.halt("stopped by hand"), 1.0)
        stopped(bench)
        assert bench.halted_s is not None
        halt_s = next(line.t_s for line in read(bench.journal_path).lines if line.kind == "halt")
        assert not any(re.search(rb"<t 3 [1-9]|<Z \d 1>", data) for data in bench.frames_after(halt_s))

    def test_magnets_go_off_on_the_way_out(self, bench: Bench) -> None:
        bench.while_doing("uncouple", lambda b: b.dispatcher.halt("stopped by hand"), 0.2)
        stopped(bench)
        last = re.findall(rb"<Z (\d) ([01])>", b"".join(data for _, data in bench.sent))
        assert dict(last) == {b"1": b"0", b"2": b"0", b"3": b"0"}
        assert bench.simulation.incidents == []


class TestSupervision:
    def test_it_beats_while_anything_moves_or_is_energised_and_rests_in_between(self, bench: Bench) -> None:
        bench.play()
        assert bench.beats
        gaps = [after_s - before_s for (before_s, active), (after_s, _) in pairwise(bench.beats) if active]
        assert max(gaps) < 0.06
        assert bench.beats[-1][1] is False

    def test_a_program_that_stood_still_stops_before_it_judges_what_it_missed(self, bench: Bench) -> None:
        bench.while_doing("drive", lambda b: b.loop.pause(0.5), 1.0)
        with pytest.raises(HaltedError, match=r"this program stood still for 0\.[45] s") as raised:
            bench.play()
        assert raised.value.cure == (
            "the computer was busy: end other programs, then start again; look at the layout before anything else"
        )
        assert bench.simulation.incidents == []

    def test_only_what_a_beam_has_seen_is_called_seen(self, bench: Bench) -> None:
        bench.play()
        moved = {v for run in bench.runs() for v in run.after.vehicles if run.before.where(v) != run.after.where(v)}
        assert "L" in bench.dispatcher.seen
        assert bench.dispatcher.seen <= moved


class TestAFault:
    def test_a_fault_of_the_program_stops_the_train_before_it_is_reported(self, bench: Bench) -> None:
        def break_it(b: Bench) -> None:
            b.dispatcher._planner = None

        bench.while_doing("drive", break_it, 0.5)
        with pytest.raises(AttributeError):
            bench.play()
        assert bench.speed_in_the_end == 0
        lines = read(bench.journal_path).lines
        assert any(line.kind == "halt" and "a fault of the program" in line.text("why") for line in lines)


class TestTheJournal:
    def test_a_disk_that_fails_stops_the_play(self, bench: Bench) -> None:
        import os

        def break_it(b: Bench) -> None:
            full = os.open("/dev/full", os.O_WRONLY)
            os.dup2(full, b.dispatcher._control._journal._file)
            os.close(full)

        bench.while_doing("drive", break_it, 0.5)
        with pytest.raises(HaltedError, match="journal"):
            bench.play()
        assert bench.speed_in_the_end == 0
