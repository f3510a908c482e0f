"""Bringing a link up: greet, make everything safe, ask for everything by name, compare it with the wiring.

JMRI reports nothing that was not asked for by name, so everything is asked, every time. A locomotive that runs when it
is taken over was set going by somebody else, and setting up stops it: so that is looked at first.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

from pointsman.drivers.jmri.addresses import Addresses, Thing
from pointsman.drivers.jmri.reports import Reports
from pointsman.drivers.jmri.units import FENCE, TAKE_WITHIN_S, Units, question_for, set_to
from pointsman.drivers.jmri.window import Unit
from pointsman.errors import StationError
from pointsman.protocols.jmri_json import Bean, BeanType, Failure, Hello, Message, Throttle
from pointsman.track.model import HIGHEST_STEP

GREETING_WITHIN_S = 5.0
LOWEST_JSON = 5
DEFAULT_HEARTBEAT_S = 13.5

Ask = Callable[[Unit], Awaitable[Message]]
"""Writes a unit and gives the answer to its last message. Raises LinkLostError."""
Until = Callable[[Callable[[], bool], float], Awaitable[bool]]
"""Waits until it is true, looked at after every message, at most so many seconds; false then. Raises LinkLostError."""


def check_greeting(hello: Hello | None, where: str) -> None:
    """Raise StationError when this is no JMRI that answers requests with their ids."""
    if hello is None:
        raise StationError(
            f"no greeting of JMRI within {GREETING_WITHIN_S:g} s",
            where=where,
            cure="something else may answer here: is this the port of JMRI's web server?",
        )
    major = re.match(r"\d+", hello.json)
    if major is None or int(major[0]) < LOWEST_JSON:
        raise StationError(
            f"JMRI {hello.jmri or 'of unknown version'} speaks version {hello.json or 'none'} of its JSON protocol",
            where=where,
            cure=f"version {LOWEST_JSON} is needed: update JMRI to 4.20 or newer",
        )


class SetUp:
    """One setting up of a link whose greeting has come."""

    def __init__(
        self, ask: Ask, until: Until, units: Units, addresses: Addresses, reports: Reports, failures: list[Failure]
    ) -> None:
        """``failures``: those without an id, in which a throttle that cannot be had is told."""
        self._ask = ask
        self._until = until
        self._units = units
        self._addresses = addresses
        self._reports = reports
        self._failures = failures
        self._missing: list[str] = []
        self._user_names: list[str] = []
        self._unknown: list[str] = []
        self._driving: list[str] = []

    async def run(self, where: str) -> None:
        """Everything, in the order of safety. Raises StationError and LinkLostError."""
        await self._ask(Unit((FENCE,), within_s=TAKE_WITHIN_S))
        for magnet in self._addresses.magnets:
            self._look(magnet, await self._ask(self._units.question(set_to(magnet, False))))
        for name in self._addresses.locomotives:
            await self._take(name, where)
        running = [name for name, engine in self._reports.engines.items() if not engine.stands]
        self._driving = [f"locomotive {name} was at step {self._reports.engines[name].step}" for name in running]
        if running:
            stops = [Throttle(name, emergency_stop=True) for name in running]
            await self._ask(Unit((*stops, FENCE), within_s=TAKE_WITHIN_S))
        rest = self._units.rest(None)
        rest.within_s = TAKE_WITHIN_S
        await self._ask(rest)
        for thing in (*self._addresses.turnouts, *self._addresses.beams):
            self._look(thing, await self._ask(self._units.question(question_for(thing))))
        self._check(where)

    async def _take(self, name: str, where: str) -> None:
        made, engine = self._addresses.locomotives[name], self._reports.engines[name]
        refused = f"JMRI gives no throttle for locomotive {name} (address {made.cab})"
        self._failures.clear()
        unit = self._units.take(name)
        await self._ask(unit)
        given = not unit.failure and await self._until(lambda: bool(engine.reports or self._failures), TAKE_WITHIN_S)
        if not given or not engine.reports:
            said = unit.failure or (f"JMRI says: {self._failures[0].message}" if self._failures else "no answer")
            raise StationError(
                f"{refused}: {said}",
                where=where,
                cure="is the command station connected in JMRI, and is the address right? Free it in other throttles",
            )
        if engine.speed_steps is not None and engine.speed_steps < HIGHEST_STEP:
            raise StationError(
                f"JMRI drives locomotive {name} with {engine.speed_steps} speed steps",
                where=where,
                cure="set the command station, or this locomotive in JMRI, to 128 speed steps",
            )

    def _look(self, thing: Thing, answer: Message) -> None:
        if isinstance(answer, Failure):
            self._missing.append(f"{thing.type} {thing.system_name} ({thing})")
        elif isinstance(answer, Bean) and answer.name != thing.system_name:
            self._user_names.append(f"{thing.system_name} is {answer.name}")
        elif thing.type is BeanType.SENSOR and thing.name not in self._reports.active:
            self._unknown.append(f"{thing.system_name} ({thing})")

    def _check(self, where: str) -> None:
        if self._driving:
            raise StationError(
                f"somebody else is driving this layout ({'; '.join(self._driving)}); everything was stopped",
                where=where,
                cure="close the other throttles (is there none, then one was left running), "
                "set the wagons up again, then start again",
            )
        shared = [name for name, engine in self._reports.engines.items() if engine.clients > 1]
        if shared:
            raise StationError(
                f"another throttle holds {', '.join(shared)} too: if this program died, JMRI would not stop it",
                where=where,
                cure="release it in the other throttle; one of a program that has just died is gone after 15 s",
            )
        if self._missing:
            raise StationError(
                f"JMRI does not know {', '.join(self._missing)}",
                where=where,
                cure="add them in JMRI (Tools > Tables) and store its panel file, or correct them in the hardware file",
            )
        if self._user_names:
            raise StationError(
                f"these are user names in JMRI, which changes are not reported by: {', '.join(self._user_names)}",
                where=where,
                cure="write the system name in the hardware file",
            )
        if self._unknown:
            raise StationError(
                f"JMRI does not know how these beams are: {', '.join(self._unknown)}",
                where=where,
                cure="switch the layout on, or put a hand through each beam once, so that its state is reported",
            )
