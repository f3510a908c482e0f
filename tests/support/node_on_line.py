"""Test support: a simulated node at the far end of a link, in a loop's time, or on a pty in real time.

Run as a program it opens a pty, prints its path, and does what it is told on its standard input: ``reset``,
``pin BEAM 0|1``, ``unplug``; at its end it ends.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import select
import sys
import time
import tty

from pointsman.protocols.node_constants import Board
from pointsman.transports.memory import MemoryTransport
from railsim.node import Node
from railsim.node_board import Fitted, Memory

FITTED = Fitted(Board.UNO, turnouts=2, beams=4, magnets=3, dc=True, relay=True)


class Hands:
    """What the node does to a layout that is not there."""

    def __init__(self) -> None:
        self.moved: list[tuple[int, bool, float]] = []
        self.closed = False

    def relay(self, closed: bool) -> None:
        self.closed = closed

    def drive(self, forward: bool, step: int) -> None:
        assert step == 0, "nothing here drives"

    def magnet(self, magnet: int, on: bool) -> None:
        assert not on, "nothing here switches a magnet on"

    def turnout(self, turnout: int, thrown: bool, takes_s: float) -> None:
        self.moved.append((turnout, thrown, takes_s))


class NodeOnLine:
    """A node at an end of a link in memory. To be made in a running loop; ``await begin()``."""

    def __init__(self, end: MemoryTransport, *, survives_watchdog: bool = True, boot_s: float = 1.5) -> None:
        self._end = end
        self.hands = Hands()
        self.memory = Memory()
        self.node = Node(self.hands, FITTED, self.memory, boot_s=boot_s, survives_watchdog=survives_watchdog)
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self.heard: list[bytes] = []
        """All that has come, as it was written."""
        self.spoils = 0
        """So many of the next pieces that come are changed on the way."""

    async def begin(self) -> None:
        self._end.listen(self.hear, lambda _: None)
        await self._end.open()
        self.node.connect("usb")
        self._tick()

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def reset(self) -> None:
        self.node.reset(self._loop.time())
        self._tick()

    def pin(self, beam: int, high: bool) -> None:
        self._tick()
        self.node.set_pin(beam, high, self._loop.time())
        self._tick()

    def say(self, data: bytes) -> None:
        self._end.write(data)

    def hear(self, data: bytes) -> None:
        """Bytes of a host's, of the one at the link or of another."""
        self.heard.append(data)
        self._tick()
        if self.spoils:
            self.spoils -= 1
            data = bytes([data[0] ^ 1]) + data[1:]
        self.node.receive("usb", data, self._loop.time())
        self._tick()

    def _tick(self) -> None:
        self.end()
        for _, data in self.node.advance(self._loop.time()):
            self._end.write(data)
        due_s = self.node.next_event_s()
        if due_s is not None:
            self._timer = self._loop.call_at(due_s, self._tick)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--old-bootloader", action="store_true")
    parser.add_argument("--boot-s", type=float, default=0.2)
    options = parser.parse_args()
    master, slave = os.openpty()
    tty.setraw(slave)
    print(os.ttyname(slave), flush=True)
    node = Node(Hands(), FITTED, Memory(), boot_s=options.boot_s, survives_watchdog=not options.old_bootloader)
    node.connect("usb")
    begin_s = time.monotonic()

    def now_s() -> float:
        return time.monotonic() - begin_s

    while True:
        due_s = node.next_event_s()
        wait_s = None if due_s is None else max(0.0, due_s - now_s())
        ready, _, _ = select.select([master, sys.stdin], [], [], wait_s)
        if master in ready:
            node.receive("usb", os.read(master, 4096), now_s())
        if sys.stdin in ready:
            match sys.stdin.readline().split():
                case ["reset"]:
                    node.reset(now_s())
                case ["pin", beam, high]:
                    node.set_pin(int(beam), high == "1", now_s())
                case _:
                    return
        for _, data in node.advance(now_s()):
            os.write(master, data)


if __name__ == "__main__":
    main()
