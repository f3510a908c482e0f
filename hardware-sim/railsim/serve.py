"""The simulated layout as a program of its own: any DCC-EX host drives it through a pty or over TCP.

With a wiring behind JMRI it plays JMRI's web server instead: whatever speaks its JSON drives it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pointsman.errors import UsageError
from pointsman.track.model import Track
from pointsman.track.wiring import Protocol, Wiring
from railsim.clock import VirtualLoop
from railsim.embed import Simulation
from railsim.incidents import BeamChanged, Coupled, Incident, Parted, Stopped, TurnoutSettled, WorldEvent
from railsim.profiles import DEFAULT_PROFILE, find_profile
from railsim.setup import Setup

HIGHEST_SPEED = 5.0
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served, and where. ``pty`` is a link to make, ``tcp`` and ``jmri`` are ports of 127.0.0.1 (0: any)."""

    track: Track
    wiring: Wiring
    setup: Setup
    seed: int = 0
    speed: float = 1.0
    pty: Path | None = None
    tcp: int | None = None
    truth: Path | None = None
    reset_on_open: bool = False
    profile: str = DEFAULT_PROFILE
    jmri: int | None = None


def serve(serving: Serving, say: Say) -> int:
    """Serve until SIGINT or SIGTERM; returns the exit code that goes with it (130, 143).

    Raises UsageError and PortError; whatever was made (links, ports) is taken away in any case.
    """
    if not 0 < serving.speed <= HIGHEST_SPEED:
        raise UsageError(
            f"--speed {serving.speed:g} is out of range", cure=f"give a speed above 0 and at most {HIGHEST_SPEED:g}"
        )
    find_profile(serving.profile)
    _check_reach(serving)
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(serving.speed)) as runner:
        return runner.run(_serve(serving, say))


def _check_reach(serving: Serving) -> None:
    """Raise UsageError when nobody could reach the layout, or not in the language that its station speaks."""
    where = f"hardware {serving.wiring.name}"
    if any(made.protocol is Protocol.JMRI for made in serving.wiring.stations.values()):
        if serving.jmri is None or serving.pty is not None or serving.tcp is not None:
            raise UsageError(
                "this layout is reached through JMRI only",
                where=where,
                cure="give --jmri PORT (0 is any), and nothing else",
            )
    elif serving.jmri is not None:
        raise UsageError(
            "this wiring has no station behind JMRI", where=where, cure="name one that has with --hardware, like jmri"
        )
    elif serving.pty is None and serving.tcp is None:
        raise UsageError("nobody could reach the layout", cure="give --pty PATH, --tcp PORT (0 is any), or both")


async def _serve(serving: Serving, say: Say) -> int:
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[int] = loop.create_future()

    def end(code: int) -> None:
        if not ended.done():
            ended.set_result(code)

    for number, code in SIGNALS.items():
        loop.add_signal_handler(number, end, code)
    log = _Log(serving, say, loop)
    simulation = Simulation(
        serving.track,
        serving.wiring,
        serving.setup,
        seed=serving.seed,
        profile=find_profile(serving.profile),
        on_event=log.event,
    )
    log.simulation = simulation
    try:
        log.write_truth()
        if serving.pty is not None:
            link = simulation.open_pty(reset_on_open=serving.reset_on_open)
            link.link_to(serving.pty)
            say(f"serial port  {serving.pty} -> {link.path}")
        if serving.tcp is not None:
            server = await simulation.serve_tcp(serving.tcp)
            say(f"network      127.0.0.1:{server.port}")
        if serving.jmri is not None:
            web = await simulation.serve_jmri(serving.jmri)
            say(f"JMRI         ws://127.0.0.1:{web.port}/json/")
        say(f"standing     {simulation.truth().line}")
        if serving.jmri is None:
            say(f"station      DCC-EX {find_profile(serving.profile).version}")
        say("ready; Ctrl-C ends it")
        code = await ended
        log.write_truth()
        say(f"standing     {simulation.truth().line}")
        return code
    finally:
        await simulation.close()
        for number in SIGNALS:
            loop.remove_signal_handler(number)


class _Log:
    """Says what happens, and keeps the truth file up to date."""

    def __init__(self, serving: Serving, say: Say, loop: asyncio.AbstractEventLoop) -> None:
        self._serving = serving
        self._say = say
        self._loop = loop
        self._due = False
        self.simulation: Simulation | None = None

    def event(self, event: WorldEvent) -> None:
        """Something has happened in the world."""
        said = _sentence(event)
        if said:
            self._say(f"{event.t_s:9.3f} s  {said}")
        if isinstance(event, Stopped | Incident | Parted) and not self._due:
            # Not from within the world's own step: what happens at the same moment belongs into the same file.
            self._due = True
            self._loop.call_soon(self._write_due)

    def _write_due(self) -> None:
        self._due = False
        try:
            self.write_truth()
        except UsageError as error:
            self._say(str(error))

    def write_truth(self) -> None:
        """Write the truth file, whole or not at all. Raises UsageError when it cannot be written."""
        path = self._serving.truth
        if path is None or self.simulation is None:
            return
        content = {"seed": self._serving.seed, **self.simulation.truth().as_json()}
        content["incidents"] = [_incident(incident) for incident in self.simulation.incidents]
        try:
            _replace(path, json.dumps(content, indent=1) + "\n")
        except OSError as error:
            raise UsageError(
                f"cannot be written: {error.strerror}", where=str(path), cure="name a file in a folder you may write to"
            ) from error


def _incident(incident: Incident) -> dict[str, Any]:
    return {
        "t_s": round(incident.t_s, 6),
        "kind": str(incident.kind),
        "where": incident.where,
        "vehicles": list(incident.vehicles),
        "text": incident.text,
    }


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise


def _sentence(event: WorldEvent) -> str:
    match event:
        case Incident():
            return f"INCIDENT {event.kind}: {event.text}"
        case Stopped():
            return f"{event.locomotive} stands"
        case Coupled():
            return f"{event.vehicles[0]} and {event.vehicles[1]} have coupled"
        case Parted():
            return f"magnet {event.magnet} has parted {event.vehicles[0]} and {event.vehicles[1]}"
        case TurnoutSettled():
            return f"{event.turnout} lies {event.leg}"
        case BeamChanged():
            return f"beam {event.beam} {'broken' if event.broken else 'free'}"
