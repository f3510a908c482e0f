"""An Arduino node in time: its serial line, the receive ring, the main loop, resets and the watchdog.

No input or output of its own: bytes go in with the time they are sent, bytes come out with ``advance``. Time is
whatever the caller's clock says, in seconds. What it answers and does is in ``node_firmware``.

Figures: 115200 baud, 86.8 µs a byte; a ring of 64 bytes each way, and what comes in on top is lost; a line is written
only when the whole of it has room.
"""

from __future__ import annotations

import math
from collections import deque

from pointsman.protocols.node import NodeReader
from pointsman.protocols.node_constants import BAUD, CUT_MS, STOP_BYTE, TRIP_MS, WATCHDOG_MS, Reset
from railsim.node_board import Fitted, Hands, Memory
from railsim.node_firmware import NodeFirmware

BYTE_S = 10 / BAUD
RING_BYTES = 64
ROOM_BYTES = RING_BYTES - 1
"""For what is to be sent, when nothing waits."""
PASS_S = 0.0005
BOOT_S = 1.5
"""Bootloader and start-up, in which nothing is read."""
HANG_S = CUT_MS / 1000
"""After that without a look an interrupt of the board switches everything off."""
WATCHDOG_S = WATCHDOG_MS / 1000
TRIP_AFTER_S = TRIP_MS / 1000
_LF = ord("\n")


