"""What doctor does to a station, against the simulated layout: it asks only; what it moves it leaves at rest."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.defining import define
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.findings import Findings, examine
from pointsman.drivers.dccex.lines import definitions
from pointsman.drivers.dccex.moving import Mover, check_nobody_drives, needs_power
from pointsman.drivers.dccex.vigil import Vigil
from pointsman.drivers.hearing import Seen
from pointsman.drivers.moved import Moved
from pointsman.errors import LayoutError, LinkError, LinkLostError, StationError
from pointsman.protocols.dccex import Command, HostReader, Reply, StationReader
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring import TurnoutKind, UncouplerKind, Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import MemoryTransport, memory_pair
from railsim.clock import run_virtual
from railsim.embed import MemoryLink, Simulation
from railsim.incidents import BeamChanged, TurnoutSettled, WorldEvent
from railsim.profiles import DEFAULT_PROFILE, find_profile
from railsim.setup import Setup

FOLDER = find_layout("inglenook")
TRACK = load_layout(FOLDER)
MEGA = load_wiring(find_wiring(FOLDER, "mega"), TRACK)
ASKING = (
    c.Status,
    c.Fence,
    c.TrackModes,
    c.Currents,
    c.CurrentLimits,
    c.MainCurrent,
    c.TurnoutIds,
    c.ListTurnouts,
    c.ListSensors,
    c.SensorStates,
    c.ListOutputs,
    c.ThrottleQuery,
)


class Scene:
    """The simulated layout, an examiner on one link, and another host on a second one."""

    def __init__(self, wiring: Wiring, position: str, profile: str) -> None:
        self.wiring = wiring
        self.addresses = Addresses(wiring)
        self.happened: list[WorldEvent] = []
        self.commands: list[Command] = []
        self.heard: list[Reply] = []
        self.damage: Callable[[bytes], bytes] = lambda data: data
        self._news = asyncio.Event()
        self.vigil: Vigil | None = None
        setup = Setup.parse(position) if position else Setup({})
        self.simulation = Simulation(
            TRACK, wiring, setup, boot_s=0.0, profile=find_profile(profile), on_event=self.happened.append
        )
        self.host, self._far = memory_pair("bench")
        self._commands_in = StationReader()
        self._others = HostReader()
        self._other_heard: list[Reply] = []
        self.other: MemoryLink = self.simulation.memory(self._hear_other)
        self.examiner = Examiner(self.host, self._hear, lambda _: None)

    def _hear_other(self, data: bytes) -> None:
        self._other_heard += self._others.feed(data)
        self._news.set()

    def _hear(self, reply: Reply) -> None:
        self.heard.append(reply)
        self._news.set()
        if self.vigil is not None:
            self.vigil.hear(reply)

    async def open(self) -> None:
        await self._far.open()
        link = self.simulation.memory(self._answer)

        def pass_on(data: bytes) -> None:
            self.commands += self._commands_in.feed(data)
            link.write(self.damage(data))

        self._far.listen(pass_on, lambda _: None)
        await self.examiner.open(0.1)

    def _answer(self, data: bytes) -> None:
        if self._far.is_open:
            self._far.write(data)

    @property
    def far(self) -> MemoryTransport:
        return self._far

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait until it is true, looking again at every reply; raises TimeoutError after a minute."""
        async with asyncio.timeout(60):
            while not true():
                self._news.clear()
                await self._news.wait()

    async def asked(self, text: str) -> list[Reply]:
        """What another host is answered."""
        self._other_heard.clear()
        self.other.write(text.encode() + b"<#>")
        await self.until(lambda: any(isinstance(reply, r.FenceReached) for reply in self._other_heard))
        return [reply for reply in self._other_heard if not isinstance(reply, r.FenceReached)]

    async def examined(self) -> Findings:
        return await examine(self.examiner, self.addresses)

    def mover(self, tell: Callable[[Moved], None] = lambda _: None, alive: list[bool] | None = None) -> Mover:
        heard = [] if alive is None else alive
        return Mover(self.examiner, self.addresses, self.wiring, tell, heard.append, lambda: None)


