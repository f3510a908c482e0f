"""Test support: the node's compiled firmware, run by avrsim, with the pins of its board wired to the simulated layout.

``AvrNode`` has the face of the simulated ``Node``, and ``AvrSide`` that of its ``NodeSide``. Nothing here knows what
the firmware means to do: only the pins count, wired as firmware/README.md says.
"""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from avrsim import Board, Event

from pointsman.protocols.node_constants import BAUD
from pointsman.track.model import Leg, Locomotive, SpeedTable
from pointsman.track.wiring import Protocol
from railsim.board_side import Machines
from railsim.hidden import Hidden, Performance
from railsim.incidents import BeamChanged, TurnoutSettled, WorldEvent
from railsim.world import World

FIRMWARE = Path(__file__).parents[2] / "firmware"
BYTE_S = 10 / BAUD
CYCLES_PER_S = 16_000_000
SLICE_S = 0.004
"""So much too late is seen, at the most, what the board does: its bytes, and its pins by what they move. A USB bridge
hands bytes over no faster, and a train at 100 mm/s goes 0.4 mm. What the board is told, it is told in time."""
MOST_AT_ONCE = 256
"""Bytes given to avrsim at one time; its own queue has an end."""


@cache
def pins_of(board: str) -> Mapping[str, list[str]]:
    """The pins of a board, as its header (and the README's table) has them: ``{"TURNOUT_PINS": ["10", "7", ...]}``."""
    header = (FIRMWARE / "pointsman_node" / "src" / "boards" / f"{board}.h").read_text(encoding="utf-8")
    made = re.findall(r"constexpr uint8_t (\w+_PINS?)(?:\[\])*(?:\[2\])? =\s*([^;]+);", header)
    return {name: [pin.removeprefix("PIN_") for pin in re.findall(r"PIN_\w+|\d+", value)] for name, value in made}


# ---------------------------------------------------------------- a locomotive on direct current

DUTY_MOST = 255
DEAD_DUTY = 30
"""Up to here its motor does not turn."""
MM_S_PER_DUTY = 0.9
"""Above that it is so much faster with each 255th of the time with current."""
DC_TABLE = SpeedTable(((8, 20.0), (60, 100.0)))
"""What a layout says of such a locomotive, driven by steps of the node, whose ``dc_lowest`` is as it comes."""


class DcHidden(Hidden):
    """What nobody knows of a layout whose locomotives run on direct current: what they are driven by is the duty."""

    def performance(self, locomotive: Locomotive) -> Performance:
        """The real locomotive: a dead band, then a straight line, off by 5 to 10 % as any locomotive is."""
        highest = (DUTY_MOST - DEAD_DUTY) * MM_S_PER_DUTY
        line = SpeedTable(((DEAD_DUTY, 0.0), (DUTY_MOST, highest)))
        real = super().performance(locomotive)
        return replace(real, nominal=replace(locomotive, speeds=line), lowest_step=DEAD_DUTY + 1)


# ---------------------------------------------------------------- points with a servo

SERVO_US_PER_S = 5000.0
"""How fast a small servo turns, in width of its pulses: a sixth of a turn (600 µs) in 0.12 s."""
DRIVEN_FOR_S = 0.03
"""So long after a pulse a servo still drives; then it stands where it is."""
CLOSED_US, THROWN_US = 1250.0, 1750.0
"""Where the blades touch their rails; a servo may press on beyond that."""
LOOSE_US = 40.0
"""Before that the blades touch already."""


@dataclass
class ServoPoints:
    """Points that lie as their servo stands. Times are seconds, places are in widths of pulses."""

    at_us: float
    aim_us: float = 0.0
    now_s: float = 0.0
    until_s: float = 0.0

    @property
    def leg(self) -> Leg | None:
        """How they lie; None between."""
        if self.at_us <= CLOSED_US + LOOSE_US:
            return Leg.CLOSED
        return Leg.THROWN if self.at_us >= THROWN_US - LOOSE_US else None

    def advance(self, t_s: float) -> None:
        """Turn towards what the last pulse said."""
        way_us = self.aim_us - self.at_us
        time_s = min(t_s, self.until_s) - self.now_s
        if time_s > 0:
            self.at_us += math.copysign(min(abs(way_us), time_s * SERVO_US_PER_S), way_us)
        self.now_s = max(self.now_s, t_s)

    def pulse(self, t_s: float, width_us: float) -> None:
        """A pulse has ended."""
        self.advance(t_s)
        self.aim_us, self.until_s = width_us, t_s + DRIVEN_FOR_S


# ---------------------------------------------------------------- points with a solenoid

THROWS_S = 0.02
"""So long a coil needs to bring the blades over; after a shorter pulse they lie as they lay."""


