"""The marks of attempts that were really played, from their journals alone."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
from attempt_plays import NAMED, Watched, along, driven, played
from hand_bench import HandBench
from tracks import track_of

from pointsman.compete.chain import AttemptName
from pointsman.compete.evidence import Evidence, evidence, no_pars, steps
from pointsman.compete.marks import Fault, Figure, Marks, Outcome
from pointsman.compete.pars import fewest, pars
from pointsman.errors import CompetitionError, HaltedError
from pointsman.operate.referee import Origin
from pointsman.playing import play
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.goal import parse_goal
from pointsman.puzzle.position import parse_position
from pointsman.puzzle.puzzle import Count
from pointsman.record import encode, read
from pointsman.resuming import going_on, interrupted, put_right
from pointsman.solver.cost import features_of
from pointsman.solver.search import Solution, solve
from pointsman.track.model import End, Leg

pytestmark = pytest.mark.usefixtures("solver_cache")

ANNA = AttemptName("evening", "one-anna-1")


def cut(journal: Path, lines: int, *, torn: bytes = b"") -> Path:
    """The journal as far as a number of lines, as it is when the program is killed."""
    part = journal.with_name("cut")
    part.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:lines]) + torn)
    return part


@pytest.fixture
def drawn() -> Chosen:
    """Nine runs, with hands or without."""
    return choose("inglenook-small/classic", seed="4")


@pytest.fixture
def short() -> Chosen:
    """Three runs: one wagon from siding to siding."""
    return choose("inglenook-small/classic", start="head: L | s1: 1 2 | s2: | s3:", goal="s3: 1")


def best(chosen: Chosen, count: Count = Count.RUNS) -> Solution:
    return solve(chosen.track, chosen.start, chosen.goal, count)


def counts(marks: Marks) -> tuple[int | None, ...]:
    figures = (marks.runs, marks.reversals, marks.couplings, marks.pull_drops)
    return tuple(None if figure is None else figure.value for figure in figures)


def origins(marks: Marks) -> set[Origin]:
    figures = (marks.runs, marks.reversals, marks.couplings, marks.pull_drops)
    return {figure.origin for figure in figures if figure is not None}


def of(journal: Path, chosen: Chosen | None = None) -> Evidence:
    return evidence(journal, chosen=chosen, attempt=ANNA, pars=no_pars)


# ---------------------------------------------------------------- by the program


@pytest.mark.parametrize("count", [Count.RUNS, Count.PULL_DROPS])
def test_a_plan_counts_as_the_solver_says(drawn: Chosen, tmp_path: Path, count: Count) -> None:
    best_of = best(drawn, count)
    watched = Watched()
    result = played(drawn, best_of.runs, tmp_path / "j", watched=watched)
    marks = of(tmp_path / "j").marks
    assert (marks.outcome, marks.outcome_origin) == (Outcome.FINISHED, Origin.SEEN)
    assert marks.time_ms == Figure(watched.ms(drawn), Origin.SEEN)
    assert watched.ms(drawn) < 1000 * result.duration_s
    runs, reversals, couplings, pull_drops = counts(marks)
    if count is Count.RUNS:
        assert (runs, reversals, couplings) == features_of(drawn.track, best_of.plan)[1:4]
        assert (runs, reversals) == (result.score.runs, result.score.reversals)
    measured = {Count.RUNS: runs, Count.PULL_DROPS: pull_drops}
    assert measured[count] == best_of.optimum, "no fewer than what is proved, though the last trip is not over yet"
    assert (marks.placed, marks.hints, marks.emergency_stops) == (Figure(3), Figure(0), Figure(0))
    assert origins(marks) == {Origin.SEEN}


def test_there_are_no_pull_drops_where_none_are_defined(tmp_path: Path) -> None:
    chosen = choose("timesaver/classic", start="UL: L | UR: | LL: | R: | B: | U: | W: 1", goal="R: 1")
    plan = best(chosen)
    played(chosen, plan.runs, tmp_path / "j")
    assert counts(of(tmp_path / "j", chosen).marks) == (*features_of(chosen.track, plan.plan)[1:4], None)


def test_the_pars_of_the_draw_and_what_was_left(short: Chosen, tmp_path: Path) -> None:
    runs = best(short).runs
    played(short, runs, tmp_path / "whole")
    few = partial(fewest, counts=(Count.RUNS, Count.PULL_DROPS))
    par = {count: best(short, count).optimum for count in (Count.RUNS, Count.PULL_DROPS)}
    whole = evidence(tmp_path / "whole", chosen=short, pars=few).marks
    assert (whole.par, whole.left) == (par, dict.fromkeys(par, 0))
    played(short, runs[:1], tmp_path / "begun")
    begun = evidence(tmp_path / "begun", chosen=short, pars=few)
    assert begun.marks.outcome is Outcome.DID_NOT_FINISH
    assert begun.marks.left[Count.RUNS] == par[Count.RUNS] - 1
    assert begun.marks.left[Count.PULL_DROPS] == par[Count.PULL_DROPS], "the trip under way is still missing"


def test_pars_are_found_in_a_process_of_their_own(short: Chosen) -> None:
    assert pars(short.track, short.start, short.goal, counts=(Count.RUNS,)) == {Count.RUNS: best(short).optimum}


def test_no_pars_where_there_is_no_way() -> None:
    stub = track_of("stub", {"a": 2, "b": 1, "c": 1}, {"T": ("a.to", "b.from", "c.from")}, 2)
    start, goal = parse_position("a: L | b: 1 | c: 2", stub), parse_goal("b: 2 | c: 1", stub)
    assert fewest(stub, start, goal) == {}


def test_presses_during_a_play_by_the_program(short: Chosen, tmp_path: Path) -> None:
    runs = best(short).runs
    plain = Watched()
    played(short, runs, tmp_path / "plain", watched=plain)
    played(
        short,
        runs,
        tmp_path / "j",
        (20.0, lambda dispatcher: dispatcher.pressed("clock", stands=True, by="Tom", why="a machine sticks")),
        (21.0, lambda dispatcher: dispatcher.pressed("fault", fault="side-swipe", by="Tom")),
        (22.0, lambda dispatcher: dispatcher.pressed("fault", fault="hand", by="Tom")),
        (22.5, lambda dispatcher: dispatcher.pressed("fault", fault="hand", by="Tom", taken_back=True)),
        (23.5, lambda dispatcher: dispatcher.pressed("clock", stands=False, by="Tom")),
    )
    marks = of(tmp_path / "j", short).marks
    assert marks.time_ms == Figure(plain.ms(short) - 3500)
    assert marks.faults == {Fault.SIDE_SWIPE: Figure(1, Origin.ENTERED), Fault.HAND: Figure(0, Origin.ENTERED)}
    assert counts(marks) == counts(of(tmp_path / "plain", short).marks), "a press changes nothing else"


def test_an_emergency_stop_and_the_play_that_goes_on(drawn: Chosen, tmp_path: Path) -> None:
    plan = best(drawn)
    whole, first, second = Watched(), Watched(), Watched()
    played(drawn, plan.runs, tmp_path / "whole", watched=whole)
    with pytest.raises(HaltedError):
        played(drawn, plan.runs, tmp_path / "j", (40.0, lambda one: one.halt("a hand")), watched=first)
    before = interrupted(tmp_path / "j")
    done = int(before.told.score.runs)
    assert 0 < done < len(plan.runs)
    stopped = of(tmp_path / "j").marks
    assert (stopped.outcome, stopped.emergency_stops) == (Outcome.DID_NOT_FINISH, Figure(1))
    chosen = put_right(before, before.position)
    rest = best(chosen).runs
    request = going_on(before, chosen, rest, End.TO, journal=tmp_path / "j-2", speed=None)
    play(request, second.statuses.append, lambda _: None)
    found = of(tmp_path / "j-2")
    assert found.journals == ((tmp_path / "j").resolve(), (tmp_path / "j-2").resolve())
    assert found.marks.runs == Figure(done + len(rest), Origin.ENTERED)
    assert found.marks.emergency_stops == Figure(1)
    assert (found.marks.outcome, found.marks.outcome_origin) == (Outcome.FINISHED, Origin.ENTERED)
    assert found.marks.time_ms is not None
    assert stopped.time_ms is not None
    assert found.marks.time_ms.value - stopped.time_ms.value == second.ms(drawn), "no proof, and nothing in between"
    assert found.marks.time_ms.origin is Origin.SEEN
    (tmp_path / "other").mkdir()
    for name in ("j", "j-2"):
        (tmp_path / name).rename(tmp_path / "other" / name)
    assert of(tmp_path / "other" / "j-2").marks == found.marks, "what it goes on from is found beside it"
    with (tmp_path / "other" / "j").open("ab") as file:
        file.write(line("pressed", what="fault", fault="hand", by="Tom"))
    assert of(tmp_path / "other" / "j-2").marks.faults == {Fault.HAND: Figure(1, Origin.ENTERED)}, "added to its end"
    cut(tmp_path / "other" / "j", -2).rename(tmp_path / "other" / "j")
    with pytest.raises(CompetitionError, match="it goes on from j, which is not what it was then"):
        of(tmp_path / "other" / "j-2")


# ---------------------------------------------------------------- by hand


async def _detour(bench: HandBench) -> None:
    """Out towards the empty siding, and back again."""
    await bench.drive(forward=False, speed_mm_s=60)
    await bench.turnout("T1", Leg.THROWN)
    await bench.drive(forward=True, speed_mm_s=60)
    await bench.drive(forward=False, speed_mm_s=60)


def test_a_plan_driven_by_hand(drawn: Chosen, tmp_path: Path) -> None:
    plan = best(drawn)
    result, bench = driven(drawn, tmp_path / "j", along(plan.runs, drawn))
    assert result is not None
    assert result.reached
    marks = of(tmp_path / "j").marks
    assert marks.time_ms == Figure(Watched(bench.statuses).ms(drawn))
    assert counts(marks)[:3] == features_of(drawn.track, plan.plan)[1:4]
    figures = result.figures
    assert counts(marks)[:3] == (figures.runs, figures.reversals, figures.couplings)
    played(drawn, plan.runs, tmp_path / "program")
    assert counts(marks) == counts(of(tmp_path / "program").marks), "by hand as by the program"


def test_detours_hints_presses_and_a_pause_by_hand(short: Chosen, tmp_path: Path) -> None:
    async def person(bench: HandBench) -> None:
        bench.dispatcher.pressed("clock", stands=True, by="Tom")
        await asyncio.sleep(7)
        bench.dispatcher.pressed("clock", stands=False, by="Tom")
        await _detour(bench)
        bench.dispatcher.hinted("L to s1", 3)
        bench.dispatcher.pressed("fault", fault="derailment", by="Tom")
        bench.dispatcher.pressed("clock", stands=True, by="Tom", why="it had to be put back")
        await asyncio.sleep(11)
        bench.dispatcher.pressed("clock", stands=False, by="Tom")
        await along(best(short).runs, short)(bench)
        bench.dispatcher.pressed("fault", fault="derailment", by="Tom")
        bench.dispatcher.hinted("nothing more", 0)
        await _detour(bench)

    result, bench = driven(short, tmp_path / "j", person)
    assert result is not None
    marks = of(tmp_path / "j", short).marks
    assert marks.outcome is Outcome.FINISHED
    assert marks.time_ms == Figure(Watched(bench.statuses).ms(short) - 11_000)
    assert marks.hints == Figure(1), "what came after the goal is no part of it"
    assert marks.faults == {Fault.DERAILMENT: Figure(2, Origin.ENTERED)}, "but a press a moment later is"
    runs, reversals, *_ = counts(marks)
    least = features_of(short.track, best(short).plan)
    assert (runs, reversals) == (least[1] + 2, least[2] + 2)
    assert result.figures.runs > least[1] + 2


def test_an_emergency_stop_by_hand_and_going_on(drawn: Chosen, tmp_path: Path) -> None:
    runs = best(drawn).runs

    async def stopping(bench: HandBench) -> None:
        bench.throttle(forward=True, speed_mm_s=40)
        await bench.begun()
        await asyncio.sleep(1)
        bench.dispatcher.halt("a hand on the track")
        await asyncio.sleep(5)

    result, bench = driven(drawn, tmp_path / "j", along(runs, drawn, stopping, first=2))
    assert result is None
    first = of(tmp_path / "j")
    assert counts(first.marks)[:3] == features_of(drawn.track, best(drawn).plan[:2])[1:4]
    before = interrupted(tmp_path / "j")
    rest = solve(drawn.track, before.position, drawn.goal, Count.RUNS)

    async def going_on_with_it(bench: HandBench) -> None:
        # The proof leaves the train over the points.
        await bench.drive(forward=False, speed_mm_s=40)
        await along(rest.runs, drawn)(bench)

    result, bench = driven(drawn, tmp_path / "j-2", going_on_with_it, before=before)
    assert result is not None
    assert result.reached
    marks = of(tmp_path / "j-2").marks
    assert counts(marks)[:3] == (result.figures.runs, result.figures.reversals, result.figures.couplings)
    assert origins(marks) == {Origin.ENTERED}
    assert first.marks.time_ms is not None
    assert marks.time_ms == Figure(first.marks.time_ms.value + Watched(bench.statuses).ms(drawn))
    assert marks.emergency_stops == Figure(1)


# ---------------------------------------------------------------- journals that end in the middle, and others


@pytest.mark.parametrize("hand", [False, True], ids=["program", "hand"])
def test_a_journal_cut_after_any_line_keeps_what_was_confirmed(short: Chosen, tmp_path: Path, hand: bool) -> None:
    runs = best(short).runs
    if hand:
        driven(short, tmp_path / "j", along(runs, short))
    else:
        played(short, runs, tmp_path / "j")
    lines = read(tmp_path / "j").lines
    whole = of(tmp_path / "j", short).marks
    confirmed, runs_done, before_ms = str(short.start), 0, 0
    for number, line in enumerate(lines, 1):
        found = of(cut(tmp_path / "j", number, torn=b"0000" * (number % 2)), short)
        if line.kind in {"run", "stood"}:
            confirmed, runs_done = line.text("position"), line.values["runs" if hand else "number"]
        assert (str(found.position), found.marks.runs) == (confirmed, Figure(runs_done))
        assert found.marks.time_ms is not None
        assert found.marks.time_ms.value >= before_ms
        before_ms = found.marks.time_ms.value
        ended = found.marks.outcome is not Outcome.DID_NOT_FINISH
        assert found.marks.time_ms.origin is (Origin.SEEN if ended else Origin.INFERRED)
        if found.marks.outcome is Outcome.FINISHED:
            assert found.marks == whole
    assert found.marks == whole
    assert whole.outcome is Outcome.FINISHED


def test_nothing_has_moved_but_for_the_proof(short: Chosen, tmp_path: Path) -> None:
    played(short, (), tmp_path / "j")
    assert of(tmp_path / "j", short).marks == Marks(
        Outcome.DID_NOT_START,
        time_ms=Figure(0),
        runs=Figure(0),
        reversals=Figure(0),
        couplings=Figure(0),
        pull_drops=Figure(0),
        placed=Figure(0),
    )


def line(kind: str, **values: object) -> bytes:
    return encode(1.0, kind, values)


HEADER = {
    "layout": "inglenook-small",
    "puzzle": "inglenook-small/classic",
    "goal": "s3: 1",
    "start": "head: L | s1: 1 2 | s2: | s3:",
    "attempt": NAMED,
}
BEGUN = line("begin", **HEADER)
COUNTED = {"couplings": 0, "pull_drops": 0, "coupled": []}
STOOD = {"position": HEADER["start"], "between": "", "runs": 1, "reversals": 0, **COUNTED}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"hello\n", "line 1 is damaged"),
        (BEGUN + line("hint").replace(b"hint", b"hunt") + line("end"), "line 2 is damaged: its checksum is wrong"),
        (line("end"), "does not begin as a journal does"),
        (BEGUN + BEGUN, "line 2: it begins twice"),
        (line("begin", **{**HEADER, "calibrates": "L"}), "calibration"),
        (line("begin", **{**HEADER, "goal": "s2: 1"}), "its goal is 's2: 1', and the attempt's is 's3: 1'"),
        (line("begin", **{**HEADER, "puzzle": 7}), "its puzzle is '7'"),
        (line("begin", **{**HEADER, "start": "head: L | s1: 2 1 | s2: | s3:"}), "and the draw from"),
        (line("begin", **{**HEADER, "attempt": {**NAMED, "attempt": "one-bert-1"}}), "attempt one-bert-1 of evening"),
        (line("begin", **{**HEADER, "attempt": [1]}), "of no attempt, and not of one-anna-1 of evening"),
        (line("begin", **HEADER, goes_on_from="/gone/j"), "it goes on from j, which is not there"),
        (line("begin", **HEADER, goes_on_from=None), "names no journal"),
        (line("begin", **HEADER, goes_on_from="j"), "it goes on from j, which is not there"),
        (BEGUN + line("run", run="L to 9", position=HEADER["start"]), "line 2: no run 'L to 9' leads from"),
        (BEGUN + line("run", run="L to 9", position="s9: L"), "line 2: "),
        (BEGUN + line("stood", **STOOD), "line 2: a stood line where none can be"),
        (BEGUN + line("end") + line("hint"), "line 3: a hint line after its end"),
        (BEGUN + line("pressed", what="fault", fault="hiccup", by="Tom"), "line 2: there is no fault 'hiccup'"),
        (BEGUN + line("pressed", what="clock", by="Tom"), "line 2: a press of the clock"),
        (BEGUN + line("pressed", what="bell", by="Tom"), "line 2: there is no press 'bell'"),
        (line("begin", **HEADER, by_hand=True) + line("stood", **{**STOOD, "runs": "1"}), "without its counts"),
        (line("begin", **HEADER, by_hand=True) + line("stood", **{**STOOD, "runs": -1}), "it has counted fewer"),
        (line("begin", **HEADER, by_hand=True) + line("stood", **{**STOOD, "origins": {"runs": "heard"}}), "figures"),
        (line("begin", **HEADER, by_hand=True) + line("run", run="", position=HEADER["start"]), "where none can be"),
    ],
)
def test_what_is_no_evidence_is_told_so(short: Chosen, tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(CompetitionError, match=said.replace("(", "\\(")) as caught:
        of(tmp_path / "j", short)
    assert str(tmp_path / "j") in str(caught.value)
    assert caught.value.cure


def test_a_journal_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CompetitionError, match="cannot be read"):
        evidence(tmp_path / "none")


def test_journals_that_go_on_from_one_another(short: Chosen, tmp_path: Path) -> None:
    for one, other in ("ij", "ji"):
        (tmp_path / one).write_bytes(line("begin", **HEADER, goes_on_from=str(tmp_path / other)))
    with pytest.raises(CompetitionError, match="it goes on from itself"):
        of(tmp_path / "j", short)


def test_a_layout_that_is_no_longer_there(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(line("begin", **HEADER, folder="/gone/inglenook-small", seed="1"))
    with pytest.raises(CompetitionError, match="/gone/inglenook-small"):
        of(tmp_path / "j")


def test_a_replay_has_everything_in_its_order(short: Chosen, tmp_path: Path) -> None:
    driven(short, tmp_path / "j", along(best(short).runs, short))
    shown = steps(tmp_path / "j", chosen=short, attempt=ANNA)
    marks = of(tmp_path / "j", short).marks
    times = [step.t_s for step in shown]
    assert times == sorted(times)
    assert [step.kind for step in shown if step.kind in {"start", "goal"}] == ["start", "goal"]
    goal = next(step for step in shown if step.kind == "goal")
    assert marks.time_ms == Figure(round(1000 * goal.t_s))
    assert short.goal.reached(parse_position(goal.position, short.track), short.track.locomotives)
