"""How soon a stop leaves the program: an emergency stop asked for, and one because of a beam.

Told what to measure (``stop`` or ``edge``) and how often, prints JSON. While a plan runs over a real pseudo-terminal,
200 sensor events a second come in, and beside it the solver is compiled and run for the first time, again and again.
Times are the clock's, from the moment at which the other side asks for it until the stop's bytes have come there.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))

from programs import quick_layout

from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.dccex import DccExDriver
from pointsman.errors import HaltedError
from pointsman.messages import Event
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.choice import Chosen, choose
from pointsman.solver.search import solve
from pointsman.track.model import End
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.serial import SerialTransport

HERE = Path(__file__).resolve().parent
PERCENTILES = (50, 90, 99)


class Peer:
    """The other side, a process of its own."""

    def __init__(self, layout: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "latency_peer.py"), str(layout)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            bufsize=1,
        )

    def fileno(self) -> int:
        """Where it speaks."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    def say(self, text: str) -> None:
        """A line to it."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{text}\n")
        self._process.stdin.flush()

    def hear(self, word: str) -> str:
        """The rest of its next line, which begins with a word."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found, _, rest = line.strip().partition(" ")
        if found != word:
            raise SystemExit(f"the station's side said {line!r} instead of {word}")
        return rest

    def close(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


class Solving:
    """First-ever solves in processes of their own, one after the other, until ``end``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._over = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self.solved = 0
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        while not self._over.is_set():
            env = {**os.environ, "POINTSMAN_CACHE_DIR": str(self._folder / f"cache-{self.solved}")}
            command = [sys.executable, "-m", "pointsman.cli.main", "solve", "timesaver", "--seed", "1", "--json"]
            self._child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self._child.wait()
            self.solved += 1

    def end(self) -> None:
        """Stop it."""
        self._over.set()
        if self._child is not None:
            self._child.terminate()
        self._thread.join()


async def one_round(peer: Peer, what: str, layout: Path, chosen: Chosen, cache: Path, journal: Path) -> float:
    """A plan that is stopped: seconds until the stop had come."""
    loop = asyncio.get_running_loop()
    track, allow = chosen.track, Allowances()
    plan = solve(track, chosen.start, chosen.goal, chosen.puzzle.count, cache=cache).runs
    wiring = load_wiring(layout / "hardware" / "dccex.toml", track)
    peer.say(what)

    def receive(event: Event) -> None:
        dispatcher.receive(event)

    def failed(why: str) -> None:
        dispatcher.halt(why)

    driver = DccExDriver(SerialTransport(peer.hear("path")), wiring, emit=receive, listen_first_s=0.05)
    belief = at_setup(track, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
    lines = Journal(journal, failed)
    dispatcher = Dispatcher(
        track, Planner(track, wiring, allow), driver, lines, belief, allow=allow, show=lambda _: None
    )

    def asked() -> None:
        loop.remove_reader(peer)
        if what == "stop":
            peer.hear("stop")
            dispatcher.halt("asked for")

    loop.add_reader(peer, asked)
    try:
        await driver.open()
        await dispatcher.play(plan)
        raise SystemExit("the plan was carried out, and nothing stopped it")
    except HaltedError:
        measured = float(await asyncio.to_thread(peer.hear, "measured"))
    finally:
        await driver.close()
        dispatcher.close()
        lines.close()
        peer.say("over")
    return measured


def measure(what: str, number: int) -> dict[str, Any]:
    """So many rounds, and the percentiles of their times."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        layout = quick_layout(folder)
        chosen = choose(str(layout), seed="1")
        peer, solving = Peer(layout), Solving(folder)
        try:
            took = sorted(
                asyncio.run(one_round(peer, what, layout, chosen, folder / "cache", folder / f"journal-{count}"))
                for count in range(number)
            )
        finally:
            solving.end()
            peer.close()
    at = {f"p{share}_s": took[min(number - 1, share * number // 100)] for share in PERCENTILES}
    return {"rounds": number, "solves": solving.solved, **at, "worst_s": took[-1]}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]))))