class Node:
    """A node and the hosts of its one serial line: what it says goes to every open port, as through a bridge.

    ``hands`` are called within ``advance``, ``reset`` and at the beginning; have the layout at that time first.
    ``memory`` is changed by ``store``. ``survives_watchdog``: False for an old bootloader, which after a reset by the
    watchdog loops for ever.
    """

    def __init__(
        self, hands: Hands, fitted: Fitted, memory: Memory, *, boot_s: float = BOOT_S, survives_watchdog: bool = True
    ) -> None:
        self._hands = hands
        self._fitted = fitted
        self._memory = memory
        self._boot_s = boot_s
        self._survives_watchdog = survives_watchdog
        self._ports: set[str] = set()
        self._levels = [False] * fitted.beams
        self._program: NodeFirmware | None = None
        self._reader = NodeReader()
        self._line: deque[tuple[float, int]] = deque()
        self._line_free_s = 0.0
        self._ring: deque[int] = deque()
        self._sending: deque[tuple[float, bytes]] = deque()
        self._sent_s = 0.0
        self._lost_bytes = 0
        self._now_s = 0.0
        self._last_pass_s = -PASS_S
        self._held_up_until_s = -math.inf
        self._bites_at_s = math.inf
        self._trips_at_s = math.inf
        self._cuts_at_s = math.inf
        self._hung = False
        self._cause = Reset.POWER
        self._boots_at_s = math.inf
        self.reset(0.0, Reset.POWER)

    # ------------------------------------------------------------ the line

    def connect(self, port: str) -> None:
        """Open a port. Whether that resets the board is a matter of the board: see ``reset``."""
        self._ports.add(port)

    def disconnect(self, port: str) -> None:
        """Close a port; nothing stops because of it, but no heartbeat comes any more."""
        self._ports.discard(port)

    def receive(self, port: str, data: bytes, t_s: float) -> None:
        """Bytes that come in at a port at a time; at one that is closed they are gone."""
        if port not in self._ports:
            return
        at_s = max(self._line_free_s, t_s)
        for byte in data:
            at_s += BYTE_S
            self._line.append((at_s, byte))
        self._line_free_s = at_s

    @property
    def lost_bytes(self) -> int:
        """Bytes that found the receive ring full."""
        return self._lost_bytes

    # ------------------------------------------------------------ the outside

    @property
    def booted(self) -> bool:
        """Whether its program runs."""
        return self._program is not None

    def set_pin(self, beam: int, high: bool, t_s: float) -> None:
        """The pin of a beam, from 1 on, is so from a time on. High: a body is seen, unless the beam is inverted."""
        self._levels[beam - 1] = high
        if self._program is not None:
            self._program.see(beam, high, max(t_s, self._now_s))

    def hold_up(self, until_s: float) -> None:
        """The program hangs until then: nothing is read, watched or ended.

        The board then switches everything off by itself, and the watchdog, if it is on, ends the hanging.
        """
        if self._program is None:
            return
        self._held_up_until_s = max(self._held_up_until_s, until_s)
        if until_s > self._now_s + HANG_S:
            self._cuts_at_s = min(self._cuts_at_s, self._now_s + HANG_S)
        if self._program.watchdog and until_s > self._now_s + WATCHDOG_S:
            self._bites_at_s = min(self._bites_at_s, self._now_s + WATCHDOG_S)

    def reset(self, t_s: float, cause: Reset = Reset.BUTTON) -> None:
        """The board starts anew. Its pins float meanwhile, and the wiring then keeps everything without current."""
        self._program = None
        self._cause = cause
        hangs = cause is Reset.WATCHDOG and not self._survives_watchdog
        self._boots_at_s = math.inf if hangs else t_s + self._boot_s
        self._held_up_until_s, self._hung = -math.inf, False
        self._bites_at_s = self._trips_at_s = self._cuts_at_s = math.inf
        self._ring.clear()
        self._sending.clear()
        self._sent_s = t_s
        self._cut_current()

    def _cut_current(self) -> None:
        self._hands.drive(False, 0)
        self._hands.relay(False)
        for magnet in range(1, self._fitted.magnets + 1):
            self._hands.magnet(magnet, False)

    # ------------------------------------------------------------ time

    def next_event_s(self) -> float | None:
        """When ``advance`` has something to do if nothing comes in; None when never."""
        soonest = self._boots_at_s
        if self._program is not None:
            program = self._program
            work = [program.next_s(), self._reads_at_s(), self._writes_at_s(program), self._trips_at_s]
            if self._hung:
                work.append(self._held_up_until_s)
            soonest = min(self._bites_at_s, self._cuts_at_s, max(min(work), self._held_up_until_s))
        if self._sending:
            soonest = min(soonest, self._sending[0][0])
        return None if math.isinf(soonest) else max(soonest, self._now_s)

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Do all that is due up to a time; returns what has gone to each port by then, in order."""
        sent: list[tuple[str, bytes]] = []
        while (due := self.next_event_s()) is not None and due <= t_s:
            self._now_s = due
            self._happen(due, sent)
        self._now_s = max(self._now_s, t_s)
        return sent

    def _reads_at_s(self) -> float:
        """When the main loop has something to read: a line's end, a stop byte, half a ring, or the last byte so far."""
        pass_s = self._last_pass_s + PASS_S
        for count, (at_s, byte) in enumerate(self._line, start=1):
            if byte in (_LF, STOP_BYTE) or count == RING_BYTES // 2 or count == len(self._line):
                return max(at_s, pass_s)
        return math.inf

    def _writes_at_s(self, program: NodeFirmware) -> float:
        """When the next line has room in the ring of what is sent."""
        outbox = program.outbox
        return self._sent_s - (ROOM_BYTES - outbox.room_wanted) * BYTE_S if outbox.has_line() else math.inf

    def _happen(self, now: float, sent: list[tuple[str, bytes]]) -> None:
        if self._sending and self._sending[0][0] <= now:
            data = self._sending.popleft()[1]
            sent += [(port, data) for port in sorted(self._ports)]
        elif self._program is None:
            self._boot(now)
        elif self._bites_at_s <= now:
            self.reset(now, Reset.WATCHDOG)
        elif self._cuts_at_s <= now:
            self._cuts_at_s, self._hung = math.inf, True
            self._cut_current()
        elif self._hung:
            self._hung = False
            self._program.hung(now)
        elif self._trips_at_s <= now:
            self._trips_at_s = math.inf
            self.hold_up(math.inf)
            self._bites_at_s = now + WATCHDOG_S
        elif self._program.next_s() <= now:
            self._program.step(now)
        elif self._writes_at_s(self._program) <= now:
            line = self._program.outbox.take_line(now)
            self._sent_s = max(self._sent_s, now) + len(line) * BYTE_S
            self._sending.append((self._sent_s, line))
        else:
            self._read(self._program, now)

    def _boot(self, now: float) -> None:
        self._arrive(now)
        self._ring.clear()  # the bootloader and the start-up read nothing
        self._reader = NodeReader()
        self._boots_at_s = math.inf
        self._last_pass_s = now
        self._program = NodeFirmware(self._hands, self._fitted, self._memory, self._cause, now, list(self._levels))

    def _arrive(self, t_s: float) -> None:
        """Move what has come over the line into the ring; what finds it full is lost."""
        while self._line and self._line[0][0] <= t_s:
            _, byte = self._line.popleft()
            if len(self._ring) >= RING_BYTES:
                self._lost_bytes += 1
            else:
                self._ring.append(byte)

    def _read(self, program: NodeFirmware, now: float) -> None:
        self._last_pass_s = now
        self._arrive(now)
        for one in self._reader.feed(bytes(self._ring)):
            program.hear(one, now)
        self._ring.clear()
        if program.trips and math.isinf(self._trips_at_s):
            self._trips_at_s = now + TRIP_AFTER_S