@dataclass
class SolenoidPoints:
    """Points with a coil for each leg. Times are seconds; None where no current flows."""

    since_s: dict[Leg, float | None] = field(default_factory=lambda: dict.fromkeys(Leg))

    def switch(self, leg: Leg, on: bool, t_s: float) -> Leg | None:
        """Current begins to flow, or ends: the leg to which the blades have been brought, if to any."""
        thrown = self.over(t_s)
        self.since_s[leg] = t_s if on else None
        return thrown

    def over(self, t_s: float) -> Leg | None:
        """To which leg a coil has brought the blades by now; with both on they do not know where to go."""
        on = {leg: t_s - since_s for leg, since_s in self.since_s.items() if since_s is not None}
        return next((leg for leg, for_s in on.items() if len(on) == 1 and for_s >= THROWS_S), None)


# ---------------------------------------------------------------- the board


class AvrNode:
    """A board with the firmware, and the hosts of its one serial line.

    ``hands`` hears what happens on watched pins, and how time passes. The board's time is the world's; both begin at
    0. The board is closed by whoever has opened it.
    """

    def __init__(self, board: Board, hands: AvrSide) -> None:
        self.board = board
        self._hands = hands
        self._ports: set[str] = set()
        self._line: deque[tuple[float, bytes]] = deque()
        self._line_free_s = 0.0
        self._cycles = 0
        board.ask("uart on")

    def connect(self, port: str) -> None:
        """Open a port. Whether that resets the board is a matter of the board: see ``reset``."""
        self._ports.add(port)

    def disconnect(self, port: str) -> None:
        """Close a port."""
        self._ports.discard(port)

    def receive(self, port: str, data: bytes, t_s: float) -> None:
        """Bytes that come in at a port at a time; at one that is closed they are gone."""
        if port not in self._ports:
            return
        at_s = max(self._line_free_s, t_s)
        for first in range(0, len(data), MOST_AT_ONCE):
            some = data[first : first + MOST_AT_ONCE]
            self._line.append((at_s, some))
            at_s += len(some) * BYTE_S
        self._line_free_s = at_s

    def set_pin(self, pin: str, high: bool, t_s: float) -> None:
        """Pull an input down from a time on, or leave it to what pulls it up in the chip."""
        self._run(t_s)
        self.board.drive(pin, "z" if high else "0")

    def reset(self, t_s: float) -> None:
        """The button, or a port that is opened."""
        self._run(t_s)
        self.board.ask("reset")

    def next_event_s(self) -> float:
        """When to look again: a board says nothing beforehand."""
        return self.now_s + SLICE_S

    @property
    def now_s(self) -> float:
        """The board's time."""
        return self._cycles / CYCLES_PER_S

    def advance(self, t_s: float) -> list[tuple[str, bytes]]:
        """Let the board run up to a time; returns what has gone to each port by then, in order."""
        sent: list[tuple[str, bytes]] = []
        while self._line and self._line[0][0] <= t_s:
            at_s, data = self._line.popleft()
            self._run(at_s)
            self.board.say(data)
        self._run(t_s)
        told, self.board.events = self.board.events, []
        for event in told:
            if event.kind == "uart":
                data = bytes.fromhex(event.values[0])
                sent += [(port, data) for port in sorted(self._ports)]
            else:
                self._hands.pin(event, event.at_us / 1e6)
        self._hands.passed(t_s)
        return sent

    def _run(self, t_s: float) -> None:
        cycles = math.floor(t_s * CYCLES_PER_S) - self._cycles
        if cycles > 0:
            self.board.grant(cycles / CYCLES_PER_S * 1e6)
            self._cycles += cycles


class Healthy:
    """Machines of a layout in which nothing is broken."""

    def __init__(self, world: World) -> None:
        self.turnout = world.throw
        self.arrived = world.arrive
        self.throttle = world.set_throttle


