"""A DCC-EX command station in time: serial lines, the receive ring, the main loop, pins and the rail signal.

No input or output of its own: bytes go in with the time they are sent, bytes come out with ``advance``. Time is
whatever the caller's clock says, in seconds.

Figures (from a running 5.6.0 on an ATmega2560, and its source): 115200 baud, 86.8 µs a byte; 64 bytes of receive
ring, what comes on top is lost; one command of each port in a pass of the main loop; 14.9 to 73 ms from a command to
the end of its first DCC packet; pins are scanned every 10 ms and a change must still be there at the next scan.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from pointsman.protocols.dccex import OldStationReader, StationReader
from railsim.booster import Booster
from railsim.definitions import Answer, Definitions, Rails, To
from railsim.firmware import FULL_SCALE_MA, Cab, Firmware
from railsim.hidden import Hidden
from railsim.profiles import DEFAULT_PROFILE, Profile, find_profile

BYTE_S = 10 / 115200
RING_BYTES = 64
PASS_S = 0.001
RAIL_DELAY_S = (0.0149, 0.073)
SCAN_S = 0.010
BOOT_S = 1.5
"""Bootloader and start-up, in which nothing is read."""


@dataclass(slots=True)
class _Port:
    """One end of a link. Serial bytes arrive one by one; on TCP a write arrives at once and no ring overflows."""

    serial: bool
    reader: StationReader | OldStationReader
    line: deque[tuple[float, int]] = field(default_factory=deque)
    line_free_s: float = 0.0
    ring: deque[int] = field(default_factory=deque)
    sending: deque[tuple[float, bytes]] = field(default_factory=deque)
    sent_s: float = 0.0
    lost_bytes: int = 0

    def arrive(self, t_s: float) -> None:
        """Move what has come over the line into the ring; what finds it full is lost."""
        while self.line and self.line[0][0] <= t_s:
            _, byte = self.line.popleft()
            if self.serial and len(self.ring) >= RING_BYTES:
                self.lost_bytes += 1
            else:
                self.ring.append(byte)

    def next_work_s(self) -> float:
        """When the main loop has something to do here: a command's end, half a ring, or the last byte so far."""
        if self.ring:
            return 0.0
        for count, (at_s, byte) in enumerate(self.line, start=1):
            if byte == ord(">") or count == RING_BYTES // 2 or count == len(self.line):
                return at_s
        return math.inf


@dataclass(frozen=True, slots=True)
class _RailAct:
    """Something on its way to the rails."""

    at_s: float
    cab: int
    forward: bool
    step: int
    emergency: bool