def scene(
    act: Callable[[Scene], Awaitable[None]],
    wiring: Wiring = MEGA,
    position: str = "head: L | s1: 1 2",
    profile: str = DEFAULT_PROFILE,
) -> Scene:
    async def main() -> Scene:
        made = Scene(wiring, position, profile)
        try:
            await made.open()
            await act(made)
        finally:
            await made.examiner.close()
            await made.far.close()
            await made.simulation.close()
        return made

    return run_virtual(main())


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


# ---------------------------------------------------------------- moving


def test_each_turnout_goes_to_and_fro_and_each_magnet_is_on_once() -> None:
    alive: list[bool] = []

    async def act(s: Scene) -> None:
        lay = dict(s.simulation.truth().lie)
        found = await s.examined()
        told: list[Moved] = []
        moved = await s.mover(told.append, alive).move(found)
        assert moved == told
        assert [one.machine for one in moved] == ["turnout T1", "turnout T2", "magnet s1", "magnet s2", "magnet s3"]
        assert [one.what for one in moved[:2]] == ["thrown, then closed", "closed, then thrown"]
        assert all(one.what == "on for 0.5 s" for one in moved[2:])
        assert s.simulation.truth().lie == lay
        assert (await s.examined()).energised == []

    played = scene(act)
    settled = [event.turnout for event in played.happened if isinstance(event, TurnoutSettled)]
    assert settled == ["T1", "T1", "T2", "T2"]
    orders = [command for command in played.commands if not isinstance(command, ASKING)]
    assert {type(command) for command in orders} == {c.SetTurnout, c.SetOutput}
    pulses = [(order.output, order.on) for order in orders if isinstance(order, c.SetOutput)]
    # all off first, and never two at once
    assert pulses == [(1, False), (2, False), (3, False), *((n, on) for n in (1, 2, 3) for on in (True, False))]
    assert alive[-1] is False
    assert alive.count(True) >= 30


@pytest.mark.parametrize(
    ("lost", "deleted", "said"),
    [
        (b"<T 1 1>", b"", "thrown, then closed, but the station says: closed, then closed"),
        (b"<T 1 0>", b"", "thrown, then closed, but the station says: thrown, then thrown"),
        (b"<T 1 0>", b"<T 1>", "thrown, then closed, but the station says: thrown, then nothing"),
    ],
)
def test_of_each_turnout_it_is_told_what_the_station_says(lost: bytes, deleted: bytes, said: str) -> None:
    async def act(s: Scene) -> None:
        found = await s.examined()
        s.damage = lambda data: data.replace(lost, deleted)
        moved = await s.mover().move(found)
        assert [one.what for one in moved[:2]] == [said, "closed, then thrown"]

    scene(act)


@pytest.mark.parametrize("inverted", [False, True])
def test_interrupted_in_the_middle_of_a_pulse_the_magnet_is_off(inverted: bool) -> None:
    magnets = {name: replace(one, inverted=inverted) for name, one in MEGA.uncouplers.items()}

    async def act(s: Scene) -> None:
        mover = s.mover()
        moving = asyncio.ensure_future(mover.move(await s.examined()))
        await s.until(lambda: r.OutputState(1, not inverted) in s.heard)
        moving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await moving
        states = [reply for reply in await s.asked("<Z>") if isinstance(reply, r.OutputDefinition)]
        assert [reply.on for reply in states] == [inverted] * 3

    scene(act, replace(MEGA, uncouplers=magnets))


def test_a_link_that_goes_in_the_middle_of_a_pulse_says_what_is_left_on() -> None:
    async def act(s: Scene) -> None:
        moving = asyncio.ensure_future(s.mover().move(await s.examined()))
        await s.until(lambda: r.OutputState(1, True) in s.heard)
        await s.far.close()
        with pytest.raises(LinkLostError, match="while magnet s1 was on") as caught:
            await moving
        assert "by hand" in caught.value.cure

    scene(act)


