"""The signal box under load: how late the panel is, and how soon an emergency stop has left.

    python tests/bench/web_load.py                  # 100 look on, 4 drive; ten minutes
    python tests/bench/web_load.py --plays 1 --stops 20

``pointsman serve``, a simulated layout in real time behind a TCP cable, and everybody who looks on are processes of
their own. Times are the computer's clock. The panel's delay is from the moment at which a beam's message is on the
cable until a spectator has the frame that tells of it; the stop's from the moment at which a driver's page sends its
frame until the stop's bytes are on the cable. A stop ends a play: a few are long, for the panel, and many are stopped
soon after something moves, at a moment that is drawn. Then the same with two more clients: one that asks for the whole
state 15 times a second and never reads, and one whose process stands still (SIGSTOP). Prints JSON.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from programs import Program, RailSim, quick_layout, running, tool
from wires import Wire

from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring

HERE = Path(__file__).resolve().parent
PUZZLE, SEED = "classic", "3"
ALONE, DISTURBED = "among themselves", "beside one slow and one dying"
WITHIN_S = 60.0
PATIENT: dict[str, Any] = {"ping_interval": None, "max_queue": None}
"""How a page is opened that is not read for a while."""
MOVES_WITHIN_S = 20.0
STOPPED_WITHIN_S = 5.0
SOON_S = 0.5
"""A stop comes so long after something moves, at most."""
MOMENTS = 1979
"""What those moments are drawn with."""
FRAME_WITHIN_S = 2.0
"""A frame that has not come by then never tells of that edge: a later one took its place."""
SENSOR = re.compile(rb"<([Qq]) (\d+)>")


class Crowd:
    """The other side's process."""

    def __init__(self, address: str, spectators: int, drivers: int) -> None:
        command = [sys.executable, str(HERE / "web_crowd.py"), address, str(spectators), str(drivers)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", bufsize=1
        )

    def ask(self, what: str) -> Any:
        """Have it do something; what it answers."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{what}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the crowd has ended")
        return json.loads(line)

    def close(self) -> None:
        """End it."""
        self.process.kill()
        self.process.wait()
        for end in (self.process.stdin, self.process.stdout):
            assert end is not None
            end.close()


@dataclass
class Measured:
    """Seconds, sorted when they are reported; ``untold`` edges were never told of to somebody."""

    panel_s: list[float] = field(default_factory=list)
    stop_s: list[float] = field(default_factory=list)
    edges: int = 0
    untold: int = 0
    load: float = 0.0

    def report(self) -> dict[str, Any]:
        """Percentiles in milliseconds."""
        panel, stop = sorted(self.panel_s), sorted(self.stop_s)
        return {
            "load": self.load,
            "edges": self.edges,
            "told": len(panel),
            "untold": self.untold,
            "panel_ms": _shares(panel, p50=50, p95=95, worst=100),
            "stops": len(stop),
            "stop_ms": _shares(stop, p50=50, p90=90, p99=99, worst=100),
        }


def _shares(values: list[float], **shares: int) -> dict[str, float | None]:
    return {name: _ms(values, share) for name, share in shares.items()}


def _ms(values: list[float], share: int) -> float | None:
    """A percentile: the smallest value that so many of a hundred do not pass."""
    return round(1000 * values[max(0, ceil(len(values) * share / 100) - 1)], 2) if values else None


@contextmanager
def crowd_at(address: str, spectators: int, drivers: int) -> Iterator[Crowd]:
    """A crowd that is ended when the block is left."""
    crowd = Crowd(address, spectators, drivers)
    try:
        yield crowd
    finally:
        crowd.close()


class Director:
    """The marshal's page, which lets everything be played."""

    def __init__(self, page: ClientConnection) -> None:
        self._page = page
        self.mode = ""
        self.halted: dict[str, Any] | None = None

    def ask(self, do: str, **fields: object) -> None:
        """Ask for something that must be done."""
        self._page.send(json.dumps({"id": 1, "do": do, **fields}))
        answer = self._heard(lambda message: message.get("id") == 1)
        if answer["type"] != "done":
            raise SystemExit(f"{do} was refused: {answer}")

    def until(self, *modes: str) -> None:
        """Wait for one of these modes."""
        if self.mode not in modes:
            self._heard(lambda _: self.mode in modes)

    def until_over(self) -> None:
        """Wait until a play was halted and its link is closed: only then it says what is to be done."""
        self._heard(lambda _: self.mode == "halted" and bool(self.halted and self.halted["cure"]))

    def _heard(self, holds: Any) -> dict[str, Any]:
        until = time.monotonic() + WITHIN_S
        while time.monotonic() < until:
            message: dict[str, Any] = json.loads(self._page.recv(timeout=WITHIN_S))
            self.mode = message.get("mode", self.mode)
            self.halted = message.get("halted", self.halted)
            if holds(message):
                return message
        raise SystemExit(f"never heard; the signal box is {self.mode}")


