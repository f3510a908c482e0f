"""Somebody else drives the layout that is to be set up: it is stopped, and then left alone. Virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from driver_bench import Bench

from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.dccex.link import Link
from pointsman.errors import StationError
from pointsman.messages import Accepted, Drive, Event, ForeignControl, LinkUp, SetPower
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.puzzle.choice import choose
from pointsman.track.builtin import find_wiring
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import MemoryTransport, memory_pair
from railsim.clock import run_virtual
from railsim.embed import Simulation
from railsim.setup import Setup

SETUP_S = 3.26
"""After so long the listening, the asking and the getting in step are over."""


def refused(prepare: Callable[[Bench], None]) -> tuple[Bench, StationError]:
    """What opening says; afterwards, with nobody there, it opens."""
    b = Bench()

    async def main() -> StationError:
        await b.station.wire.open()
        prepare(b)
        with pytest.raises(StationError) as refusal:
            await b.driver.open()
        assert not b.host.is_open
        assert b.driver.link is Link.CLOSED
        assert c.EmergencyStop() in b.station.commands(), "safety first"
        assert not b.of(LinkUp)
        await asyncio.sleep(1)
        if b.station.reopen is not None:
            await b.station.reopen
        await b.driver.open()
        await b.down()
        return refusal.value

    return b, run_virtual(main())


def accepted(prepare: Callable[[Bench], None]) -> None:
    async def main() -> None:
        b = Bench()
        await b.station.wire.open()
        prepare(b)
        await b.driver.open()
        await asyncio.sleep(0.01)
        assert b.of(LinkUp)
        await b.down()

    run_virtual(main())


def test_a_locomotive_that_runs_is_asked_for_before_it_is_stopped() -> None:
    b, error = refused(lambda b: b.station.cabs.update({3: (30, True)}))
    assert "another program is driving this layout (cab 3 was at speed 30)" in str(error)
    assert "close the other program" in error.cure
    assert error.exit_code == 5
    commands = b.station.commands()
    assert (
        commands.index(c.ThrottleQuery(3)) < commands.index(c.EmergencyStop()) < commands.index(c.Throttle(3, 0, True))
    )
    assert b.station.cabs[3] == (0, True)


@pytest.mark.parametrize("t_s", [0.5, 3.1, SETUP_S, SETUP_S + 0.01, SETUP_S + 0.02])
@pytest.mark.parametrize(
    ("reply", "what"),
    [
        (r.LocomotiveState(1234, 1, False), "cab 1234 was at speed 1"),
        (r.LockState(True), "another throttle locked an emergency stop"),
        (r.Forgotten(3), "locomotive L was forgotten"),
    ],
)
def test_what_others_do_while_the_link_is_set_up_is_remembered(t_s: float, reply: r.Reply, what: str) -> None:
    def other(b: Bench) -> None:
        asyncio.get_running_loop().call_later(t_s, b.station.say, reply)

    _, error = refused(other)
    assert what in error.what


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda b: b.station.say(r.TurnoutState(1, True)), "turnout T1 was thrown"),
        (lambda b: b.station.say(r.OutputState(1, True)), "magnet m1 was switched on"),
        (lambda b: b.station.say(r.OutputState(2, False)), "magnet m2 was switched on"),
        (lambda b: b.station.say(r.PowerState(True, "A"), r.PowerState(True, "MAIN")), "the power was switched on"),
    ],
)
def test_points_magnets_and_power_that_others_switch_are_remembered(change: Callable[[Bench], None], what: str) -> None:
    _, error = refused(lambda b: asyncio.get_running_loop().call_later(SETUP_S + 0.02, change, b))
    assert what in error.what


def test_what_is_no_sign_of_another_program() -> None:
    def quiet(b: Bench) -> None:
        loop = asyncio.get_running_loop()
        b.station.cabs = {3: (-1, True), 1234: (0, False), 99: (50, True)}
        b.station.power = True
        b.station.turnouts = {1: True, 2: True}
        for t_s in (1, SETUP_S, SETUP_S + 0.02):
            loop.call_later(
                t_s,
                b.station.say,
                r.LocomotiveState(3, -1, True),
                r.LocomotiveState(1234, 0, False),
                r.LocomotiveState(99, 60, True),
                r.TurnoutState(1, True),
                r.OutputState(1, False),
                r.SensorState(1, True),
                r.SensorState(1, False),
            )

    accepted(quiet)


def test_what_a_station_does_by_itself_when_it_starts_is_nobodys_driving() -> None:
    def boot(b: Bench) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(1, b.station.restart)

        def start_up() -> None:
            b.station.power = True
            b.station.turnouts[1] = True
            b.station.say(r.PowerState(True, "A"), r.PowerState(True, "MAIN"), r.TurnoutState(1, False))
            b.station.say(r.TurnoutState(1, True))

        loop.call_later(1.1, start_up)

    accepted(boot)


def test_a_locomotive_that_we_set_going_ourselves_is_no_other_program() -> None:
    async def main() -> None:
        b = await Bench().up()
        b.driver.send(SetPower(True), 1)
        b.driver.send(Drive("L", True, 40), 2)
        await asyncio.sleep(0.2)
        assert isinstance(b.events[-1], Accepted)
        b.station.deaf = True
        await asyncio.sleep(2.5)
        assert b.station.cabs[3] == (40, True)
        b.station.deaf = False
        await b.driver.open()
        assert b.station.cabs[3] == (0, True)
        # the link was lost again; what runs now was set going by somebody else
        await b.station.wire.close()
        await asyncio.sleep(0.1)
        b.station.cabs[3] = (40, True)
        await b.station.wire.open()
        with pytest.raises(StationError, match="cab 3 was at speed 40"):
            await b.driver.open()
        await b.down()

    run_virtual(main())


def test_two_controllers_on_one_simulated_layout() -> None:
    """The second stops everything and leaves; the first sees it; alone again, the second may."""

    async def main() -> None:
        chosen = choose("inglenook-small")
        wiring = load_wiring(find_wiring(chosen.folder), chosen.track)
        setup = Setup.parse(str(chosen.start), facing={"L": End.TO})
        simulation = Simulation(chosen.track, wiring, setup, seed=1)

        async def controller(serial: bool) -> tuple[DccExDriver, list[Event], MemoryTransport]:
            host, far = memory_pair("serial" if serial else "network")
            await far.open()
            # what a station sends to a host that has gone is lost
            link = simulation.memory(lambda data: far.write(data) if far.is_open else None, serial=serial)
            far.listen(link.write, lambda _: None)
            events: list[Event] = []
            return DccExDriver(host, wiring, emit=events.append), events, far

        first, told, near = await controller(serial=True)
        second, _, far = await controller(serial=False)
        await first.open()
        first.send(SetPower(True), 1)
        first.send(Drive("L", True, 30), 2)
        await asyncio.sleep(0.5)
        assert simulation.truth().moving == ("L",)
        assert not [event for event in told if isinstance(event, ForeignControl)]
        with pytest.raises(StationError, match=r"another program is driving this layout \(cab 3 was at speed 30\)"):
            await second.open()
        assert [event for event in told if isinstance(event, ForeignControl)], "the first is told, too"
        first.halt()
        await first.close()
        await asyncio.sleep(1)
        assert not simulation.truth().moving
        await far.open()
        await second.open()
        await second.close()
        await asyncio.sleep(0.1)
        for end in (near, far):
            await end.close()
        await simulation.close()

    run_virtual(main())
