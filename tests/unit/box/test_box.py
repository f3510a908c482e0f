"""The signal box from outside: what a person does, and what everybody sees then. The layout is simulated."""

from __future__ import annotations

import asyncio
import shutil
import threading
from pathlib import Path

import pytest
from boxes import AT_THE_START, ground, opened, seen

from pointsman.box.box import Box
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.box.task import deal
from pointsman.errors import NotationError, RefusedError, UsageError
from pointsman.record import read
from pointsman.track.builtin import find_layout
from pointsman.track.model import End
from pointsman.web.french import french

pytestmark = pytest.mark.usefixtures("solver_cache")


async def come_to(box: Box, *modes: Mode) -> Mode:
    """Wait for one of these modes, not for ever."""
    return (await seen(box, lambda snapshot: snapshot.mode in modes)).mode


def is_over(snapshot: Snapshot) -> bool:
    """Whether a play was stopped, and its link is closed: now it is known what is to be done."""
    return snapshot.halted is not None and bool(snapshot.halted["cure"])


def journals(folder: Path) -> list[Path]:
    return list(folder.glob("*.journal"))


async def ready(box: Box, seed: str = "1") -> None:
    """Dealt, agreed to, and proved."""
    await box.deal("classic", seed=seed)
    await box.begin(End.TO)
    assert await come_to(box, Mode.READY, Mode.HALTED, Mode.DEALT) is Mode.READY
    assert box.snapshot.note == "", "nobody drives"


async def test_a_puzzle_is_dealt_stepped_through_and_driven_to_its_end(tmp_path: Path) -> None:
    told: list[Snapshot] = []
    async with opened(tmp_path) as box:
        box.subscribe(told.append)
        await box.deal("classic", seed="1")
        puzzle, question = box.snapshot.puzzle, box.snapshot.question
        assert puzzle is not None
        assert question is not None
        assert (puzzle["cards"], puzzle["par"], puzzle["proved"], puzzle["next"]) == (["2", "1", "3"], 9, True, 0)
        assert question["ends"] == {"to": "the points", "from": "the buffer stop"}
        assert box.snapshot.vehicles["L"]["element"] == "head"
        assert [part["element"] for part in box.snapshot.route] == ["head", "T1", "s1"]
        await box.begin(End.TO)
        assert box.snapshot.mode is Mode.STARTING
        assert await come_to(box, Mode.READY, Mode.HALTED) is Mode.READY
        assert box.snapshot.power is True
        await box.hint()
        await box.step()
        assert await come_to(box, Mode.PAUSED, Mode.HALTED) is Mode.PAUSED
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["next"] == 1
        await box.auto()
        assert await come_to(box, Mode.SOLVED, Mode.HALTED) is Mode.SOLVED
        done = box.snapshot.puzzle["done"]
    assert (done["runs"], done["hints"], done["emergency_stops"]) == (9, 1, 0)
    assert done["origins"]["runs"] == "seen"
    assert box.snapshot.power is False
    moving = [one for one in told if one.drive is not None and one.vehicles["L"]["v_mm_s"]]
    assert {one.drive["towards"] for one in moving if one.drive} == {"to", "from"}
    (journal,) = journals(tmp_path)
    assert [line.kind for line in read(journal).lines].count("hint") == 1


@pytest.mark.parametrize(
    ("hardware", "asked", "note"),
    [
        (None, "Does the front of L point to the points or to the buffer stop?", ""),
        (
            "uno-dc",
            "When the node drives L forward, does it run to the points or to the buffer stop?",
            "L runs on direct current: the wires to the rails decide",
        ),
    ],
)
async def test_which_way_it_goes_is_asked_as_its_current_has_it(
    tmp_path: Path, hardware: str | None, asked: str, note: str
) -> None:
    async with opened(tmp_path, hardware=hardware) as box:
        await box.deal("classic", seed="1")
        question = box.snapshot.question
        assert question is not None
        assert question["facing"]["text"] == asked
        assert question["facing"]["note"].startswith(note)
        assert bool(question["facing"]["note"]) is bool(note)
        said = french(question)["facing"]
        assert not {said["text"], said["note"]} & ({asked, question["facing"]["note"]} - {""})


