"""JMRI with its JSON server in time: connections, listeners, throttles, and the command station behind it.

No input or output of its own: texts go in with the time they are sent, texts come out with ``advance``; an empty one
says that the connection is closed. As JMRI does it (its source, 4.19 to 5.x): the texts of a connection are handled in
order, an answer carries the id of its request, pongs and throttles carry none; a change is told to whoever has asked
for that thing by name; the last client of a throttle that goes leaves the locomotive at speed 0; a connection that says
nothing for 1.1 heartbeats is closed.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from pointsman.protocols.jmri_json import (
    INCONSISTENT,
    UNKNOWN,
    Bean,
    BeanType,
    Failure,
    Goodbye,
    Hello,
    Message,
    Method,
    Ping,
    Pong,
    Power,
    SensorState,
    SwitchState,
    Throttle,
    TurnoutState,
    read,
    write,
)
from railsim.hidden import Hidden
from railsim.station import RAIL_DELAY_S

HEARTBEAT_S = 13.5
IDLE_HEARTBEATS = 1.1
HANDLING_S = 0.002
"""From a text's arrival until it was carried out and answered."""
TAKING_S = 0.03
"""For a command station to hand out a locomotive."""
REPORT_S = 0.015
"""From a sensor to a report of its change."""
STEPS = 126
HIGHEST_ADDRESS = 10239

Key = tuple[BeanType, str]
_SETTABLE = {
    BeanType.TURNOUT: frozenset(TurnoutState),
    BeanType.LIGHT: frozenset({SwitchState.ON, SwitchState.OFF}),
    BeanType.SENSOR: frozenset(SensorState),
}


class NamedRails(Protocol):
    """The layout, by JMRI's system names."""

    def power(self, on: bool) -> None:
        """Switch the track power."""

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        """What a locomotive's decoder hears."""

    def turnout(self, number: str, thrown: bool) -> None:
        """Points begin to move."""

    def output(self, number: str, on: bool) -> None:
        """A magnet is switched."""


@dataclass(slots=True)
class _Engine:
    """A throttle that JMRI has, with the clients that hold it: port and the name that they gave it."""

    address: int
    speed: float = 0.0
    forward: bool = True
    found_s: float = 0.0
    holders: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class _Client:
    """A connection."""

    inbox: deque[tuple[float, bytes]] = field(default_factory=deque)
    listening: set[Key] = field(default_factory=set)
    power: bool = False
    throttles: dict[str, int] = field(default_factory=dict)
    heard_s: float = 0.0
    free_s: float = 0.0


@dataclass(frozen=True, slots=True)
class _RailAct:
    at_s: float
    cab: int
    forward: bool
    step: int
    emergency: bool


