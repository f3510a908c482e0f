"""A bad cable: bytes lost, doubled and changed in both directions, seeded. The driver must stay safe and in step."""

from __future__ import annotations

import asyncio
import random

import pytest
from scripted_station import Station

from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.dccex.link import Link
from pointsman.errors import LinkError
from pointsman.messages import Accepted, Drive, Event, LinkLost, Rejected, SetTurnout, Stop
from pointsman.track.wiring import (
    BeamWiring,
    LocomotiveWiring,
    Protocol,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    Wiring,
)
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual

WIRING = Wiring(
    name="noisy",
    stations={"main": StationWiring("main", Protocol.DCCEX)},
    turnouts={"T1": TurnoutWiring("main", 1, TurnoutKind.SERVO, 1.3, False, "")},
    beams={"b1": BeamWiring("main", 1, False)},
    uncouplers={},
    locomotives={"L": LocomotiveWiring("main", 3)},
)


class BadCable:
    """Loses, doubles or changes a byte now and then."""

    def __init__(self, seed: int, rate: float) -> None:
        self._dice = random.Random(seed)
        self.rate = rate
        self.hits = 0

    def __call__(self, data: bytes) -> bytes:
        out = bytearray()
        for byte in data:
            if self._dice.random() >= self.rate:
                out.append(byte)
                continue
            self.hits += 1
            what = self._dice.randrange(3)
            if what == 1:
                out += bytes([byte, byte])
            elif what == 2:
                out.append(self._dice.randrange(256))
        return bytes(out)


@pytest.mark.parametrize("seed", range(12))
def test_a_bad_cable_costs_commands_never_control(seed: int) -> None:
    async def main() -> None:
        faults: list[object] = []
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: faults.append(context))
        host, far = memory_pair()
        cable = BadCable(seed, 0.0)
        station = Station(far)
        station.lose(cable)
        say = station.say_bytes
        station.say_bytes = lambda data: say(cable(data))  # type: ignore[method-assign]
        events: list[Event] = []
        driver = DccExDriver(host, WIRING, emit=events.append, listen_first_s=0.1)
        await far.open()
        await driver.open()
        cable.rate = 0.004
        sent = 0
        for turn in range(150):
            if driver.link is not Link.UP:
                station.turnouts = {1: False, 2: False}  # a person defines again what a lost byte deleted
                try:
                    await driver.open()
                except LinkError:
                    continue
            if driver.halted:
                try:
                    driver.release()
                except LinkError:
                    await asyncio.sleep(0.2)
                    continue
            for command in (SetTurnout("T1", turn % 2 == 0), Drive("L", True, 1 + turn % 100), Stop("L", True)):
                driver.send(command, sent)
                sent += 1
                await asyncio.sleep(0.02)
            station.sense(1, turn % 2 == 0)
        assert cable.hits > 10, "the cable was bad"
        # and yet: whatever is under way by now, a stop stops, on the bad cable still
        driver.halt()
        await asyncio.sleep(1.5)
        assert all(speed <= 0 for speed, _ in station.cabs.values())
        await asyncio.sleep(2)
        answered = [e.number for e in events if isinstance(e, Accepted | Rejected)]
        assert sorted(answered) == list(range(sent)), "each command has exactly one answer"
        cable.rate = 0.0
        station.turnouts = {1: False, 2: False}
        await driver.open()
        driver.release()
        driver.send(Drive("L", True, 9), sent)
        await asyncio.sleep(0.1)
        assert station.cabs[3] == (9, True), "and everything works again on a good one"
        # a lost answer is noticed, and does not hold up what comes later for long
        assert sum(isinstance(e, LinkLost) for e in events) >= 1
        executed = sum(isinstance(e, Accepted) for e in events)
        assert executed > sent * 0.4
        await driver.close()
        assert station.cabs[3] == (0, True)
        assert not faults

    run_virtual(main())