async def test_an_emergency_stop_from_another_thread_then_put_right_and_to_the_end(tmp_path: Path) -> None:
    async with opened(tmp_path, speed=20.0) as box:
        await ready(box)
        await box.auto()
        await seen(box, lambda snapshot: snapshot.drive is not None)
        thread = threading.Thread(target=box.emergency_stop, args=("a spectator",))
        thread.start()
        assert await come_to(box, Mode.HALTED, Mode.SOLVED) is Mode.HALTED
        thread.join()
        await seen(box, is_over)
        halted = box.snapshot.halted
        assert halted is not None
        assert halted["why"] == "emergency stop by a spectator"
        with pytest.raises(RefusedError, match="cannot drive now"):
            await box.auto()
        with pytest.raises(RefusedError, match="cannot begin now"):
            await box.begin(End.TO)
        with pytest.raises(NotationError):
            await box.put_right("head: L 9", "marshal")
        await box.put_right(AT_THE_START, "marshal")
        assert box.snapshot.mode is Mode.DEALT
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["done"]["by_hand"] == 0
    await _gone_on_with_to_the_end(tmp_path)


async def test_after_a_halt_another_puzzle_may_be_drawn_and_everything_begins_anew(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        await ready(box)
        await box.step()
        await come_to(box, Mode.PAUSED)
        box.emergency_stop("a spectator")
        await seen(box, is_over)
        await box.deal("classic", seed="2")
        now = box.snapshot
        assert (now.mode, now.halted, now.unfinished) == (Mode.DEALT, None, None)
        assert now.puzzle is not None
        assert (now.puzzle["done"]["runs"], now.puzzle["position"]) == (0, now.puzzle["start"])
        assert {one["commanded"] for one in now.turnouts.values()} == {None}, "each is set anew before anything moves"
        await box.begin(End.TO)
        assert await come_to(box, Mode.READY, Mode.HALTED, Mode.DEALT) is Mode.READY


async def test_a_play_whose_journal_is_removed_is_stopped_and_another_may_be_drawn(tmp_path: Path) -> None:
    folder = tmp_path / "plays"
    async with opened(folder, speed=20.0) as box:
        await ready(box)
        shutil.rmtree(folder)
        await box.auto()
        assert await come_to(box, Mode.HALTED, Mode.SOLVED) is Mode.HALTED
        await seen(box, is_over)
        assert box.snapshot.halted is not None
        assert box.snapshot.halted["why"].endswith("cannot be written: it was removed")
        with pytest.raises(RefusedError, match="cannot be read any more") as caught:
            await box.put_right(AT_THE_START, "marshal")
        assert caught.value.cure == "deal a puzzle"
        await ready(box)


async def _gone_on_with_to_the_end(tmp_path: Path) -> None:
    """As after a crash: a box that is opened anew offers the play, and takes it up from where a person says."""
    (tmp_path / "removed meanwhile.journal").symlink_to(tmp_path / "nothing")
    async with opened(tmp_path) as box:
        unfinished, question = box.snapshot.unfinished, box.snapshot.question
        assert unfinished is not None
        assert question is not None
        assert (unfinished["puzzle"], question["kind"]) == ("inglenook-small/classic", "take-up")
        await box.answer(question["id"], True)
        assert box.snapshot.mode is Mode.HALTED
        await box.put_right(AT_THE_START, "marshal")
        await box.begin(End.TO)
        assert await come_to(box, Mode.READY, Mode.HALTED, Mode.DEALT) is Mode.READY
        await box.auto()
        assert await come_to(box, Mode.SOLVED, Mode.HALTED) is Mode.SOLVED
        assert box.snapshot.puzzle is not None
        done = box.snapshot.puzzle["done"]
        assert (done["by_hand"], done["origins"]["runs"]) == (1, "entered")
    async with opened(tmp_path) as box:
        assert box.snapshot.unfinished is None


async def test_a_pause_lets_the_run_under_way_end(tmp_path: Path) -> None:
    async with opened(tmp_path, speed=50.0) as box:
        await ready(box)
        await box.auto()
        await seen(box, lambda snapshot: snapshot.drive is not None)
        await box.pause()
        assert await come_to(box, Mode.PAUSED, Mode.SOLVED, Mode.HALTED) is Mode.PAUSED
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["next"] == 1
        await box.deal("classic", seed="2")
        assert box.snapshot.mode is Mode.DEALT


async def test_the_demo_plays_again_and_again_until_a_person_ends_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        await box.demo(True)
        with pytest.raises(RefusedError, match="the demo is running"):
            await box.deal("classic")
        for _ in range(2):
            assert await come_to(box, Mode.SOLVED, Mode.HALTED) is Mode.SOLVED
            await come_to(box, Mode.DEALT)
        await box.demo(False)
        await seen(box, lambda snapshot: not snapshot.demo)
        assert box.snapshot.mode is not Mode.HALTED
    assert len(journals(tmp_path / "demo")) in {2, 3}
    assert not journals(tmp_path)


async def test_a_draw_that_is_solved_already_is_no_puzzle(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        with pytest.raises(RefusedError, match="as it is set up, the goal is reached"):
            await box.deal("classic", seed="41")
        assert box.snapshot.mode is Mode.IDLE


def test_where_no_seed_is_given_it_is_drawn_again(tmp_path: Path) -> None:
    """Half of the draws of this puzzle are solved as they are."""
    folder = shutil.copytree(find_layout("inglenook-small"), tmp_path / "layout")
    puzzle = (folder / "puzzles" / "classic.toml").read_text()
    easy = puzzle.replace("s1: 1 2 3 | s2: 4 5", "s1: 1 2").replace("s1: 1 2 3", "s1: 1 2")
    (folder / "puzzles" / "easy.toml").write_text(easy)
    for _ in range(8):
        assert deal(ground(folder), "easy", None, None, lambda _: None).runs


@pytest.mark.long
async def test_the_demo_plays_sixty_times(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        await box.demo(True)
        for _ in range(60):
            assert await come_to(box, Mode.SOLVED, Mode.HALTED) is Mode.SOLVED
            await come_to(box, Mode.DEALT)


async def test_what_cannot_be_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        with pytest.raises(UsageError, match="no puzzle"):
            await box.deal("clasic")
        for deed in (box.auto, box.step, box.hint, box.pause, box.take_up):
            with pytest.raises(RefusedError):
                await deed()
        with pytest.raises(RefusedError, match="cannot begin"):
            await box.begin(End.TO)
        with pytest.raises(RefusedError, match="not asked"):
            await box.answer(7, True)
        assert box.snapshot.mode is Mode.IDLE
        dealing = asyncio.create_task(box.deal("classic", seed="1", level=1))
        await asyncio.sleep(0)
        with pytest.raises(RefusedError, match="drawing and solving"):
            await box.deal("classic")
        await dealing
        assert box.snapshot.puzzle is not None
        assert box.snapshot.puzzle["level"] == 1


async def test_a_stop_before_anything_moved_halts_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as box:
        await box.deal("classic", seed="1")
        await box.begin(End.TO)
        box.emergency_stop("marshal", power_off=True)
        assert await come_to(box, Mode.HALTED, Mode.READY) is Mode.HALTED
        await seen(box, is_over)
        box.emergency_stop("marshal")
        await asyncio.sleep(0)
        # Why it is halted is said already.
        assert box.snapshot.note == ""
        assert box.snapshot.halted is not None
        assert box.snapshot.halted["why"] == "emergency stop by marshal"
