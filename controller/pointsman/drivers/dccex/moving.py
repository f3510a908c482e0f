"""Every turnout to and fro and every magnet for a moment, one after the other: to be looked at by a person.

Never a locomotive. Whatever ends it, every magnet is off afterwards, and the power is as it was found.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from pointsman.drivers.dccex.addresses import Addresses, Switched
from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.findings import Findings
from pointsman.drivers.dccex.units import Units, off_frame
from pointsman.drivers.moved import Moved
from pointsman.errors import LinkError, LinkLostError, StationError
from pointsman.protocols.dccex import encode
from pointsman.protocols.dccex.commands import EmergencyStop, ListTurnouts, Power, SetOutput, SetTurnout, Throttle
from pointsman.protocols.dccex.replies import OutputState, Refused, TurnoutDefinition, TurnoutState
from pointsman.track.wiring import TurnoutKind, Wiring

LONGEST_PULSE_S = 1.0
RECHARGE_S = 1.0
"""A capacitor unit needs it between two pulses of solenoids."""
BEAT_S = 0.05
STALLED_S = 0.2
"""A beat that comes so late says that this program stood still, and watched nothing meanwhile."""


def needs_power(addresses: Addresses, wiring: Wiring) -> list[str]:
    """Turnouts that hear the track only: their decoders are deaf without its power."""
    return [
        turnout.name
        for turnout in addresses.turnouts.values()
        if wiring.turnouts[turnout.name].kind is TurnoutKind.ACCESSORY_DECODER
    ]


class Mover:
    """Moves the machines of one station.

    ``tell`` hears of each as it is tried. ``watched(bool)``: is anything energised now? Called every 50 ms while a
    magnet is on, and while the station is awaited meanwhile, so that a guardian knows that this program is alive; it
    raises StationError when there is none. ``check`` is called before each machine: it raises when nothing may be
    moved any more.
    """

    def __init__(
        self,
        examiner: Examiner,
        addresses: Addresses,
        wiring: Wiring,
        tell: Callable[[Moved], None],
        watched: Callable[[bool], None],
        check: Callable[[], None],
    ) -> None:
        self._examiner = examiner
        self._addresses = addresses
        self._wiring = wiring
        self._tell = tell
        self._watched = watched
        self._check = check
        self.switching_off = False
        """A magnet is being switched off because something went wrong: that is not to be cancelled."""

    def guardian_frames(self) -> tuple[bytes, ...]:
        """What is to be written if this program dies in between."""
        return Units(self._addresses).guardian()

    async def move(self, found: Findings) -> list[Moved]:
        """Try everything that the station knows. Raises StationError and LinkLostError."""
        moved: list[Moved] = []

        def did(one: Moved) -> None:
            moved.append(one)
            self._tell(one)

        known = {one.name for one in found.magnets if one.known}
        magnets = [magnet for magnet in self._addresses.magnets.values() if magnet.name in known]
        for magnet in magnets:
            await self._order(SetOutput(magnet.number, magnet.ours(False)), f"magnet {magnet.name}")
        turnouts = [one for one in found.turnouts if one.name and one.known]
        deaf = set(needs_power(self._addresses, self._wiring)).intersection(one.name for one in turnouts)
        async with self._powered(wanted=bool(deaf) and not found.power):
            for one in turnouts:
                did(await self._to_and_fro(self._addresses.turnout(one.name), one.state))
        for magnet in magnets:
            did(await self._pulse(magnet))
        return moved

    async def _to_and_fro(self, turnout: Switched, lies_thrown: bool | None) -> Moved:
        self._check()
        wired = self._wiring.turnouts[turnout.name]
        home = bool(lies_thrown)
        wanted, said = (not home, home), []
        for thrown in wanted:
            await self._order(SetTurnout(turnout.number, turnout.ours(thrown)), f"turnout {turnout.name}")
            await asyncio.sleep(wired.move_time_s)
            if wired.kind is TurnoutKind.SOLENOID:
                await asyncio.sleep(RECHARGE_S)
            said.append(await self._lies_thrown(turnout))
        told, says = _ways(wanted), _ways(said)
        return Moved(f"turnout {turnout.name}", told if says == told else f"{told}, but the station says: {says}")

    async def _lies_thrown(self, turnout: Switched) -> bool | None:
        """How the station has set a turnout; None when it does not say."""
        # A list, as the driver asks: no digit is in it that could be lost.
        replies = await self._examiner.ask(ListTurnouts())
        says = [
            r.thrown for r in replies if isinstance(r, TurnoutState | TurnoutDefinition) and r.turnout == turnout.number
        ]
        return turnout.ours(says[-1]) if says else None

    async def _pulse(self, magnet: Switched) -> Moved:
        self._check()
        lasts_s = min(self._wiring.uncouplers[magnet.name].hold_s, LONGEST_PULSE_S)
        said: list[bool] = []
        async with self._energised(magnet):
            said += await self._order(SetOutput(magnet.number, magnet.ours(True)), f"magnet {magnet.name}")
            await asyncio.sleep(lasts_s)
            said += await self._order(SetOutput(magnet.number, magnet.ours(False)), f"magnet {magnet.name}")
        told = said == [magnet.ours(True), magnet.ours(False)]
        return Moved(
            f"magnet {magnet.name}",
            f"on for {lasts_s:g} s" if told else f"on for {lasts_s:g} s, but the station did not say so",
        )

    async def _order(self, command: SetTurnout | SetOutput, what: str) -> list[bool]:
        """Send it; the states of this output that were told."""
        replies = await self._examiner.ask(command)
        if Refused() in replies:
            raise StationError(f"the station rejects {what}", where=self._examiner.where, cure="try again")
        if not isinstance(command, SetOutput):
            return []
        return [r.on for r in replies if isinstance(r, OutputState) and r.output == command.output]

    @asynccontextmanager
    async def _energised(self, magnet: Switched) -> AsyncIterator[None]:
        """Inside, a magnet may be on; on every way out it is switched off, or it is said that it could not be."""
        self._watched(True)
        beat = _Beat(self._watched, self._examiner.where)
        try:
            yield
        except BaseException as error:
            beat.heed, self.switching_off = False, True
            try:
                # At once, whatever the fence of an interrupted question does; then it is asked whether it was heard.
                self._examiner.write(off_frame(magnet))
                await self._examiner.ask(SetOutput(magnet.number, magnet.ours(False)))
            except LinkError as failed:
                raise _left(failed, f"magnet {magnet.name} was on", self._examiner.where) from error
            if beat.trouble is not None:
                raise beat.trouble from error
            raise
        finally:
            beat.end()
            self._watched(False)

    @asynccontextmanager
    async def _powered(self, *, wanted: bool) -> AsyncIterator[None]:
        """Inside, the main track has power if that is wanted; outside it is as it was found."""
        if not wanted:
            yield
            return
        # Nothing may start with the power: everything is told to stand first, and a fence proves that it was heard.
        await self._examiner.ask(EmergencyStop())
        for cab in self._addresses.locomotives:
            if Refused() in await self._examiner.ask(Throttle(cab, 0, True)):
                raise StationError(
                    f"the station does not take cab {cab}", where=self._examiner.where, cure="restart the station"
                )
        try:
            if Refused() in await self._examiner.ask(Power(True, "MAIN")):
                raise StationError(
                    "the station rejects the power on", where=self._examiner.where, cure="is there a MAIN track?"
                )
            yield
        finally:
            await self._cut()

    async def _cut(self) -> None:
        off = Power(False, "MAIN")
        try:
            self._examiner.write(encode(off))
            await self._examiner.ask(off)
        except LinkError as failed:
            raise _left(failed, "the track had power", self._examiner.where) from failed


class _Beat:
    """Says every 50 ms that this program is alive, and cancels the task that made it when it was not, or is not heard.

    ``trouble`` is then why. Once ``heed`` is False nothing is cancelled any more: what was on is being switched off.
    """

    def __init__(self, watched: Callable[[bool], None], where: str) -> None:
        self.trouble: StationError | None = None
        self.heed = True
        self._watched = watched
        self._where = where
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()
        self._next = self._later()

    def end(self) -> None:
        """Beat no more."""
        self._next.cancel()

    def _later(self) -> asyncio.TimerHandle:
        due_s = self._loop.time() + BEAT_S
        return self._loop.call_at(due_s, self._beat, due_s)

    def _beat(self, due_s: float) -> None:
        late_s = self._loop.time() - due_s
        try:
            if late_s > STALLED_S:
                raise StationError(
                    f"this program stood still for {late_s:.1f} s, and nothing was watched meanwhile",
                    where=self._where,
                    cure="the computer was busy: end other programs, look at the machines, then try again",
                )
            self._watched(True)
        except StationError as error:
            if self.heed and self._task is not None:
                self.trouble, self.heed = error, False
                self._task.cancel()
        self._next = self._later()


def _ways(thrown: Iterable[bool | None]) -> str:
    return ", then ".join({True: "thrown", False: "closed", None: "nothing"}[way] for way in thrown)


def _left(failed: LinkError, state: str, where: str) -> LinkLostError:
    """What a person has to do, because it cannot be done from here any more."""
    return LinkLostError(
        f"{failed.what}, while {state}", where=where, cure="switch the station off by hand: it may still be so"
    )


def check_nobody_drives(found: Findings, others: dict[int, int], where: str) -> None:
    """Raise StationError when a locomotive runs: then nothing else may be moved. ``others``: cab -> speed heard."""
    running = [f"{one.name} (cab {one.cab}) runs at step {one.speed}" for one in found.driven]
    cabs = {one.cab for one in found.locomotives}
    running += [f"cab {cab} runs at step {speed}" for cab, speed in others.items() if speed > 0 and cab not in cabs]
    if running:
        raise StationError(
            f"somebody drives here ({'; '.join(running)}): nothing was moved",
            where=where,
            cure="stop it at its own throttle, then try again",
        )
