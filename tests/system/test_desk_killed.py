"""A desk's program is killed in the middle of an attempt: what was confirmed is there, and another desk goes on."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import desk_writer
import pytest
from desk_bench import CODE, HELPER, MARSHAL, desk_at, desk_of, plan
from shared_cache import shared_cache

from pointsman.compete.desk_draws import Draws
from pointsman.compete.marks import Fault, Figure, Measure, Outcome
from pointsman.compete.state import Phase
from pointsman.compete.store.store import Store
from pointsman.operate.referee import Origin

pytestmark = pytest.mark.system
PRESSES = 25
"""So many are confirmed when the program is killed."""
ENDS_WITHIN_S = 60.0


def now() -> datetime:
    return datetime.now(UTC)


def test_an_attempt_whose_program_was_killed_goes_on_with_its_clock_and_its_presses(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place, draws = str(tmp_path / "store.sqlite3"), Draws(shared_cache(tmp_path_factory))
    with Store(place) as store:
        desk = desk_at(store, now, draws)
        desk.announce(plan(), CODE, MARSHAL)
        desk.open_heat("r1", CODE, MARSHAL)
        attempt = desk.call("r1", "ada", MARSHAL).attempt
        desk.agree(attempt, HELPER)

    before = now()
    words = [sys.executable, str(Path(desk_writer.__file__)), place, attempt]
    confirmed = []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as writer:
        try:
            assert writer.stdout is not None
            confirmed = [int(writer.stdout.readline()) for _ in range(PRESSES)]
            writer.kill()
            confirmed += [int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
            writer.wait(ENDS_WITHIN_S)
        finally:
            writer.kill()
    killed = now()

    with Store(place) as store:
        assert store.faults("club") == ()
        desk = desk_of(store, now, draws)
        its = desk.state.attempts[attempt]
        assert its.phase is Phase.RUNNING
        assert its.since is not None
        assert before <= its.since <= killed
        pressed = [press.at_ms for press in its.pressed]
        # One more may be written than was told of; nothing that was told of is missing, or there twice.
        assert pressed in (confirmed, [*confirmed, confirmed[-1] + 1])
        # The tablet sends again what it has no answer for, and the attempt goes on to its end.
        for at_ms in (confirmed[-1], confirmed[-1] + 1):
            desk.fault(attempt, Fault.HAND, HELPER, at_ms)
        ended = desk.end(attempt, Outcome.FINISHED, HELPER, counts={Measure.REVERSALS: 9})
        assert ended.marks is not None
        assert ended.marks.faults == {Fault.HAND: Figure(len(confirmed) + 1, Origin.ENTERED)}
        time = ended.marks.time_ms
        assert time is not None
        assert (killed - its.since) // timedelta(milliseconds=1) <= time.value
        assert time.value <= (now() - its.since) // timedelta(milliseconds=1)