def test_a_station_that_falls_silent_in_the_middle_of_a_pulse_is_waited_for_under_the_guardians_eyes() -> None:
    """Else the guardian would take the waiting for our death, and its end would hide what has really happened."""

    async def act(s: Scene) -> None:
        beats: list[float] = []
        loop = asyncio.get_running_loop()

        def watched(energised: bool) -> None:
            if energised:
                beats.append(loop.time())

        mover = Mover(s.examiner, s.addresses, s.wiring, lambda _: None, watched, lambda: None)
        moving = asyncio.ensure_future(mover.move(await s.examined()))
        await s.until(lambda: r.OutputState(1, True) in s.heard)
        s.damage = lambda _: b""
        with pytest.raises(LinkLostError, match=r"does not answer any more .* while magnet s1 was on") as caught:
            await moving
        assert "by hand" in caught.value.cure
        assert loop.time() - beats[0] > 2.0  # for the order and for the magnet off
        assert max(after - before for before, after in pairwise(beats)) < 0.1

    scene(act)


DECODERS = replace(
    MEGA,
    turnouts={
        name: replace(one, kind=TurnoutKind.ACCESSORY_DECODER, pin=None, servo=None)
        for name, one in MEGA.turnouts.items()
    },
)


def test_decoders_get_power_for_their_turn_only_and_nothing_may_start_with_it() -> None:
    async def act(s: Scene) -> None:
        assert needs_power(s.addresses, s.wiring) == ["T1", "T2"]
        assert needs_power(Addresses(MEGA), MEGA) == []
        await s.mover().move(await s.examined())
        assert (await s.examined()).power is False

    played = scene(act, DECODERS)
    orders = [x for x in played.commands if isinstance(x, c.EmergencyStop | c.Throttle | c.Power | c.SetTurnout)]
    assert orders[:3] == [c.EmergencyStop(), c.Throttle(3, 0, True), c.Power(True, "MAIN")]
    assert all(isinstance(order, c.SetTurnout) for order in orders[3:7])
    assert set(orders[7:]) == {c.Power(False, "MAIN")}


def test_power_that_was_on_before_stays_on() -> None:
    async def act(s: Scene) -> None:
        await s.asked("<1 MAIN>")
        await s.mover().move(await s.examined())
        assert (await s.examined()).power is True

    played = scene(act, DECODERS)
    assert not [x for x in played.commands if isinstance(x, c.EmergencyStop | c.Throttle | c.Power)]


def test_interrupted_while_decoders_have_power_it_is_off() -> None:
    async def act(s: Scene) -> None:
        moving = asyncio.ensure_future(s.mover().move(await s.examined()))
        await s.until(lambda: r.PowerState(True, "MAIN") in s.heard)
        moving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await moving
        assert (await s.examined()).power is False

    scene(act, DECODERS)


def test_where_somebody_drives_nothing_is_moved() -> None:
    async def act(s: Scene) -> None:
        await s.asked("<1 MAIN><t 3 20 1>")
        found = await s.examined()
        assert [(one.name, one.speed, one.forward) for one in found.driven] == [("L", 20, True)]
        with pytest.raises(StationError, match=r"L \(cab 3\) runs at step 20"):
            check_nobody_drives(found, {}, "bench")
        # Asked about, and left running.
        assert r.LocomotiveState(3, 20, True) in await s.asked("<t 3>")
        await s.asked("<t 3 0 1>")
        check_nobody_drives(await s.examined(), {3: 0}, "bench")
        with pytest.raises(StationError, match="cab 77 runs at step 5"):
            check_nobody_drives(await s.examined(), {77: 5}, "bench")

    scene(act)


# ---------------------------------------------------------------- watching


def watched(s: Scene) -> list[Seen]:
    seen: list[Seen] = []
    s.vigil = Vigil(s.examiner, s.addresses, seen.append)
    return seen


def test_a_beam_that_changes_is_told_with_its_name_as_it_happens() -> None:
    seen: list[Seen] = []

    async def act(s: Scene) -> None:
        seen.extend([])
        told = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(12.0))
        await asyncio.sleep(0.5)
        await s.asked("<1 MAIN><t 3 20 1>")
        await keeping
        await s.asked("<t 3 0 1>")
        seen.extend(told)

    played = scene(act)
    real = [(event.beam, event.broken) for event in played.happened if isinstance(event, BeamChanged)]
    assert real
    assert [(one.beam, one.broken) for one in seen if one.beam] == real
    texts = [one.text for one in seen]
    assert "locomotive L (cab 3) was set to step 20 forward by somebody" in texts
    assert "power A: on" in texts
    first = next(one for one in seen if one.beam)
    real_first = next(event for event in played.happened if isinstance(event, BeamChanged))
    assert 0.0 < first.t_s < real_first.t_s + 0.05
    # it watched, and did nothing else
    assert all(isinstance(command, ASKING) for command in played.commands)


