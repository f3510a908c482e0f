"""What doctor finds at a station, against the simulated one in memory, in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from doctor_bench import ASKING, FOLDER, MEGA, TRACK, Scene, scene

from pointsman.drivers.dccex.defining import define
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.findings import examine
from pointsman.drivers.dccex.lines import definitions
from pointsman.errors import LayoutError, StationError
from pointsman.protocols.dccex import Command, Reply
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.builtin import find_wiring
from pointsman.track.wiring import TurnoutKind, UncouplerKind
from pointsman.track.wiring_file import load_wiring


def test_everything_is_told_and_nothing_is_done() -> None:
    async def act(s: Scene) -> None:
        before = s.simulation.truth()
        found = await s.examined()
        assert (found.version, found.board, found.shield) == ("5.6.0", "MEGA", "STANDARD_MOTOR_SHIELD")
        assert (found.slots, found.power, found.trip_ma) == (50, False, 1497)
        assert [(t.letter, t.mode, t.on, t.current_ma, t.limit_ma) for t in found.tracks] == [
            ("A", "MAIN", False, 0, 1497),
            ("B", "PROG", False, 0, 1497),
        ]
        assert {m.name: m.state for m in found.turnouts} == {
            name: leg == "thrown" for name, leg in s.simulation.truth().lie.items()
        }
        assert [(m.name, m.number, m.known, m.pin) for m in found.beams] == [
            (name, i, True, 21 + i) for i, name in enumerate(("head", "s1", "s2", "s3"), start=1)
        ]
        assert [(m.name, m.state, m.pin) for m in found.magnets] == [
            ("s1", False, 30),
            ("s2", False, 31),
            ("s3", False, 32),
        ]
        assert [(one.name, one.cab, one.speed) for one in found.locomotives] == [("L", 3, None)]
        assert (found.unknown, found.energised, found.driven) == ([], [], [])
        latency = found.latency
        assert latency.count == 20
        # 3 bytes there and 7 back at 115200 baud take 0.87 ms
        assert 0.0008 < latency.min_s <= latency.median_s <= latency.max_s < 0.01
        after = s.simulation.truth()
        assert replace(after, t_s=before.t_s) == before

    played = scene(act)
    assert played.happened == []
    assert {type(command) for command in played.commands} == set(ASKING)


def test_without_a_layout_everything_is_listed_by_number() -> None:
    async def act(s: Scene) -> None:
        found = await examine(s.examiner, None)
        assert [m.number for m in found.turnouts] == [1, 2]
        assert [(m.name, m.number, m.state) for m in found.beams] == [("", n, False) for n in (1, 2, 3, 4)]
        assert found.locomotives == ()

    scene(act)


def test_what_the_station_does_not_have_and_what_it_has_besides() -> None:
    async def act(s: Scene) -> None:
        await s.asked("<T 2>")
        await s.asked("<S 3>")
        await s.asked("<Z 1>")
        await s.asked("<S 9 40 1>")
        found = await s.examined()
        assert [(what, one.name) for what, one in found.unknown] == [
            ("turnout", "T2"),
            ("sensor", "s2"),
            ("output", "s1"),
        ]
        assert [(m.name, m.number, m.pin) for m in found.beams][-1] == ("", 9, 40)

    scene(act)


def test_a_station_without_any_definition() -> None:
    async def act(s: Scene) -> None:
        for text in ("<T 1>", "<T 2>", "<S 1>", "<S 2>", "<S 3>", "<S 4>", "<Z 1>", "<Z 2>", "<Z 3>"):
            assert await s.asked(text) == [r.Done()]
        found = await s.examined()
        assert len(found.unknown) == 9
        lines = definitions(MEGA, "main", "mega.toml", found.shield).lines
        saved = await define(s.examiner, lines)
        assert saved == r.Saved(2, 4, 3)
        assert await s.asked("<T 2 X>") == [r.TurnoutDefinition(2, "SERVO", (101, 340, 275, 2), False)]
        assert await s.asked("<S>") == [r.SensorDefinition(n, 21 + n, True) for n in (1, 2, 3, 4)]
        assert await s.asked("<Z>") == [r.OutputDefinition(n, 29 + n, 2, False) for n in (1, 2, 3)]
        assert (await s.examined()).unknown == []
        # It is kept: the station knows it after a reset too.
        s.other.write(b"<D RESET>")
        await asyncio.sleep(2)
        assert s.examiner.restarted
        await s.examiner.again()
        assert (await s.examined()).unknown == []

    scene(act)


def test_a_definition_that_is_rejected_is_named() -> None:
    async def act(s: Scene) -> None:
        wanted = definitions(MEGA, "main", "mega.toml", "").lines[0]
        bad = replace(wanted, command=c.DefineDccTurnout(1, 511, 3))
        assert await define(s.examiner, [bad]) is not None
        with pytest.raises(StationError, match=r"rejects <Z 1 30 2> \(magnet s1\)"):
            await define(Rejecting(s.examiner), [definitions(MEGA, "main", "", "").lines[6]])  # type: ignore[arg-type]

    scene(act)


class Rejecting:
    """A station that takes no definition, as an EXRAIL-only one."""

    def __init__(self, examiner: Examiner) -> None:
        self.where = examiner.where

    async def ask(self, command: Command) -> list[Reply]:
        return [r.Refused()]


def test_definitions_say_every_key_that_is_missing_at_once() -> None:
    plain = load_wiring(find_wiring(FOLDER), TRACK)
    decoder = replace(plain.turnouts["T2"], kind=TurnoutKind.ACCESSORY_DECODER)
    wiring = replace(plain, turnouts={**plain.turnouts, "T2": decoder})
    with pytest.raises(LayoutError) as caught:
        definitions(wiring, "main", "dccex.toml", "")
    keys = [mistake.key for mistake in caught.value.mistakes]
    assert keys == [
        "turnouts.T1.pin",
        "turnouts.T1.servo",
        "turnouts.T2.dcc_address",
        *(f"beams.{name}.pin" for name in ("head", "s1", "s2", "s3")),
        *(f"magnets.{name}.pin" for name in ("s1", "s2", "s3")),
    ]
    assert {mistake.file for mistake in caught.value.mistakes} == {"dccex.toml"}


def test_lines_of_every_kind() -> None:
    turnouts = {
        "T1": replace(MEGA.turnouts["T1"], inverted=True),
        "T2": replace(MEGA.turnouts["T2"], kind=TurnoutKind.ACCESSORY_DECODER, dcc_address=6, pin=None, servo=None),
    }
    magnets = {
        "s1": replace(MEGA.uncouplers["s1"], inverted=True),
        "s2": replace(MEGA.uncouplers["s2"], kind=UncouplerKind.SERVO),
        "s3": replace(MEGA.uncouplers["s3"], kind=UncouplerKind.PERMANENT, number=None, pin=None),
    }
    found = definitions(replace(MEGA, turnouts=turnouts, uncouplers=magnets), "main", "", "")
    lines = {one.what: one.line for one in found.lines}
    # the station's thrown is the layout's closed there
    assert lines["turnout T1"] == "<T 1 SERVO 100 275 340 2>"
    assert lines["turnout T2"] == "<T 2 DCC 2 1>"
    assert lines["magnet s1"] == "<Z 1 30 6>"
    assert "magnet s2" not in lines
    assert "magnet s3" not in lines
    assert [text.partition(":")[0] for text in found.left_out] == ["magnet s2"]
    motor = replace(MEGA.turnouts["T1"], kind=TurnoutKind.STALL_MOTOR, servo=None)
    found = definitions(replace(MEGA, turnouts={**MEGA.turnouts, "T1": motor}), "main", "", "")
    assert found.lines[0].line == "<T 1 VPIN 100>"
    assert [one.what for one in found.lines if one.moves] == ["turnout T2"]


def test_a_pin_that_the_motor_shield_needs_is_refused() -> None:
    beams = {**MEGA.beams, "s1": replace(MEGA.beams["s1"], pin=12)}
    wiring = replace(MEGA, beams=beams)
    with pytest.raises(LayoutError, match="the motor shield needs pin 12"):
        definitions(wiring, "main", "", "STANDARD_MOTOR_SHIELD")
    assert definitions(wiring, "main", "", "EX8874_SHIELD").lines
