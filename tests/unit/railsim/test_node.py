"""The simulated node: what it answers, refuses, repeats and tells, and when it lets everything stop."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from node_bench import ABOUT, BOOT_S, FORWARD, REVERSE, NodeBench, accepted, refused, said

from pointsman.protocols.node import (
    STOP,
    Accepted,
    Garbled,
    Happened,
    Refused,
    crc,
    write_command,
)
from pointsman.protocols.node_constants import VERSION, Latch, Lie, Refusal, Reset, Setting, SettingsState
from pointsman.protocols.node_messages import (
    Alive,
    Arm,
    Beam,
    Beat,
    Coil,
    Command,
    Defaults,
    Drive,
    Driven,
    End,
    Get,
    Hello,
    Latched,
    Magnet,
    Off,
    Points,
    Set,
    SettingsAre,
    State,
    Store,
    Trip,
    Turnout,
    about_of,
)
from railsim.node import BYTE_S, HANG_S, RING_BYTES, WATCHDOG_S
from railsim.node_board import Memory
from railsim.node_outbox import MOST_EVENTS

# ---------------------------------------------------------------- start and state


def test_it_says_that_it_has_started_and_hears_nothing_before() -> None:
    bench = NodeBench(booted=False)
    bench.node.receive("usb", write_command(1, Hello()), 0.5)
    bench.run(BOOT_S + 0.1)
    assert said(bench) == [ABOUT, SettingsAre(SettingsState.STORED), Latched(Latch.BOOT)]
    assert bench.counts() == [0, 1, 2]
    assert bench.heard[0][0] >= BOOT_S
    answer = bench.ask(Hello())
    assert isinstance(answer, Accepted)
    assert about_of(answer.values) == ABOUT


def test_the_whole_state_is_told_as_events_with_an_end() -> None:
    bench = NodeBench()
    assert accepted(bench.ask(State(), 0.2))
    everything = [
        Latched(Latch.BOOT),
        SettingsAre(SettingsState.STORED),
        Driven(REVERSE, 0),
        Points(1, Lie.UNKNOWN),
        Beam(1, broken=False),
        Beam(2, broken=False),
        Beam(3, broken=False),
        Coil(1, on=False),
        Coil(2, on=False),
        End(),
    ]
    assert said(bench) == everything
    counts = bench.counts()
    assert all((after - before) % 100 == 1 for before, after in itertools.pairwise(counts))


def test_it_says_that_it_is_alive_and_why_it_is_latched() -> None:
    bench = NodeBench()
    bench.run(10.0)
    assert bench.events(Alive) == [Alive(Latch.BOOT)] * 20
    bench.arm()
    bench.heard.clear()
    bench.run(1.0)
    assert bench.events(Alive) == [Alive(Latch.NONE)] * 2


def test_settings_that_cannot_be_read_are_safe_ones_and_told() -> None:
    bench = NodeBench(memory=Memory(None), booted=False)
    bench.run(BOOT_S + 0.1)
    assert SettingsAre(SettingsState.DEFAULTS) in said(bench)
    bench.greet()
    bench.arm()
    assert refused(Refusal.ABSENT, bench.ask(Turnout(1, thrown=True)))


# ---------------------------------------------------------------- versions


def test_a_host_that_has_not_said_hello_moves_nothing_and_is_told_which_version_it_meets() -> None:
    bench = NodeBench(booted=False)
    bench.run(BOOT_S + 3.0)
    bench.beat(60.0)
    bench.run(0.1)
    moving: list[Command] = [
        Arm(),
        Turnout(1, thrown=True),
        Magnet(1, 20),
        Drive(FORWARD, 1),
        Set(Setting.MACHINE, 1, 0),
        Store(),
        Defaults(),
        Trip(),
    ]
    for command in moving:
        answer = bench.ask(command)
        assert refused(Refusal.VERSION, answer)
        assert isinstance(answer, Refused)
        assert answer.version == VERSION
    heard: list[Command] = [State(), Beat(), Get(Setting.MACHINE, 1), Magnet(1, 0), Drive(FORWARD, 0), Off()]
    assert all(accepted(bench.ask(command)) for command in heard)
    bench.greet()
    assert accepted(bench.ask(Arm()))
    bench.node.reset(bench.now_s)
    bench.run(BOOT_S + 0.1)
    assert refused(Refusal.VERSION, bench.ask(Turnout(1, thrown=True))), "it is another program than before"


@pytest.mark.parametrize("body", [b"9 hello", b"9 hello 2", b"9 hello 2 and more", b"9 hello 256", b"9 hello x"])
def test_a_host_of_another_version_stops_what_moves_and_is_not_obeyed(body: bytes) -> None:
    bench = NodeBench()
    bench.arm()
    bench.ask(Drive(REVERSE, 20), 0.5)
    heard = bench.write(body + b"*%04X\n" % crc(body))
    assert Refused(9, Refusal.VERSION, ("1",)) in heard
    assert not bench.world.powered
    assert Latched(Latch.VERSION) in said(bench)
    assert accepted(bench.ask(Drive(REVERSE, 0)))
    assert refused(Refusal.VERSION, bench.ask(Arm()))
    bench.greet()
    assert accepted(bench.ask(Arm()))


# ---------------------------------------------------------------- answers, repeats, garbled lines


def test_a_command_that_comes_again_is_answered_again_and_not_carried_out_again() -> None:
    bench = NodeBench()
    bench.arm(beating_s=0.0)
    line = write_command(500, Magnet(1, 20))
    bench.write(line, 0.1)
    assert said(bench) == [Coil(1, on=True), Coil(1, on=False)]
    assert bench.write(line, 0.1) == [Accepted(500)]
    assert bench.write(write_command(500, Magnet(2, 20))) == [Refused(500, Refusal.NUMBER)]
    assert bench.write(line) == [Accepted(500)], "the other one with its number has changed nothing"
    refusal = write_command(501, Magnet(1, 2000))
    assert bench.write(refusal + refusal) == [Refused(501, Refusal.RANGE)] * 2


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"7 arm*0000\n", Refused(0, Refusal.CRC)),
        (b"x" * 100 + b"\n", Refused(0, Refusal.LONG)),
        (b"\x07\n", Refused(0, Refusal.FORM)),
        (b"arm*%04X\n" % crc(b"arm"), Refused(0, Refusal.FORM)),
        (b"7 fly*%04X\n" % crc(b"7 fly"), Refused(7, Refusal.VERB)),
        (b"7 drive 1 127*%04X\n" % crc(b"7 drive 1 127"), Refused(7, Refusal.RANGE)),
        (b"7 get 63 0*%04X\n" % crc(b"7 get 63 0"), Refused(7, Refusal.RANGE)),
        (b"7 get 0 1*%04X\n" % crc(b"7 get 0 1"), Refused(7, Refusal.RANGE)),
        (b"7 get 12 2*%04X\n" % crc(b"7 get 12 2"), Refused(7, Refusal.ABSENT)),
        (b"7 set 0 0 1*%04X\n" % crc(b"7 set 0 0 1"), Refused(7, Refusal.RANGE)),
        (b"7 turnout 2 1*%04X\n" % crc(b"7 turnout 2 1"), Refused(7, Refusal.ABSENT)),
        (b"7 magnet 3 20*%04X\n" % crc(b"7 magnet 3 20"), Refused(7, Refusal.ABSENT)),
        (b"\r\n", None),
    ],
)
def test_what_is_no_command_is_refused_with_its_reason(data: bytes, answer: Refused | None) -> None:
    assert [one for one in NodeBench().write(data) if not isinstance(one, Happened)] == ([answer] if answer else [])


def test_a_node_without_dc_drives_none() -> None:
    bench = NodeBench(locomotive="")
    assert refused(Refusal.ABSENT, bench.ask(Drive(FORWARD, 0)))
    bench.ask(State(), 0.2)
    assert bench.events(Driven) == []


def test_a_byte_takes_its_time_on_the_line() -> None:
    bench = NodeBench()
    begin_s = bench.now_s
    line, answer = write_command(1, Beat()), b"1 ok boot*0000\n"
    bench.write(line)
    assert bench.heard[0][0] - begin_s == pytest.approx((len(line) + len(answer)) * BYTE_S, abs=0.001)


def test_a_flood_of_lines_loses_some_but_acknowledges_none_that_is_lost_and_goes_on() -> None:
    bench = NodeBench()
    lines = [write_command(number, Beat()) for number in range(1, 501)]
    bench.node.receive("usb", b"".join(lines), bench.now_s)
    bench.node.hold_up(bench.now_s + 0.1)
    bench.run(2.0)
    answered = [one.number for _, one in bench.heard if isinstance(one, Accepted)]
    assert bench.node.lost_bytes > 0
    assert 0 < len(answered) < 500
    assert answered == sorted(set(answered))
    assert bench.write(b"\n" + write_command(600, Beat()))[-1] == Accepted(600, (str(Latch.BOOT),))


def test_who_does_not_wait_for_the_answer_is_not_heard() -> None:
    bench = NodeBench()
    bench.node.hold_up(bench.now_s + 0.1)
    heard = bench.write(b"".join(write_command(number, Beat()) for number in range(1, 5)), 0.5)
    assert [one for one in heard if isinstance(one, Accepted)] == [Accepted(1, (str(Latch.BOOT),))]


def test_one_command_at_a_time_loses_none() -> None:
    bench = NodeBench()
    for _ in range(500):
        assert accepted(bench.ask(Beat(), 0.005))
    assert bench.node.lost_bytes == 0
    assert RING_BYTES == 64


def test_nobody_who_is_not_connected_is_heard() -> None:
    bench = NodeBench()
    bench.node.disconnect("usb")
    assert bench.write(write_command(1, Beat())) == []


# ---------------------------------------------------------------- the dead man's handle


def test_arming_wants_a_heartbeat_and_every_speed_at_zero() -> None:
    bench = NodeBench()
    assert not bench.world.powered
    assert refused(Refusal.UNWATCHED, bench.ask(Arm()))
    bench.arm()
    assert bench.world.powered
    assert bench.events(Latched) == [Latched(Latch.NONE)]
    assert accepted(bench.ask(Drive(FORWARD, 10)))
    assert refused(Refusal.MOVING, bench.ask(Arm()))


def test_a_lost_heartbeat_stops_everything_and_latches() -> None:
    bench = NodeBench("head: L | s1: 1 2")
    bench.arm(beating_s=1.0)
    assert accepted(bench.ask(Drive(REVERSE, 30)))
    assert accepted(bench.ask(Magnet(1, 500), 0.01))
    bench.run(0.7)
    assert bench.world.speed_mm_s("L") > 0
    last_beat_s = bench._next_beat_s - 0.2
    bench.heard.clear()
    bench.run(2.0)
    assert bench.events(Latched) == [Latched(Latch.HEARTBEAT)]
    assert bench.when(Latched(Latch.HEARTBEAT)) - last_beat_s == pytest.approx(1.0, abs=0.25)
    assert not bench.world.powered
    assert bench.events(Driven) == [Driven(REVERSE, 0)]
    assert bench.world.standing
    # The heartbeat returns, and nothing moves; what was commanded is to be made 0 first, and only arming helps.
    bench.beat(10.0)
    bench.run(1.0)
    assert not bench.world.powered
    assert refused(Refusal.LATCHED, bench.ask(Drive(REVERSE, 30)))
    assert refused(Refusal.LATCHED, bench.ask(Magnet(1, 20)))
    assert refused(Refusal.MOVING, bench.ask(Arm()))
    assert accepted(bench.ask(Drive(REVERSE, 0)))
    assert accepted(bench.ask(Arm()))
    bench.run(1.0)
    assert bench.world.powered
    assert bench.world.standing


def test_a_heartbeat_that_comes_in_time_keeps_it_armed_and_other_commands_do_not() -> None:
    bench = NodeBench()
    bench.arm(beating_s=5.0)
    bench.run(4.0)
    assert bench.events(Latched) == [Latched(Latch.NONE)]
    for _ in range(30):
        bench.ask(State(), 0.1)
    assert bench.ask(Beat()) == Accepted(bench.numbers._last, (str(Latch.HEARTBEAT),))


def test_the_longest_time_between_heartbeats_counts_as_it_is_set_now() -> None:
    bench = NodeBench()
    bench.ask(Beat(), 0.4)
    assert accepted(bench.ask(Set(Setting.HEARTBEAT_MS, 0, 300)))
    assert refused(Refusal.UNWATCHED, bench.ask(Arm()))
    bench.arm(beating_s=0.0)
    bench.run(0.25)
    assert not bench.world.powered


@pytest.mark.parametrize("latch", [Latch.STOP, Latch.HOST])
def test_stop_byte_and_off_cut_everything_at_once(latch: Latch) -> None:
    bench = NodeBench()
    bench.arm()
    bench.ask(Drive(REVERSE, 30), 1.0)
    assert bench.world.speed_mm_s("L") > 0
    begin_s = bench.now_s
    bench.write(STOP if latch is Latch.STOP else write_command(9000, Off()), 0.2)
    assert not bench.world.powered
    assert bench.when(Latched(latch)) - begin_s < 0.1
    assert (End() in said(bench)) is (latch is Latch.STOP), "a stop byte is answered with everything"
    bench.run(2.0)
    assert bench.world.standing


def test_a_stop_byte_inside_a_line_drops_the_line() -> None:
    bench = NodeBench()
    bench.arm()
    line = write_command(9000, Drive(REVERSE, 30))
    heard = bench.write(line[:8] + STOP + line[8:], 0.3)
    assert Refused(0, Refusal.CRC) in heard
    assert Accepted(9000) not in heard
    assert bench.events(End) == [End()]
    assert not bench.world.powered


def test_stops_faster_than_everything_can_be_told_end_all_the_same() -> None:
    bench = NodeBench()
    for _ in range(50):
        bench.write(STOP, 0.005)
    bench.write(b"", 0.5)
    assert len(bench.events(End)) == 2
    assert said(bench)[-1] == End()


def test_a_repeat_of_a_command_that_was_stopped_does_nothing() -> None:
    bench = NodeBench()
    bench.arm(beating_s=0.0)
    line = write_command(9000, Arm())
    assert Accepted(9000) in bench.write(line)
    bench.write(STOP, 0.3)
    assert Accepted(9000) in bench.write(line)
    assert not bench.world.powered


# ---------------------------------------------------------------- resets and the watchdog


def test_a_reset_in_mid_move_cuts_everything_and_is_told() -> None:
    bench = NodeBench()
    bench.arm()
    bench.ask(Drive(REVERSE, 30), 1.0)
    bench.heard.clear()
    bench.node.reset(bench.now_s)
    assert not bench.world.powered
    bench.run(BOOT_S + 0.1)
    assert said(bench)[:3] == [
        replace(ABOUT, reset=Reset.BUTTON),
        SettingsAre(SettingsState.STORED),
        Latched(Latch.BOOT),
    ]
    assert bench.counts()[0] == 0
    assert bench.world.standing
    assert not bench.world.powered


@pytest.mark.parametrize("watchdog", [0, 1])
def test_a_program_that_hangs_is_cut_off_by_the_board_and_ended_by_the_watchdog_if_that_is_on(watchdog: int) -> None:
    bench = NodeBench()
    bench.ask(Set(Setting.WATCHDOG, 0, watchdog))
    bench.arm()
    bench.ask(Drive(REVERSE, 5), 0.3)
    bench.heard.clear()
    bench.node.hold_up(bench.now_s + 2.0)
    bench.run(HANG_S - 0.01)
    assert bench.world.powered
    bench.run(0.02)
    assert not bench.world.powered
    bench.run(WATCHDOG_S + BOOT_S + 0.5)
    assert (replace(ABOUT, reset=Reset.WATCHDOG) in said(bench)) is (watchdog == 1)
    assert (Latched(Latch.HANG) in said(bench)) is (watchdog == 0)
    assert not bench.world.powered
    assert bench.world.standing


def test_a_program_that_is_busy_for_a_moment_goes_on() -> None:
    bench = NodeBench()
    bench.arm()
    bench.node.hold_up(bench.now_s + HANG_S - 0.01)
    bench.run(1.0)
    assert bench.world.powered
    bench.node.reset(bench.now_s)
    bench.node.hold_up(bench.now_s + 9.0)
    bench.run(BOOT_S + 0.1)
    assert bench.node.booted, "there is no program yet that could hang"


@pytest.mark.parametrize("survives", [True, False])
def test_the_watchdog_is_tried_on_purpose(survives: bool) -> None:
    bench = NodeBench(survives_watchdog=survives)
    assert accepted(bench.ask(Trip(), 0.1))
    bench.run(WATCHDOG_S + BOOT_S + 0.5)
    assert (replace(ABOUT, reset=Reset.WATCHDOG) in said(bench)) is survives
    assert bench.node.booted is survives
    bench.node.reset(bench.now_s)
    bench.run(BOOT_S + 0.5)
    assert bench.node.booted


def test_events_that_find_no_room_leave_a_gap_in_the_count() -> None:
    bench = NodeBench()
    for setting in (Setting.BEAM_ON_MS, Setting.BEAM_OFF_MS):
        assert accepted(bench.ask(Set(setting, 0, 0)))
    bench.heard.clear()
    for change in range(100):  # three at a time, and faster than one can be told
        for beam in (1, 2, 3):
            bench.node.set_pin(beam, change % 2 == 0, bench.now_s)
        bench.run(0.001)
    bench.run(0.5)
    counts = bench.counts()
    steps = {(after - before) % 100 for before, after in itertools.pairwise(counts)}
    assert len(bench.events(Beam)) < 300
    assert steps == {1, 2}


# ---------------------------------------------------------------- anything at all

COMMANDS: list[Command] = [
    Hello(),
    State(),
    Beat(),
    Arm(),
    Off(),
    Turnout(1, thrown=True),
    Turnout(1, thrown=False),
    Turnout(2, thrown=False),
    Magnet(1, 500),
    Magnet(1, 0),
    Drive(FORWARD, 3),
    Drive(REVERSE, 3),
    Drive(FORWARD, 0),
    Get(Setting.MACHINE, 1),
    Set(Setting.MACHINE, 1, 2),
    Set(Setting.BEAM_INVERTED, 1, 1),
    Store(),
    Defaults(),
    Trip(),
]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(
                st.sampled_from(COMMANDS),
                st.binary(max_size=90),
                st.sampled_from([STOP, b"\n", b"9 get 12 1*0000\n"]),
            ),
            st.sampled_from([0.0, 0.001, 0.01, 0.1, 0.7, 2.0]),
        ),
        max_size=25,
    )
)
def test_whatever_comes_it_stays_bounded_and_moves_nothing_while_latched(
    steps: list[tuple[Command | bytes, float]],
) -> None:
    bench = NodeBench()
    for what, for_s in steps:
        if isinstance(what, bytes):
            bench.write(what, for_s)
        else:
            bench.tell(what)
            bench.run(for_s)
        program = bench.node._program
        if program is None or program.latch is not Latch.NONE:
            assert not bench.world.powered
        if program is not None:
            assert len(program.outbox._events) <= MOST_EVENTS
        assert len(bench.node._ring) <= RING_BYTES
    bench.run(6.0)
    bench.node.reset(bench.now_s)
    bench.run(BOOT_S + 0.2)
    assert accepted(bench.ask(Beat()))
    assert not any(isinstance(one, Garbled) for _, one in bench.heard), "what a node says comes whole"
    assert bench.world.incidents == []
