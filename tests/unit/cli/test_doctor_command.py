"""``doctor`` at its boundary, on the simulated layout: what it prints, asks, refuses and ends with."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest
from commands import Person, Pointsman, own_layout, refused
from rich.console import Console

from pointsman.cli.doctor_report import show_findings, show_ports
from pointsman.cli.ports import show_ports as tabulate
from pointsman.drivers.dccex.findings import CabFound, Findings, Machine, TrackFound
from pointsman.drivers.latency import Latency
from pointsman.posix import Holder
from pointsman.transports.diagnosis import Trouble
from pointsman.transports.ports import PortInfo


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("inglenook", "--move"), 2, "no station is named"),
        (("--watch", "3"), 2, "no station is named"),
        (("inglenook", "--on", "sim", "--watch", "-1"), 2, "--watch -1 is not possible"),
        (("inglenook", "--on", "sim", "--watch", "nan"), 2, "--watch nan is not possible"),
        (("inglenook", "--on", "sim", "--define", "--yes"), 2, "a servo jumps"),
        (("--on", "sim", "--move", "--yes"), 2, "name the layout"),
        (("--on", "sim"), 2, "name one"),
        (("--on", "carrier-pigeon"), 2, "is not understood"),
        (("inglenook", "--on", "tcp:127.0.0.1", "--move", "--yes"), 2, "--yes is for the simulated layout only"),
        (("inglenook", "--on", "sim", "--move"), 2, "standard input is no terminal"),
        (("inglenook", "--on", "sim", "--station", "aux"), 5, "which station is meant: main"),
        (("inglenook", "--on", "sim", "--hardware", "meag"), 2, "mega"),
        (("inglenook", "--on", "serial:/dev/ttyNONE"), 5, "no such port"),
        (("inglenook", "--on", "tcp:127.0.0.1:1"), 5, "connection refused"),
    ],
)
def test_what_cannot_be_is_refused_with_a_cure(
    words: tuple[str, ...], code: int, said: str, pointsman: Pointsman
) -> None:
    ran = pointsman("doctor", *words)
    assert ran.code == code
    assert said in ran.err
    assert "-> " in ran.err
    assert pointsman("doctor", *words, "--json").json["error"]["exit_code"] == code


@pytest.mark.parametrize("port", ["/dev/ttyNONE", "COM3"])
def test_a_port_that_is_not_there_is_told_once(port: str, pointsman: Pointsman) -> None:
    ran = pointsman("doctor", "inglenook", "--on", f"serial:{port}")
    assert ran.err.count("no such port") == 1
    assert "permission" not in ran.out + ran.err
    assert "Opening" not in ran.out


def test_a_station_that_knows_everything(pointsman: Pointsman) -> None:
    ran = pointsman("doctor", "inglenook-small", "--on", "sim")
    assert (ran.code, ran.err) == (0, "")
    for words in (
        "DCC-EX 5.6.0, MEGA STANDARD_MOTOR_SHIELD",
        "(20 fences)",
        "for 50 locomotives",
        "track A MAIN off, 0 mA, trips at 1497 mA",
        "turnout T1",
        "beam head",
        "magnet s1",
        "cab 3",
        "The station knows everything that the wiring names.",
        "Nothing was moved, switched or powered.",
    ):
        assert words in ran.out


def test_the_json_form(pointsman: Pointsman) -> None:
    ran = pointsman("doctor", "inglenook-small", "--on", "sim", "--json", "--watch", "0.2")
    assert ran.code == 0
    found = ran.json
    assert set(found) == {
        "on",
        "station",
        "latency_ms",
        "power",
        "current_ma",
        "trip_ma",
        "tracks",
        "turnouts",
        "beams",
        "magnets",
        "locomotives",
        "changes",
        "beam_changes",
        "problems",
    }
    assert found["station"]["version"] == "5.6.0"
    latency = found["latency_ms"]
    assert 0 < latency["min"] <= latency["median"] <= latency["max"]
    assert found["beams"][0] == {"name": "head", "number": 1, "known": True, "broken": False, "pin": 22}
    assert found["beam_changes"] == {"head": 0, "s1": 0, "s2": 0, "s3": 0}
    assert (found["changes"], found["problems"], found["power"]) == ([], [], False)


@pytest.mark.system  # in real time: last, not beside what keeps every core busy
def test_everything_is_tried_after_yes(pointsman: Pointsman, tmp_path: Path) -> None:
    quick = own_layout(tmp_path, "inglenook-small", ("hardware/dccex.toml", r"move_time_s = 1.3", "move_time_s = 0.1"))
    ran = pointsman("doctor", quick, "--on", "sim", "--move", "--yes", "--json")
    assert ran.code == 0
    assert [one["machine"] for one in ran.json["moved"]] == [
        "turnout T1",
        "turnout T2",
        "magnet s1",
        "magnet s2",
        "magnet s3",
    ]
    assert "Nothing was moved" not in ran.err


def test_what_is_defined_is_shown_first_and_no_means_no(pointsman: Pointsman, person: Person) -> None:
    """The simulated station has everything, and, as a real one, does not tell how its turnouts are defined."""
    person("n\n")
    ran = pointsman("doctor", "inglenook", "--hardware", "mega", "--on", "sim", "--define", "--move")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.index("sensor 1, pin 22") < ran.out.index("<T 1 SERVO 100 340 275 2>"), "it is looked at first"
    assert "does not tell how" in ran.out
    for word in ("<S ", "<Z ", "lacks, or has", "Written"):
        assert word not in ran.out
    person("y\n")
    ran = pointsman("doctor", "inglenook", "--hardware", "mega", "--on", "sim", "--define", "--move")
    assert ran.code == 0
    assert "Written: 2 definitions." in ran.out
    assert "2 turnouts, 4 sensors, 3 outputs" in ran.out
    ran = pointsman("doctor", "inglenook", "--hardware", "mega", "--on", "sim", "--define", "--move", "--yes", "--json")
    assert (ran.code, ran.json["defined"]) == (0, [])


def test_without_pins_nothing_is_defined(pointsman: Pointsman) -> None:
    ran = pointsman("doctor", "inglenook", "--on", "sim", "--define", "--move", "--yes", "--json")
    assert ran.code == 3
    keys = [mistake["key"] for mistake in ran.json["error"]["mistakes"]]
    assert keys[:3] == ["turnouts.T1.pin", "turnouts.T1.servo", "turnouts.T2.pin"]
    refused_keys = {key.split(".")[0] for key in keys}
    assert refused_keys == {"turnouts", "beams", "magnets"}


def test_ports_say_what_bars_them(capsys: pytest.CaptureFixture[str]) -> None:
    show_ports(
        Console(width=80, markup=False),
        [
            PortInfo("/dev/ttyACM0", "", "Mega [2560]", "USB", True, "dialout", (Holder(4711, "arduino"),)),
            PortInfo("/dev/ttyACM1", "/dev/serial/by-id/x", "n/a", "USB", True, "dialout", ()),
        ],
        [Trouble("a board has no port", "plug it in again")],
    )
    out = capsys.readouterr().out
    assert "/dev/ttyACM0  Mega [2560]\n  held by arduino (process 4711)\n  -> close that program" in out
    assert "keeps this name over replugging: /dev/serial/by-id/x\n" in out
    assert out.count("you may use it") == 1
    assert "a board has no port\n-> plug it in again" in out.replace("  ->", "->")


def test_the_list_of_ports_ends_with_whether_one_can_be_used(pointsman: Pointsman) -> None:
    ran = pointsman("doctor", "--json")
    usable = [
        one
        for one in ran.json["ports"]
        if not any(trouble["barred"] or "built-in" in trouble["what"] for trouble in one["troubles"])
    ]
    assert ran.code == (0 if usable else 5)
    plain = pointsman("doctor")
    assert plain.code == ran.code
    assert ("pointsman doctor inglenook --on serial:" in plain.out) == bool(usable)
    if not usable:
        refused(pointsman("doctor", "--on", "serial:/dev/ttyNONE"), 5, "no such port")


def test_a_layout_is_looked_at_also_when_no_station_is_named(pointsman: Pointsman) -> None:
    refused(pointsman("doctor", "inglenok"), 2, "inglenok", "did you mean inglenook")


def test_a_built_in_port_is_named_as_one_and_not_recommended(capsys: pytest.CaptureFixture[str]) -> None:
    inside = PortInfo("/dev/ttyS0", "", "n/a", "n/a", True, "dialout", ())
    board = PortInfo("/dev/ttyACM0", "", "Mega", "USB", True, "dialout", ())
    tabulate(Console(width=120, markup=False), [inside])
    out = capsys.readouterr().out
    assert "a built-in port, hardly a command station" in out
    assert "To play there" not in out
    tabulate(Console(width=120, markup=False), [inside, board])
    assert "--on serial:/dev/ttyACM0" in capsys.readouterr().out
    show_ports(Console(width=120, markup=False), [inside], [])
    assert "hardly a command station" in capsys.readouterr().out


def test_what_is_no_dcc_ex_at_a_network_port_is_said_to_be_none(pointsman: Pointsman) -> None:
    """As a web server does: it does not understand, and hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang_up() -> None:
            link, _ = server.accept()
            with link:
                link.recv(100)
                link.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        web = threading.Thread(target=hang_up)
        web.start()
        ran = pointsman("doctor", "--on", f"tcp:127.0.0.1:{server.getsockname()[1]}")
        web.join()
    assert ran.code == 5
    assert "no DCC-EX has answered there" in ran.err
    assert "--on jmri:HOST" in ran.err
    assert "2560" in ran.err


