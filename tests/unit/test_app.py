"""The composition root: what a play is told, and every way that one ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared_cache import shared_cache

from pointsman.app import HARDWARE_CAP_MM_S, Simulated, StoppedError, Stopper, Witness, cap_of, journal_path
from pointsman.dispatch.control import Status
from pointsman.drivers.node.tunnel import Tunnel
from pointsman.errors import JournalError, PortError, RefusedError, UsageError
from pointsman.links import On, Target, fitting, link_to, parse_target
from pointsman.operate.referee import fold, with_run, with_uncoupling
from pointsman.playing import PlayRequest, play
from pointsman.puzzle.choice import Chosen, choose
from pointsman.puzzle.moves import Run
from pointsman.record import message_of, read
from pointsman.replanning import drivable
from pointsman.solver.search import solve
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.model import End
from pointsman.track.wiring import NodeBoard, NodeWiring, Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.mqtt_base import MqttLink
from railsim.faults import parse_fault

SIM = Target(On.SIM)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shared_cache(tmp_path_factory)


@pytest.fixture
def request_(tmp_path: Path, cache: Path) -> PlayRequest:
    chosen = choose("inglenook-small", seed="1")
    runs = solve(chosen.track, chosen.start, chosen.goal, chosen.puzzle.count, cache=cache).runs
    wiring = load_wiring(find_wiring(chosen.folder), chosen.track)
    return request_for(chosen, runs, wiring, tmp_path)


def request_for(chosen: Chosen, runs: tuple[Run, ...], wiring: Wiring, folder: Path) -> PlayRequest:
    return PlayRequest(chosen=chosen, runs=runs, wiring=wiring, target=SIM, facing=End.TO, journal=folder / "journal")


def nothing(_: object) -> None:
    pass


# ---------------------------------------------------------------- targets


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("sim", SIM),
        ("serial:/dev/ttyACM0", Target(On.SERIAL, "/dev/ttyACM0")),
        ("serial:COM3", Target(On.SERIAL, "COM3")),
        ("tcp:192.168.4.1", Target(On.TCP, "192.168.4.1", 2560)),
        ("tcp:station.local:1234", Target(On.TCP, "station.local", 1234)),
        ("tcp:[::1]:1234", Target(On.TCP, "::1", 1234)),
        ("tcp:[::1]", Target(On.TCP, "::1", 2560)),
        ("jmri:192.168.1.20", Target(On.JMRI, "192.168.1.20", 12080)),
        ("jmri:club-pc.local:1234", Target(On.JMRI, "club-pc.local", 1234)),
        ("jmri:[::1]:1234", Target(On.JMRI, "::1", 1234)),
        ("mqtt:hut", Target(On.MQTT, "hut", 0)),
        ("mqtt:[::1]:8883", Target(On.MQTT, "::1", 8883)),
    ],
)
def test_targets(text: str, target: Target) -> None:
    assert parse_target(text) == target
    assert parse_target(str(target)) == target


@pytest.mark.parametrize(
    "text",
    [
        *("", "sim:", "simm", "sim:2", "SIM", "udp:h", "serial", "serial:", "tcp", "tcp:", "tcp::1", "tcp:h:"),
        *("tcp:h:0", "tcp:h:65536", "tcp:h:-1", "tcp:h:x", "tcp:h:²", f"tcp:h:{'1' * 5000}", "tcp:[]", "tcp:[]:1"),
        *("jmri", "jmri:", "jmri:h:0", "mqtt", "mqtt:", "mqtt:h:0", "mqtt:h:65536", "mqtt:u:p@h"),
    ],
)
def test_what_is_no_target(text: str) -> None:
    with pytest.raises(UsageError, match="is not understood") as raised:
        parse_target(text)
    assert "serial:" in raised.value.cure


@given(st.text(alphabet="simtcperalqt:[]0123456789./ \xe9\xb2", max_size=20))
def test_any_text_is_a_target_or_refused_politely(text: str) -> None:
    try:
        target = parse_target(text)
    except UsageError:
        return
    assert parse_target(str(target)) == target


# ---------------------------------------------------------------- plans that can be driven


def test_a_plan_that_fits_is_taken_as_it_is(request_: PlayRequest) -> None:
    found = drivable(request_.chosen, request_.wiring, request_.runs, SIM, nothing)
    assert found.runs == request_.runs
    assert found.refused == ()


def shortened(request_: PlayRequest, length_mm: float) -> Chosen:
    """The same with a siding 3 in which less room is than the game says."""
    chosen, track = request_.chosen, request_.chosen.track
    short = replace(track.segments["s3"], length_mm=length_mm)
    return replace(
        chosen, puzzle=replace(chosen.puzzle, track=replace(track, segments={**track.segments, "s3": short}))
    )


def test_a_run_that_the_real_lengths_forbid_is_planned_around(cache: Path, tmp_path: Path) -> None:
    drawn = choose("inglenook-small", seed="4")
    runs = solve(drawn.track, drawn.start, drawn.goal, drawn.puzzle.count, cache=cache).runs
    wiring = load_wiring(find_wiring(drawn.folder), drawn.track)
    chosen = shortened(request_for(drawn, runs, wiring, tmp_path), 120.0)
    found = drivable(chosen, wiring, runs, SIM, nothing)
    assert found.refused
    assert len(found.runs) >= len(runs)
    assert drawn.goal.reached(found.runs[-1].after, drawn.track.locomotives)
    result = play(request_for(chosen, found.runs, wiring, tmp_path), nothing, nothing)
    assert result.truth is not None
    assert result.truth.good


def test_what_no_other_plan_would_mend(request_: PlayRequest) -> None:
    track = replace(request_.chosen.track, uncouplers={})
    poor = replace(request_.chosen, puzzle=replace(request_.chosen.puzzle, track=track))
    with pytest.raises(RefusedError, match=r"no magnet in s. .*; and going round it did not help"):
        drivable(poor, request_.wiring, request_.runs, SIM, nothing)


def test_names_of_journals_are_new_each_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    first, second = journal_path("club/open-day"), journal_path("club/open-day")
    assert first != second
    assert first.name.endswith("-club-open-day.journal")
    assert first.parent == tmp_path / "pointsman" / "journals"


# ---------------------------------------------------------------- plays


def test_a_play_ends_where_it_should(request_: PlayRequest) -> None:
    shown: list[Status] = []
    ready: list[Stopper] = []
    result = play(request_, shown.append, ready.append)
    assert result.reached
    assert result.position == request_.runs[-1].after
    assert result.truth is not None
    assert result.truth.good
    assert len(ready) == 1
    assert shown[-1].score == result.score
    assert 60 < result.duration_s < 200
    ready[0]("too late", 6)  # the loop has ended: nothing happens


def test_the_journal_is_the_play(request_: PlayRequest) -> None:
    """Header and end stand in it, and its messages alone give the figures of the result."""
    result = play(request_, nothing, nothing)
    reading = read(request_.journal)
    assert reading.bad == ""
    score = result.score.__class__()
    for line in reading.lines:
        if line.kind in {"command", "event"}:
            score = fold(score, message_of(line))
        elif line.kind == "run":
            score = with_run(score, reversed_=line.values["reversed"])
        elif line.kind == "parted":
            score = with_uncoupling(score)
    assert score == result.score
    header, end = reading.lines[0], reading.lines[-1]
    assert header.kind == "begin"
    assert header.values["runs"] == [str(run) for run in request_.runs]
    assert (header.text("seed"), header.text("on"), header.text("facing")) == ("1", "sim", "to")
    assert end.kind == "end"
    assert end.text("position") == str(result.position)
    assert [line.t_s for line in reading.lines] == sorted(line.t_s for line in reading.lines)


def test_a_locomotive_that_faces_the_other_way(request_: PlayRequest) -> None:
    result = play(replace(request_, facing=End.FROM), nothing, nothing)
    assert result.truth is not None
    assert result.truth.good


def test_nothing_to_be_done_is_done_at_once(request_: PlayRequest) -> None:
    result = play(replace(request_, runs=()), nothing, nothing)
    assert result.position == request_.chosen.start
    assert not result.reached
    assert result.score.raw_starts == 0


@pytest.mark.parametrize("when", ["before the first run", "during a run"])
def test_a_person_stops_it(request_: PlayRequest, when: str) -> None:
    stop: list[Stopper] = []
    after: list[str] = []

    def show(status: Status) -> None:
        if status.note:
            after.append(status.note)
        elif not after and (status.run == 3 if when == "during a run" else status.doing.startswith("T1 to")):
            stop[0]("Ctrl-C", 130)

    with pytest.raises(StoppedError, match="Ctrl-C") as raised:
        play(request_, show, stop.append)
    assert raised.value.code == 130
    assert after == ["STOPPED: Ctrl-C"]
    kinds = [line.kind for line in read(request_.journal).lines]
    assert kinds.count("halt") == 1
    assert kinds[-1] == "end"
    assert "Ctrl-C" in read(request_.journal).lines[-1].text("error")


def test_a_link_that_is_lost_after_a_person_stopped_it(request_: PlayRequest) -> None:
    stop: list[Stopper] = []
    simulations: list[Simulated] = []
    notes: list[str] = []

    def show(status: Status) -> None:
        if status.note:
            notes.append(status.note)
        elif not notes and status.run == 3 and status.doing.startswith("drive"):
            simulations[0].plan([parse_fault(f"port-vanishes@{status.t_s:.3f}=60")])
            stop[0]("Ctrl-C", 130)

    with pytest.raises(StoppedError, match="Ctrl-C") as raised:
        play(replace(request_, on_simulation=simulations.append), show, stop.append)
    assert raised.value.cure.startswith("SWITCH THE TRACK POWER OFF BY HAND NOW")
    assert notes[0] == "STOPPED: Ctrl-C"
    assert "BY HAND NOW" in notes[-1]


@pytest.mark.parametrize("fault", ["port-vanishes", "silent", ""])
def test_power_that_nobody_confirmed_off_is_said_last(request_: PlayRequest, fault: str) -> None:
    """Whether or not anything was moving: only a station that says so lets the end be that nothing moves any more."""
    stop: list[Stopper] = []
    simulations: list[Simulated] = []
    stopped: list[str] = []

    def show(status: Status) -> None:
        if not stopped and status.doing.startswith("T1 to"):
            stopped.append(status.doing)
            if fault:
                simulations[0].plan([parse_fault(f"{fault}@{status.t_s:.3f}=60")])
            stop[0]("Ctrl-C", 130)

    with pytest.raises(StoppedError, match="Ctrl-C") as raised:
        play(replace(request_, on_simulation=simulations.append), show, stop.append)
    last = raised.value.cure
    assert last.startswith("SWITCH THE TRACK POWER OFF BY HAND NOW") is bool(fault), last
    assert ("nothing moves any more" in last) is not bool(fault)
    assert read(request_.journal).lines[-1].text("error") == str(raised.value)


def test_stopped_from_another_thread_before_it_has_begun(request_: PlayRequest) -> None:
    def ready(stop: Stopper) -> None:
        other = threading.Thread(target=stop, args=("the screen is gone", 6))
        other.start()
        other.join()

    with pytest.raises(StoppedError, match="the screen is gone") as raised:
        play(request_, nothing, ready)
    assert raised.value.code == 6
    kinds = [line.kind for line in read(request_.journal).lines]
    assert kinds == ["begin", "end"]


@pytest.mark.breaks_its_loop
def test_a_fault_of_ours_stops_the_trains_first(request_: PlayRequest, capfd: pytest.CaptureFixture[str]) -> None:
    """A callback that raises ends the play as a stop, with the code of a fault."""
    faults = [ZeroDivisionError("one fault")]
    statuses: list[Status] = []

    def show(status: Status) -> None:
        statuses.append(status)
        if status.drive is not None and status.run == 1 and faults:
            raise faults.pop()

    with pytest.raises((StoppedError, ZeroDivisionError), match="one fault"):
        play(request_, show, nothing)
    assert read(request_.journal).bad == ""


def test_a_journal_is_never_written_over(request_: PlayRequest) -> None:
    request_.journal.write_text("precious")
    with pytest.raises(JournalError, match="cannot be written"):
        play(request_, nothing, nothing)
    assert request_.journal.read_text() == "precious"


def test_a_port_that_is_not_there(request_: PlayRequest, tmp_path: Path) -> None:
    with pytest.raises(PortError):
        play(replace(request_, target=Target(On.SERIAL, str(tmp_path / "tty"))), nothing, nothing)
    lines = read(request_.journal).lines
    assert [line.kind for line in lines] == ["begin", "event", "event", "end"]
    assert [line.text("state") for line in lines[1:3]] == ["opening", "closed"]
    assert str(tmp_path / "tty") in lines[-1].text("error")


def test_a_witness_is_good_only_when_all_agrees() -> None:
    good = Witness("", reached=True, agrees=True, incidents=())
    assert good.good
    changes: list[Callable[[Witness], Witness]] = [
        lambda w: replace(w, reached=False),
        lambda w: replace(w, agrees=False),
        lambda w: replace(w, incidents=("bumped",)),
    ]
    assert not any(change(good).good for change in changes)


SEVERAL = "main=serial:/dev/ttyACM0,yard=mqtt:hut:1884"


def test_several_stations_have_a_target_each_and_are_written_as_they_are_read() -> None:
    target = parse_target(SEVERAL)
    assert target == Target(
        On.SEVERAL,
        each=(("main", Target(On.SERIAL, "/dev/ttyACM0")), ("yard", Target(On.MQTT, "hut", 1884))),
    )
    assert str(target) == SEVERAL
    assert target.serial_ports == ["/dev/ttyACM0"]
    assert parse_target("serial:/dev/by=id,x").serial_ports == ["/dev/by=id,x"]


def test_only_a_relay_in_the_feed_of_the_track_lets_hardware_go_faster() -> None:
    target, cabled = parse_target(SEVERAL), parse_target("main=serial:a,node=serial:b")
    assert cap_of(target, _wired("mixed")) == HARDWARE_CAP_MM_S
    assert cap_of(cabled, _wired("dccex+node")) is None
    assert cap_of(parse_target("tcp:hut"), _wired("uno-dc")) is None
    assert cap_of(Target(On.SIM), _wired("mixed")) is None


def test_behind_a_broker_nothing_goes_faster_whatever_relay_there_is() -> None:
    assert cap_of(parse_target("main=serial:a,node=mqtt:hut"), _wired("dccex+node")) == HARDWARE_CAP_MM_S
    assert cap_of(parse_target("mqtt:hut"), _wired("uno-dc")) == HARDWARE_CAP_MM_S


def test_a_node_behind_a_broker_is_reached_through_its_bridge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POINTSMAN_MQTT_TLS", "0")
    wiring = _wired("uno-dc")
    station = replace(wiring.stations["node"], node=NodeWiring(NodeBoard.UNO, relay=True, prefix="club/"))
    found = fitting(parse_target("mqtt:hut:1884"), wiring)
    link = link_to(found, station)
    assert isinstance(link, Tunnel)
    assert link.name == "node node at broker hut:1884"
    assert b"club/pointsman/node/node/to" in link.framed(b"")
    assert isinstance(link_to(found), MqttLink), "whether the broker is there"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("main=sim,yard=mqtt:hut", "main=sim is not possible"),
        ("main=tcp:h,main=tcp:i", "a station twice"),
        ("main=tcp:h,yard=", "not understood"),
        ("main=tcp:h,mqtt:hut", "not understood"),
        ("main=", "not understood"),
        ("main=yard=tcp:h", "not possible"),
        ("tcp:h,tcp:i", "not understood"),
    ],
)
def test_what_is_no_target_of_several(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        parse_target(text)


def _wired(name: str) -> Wiring:
    folder = find_layout("inglenook-small")
    return load_wiring(find_wiring(folder, name), load_layout(folder))


@pytest.mark.parametrize(
    ("text", "what", "cure"),
    [
        ("serial:/dev/ttyACM0", "which station is at serial:/dev/ttyACM0: main, yard", "--on main=serial:"),
        ("main=tcp:h", "it is not said where station yard is", "--on yard=mqtt:"),
        ("main=tcp:h,yrad=mqtt:hut", "there is no such station", "main, yard"),
        ("main=tcp:h,yard=jmri:pc", "station yard does not speak as jmri:pc:12080 does", "--on yard=mqtt:"),
    ],
)
def test_what_does_not_fit_the_stations_of_a_wiring(text: str, what: str, cure: str) -> None:
    with pytest.raises(UsageError) as refusal:
        fitting(parse_target(text), _wired("mixed"))
    assert what in refusal.value.what
    assert cure in refusal.value.cure


def test_a_target_that_speaks_otherwise_than_the_only_station() -> None:
    with pytest.raises(UsageError) as refusal:
        fitting(parse_target("jmri:pc"), _wired("dccex"))
    assert refusal.value.what == "station main does not speak as jmri:pc:12080 does"
    assert refusal.value.cure == "give --on serial:/dev/ttyACM0"


def test_what_fits_the_stations_of_a_wiring() -> None:
    mixed = _wired("mixed")
    assert fitting(parse_target(SEVERAL), mixed) == parse_target(SEVERAL)
    assert fitting(parse_target("sim"), mixed) == Target(On.SIM)
    assert fitting(parse_target("main=tcp:h"), _wired("dccex")) == Target(On.TCP, "h", 2560)
    assert fitting(parse_target("tcp:h"), _wired("dccex")) == Target(On.TCP, "h", 2560)
