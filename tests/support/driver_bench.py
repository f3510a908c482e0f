"""Test support: a driver and the scripted station, joined in memory, and a wiring with one of everything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine

from scripted_station import Station

from pointsman.drivers.dccex import DccExDriver
from pointsman.messages import Accepted, Event, ForeignControl, Rejected
from pointsman.protocols.dccex import commands as c
from pointsman.track.wiring import (
    BeamWiring,
    LocomotiveWiring,
    Protocol,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual


def turnout(number: int, kind: TurnoutKind = TurnoutKind.SERVO, inverted: bool = False) -> TurnoutWiring:
    return TurnoutWiring("main", number, kind, 1.3, inverted, "")


def magnet(number: int | None, kind: UncouplerKind = UncouplerKind.COIL, inverted: bool = False) -> UncouplerWiring:
    return UncouplerWiring("main", number, kind, 0.5, inverted, "hardware")


WIRING = Wiring(
    name="test",
    stations={"main": StationWiring("main", Protocol.DCCEX)},
    turnouts={"T1": turnout(1), "T2": turnout(2, inverted=True), "H": turnout(9, TurnoutKind.HAND)},
    beams={"b1": BeamWiring("main", 1, False), "b2": BeamWiring("main", 2, True)},
    uncouplers={"m1": magnet(1), "m2": magnet(2, inverted=True), "m3": magnet(None, UncouplerKind.PERMANENT)},
    locomotives={"L": LocomotiveWiring("main", 3), "M": LocomotiveWiring("main", 1234)},
)


class Bench:
    """A driver and its station, joined in memory."""

    def __init__(self, wiring: Wiring = WIRING) -> None:
        self.events: list[Event] = []
        self.host, far = memory_pair("bench")
        self.station = Station(far)
        self.driver = DccExDriver(self.host, wiring, emit=self.events.append)

    async def up(self) -> Bench:
        await self.station.wire.open()
        await self.driver.open()
        await asyncio.sleep(0.001)
        self.events.clear()
        return self

    async def down(self) -> None:
        await self.driver.close()
        await self.station.wire.close()
        await asyncio.sleep(0.001)

    def of(self, *kinds: type) -> list[Event]:
        return [event for event in self.events if isinstance(event, kinds)]

    def answers(self) -> list[tuple[int, bool]]:
        return [(e.number, isinstance(e, Accepted)) for e in self.events if isinstance(e, Accepted | Rejected)]


def bench(test: Callable[[Bench], Coroutine[None, None, None]]) -> Callable[[], None]:
    """Run a test of an open bench, and close it; no timer may be left behind."""

    async def main() -> None:
        made = await Bench().up()
        await test(made)
        foreign = len(made.of(ForeignControl))
        await made.down()
        assert len(made.of(ForeignControl)) == foreign, "closing is no foreign control"
        before = len(made.events)
        await asyncio.sleep(10)
        assert len(made.events) == before, "a closed driver is silent"

    def run() -> None:
        run_virtual(main())

    run.__name__ = test.__name__
    return run


def doing(b: Bench, since: int) -> list[c.Command]:
    """What the station was told, without the questions."""
    questions = (c.Fence, c.ThrottleQuery, c.ListTurnouts)
    return [command for command in b.station.commands(since) if not isinstance(command, questions)]
