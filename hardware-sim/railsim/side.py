"""What hangs on one station of a wiring, DCC-EX or JMRI: the station's hands on the layout, and its eyes.

No input or output of its own, and no time either: ``rig`` has that.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping

from pointsman.protocols.jmri_json import UNKNOWN, BeanType, SensorState, SwitchState, TurnoutState
from pointsman.track.model import Leg
from pointsman.track.wiring import Protocol, TurnoutKind, TurnoutWiring, Wiring
from railsim.breakdowns import Breakdowns
from railsim.definitions import Definitions, OutputRecord, SensorRecord, TurnoutRecord
from railsim.hidden import Hidden
from railsim.incidents import TurnoutSettled
from railsim.jmri_station import JmriStation
from railsim.profiles import Profile
from railsim.station import BOOT_S, Station
from railsim.world import World

SERVO_MOVES_S = 0.99
"""A servo at the station's medium profile: arrived after 990 ms (measured on a running 5.6.0)."""
FIRST_SERVO_VPIN, FIRST_SENSOR_VPIN, FIRST_OUTPUT_VPIN = 100, 22, 164
SERVO_THROWN, SERVO_CLOSED, SERVO_PROFILE = 410, 205, 2


class Side:
    """A station, and what a wiring has on it; all of that is defined there.

    ``set_power`` is called with the power of its main track; ``profile`` is the firmware of a DCC-EX station.
    """

    def __init__(
        self,
        name: str,
        world: World,
        wiring: Wiring,
        hidden: Hidden,
        breakdowns: Breakdowns,
        set_power: Callable[[bool], None],
        *,
        boot_s: float = BOOT_S,
        profile: Profile | None = None,
        bare: bool = False,
    ) -> None:
        """``bare``: a DCC-EX station knows no turnout, sensor or output yet."""
        self.protocol = wiring.stations[name].protocol
        self._world = world
        self._wiring = wiring
        self._breakdowns = breakdowns
        self._set_power = set_power
        self._turnouts: dict[int | str, str] = {
            w.name or w.number: turnout
            for turnout, w in wiring.turnouts.items()
            if w.station == name and w.kind is not TurnoutKind.HAND
        }
        self._magnets: dict[int | str, str] = {}
        for magnet, made in wiring.uncouplers.items():
            if made.station == name and (made.name or made.number is not None):
                self._magnets[made.name or made.number or 0] = magnet
        self._beams = {beam: w for beam, w in wiring.beams.items() if w.station == name}
        self._cabs = {w.cab: engine for engine, w in wiring.locomotives.items() if w.station == name}
        self._vpins = _vpins({beam: w.pin for beam, w in self._beams.items()}, FIRST_SENSOR_VPIN)
        self.station: Station | JmriStation
        if self.protocol is Protocol.JMRI:
            self.station = JmriStation(self, self._tables(), hidden, feedback=self._with_feedback())
        else:
            self.station = Station(
                self, Definitions() if bare else self._definitions(), hidden, boot_s=boot_s, profile=profile
            )
            for beam in self._beams:
                self.see(beam, world.beam_broken(beam), 0.0)

    def connect(self, port: str, *, serial: bool) -> None:
        """A host opens a port."""
        self.station.connect(port, serial=serial)

    def see(self, beam: str, broken: bool, t_s: float) -> None:
        """A beam looks so from now on."""
        wired = self._beams.get(beam)
        if wired is None:
            return
        if isinstance(self.station, JmriStation):
            self.station.see(wired.name, broken is not wired.inverted, t_s)
        else:
            self.station.set_pin(self._vpins[beam], broken is not wired.inverted, t_s)

    def settled(self, event: TurnoutSettled) -> None:
        """Points are over."""
        if isinstance(self.station, JmriStation) and event.turnout in self._turnouts.values():
            wired = self._wiring.turnouts[event.turnout]
            self.station.settled(wired.name, (event.leg is Leg.THROWN) is not wired.inverted, event.t_s)

    def _tables(self) -> dict[tuple[BeanType, str], int]:
        """What JMRI's tables hold. How a turnout without feedback lies it does not know before it has commanded it."""
        found: dict[tuple[BeanType, str], int] = {}
        lie, reported = self._world.truth().lie, self._with_feedback()
        for address, name in self._turnouts.items():
            thrown = (lie[name] == Leg.THROWN) is not self._wiring.turnouts[name].inverted
            known = int(TurnoutState.THROWN if thrown else TurnoutState.CLOSED)
            found[BeanType.TURNOUT, str(address)] = known if address in reported else UNKNOWN
        for beam, wired in self._beams.items():
            active = self._world.beam_broken(beam) is not wired.inverted
            found[BeanType.SENSOR, wired.name] = int(SensorState.ACTIVE if active else SensorState.INACTIVE)
        for address, name in self._magnets.items():
            on = self._wiring.uncouplers[name].inverted
            found[BeanType.LIGHT, str(address)] = int(SwitchState.ON if on else SwitchState.OFF)
        return found

    def _with_feedback(self) -> frozenset[str]:
        """A stall motor has contacts that tell how it lies."""
        return frozenset(
            str(address)
            for address, name in self._turnouts.items()
            if self._wiring.turnouts[name].kind is TurnoutKind.STALL_MOTOR
        )

    def _definitions(self) -> Definitions:
        found = Definitions()
        truth = self._world.truth()
        for i, (number, name) in enumerate(self._turnouts.items()):
            wired = self._wiring.turnouts[name]
            thrown = (truth.lie[name] == Leg.THROWN) is not wired.inverted
            assert isinstance(number, int), "a wiring without names"
            found.turnouts[number] = _turnout_record(wired, i, thrown)
        for name, beam in self._beams.items():
            found.sensors[beam.number] = SensorRecord(self._vpins[name])
        pins = {name: self._wiring.uncouplers[name].pin for name in self._magnets.values()}
        vpins = _vpins(pins, FIRST_OUTPUT_VPIN)
        for number, name in self._magnets.items():
            # Off at every start; an inverted output is on at the station when the magnet is off.
            iflag = 6 if self._wiring.uncouplers[name].inverted else 2
            assert isinstance(number, int), "a wiring without names"
            found.outputs[number] = OutputRecord(vpins[name], iflag)
        return found

    # ------------------------------------------------------------ the station's hands on the layout

    def power(self, on: bool) -> None:
        """Power of the main track."""
        self._set_power(on)

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        """What a locomotive hears; an address that no locomotive has is heard by none."""
        if cab in self._cabs:
            self._breakdowns.throttle(self._cabs[cab], forward, step, emergency)

    def turnout(self, number: int | str, thrown: bool) -> None:
        """Points begin to move; a number or name that nothing is wired to moves nothing."""
        name = self._turnouts.get(number)
        if name is not None:
            wired = self._wiring.turnouts[name]
            leg = Leg.THROWN if thrown is not wired.inverted else Leg.CLOSED
            self._breakdowns.turnout(name, leg, moves_s(wired))

    def output(self, number: int | str, on: bool) -> None:
        """A magnet is switched; a number or name that nothing is wired to switches nothing."""
        name = self._magnets.get(number)
        if name is not None:
            self._world.set_magnet(name, on is not self._wiring.uncouplers[name].inverted)


