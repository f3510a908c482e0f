"""The units that commands are made of: frames, and what they ask of which machine."""

from __future__ import annotations

from collections.abc import Iterator

from pointsman.drivers.dccex.addresses import Addresses, Switched
from pointsman.drivers.dccex.window import FENCE, Batch, Effect, Kind, Target, Unit
from pointsman.messages import Drive, SetFunction, SetPower, SetTurnout, SetUncoupler, Stop
from pointsman.protocols.dccex import commands as wire
from pointsman.protocols.dccex import encode

OFF_FRAMES_A_WRITE = 3
"""At most 11 bytes each: a write of a guardian stays below the board's ring of 64."""

STOP = encode(wire.EmergencyStop())
CUT = encode(wire.Power(False))


class Units:
    """Makes units for one station.

    Remembers each locomotive's last direction, which a stop must keep, and the speeds it was given on this link.
    """

    def __init__(self, addresses: Addresses) -> None:
        self._addresses = addresses
        self._forward: dict[int, bool] = {}
        self._speeds: set[tuple[int, int]] = set()
        self._asked = -1

    def start_afresh(self) -> None:
        """The link is set up: every locomotive stands, stored as forward."""
        self._forward.clear()
        self._speeds.clear()

    def has_set(self, cab: int, speed: int) -> bool:
        """Was this locomotive ever given this speed since the link was set up?"""
        return (cab, speed) in self._speeds

    def of(self, command: Drive | SetTurnout | SetUncoupler | SetFunction | SetPower, number: int) -> list[Unit]:
        """The units of a command. Raises ProtocolError, as all of these do, for what the station cannot have."""
        match command:
            case Drive():
                return [self.drive(command, number)]
            case SetTurnout():
                return [self.turnout(command, number)]
            case SetUncoupler():
                return [self.magnet(command, number)]
            case SetFunction():
                return [self.function(command, number)]
            case SetPower():
                return self.power(command, number)

    def drive(self, command: Drive | Stop, number: int) -> Unit:
        """A locomotive's speed, and the question what it is set to."""
        step = command.step if isinstance(command, Drive) else 0
        unit = self._speed(self._addresses.cab(command.locomotive), step, command.forward, number)
        if isinstance(command, Drive):
            unit.drives = command.locomotive
        else:
            unit.stops = command.locomotive
        return unit

    def turnout(self, command: SetTurnout, number: int) -> Unit:
        """A turnout's leg."""
        points = self._addresses.turnout(command.turnout)
        value = points.ours(command.thrown)
        frame = encode(wire.SetTurnout(points.number, value))
        # a list has no number in it that could be lost: <T 1> would delete
        return Unit(frame, number, (Effect(Kind.TURNOUT, points.number, value),), query=encode(wire.ListTurnouts()))

    def magnet(self, command: SetUncoupler, number: int) -> Unit:
        """A magnet on or off."""
        magnet = self._addresses.magnet(command.uncoupler)
        value = magnet.ours(command.on)
        frame = encode(wire.SetOutput(magnet.number, value))
        return Unit(frame, number, (Effect(Kind.MAGNET, magnet.number, value),))

    def function(self, command: SetFunction, number: int) -> Unit:
        """A function on or off. The station says nothing of one that was so already: the fence is all there is."""
        cab = self._addresses.cab(command.locomotive)
        return Unit(encode(wire.Function(cab, command.function, command.on)), number)

    def power(self, command: SetPower, number: int) -> list[Unit]:
        """Off is one unit. On: nothing may start, so everything stands and is off first, and that was accepted."""
        frame = encode(wire.Power(command.on, "MAIN"))
        if not command.on:
            return [Unit(frame, number, (_power(False),))]
        batch = Batch()
        stop = Unit(STOP, effects=self.stopped(), batch=batch)
        on = Unit(frame, number, (_power(True),), batch=batch, alone=True)
        return [stop, *self.standing(batch), *self.all_off(batch), on]

    def halt(self, *, cut_power: bool) -> Unit:
        """The emergency stop, and the power off with it."""
        if cut_power:
            return Unit(STOP + CUT, effects=(*self.stopped(), _power(False)), halt=True)
        return Unit(STOP, effects=self.stopped(), halt=True)

    def standing(self, batch: Batch | None = None) -> list[Unit]:
        """Speed 0 for every locomotive, in its last direction."""
        units = []
        for cab, name in self._addresses.locomotives.items():
            unit = self._speed(cab, 0, self._forward.get(cab, True), None)
            unit.batch, unit.stops = batch, name
            units.append(unit)
        return units

    def confirming(self, *, cut_power: bool) -> list[Unit]:
        """After an emergency stop: once more the same, magnets off, and does every locomotive stand?

        A fence proves only what arrived: a lost "<" would have hidden the stop alone.
        """
        again = Unit(STOP, effects=self.stopped())
        if cut_power:
            again = Unit(STOP + CUT, effects=(*self.stopped(), _power(False)))
        asking = []
        for cab, name in self._addresses.locomotives.items():
            stands = (Effect(Kind.CAB, cab, Target(-1, None)),)
            asking.append(Unit(b"", effects=stands, stops=name, query=encode(wire.ThrottleQuery(cab)), cab=cab))
        return [again, *self.all_off(), *asking]

    def keep_alive(self, *, currents: bool) -> Unit:
        """Ask something: the currents, where there is a track manager, and what one locomotive is set to, in turn."""
        frames = encode(wire.Currents()) if currents else b""
        cabs = [*self._addresses.locomotives]
        if not cabs:
            return Unit(frames)
        self._asked += 1
        cab = cabs[self._asked % len(cabs)]
        return Unit(frames, query=encode(wire.ThrottleQuery(cab)), cab=cab)

    def all_off(self, batch: Batch | None = None) -> list[Unit]:
        """Every magnet off."""
        return [Unit(frame, effects=(effect,), batch=batch) for frame, effect in self._off()]

    def stopped(self) -> tuple[Effect, ...]:
        """What an emergency stop asks for."""
        return tuple(Effect(Kind.CAB, cab, Target(-1, None)) for cab in self._addresses.locomotives)

    def at_rest(self) -> list[Effect]:
        """What setting a link up has asked for: every locomotive stands, every magnet is off."""
        stand = [Effect(Kind.CAB, cab, Target(0, True)) for cab in self._addresses.locomotives]
        return [*stand, *self.off()]

    def off(self) -> tuple[Effect, ...]:
        """Every magnet is off."""
        return tuple(effect for _, effect in self._off())

    def closing(self) -> list[Unit]:
        """What leaves a layout safe: speed 0, magnets off, the main track's power off."""
        cut = Unit(encode(wire.Power(False, "MAIN")), effects=(_power(False),))
        return [*self.standing(), *self.all_off(), cut]

    def guardian(self) -> tuple[bytes, ...]:
        """The writes of a guardian: the stop, magnets off, and at last the power off."""
        frames = [frame for frame, _ in self._off()]
        chunks = [b"".join(frames[at : at + OFF_FRAMES_A_WRITE]) for at in range(0, len(frames), OFF_FRAMES_A_WRITE)]
        return (STOP + FENCE, *chunks, STOP + CUT + FENCE)

    def _off(self) -> Iterator[tuple[bytes, Effect]]:
        for magnet in self._addresses.magnets.values():
            yield off_frame(magnet), Effect(Kind.MAGNET, magnet.number, magnet.ours(False))

    def _speed(self, cab: int, step: int, forward: bool, number: int | None) -> Unit:
        frame = encode(wire.Throttle(cab, step, forward))
        self._forward[cab] = forward
        self._speeds.add((cab, step))
        effects = (Effect(Kind.CAB, cab, Target(step, forward)),)
        return Unit(frame, number, effects, query=encode(wire.ThrottleQuery(cab)), cab=cab)


def off_frame(magnet: Switched) -> bytes:
    """The frame that switches a magnet off."""
    return encode(wire.SetOutput(magnet.number, magnet.ours(False)))


def _power(on: bool) -> Effect:
    return Effect(Kind.POWER, 0, on)
