"""The units that commands are made of: messages, and what they ask of which thing."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.drivers.jmri.addresses import Addresses, Thing
from pointsman.drivers.jmri.asked import EMERGENCY, Key, Kind, Value, speed_of
from pointsman.drivers.jmri.reports import POWER
from pointsman.drivers.jmri.window import Unit
from pointsman.messages import Drive, SetFunction, SetTurnout, SetUncoupler, Stop
from pointsman.protocols.jmri_json import Bean, BeanType, Message, Method, Power, SwitchState, Throttle, write

Ask = tuple[Key, Value]
FENCE = Power()
"""A question for the power: answered with its id, after everything before it."""
CUT = Power(int(SwitchState.OFF), method=Method.POST)
TAKE_WITHIN_S = 10.0
"""For a locomotive: a command station may have to free a place in its table first."""
SET_UP_WITHIN_S = 5.0


class Units:
    """Makes units for one station."""

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses

    def drive(self, command: Drive | Stop, number: int) -> Unit:
        """A locomotive's speed. Raises ProtocolError, as all of these do, for what this station has not."""
        name = self._addresses.locomotive(command.locomotive)
        if isinstance(command, Stop):
            # it keeps its direction, and a message that says it would only delay the speed
            stop = Throttle(name, speed=0.0, status=True)
            return Unit((stop, FENCE), number, (_speed(name, 0),), engines=(name,))
        message = Throttle(name, forward=command.forward, speed=speed_of(command.step), status=True)
        asks = (((Kind.DIRECTION, name), command.forward), _speed(name, command.step))
        return Unit((message, FENCE), number, asks, engines=(name,))

    def turnout(self, command: SetTurnout, number: int) -> Unit:
        """A turnout's leg."""
        points = self._addresses.turnout(command.turnout)
        return Unit((set_to(points, command.thrown),), number, (((Kind.TURNOUT, points.name), command.thrown),))

    def magnet(self, command: SetUncoupler, number: int) -> Unit:
        """A magnet on or off."""
        magnet = self._addresses.magnet(command.uncoupler)
        return Unit((set_to(magnet, command.on),), number, (_magnet(magnet, command.on),))

    def function(self, command: SetFunction, number: int) -> Unit:
        """A function on or off. JMRI says nothing of one that was so already: the fence is all there is."""
        name = self._addresses.locomotive(command.locomotive)
        return Unit((Throttle(name, function=(command.function, command.on)), FENCE), number)

    def power(self, on: bool, number: int | None) -> Unit:
        """The track power."""
        message = Power(int(SwitchState.ON if on else SwitchState.OFF), method=Method.POST)
        return Unit((message,), number, ((POWER, on),))

    def rest(self, number: int | None) -> Unit:
        """Speed 0 for every locomotive, every magnet off."""
        names = tuple(self._addresses.locomotives)
        messages = [*(Throttle(name, speed=0.0, status=True) for name in names), *self._off(), FENCE]
        return Unit(tuple(messages), number, (*(_speed(name, 0) for name in names), *self._off_asks()), engines=names)

    def halt(self, *, cut_power: bool) -> Unit:
        """The emergency stop, each alone in its message; the power off with it; then the magnets off."""
        names = tuple(self._addresses.locomotives)
        cut: list[Message] = [CUT] if cut_power else []
        asked = [Throttle(name, status=True) for name in names]
        asks: list[Ask] = [*(_speed(name, EMERGENCY) for name in names), *self._off_asks()]
        if cut_power:
            asks.append((POWER, False))
        messages = (*self._stops(), *cut, *self._off(), *asked, FENCE)
        return Unit(messages, asks=tuple(asks), engines=names, halt=True)

    def closing(self) -> Unit:
        """What leaves a layout safe: speed 0, magnets off, power off."""
        rest = self.rest(None)
        return Unit((*rest.messages[:-1], CUT), asks=(*rest.asks, (POWER, False)))

    def take(self, name: str) -> Unit:
        """A throttle for a locomotive. Whether it was given is told later, by its first report."""
        made = self._addresses.locomotives[name]
        return Unit((Throttle(name, made.cab, made.long), FENCE), within_s=TAKE_WITHIN_S)

    def question(self, message: Message) -> Unit:
        """Something that is asked while the link is set up."""
        return Unit((message,), within_s=SET_UP_WITHIN_S)

    def guardian(self) -> tuple[str, ...]:
        """The texts of a guardian, in this order: the stops, magnets off, the stops again and the power off."""
        return tuple(write(message) for message in (*self._stops(), *self._off(), *self._stops(), CUT))

    def _stops(self) -> Iterable[Message]:
        return [Throttle(name, emergency_stop=True) for name in self._addresses.locomotives]

    def _off(self) -> Iterable[Message]:
        return [set_to(magnet, False) for magnet in self._addresses.magnets]

    def _off_asks(self) -> list[Ask]:
        return [_magnet(magnet, False) for magnet in self._addresses.magnets]


def question_for(thing: Thing) -> Bean:
    """How is it? From then on JMRI reports its changes."""
    return Bean(thing.type, thing.system_name)


def set_to(thing: Thing, value: bool) -> Bean:
    """Let a turnout or a magnet be so."""
    assert thing.type is not BeanType.SENSOR, "a sensor is never set"
    return Bean(thing.type, thing.system_name, thing.state(value), Method.POST)


def _speed(name: str, step: int) -> Ask:
    return (Kind.SPEED, name), step


def _magnet(magnet: Thing, on: bool) -> Ask:
    return (Kind.MAGNET, magnet.name), on
