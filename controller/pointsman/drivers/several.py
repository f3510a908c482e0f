"""Several stations as one driver: the wiring says which of them moves what.

A command goes to the station that has what it names; the power to those that feed the track; a stop to all of them.
What one station loses, the layout has lost: its link is the layout's link. The power is off when all that feed the
track have said so since their links came up, and on when all have; between them it is told to be divided.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Protocol

from pointsman.errors import LinkLostError
from pointsman.messages import (
    Accepted,
    Command,
    Drive,
    EmergencyStop,
    Event,
    ForeignControl,
    LinkLost,
    LinkUp,
    OverCurrent,
    PowerDivided,
    PowerReported,
    Rejected,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    StationStopped,
    Stop,
)
from pointsman.track.wiring import Wiring

Emit = Callable[[Event], None]


class StationDriver(Protocol):
    """The driver of one station."""

    async def open(self) -> None:
        """Open the link and make everything safe; ends with LinkUp."""

    async def close(self) -> None:
        """Leave everything safe and close the link."""

    def send(self, command: Command, number: int) -> None:
        """Hand a command to the station; only events confirm it."""

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything at once, skipping every queue."""

    def beat(self) -> bool:
        """The supervision has looked at everything. True when the station waits for the next time."""

    def guardian_frames(self) -> tuple[bytes, ...]:
        """What a guardian writes on this link when the program dies; nothing: it shuts the link down."""


class Stations:
    """All stations of a wiring. ``makers`` make their drivers, by the wiring's names; ``emit`` gets the events.

    It lives in the running event loop.
    """

    def __init__(self, wiring: Wiring, makers: Mapping[str, Callable[[Emit], StationDriver]], *, emit: Emit) -> None:
        self._wiring = wiring
        self._emit = emit
        self._drivers = {name: make(self._ear(name)) for name, make in makers.items()}
        self._feeding = wiring.feeding
        self._power: dict[str, bool] = {}
        self._up: dict[str, str] = {}
        self._lost: dict[str, str] = {}
        self._awaited: dict[int, set[str]] = {}

    @property
    def drivers(self) -> Mapping[str, StationDriver]:
        """The driver of each station, by the wiring's names."""
        return self._drivers

    async def open(self) -> None:
        """Open all of them; as soon as one cannot be opened the others are given up, and its error is raised.

        So it is when one is lost again, or starts anew, before all are there: LinkLostError.
        """
        self._power.clear()
        self._up.clear()
        self._lost.clear()
        self._awaited.clear()
        loop = asyncio.get_running_loop()
        opening = [loop.create_task(driver.open()) for driver in self._drivers.values()]
        try:
            await asyncio.gather(*opening)
            for name, why in self._lost.items():
                what = f"the link was lost before all stations were there: {why}"
                raise LinkLostError(what, where=f"station {name}", cure="look at that station, and try again")
        except BaseException:
            for task in opening:
                task.cancel()
            await asyncio.gather(*opening, return_exceptions=True)
            await self.close()
            raise

    async def close(self) -> None:
        """Close all of them, whatever becomes of the others; raises what the first failing one raised."""
        closing = [driver.close() for driver in self._drivers.values()]
        results = await asyncio.gather(*closing, return_exceptions=True)
        failed = [result for result in results if result is not None]
        if failed:
            raise failed[0]

    def send(self, command: Command, number: int) -> None:
        """Send a command to the station or stations that carry it out; confirmed when all of them have."""
        names = self._stations_for(command)
        self._awaited[number] = set(names)
        _each([partial(self._drivers[name].send, command, number) for name in names])

    def halt(self, *, power_off: bool = False) -> None:
        """Stop everything at every station."""
        _each([partial(driver.halt, power_off=power_off) for driver in self._drivers.values()])

    def beat(self) -> bool:
        """The supervision has looked at everything. True when any station waits for the next time."""
        waiting = [driver.beat() for driver in self._drivers.values()]
        return any(waiting)

    def _stations_for(self, command: Command) -> tuple[str, ...]:
        wiring = self._wiring
        match command:
            case SetTurnout(turnout=name):
                return (wiring.turnouts[name].station,)
            case SetUncoupler(uncoupler=name):
                return (wiring.uncouplers[name].station,)
            case Drive(locomotive=name) | Stop(locomotive=name) | SetFunction(locomotive=name):
                return (wiring.locomotives[name].station,)
            case SetPower():
                return self._wiring.switched
            case EmergencyStop():
                return tuple(self._drivers)

    def _ear(self, name: str) -> Emit:
        return lambda event: self._hear(name, event)

    def _hear(self, name: str, event: Event) -> None:
        match event:
            case Accepted(number=number):
                left = self._awaited.get(number, set())
                left.discard(name)
                if not left and self._awaited.pop(number, None) is not None:
                    self._emit(event)
            case Rejected(number=number, why=why):
                if self._awaited.pop(number, None) is not None:
                    self._emit(replace(event, why=f"{name}: {why}"))
            case PowerReported(on=on):
                if name in self._feeding:  # else it is of no train's concern
                    self._power_said(name, on, event.t_s)
            case LinkUp(station=station):
                self._up[name] = station
                if len(self._up) == len(self._drivers):
                    self._emit(replace(event, station="; ".join(self._up[one] for one in self._drivers)))
            case LinkLost(why=why):
                self._gone(name, why)
                self._emit(replace(event, why=f"{name}: {why}"))
            case StationRestarted(greeting=greeting):
                self._gone(name, f"it has started anew: {greeting}")
                self._emit(replace(event, greeting=f"{name}: {greeting}"))
            case StationStopped(why=why):
                self._emit(replace(event, why=f"{name}: {why}"))
            case ForeignControl(what=what) | OverCurrent(what=what):
                self._emit(replace(event, what=f"{name}: {what}"))
            case StationNote(text=text):
                self._emit(replace(event, text=f"{name}: {text}"))
            case _:
                self._emit(event)

    def _gone(self, name: str, why: str) -> None:
        self._up.pop(name, None)
        self._lost[name] = why
        self._power.pop(name, None)  # what it does from now on, nobody hears

    def _power_said(self, name: str, on: bool, t_s: float) -> None:
        self._power[name] = on
        power = self._wiring.power(self._power)
        live = [feeder for feeder in self._feeding if self._power.get(feeder)]
        if power is not None:
            self._emit(PowerReported(t_s, power))
        elif live:
            rest = [feeder for feeder in self._feeding if feeder not in live]
            self._emit(PowerDivided(t_s, f"{', '.join(live)} on, {', '.join(rest)} not"))


def _each(calls: Iterable[Callable[[], None]]) -> None:
    """Make every call, whatever becomes of the others; raises what the first failing one raised."""
    failed: list[Exception] = []
    for call in calls:
        try:
            call()
        except Exception as error:  # noqa: BLE001  (it is raised again, after the others)
            failed.append(error)
    if failed:
        raise failed[0]