def test_what_is_wrong_at_a_station_stands_out(capsys: pytest.CaptureFixture[str]) -> None:
    found = Findings(
        greeting="iDCC-EX V-4.1.6 / UNO",
        version="4.1.6",
        board="UNO",
        shield="",
        booted=False,
        slots=20,
        latency=Latency(20, 0.001, 0.002, 0.3),
        power=True,
        current_ma=120,
        trip_ma=1500,
        tracks=(TrackFound("A", "MAIN", True, -1, 1500), TrackFound("B", "", None, None, None)),
        turnouts=(Machine("T1", 1, False), Machine("", 7, True, None)),
        beams=(Machine("head", 1, True, True), Machine("", 9, True, True, 40)),
        magnets=(Machine("s1", 1, True, True),),
        locomotives=(CabFound("L", 3, 20, False), CabFound("M", 4, 0, True)),
    )
    show_findings(Console(width=100, markup=False), found, None)
    out = capsys.readouterr().out
    for words in (
        "4.1.6, UNO",
        "slow",
        "ON: the main track is live",
        "OVERLOAD",
        "NOT KNOWN to the station",
        "BROKEN",
        "sensor 9, pin 40",
        "RUNS at step 20 in reverse",
        "runs on",
    ):
        assert words in out


@pytest.mark.parametrize("hardware", ["mqtt", "jmri"])
def test_a_station_that_is_no_dcc_ex_is_listened_to(hardware: str, pointsman: Pointsman) -> None:
    words = ("doctor", "inglenook-small", "--hardware", hardware, "--on", "sim")
    ran = pointsman(*words)
    assert (ran.code, ran.err) == (0, "")
    assert "only listened to" in ran.out
    assert "Whether the machines obey is not tried" in ran.out
    found = pointsman(*words, "--json", "--watch", "0.2").json
    states = {one["what"]: one["state"] for one in found["things"]}
    assert states["beam head"] == "free"
    assert states["magnet s1"] == states["track power"] == "off"
    assert set(found["beam_changes"]) == {"head", "s1", "s2", "s3"}
    assert (found["problems"], found["changes"]) == ([], [])
    refused(pointsman(*words, "--move", "--yes"), 2, "doctor only listens")