class AvrSide:
    """A board and what is wired to it, by the track's names, in the order of its pins; empty where nothing is.

    Turnouts have servos, or are among the ``solenoids``. ``locomotive`` runs on the throttle; the world must be made
    with ``DcHidden``. ``machines`` and ``set_power`` are the world's, if not given. ``duty`` is what the throttle gives
    now, 0 to 255, and ``brakes`` whether the shield shorts the motor; ``pulses`` is how many the servos have had;
    ``coils`` says for each magnet, and for each leg of a turnout with a solenoid (``T1>closed``), from when to when it
    was on; ``bitten_s`` when the watchdog has reset the board.
    """

    protocol = Protocol.NODE

    def __init__(
        self,
        world: World,
        board: Board,
        *,
        turnouts: Sequence[str] = (),
        beams: Sequence[str] = (),
        magnets: Sequence[str] = (),
        locomotive: str = "",
        solenoids: Collection[str] = (),
        kind: str = "uno",
        machines: Machines | None = None,
        set_power: Callable[[bool], None] | None = None,
    ) -> None:
        self.duty = 0
        self.brakes = False
        self.pulses = 0
        self.bitten_s: list[float] = []
        self._world = world
        self._machines = Healthy(world) if machines is None else machines
        self._locomotive = locomotive
        self._set_power = world.set_power if set_power is None else set_power
        self._forward = self._runs_forward = False
        self.node = AvrNode(board, self)
        pins = pins_of(kind)
        self._beams = {name: pin for pin, name in _wired(pins["BEAM_PINS"], beams).items()}
        self._magnets = _wired(pins["MAGNET_PINS"], magnets)
        wired = _wired(pins["TURNOUT_PINS"][::2], turnouts)
        self._turnouts = {pin: name for pin, name in wired.items() if name not in solenoids}
        self._solenoids = {
            pin: (name, leg)
            for leg, first in ((Leg.CLOSED, 0), (Leg.THROWN, 1))
            for pin, name in _wired(pins["TURNOUT_PINS"][first::2], turnouts).items()
            if name in solenoids
        }
        self._relay, self._direction = pins["RELAY_PIN"][0], pins["DC_DIRECTION_PIN"][0]
        self._brake = pins["DC_BRAKE_PIN"][0]
        names = [*self._magnets.values(), *(f"{name}>{leg}" for name, leg in self._solenoids.values())]
        self.coils: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
        self._on_s: dict[str, float] = {}
        lie = world.truth().lie
        ends = {Leg.CLOSED: CLOSED_US, Leg.THROWN: THROWN_US}
        self._servos = {name: ServoPoints(ends[Leg(lie[name])]) for name in self._turnouts.values()}
        self._points = {name: SolenoidPoints() for name, _ in self._solenoids.values()}
        for pin in (self._relay, self._direction, self._brake, *self._magnets, *self._solenoids):
            board.watch(pin, "edges")
        for pin in self._turnouts:
            board.watch(pin, "pulses")
        board.watch(pins["DC_SPEED_PIN"][0], "duty")
        for beam in self._beams:
            self.see(beam, world.beam_broken(beam), 0.0)

    def happened(self, event: WorldEvent) -> None:
        """Something has happened in the world."""
        if isinstance(event, BeamChanged):
            self.see(event.beam, event.broken, event.t_s)

    def see(self, beam: str, broken: bool, t_s: float) -> None:
        """A beam looks so from now on. Its sensor pulls the pin down in the light."""
        if beam in self._beams:
            self.node.set_pin(self._beams[beam], broken, t_s)

    def settled(self, event: TurnoutSettled) -> None:
        """Points are over: a node has no contacts that would tell it."""

    def connect(self, port: str, *, serial: bool) -> None:
        """A host opens a port."""
        self.node.connect(port)

    @property
    def station(self) -> AvrNode:
        """The board."""
        return self.node

    # ------------------------------------------------------------ what the board does

    def pin(self, event: Event, t_s: float) -> None:
        """Something has happened on a pin. Where one floats, a resistor pulls it down."""
        if event.kind == "reset" and event.values == ("watchdog",):
            self.bitten_s.append(t_s)
        if event.kind not in ("edge", "pulse", "duty"):
            return
        pin, value = event.values
        if event.kind == "pulse":
            self.pulses += 1
            self._turn(self._turnouts[pin], t_s)
            self._servos[self._turnouts[pin]].pulse(t_s, float(value))
        elif event.kind == "duty":
            self.duty = round(float(value) * DUTY_MOST)
            self._drive()
        elif pin == self._relay:
            self._set_power(value == "1")
        elif pin == self._direction:
            self._forward = value == "1"
            self._drive()
        elif pin == self._brake:
            self.brakes = value == "1"
            self._drive()
        elif pin in self._solenoids:
            self._pull(*self._solenoids[pin], value == "1", t_s)
        else:
            self._world.set_magnet(self._magnets[pin], value == "1")
            self._log(self._magnets[pin], value == "1", t_s)

    def passed(self, t_s: float) -> None:
        """So late it is now."""
        for turnout in self._servos:
            self._turn(turnout, t_s)
        for turnout, points in self._points.items():
            self._throw(turnout, points.over(t_s))

    def _log(self, coil: str, on: bool, t_s: float) -> None:
        if on:
            self._on_s[coil] = t_s
        elif coil in self._on_s:
            self.coils[coil].append((self._on_s.pop(coil), t_s))

    def _pull(self, turnout: str, leg: Leg, on: bool, t_s: float) -> None:
        self._log(f"{turnout}>{leg}", on, t_s)
        self._world.set_solenoid(turnout, leg, on)
        self._throw(turnout, self._points[turnout].switch(leg, on, t_s))

    def _throw(self, turnout: str, leg: Leg | None) -> None:
        if leg is not None:
            self._machines.turnout(turnout, leg, 0.0)

    def _drive(self) -> None:
        """Without current a locomotive has no direction: it runs out as it ran. Shorted, its motor brakes hard."""
        self._runs_forward = self._forward if self.duty else self._runs_forward
        if self._locomotive:
            duty = 0 if self.brakes else self.duty
            self._machines.throttle(self._locomotive, self._runs_forward, duty, self.brakes)

    def _turn(self, turnout: str, t_s: float) -> None:
        servo = self._servos[turnout]
        before = servo.leg
        servo.advance(t_s)
        if servo.leg is before:
            return
        if before is not None:
            self._machines.turnout(turnout, before.other, math.inf)
        if servo.leg is not None:
            self._machines.turnout(turnout, servo.leg, math.inf)
            self._machines.arrived(turnout)


def _wired(pins: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """What is at each pin that something is at."""
    return {pin: name for pin, name in zip(pins, names, strict=False) if name}