class Stage:
    """Everything that plays are played with: the signal box, the page that directs it, the crowd, and the layouts.

    A layout is good for one play. The next one is made while the signal box ends the play before.
    """

    def __init__(self, folder: Path, layout: Path, port: int, director: Director, crowd: Crowd) -> None:
        self.director, self.crowd = director, crowd
        self._folder, self._layout, self._port = folder, layout, port
        self._moments = random.Random(MOMENTS)
        self._beams = _beams_of(layout)
        self._made = 0

    @contextmanager
    def layouts(self) -> Iterator[None]:
        """While inside, there are layouts to be played on."""
        with ThreadPoolExecutor(1) as maker:
            self._maker, self._next = maker, maker.submit(self._make)
            try:
                yield
            finally:
                self._next.result().close()

    def _make(self) -> RailSim:
        self._made += 1
        home = self._folder / str(self._made)
        home.mkdir()
        return RailSim(home, "--seed", str(self._made), layout=self._layout)

    def play(self, seconds: float | None, to: Measured) -> None:
        """One play, stopped in the middle of a move after so many seconds; None: soon after something moves first."""
        sim = self._next.result()
        try:
            wire = Wire(sim.tcp_port, self._port)
            try:
                self._play(wire, seconds, to)
            finally:
                wire.close()
        finally:
            sim.close()

    def _play(self, wire: Wire, seconds: float | None, to: Measured) -> None:
        director, crowd = self.director, self.crowd
        director.ask("deal", puzzle=PUZZLE, seed=SEED)
        director.ask("begin", facing="to")
        since_s = time.monotonic()
        if seconds is not None:
            director.until("ready", "halted")
            if director.mode != "ready":
                raise SystemExit(f"nothing could begin: {director.halted}")
            director.ask("auto")
            crowd.ask("heard")
            since_s = time.monotonic()
            _wait(since_s + seconds)
        self._moving(wire)
        _wait(time.monotonic() + self._moments.uniform(0, SOON_S))
        asked_s = crowd.ask("stop")
        while (stopped_s := wire.seen(rb"<!>", asked_s)) is None:
            if time.monotonic() > asked_s + STOPPED_WITHIN_S:
                raise SystemExit("the emergency stop never left")
            _wait(time.monotonic() + 0.01)
        to.stop_s.append(stopped_s - asked_s)
        self._next = self._maker.submit(self._make)
        director.until_over()
        if seconds is not None:
            _wait(asked_s + FRAME_WITHIN_S / 4)
            _edges(wire, self._beams, crowd.ask("heard"), since_s, asked_s, to)

    def _moving(self, wire: Wire) -> None:
        """Return while something moves."""
        since_s = time.monotonic()
        while not wire.seen(rb"<t \d+ [1-9]", since_s - SOON_S):
            if time.monotonic() > since_s + MOVES_WITHIN_S:
                self.director.until("halted", "solved")
                raise SystemExit(f"nothing moves; the signal box is {self.director.mode}: {self.director.halted}")
            _wait(time.monotonic() + 0.01)