def test_what_hangs_on_another_station_is_said_and_can_be_looked_at_too(pointsman: Pointsman) -> None:
    words = ("doctor", "inglenook-small", "--hardware", "mixed")
    ran = pointsman(*words, "--on", "sim")
    assert ran.code == 0
    assert "Not looked at: station yard (turnout T1, turnout T2, beam head" in ran.out
    ran = pointsman(*words, "--on", "sim", "--station", "yard")
    assert ran.code == 0
    assert "node yard" in ran.out
    assert "Not looked at: station main (magnet s1" in ran.out
    ran = pointsman(*words, "--on", "main=tcp:127.0.0.1:1")
    assert (ran.code, "127.0.0.1:1: connection refused" in ran.err) == (5, True), "as it is named for play"
    both = "main=tcp:127.0.0.1,yard=mqtt:127.0.0.1"
    refused(pointsman(*words, "--on", both), 2, "one station at a time", "--on yard=mqtt:127.0.0.1")
    refused(pointsman(*words, "--on", "jmri:127.0.0.1"), 2, "no station that speaks as jmri", "--hardware")
    refused(pointsman(*words, "--on", "main=mqtt:127.0.0.1"), 5, "which station is meant: yard", "--station")


@pytest.mark.parametrize("on", ["jmri:127.0.0.1", "mqtt:127.0.0.1"])
def test_without_a_layout_nobody_knows_what_to_listen_to(on: str, pointsman: Pointsman) -> None:
    refused(pointsman("doctor", "--on", on), 2, "from a layout's wiring only", "name the layout")


