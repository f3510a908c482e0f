"""Every version of the firmware, byte for byte: what is sent, and what comes back."""

from __future__ import annotations

import itertools

import pytest
from station_bench import BOOT_S, StationBench, bare
from typer.testing import CliRunner

from pointsman.errors import UsageError
from railsim.cli import app
from railsim.definitions import Definitions, OutputRecord, SensorRecord, TurnoutRecord
from railsim.profiles import PROFILES, find_profile

ALL = ("4.1.6", "5.0.9", "5.4", "5.6", "5.7")


def full() -> Definitions:
    turnouts = {1: TurnoutRecord("SERVO", (100, 410, 205, 2)), 2: TurnoutRecord("DCC", (5, 1), thrown=True)}
    return Definitions(turnouts, {7: SensorRecord(22)}, {3: OutputRecord(164)})


def greeting(profile: str) -> str:
    return f"<{find_profile(profile).greeting}>"


def answers(profile: str, asked: str, made: Definitions | None = None) -> list[str]:
    """Without comments and displays."""
    return bare(StationBench(full() if made is None else made, profile=profile).say(asked))


def each(*expected: list[str]) -> list[tuple[str, list[str]]]:
    """One expectation for each version, in order."""
    return list(zip(ALL, expected, strict=True))


def test_the_profiles() -> None:
    assert tuple(PROFILES) == ALL
    with pytest.raises(UsageError) as refusal:
        find_profile("6")
    assert "5.6" in refusal.value.cure


# ---------------------------------------------------------------- status and power


