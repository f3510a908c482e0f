"""Watching a station: every change of a sensor, turnout, output, locomotive or of the power is told as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.dccex.addresses import Addresses, Switched
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.reports import OVER_CURRENT
from pointsman.drivers.hearing import Seen
from pointsman.errors import StationError
from pointsman.protocols.dccex import Reply
from pointsman.protocols.dccex.commands import Status
from pointsman.protocols.dccex.replies import (
    Comment,
    LocomotiveState,
    OperatorMessage,
    OutputState,
    PowerState,
    SensorState,
    TurnoutState,
)

ASK_EVERY_S = 1.0
"""A link that says nothing may be dead: so it is asked, and must answer."""


class Vigil:
    """Tells what changes. ``hear`` must be given every reply while ``keep`` is awaited."""

    def __init__(self, examiner: Examiner, addresses: Addresses | None, tell: Callable[[Seen], None]) -> None:
        self._examiner = examiner
        self._addresses = addresses
        self._tell = tell
        self._began_s = 0.0
        self._last: dict[tuple[str, int | str], object] = {}
        self._quiet = True

    async def keep(self, seconds: float | None, ready: Callable[[], None] = lambda: None) -> None:
        """Watch for so long; None is for ever. ``ready`` is called when from now on every change is told.

        Raises LinkLostError, and StationError when the station falls silent.
        """
        loop = asyncio.get_running_loop()
        await self._examiner.ask(Status())
        self._quiet = False
        self._began_s = loop.time()
        ends_s = None if seconds is None else self._began_s + seconds
        ready()
        while ends_s is None or loop.time() < ends_s:
            left_s = ASK_EVERY_S if ends_s is None else min(ASK_EVERY_S, ends_s - loop.time())
            await asyncio.sleep(max(left_s, 0.0))
            try:
                await self._examiner.ask()
            except StationError:
                if not self._examiner.restarted:
                    raise
            if self._examiner.restarted:
                await self._restarted()

    async def _restarted(self) -> None:
        self._say("the station has restarted: look at its power supply and cable")
        await self._examiner.again()
        # What was known holds no more: what is different now is told.
        await self._examiner.ask(Status())

    def hear(self, reply: Reply) -> None:
        """A reply of the station."""
        addresses = self._addresses
        match reply:
            case SensorState(sensor, active):
                beam = addresses.beams.get(sensor) if addresses is not None else None
                state = active if beam is None else beam.ours(active)
                if self._changed("sensor", sensor, state):
                    self._sensor(sensor, beam, state)
            case TurnoutState(turnout, thrown) if self._changed("turnout", turnout, thrown):
                points = addresses.turnouts.get(turnout) if addresses is not None else None
                way = "thrown" if (thrown if points is None else points.ours(thrown)) else "closed"
                self._say(f"{_name('turnout', turnout, points)} was {way} by somebody")
            case OutputState(output, on) if self._changed("output", output, on):
                magnet = addresses.magnets.get(output) if addresses is not None else None
                way = "on" if (on if magnet is None else magnet.ours(on)) else "off"
                self._say(f"{_name('output', output, magnet)} was switched {way} by somebody")
            case LocomotiveState(cab, speed, forward) if self._changed("cab", cab, (speed, forward)):
                name = addresses.locomotives.get(cab, "") if addresses is not None else ""
                who = f"locomotive {name} (cab {cab})" if name else f"cab {cab}"
                self._say(f"{who} was set to step {max(speed, 0)} {'forward' if forward else 'in reverse'} by somebody")
            case PowerState(on, track) if self._changed("power", track, on):
                self._say(f"power {track or 'of all tracks'}: {'on' if on else 'off'}")
            case Comment(text) if OVER_CURRENT.search(text):
                self._say(f"SHORT CIRCUIT: {text}")
            case OperatorMessage(text):
                self._say(f"the station says: {text}")

    def _changed(self, kind: str, number: int | str, value: object) -> bool:
        before, self._last[kind, number] = self._last.get((kind, number)), value
        if self._quiet or before == value:
            return False
        # Who asks about a locomotive has not driven it: a standing one is news only when it ran before.
        return kind != "cab" or before is not None or not _standing(value)

    def _sensor(self, sensor: int, beam: Switched | None, state: bool) -> None:
        if beam is not None:
            self._say(f"beam {beam.name}: {'broken' if state else 'free'}", beam.name, broken=state)
        else:
            what = f"sensor {sensor}" + (", which the wiring does not name" if self._addresses is not None else "")
            self._say(f"{what}: {'active' if state else 'inactive'}")

    def _say(self, text: str, beam: str = "", *, broken: bool | None = None) -> None:
        self._tell(Seen(asyncio.get_running_loop().time() - self._began_s, text, beam, broken))


def _standing(value: object) -> bool:
    return isinstance(value, tuple) and value[0] <= 0


def _name(kind: str, number: int, one: Switched | None) -> str:
    if one is None:
        return f"{kind} {number}"
    return f"{'magnet' if kind == 'output' else kind} {one.name}"
