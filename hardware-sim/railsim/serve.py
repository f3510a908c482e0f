"""The simulated layout as a program of its own.

It plays every station of the wiring: DCC-EX and Arduino nodes at a pty or over TCP, JMRI's web server, and the nodes
at an MQTT broker.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pointsman.errors import UsageError, did_you_mean
from pointsman.track.ends import ends_of
from pointsman.track.model import Track
from pointsman.track.wiring import Protocol, Wiring
from railsim.clock import VirtualLoop
from railsim.embed import Simulation
from railsim.faults import Planned
from railsim.incidents import (
    BeamChanged,
    Coupled,
    FaultStruck,
    Incident,
    Parted,
    Stopped,
    TurnoutSettled,
    WorldEvent,
)
from railsim.mqtt_serve import BrokerAddress, NodesAtBroker, check_at_broker
from railsim.profiles import DEFAULT_PROFILE, find_profile
from railsim.setup import Setup

HIGHEST_SPEED = 5.0
SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served, and where. ``jmri`` is a port of 127.0.0.1 (0: any).

    ``pty`` are links to make and ``tcp`` such ports, for stations by their names: see ``by_station``. ``mqtt`` is the
    broker that the nodes of an MQTT station are at. Every station of the wiring has to be served.
    """

    track: Track
    wiring: Wiring
    setup: Setup
    seed: int = 0
    speed: float = 1.0
    pty: Mapping[str, str] = field(default_factory=dict)
    tcp: Mapping[str, str] = field(default_factory=dict)
    truth: Path | None = None
    reset_on_open: bool = False
    profile: str = DEFAULT_PROFILE
    jmri: int | None = None
    faults: tuple[Planned, ...] = ()
    mqtt: BrokerAddress | None = None
    bare: bool = False


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
    """Raise UsageError when nobody could reach the layout, or not in the language that a station speaks."""
    where = f"hardware {serving.wiring.name}"
    speaking = [made.protocol for made in serving.wiring.stations.values()]
    spoken = set(speaking)
    given = {
        Protocol.JMRI: serving.jmri is not None,
        Protocol.MQTT: serving.mqtt is not None,
    }
    for protocol, is_given in given.items():
        if is_given and protocol not in spoken:
            raise UsageError(
                f"this wiring has no station {_BEHIND[protocol]}",
                where=where,
                cure=f"name one that has with --hardware, or give {'; and '.join(_WAYS[p] for p in sorted(spoken))}",
            )
    if serving.mqtt is not None:
        for fault in serving.faults:
            check_at_broker(fault)
    for name, made in serving.wiring.stations.items():
        if made.protocol in IN_BYTES and name not in serving.pty and name not in serving.tcp:
            many = sum(other in IN_BYTES for other in speaking) > 1
            raise UsageError(
                f"nobody could reach its station {_BEHIND[made.protocol]}",
                where=where,
                cure=f"give --pty {name}=PATH, --tcp {name}=PORT, or both" if many else f"give {_WAYS[made.protocol]}",
            )
    for protocol in sorted(spoken - IN_BYTES):
        if speaking.count(protocol) > 1:
            raise UsageError(
                f"this wiring has {speaking.count(protocol)} stations {_BEHIND[protocol]}",
                where=where,
                cure="use a wiring with one of each kind, or rehearse with pointsman play --on sim",
            )
        if not given[protocol]:
            raise UsageError(
                f"nobody could reach its station {_BEHIND[protocol]}", where=where, cure=f"give {_WAYS[protocol]}"
            )


def by_station(option: str, texts: Sequence[str], wiring: Wiring) -> dict[str, str]:
    """What was given for each station, like ``node=PATH``; a station that is the only one may be left out.

    Raises UsageError.
    """
    found: dict[str, str] = {}
    names = [name for name, made in wiring.stations.items() if made.protocol in IN_BYTES]
    where = f"hardware {wiring.name}"
    if not names and texts:
        cure = "name one that has with --hardware, or leave it out"
        raise UsageError(
            f"{option}: this wiring has no station that speaks DCC-EX, and no node", where=where, cure=cure
        )
    for text in texts:
        name, named, value = text.partition("=")
        if named and "/" not in name and name not in wiring.stations:
            raise UsageError(
                f"{option} {text}: there is no station {name!r}", where=where, cure=did_you_mean(name, names)
            )
        if not named or name not in wiring.stations:
            name, value = "", text
            if len(names) == 1:
                name = names[0]
        if name in found:
            cure = f"give {option} once for each station"
            raise UsageError(f"{option} {text}: station {name} has {found[name]} already", where=where, cure=cure)
        if name not in names:
            cure = f"give {' '.join(f'{option} {one}=...' for one in names)}"
            raise UsageError(f"{option} {text}: which station is meant?", where=where, cure=cure)
        found[name] = value
    return found