def _vpins(wired: Mapping[str, int | None], first: int) -> dict[str, int]:
    """The pin of each as the wiring has it; where it does not say, any that is free, from ``first`` on."""
    free = (vpin for vpin in itertools.count(first) if vpin not in wired.values())
    return {name: next(free) if pin is None else pin for name, pin in wired.items()}


def moves_s(wired: TurnoutWiring) -> float:
    """How long the points really move: within the time that the wiring allows, as long as that is not too short."""
    if wired.kind is TurnoutKind.SERVO:
        return SERVO_MOVES_S
    return wired.move_time_s * 0.8


def _turnout_record(wired: TurnoutWiring, index: int, thrown: bool) -> TurnoutRecord:
    vpin = FIRST_SERVO_VPIN + index if wired.pin is None else wired.pin
    if wired.kind is TurnoutKind.SERVO:
        values: tuple[int, ...] = (vpin, SERVO_THROWN, SERVO_CLOSED, SERVO_PROFILE)
        return TurnoutRecord("SERVO", values, thrown)
    if wired.kind is TurnoutKind.ACCESSORY_DECODER:
        return TurnoutRecord("DCC", ((wired.number - 1) // 4 + 1, (wired.number - 1) % 4), thrown)
    return TurnoutRecord("VPIN", (vpin,), thrown)