class Station:
    """The station and all its ports.

    ``rails`` is called within ``advance``, at the time it was advanced to: have the layout there first. ``eeprom`` is
    changed by ``<E>`` and by turnouts that are moved. ``boot_s`` is how long a reset takes; ``profile`` says which
    firmware it has, 5.6 if not given.
    """

    def __init__(
        self,
        rails: Rails,
        eeprom: Definitions,
        hidden: Hidden | None = None,
        *,
        boot_s: float = BOOT_S,
        profile: Profile | None = None,
    ) -> None:
        self._rails = rails
        self._hidden = hidden if hidden is not None else Hidden()
        self.profile = profile if profile is not None else find_profile(DEFAULT_PROFILE)
        self._firmware = Firmware(self, eeprom, self.profile)
        self._booster = Booster("A", FULL_SCALE_MA, by_letter=self.profile.track_manager)
        self._boot_s = boot_s
        self._ports: dict[str, _Port] = {}
        self._now_s = 0.0
        self._last_pass_s = -PASS_S
        self._acts: list[_RailAct] = []
        self._commands_sent = 0
        self._low: set[int] = set()
        self._pending: set[int] = set()
        self._next_scan_s = math.inf
        self._boots_at_s = 0.0
        self._held_up_until_s = -math.inf
        self.booted = False
        self.reset(0.0)

    # ------------------------------------------------------------ ports

    def connect(self, port: str, *, serial: bool) -> None:
        """Open a port. A serial port's host is the USB host: it gets comments and displays too."""
        self._ports[port] = _Port(serial, self._new_reader())

    def disconnect(self, port: str) -> None:
        """Close a port; nothing stops because of it."""
        self._ports.pop(port, None)

    def receive(self, port: str, data: bytes, t_s: float) -> None:
        """Bytes that come in at a port at a time; at one that is closed they are gone."""
        entry = self._ports.get(port)
        if entry is None:
            return
        at_s = max(entry.line_free_s, t_s)
        for byte in data:
            at_s += BYTE_S if entry.serial else 0.0
            entry.line.append((at_s, byte))
        entry.line_free_s = at_s

    def lost_bytes(self, port: str) -> int:
        """Bytes of a port that found the receive ring full."""
        return self._ports[port].lost_bytes

    def _new_reader(self) -> StationReader | OldStationReader:
        longest = self.profile.buffer - 1
        return OldStationReader(longest) if self.profile.old_reader else StationReader(longest)

    # ------------------------------------------------------------ what it holds

    @property
    def cabs(self) -> dict[int, Cab]:
        """Its table of locomotives, by address."""
        return self._firmware.cabs

    @property
    def defined(self) -> Definitions:
        """Turnouts, sensors and outputs as they are now."""
        return self._firmware.accessories.defined

    # ------------------------------------------------------------ the outside

    def set_short(self, shorted: bool, t_s: float) -> None:
        """Something that conducts lies across the main track's rails from a time on, or is gone."""
        self._booster.shorted = shorted
        if self._firmware.main_on:
            self._booster.look(t_s)

    def set_pin(self, vpin: int, low: bool, t_s: float) -> None:
        """A sensor's pin at a time; low is active."""
        if low:
            self._low.add(vpin)
        else:
            self._low.discard(vpin)
        self._scan_from(t_s)

    def hold_up(self, until_s: float) -> None:
        """Something keeps the main loop busy: nothing is read or scanned before that, and receive rings fill.

        The rail signal goes on: it is made by interrupts.
        """
        self._held_up_until_s = max(self._held_up_until_s, until_s)

    def reset(self, t_s: float) -> None:
        """The reset pin, ``<D RESET>``, or a host that opens the port of a board that is reset by it."""
        self.booted = False
        self._boots_at_s = t_s + self._boot_s
        self._acts.clear()
        self._pending.clear()
        self._next_scan_s = math.inf
        self._booster.switched_off()
        self._rails.power(False)
        for entry in self._ports.values():
            entry.ring.clear()
            entry.sending.clear()
            entry.reader = self._new_reader()

    def next_event_s(self) -> float | None:
        """When ``advance`` has something to do if nothing comes in; None when never."""
        times = [entry.sending[0][0] for entry in self._ports.values() if entry.sending]
        if not self.booted:
            times.append(self._boots_at_s)
        else:
            times += [max(self._next_scan_s, self._held_up_until_s), self._booster.next_s()]
            times += [act.at_s for act in self._acts]
            work = min((entry.next_work_s() for entry in self._ports.values()), default=math.inf)
            times.append(max(work, self._last_pass_s + PASS_S, self._outgoing_room_s(), self._held_up_until_s))
        soonest = min(times)
        return None if math.isinf(soonest) else max(soonest, self._now_s)

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Do all that is due up to a time; returns what each port has sent by then, in order."""
        sent: list[tuple[str, bytes]] = []
        while (due := self.next_event_s()) is not None and due <= t_s:
            self._now_s = due
            self._happen(due, sent)
        self._now_s = max(self._now_s, t_s)
        return sent

    # ------------------------------------------------------------ what happens

    def _happen(self, now: float, sent: list[tuple[str, bytes]]) -> None:
        for name, entry in self._ports.items():
            if entry.sending and entry.sending[0][0] <= now:
                sent.append((name, entry.sending.popleft()[1]))
                return
        if not self.booted:
            self._boot(now)
            return
        for act in self._acts:
            if act.at_s <= now:
                self._acts.remove(act)
                self._rails.throttle(act.cab, act.forward, act.step, act.emergency)
                return
        if self._next_scan_s <= now:
            self._scan(now)
            return
        if self._booster.next_s() <= now:
            texts = self._booster.step(now)
            self._answer(None, self._firmware.overload(self._booster.stage, texts), now)
            return
        self._pass(now)

    def _boot(self, now: float) -> None:
        self.booted = True
        for entry in self._ports.values():
            entry.arrive(now)
            entry.ring.clear()  # the bootloader and the start-up read nothing
        self._last_pass_s = now
        self._answer(None, self._firmware.boot(), now)
        self._scan_from(now)

    def _pass(self, now: float) -> None:
        self._last_pass_s = now
        for name, entry in self._ports.items():
            entry.arrive(now)
            while entry.ring:
                commands = entry.reader.feed(bytes([entry.ring.popleft()]))
                for command in commands:
                    self._answer(name, self._firmware.execute(command), now)
                if commands:
                    break
            if self._firmware.reset_wanted:
                self.reset(now)
                return
        self._scan_from(now)

    def _scan_from(self, t_s: float) -> None:
        """Scan at the next tick, if there is anything to see."""
        if self.booted and math.isinf(self._next_scan_s) and self._differing():
            self._next_scan_s = (math.floor(t_s / SCAN_S) + 1) * SCAN_S

    def _differing(self) -> set[int]:
        sensors = self._firmware.accessories.defined.sensors
        return {n for n, s in sensors.items() if (s.vpin in self._low) is not self._firmware.accessories.active[n]}

    def _scan(self, now: float) -> None:
        differing = self._differing()
        accessories = self._firmware.accessories
        for number in sorted(differing & self._pending):
            self._answer(None, accessories.sensor_changed(number, not accessories.active[number]), now)
        self._pending = differing - self._pending
        # A pulse that is over leaves nothing pending, and the scan may rest until a pin changes again.
        self._next_scan_s = now + SCAN_S if self._pending else math.inf

    def _answer(self, asker: str | None, answers: list[Answer], now: float) -> None:
        for answer in answers:
            for name, entry in self._ports.items():
                usb_only = answer.to is To.USB and not entry.serial
                if usb_only or (answer.to is To.ASKER and name != asker):
                    continue
                entry.sent_s = max(entry.sent_s, now) + (len(answer.data) * BYTE_S if entry.serial else 0.0)
                entry.sending.append((entry.sent_s, answer.data))

    def _outgoing_room_s(self) -> float:
        """When the loop goes on: writing blocks while more than a ring's worth of answers waits on the line."""
        waiting = max((entry.sent_s for entry in self._ports.values() if entry.serial), default=0.0)
        return waiting - RING_BYTES * BYTE_S

    # ------------------------------------------------------------ the firmware's hands

    def power(self, on: bool) -> None:
        """At once."""
        if not self._firmware.main_on:
            self._booster.switched_off()
        else:
            self._booster.look(self._now_s)
        self._rails.power(on)

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        """Packets wait their turn: later, but in order for each locomotive; an emergency stop overtakes."""
        if emergency:
            self._acts = [act for act in self._acts if act.cab != cab]
        self._commands_sent += 1
        at_s = self._now_s + self._hidden.uniform(f"rail delay/{self._commands_sent}", *RAIL_DELAY_S)
        at_s = max([at_s, *(act.at_s for act in self._acts if act.cab == cab)])
        self._acts.append(_RailAct(at_s, cab, forward, step, emergency))

    def turnout(self, number: int, thrown: bool) -> None:
        """At once; the servo takes its time."""
        self._rails.turnout(number, thrown)

    def output(self, number: int, on: bool) -> None:
        """At once."""
        self._rails.output(number, on)