def _beams_of(layout: Path) -> dict[int, str]:
    wiring = load_wiring(layout / "hardware" / "dccex.toml", load_layout(layout))
    return {sensor.number: beam for beam, sensor in wiring.beams.items()}


def _wait(until_s: float) -> None:
    while (left_s := until_s - time.monotonic()) > 0:
        select.select([], [], [], left_s)


def _edges(
    wire: Wire, beams: dict[int, str], told: list[list[Any]], since_s: float, until_s: float, to: Measured
) -> None:
    """Each edge on the cable, and when each client was told of it."""
    heard: dict[tuple[int, str, bool], list[float]] = defaultdict(list)
    for at_s, client, beam, broken in told:
        heard[client, beam, broken].append(at_s)
    clients = {client for _, client, _, _ in told}
    for passed_s, data in wire.answered:
        if not since_s < passed_s < until_s - FRAME_WITHIN_S / 4:
            continue
        for letter, number in SENSOR.findall(data):
            to.edges += 1
            for client in clients:
                times = heard[client, beams[int(number)], letter == b"Q"]
                delay_s = next((at_s - passed_s for at_s in times if at_s >= passed_s), FRAME_WITHIN_S)
                if delay_s < FRAME_WITHIN_S:
                    to.panel_s.append(delay_s)
                else:
                    to.untold += 1


def measure(spectators: int, drivers: int, plays: int, seconds: float, stops: int) -> dict[str, Any]:
    """All plays."""
    found = {ALONE: Measured(), DISTURBED: Measured()}
    with tempfile.TemporaryDirectory() as name, ExitStack() as ends:
        folder = Path(name)
        layout, port = quick_layout(folder), _free_port()
        words = ("serve", str(layout), "--on", f"tcp:127.0.0.1:{port}", "--port", "0", "--journals", str(folder / "j"))
        server = ends.enter_context(running(lambda: Program(tool("pointsman"), *words)))
        address = server.expect(r"http://127\.0\.0\.1:\d+").group()
        page = ends.enter_context(
            connect(f"ws{address[4:]}/ws", origin=address, proxy=None, close_timeout=1, **PATIENT)
        )  # type: ignore[arg-type]
        crowd = ends.enter_context(crowd_at(address, spectators, drivers))
        stage = Stage(folder, layout, port, Director(page), crowd)
        ends.enter_context(stage.layouts())
        for which, measured in found.items():
            if which == DISTURBED:
                crowd.ask("slow")
                dying = ends.enter_context(crowd_at(address, 1, 0))
                dying.ask("heard")
                os.kill(dying.process.pid, signal.SIGSTOP)
            for _ in range(plays):
                stage.play(seconds, measured)
            for _ in range(stops):
                stage.play(None, measured)
            measured.load = os.getloadavg()[0]
            print(f"{which}: {measured.report()}", file=sys.stderr, flush=True)
        given_up = crowd.ask("slow?")
        frames = crowd.ask("frames")
    return {
        "spectators": spectators,
        "drivers": drivers,
        "frames": frames,
        "slow_one_given_up": given_up,
        **{which: measured.report() for which, measured in found.items()},
    }


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--spectators", type=int, default=100)
    parser.add_argument("--drivers", type=int, default=4)
    parser.add_argument("--plays", type=int, default=4, help="for the panel, without and with who misbehaves")
    parser.add_argument("--seconds", type=float, default=12.0, help="of each of them, before it is stopped")
    parser.add_argument("--stops", type=int, default=48, help="more of them, without and with who misbehaves")
    given = parser.parse_args()
    found = measure(given.spectators, given.drivers, given.plays, given.seconds, given.stops)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