IN_BYTES = frozenset({Protocol.DCCEX, Protocol.NODE})
"""What is spoken over a serial line, or in the same way over TCP."""
_BEHIND = {
    Protocol.DCCEX: "that speaks DCC-EX",
    Protocol.NODE: "that is a node",
    Protocol.JMRI: "behind JMRI",
    Protocol.MQTT: "behind a broker",
}
_WAYS = {
    Protocol.DCCEX: "--pty PATH, --tcp PORT (0 is any), or both",
    Protocol.NODE: "--pty PATH, --tcp PORT (0 is any), or both",
    Protocol.JMRI: "--jmri PORT (0 is any)",
    Protocol.MQTT: "--mqtt HOST:PORT",
}


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
        faults=serving.faults,
        bare=serving.bare,
    )
    try:
        async with AsyncExitStack() as opened:
            opened.push_async_callback(simulation.close)
            log.begin(simulation)
            await _open(serving, simulation, say, opened, ended)
            say(_standing(serving, simulation))
            say("ready; Ctrl-C ends it")
            await ended
            log.write_truth()
            say(_standing(serving, simulation))
            return ended.result()
    finally:
        for number in SIGNALS:
            loop.remove_signal_handler(number)


def _standing(serving: Serving, simulation: Simulation) -> str:
    """What stands where, and where the locomotives' fronts point: on direct current, where forward runs to."""
    truth = simulation.truth()
    fronts = [
        f"{one.name} {'runs forward' if serving.wiring.on_dc(one.name) else 'faces'} to "
        f"{ends_of(serving.track, where)[one.facing].told}"
        for where, found in truth.on.items()
        for one in found
        if one.facing is not None
    ]
    return "; ".join([f"standing     {truth.line}", *fronts])


async def _open(
    serving: Serving, simulation: Simulation, say: Say, opened: AsyncExitStack, ended: asyncio.Future[int]
) -> None:
    """Let hosts come, in every way that was asked for; ``opened`` closes again what has to be."""
    in_bytes = [name for name, made in serving.wiring.stations.items() if made.protocol in IN_BYTES]
    for name in in_bytes:
        whose = f" ({name})" if len(in_bytes) > 1 else ""
        if name in serving.pty:
            link = simulation.open_pty(reset_on_open=serving.reset_on_open, station=name)
            link.link_to(Path(serving.pty[name]))
            say(f"serial port  {serving.pty[name]} -> {link.path}{whose}")
        if name in serving.tcp:
            server = await simulation.serve_tcp(_port(serving.tcp[name]), station=name)
            say(f"network      127.0.0.1:{server.port}{whose}")
        node = serving.wiring.stations[name].node
        what = f"DCC-EX {find_profile(serving.profile).version}" if node is None else f"node, {node.board}"
        say(f"station      {what}{whose}")
    if serving.jmri is not None:
        web = await simulation.serve_jmri(serving.jmri)
        say(f"JMRI         ws://127.0.0.1:{web.port}/json/")
    if serving.mqtt is not None:
        nodes = NodesAtBroker(simulation.nodes(), serving.mqtt, say)
        opened.push_async_callback(nodes.close)
        say(f"broker       {serving.mqtt}")
        nodes.start()
        found = asyncio.ensure_future(nodes.found.wait())
        await asyncio.wait((found, ended), return_when=asyncio.FIRST_COMPLETED)
        found.cancel()


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > 65535:
        raise UsageError(f"--tcp {text}: that is no port", cure="give a number up to 65535; 0 is any port")
    return int(text)


class _Log:
    """Says what happens, and keeps the truth file up to date."""

    def __init__(self, serving: Serving, say: Say, loop: asyncio.AbstractEventLoop) -> None:
        self._serving = serving
        self._say = say
        self._loop = loop
        self._due = False
        self._simulation: Simulation | None = None

    def begin(self, simulation: Simulation) -> None:
        """The layout is there: write down how it stands."""
        self._simulation = simulation
        self.write_truth()

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
        if path is None or self._simulation is None:
            return
        content = {"seed": self._serving.seed, **self._simulation.truth().as_json()}
        content["incidents"] = [_incident(incident) for incident in self._simulation.incidents]
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
            by = f"magnet {event.magnet} has parted" if event.magnet else "by themselves have parted"
            return f"{by} {event.vehicles[0]} and {event.vehicles[1]}"
        case FaultStruck():
            return f"FAULT {event.kind}: {event.text}"
        case TurnoutSettled():
            return f"{event.turnout} lies {event.leg}"
        case BeamChanged():
            return f"beam {event.beam} {'broken' if event.broken else 'free'}"
