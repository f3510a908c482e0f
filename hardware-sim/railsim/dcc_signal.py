"""From the edges of a command station's pins to what a locomotive's decoder does.

``Signal`` hears one track as a decoder hears it: it takes more than a station may send (NMRA S-9.1), and nothing while
the booster is not enabled. ``Decoder`` obeys what is for its address. Times are microseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pointsman.protocols.dcc import (
    EVERYONE,
    Address,
    BitReader,
    Functions,
    Packet,
    ResetAll,
    Speed,
    read,
)

ONE_HALF_US = (52.0, 64.0)
ZERO_HALF_US = (90.0, 10_000.0)
LONGEST_ZERO_US = 12_000.0
"""Both halves of a stretched zero together."""
HIGHEST_STEP = 126
_ABOVE_28 = 3
"""So much more than the step of 28 are its five bits."""


class Signal:
    """Feed edges, get packets. It does not matter which polarity is which, nor with which half it begins."""

    def __init__(self, *, enabled: bool = True) -> None:
        self._enabled = enabled
        self._bits = BitReader()
        self._level: bool | None = None
        self._edge_us = 0.0
        self._first_half_us: float | None = None

    def enable(self, on: bool) -> None:
        """The booster's enable pin; without it there is no signal, and what was heard of a packet is void."""
        self._enabled = on
        self._lost()
        self._level = None

    def edge(self, t_us: float, high: bool) -> Packet | None:
        """The signal's pin is so from a time on; returns the packet that this completes. Never raises."""
        if not self._enabled or high is self._level:
            return None
        half_us = t_us - self._edge_us
        begins = self._level is None
        self._level, self._edge_us = high, t_us
        return None if begins else self._half(half_us)

    def _half(self, half_us: float) -> Packet | None:
        one = ONE_HALF_US[0] <= half_us <= ONE_HALF_US[1]
        zero = ZERO_HALF_US[0] <= half_us <= ZERO_HALF_US[1]
        if not one and not zero:
            self._lost()
            return None
        first_us, self._first_half_us = self._first_half_us, None
        if first_us is None:
            self._first_half_us = half_us
            return None
        if one is not (first_us <= ONE_HALF_US[1]):
            # Two halves that are of different bits. In a preamble that was read from its middle, this is where
            # it shows; anywhere else, something was lost.
            if one or self._bits.in_packet:
                self._bits.lost()
            self._first_half_us = half_us
            return None
        if zero and first_us + half_us > LONGEST_ZERO_US:
            self._lost()
            return None
        data = self._bits.feed(one)
        return None if data is None else read(data)

    def _lost(self) -> None:
        self._first_half_us = None
        self._bits.lost()


@dataclass(slots=True)
class Decoder:
    """A locomotive's decoder: what it was last told, as a step of 126 whatever steps it was told in.

    ``emergency``: it was told to stop at once, and nothing since. Functions are F0 to F28. ``of_14_steps``: it is set
    (CV 29, bit 1) to read what else are 28 steps as 14; the bit that then is its headlight's is not read.
    """

    address: Address
    forward: bool = True
    step: int = 0
    emergency: bool = False
    functions: set[int] = field(default_factory=set)
    of_14_steps: bool = False

    def hear(self, packet: Packet) -> bool:
        """Obey a packet if it is for this address or for everyone; True when speed or direction were told."""
        match packet:
            case ResetAll():
                self.step, self.emergency = 0, True
                self.functions.clear()
                return True
            case Speed(address=address) if address in (self.address, EVERYONE):
                if address == self.address or packet.step:
                    self.forward = packet.forward
                self.step, self.emergency = self._of_126(packet), packet.emergency
                return True
            case Functions(address=address) if address in (self.address, EVERYONE):
                self.functions.difference_update(packet.all)
                self.functions.update(packet.on)
        return False

    def _of_126(self, packet: Speed) -> int:
        """The nearest step of 126; the lowest stays above 0 and the highest the highest."""
        step, steps = packet.step, packet.steps
        if self.of_14_steps and steps == 28 and step:
            # The four upper bits of the five are 1 more than the step; the lowest is the light's.
            step, steps = (step + _ABOVE_28) // 2 - 1, 14
        return round(step * HIGHEST_STEP / steps)