def test_a_node_is_looked_at_and_nothing_is_moved(pointsman: Pointsman) -> None:
    ran = pointsman("doctor", "inglenook-small", "--hardware", "uno-dc", "--on", "sim")
    assert ran.code == 0, ran.err
    told = " ".join(ran.out.split())
    for words in (
        "station node 0.1.0 on an Arduino Uno or Nano; started last: the supply came on",
        "has pins for 2 turnouts, 4 beams, 3 magnets, a throttle, a track relay",
        "answers within",
        "settings memory as they were stored",
        "watchdog setting watchdog off: not tried",
        "track relay relay open",
        "turnout T1 turnout 1 nobody has set them yet",
        "locomotive L throttle stands",
        "Nothing was moved, switched or powered.",
    ):
        assert words in told
    found = pointsman(
        *("doctor", "inglenook-small", "--hardware", "dccex+node", "--station", "node", "--on", "sim"),
        *("--json", "--watch", "0.1"),
    ).json
    assert (found["problems"], found["changes"]) == ([], [])
    assert found["node"]["board"] == "uno"
    assert found["settings"]["watchdog"] == 0
    assert set(found["beam_changes"]) == {"head", "s1", "s2", "s3"}


def test_a_nodes_machines_are_tried_and_it_is_not_defined(pointsman: Pointsman) -> None:
    words = ("doctor", "inglenook-small", "--hardware", "uno-dc", "--on", "sim", "--move", "--yes")
    moved = pointsman(*words, "--json").json["moved"]
    assert [one["machine"] for one in moved] == ["turnout T1", "turnout T2", "magnet s1", "magnet s2", "magnet s3"]
    assert [one["what"] for one in moved] == ["thrown, then closed"] * 2 + ["on for 0.5 s"] * 3
    refused(pointsman(*words, "--define"), 2, "a node is set up, not defined", "pointsman node setup")


@pytest.mark.parametrize(("answers", "tried"), [("n\ny\n", 2), ("y\ny\n", 5)])
def test_a_relay_that_would_feed_another_stations_trains_is_closed_after_a_yes_only(
    answers: str, tried: int, pointsman: Pointsman, person: Person
) -> None:
    person(answers)
    ran = pointsman(
        *("doctor", "inglenook-small", "--hardware", "dccex+node", "--station", "node", "--on", "sim", "--move"),
        "--json",
    )
    assert len(ran.json["moved"]) == tried, ran.err
    told = " ".join(ran.err.split())
    assert "The track then has the power of main." in told
    assert ("Then only servos are tried." in told) is (tried == 2)