class JmriStation:
    """JMRI and all its connections. ``things``: what its tables hold at the start, by type and system name.

    ``feedback``: turnouts whose state is what the layout reports, not what was commanded. ``frozen`` makes it stand
    still, as a computer does that is busy with something else: connections stay open, nothing is said.
    """

    def __init__(
        self,
        rails: NamedRails,
        things: Mapping[Key, int],
        hidden: Hidden | None = None,
        *,
        feedback: frozenset[str] = frozenset(),
        heartbeat_s: float = HEARTBEAT_S,
    ) -> None:
        self.states = dict(things)
        self.power_state = int(SwitchState.OFF)
        self.frozen = False
        self.json_version = "5.4.0"
        self._rails = rails
        self._hidden = hidden if hidden is not None else Hidden()
        self._feedback = feedback
        self._heartbeat_s = heartbeat_s
        self._clients: dict[str, _Client] = {}
        self._engines: dict[int, _Engine] = {}
        self._acts: list[_RailAct] = []
        self._acts_made = 0
        self._reports: deque[tuple[float, Key, int]] = deque()
        self._sending: deque[tuple[float, str, bytes]] = deque()
        self._now_s = 0.0

    # ------------------------------------------------------------ connections

    def connect(self, port: str, *, serial: bool = False) -> None:  # noqa: ARG002 - as other stations
        """A client has come: it is greeted."""
        self._clients[port] = _Client(heard_s=self._now_s)
        self._send(port, self._hello(0))

    def disconnect(self, port: str) -> None:
        """A connection has ended, whoever closed it: what it alone held is stopped."""
        client = self._clients.pop(port, None)
        if client is None:
            return
        for name, address in client.throttles.items():
            self._release(self._engines[address], (port, name))

    def receive(self, port: str, data: bytes, t_s: float) -> None:
        """A text, whole."""
        self._now_s = max(self._now_s, t_s)
        client = self._clients.get(port)
        if client is not None:
            client.heard_s = self._now_s
            client.free_s = max(client.free_s, self._now_s) + HANDLING_S
            client.inbox.append((client.free_s, data))

    def reset(self, t_s: float) -> None:
        """JMRI is closed and started again: every client is told, cut off, and its locomotives are stopped."""
        self._now_s = max(self._now_s, t_s)
        for port in list(self._clients):
            self._send(port, Goodbye())
            self._hang_up(port)
        self._engines.clear()

    def set_short(self, shorted: bool, t_s: float) -> None:
        """Something lies across the rails, or no longer: the booster behind JMRI cuts the power, and leaves it so."""
        self._now_s = max(self._now_s, t_s)
        if shorted:
            self.set_power(False)

    def see(self, sensor: str, active: bool, t_s: float) -> None:
        """A sensor of the layout has changed."""
        state = SensorState.ACTIVE if active else SensorState.INACTIVE
        self._reports.append((t_s + REPORT_S, (BeanType.SENSOR, sensor), int(state)))

    def settled(self, turnout: str, thrown: bool, t_s: float) -> None:
        """Points are over: told where the layout reports it."""
        if turnout in self._feedback:
            state = TurnoutState.THROWN if thrown else TurnoutState.CLOSED
            self._reports.append((t_s + REPORT_S, (BeanType.TURNOUT, turnout), int(state)))

    # ------------------------------------------------------------ time

    def next_event_s(self) -> float | None:
        """When there is something to do if nothing comes in; None when never."""
        times = [at_s for at_s, *_ in list(self._sending)[:1]]
        times += [act.at_s for act in self._acts]
        if not self.frozen:
            times += [at_s for at_s, *_ in list(self._reports)[:1]]
            for client in self._clients.values():
                times += [at_s for at_s, _ in list(client.inbox)[:1]]
                times.append(client.heard_s + IDLE_HEARTBEATS * self._heartbeat_s)
        soonest = min(times, default=math.inf)
        return None if math.isinf(soonest) else max(soonest, self._now_s)

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Do all that is due up to a time; returns what each connection was sent by then, in order."""
        sent: list[tuple[str, bytes]] = []
        while (due := self.next_event_s()) is not None and due <= t_s:
            self._now_s = due
            self._happen(due, sent)
        self._now_s = max(self._now_s, t_s)
        return sent

    def _happen(self, now: float, sent: list[tuple[str, bytes]]) -> None:
        if self._sending and self._sending[0][0] <= now:
            _, port, data = self._sending.popleft()
            sent.append((port, data))
            return
        for act in self._acts:
            if act.at_s <= now:
                self._acts.remove(act)
                self._rails.throttle(act.cab, act.forward, act.step, act.emergency)
                return
        if self._reports and self._reports[0][0] <= now:
            _, key, state = self._reports.popleft()
            self._change(key, state)
            return
        for port, client in list(self._clients.items()):
            if client.inbox and client.inbox[0][0] <= now:
                _, data = client.inbox.popleft()
                for message in read(data):
                    self._handle(port, client, message)
                return
            if client.heard_s + IDLE_HEARTBEATS * self._heartbeat_s <= now:
                self._hang_up(port)
                return

    # ------------------------------------------------------------ requests

    def _handle(self, port: str, client: _Client, message: Message) -> None:
        match message:
            case Ping():
                self._send(port, Pong())
            case Goodbye():
                self._send(port, Goodbye())
                self._hang_up(port)
            case Hello():
                self._send(port, self._hello(message.id))
            case Bean():
                self._bean(port, client, message)
            case Power():
                self._power(port, client, message)
            case Throttle():
                self._throttle(port, client, message)
            case _:
                self._send(port, Failure(404, "Unknown object type or no JSON."))

    def _bean(self, port: str, client: _Client, asked: Bean) -> None:
        key = (asked.type, asked.name)
        if key not in self.states:
            self._send(port, Failure(404, f"There is no {asked.type} {asked.name}.", asked.id))
            return
        if asked.method is Method.POST and asked.state not in (None, UNKNOWN):
            if asked.state not in _SETTABLE[asked.type]:
                text = f"Attempting to set {asked.type} to unknown state {asked.state}."
                self._send(port, Failure(400, text, asked.id))
                return
            self._set(key, asked.state)
        self._send(port, Bean(asked.type, asked.name, self.states[key], id=asked.id))
        client.listening.add(key)

    def _set(self, key: Key, state: int) -> None:
        type_, name = key
        if type_ is BeanType.TURNOUT:
            if name in self._feedback and self.states[key] != state:
                self._change(key, INCONSISTENT)
            else:
                self._change(key, state)
            self._rails.turnout(name, state == TurnoutState.THROWN)
            return
        self._change(key, state)
        if type_ is BeanType.LIGHT:
            self._rails.output(name, state == SwitchState.ON)

    def set_by_hand(self, type_: BeanType, name: str, state: int) -> None:
        """Somebody uses JMRI's own tables."""
        self._set((type_, name), state)

    def _change(self, key: Key, state: int) -> None:
        if self.states.get(key) in (None, state):
            return  # nothing new, or nothing that is in a table
        self.states[key] = state
        for port, client in self._clients.items():
            if key in client.listening:
                self._send(port, Bean(key[0], key[1], state))

    def _power(self, port: str, client: _Client, asked: Power) -> None:
        client.power = True
        if asked.state in (SwitchState.ON, SwitchState.OFF):
            self.set_power(asked.state == SwitchState.ON)
        elif asked.state not in (None, UNKNOWN):
            text = f"Attempting to set power to unknown state {asked.state}."
            self._send(port, Failure(400, text, asked.id))
            return
        self._send(port, Power(self.power_state, default=True, id=asked.id))

    def set_power(self, on: bool) -> None:
        """The track power, switched by whoever it may be."""
        state = int(SwitchState.ON if on else SwitchState.OFF)
        if state == self.power_state:
            return
        self.power_state = state
        self._rails.power(on)
        for port, client in self._clients.items():
            if client.power:
                self._send(port, Power(state, "LocoNet", default=True))

    # ------------------------------------------------------------ throttles

    def _throttle(self, port: str, client: _Client, asked: Throttle) -> None:
        if asked.name not in client.throttles:
            if not self._take(port, client, asked):
                return
        elif self._engines[client.throttles[asked.name]].found_s > self._now_s:
            self._send(port, Failure(500, "Unsupported operation.", asked.id))
            return
        engine = self._engines[client.throttles[asked.name]]
        if asked.emergency_stop:
            self._speed(engine, -1.0)
        if asked.idle:
            self._speed(engine, 0.0)
        if asked.forward is not None:
            self._turn(engine, asked.forward)
        if asked.speed is not None:
            self._speed(engine, asked.speed)
        if asked.release:
            self._send(port, Throttle(asked.name, release=True))
            del client.throttles[asked.name]
            self._release(engine, (port, asked.name))
        elif asked.status:
            self._send(port, self._status(engine, asked.name))

    def _take(self, port: str, client: _Client, asked: Throttle) -> bool:
        if asked.address is None:
            self._send(port, Failure(400, "Throttles must be requested with an address.", asked.id))
            return False
        if not 0 < asked.address <= HIGHEST_ADDRESS:
            self._send(port, Failure(400, f"Address {asked.address} is not valid.", asked.id))
            return False
        client.throttles[asked.name] = asked.address
        engine = self._engines.get(asked.address)
        if engine is None:
            engine = self._engines[asked.address] = _Engine(asked.address, found_s=self._now_s + TAKING_S)
        engine.holders.append((port, asked.name))
        for other, name in engine.holders[:-1]:
            self._send(other, Throttle(name, clients=len(engine.holders)))
        self._send(port, self._status(engine, asked.name), at_s=max(engine.found_s, self._now_s))
        return True

    def throttle_by_hand(self, address: int, speed: float, forward: bool = True) -> None:
        """Somebody uses a throttle of JMRI's own, or one of the command station."""
        engine = self._engines.setdefault(address, _Engine(address))
        self._turn(engine, forward)
        self._speed(engine, speed)

    def _status(self, engine: _Engine, name: str) -> Throttle:
        return Throttle(
            name,
            address=engine.address,
            speed=_single(engine.speed),
            forward=engine.forward,
            speed_steps=STEPS,
            clients=len(engine.holders),
        )

    def _speed(self, engine: _Engine, speed: float) -> None:
        if speed != engine.speed:
            engine.speed = speed
            for port, name in engine.holders:
                self._send(port, Throttle(name, speed=_single(speed)))
        self._to_rails(engine)

    def _turn(self, engine: _Engine, forward: bool) -> None:
        if forward is not engine.forward:
            engine.forward = forward
            for port, name in engine.holders:
                self._send(port, Throttle(name, forward=forward))
            self._to_rails(engine)

    def _to_rails(self, engine: _Engine) -> None:
        """Packets wait their turn: later, but in order for each locomotive; an emergency stop overtakes."""
        emergency = engine.speed < 0
        step = 0 if emergency else min(round(engine.speed * STEPS), STEPS)
        if emergency:
            self._acts = [act for act in self._acts if act.cab != engine.address]
        self._acts_made += 1
        at_s = self._now_s + self._hidden.uniform(f"rail delay/{self._acts_made}", *RAIL_DELAY_S)
        at_s = max([at_s, *(act.at_s for act in self._acts if act.cab == engine.address)])
        self._acts.append(_RailAct(at_s, engine.address, engine.forward, step, emergency))

    def _release(self, engine: _Engine, holder: tuple[str, str]) -> None:
        if engine.holders == [holder]:
            self._speed(engine, 0.0)
            self._engines.pop(engine.address, None)
        if holder in engine.holders:
            engine.holders.remove(holder)
        for port, name in engine.holders:
            self._send(port, Throttle(name, clients=len(engine.holders)))

    # ------------------------------------------------------------ answers

    def _hello(self, id_: int) -> Hello:
        return Hello("5.9.6", self.json_version, "railsim", round(self._heartbeat_s * 1000), id_)

    def _send(self, port: str, message: Message, at_s: float | None = None) -> None:
        self._put(port, write(message).encode("ascii"), self._now_s if at_s is None else at_s)

    def _put(self, port: str, data: bytes, at_s: float) -> None:
        place = sum(at <= at_s for at, _, _ in self._sending)
        self._sending.insert(place, (at_s, port, data))

    def _hang_up(self, port: str) -> None:
        self.disconnect(port)
        self._put(port, b"", self._now_s)


def _single(value: float) -> float:
    """A number as JMRI holds it: in 32 bits."""
    found: float = struct.unpack("f", struct.pack("f", value))[0]
    return found
