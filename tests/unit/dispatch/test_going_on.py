"""A play that was stopped, put right by a person, and gone on with: to the goal, with nothing bumped on the way."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from bench import Bench

from pointsman.errors import HaltedError, PointsmanError, RefusedError
from pointsman.operate.putting_right import corrected, why_not_so
from pointsman.operate.referee import Origin, with_hand
from pointsman.operate.retelling import Told, retell
from pointsman.puzzle.position import Position, parse_position
from pointsman.record import read


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


@pytest.fixture
def bench(tmp_path: Path, cache: Path) -> Bench:
    return Bench(tmp_path / "play.journal", cache)


def dead_beam(bench: Bench) -> None:
    """In the middle of a run the beam of siding 1 dies."""
    dead = [False]
    bench.from_station = lambda data: re.sub(rb"<[Qq] 2>\n?", b"", data) if dead[0] else data
    bench.while_doing("drive 1", lambda b: dead.__setitem__(0, True))


def lost_link(bench: Bench) -> None:
    """Nothing comes from the station any more, and nothing arrives there."""
    lost = [False]
    bench.from_station = lambda data: b"" if lost[0] else data
    bench.to_station = lambda data: b"" if lost[0] else data
    bench.while_doing("T2 to thrown", lambda b: lost.__setitem__(0, True), 0.2)


def power_cut(bench: Bench) -> None:
    """Somebody pulls the plug of the track."""
    bench.while_doing("drive 1", lambda b: b.other_throttle(b"<0>"), 1.0)


def hand_in_a_beam(bench: Bench) -> None:
    """Somebody reaches for a wagon while the train runs."""
    bench.while_doing("drive 1", lambda b: b.simulation.show_beam("s3", True), 1.0)


def wagon_lifted(bench: Bench) -> None:
    """Somebody lifts a wagon off the track, out of the train that runs."""
    bench.while_doing("drive 1", lambda b: b.simulation.world.lift("1"), 1.0)


def stopped(bench: Bench) -> Told:
    """Play a play that is stopped; what its journal then tells."""
    with pytest.raises(PointsmanError):
        bench.play()
    reading = read(bench.journal_path)
    assert reading.bad == ""
    return retell(reading, "")


def put_on_tracks(bench: Bench, told: Told) -> Position:
    """What a person would say: what stood on points is put on the headshunt, the locomotive at its buffers' end."""
    track = bench.chosen.track
    position = parse_position(told.position, track)
    for _, vehicle, _ in position.turnouts:
        position = corrected(track, position, f"{vehicle} head{' 1' if vehicle == 'L' else ''}")
    assert why_not_so(track, position) == []
    return position


def gone_on(bench: Bench, tmp_path: Path, told: Told, stands: Position) -> Bench:
    """A new play from there, whose layout is set up as a person says, each thing a little elsewhere than it was."""
    return Bench(
        tmp_path / "play-2.journal",
        bench.cache,
        start=str(stands),
        seed=bench.seed + 1,
        score=replace(with_hand(told.score), moving=frozenset()),
    )


@pytest.mark.parametrize("trouble", [dead_beam, lost_link, power_cut, hand_in_a_beam, wagon_lifted])
def test_from_a_halt_to_the_goal(bench: Bench, tmp_path: Path, trouble: Callable[[Bench], None]) -> None:
    trouble(bench)
    told = stopped(bench)
    assert told.stopped
    assert told.doing
    stands = put_on_tracks(bench, told)
    second = gone_on(bench, tmp_path, told, stands)
    final = second.play()
    assert second.chosen.goal.reached(final.position, ["L"])
    assert "s1: 3 1 2" in second.truth.line
    assert second.simulation.incidents == []
    score = second.dispatcher.score
    assert score.runs == told.score.runs + len(second.runs())
    assert score.emergency_stops == told.score.emergency_stops >= 1
    assert score.origin is Origin.ENTERED
    # The first thing that moves is the proving move, after every turnout was set once.
    steps = [line.text("what") for line in read(second.journal_path).lines if line.kind == "step"]
    assert steps[: len(second.chosen.track.turnouts) + 1][-1].startswith("prove L")
    assert second.statuses[-1].run == score.runs
    assert second.statuses[-1].runs == score.runs


def test_a_word_that_is_wrong_is_found_before_anything_moves(bench: Bench, tmp_path: Path) -> None:
    """The person says that 3 stands pushed up in siding 3, and it stands across the beam there."""
    dead_beam(bench)
    told = stopped(bench)
    stands = put_on_tracks(bench, told)
    second = gone_on(bench, tmp_path, told, stands)
    second.later(0.0, lambda b: b.simulation.show_beam("s3", True))
    with pytest.raises(RefusedError, match="beam s3 is broken"):
        second.play()
    assert not any(b"<1 MAIN>" in data for _, data in second.sent)


def test_a_word_that_is_wrong_is_found_at_the_next_beam(bench: Bench, tmp_path: Path) -> None:
    """The person forgets a wagon: it still stands in siding 1, and is said to stand in siding 3."""
    power_cut(bench)
    told = stopped(bench)
    stands = put_on_tracks(bench, told)
    second = gone_on(bench, tmp_path, told, stands)
    first = second_first_wagon(stands)
    second.real_start = str(corrected(bench.chosen.track, stands, f"{first} s3 1"))
    with pytest.raises(HaltedError):
        second.play()
    assert second.truth.moving == ()


def second_first_wagon(stands: Position) -> str:
    """A wagon in siding 1, the first that a train meets there."""
    return stands.in_segment("s1")[0]
