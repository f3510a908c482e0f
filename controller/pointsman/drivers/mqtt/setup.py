"""Bringing a link up: does the broker pass our messages on, is everything safe, are all nodes there and known?"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from pointsman.drivers.mqtt.names import Names
from pointsman.drivers.mqtt.reports import Reports
from pointsman.drivers.patience import ANSWERS_WITHIN_S, within
from pointsman.errors import LinkLostError, StationError
from pointsman.protocols.jmri_mqtt import Message, PowerCommand

NODES_WITHIN_S = 10.0
"""After a broker has started again its nodes take some seconds to find it."""
_NAMED_AT_MOST = 4

Ask = Callable[[Sequence[Message]], Awaitable[list[str] | None]]
"""Publishes, and waits for the fence behind: the topics that did not come back; None when the fence did not."""


class Listener:
    """Wakes whoever waits whenever something was heard, or the link went."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()

    def wake(self) -> None:
        """Something is different now."""
        self._changed.set()

    async def until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        """Whether it has become true within the time."""
        return await within(self._changed, true, at_most_s)


class SetUp:
    """Makes a new session safe and complete. ``is_open`` says whether the link is still there."""

    def __init__(
        self,
        names: Names,
        reports: Reports,
        ask: Ask,
        listener: Listener,
        is_open: Callable[[], bool],
        where: str,
        fence_topic: str,
    ) -> None:
        self._names = names
        self._reports = reports
        self._ask = ask
        self._listener = listener
        self._is_open = is_open
        self._where = where
        self._fence_topic = fence_topic

    async def run(self) -> None:
        """Stop everything, wait for the nodes, stop it again for those that were late, and look what is known.

        When a node says meanwhile that it has just started, it returns at once: then all this must be done again.
        Raises LinkLostError, and StationError with what is missing, or who else drives this layout.
        """
        await self._make_safe()
        await self._until(lambda: not (self._reports.missing_nodes or self._reports.unheard_beams), NODES_WITHIN_S)
        await self._make_safe()
        if not self._names.power_reports:
            self._reports.powered(False, 0.0)
        # A broker that was started again may keep the word of nodes that have not found it again yet: so an answer
        # counts that is given now.
        elif not await self._until(self._answered, NODES_WITHIN_S):
            self._reports.power = None
        if not self._reports.restarted:
            self._complain()

    def _answered(self) -> bool:
        return self._reports.answers_off or bool(self._reports.restarted)

    async def _until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        become = await self._listener.until(lambda: true() or not self._is_open(), at_most_s)
        if not self._is_open():
            raise LinkLostError("the link went while it was set up", where=self._where, cure="try again")
        return become

    async def _make_safe(self) -> None:
        """Outputs off before anything else, every locomotive stopped, the power off."""
        try:
            missing = await self._ask([*self._names.all_off(), *self._names.stops(), PowerCommand(False)])
        except LinkLostError as lost:
            what = f"the link went while it was set up: {lost.what}"
            raise LinkLostError(what, where=lost.where, cure=lost.cure) from lost
        if missing is None:
            raise self._error(
                f"the broker does not send our own messages back within {ANSWERS_WITHIN_S:g} s",
                f"is the network slow? Else its access list must let us write and read {self._fence_topic}",
            )
        if missing:
            raise self._error(
                f"the broker does not pass on {', '.join(missing)}", "its access list must let us write and read them"
            )

    def _complain(self) -> None:
        prefix = self._names.mqtt.prefix
        if self._reports.missing_nodes:
            topics = " ".join(f"{prefix}track/node/{node}" for node in self._reports.missing_nodes)
            raise self._error(
                f"not online: {', '.join(self._reports.missing_nodes)}",
                f"is it powered and on the network? It must publish online, retained, on {topics}",
            )
        if self._reports.unheard_beams:
            raise self._error(
                f"no state is known of beam {', '.join(self._reports.unheard_beams)}",
                "its node must publish it, retained, before it says that it is online",
            )
        if self._reports.overheard:
            raise self._error(
                f"another program is driving this layout ({'; '.join(self._reports.overheard[:_NAMED_AT_MOST])}); "
                "everything was stopped",
                "close the other program or throttle, set the wagons up again, then start again",
            )
        if self._reports.power is not False:
            raise self._error(
                "no node reports the track power off",
                f"one must answer each command with its state on {prefix}track/power/state",
            )

    def _error(self, what: str, cure: str) -> StationError:
        return StationError(what, where=self._where, cure=cure)
