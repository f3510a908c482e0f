"""What hangs on the rails of a command station that is heard by its waveform alone: decoders, and what they drive.

No input or output of its own. Whoever has the edges of the station's track pins brings the layout to the time of each
first, and calls ``advance`` when ``next_event_s`` has come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pointsman.protocols.dcc import (
    EVERYONE,
    Accessory,
    Address,
    BinaryState,
    Functions,
    MainBit,
    MainByte,
    Packet,
    ResetAll,
    Speed,
)
from pointsman.track.model import Leg
from pointsman.track.wiring import LocomotiveWiring, Wiring
from railsim.dcc_signal import Decoder, Signal
from railsim.side import moves_s
from railsim.world import World

TIME_OUT_S = 20.0
"""So long a decoder runs on without a packet that is for it. Nothing shorter is sure: NMRA S-9.2.4 lets a person choose
any time up to at least this, or none at all (CV 11 is 0), which many decoders are sold with."""
US_PER_S = 1e6


@dataclass(slots=True)
class _Engine:
    """A locomotive's decoder, and when it heard something for it last."""

    decoder: Decoder
    heard_s: float = 0.0


class DccSide:
    """The locomotives with a decoder and the turnouts with a ``dcc_address`` that a wiring has at a station.

    The side begins without power. ``time_out_s`` is that of every locomotive's decoder: infinite for none.
    ``of_14_steps`` are locomotives whose decoder is set for 14 speed steps; the bit that then is their headlight's is
    not read. ``throw`` and ``throttle`` are where machines and rails begin, and ``set_power`` is called with the
    track's power: the world's, if not given. A decoder never takes direct current for a command (CV 29, bit 2 is 0).
    """

    def __init__(
        self,
        world: World,
        wiring: Wiring,
        station: str,
        *,
        time_out_s: float = TIME_OUT_S,
        of_14_steps: Iterable[str] = (),
        set_power: Callable[[bool], None] | None = None,
        throw: Callable[[str, Leg, float], None] | None = None,
        throttle: Callable[[str, bool, int, bool], None] | None = None,
    ) -> None:
        self._world = world
        self._wiring = wiring
        self._time_out_s = time_out_s
        self._set_power = world.set_power if set_power is None else set_power
        self._throw = world.throw if throw is None else throw
        self._throttle = world.set_throttle if throttle is None else throttle
        self._signal = Signal(enabled=False)
        self._powered = False
        coarse = frozenset(of_14_steps)
        self._engines = {
            name: _Engine(Decoder(_address(wired), of_14_steps=name in coarse))
            for name, wired in wiring.locomotives.items()
            if wired.station == station and wired.cab
        }
        self._turnouts = {
            _output(wired.dcc_address): name
            for name, wired in wiring.turnouts.items()
            if wired.station == station and wired.dcc_address is not None
        }

    def functions(self, locomotive: str) -> frozenset[int]:
        """The functions of a locomotive that are on."""
        return frozenset(self._engines[locomotive].decoder.functions)

    # ------------------------------------------------------------ what comes over the rails

    def power(self, on: bool, t_s: float) -> None:
        """The enable pin of the station's output stage. A decoder without current forgets what it was told."""
        if on is self._powered:
            return
        self._powered = on
        self._signal.enable(on)
        if not on:
            for name, engine in self._engines.items():
                engine.decoder = Decoder(engine.decoder.address, of_14_steps=engine.decoder.of_14_steps)
                # Past the faults of hearing: there is nothing to hear with.
                self._world.set_throttle(name, engine.decoder.forward, 0)
        for engine in self._engines.values():
            engine.heard_s = t_s
        self._set_power(on)

    def edge(self, t_s: float, high: bool) -> None:
        """The station's track pin is so from a time on. Never raises, whatever the edges are."""
        packet = self._signal.edge(t_s * US_PER_S, high)
        if isinstance(packet, Accessory):
            self._switch(packet)
        elif packet is not None:
            self._hear(packet, t_s)

    def next_event_s(self) -> float | None:
        """When the first decoder that runs has waited for too long if nothing comes; None when never."""
        soonest = min((self._waits_until_s(engine) for engine in self._engines.values()), default=math.inf)
        return None if math.isinf(soonest) else soonest

    def advance(self, t_s: float) -> None:
        """Let time pass up to a time: a decoder that has heard nothing for too long brakes to a stand."""
        for name, engine in self._engines.items():
            if self._waits_until_s(engine) <= t_s:
                engine.decoder.step = 0
                self._tell(name, engine.decoder)

    def _waits_until_s(self, engine: _Engine) -> float:
        return engine.heard_s + self._time_out_s if engine.decoder.step else math.inf

    def _hear(self, packet: Packet, t_s: float) -> None:
        to = _addressee(packet)
        for name, engine in self._engines.items():
            decoder = engine.decoder
            if to not in (decoder.address, EVERYONE):
                continue
            engine.heard_s = t_s
            before = (decoder.forward, decoder.step, decoder.emergency)
            # Only what is new: a station repeats each packet, and a machine that is told is told once.
            if decoder.hear(packet) and (decoder.forward, decoder.step, decoder.emergency) != before:
                self._tell(name, decoder)

    def _tell(self, locomotive: str, decoder: Decoder) -> None:
        self._throttle(locomotive, decoder.forward, decoder.step, decoder.emergency)

    def _switch(self, packet: Accessory) -> None:
        """An output of an accessory decoder; which is closed is as DCC-EX has it, the other way round than RCN-213."""
        name = self._turnouts.get((packet.decoder, packet.port))
        if name is None or not packet.on:
            return
        wired = self._wiring.turnouts[name]
        thrown = (packet.output == 1) is not wired.inverted
        self._throw(name, Leg.THROWN if thrown else Leg.CLOSED, moves_s(wired))


def _address(wired: LocomotiveWiring) -> Address:
    return Address.of(wired.cab) if wired.long is None else Address(wired.cab, wired.long)


def _output(dcc_address: int) -> tuple[int, int]:
    """Decoder and port of a number that people count with."""
    counted = Accessory.of(dcc_address, 0)
    return counted.decoder, counted.port


def _addressee(packet: Packet) -> Address | None:
    """Whom a packet is for; None when for no vehicle."""
    match packet:
        case ResetAll():
            return EVERYONE
        case Speed() | Functions() | BinaryState() | MainByte() | MainBit():
            return packet.address
        case _:
            return None
