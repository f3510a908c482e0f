"""The station: a recorded transcript byte for byte, then ports, timing, losses, and the rest of its answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from station_bench import BOOT_S, StationBench, bare

from railsim.definitions import Definitions, OutputRecord, SensorRecord, TurnoutRecord
from railsim.station import BYTE_S

TRANSCRIPT = Path(__file__).parents[2] / "data" / "dccex-5.6.0-transcript.txt"


# ---------------------------------------------------------------- the transcript


def scenes() -> list[tuple[str, list[str]]]:
    found: list[tuple[str, list[str]]] = []
    for line in TRANSCRIPT.read_text().splitlines():
        if line.startswith("< "):
            found[-1][1].append(line[2:])
        elif line.startswith(("> ", "! ")):
            found.append((line, []))
    return found


def shape(expected: str) -> re.Pattern[str]:
    return re.compile(".*".join(re.escape(part) for part in expected.split("...")))


def test_the_recorded_transcript_byte_for_byte() -> None:
    bench = StationBench()
    assert len(scenes()) > 20
    for what, expected in scenes():
        bench.heard.clear()
        if what.startswith("> "):
            bench.station.receive("usb", what[2:].encode(), bench.now_s)
            bench.run(0.4)
        elif what == "! reset":
            bench.station.reset(bench.now_s)
            bench.run(BOOT_S + 0.4)
        else:
            bench.station.set_pin(49, what == "! pin 49 low", bench.now_s)
            bench.run(0.4)
        raw = b"".join(data for _, _, data in bench.heard)
        assert raw.decode("latin-1") == "".join(line + "\n" for line in bench.lines()), "every line ends in LF alone"
        assert bare(bench.lines()) == bare(expected), what
        for comment in set(expected) - set(bare(expected)):
            assert any(shape(comment).fullmatch(line) for line in bench.lines()), what
        if bare(expected) != expected:
            at = [i for i, line in enumerate(bench.lines()) if shape(expected[0]).fullmatch(line)]
            assert at == [0], "the comment comes first"


# ---------------------------------------------------------------- start and ports


def test_boot_text_in_its_order_and_nothing_read_before() -> None:
    bench = StationBench(booted=False)
    bench.station.receive("usb", b"<#><s>", 0.5)
    bench.run(3.0)
    lines = bench.lines()
    assert lines[0].startswith("<* License")
    assert lines[1:] == [
        '<@ 0 0 "DCC-EX v5.6.0">',
        "<iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z>",
        '<@ 0 3 "Ready">',
        "<p0 A>",
        "<p0 B>",
        "<p0>",
        '<@ 0 2 "PWR Off">',
        lines[-1],
    ]
    assert bench.heard[0][0] > BOOT_S
    assert ("power", False) in bench.hands.done


def test_replies_to_the_asker_broadcasts_to_all_comments_to_usb() -> None:
    bench = StationBench()
    bench.station.connect("tcp 1", serial=False)
    bench.station.connect("tcp 2", serial=False)
    assert bench.say("<t 3 20 1><#>", port="tcp 1") == ["<l 3 0 149 0>", "<# 50>"]
    assert bench.lines("tcp 2") == ["<l 3 0 149 0>"]
    assert bare(bench.lines("usb")) == ["<l 3 0 149 0>"]
    assert bench.lines("usb")[0].startswith("<* New DCC queue slot")
    bench.station.disconnect("tcp 2")
    bench.say("<t 3 0 1>", port="tcp 1")
    assert bench.lines("tcp 2") == []


def test_a_reset_forgets_locomotives_power_and_what_was_on_its_way() -> None:
    bench = StationBench(Definitions(outputs={1: OutputRecord(30)}))
    bench.say("<1 MAIN><Z 1 1><t 3 20 1>", for_s=0.012)
    assert not any(act[0] == "throttle" for act in bench.hands.done)
    bench.station.reset(bench.now_s)
    assert bench.hands.last("power") == ("power", False)
    bench.run(3.0)
    assert bench.hands.last("output") == ("output", 1, False)
    assert not any(act[0] == "throttle" for act in bench.hands.done)
    assert bench.say("<t 3>") == ["<l 3 -1 128 0>"]
    assert bench.say("<D RESET>", for_s=3.0)[2].startswith("<iDCC-EX")


# ---------------------------------------------------------------- timing


def test_a_byte_takes_its_time_on_the_line() -> None:
    bench = StationBench()
    begin = bench.now_s
    bench.say("<#>")
    assert bench.heard[0][0] - begin == pytest.approx((3 + 7) * BYTE_S, abs=0.0011)


def test_one_command_a_pass_and_flooding_loses_some() -> None:
    bench = StationBench()
    lines = bench.say("<t 3 20 1>\n" * 30 + "<#>\n" * 140, for_s=2.0)
    answered = sum(line == "<# 50>" for line in lines)
    assert answered < 140
    assert bench.station.lost_bytes("usb") > 0
    bench.run(1.0)
    assert bench.say("<#>")[-1] == "<# 50>", "and it goes on"


def test_sixty_bytes_in_flight_are_never_lost() -> None:
    bench = StationBench()
    for _ in range(20):
        assert bench.say("<#>" * 20) == ["<# 50>"] * 20
    assert bench.station.lost_bytes("usb") == 0


def test_an_overlong_command_is_dropped_and_said_so_on_usb_only() -> None:
    bench = StationBench()
    bench.station.connect("tcp 1", serial=False)
    long = "<T 1 " + "1" * 70 + ">"
    assert bench.say(long + "<#>", port="tcp 1") == ["<# 50>"]
    assert bench.lines("usb") == ["<* Parse error: input buffer overflow *>"]


@pytest.mark.parametrize("seed", range(10))
def test_from_a_command_to_the_rails_in_15_to_73_ms_and_in_order(seed: int) -> None:
    bench = StationBench(seed=seed)
    begin = bench.now_s
    bench.say("<t 3 20 1><t 3 40 1><t 3 60 0>")
    acts = [act for act in bench.hands.done if act[0] == "throttle"]
    assert [(act[2], act[3]) for act in acts] == [(True, 20), (True, 40), (False, 60)]
    for act in acts:
        assert isinstance(act[5], float)
        assert 0.0149 <= act[5] - begin <= 0.073 + 0.01


def test_an_emergency_stop_overtakes() -> None:
    bench = StationBench()
    bench.say("<t 3 20 1>")
    bench.hands.done.clear()
    assert bench.say("<t 3 40 1><!>") == ["<l 3 0 169 0>", "<l 3 0 129 0>"]
    assert [act[1:5] for act in bench.hands.done] == [(3, True, 0, True)]


def test_sensors_are_debounced() -> None:
    bench = StationBench(Definitions(sensors={2: SensorRecord(49)}))
    for phase in range(20):
        bench.run(0.1 + phase * 0.001)
        bench.heard.clear()
        edge = bench.now_s
        bench.station.set_pin(49, True, edge)
        bench.run(0.1)
        assert bench.lines() == ["<Q 2>"]
        assert 0.010 <= bench.heard[0][0] - edge <= 0.0201 + 7 * BYTE_S
        bench.heard.clear()
        bench.station.set_pin(49, False, bench.now_s)
        bench.run(0.0099)
        bench.station.set_pin(49, True, bench.now_s)
        bench.run(0.1)
        assert bench.lines() == [], "a pulse shorter than a scan is lost"
        bench.station.set_pin(49, False, bench.now_s)
        bench.run(0.1)
        assert bench.lines() == ["<q 2>"]


def test_an_idle_station_has_nothing_to_do() -> None:
    bench = StationBench(Definitions(sensors={2: SensorRecord(49)}))
    bench.say("<#>")
    assert bench.station.next_event_s() is None


# ---------------------------------------------------------------- answers

SERVO = {1: TurnoutRecord("SERVO", (100, 410, 205, 2)), 2: TurnoutRecord("DCC", (5, 1), thrown=True)}


def full() -> Definitions:
    turnouts = {n: TurnoutRecord(t.kind, t.values, t.thrown) for n, t in SERVO.items()}
    return Definitions(turnouts, {7: SensorRecord(22)}, {3: OutputRecord(164), 4: OutputRecord(165, iflag=6)})


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("<s>", [
            "<iDCC-EX V-5.6.0 / MEGA / STANDARD_MOTOR_SHIELD G-master-202605011818Z>",
            "<p0 A>", "<p0 B>", "<p0>", "<H 1 0>", "<H 2 1>", "<q 7>",
        ]),
        ("<T 1 X>", ["<H 1 SERVO 100 410 205 2 0>"]),
        ("<T 2 X>", ["<H 2 DCC 5 1 1>", "<H 2 5 1 1>"]),
        ("<T 9 X>", ["<X>"]),
        ("<T 9 1>", ["<X>"]),
        ("<T 1 0>", []),
        ("<T 2 T>", []),
        ("<T 2 C>", ["<H 2 0>"]),
        ("<T 1>", ["<O>"]),
        ("<T 9>", ["<X>"]),
        ("<JT>", ["<jT 1 2>"]),
        ("<JT 1>", ['<jT 1 C "">']),
        ("<JT 9>", ["<jT 9 X>"]),
        ("<T 5 DCC 6 1><T 5 X>", ["<O>", "<H 5 DCC 6 1 1>", "<H 5 6 1 1>"]),
        ("<T 6 VPIN 30><T 6 X>", ["<O>", "<H 6 VPIN 30 0>"]),
        ("<Q>", ["<q 7>"]),
        ("<S>", ["<Q 7 22 1>"]),
        ("<S 7><S><S 7>", ["<O>", "<X>"]),
        ("<Z>", ["<Y 3 164 0 0>", "<Y 4 165 6 1>"]),
        ("<Z 3 1>", ["<Y 3 1>"]),
        ("<Z 9 1>", ["<X>"]),
        ("<Z 9 30 0><Z 9 1><Z 9>", ["<O>", "<Y 9 1>", "<O>"]),
        ("<1 JOIN>", ["<p1 A>", "<p1 B>", "<p1>", "<p1 JOIN>"]),
        ("<1 A><1 MAIN>", ["<p1 A>", "<p0 B>", "<p1 MAIN>"]),
        ("<1 C>", ["<X>"]),
        ("<1 PROG>", ["<p0 A>", "<p1 B>", "<p1 PROG>"]),
        ("<= A NONE><1><=>", [
            "<= A NONE>", "<p0 A>", "<p0 B>", "<p0>", "<p1 A>", "<p1 B>", "<p1>", "<p1 PROG>",
            "<= A NONE>", "<= B PROG>",
        ]),
        ("<JI><JG>", ["<jI 0 0>", "<jG 1497 1497>"]),
        ("<t 3 0 1>", []),
        ("<t 3 20 0><t 3 20 0><t 3>", ["<l 3 0 21 0>", "<l 3 0 21 0>"]),
        ("<t 99>", ["<l 99 -1 128 0>"]),
        ("<t 0 0 1>", ["<X>"]),
        ("<t 3 127 1>", ["<X>"]),
        ("<t 3 5 1><t 4 5 0><t 0 -1 1>", ["<l 3 0 134 0>", "<l 4 0 6 0>", "<l 3 0 129 0>", "<l 4 0 1 0>"]),
        ("<t 1 3 20 1>", ["<l 3 0 149 0>", "<T 1 20 1>"]),
        ("<F 3 0 1><F 3 0 1><F 3 2 1><F 3 0 0>", ["<l 3 0 128 1>", "<l 3 0 128 5>", "<l 3 0 128 4>"]),
        ("<t 3 20 1><- 3><- 3>", ["<l 3 0 149 0>", "<l 3 0 1 0>", "<- 3>"]),
        ("<!>", []),
        ("<!Q><!P><!Q><!R>", ["<!RESUMED>", "<!PAUSED>", "<!PAUSED>", "<!RESUMED>"]),
        ("< >", [""]),
        ("<T 1<#>", ["<X>", "<# 50>"]),
        ("rubbish><#>", ["<# 50>"]),
        ("<y>", ["<X>"]),
    ],
)  # fmt: skip
def test_answers(asked: str, answered: list[str]) -> None:
    assert bare(StationBench(full()).say(asked)) == answered


def test_a_full_table_refuses_the_51st_locomotive() -> None:
    bench = StationBench()
    for cab in range(1, 51):
        assert bare(bench.say(f"<t {cab} 5 1>", 0.1)) == [f"<l {cab} 0 134 0>"]
    assert bench.say("<t 51 5 1>") == ["<X>"]
    assert bench.say("<F 51 0 1>") == ["<X>"]
    assert not any(act[0] == "throttle" and act[1] == 51 for act in bench.hands.done)


def test_paused_locomotives_run_on_at_the_stored_speed_after_resume() -> None:
    bench = StationBench()
    bench.say("<!P><t 3 20 1>")
    assert bench.hands.last("throttle")[1:5] == (3, True, 0, True)
    bench.say("<!R>")
    assert bench.hands.last("throttle")[1:5] == (3, True, 20, False)


def test_definitions_without_save_do_not_survive_and_turnout_states_do() -> None:
    bench = StationBench(full())
    bench.say("<T 1 1><T 8 VPIN 30>")
    assert bench.hands.last("turnout") == ("turnout", 1, True)
    bench.say("<D RESET>", for_s=3.0)
    assert bench.say("<T>") == ["<H 1 1>", "<H 2 1>"]