@pytest.mark.parametrize(
    ("profile", "expected"),
    each(
        ["<p0>", greeting("4.1.6"), "<H 1 0>", "<H 2 1>", "<Y 3 0>", "<q 7>"],
        [greeting("5.0.9"), "<p0>", "<H 1 0>", "<H 2 1>", "<q 7>"],
        [greeting("5.4"), "<p0 A>", "<p0 B>", "<p0>", "<H 1 0>", "<H 2 1>", "<q 7>"],
        [greeting("5.6"), "<p0 A>", "<p0 B>", "<p0>", "<H 1 0>", "<H 2 1>", "<q 7>"],
        [greeting("5.7"), "<p0 A>", "<p0 B>", "<p0>", "<H 1 0>", "<H 2 1>", "<q 7>"],
    ),
)
def test_status(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<s>") == expected


BY_TRACK = [
    "<p1 A>", "<p0 B>", "<p1 MAIN>",
    "<p1 A>", "<p1 B>", "<p1>", "<p1 MAIN>", "<p1 PROG>",
    "<p1 A>", "<p1 B>", "<p1>", "<p1 JOIN>",
    "<p0 A>", "<p0 B>", "<p0>",
]  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "expected"),
    each(
        ["<p1 MAIN>", "PPA1", "<p1 MAIN>", "<p1>", "PPA1", "<p1 JOIN>", "PPA1", "<p0>", "PPA0", "<p0>"],
        ["<p1 MAIN>", "<p1 MAIN>", "<p1>", "<p1 JOIN>", "<p0>", "<p0>"],
        BY_TRACK,
        BY_TRACK,
        BY_TRACK,
    ),
)
def test_power_lines_and_whether_they_come_unchanged(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<1 MAIN><1 MAIN><1><1 JOIN><0><0>") == expected


@pytest.mark.parametrize(("profile", "expected"), each(["<X>"], ["<X>"], *[["<p0 A>", "<p1 B>", "<p1 PROG>"]] * 3))
def test_power_of_one_track_by_its_letter(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<1 B>") == expected


def test_the_programming_track_alone_on_one_line() -> None:
    assert answers("5.0.9", "<1 PROG>") == ["<p1 PROG>"]


@pytest.mark.parametrize(
    ("profile", "expected"),
    each(["<X>"] * 4, *[["<= A MAIN>", "<= B PROG>", "<jI 0 0>", "<jG 1497 1497>", "<= B NONE>"]] * 4),
)
def test_track_manager(profile: str, expected: list[str]) -> None:
    assert [line for line in answers(profile, "<=><JI><JG><= B NONE>") if line[1] != "p"] == expected


def test_the_oldest_tells_the_current_twice() -> None:
    assert answers("4.1.6", "<c>") == ["<c CurrentMAIN 0 C Milli 0 1497 1 1497>", "<a 0>"]
    assert answers("5.0.9", "<c>") == ["<c CurrentMAIN 0 C Milli 0 1497 1 1497>"]


# ---------------------------------------------------------------- locomotives


@pytest.mark.parametrize("profile", ALL)
def test_an_unchanged_speed_is_not_told_and_only_older_ones_send_it_again(profile: str) -> None:
    bench = StationBench(profile=profile)
    assert len(bare(bench.say("<t 3 20 1>"))) == 1
    bench.hands.done.clear()
    assert bench.say("<t 3 20 1>") == []
    assert bool(bench.hands.done) is (profile in ("4.1.6", "5.0.9", "5.4"))


@pytest.mark.parametrize(("profile", "register"), list(zip(ALL, (1, 1, 1, 0, 0), strict=True)))
def test_the_register_and_who_gets_the_answer_to_a_query(profile: str, register: int) -> None:
    bench = StationBench(profile=profile)
    bench.station.connect("tcp 1", serial=False)
    assert bare(bench.say("<t 3 20 1><t 4 20 0>"))[1] == f"<l 4 {register} 21 0>"
    assert bare(bench.say("<t 4>", port="tcp 1")) == [f"<l 4 {register} 21 0>"]
    assert bare(bench.lines("usb")) == ([f"<l 4 {register} 21 0>"] if register == 0 else [])


@pytest.mark.parametrize(("profile", "answer"), each(*[["<l 99 -1 128 0>"]] * 4, ["<l 0 -1 128 0>"]))
def test_an_unknown_locomotive_is_asked_for(profile: str, answer: list[str]) -> None:
    assert answers(profile, "<t 99>") == answer


@pytest.mark.parametrize("profile", ALL)
def test_a_full_table_is_silent_or_refuses(profile: str) -> None:
    bench = StationBench(profile=profile)
    for cab in range(1, 51):
        assert len(bare(bench.say(f"<t {cab} 5 1>", 0.1))) == 1
    lines = bench.say("<t 51 5 1><F 51 0 1>")
    refuses = profile in ("5.6", "5.7")
    assert lines == (["<X>"] * 2 if refuses else ["<* Too many locos *>"] * 2)
    assert not any(act[0] == "throttle" and act[1] == 51 for act in bench.hands.done)
    bench.station.connect("tcp 1", serial=False)
    assert bench.say("<t 51 5 1><#>", port="tcp 1") == (["<X>"] if refuses else []) + ["<# 50>"]
    # a slot that becomes free is taken again
    assert len(bare(bench.say("<- 7><t 51 5 1>"))) == (1 if profile in ("4.1.6", "5.0.9") else 3)


@pytest.mark.parametrize(
    ("profile", "expected"),
    each(
        ["<l 3 0 134 0>", "<l 4 1 6 0>", "<l 3 0 128 0>", "<l 4 1 0 0>"],
        ["<l 3 0 134 0>", "<l 4 1 6 0>", "<l 3 0 128 0>", "<l 4 1 0 0>"],
        ["<l 3 0 134 0>", "<l 4 1 6 0>", "<l 3 0 128 0>", "<l 4 1 0 0>"],
        ["<l 3 0 134 0>", "<l 4 0 6 0>", "<X>"],
        ["<l 3 0 134 0>", "<l 4 0 6 0>", "<X>"],
    ),
)
def test_stopping_all_by_cab_0(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<t 3 5 1><t 4 5 0><t 0 0 1>") == expected


@pytest.mark.parametrize("profile", ALL)
@pytest.mark.parametrize("stop", ["<!>", "<t 0 -1 1>"])
def test_an_emergency_stop_of_all_and_whether_it_is_told_again(profile: str, stop: str) -> None:
    bench = StationBench(profile=profile)
    bench.say("<t 3 5 1>")
    assert bare(bench.say(stop)) == ["<l 3 0 129 0>"]
    assert bare(bench.say(stop)) == (["<l 3 0 129 0>"] if profile in ("5.6", "5.7") else [])
    assert bench.hands.last("throttle")[1:5] == (3, True, 0, True)


@pytest.mark.parametrize(
    ("profile", "expected"),
    each(*[["<l 3 0 129 0>"]] * 3, *[["<!RESUMED>", "<!PAUSED>", "<!PAUSED>", "<!RESUMED>"]] * 2),
)
def test_a_pause_is_an_emergency_stop_before_5_6(profile: str, expected: list[str]) -> None:
    bench = StationBench(profile=profile)
    bench.say("<t 3 5 1>")
    assert bare(bench.say("<!Q><!P><!Q><!R>")) == expected


@pytest.mark.parametrize("profile", ALL)
def test_the_legacy_throttle(profile: str) -> None:
    lines = answers(profile, "<t 1 3 20 1>")
    assert lines == ["<l 3 0 149 0>"] + ["<T 1 20 1>"] * (profile != "5.7")


@pytest.mark.parametrize(("profile", "expected"), each(["<l 20000 0 133 0>"], *[["<X>"]] * 4))
def test_the_oldest_does_not_check_how_high_an_address_is(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<t 20000 4 1>") == expected


@pytest.mark.parametrize(("profile", "expected"), each([], [], *[["<l 3 0 1 0>", "<- 3>"]] * 3))
def test_forgetting(profile: str, expected: list[str]) -> None:
    bench = StationBench(profile=profile)
    bench.say("<t 3 20 1>")
    assert bare(bench.say("<- 3>")) == expected
    assert bench.hands.last("throttle")[1:5] == (3, True, 0, True)


# ---------------------------------------------------------------- turnouts and sensors


@pytest.mark.parametrize(
    ("profile", "expected"),
    each(["<H 1 1>", "PTA41", "<H 1 1>", "PTA41", "<H 1 0>", "PTA21"], *[["<H 1 1>", "<H 1 0>"]] * 4),
)
def test_a_turnout_that_lies_so_already(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<T 1 1><T 1 1><T 1 0>") == expected


@pytest.mark.parametrize(("asked", "silent"), [("<S>", ("5.6", "5.7")), ("<T>", ("5.7",)), ("<Z>", ()), ("<Q>", ALL)])
@pytest.mark.parametrize("profile", ALL)
def test_lists_of_nothing(profile: str, asked: str, silent: tuple[str, ...]) -> None:
    assert answers(profile, asked, Definitions()) == ([] if profile in silent else ["<X>"])


@pytest.mark.parametrize("profile", ALL)
def test_an_unknown_turnout(profile: str) -> None:
    assert answers(profile, "<T 9 1>") == ([] if profile == "5.7" else ["<X>"])
    assert answers(profile, "<T 9 X>") == ["<X>"]


@pytest.mark.parametrize("profile", ALL)
def test_defining_and_deleting(profile: str) -> None:
    done = [] if profile == "5.7" else ["<O>"]
    for asked in ("<T 5 SERVO 101 400 200 2>", "<T 5 VPIN 30>", "<T 5 DCC 6 1>", "<T 1>", "<S 9 30 1>", "<S 7>"):
        assert answers(profile, asked) == done
    assert answers(profile, "<Z 9 30 0><Z 9>") == ["<O>", "<O>"]
    assert answers(profile, "<T 9><S 9><Z 9>") == ["<X>"] * 3


@pytest.mark.parametrize(("profile", "expected"), each(["<X>"] * 2, *[["<jT 1 2>", '<jT 1 C "">']] * 4))
def test_lists_of_turnouts(profile: str, expected: list[str]) -> None:
    assert answers(profile, "<JT><JT 1>") == expected


# ---------------------------------------------------------------- the serial reader


@pytest.mark.parametrize("profile", ALL)
def test_a_stray_bracket_repeats_the_last_command_or_nothing(profile: str) -> None:
    bench = StationBench(profile=profile)
    bench.say("<t 3 20 1>")
    bench.say("<t 3 0 1><t 3 30 1>")
    bench.hands.done.clear()
    repeats = profile in ("4.1.6", "5.0.9")
    assert bench.say(">") == []
    assert bool(bench.hands.done) is repeats
    assert bench.say("<#>>") == ["<# 50>"] * (1 + repeats)


@pytest.mark.parametrize("profile", ALL)
def test_a_bracket_in_an_unfinished_command(profile: str) -> None:
    old = profile in ("4.1.6", "5.0.9")
    assert answers(profile, "<T 1<#>") == (["<# 50>"] if old else ["<X>", "<# 50>"])


@pytest.mark.parametrize("profile", ALL)
def test_an_overlong_command_is_cut_and_executed_or_thrown_away(profile: str) -> None:
    bench = StationBench(full(), profile=profile)
    limit = find_profile(profile).buffer
    assert limit == (64 if profile in ("5.6", "5.7") else 100)
    fits = "<T 1 1" + " " * (limit - 7) + ">"
    assert bare(bench.say(fits + "<T 1 0>"))[0] == "<H 1 1>"
    # cut, it throws the turnout; whole, it would define one
    long = "<T 1 1" + " " * limit + "0 0 0>"
    lines = bench.say(long + "<#>")
    if profile in ("4.1.6", "5.0.9"):
        assert lines[0] == "<H 1 1>"
        assert lines[-1] == "<# 50>"
    else:
        assert lines == ["<* Parse error: input buffer overflow *>", "<# 50>"]
        bench.station.connect("tcp 1", serial=False)
        assert bench.say(long + "<#>", port="tcp 1") == ["<# 50>"]


@pytest.mark.parametrize("profile", ALL)
def test_too_many_parameters(profile: str) -> None:
    old = profile in ("4.1.6", "5.0.9")
    assert answers(profile, "<# 1 2 3 4 5 6 7 8 9 10>") == (["<# 50>"] if old else ["<X>"])


# ---------------------------------------------------------------- what it says by itself


@pytest.mark.parametrize("profile", ALL)
def test_boot_text_on_usb_and_on_the_network(profile: str) -> None:
    bench = StationBench(booted=False, profile=profile)
    bench.station.connect("tcp 1", serial=False)
    bench.run(3.0)
    version = find_profile(profile).version
    if profile in ("4.1.6", "5.0.9"):
        displays = [f"<* LCD0:DCC-EX v{version} *>", "<* LCD3:Ready *>", "<* LCD2:PWR Off *>"]
        power = ["<p0>"]
    else:
        displays = [f'<@ 0 0 "DCC-EX v{version}">', '<@ 0 3 "Ready">', '<@ 0 2 "PWR Off">']
        power = ["<p0 A>", "<p0 B>", "<p0>"]
    first, second, third = displays
    assert bench.lines()[1:-1] == [first, greeting(profile), second, *power, third]
    told = [greeting(profile), *power]
    assert bench.lines("tcp 1") == ([first, greeting(profile), second, *power, third] if profile == "5.7" else told)


@pytest.mark.parametrize("profile", ALL)
def test_a_script_of_the_station_defines_and_says_so_in_nested_brackets(profile: str) -> None:
    made = Definitions(script=("<T 4 VPIN 30>", "<T 4 1>"))
    bench = StationBench(made, booted=False, profile=profile)
    bench.run(3.0)
    assert '<* SETUP("<T 4 VPIN 30>") *>' in bench.lines()
    assert "<H 4 1>" in bench.lines(), "what it commands is broadcast"
    assert "<O>" not in bench.lines()
    assert bench.say("<T 4 X>") == ["<H 4 VPIN 30 1>"]
    bench.station.reset(bench.now_s)
    bench.run(BOOT_S + 0.5)
    assert bench.say("<T 4 X>") == ["<H 4 VPIN 30 1>"], "at every start"


# ---------------------------------------------------------------- a short circuit


@pytest.mark.parametrize("profile", ALL)
def test_a_short_circuit_is_told_on_usb_alone_and_cut_and_tried_again(profile: str) -> None:
    bench = StationBench(profile=profile)
    bench.station.connect("tcp 1", serial=False)
    bench.say("<1 MAIN>")
    bench.heard.clear()
    bench.hands.done.clear()
    bench.station.set_short(True, bench.now_s)
    bench.run(1.2)
    assert bench.lines("tcp 1") == []
    switched = [on for what, on, *_ in bench.hands.done if what == "power"]
    assert switched.count(False) >= 3
    assert all(was != now for was, now in itertools.pairwise(switched))
    starts = [line.split(" (")[0].split(" current")[0].split(" 1789")[0] for line in bench.lines()]
    if profile == "4.1.6":
        assert starts[:3] == [
            "<* MAIN TRACK POWER OVERLOAD",
            "<* MAIN TRACK POWER RESET",
            "<* MAIN TRACK POWER OVERLOAD",
        ]
        assert bench.say("<JI>", port="tcp 1") == ["<X>"]
    else:
        assert starts[:4] == [
            "<* TRACK A ALERT",
            "<* TRACK A POWER OVERLOAD",
            "<* TRACK A POWER RESTORE",
            "<* TRACK A POWER OVERLOAD",
        ]
        while not bench.hands.done or bench.hands.last("power") != ("power", False):
            bench.run(0.01)
        assert bench.say("<JI>", 0.01, port="tcp 1") == ["<jI -1 0>"]
        lines = bench.say("<s>", 0.02, port="tcp 1")
        assert lines[1] == ("<p0>" if profile == "5.0.9" else "<p0 A>"), "an overloaded track counts as off"
    bench.station.set_short(False, bench.now_s)
    bench.heard.clear()
    bench.run(12.0)
    assert bench.hands.last("power") == ("power", True), "it recovers by itself"
    if profile != "4.1.6":
        assert bench.lines()[-1].startswith("<* TRACK A NORMAL")
        assert bench.say("<JI>", port="tcp 1") == ["<jI 0 0>"]
    assert bench.station.next_event_s() is None


def test_the_pauses_double_up_to_ten_seconds() -> None:
    bench = StationBench()
    bench.say("<1 MAIN>")
    bench.heard.clear()
    start = bench.now_s
    bench.station.set_short(True, start)
    bench.run(60.0)
    cuts = [t_s - start for t_s, _, data in bench.heard if b"OVERLOAD" in data]
    pauses = [float(data.split(b"Pause ")[1].split(b"ms")[0]) for _, _, data in bench.heard if b"OVERLOAD" in data]
    assert cuts[0] == pytest.approx(0.1, abs=0.02)
    assert pauses[:5] == [40, 80, 160, 320, 640]
    assert max(pauses) == 10000


def test_switching_off_ends_an_overload_and_a_short_circuit_is_seen_when_switched_on() -> None:
    bench = StationBench()
    bench.station.set_short(True, bench.now_s)
    assert bench.station.next_event_s() is None, "without power nothing flows"
    assert "<* TRACK A ALERT 1789mA *>" in bench.say("<1 MAIN>", 0.2)
    bench.say("<0 MAIN>")
    assert bench.station.next_event_s() is None
    assert bench.say("<JI>") == ["<jI 0 0>"]
    assert bench.hands.last("power") == ("power", False)


# ---------------------------------------------------------------- the command


def test_an_unknown_profile_is_refused_with_the_ones_there_are() -> None:
    result = CliRunner().invoke(app, ["inglenook-small", "--tcp", "0", "--profile", "3.9"])
    assert isinstance(result.exception, UsageError)
    assert "4.1.6, 5.0.9, 5.4, 5.6, 5.7" in result.exception.cure
