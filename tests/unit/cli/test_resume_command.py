"""``resume`` at its boundary: what is shown, asked and refused, and that it reaches the goal."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from commands import QUICK, Person, Pointsman, own_layout, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mosquitto import mosquitto, needs_mosquitto

from pointsman.errors import PointsmanError
from pointsman.messages import Accepted, Drive
from pointsman.operate.retelling import retell, score_values
from pointsman.record import decode, encode, message_values, read
from pointsman.resuming import interrupted

STANDS = "head: L | s1: 3 | s2: 4 5 | s3: 2 1"
PLAY = ("play", "inglenook-small", "--seed", "1")


def cut_short(pointsman: Pointsman, journal: Path, kind: str, number: int, torn: bytes = b"") -> Path:
    """A journal as a crash leaves it: whole up to just before the numbered line of a kind, and then perhaps torn."""
    whole = journal.with_name("whole")
    assert pointsman(*PLAY, *QUICK, "--journal", whole).code == 0
    lines = read(whole).lines
    at = [index for index, line in enumerate(lines) if line.kind == kind][number]
    raw = whole.read_bytes().splitlines(keepends=True)[:at]
    journal.write_bytes(b"".join(raw) + torn)
    return journal


@pytest.fixture
def crashed(pointsman: Pointsman, tmp_path: Path) -> Path:
    """The program was killed in its fourth run."""
    return cut_short(pointsman, tmp_path / "crashed.journal", "run", 3)


def test_from_a_crash_to_the_goal(pointsman: Pointsman, crashed: Path, tmp_path: Path) -> None:
    before = retell(read(crashed), "").score
    ran = pointsman("resume", crashed, "--speed", "0", "--yes", "--position", STANDS, "--json")
    assert ran.code == 0, ran.err
    found = ran.json
    assert found["confirmed"] is True
    assert found["truth_agrees"] is True
    assert found["incidents"] == []
    assert found["goal"] == "s1: 2 1 3"
    assert found["start"] == STANDS
    assert found["goes_on_from"] == str(crashed)
    assert found["origin"] == "entered by a person"
    assert found["by_hand"] == 1
    assert found["runs"] > before.runs == 3
    assert found["journal"] == str(tmp_path / "crashed-2.journal")
    # The new journal counts on, and names the old one.
    lines = read(tmp_path / "crashed-2.journal").lines
    assert lines[0].values["goes_on_from"] == str(crashed)
    assert lines[0].values["score"] == score_values(before)
    assert [line.kind for line in lines[:2]] == ["begin", "put right"]
    assert lines[1].text("position") == STANDS
    assert lines[1].text("before") == retell(read(crashed), "").position
    again = pointsman("replay", tmp_path / "crashed-2.journal", "--json").json
    assert again["counted_runs"] == found["runs"]
    assert again["raw_starts"] == found["raw_starts"]
    assert again["origin"] == "entered by a person"
    assert again["position"] == found["position"]
    told = pointsman("replay", tmp_path / "crashed-2.journal").out
    assert f"goes on from {crashed}\n" in told
    assert f": {STANDS}\n" in told


def test_what_a_person_sees_and_is_asked(pointsman: Pointsman, person: Person, crashed: Path) -> None:
    """Every answer that cannot be meant is told with its cure, and asked again."""
    person("maybe\n3 s9\n9 s1\n\ny\nL head, 1 s3\nn\ns1: 3\ny\nwhat?\ny\n" + "q\n" * 9)
    ran = pointsman("resume", crashed, "--speed", "0")
    assert ran.code == 0, ran.err
    told = " ".join(ran.out.split())
    assert "It ended because: the journal stops in the middle" in told
    assert "3 runs done (seen), under way: drive" in told
    assert "last confirmed position" in told
    assert "there is no track 's9'" in told
    assert "there is no vehicle '9'" in told
    assert "missing: L" in told
    assert told.count("Is that right? [y, or what stands elsewhere]") + told.count("What stands elsewhere?") == 9
    assert "Is the layout set up like this?" in told
    assert "Done." in told
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("typed", ["q\n", "QUIT\n", "\x04", "l head, 1 s3\ny\nn\n"])
def test_a_person_who_does_not_want_to(
    pointsman: Pointsman, person: Person, crashed: Path, tmp_path: Path, typed: str
) -> None:
    person(typed + "q\n" * 9)
    ran = pointsman("resume", crashed, "--speed", "0")
    assert ran.code == 1
    assert "nothing was sent" in ran.err
    assert sorted(path.name for path in tmp_path.glob("*.journal")) == ["crashed.journal"]


def test_a_power_cut_tears_the_last_line(pointsman: Pointsman, tmp_path: Path) -> None:
    torn = cut_short(pointsman, tmp_path / "torn.journal", "stand", 2, b"0000002a 1234")
    ran = pointsman("resume", torn, "--speed", "0", "--yes", "--position", STANDS)
    assert ran.code == 0, ran.err
    assert "The journal's end is damaged" in ran.out


def test_killed_before_anything_moved(pointsman: Pointsman, tmp_path: Path) -> None:
    early = cut_short(pointsman, tmp_path / "early.journal", "command", 0)
    ran = pointsman("resume", early, "--speed", "0", "--yes", "--json")
    assert ran.json["confirmed"] is True
    assert ran.json["start"] == "head: L | s1: 1 2 3 | s2: 4 5 | s3:"


def test_stopped_twice_it_counts_on(pointsman: Pointsman, crashed: Path, tmp_path: Path) -> None:
    second = tmp_path / "second"
    assert pointsman("resume", crashed, "--speed", "0", "--yes", "--position", STANDS, "--journal", second).code == 0
    lines = read(second).lines
    at = next(index for index, line in enumerate(lines) if line.kind == "run")
    raw = second.read_bytes().splitlines(keepends=True)[: at + 1]
    (tmp_path / "again").write_bytes(b"".join(raw))
    found = pointsman("resume", tmp_path / "again", "--speed", "0", "--yes", "--position", STANDS, "--json").json
    assert found["by_hand"] == 2
    assert found["runs"] > 4


def test_several_stations_want_to_know_where_each_is_before_anything_is_asked(
    pointsman: Pointsman, person: Person, crashed: Path
) -> None:
    person("q\n" * 9)
    mixed = ("resume", crashed, "--hardware", "mixed", "--facing", "to")
    refused(pointsman(*mixed, "--on", "main=tcp:127.0.0.1:1"), 2, "it is not said where station yard is")
    refused(pointsman(*mixed, "--on", "tcp:127.0.0.1:1"), 2, "which station is at tcp:127.0.0.1:1: main, yard?")
    both = ("--on", "main=serial:/dev/ttyNONE", "--on", "yard=mqtt:127.0.0.1:1")
    refused(pointsman(*mixed, *both), 5, "/dev/ttyNONE: there is no such port")


@needs_mosquitto
@pytest.mark.system
def test_with_several_stations_the_way_to_begin_again_names_them_all(
    pointsman: Pointsman, person: Person, crashed: Path, tmp_path: Path
) -> None:
    person(f"{STANDS}\ny\ny\n" + "n\n" * 9)
    with mosquitto(tmp_path) as broker:
        both = ("--on", "main=tcp:127.0.0.1:1", "--on", f"yard=mqtt:127.0.0.1:{broker.port}")
        ran = pointsman("resume", crashed, "--hardware", "mixed", "--facing", "to", *both)
    assert ran.code == 5, ran.err
    assert f"--hardware mixed {' '.join(both)}\n" in ran.out or f"{' '.join(both)} --hardware mixed\n" in ran.out


def test_where_the_goal_is_reached_nothing_is_driven(pointsman: Pointsman, crashed: Path, tmp_path: Path) -> None:
    ran = pointsman("resume", crashed, "--speed", "0", "--yes", "--position", "head: L | s1: 2 1 3 | s2: 4 5")
    assert ran.code == 0
    assert "the goal is reached: there is nothing left to drive" in ran.out
    assert not (tmp_path / "crashed-2.journal").exists()
    told = pointsman("resume", crashed, "--yes", "--position", "head: L | s1: 2 1 3 | s2: 4 5", "--json").json
    assert told["position"] == "head: L | s1: 2 1 3 | s2: 4 5 | s3:"
    assert told["confirmed"] is True
    assert told["runs"] == 3, "what was driven before"
    assert told["origin"] == "entered by a person"
    assert told["goes_on_from"] == str(crashed)
    assert told["journal"] is None
    driven = pointsman("resume", crashed, "--speed", "0", "--yes", "--position", STANDS, "--json").json
    assert told.keys() == driven.keys()


def test_a_locomotive_that_stands_in_a_siding(pointsman: Pointsman, crashed: Path) -> None:
    """Not at its mark: set up like a wagon, and proved from there."""
    for stands in ("s1: L 1 | s2: 4 5 | s3: 2 3", "head: L 3 | s1: 1 | s2: 4 5 | s3: 2", "s1: 1 2 3 | s2: 4 5 | s3: L"):
        ran = pointsman("resume", crashed, "--speed", "0", "--yes", "--position", stands, "--json")
        assert ran.code == 0, (stands, ran.err)
        assert ran.json["truth_agrees"] is True
        assert ran.json["incidents"] == []
        assert "L: in" in ran.err
        assert "set up like wagons" in ran.err


def test_from_where_no_way_leads_to_the_goal(pointsman: Pointsman, person: Person, crashed: Path) -> None:
    """The locomotive on the wrong side of a wagon: said, and asked again."""
    wrong = "head: 3 | s1: L 1 | s2: 4 5 | s3: 2"
    assert pointsman("resume", crashed, "--speed", "0", "--yes", "--position", wrong).code == 4
    person(f"{wrong}\ny\n{STANDS}\ny\ny\n" + "q\n" * 9)
    ran = pointsman("resume", crashed, "--speed", "0")
    assert ran.code == 0, ran.err
    assert "From there it does not go on: proved: there is no way" in " ".join(ran.out.split())


def test_an_own_layout_is_found_from_anywhere(
    pointsman: Pointsman, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = own_layout(tmp_path)
    (home / "hardware" / "dccex.toml").rename(home / "hardware" / "nano.toml")
    monkeypatch.chdir(tmp_path)
    first = tmp_path / "first.journal"
    words = ("play", "own", "--seed", "1", *QUICK, "--hardware", "own/hardware/nano.toml", "--journal", first)
    assert pointsman(*words).code == 0
    lines = read(first).lines
    at = next(index for index, line in enumerate(lines) if line.kind == "run")
    first.write_bytes(b"".join(first.read_bytes().splitlines(keepends=True)[: at + 1]))
    monkeypatch.chdir("/")
    ran = pointsman("resume", first, "--speed", "0", "--yes", "--position", STANDS, "--json")
    assert ran.json["confirmed"] is True


def begin(**changes: Any) -> bytes:
    header = {
        "puzzle": "inglenook-small/classic",
        "folder": str(Path(__file__).resolve().parents[3] / "layouts" / "inglenook-small"),
        "hardware": "",
        "seed": "1",
        "start": "head: L | s1: 1 2 3 | s2: 4 5",
        "goal": "s1: 2 1 3",
        "count": "runs",
        "on": "sim",
        "facing": "to",
    }
    return encode(0.0, "begin", {key: value for key, value in {**header, **changes}.items() if value is not None})


def unseeded(wagons: str) -> bytes:
    """The first line of a play whose draw was given by its wagons."""
    header = decode(begin(wagons=wagons).rstrip(b"\n")).values
    return encode(0.0, "begin", {**header, "seed": None})


@pytest.mark.parametrize(
    ("content", "code", "words"),
    [
        (b"", 8, ["the file is empty"]),
        (b"hello\n", 8, ["line 1 is damaged"]),
        (encode(0.0, "run", {}), 8, ["does not begin as a journal does"]),
        (begin(puzzle=None), 8, ["has no puzzle", "another version"]),
        (begin(folder=None), 8, ["has no folder"]),
        (begin(folder=7), 8, ["has no folder"]),
        (begin(seed=7), 8, ["is not whole"]),
        (begin(seed=None), 8, ["is not whole"]),
        (begin(seed="\ud800"), 8, ["is not whole"]),
        (begin(wagons=7), 8, ["is not whole"]),
        (unseeded("2 1 9"), 2, ["there is no wagon '9'"]),
        (unseeded("1 2 3"), 2, ["asked for 's1: 2 1 3' then"]),
        (begin(folder="\ud800"), 8, ["has no folder"]),
        (begin(hardware="a\0b"), 8, ["has no hardware"]),
        (begin(count="wagons"), 8, ["is not whole"]),
        (begin(folder="/nowhere"), 2, ["/nowhere"]),
        (begin(puzzle="inglenook-small/none"), 2, ["none"]),
        (begin(hardware="nano"), 2, ["nano"]),
        (begin(on="moon"), 2, ["moon"]),
        (begin(goal="s1: 1 2 3"), 2, ["asked for 's1: 1 2 3' then"]),
        (begin(start="head: L"), 2, ["missing: 1 2 3 4 5"]),
        (begin(start="head: L | s9: 1"), 2, ["s9"]),
        (begin(score={"runs": "many"}), 8, ["line 1: the figures"]),
        (begin() + encode(1.0, "end", {"position": "", "runs": 9}), 8, ["went to its end"]),
    ],
)
def test_journals_that_cannot_be_gone_on_with(
    pointsman: Pointsman, tmp_path: Path, content: bytes, code: int, words: list[str]
) -> None:
    journal = tmp_path / "j"
    journal.write_bytes(content)
    ran = pointsman("resume", journal, "--speed", "0", "--yes", "--position", "1 s1 9")
    refused(ran, code, *words)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nowhere", "--yes"), 8, "No such file"),
        (("/", "--yes"), 8, "directory"),
        (("J", "--on", "serial:/dev/ttyX", "--yes"), 2, "--yes"),
        (("J", "--on", "tcp:host", "--speed", "0"), 2, "--speed"),
        (("J",), 2, "standard input is no terminal"),
        (("J", "--yes", "--position", "9 s1"), 2, "there is no vehicle '9'"),
        (("J", "--yes"), 2, "--position"),
        (("J", "--yes", "--position", "head: L | s1: 1 2 3 | T1>closed: 4 | s2: 5"), 2, "4 stands on T1"),
        (("J", "--yes", "--facing", "up"), 2, "up"),
        (("J", "--yes", "--journal", "/nowhere/j"), 8, "/nowhere/j"),
        (("J", "--yes", "--hardware", "nope"), 2, "dccex"),
    ],
)
def test_what_resume_cannot_take(
    pointsman: Pointsman, crashed: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    given = [str(crashed) if word == "J" else word for word in words]
    ran = pointsman("resume", *given)
    assert ran.code == code, ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert json.loads(pointsman("resume", *given, "--json").out)["error"]["exit_code"] == code


ODD_TEXT = st.text(st.characters(exclude_categories=()), max_size=5)
ODD = (
    st.none() | st.booleans() | st.integers() | st.floats() | ODD_TEXT | st.just([]) | st.just({"a": 1}) | st.just([1])
)
WHOLE: list[tuple[str, dict[str, Any]]] = [
    ("command", {"number": 1, **message_values(Drive("L", True, 30))}),
    ("event", message_values(Accepted(1.0, 1))),
    ("step", {"run": 1, "what": "drive L", "evidence": ""}),
    ("put right", {"by": "somebody", "before": "", "position": "head: L | s1: 1 2 3 | s2: 4 5"}),
    ("run", {"number": 1, "run": "", "reversed": False, "position": "head: L | s1: 1 2 3 | s2: 4 5"}),
    ("halt", {"why": "doubt", "doing": "", "position": ""}),
    ("end", {"error": "doubt"}),
]


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_journal_with_values_of_another_kind_is_told_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    """Every line whole, with its checksum; one value is something else. Nothing but the program's own errors comes."""
    header = decode(begin()[:-1])
    lines = [("begin", dict(header.values)), *((kind, dict(values)) for kind, values in WHOLE)]
    at = data.draw(st.just(0) | st.integers(1, len(WHOLE)))
    values = lines[at][1]
    name = data.draw(st.sampled_from(sorted(values)))
    if data.draw(st.booleans()):
        values[name] = data.draw(ODD)
    else:
        del values[name]
    journal = tmp_path / "j"
    journal.write_bytes(b"".join(encode(float(number), *line) for number, line in enumerate(lines)))
    with suppress(PointsmanError):
        assert interrupted(journal).why is not None
