"""What doctor moves at a station, one thing after the other, against the simulated one in virtual time."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from doctor_bench import ASKING, MEGA, Scene, scene

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.drivers.dccex.moving import Mover, check_nobody_drives, needs_power
from pointsman.drivers.moved import Moved
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.wiring import TurnoutKind
from railsim.incidents import TurnoutSettled


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
