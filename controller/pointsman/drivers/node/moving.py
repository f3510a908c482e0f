"""Every turnout of a node to and fro and every magnet for a moment, one after the other: to be looked at by a person.

Never a locomotive. A servo moves while the node keeps everything else stopped. For a coil it is armed, with every speed
at 0, by heartbeats that are written while each step is looked at and never otherwise: when this program stands still,
dies or loses the link, the node stops everything by itself, and no pulse is longer than the node allows.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pointsman.drivers.moved import Moved
from pointsman.drivers.node.addresses import Coil, Points
from pointsman.drivers.node.arming import beat_every_s
from pointsman.drivers.node.hearing import NodeEar
from pointsman.drivers.node.reports import ENDS
from pointsman.drivers.node.setup import all_off
from pointsman.drivers.patience import ANSWERS_WITHIN_S
from pointsman.errors import LinkError, LinkLostError, StationError
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import STOP, Accepted, Refused
from pointsman.protocols.node_constants import LATCHES, Latch, Lie, Refusal, Setting, Verb
from pointsman.track.wiring import TurnoutKind

_LOOK_AGAIN_S = 0.1


def fitting_turnouts(ear: NodeEar) -> list[Points]:
    """The turnouts that are set at the node as they are wired."""
    wrong = {one.what for one in ear.told() if one.wrong}
    return [points for points in ear.addresses.turnouts.values() if f"turnout {points.name}" not in wrong]


def fitting_magnets(ear: NodeEar) -> list[Coil]:
    """The magnets that the node can work as they are wired."""
    wrong = {one.what for one in ear.told() if one.wrong}
    return [magnet for magnet in ear.addresses.magnets.values() if f"magnet {magnet.name}" not in wrong]


def check_unarmed(ear: NodeEar) -> None:
    """Raise StationError when somebody has armed the node: then nothing else may be moved."""
    if ear.armed:
        raise StationError(
            "somebody drives here (the node is armed): nothing was moved",
            where=ear.where,
            cure="end that, then try again",
        )


class NodeMover:
    """Moves the machines of a node that an ear listens to. ``tell`` hears of each as it is tried."""

    def __init__(self, ear: NodeEar, tell: Callable[[Moved], None]) -> None:
        self._ear = ear
        self._tell = tell
        self._moved: list[Moved] = []
        self._restarts = ear.restarts
        self._armed = False
        self._heartbeat_s = ear.settings[Setting.HEARTBEAT_MS, 0] / 1000
        self._beat_every_s = beat_every_s(self._heartbeat_s)

    async def move(self, *, coils: bool) -> list[Moved]:
        """Try servos, and with ``coils`` solenoids and magnets too. Raises StationError and LinkLostError."""
        check_unarmed(self._ear)
        turnouts = fitting_turnouts(self._ear)
        for points in turnouts:
            if points.kind is TurnoutKind.SERVO:
                self._did(await self._to_and_fro(points))
        solenoids = [points for points in turnouts if points.kind is TurnoutKind.SOLENOID]
        magnets = fitting_magnets(self._ear)
        if coils and (solenoids or magnets):
            async with self._arm():
                for points in solenoids:
                    self._did(await self._to_and_fro(points))
                for magnet in magnets:
                    self._did(await self._pulse(magnet))
        return self._moved

    def _did(self, one: Moved) -> None:
        self._moved.append(one)
        self._tell(one)

    # ------------------------------------------------------------ the machines

    async def _to_and_fro(self, points: Points) -> Moved:
        home = points.ours(ENDS.get(self._ear.reports.lies[points.number], points.ours(False)))
        said = []
        for thrown in (not home, home):
            self._check()
            self._ear.lies_heard[points.number] = []
            await self._order(m.Turnout(points.number, points.ours(thrown)), f"turnout {points.name}")
            await self._until(lambda: self._over(points) is not None, points.move_time_s + ANSWERS_WITHIN_S)
            lie = self._over(points)
            said.append(points.ours(ENDS[lie]) if lie in ENDS else None)
        told, says = _ways([not home, home]), _ways(said)
        return Moved(f"turnout {points.name}", told if says == told else f"{told}, but the node says: {says}")

    async def _pulse(self, magnet: Coil) -> Moved:
        self._check()
        name, on_s = f"magnet {magnet.name}", magnet.on_ms / 1000
        await self._order(m.Magnet(magnet.number, magnet.on_ms), name)
        was_on = await self._until(lambda: self._ear.reports.on.get(magnet.number) is True, ANSWERS_WITHIN_S)
        is_off = await self._until(lambda: self._ear.reports.on.get(magnet.number) is False, on_s + ANSWERS_WITHIN_S)
        if not is_off:
            raise StationError(
                f"{name} is not said to be off again", where=self._ear.where, cure="switch the node off, and look why"
            )
        return Moved(name, f"on for {on_s:g} s" if was_on else f"on for {on_s:g} s, but the node did not say so")

    def _over(self, points: Points) -> Lie | None:
        """How they lie after they were on their way; None before."""
        heard = self._ear.lies_heard[points.number]
        after = heard[heard.index(Lie.MOVING) :] if Lie.MOVING in heard else []
        return next((lie for lie in reversed(after) if lie is not Lie.MOVING), None)

    # ------------------------------------------------------------ arming

    @asynccontextmanager
    async def _arm(self) -> AsyncIterator[None]:
        """Inside, the node is armed and every speed is 0; on every way out all is off, or that is said."""
        for message in all_off(self._ear.about):
            await self._fine(message, "to stand")
        try:
            await self._beat()
            await self._fine(m.Arm(), "to be armed")
            self._armed = True
            yield
        finally:
            self._armed = False
            await self._off()

    async def _off(self) -> None:
        """At once, whatever answer was waited for; then it is asked whether it was heard."""
        try:
            self._ear.talk.write_now(STOP)
            await self._fine(m.Off(), "to switch off")
        except LinkError as failed:
            alone = f"without heartbeats it stops everything in {self._heartbeat_s:g} s"
            raise LinkLostError(
                f"{failed.what}, while the node was armed: {alone}",
                where=self._ear.where,
                cure="look whether its relay is open, then try again",
            ) from failed

    async def _beat(self) -> Latch:
        """This program lives and looks at what it does; what keeps everything stopped at the node, if anything does."""
        values = m.answer_of(Verb.BEAT, (await self._fine(m.Beat(), "a heartbeat")).values)
        return Latch.NONE if values is None else Latch(str(values[0]))

    # ------------------------------------------------------------ asking

    def _check(self) -> None:
        """Raise StationError when nothing may be moved any more."""
        if self._ear.restarts != self._restarts:
            raise StationError(
                "the node started anew while its machines were tried",
                where=self._ear.where,
                cure="look at its power supply and its cable, then try again",
            )
        if self._ear.armed and not self._armed:
            raise StationError(
                "somebody else has armed the node: nothing more was moved", where=self._ear.where, cure="end that first"
            )

    async def _until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        """Wait until it is true, and beat meanwhile if the node is armed."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + at_most_s
        while not true() and loop.time() < until_s:
            await self._ear.until(true, min(self._beat_every_s, until_s - loop.time()))
            self._check()
            if self._armed:
                await self._beat_armed()
        return true()

    async def _beat_armed(self) -> None:
        latch = await self._beat()
        if latch is not Latch.NONE:
            raise StationError(
                f"the node has stopped everything: {LATCHES[latch]}",
                where=self._ear.where,
                cure="look why, then try again",
            )

    async def _order(self, message: m.Command, what: str) -> None:
        """Ask for it until the coil has rested. Raises StationError."""
        loop = asyncio.get_running_loop()
        longest_rest_ms = max(
            self._ear.settings[rest, 0] for rest in (Setting.MAGNET_REST_MS, Setting.SOLENOID_REST_MS)
        )
        until_s = loop.time() + longest_rest_ms / 1000 + ANSWERS_WITHIN_S
        while True:
            answer = await self._ear.talk.ask(message)
            if isinstance(answer, Accepted):
                return
            if answer.reason != Refusal.RESTING or loop.time() > until_s:
                raise self._refused(what, answer)
            await self._until(lambda: False, _LOOK_AGAIN_S)

    async def _fine(self, message: m.Command, what: str) -> Accepted:
        answer = await self._ear.talk.ask(message)
        if isinstance(answer, Refused):
            raise self._refused(what, answer)
        return answer

    def _refused(self, what: str, answer: Refused) -> StationError:
        return StationError(f"the node refuses {what}: {answer.meaning}", where=self._ear.where, cure="try again")


def _ways(thrown: list[bool | None] | list[bool]) -> str:
    return ", then ".join({True: "thrown", False: "closed", None: "nothing"}[way] for way in thrown)
