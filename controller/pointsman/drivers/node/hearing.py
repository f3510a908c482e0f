"""Looking at a node without driving it: what it is, how it is set, how each thing is, and every change.

It is asked only. Whoever has armed it is not disturbed, as long as both speak the same version of the protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from pointsman.drivers.hearing import ON, Ear, Seen
from pointsman.drivers.latency import Latency
from pointsman.drivers.node.addresses import Addresses
from pointsman.drivers.node.asked import Asked
from pointsman.drivers.node.link import SILENT_AFTER_S
from pointsman.drivers.node.misfits import UPLOAD, Misfit, Settings, of_board, of_settings
from pointsman.drivers.node.reports import ENDS, Reports
from pointsman.drivers.node.setup import fitted, greeting
from pointsman.drivers.node.talk import Talk
from pointsman.drivers.node.whole import WHOLE_WITHIN_S
from pointsman.drivers.patience import within
from pointsman.errors import StationError
from pointsman.protocols import node_constants as k
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import FromNode, Gaps, Garbled, Happened, Refused
from pointsman.protocols.node_constants import LATCHES, LIES, Latch, Lie, Setting, SettingsState, Verb
from pointsman.track.wiring import Wiring
from pointsman.transports.base import Transport

NODE, SETTINGS, WATCHDOG, RELAY = "node", "settings", "watchdog", "track relay"
"""Of these every node has one."""


class NodeEar(Ear):
    """Listens to one node of a wiring. ``addresses`` are what is wired there, ``about`` and ``settings`` what it is."""

    def __init__(
        self, transport: Transport, wiring: Wiring, tell: Callable[[Seen], None], station: str | None = None
    ) -> None:
        self.addresses = addresses = Addresses(wiring, station)
        things = {NODE: "board", SETTINGS: "memory", WATCHDOG: "setting watchdog"}
        if addresses.made.relay:
            things[RELAY] = "relay"
        things |= {f"turnout {one.name}": f"turnout {number}" for number, one in addresses.turnouts.items()}
        things |= {f"beam {one.name}": f"beam {number}" for number, one in addresses.beams.items()}
        things |= {f"magnet {one.name}": f"magnet {number}" for number, one in addresses.magnets.items()}
        if addresses.locomotive:
            things[f"locomotive {addresses.locomotive}"] = "throttle"
        super().__init__(transport.name, things, tell)
        self.talk = Talk(transport, self._hear, self._on_lost)
        self.settings: Settings = {}
        self.restarts = 0
        self.lies_heard: dict[int, list[Lie]] = {}
        """What was said of the points of each turnout, since somebody emptied it."""
        self.reports = Reports(addresses, Asked())
        self._about: m.About | None = None
        self._gaps = Gaps()
        self._whole = False
        self._stale = False
        self._heard = 0
        self._silent = False

    @property
    def about(self) -> m.About:
        """What the node is; once it is open."""
        assert self._about is not None, "a node that was greeted"
        return self._about

    @property
    def armed(self) -> bool:
        """Has somebody armed it?"""
        return self.reports.latch is Latch.NONE

    async def until(self, true: Callable[[], bool], at_most_s: float) -> bool:
        """Wait until it is true; false when it took too long. Raises LinkLostError."""
        return await self._until(true, at_most_s)

    async def keep(self, seconds: float | None) -> None:
        """Listen for so long, or without end. Raises LinkLostError when the link goes."""
        try:
            async with asyncio.timeout(seconds):
                while not self._lost:
                    if self._stale:
                        await self._ask_everything()
                        continue
                    heard = await self._anything(SILENT_AFTER_S)
                    self._hear_silence(silent=not heard)
        except TimeoutError:
            return
        raise self._gone()

    async def _anything(self, at_most_s: float) -> bool:
        """Has it said anything by then, or is it gone?"""
        before = self._heard
        return await within(self._changed, lambda: bool(self._lost) or self._heard != before, at_most_s)

    # ------------------------------------------------------------ opening

    async def _open(self) -> None:
        self._about = about = await self.talk.open()
        self.restarts = 0
        self.greeting = greeting(about)
        self.settings = await self._all_settings()
        await self._ask_everything()
        self._tell_settings()
        for misfit in self._misfits():
            self._complain(misfit)

    async def _close(self) -> None:
        await self.talk.close()

    async def _all_settings(self) -> Settings:
        """Every setting, with how long each answer took."""
        numbers = m.owners(self.about)
        loop = asyncio.get_running_loop()
        found: dict[tuple[Setting, int], int] = {}
        took_s: list[float] = []
        for setting, (*_, of_what) in k.SETTINGS.items():
            for of in numbers[of_what]:
                asked_s = loop.time()
                answer = await self.talk.ask(m.Get(setting, of))
                took_s.append(loop.time() - asked_s)
                values = None if isinstance(answer, Refused) else m.answer_of(Verb.GET, answer.values)
                if values is None:
                    raise StationError(f"the node does not say how {setting} is set", where=self.where, cure=UPLOAD)
                found[setting, of] = int(values[0])
        latency = Latency.of(took_s)
        self.facts.append(f"answers {latency.words('questions')}")
        if latency.warning:
            self.notes.append(latency.warning)
        self.details["latency_ms"] = latency.json()
        return found

    async def _ask_everything(self) -> None:
        """Its whole state, with nothing of it lost. Raises StationError when it does not come."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + WHOLE_WITHIN_S
        while loop.time() < until_s:
            self._stale = self._whole = False
            await self.talk.ask(m.State())
            if await self._until(lambda: self._whole or self._stale, 1.0) and not self._stale:
                return
        raise StationError(
            "the node does not tell its whole state", where=self.where, cure="look at the cable, then try again"
        )

    # ------------------------------------------------------------ what it is and how it is set

    def _tell_settings(self) -> None:
        about = self.about
        self.facts.insert(0, f"has pins for {fitted(about)}")
        self.facts.append(f"stops everything {self.settings[Setting.HEARTBEAT_MS, 0]} ms after the last heartbeat")
        changed = [
            f"{setting}{f' {of}' if of else ''} {value}"
            for (setting, of), value in self.settings.items()
            if value != k.SETTINGS[setting][3]
        ]
        told = f"differ from the safe defaults in: {', '.join(changed)}" if changed else "are the safe defaults"
        self.facts.append(f"its settings {told}")
        if RELAY not in self._things:
            self.facts.append("the wiring has no relay of this node in the track's feed")
        self._put(
            WATCHDOG,
            "on: the board came back from it when it was tried"
            if self.settings[Setting.WATCHDOG, 0]
            else "off: not tried (pointsman node setup), or the board did not come back",
        )
        self.details["node"] = {
            "firmware": about.firmware,
            "board": str(about.board),
            "reset": str(about.reset),
            "turnouts": about.turnouts,
            "beams": about.beams,
            "magnets": about.magnets,
            "throttle": about.dc,
            "relay": about.relay,
        }
        self.details["settings"] = {
            f"{setting}{f'.{of}' if of else ''}": value for (setting, of), value in self.settings.items()
        }

    def _misfits(self) -> list[Misfit]:
        return of_board(self.addresses, self.about) or list(of_settings(self.addresses, self.settings))

    def _complain(self, misfit: Misfit) -> None:
        thing = misfit.thing or NODE
        what, cure = self._wrong.get(thing, ("", ""))
        self._wrong[thing] = (
            (f"{what}; {misfit.what}", f"{cure}; {misfit.cure}") if what else (misfit.what, misfit.cure)
        )

    def _unheard(self, what: str) -> tuple[str, str]:
        return f"the node says nothing of {what}", "look at the cable, then try again"

    # ------------------------------------------------------------ what it says

    def _hear(self, said: FromNode) -> None:
        self._heard += 1
        self._hear_silence(silent=False)
        match said:
            case Happened(count, event):
                if isinstance(event, m.About | m.OtherVersion):
                    self._hear_start(event)
                if self._gaps.heard(count):
                    self._stale = True
                self._hear_event(event)
            case Garbled():
                self._stale = True
            case _:
                pass
        self._changed.set()

    def _hear_start(self, event: m.About | m.OtherVersion) -> None:
        self._gaps.restart()
        self.restarts += 1
        self._stale = True  # nothing of what was known holds any more
        why = f": {k.RESETS[event.reset]}" if isinstance(event, m.About) else ""
        self._say(f"{NODE}: it has started anew{why}")

    def _hear_silence(self, *, silent: bool) -> None:
        if silent != self._silent:
            self._silent = silent
            self._say(f"{NODE}: silent for {SILENT_AFTER_S:g} s" if silent else f"{NODE}: it speaks again")

    def _hear_event(self, event: m.Told) -> None:
        addresses, reports = self.addresses, self.reports
        reports.digest(event, 0.0)
        match event:
            case m.Points(number, lie) if points := addresses.turnouts.get(number):
                self.lies_heard.setdefault(number, []).append(lie)
                way = LIES[lie] if lie not in ENDS else "thrown" if points.ours(ENDS[lie]) else "closed"
                self._put(f"turnout {points.name}", way)
            case m.Beam(number, there) if beam := addresses.beams.get(number):
                broken = there != beam.inverted
                self._put(f"beam {beam.name}", "BROKEN" if broken else "free", broken=broken)
            case m.Coil(number, on) if magnet := addresses.magnets.get(number):
                self._put(f"magnet {magnet.name}", ON if on else "off")
            case m.Driven(forward, step) if addresses.locomotive:
                way = f"RUNS at step {step} {'forward' if forward else 'in reverse'}: somebody drives it"
                self._put(f"locomotive {addresses.locomotive}", way if step else "stands")
            case m.Latched(latch) | m.Alive(latch):
                self._hear_latch(latch)
            case m.SettingsAre(settings):
                stored = settings is SettingsState.STORED
                self._put(
                    SETTINGS, "as they were stored" if stored else "SAFE DEFAULTS: none stored, or a bad checksum"
                )
            case m.End():
                self._whole = True

    def _hear_latch(self, latch: Latch) -> None:
        armed = latch is Latch.NONE
        self._put(NODE, "ARMED: a program drives here" if armed else f"keeps everything stopped: {LATCHES[latch]}")
        if RELAY in self._things:
            self._put(RELAY, "CLOSED: the track is fed" if armed else "open")
