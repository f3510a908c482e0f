"""The station's side of the latency measurement: a simulated layout in real time behind a real pseudo-terminal.

It chatters as a busy layout does, and, some time after the locomotive has been started, does what has to stop it; the
time until the emergency stop has come is measured on this side, by one clock. One round for every line on standard
input: ``stop`` (it asks for an emergency stop, on standard output) or ``edge`` (a beam breaks that should not).
"""

from __future__ import annotations

import asyncio
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from pointsman.puzzle.choice import choose
from pointsman.track.wiring_file import load_wiring
from railsim.clock import VirtualLoop
from railsim.embed import Simulation
from railsim.ptylink import PtyLink
from railsim.setup import Setup

EVENTS_A_SECOND = 200
NOBODYS_SENSOR = 900
AFTER_START_S = (0.3, 0.8)


class Ear:
    """Between the terminal and the simulated layout: it hears the start and the stop, and speaks up itself."""

    def __init__(self, simulation: Simulation, what: str, beam: int) -> None:
        self._simulation = simulation
        self._loop = asyncio.get_running_loop()
        self._what = what
        self._beam = beam
        self._send: Callable[[bytes], None] = lambda _: None
        self._asked_s = 0.0
        self._count = 0
        self.measured: asyncio.Future[float] = self._loop.create_future()
        self._tick()

    def attach(
        self, kind: str, send: Callable[[bytes], None], cut: Callable[[], None], *, serial: bool, reset: bool = False
    ) -> str:
        """The controller has come."""
        self._send = send
        return self._simulation.attach(kind, send, cut, serial=serial, reset=reset)

    def receive(self, port: str, data: bytes) -> None:
        """Bytes from the controller."""
        now_s = time.monotonic()
        if b"<!>" in data and self._asked_s and not self.measured.done():
            self.measured.set_result(now_s - self._asked_s)
        started = any(frame.startswith(b"<t ") and frame.split()[2] != b"0" for frame in _frames(data))
        if started and not self._asked_s:
            self._asked_s = float("inf")
            self._loop.call_later(random.uniform(*AFTER_START_S), self._ask)
        self._simulation.receive(port, data)

    def detach(self, port: str) -> None:
        """The controller has gone."""
        self._simulation.detach(port)

    def _tick(self) -> None:
        self._count += 1
        self._send(f"<{'Qq'[self._count % 2]} {NOBODYS_SENSOR}>\n".encode())
        self._loop.call_later(1 / EVENTS_A_SECOND, self._tick)

    def _ask(self) -> None:
        self._asked_s = time.monotonic()
        if self._what == "stop":
            say("stop")
        else:
            self._send(f"<Q {self._beam}>\n".encode())


def _frames(data: bytes) -> list[bytes]:
    return [b"<" + part for part in data.split(b"<") if len(part.split()) > 2]


def say(text: str) -> None:
    """A line for the controller's side."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


async def one_round(layout: Path, what: str) -> None:
    """A layout set up, until the stop has come or the controller has gone."""
    chosen = choose(str(layout))
    wiring = load_wiring(layout / "hardware" / "dccex.toml", chosen.track)
    setup = Setup(dict(chosen.start.segments))
    simulation = Simulation(chosen.track, wiring, setup, boot_s=0.0)
    ear = Ear(simulation, what, wiring.beams["s3"].number)
    link = PtyLink(ear, asyncio.get_running_loop(), reset_on_open=False)
    say(f"path {link.path}")
    say(f"measured {await ear.measured:.6f}")
    await asyncio.to_thread(sys.stdin.readline)
    link.close()
    await simulation.close()


def main() -> None:
    """Rounds until standard input ends."""
    layout = Path(sys.argv[1])
    for line in iter(sys.stdin.readline, ""):
        with asyncio.Runner(loop_factory=lambda: VirtualLoop(1.0)) as runner:
            runner.run(one_round(layout, line.strip()))


if __name__ == "__main__":
    main()