def test_a_beam_that_is_wired_to_another_number_shows_itself() -> None:
    async def act(s: Scene) -> None:
        # The same pin as the beam in the headshunt.
        await s.asked("<S 9 22 1>")
        seen = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(5.0))
        await s.asked("<1 MAIN><t 3 20 1>")
        await keeping
        texts = [one.text for one in seen]
        assert "beam head: broken" in texts
        assert "sensor 9, which the wiring does not name: active" in texts

    scene(act)


def test_what_others_switch_is_told() -> None:
    async def act(s: Scene) -> None:
        seen = watched(s)
        assert s.vigil is not None
        await s.asked("<T 1 0>")
        keeping = asyncio.ensure_future(s.vigil.keep(3.0))
        await asyncio.sleep(0.5)
        await s.asked("<T 1 1>")
        await s.asked("<Z 2 1>")
        await s.asked("<Z 2 0>")
        await keeping
        assert [one.text for one in seen] == [
            "turnout T1 was thrown by somebody",
            "magnet s2 was switched on by somebody",
            "magnet s2 was switched off by somebody",
        ]

    scene(act)


@pytest.mark.parametrize(("profile", "said"), [("4.1.6", "MAIN TRACK POWER OVERLOAD"), ("5.6", "TRACK A ALERT")])
def test_a_short_circuit_is_told_as_every_firmware_words_it(profile: str, said: str) -> None:
    async def act(s: Scene) -> None:
        seen = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(3.0))
        await asyncio.sleep(0.5)
        s.simulation.set_short(True)
        s.other.write(b"<1 MAIN>")
        await keeping
        assert any(f"SHORT CIRCUIT: {said}" in one.text for one in seen)
        s.vigil.hear(r.Comment("MAIN FAULT PIN ACTIVE"))
        assert seen[-1].text == "SHORT CIRCUIT: MAIN FAULT PIN ACTIVE"

    scene(act, profile=profile)


def test_a_station_that_restarts_is_told_and_asked_anew() -> None:
    async def act(s: Scene) -> None:
        seen = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(8.0))
        await asyncio.sleep(0.5)
        await s.asked("<T 1 1>")
        s.other.write(b"<D RESET>")
        await asyncio.sleep(4)
        await s.asked("<Z 1 1>")
        await keeping
        texts = [one.text for one in seen]
        assert sum("has restarted" in text for text in texts) == 1
        assert texts[-1] == "magnet s1 was switched on by somebody"

    scene(act)


def test_a_station_that_falls_silent_is_noticed_within_seconds() -> None:
    async def act(s: Scene) -> None:
        watched(s)
        assert s.vigil is not None
        loop = asyncio.get_running_loop()
        keeping = asyncio.ensure_future(s.vigil.keep(None))
        await asyncio.sleep(2.0)
        s.far.listen(lambda _: None, lambda _: None)
        silent_s = loop.time()
        with pytest.raises(LinkError, match="does not answer any more"):
            await keeping
        assert loop.time() - silent_s < 2.5

    scene(act)


def test_a_link_that_is_lost_ends_every_question() -> None:
    async def act(s: Scene) -> None:
        asking = asyncio.ensure_future(s.examiner.ask(c.Status()))
        await asyncio.sleep(0)
        await s.far.close()
        with pytest.raises(LinkLostError, match="closed by the far end"):
            await asking
        with pytest.raises(LinkLostError, match="closed by the far end"):
            await s.examiner.ask()

    scene(act)


def test_the_wiring_of_the_mega_is_where_it_is_said_to_be() -> None:
    assert Path(find_wiring(FOLDER, "mega")).name == "mega.toml"
