"""``play`` at its boundary: what it refuses at once, what it asks, what it tells, and what it leaves behind."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from commands import CHECKOUT, QUICK, Person, Pointsman, own_layout, refused
from rich.console import Console

from pointsman.cli.aftermath import ask_for_hands, repeat_command, tell_stopped
from pointsman.errors import HaltedError, StoppedError
from pointsman.links import On, Target
from pointsman.messages import Drive, LinkLost, PowerDivided, PowerReported, SetPower, SetTurnout
from pointsman.operate.power import STOPS_ITSELF, running_on
from pointsman.playing import PlayRequest
from pointsman.puzzle.choice import choose
from pointsman.record import encode, message_values, read
from pointsman.solver.compiling import ONCE
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.ends import ends_of
from pointsman.track.layout import load_layout
from pointsman.track.model import End, Side, TurnoutSide
from pointsman.track.wiring_file import load_wiring

# ---------------------------------------------------------------- play


def test_a_play_and_its_journal_replayed(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = tmp_path / "play.journal"
    played = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal, "--json").json
    assert played["runs"] == 9
    assert played["confirmed"] is True
    assert played["truth_agrees"] is True
    assert played["incidents"] == []
    assert played["position"].startswith("head: | s1: 2 1 3 |")
    again = pointsman("replay", journal, "--json").json
    assert again["counted_runs"] == played["runs"]
    assert again["raw_starts"] == played["raw_starts"]
    assert again["position"] == played["position"]
    assert again["seed"] == played["seed"]
    assert again["bad"] == ""
    assert again["lines"] == len(read(journal).lines)
    assert again["ending"] == "it went to the end, every step as expected"
    told = pointsman("replay", journal)
    assert told.code == 0
    assert "run 9 done: head: | s1: 2 1 3 |" in told.out
    assert "9 runs (seen)" in told.out
    assert "     0.0 s" in told.out


def test_what_a_person_sees_of_a_play(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--picture", tmp_path / "p.svg")
    assert ran.code == 0
    assert ran.err in {"", f"{ONCE} ...\n"}  # whichever test is the first has to compile
    assert "It can be done in 9 runs" in ran.out
    assert "run 9 of 9: drive L 2 to s1" in ran.out
    assert "Done. 9 runs" in ran.out
    path = re.search(r"^Journal: (.*)$", ran.out, re.MULTILINE)
    assert path is not None
    assert Path(path.group(1)).is_relative_to(tmp_path / "data" / "pointsman" / "journals")
    assert read(Path(path.group(1))).bad == ""
    picture = (tmp_path / "p.svg").read_text()
    assert "inglenook-small/classic" in picture
    assert "url(http" not in picture


def test_a_seed_of_odd_bytes_goes_through_the_journal(pointsman: Pointsman, tmp_path: Path) -> None:
    seed = os.fsdecode(b"\xff[/]\xfc")
    ran = pointsman("play", "inglenook-small", "--seed", seed, *QUICK, "--journal", tmp_path / "j", "--json")
    assert ran.json["seed"] == seed
    assert pointsman("replay", tmp_path / "j", "--json").json["seed"] == seed
    assert pointsman("replay", tmp_path / "j").code == 0


def test_what_is_counted_does_not_change_what_is_driven(pointsman: Pointsman, tmp_path: Path) -> None:
    ran = pointsman(
        "play", "inglenook-small", "--seed", "1", *QUICK, "--count", "pull-drops", "--journal", tmp_path / "j"
    )
    assert "It can be done in 5 pull-drops" in ran.out
    assert ran.code == 0
    assert read(tmp_path / "j").lines[0].text("count") == "pull-drops"


def test_a_person_says_yes_to_the_simulated_layout(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("what?\nYES\n")
    words = ("play", "inglenook-small", "--seed", "1", "--speed", "0", "--journal", tmp_path / "j", "--json")
    ran = pointsman(*words)
    assert ran.json["confirmed"]
    assert ran.err.count("Is the layout set up like this?") == 2


@pytest.mark.parametrize("typed", ["\n", "n\n", "\x04"])
def test_a_person_says_no(pointsman: Pointsman, person: Person, tmp_path: Path, typed: str) -> None:
    person(typed)
    words = ("play", "inglenook-small", "--seed", "1", "--speed", "0", "--journal", tmp_path / "j", "--json")
    ran = pointsman(*words)
    assert ran.code == 1
    assert "nothing was sent" in ran.json["error"]["what"]
    assert ran.json["error"]["exit_code"] == 1
    assert not (tmp_path / "j").exists()


def test_a_port_that_is_not_there_is_said_before_anything_is_asked(
    pointsman: Pointsman, person: Person, tmp_path: Path
) -> None:
    person("from\ny\n")
    nothing = tmp_path / "ttyNONE"
    ran = pointsman("play", "inglenook-small", "--seed", "1", "--on", f"serial:{nothing}", "--journal", tmp_path / "j")
    refused(ran, 5, str(nothing), "no such port")
    assert not (tmp_path / "j").exists()


@pytest.mark.parametrize("command", ["play", "calibrate"])
def test_a_wiring_that_was_forgotten_is_named_before_anything_is_asked(
    pointsman: Pointsman, person: Person, tmp_path: Path, command: str
) -> None:
    person("points\ny\n")
    ran = pointsman(command, "inglenook-small", "--on", "jmri:127.0.0.1:9", "--journal", tmp_path / "j")
    refused(ran, 2, "station main does not speak as jmri:127.0.0.1:9 does", "give --hardware jmri; or with dccex, give")
    assert not (tmp_path / "j").exists()


def broken_settings(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mqtt.toml").write_text('usr = "me"\n')
    monkeypatch.setenv("POINTSMAN_MQTT_SETTINGS", str(folder / "mqtt.toml"))


def no_certificates(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POINTSMAN_MQTT_CA", str(folder / "none.pem"))


def nothing_set(_folder: Path, _monkeypatch: pytest.MonkeyPatch) -> None:
    pass


@pytest.mark.parametrize("command", ["play", "calibrate"])
@pytest.mark.parametrize(
    ("settings", "code", "said"),
    [(broken_settings, 3, "usr"), (no_certificates, 5, "none.pem"), (nothing_set, 5, "is the broker on")],
)
def test_what_keeps_us_from_a_broker_is_said_before_anything_is_asked(
    pointsman: Pointsman,
    person: Person,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
    settings: Callable[[Path, pytest.MonkeyPatch], None],
    code: int,
    said: str,
) -> None:
    person("points\ny\n")
    settings(tmp_path, monkeypatch)
    on = f"mqtt:127.0.0.1:{nobody_listens()}"
    words = ("inglenook-small", "--hardware", "mqtt", "--on", on, "--journal", tmp_path / "j")
    refused(pointsman(command, *words), code, said)
    assert not (tmp_path / "j").exists()


def nobody_listens() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def test_the_questions_before_a_play_on_a_station(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    """Which way the locomotive faces, whether all is clear; then it turns out that no station is there."""
    person("sideways\nbuffers\nperhaps\ny\n")
    on = f"tcp:127.0.0.1:{nobody_listens()}"
    ran = pointsman("play", "inglenook-small", "--seed", "1", "--on", on, "--journal", tmp_path / "j")
    assert ran.code == 5
    told = " ".join(ran.out.split())
    assert told.count("Does the front of L point to the points or to the buffer stop? [points/buffers]") == 2
    assert told.count("Please answer points or buffers.") == 1
    assert told.count("Please answer y or n.") == 1
    assert "60 mm/s" in told
    assert "its coupler within 5 mm of it" in told
    assert "its coupler towards the points 246 mm from the buffer stop." in told
    lines = read(tmp_path / "j").lines
    assert [line.kind for line in lines] == ["begin", "event", "event", "end"]
    assert lines[0].text("facing") == "from"
    assert [(line.text("type"), line.text("state")) for line in lines[1:3]] == [
        ("LinkChanged", "opening"),
        ("LinkChanged", "closed"),
    ]
    assert f"Journal: {tmp_path / 'j'}\n" in ran.out
    assert "Nothing has moved. To repeat this puzzle:\n" in ran.out
    assert f"\n  pointsman play inglenook-small --seed 1 --count runs --on {on}\n" in ran.out
    assert "power is off" not in ran.out


def test_on_direct_current_the_question_is_where_it_runs(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("points\ny\n")
    on = ("--hardware", "uno-dc", "--on", f"tcp:127.0.0.1:{nobody_listens()}")
    ran = pointsman("play", "inglenook-small", "--seed", "1", *on, "--journal", tmp_path / "j")
    told = " ".join(ran.out.split())
    assert "When the node drives L forward, does it run to the points or to the buffer stop? [points/buffers]" in told
    assert "the wires to the rails decide which way it runs, not its front" in told
    assert "Does the front" not in told


@pytest.mark.parametrize(
    ("typed", "facing"), [("points", "to"), ("POINTS", "to"), ("to\nbuffers", "from"), ("buffers", "from")]
)
def test_answers_to_the_question_of_facing(
    pointsman: Pointsman, person: Person, tmp_path: Path, typed: str, facing: str
) -> None:
    person(f"{typed}\ny\n")
    on = f"tcp:127.0.0.1:{nobody_listens()}"
    ran = pointsman("play", "inglenook-small", "--seed", "1", "--on", on, "--journal", tmp_path / "j")
    assert ran.code == 5
    assert read(tmp_path / "j").lines[0].text("facing") == facing


def test_the_ends_of_a_track_between_turnouts_go_by_their_names() -> None:
    track = load_layout(find_layout("inglenook"))
    head = track.segments["head"]
    one, two = TurnoutSide("T1", Side.TOE), TurnoutSide("T2", Side.TOE)
    for joints, answers in (
        ((None, one), ("points", "buffers")),
        ((one, None), ("buffers", "points")),
        ((one, two), ("t2", "t1")),
        ((TurnoutSide("T1", Side.CLOSED), TurnoutSide("T1", Side.THROWN)), ("t1.thrown", "t1.closed")),
    ):
        segment = replace(head, meets_from=joints[0], meets_to=joints[1])
        names = ends_of(replace(track, segments={**track.segments, "head": segment}), "head")
        assert (names[End.TO].answer, names[End.FROM].answer) == answers


def test_cards_seed_and_question_are_on_one_small_screen(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("points\nn\n")
    on = f"tcp:127.0.0.1:{nobody_listens()}"
    ran = pointsman("play", "inglenook", "--seed", "1", "--on", on, "--journal", tmp_path / "j")
    assert ran.code == 1
    lines = ran.out[: ran.out.index("Is the layout set up")].splitlines()[-22:]
    assert any(line.startswith("│  6  │") for line in lines)
    assert "seed   1" in lines


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--on", "serial:/dev/ttyX", "--yes"), 2, "--yes"),
        (("--on", "serial:/dev/ttyX", "--speed", "1"), 2, "--speed"),
        (("--on", "tcp:host", "--speed", "0"), 2, "--speed"),
        (("--on", "tcp:host:2560"), 2, "standard input is no terminal"),
        (("--on", "serial:/dev/ttyX"), 2, "standard input is no terminal"),
        ((), 2, "add --yes"),
        (("--on", "serial:"), 2, "serial:"),
        (("--on", "moon"), 2, "moon"),
        (("--on", "sim:1"), 2, "sim:1"),
        (("--on", "tcp:host:0"), 2, "tcp:host:0"),
        (("--on", "tcp:host:²"), 2, "tcp:host"),
        (("--on", "tcp:host:" + "9" * 5000), 2, "tcp:host"),
        (("--yes", "--speed", "-1"), 2, "--speed -1"),
        (("--yes", "--speed", "nan"), 2, "--speed nan"),
        (("--yes", "--speed", "inf"), 2, "--speed inf"),
        (("--yes", "--speed", "fast"), 2, "'--speed'"),
        (("--yes", "--facing", "up"), 2, "up"),
        (("--yes", "--hardware", "nope"), 2, "dccex"),
        (("--yes", "--hardware", "./nope.toml"), 2, "nope.toml"),
        (("--yes", "--hardware", str(CHECKOUT / "pyproject.toml")), 3, "pyproject.toml"),
        (("--yes", "--picture", "/nowhere/p.svg"), 2, "/nowhere/p.svg"),
        (("--yes", "--picture", "/"), 2, "picture"),
        (("--yes", "--journal", "/"), 8, "/"),
        (("--yes", "--journal", str(CHECKOUT / "README.md")), 8, "README.md"),
    ],
)
def test_what_play_cannot_take(pointsman: Pointsman, words: tuple[str, ...], code: int, said: str) -> None:
    """Said before anything is searched, shown or asked."""
    refused(pointsman("play", "inglenook-small", *words), code, said)
    error = pointsman("play", "inglenook-small", *words, "--json").json["error"]
    assert error["exit_code"] == code


def test_a_journal_that_cannot_be_written(pointsman: Pointsman, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    journal = tmp_path / "file" / "j"
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal)
    assert ran.code == 8
    assert str(journal) in ran.err
    assert "--journal" in ran.err
    assert "Journal:" not in ran.out


def test_no_folder_is_made_for_a_journal_that_was_asked_for(pointsman: Pointsman, tmp_path: Path) -> None:
    journal = tmp_path / "none" / "such" / "j"
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--journal", journal)
    refused(ran, 8, str(journal), "no such folder")
    assert not (tmp_path / "none").exists()


def test_a_picture_that_cannot_be_written_does_not_hide_the_result(pointsman: Pointsman, tmp_path: Path) -> None:
    picture = tmp_path / ("x" * 300)
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--picture", picture)
    assert ran.code == 2
    assert "Done. 9 runs" in ran.out
    assert "picture" in ran.err
    ran = pointsman("play", "inglenook-small", "--seed", "1", *QUICK, "--picture", picture, "--json")
    assert ran.code == 2
    assert ran.json["runs"] == 9
    assert ran.json["error"]["exit_code"] == 2


def test_a_plan_that_the_metal_does_not_allow(pointsman: Pointsman, tmp_path: Path) -> None:
    """Magnets that hold no coupling: every plan is refused before anything is asked or sent."""
    blunt = own_layout(tmp_path, "inglenook-small", ("layout.toml", r"reach_mm = 10", "reach_mm = 1"))
    ran = pointsman("play", blunt, "--seed", "1", *QUICK, "--journal", tmp_path / "j", "--json")
    assert ran.code == 7
    assert ran.json["error"]["kind"] == "RefusedError"
    assert "going round it did not help" in ran.json["error"]["what"]
    assert not (tmp_path / "j").exists()


TURNED = ("command", {"number": 1, **message_values(SetTurnout("T1", thrown=False))})
POWER_ON, POWER_OFF = (("event", message_values(PowerReported(0.0, on=on))) for on in (True, False))
LINK_LOST = ("event", message_values(LinkLost(0.0, "yard: the connection broke")))
DIVIDED = ("event", message_values(PowerDivided(0.0, "main on, yard not")))
TOLD_ON = ("command", message_values(SetPower(True)))
DROVE = ("command", message_values(Drive("L", True, 30)))


@pytest.mark.parametrize(
    ("entries", "said", "unsaid", "by_hand"),
    [
        ([], ["Nothing has moved"], ["power"], ""),
        ([POWER_OFF], ["The track power is off now.", "Nothing has moved"], [], ""),
        (
            [POWER_OFF, POWER_ON, DROVE],
            ["To say what stands where", "pointsman resume "],
            ["is off now"],
            "nobody confirmed that it went off",
        ),
        ([POWER_ON, DROVE, POWER_OFF], ["The track power is off now.", "wagons up as at the start"], [], ""),
        ([POWER_OFF, TOLD_ON], ["Nothing has moved"], ["is off now"], "nobody confirmed that it went off"),
        ([POWER_OFF, TOLD_ON, POWER_ON, DROVE, LINK_LOST, POWER_OFF], [], ["is off now"], "a link was lost"),
        ([POWER_OFF, DIVIDED], [], ["is off now"], "nobody confirmed that it went off"),
        ([TURNED], ["Only points have moved."], ["Nothing has moved"], ""),
        ([POWER_OFF, LINK_LOST], ["The track power is off now."], [], ""),
    ],
)
def test_what_is_told_after_a_stop_comes_from_the_journal(
    tmp_path: Path, entries: list[tuple[str, dict[str, Any]]], said: list[str], unsaid: list[str], by_hand: str
) -> None:
    """The journal, what can be done now, and, unless the power is known to be off, in the error that a hand is due."""
    journal = tmp_path / "j"
    journal.write_bytes(b"".join(encode(float(at), kind, values) for at, (kind, values) in enumerate(entries)))
    told, stopped = after_a_stop(journal)
    assert told.startswith(f"Journal: {journal}\n")
    assert told.endswith(AGAIN)
    assert all(words in told for words in said)
    assert not any(words in told for words in [*unsaid, "by hand"])
    if by_hand:
        assert stopped.cure.startswith(f"SWITCH THE TRACK POWER OFF BY HAND NOW: {by_hand}")
        assert "nothing moves" not in stopped.cure
    else:
        assert stopped.cure == "nothing moves any more; start again when you like"


@pytest.mark.parametrize("left", ["", "torn"])
def test_a_journal_that_cannot_be_read_afterwards_says_nothing_of_what_has_moved(tmp_path: Path, left: str) -> None:
    journal = tmp_path / "j"
    if left:
        journal.write_bytes(encode(0.0, *POWER_OFF)[:-4])
    told, stopped = after_a_stop(journal)
    assert "Whether anything has moved is not known." in told
    assert "Nothing has moved" not in told
    assert "is off now" not in told
    assert told.endswith(AGAIN)
    assert stopped.cure.startswith("SWITCH THE TRACK POWER OFF BY HAND NOW: what has happened cannot be read")


def test_what_a_hand_has_to_do_is_said_once_and_before_the_rest(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    journal.write_bytes(encode(0.0, *POWER_ON))
    halted = HaltedError("T1 was not done", cure="look at T1")
    ask_for_hands(halted, journal, stops_itself=False)
    ask_for_hands(halted, journal, stops_itself=False)
    assert halted.cure == "SWITCH THE TRACK POWER OFF BY HAND NOW: nobody confirmed that it went off; then look at T1"


def test_a_hand_is_the_last_resort_where_the_node_stops_by_itself(tmp_path: Path) -> None:
    journal = tmp_path / "j"
    journal.write_bytes(encode(0.0, *POWER_ON))
    halted = HaltedError("T1 was not done", cure="look at T1")
    ask_for_hands(halted, journal, stops_itself=True)
    once = halted.cure
    assert once == f"{STOPS_ITSELF}: nobody confirmed that it went off; then look at T1"
    ask_for_hands(halted, journal, stops_itself=True)
    assert halted.cure == once


def test_no_hand_is_wanted_where_the_power_has_gone_off_after_all(tmp_path: Path) -> None:
    journal, lines = tmp_path / "j", [POWER_ON, DROVE]
    for more, wanted in [([], True), ([POWER_OFF], False), ([LINK_LOST, POWER_OFF], True)]:
        entries = enumerate([*lines, *more])
        journal.write_bytes(b"".join(encode(float(at), kind, values) for at, (kind, values) in entries))
        halted = HaltedError("command 5 was not confirmed", cure=running_on(stops_itself=False))
        ask_for_hands(halted, journal, stops_itself=False)
        assert ("BY HAND" in halted.cure) is wanted
        if not wanted:
            assert "the track power has gone off since" in halted.cure


AGAIN = "  pointsman play inglenook-small --seed 'a b' --count runs --on serial:/dev/ttyX --hardware nano\n"


def after_a_stop(journal: Path) -> tuple[str, StoppedError]:
    """What is told of a journal after Ctrl-C, and the error as it is told after that."""
    chosen = choose("inglenook-small", seed="a b")
    wiring = load_wiring(find_wiring(chosen.folder), chosen.track)
    target = Target(On.SERIAL, "/dev/ttyX")
    request = PlayRequest(chosen=chosen, runs=(), wiring=wiring, target=target, facing=End.TO, journal=journal)
    out = Console(file=StringIO(), width=200)
    tell_stopped(out, request, repeat_command("inglenook-small", request, "nano"))
    stopped = StoppedError("stopped by Ctrl-C", 130)
    ask_for_hands(stopped, journal, stops_itself=False)
    assert isinstance(out.file, StringIO)
    return out.file.getvalue(), stopped


@pytest.mark.parametrize("speed", ["0", "500"])
def test_the_simulated_layout_may_be_behind_jmri(pointsman: Pointsman, tmp_path: Path, speed: str) -> None:
    journal = str(tmp_path / "play.journal")
    options = ("--hardware", "jmri", "--on", "sim", "--speed", speed, "--yes", "--seed", "1", "--journal", journal)
    ran = pointsman("play", "inglenook-small", *options)
    assert ran.code == 0, ran.err
    assert "The simulated layout, asked afterwards, agrees" in ran.out


def test_a_wiring_without_jmri_cannot_be_played_behind_it(pointsman: Pointsman, person: Person, tmp_path: Path) -> None:
    person("y\n")
    journal = str(tmp_path / "play.journal")
    options = ("--on", "jmri:127.0.0.1:1", "--seed", "1", "--facing", "to", "--journal", journal)
    ran = pointsman("play", "inglenook-small", *options)
    refused(ran, 2, "station main does not speak as jmri:127.0.0.1:1 does", "give --hardware jmri; or with dccex, give")


OF_EACH_KIND = """
[stations]
main = { protocol = "dccex" }
club = { protocol = "jmri" }
yard = { protocol = "mqtt", nodes = ["yard"] }
[turnouts]
T1 = { station = "club", name = "LT1", kind = "stall-motor" }
T2 = { station = "yard", kind = "servo" }
[beams]
head = { station = "main", id = 1 }
s1 = { station = "club", name = "LS1" }
s2 = { station = "yard" }
s3 = { station = "yard", inverted = true }
[magnets]
s1 = { station = "main", id = 1, kind = "servo" }
s2 = { station = "club", name = "LL1", kind = "servo" }
s3 = { station = "yard", kind = "servo" }
[locomotives]
L = { station = "main", cab = 3 }
"""


@pytest.mark.parametrize("hardware", ["mqtt", "mixed", "one of each kind"])
def test_sim_plays_every_station_of_a_wiring(hardware: str, pointsman: Pointsman, tmp_path: Path) -> None:
    if hardware == "one of each kind":
        hardware = str(tmp_path / "each.toml")
        Path(hardware).write_text(OF_EACH_KIND, encoding="utf-8")
    options = ("--hardware", hardware, "--seed", "1", *QUICK, "--journal", tmp_path / "j")
    played = pointsman("play", "inglenook-small", *options, "--json").json
    assert played["confirmed"] is True
    assert played["truth_agrees"] is True
    assert played["incidents"] == []


def test_several_stations_want_to_know_where_each_is(pointsman: Pointsman, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    which = pointsman("play", "inglenook-small", "--hardware", "mixed", "--on", "tcp:127.0.0.1")
    assert which.code == 2
    assert "which station is at tcp:127.0.0.1:2560: main, yard?" in which.err
    assert "--on main=serial:/dev/ttyACM0 --on yard=mqtt:192.168.4.1" in which.err
    one = pointsman("play", "inglenook-small", "--hardware", "mixed", "--on", "main=tcp:127.0.0.1")
    assert one.code == 2
    assert "it is not said where station yard is" in one.err
