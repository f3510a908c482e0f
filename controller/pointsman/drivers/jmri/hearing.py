"""Listening to JMRI: things are asked for by name, nothing is set, and no throttle is taken."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.hearing import ON, Ear, Seen
from pointsman.drivers.jmri.addresses import Addresses, Thing
from pointsman.drivers.jmri.setup import GREETING_WITHIN_S, check_greeting
from pointsman.drivers.jmri.units import question_for
from pointsman.errors import LinkLostError
from pointsman.protocols.jmri_json import (
    Bean,
    BeanType,
    Failure,
    Goodbye,
    Hello,
    Message,
    Ping,
    Power,
    SwitchState,
    read,
    write,
)
from pointsman.track.wiring import Wiring
from pointsman.transports.base import Transport

ANSWERS_WITHIN_S = 5.0
PING_EVERY_S = 5.0
"""JMRI hangs up on who is silent for some 15 s."""
POWER = "track power"


class JmriEar(Ear):
    """Hears what one JMRI says of the things of a wiring."""

    def __init__(self, link: Transport, wiring: Wiring, tell: Callable[[Seen], None], station: str | None) -> None:
        self._addresses = Addresses(wiring, station)
        self._link = link
        self._hello: Hello | None = None
        self._asked: dict[int, str] = {}
        self._ping: asyncio.TimerHandle | None = None
        things = {POWER: "power"} | {str(thing): thing.system_name for thing in self._all()}
        super().__init__(link.name, things, tell)
        link.listen(self._on_data, self._on_lost)

    def _all(self) -> list[Thing]:
        return [*self._addresses.turnouts, *self._addresses.beams, *self._addresses.magnets]

    async def _open(self) -> None:
        await self._link.open()
        await self._until(lambda: self._hello is not None, GREETING_WITHIN_S)
        check_greeting(self._hello, self._link.name)
        assert self._hello is not None
        self.greeting = f"JMRI {self._hello.jmri}" + (f", {self._hello.railroad}" if self._hello.railroad else "")
        self._send(Power())
        for number, thing in enumerate(self._all(), start=1):
            question = question_for(thing)
            self._asked[number] = str(thing)
            self._send(Bean(question.type, question.name, id=number))
        self._send_ping()
        await self._until(lambda: not self._asked and POWER in self._states, ANSWERS_WITHIN_S)

    async def _close(self) -> None:
        if self._ping is not None:
            self._ping.cancel()
            self._ping = None
        await self._link.close()

    def _unheard(self, what: str) -> tuple[str, str]:
        return f"JMRI says nothing of {what} ({self._things[what]})", "look at its connection to the layout"

    def _send(self, message: Message) -> None:
        self._link.write(write(message).encode("ascii"))

    def _send_ping(self) -> None:
        self._ping = asyncio.get_running_loop().call_later(PING_EVERY_S, self._send_ping)
        try:
            self._send(Ping())
        except LinkLostError as lost:
            self._on_lost(lost.what)

    def _on_data(self, data: bytes) -> None:
        for message in read(data):
            self._on_message(message)
        self._changed.set()

    def _on_message(self, message: Message) -> None:
        match message:
            case Hello() if self._hello is None:
                self._hello = message
            case Goodbye():
                self._on_lost("JMRI is being closed")
            case Failure(id=number) if number in self._asked:
                what = self._asked.pop(number)
                wrong = f"JMRI does not know {self._things[what]} ({what})"
                self._wrong[what] = wrong, "add it in JMRI (Tools > Tables), or correct it in the hardware file"
                self._put(what, "NOT KNOWN to JMRI")
            case Bean():
                self._bean(message)
            case Power(state=state, default=default) if state is not None and default is not False:
                names = {SwitchState.ON: ON, SwitchState.OFF: "off", SwitchState.IDLE: "idle: on, everything stopped"}
                self._put(POWER, next((said for value, said in names.items() if value == state), "unknown"))

    def _bean(self, said: Bean) -> None:
        asked = self._asked.pop(said.id, None)
        thing = self._addresses.things.get((said.type, said.name))
        if thing is None:
            if asked is not None:
                cure = "write the system name in the hardware file"
                self._wrong[asked] = f"{self._things[asked]} is a user name in JMRI, of {said.name}", cure
                self._put(asked, f"is {said.name}")
            return
        what = str(thing)
        value = None if said.state is None else thing.ours(said.state)
        self._wrong.pop(what, None)
        match thing.type, value:
            case BeanType.SENSOR, None:
                cure = "switch the layout on, or put a hand through the beam once"
                self._wrong[what] = f"JMRI does not know how {what} is", cure
                self._put(what, "unknown", broken=False)
            case BeanType.SENSOR, _:
                self._put(what, "BROKEN" if value else "free", broken=bool(value))
            case _, None:
                self._put(what, "unknown")
            case BeanType.TURNOUT, _:
                self._put(what, "thrown" if value else "closed")
            case _:
                self._put(what, ON if value else "off")
