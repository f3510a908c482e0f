"""Test support: the waveform of a DCC station on the rails of a simulated layout.

Bits and edges are drawn here from the standard's figures (NMRA S-9.1), not by what the product has for it: bytes go in,
and what a decoder makes of the edges is seen in the layout.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Mapping

from sim_tracks import CLOSED, fork_track

from pointsman.protocols.dcc import EVERYONE, Accessory, Address, Idle, Known, Speed, write
from pointsman.track.wiring import LocomotiveWiring, Protocol, StationWiring, TurnoutKind, TurnoutWiring, Wiring
from railsim.breakdowns import Breakdowns, Hands
from railsim.dcc_side import TIME_OUT_S, DccSide
from railsim.faults import parse_fault
from railsim.hidden import Hidden
from railsim.incidents import WorldEvent
from railsim.setup import Setup
from railsim.world import World

ONE_US, ZERO_US = (55.0, 61.0), (95.0, 400.0)
"""What a station may send as half a bit; a zero may be far longer still."""
CAB = 3
DCC_ADDRESS = 257


def fork_wiring(*, cab: int = CAB, inverted: bool = False) -> Wiring:
    """L has the address of a cab, T1 an accessory decoder."""
    turnout = TurnoutWiring("cs", 1, TurnoutKind.ACCESSORY_DECODER, 1.0, inverted, "", dcc_address=DCC_ADDRESS)
    return Wiring(
        "fork", {"cs": StationWiring("cs", Protocol.DCCEX)}, {"T1": turnout}, {}, {}, {"L": LocomotiveWiring("cs", cab)}
    )


def bits(data: bytes, preamble: int = 16) -> list[bool]:
    """Preamble, a zero before each byte, a one at the end."""
    text = "1" * preamble + "".join(f"0{byte:08b}" for byte in data) + "1"
    return [bit == "1" for bit in text]


class Jitter:
    """How long each half of a bit lasts: anything that a station may send, by dice; the nominal times without."""

    def __init__(self, seed: int | None = None) -> None:
        self._dice = None if seed is None else random.Random(seed)

    def halves(self, some: Iterable[bool]) -> Iterator[float]:
        """The halves of bits; those of a zero may differ from each other, those of a one by 3 us at most (S-9.1)."""
        for one in some:
            if self._dice is None:
                yield from (58.0, 58.0) if one else (100.0, 100.0)
            elif one:
                first_us = self._dice.uniform(*ONE_US)
                yield from (first_us, min(max(first_us + self._dice.uniform(-3, 3), ONE_US[0]), ONE_US[1]))
            else:
                yield from (self._dice.uniform(*ZERO_US), self._dice.uniform(*ZERO_US))


class DccBench:
    """A station's pins on the rails of a fork: L at its mark, T1 closed. The rails have power unless ``dead``."""

    def __init__(
        self,
        *,
        wiring: Wiring | None = None,
        seed: int | None = None,
        dead: bool = False,
        time_out_s: float = TIME_OUT_S,
        of_14_steps: Collection[str] = (),
        faults: Collection[str] = (),
    ) -> None:
        self.world = World(fork_track(), Setup(Setup.parse("head: L").segments, {}, {"T1": CLOSED}), Hidden(1))
        self.breakdowns = Breakdowns(self.world, Hidden(1), lambda *_: None, lambda _: None, Hands())
        self.breakdowns.plan([parse_fault(fault) for fault in faults], None)
        self.side = DccSide(
            self.world,
            fork_wiring() if wiring is None else wiring,
            "cs",
            time_out_s=time_out_s,
            of_14_steps=of_14_steps,
            throw=self.breakdowns.turnout,
            throttle=self.breakdowns.throttle,
        )
        self.there: list[WorldEvent] = []
        self.now_s = 0.0
        self.jitter = Jitter(seed)
        self.level = False
        if not dead:
            self.power(True)

    def power(self, on: bool) -> None:
        """The enable pin."""
        self.side.power(on, self.now_s)

    def halves(self, halves: Iterable[float]) -> None:
        """The track pin changes after each half."""
        for half_us in halves:
            self.wait(half_us / 1e6)
            self.level = not self.level
            self.side.edge(self.now_s, self.level)

    def raw(self, *packets: bytes) -> None:
        """Bytes with whatever check byte they have."""
        for data in packets:
            self.halves(self.jitter.halves(bits(data)))

    def send(self, *packets: Known) -> None:
        """Packets, one after the other."""
        self.raw(*map(write, packets))

    def repeat(self, packets: Iterable[Known], for_s: float) -> None:
        """The same packets again and again, as a station does."""
        end_s, some = self.now_s + for_s, tuple(packets)
        while self.now_s < end_s:
            self.send(*some)

    def wait(self, for_s: float) -> None:
        """Time passes, with the signal as it is."""
        end_s = self.now_s + for_s
        while (due_s := self._next_event_s()) is not None and due_s <= end_s:
            self._to(due_s)
        self._to(end_s)

    def _next_event_s(self) -> float | None:
        dues = (self.side.next_event_s(), self.breakdowns.next_event_s())
        return min((t_s for t_s in dues if t_s is not None), default=None)

    def _to(self, t_s: float) -> None:
        self.now_s = max(self.now_s, t_s)
        self.there += self.world.advance(self.now_s)
        self.breakdowns.advance(self.now_s)
        self.side.advance(self.now_s)

    @property
    def speed_mm_s(self) -> float:
        """Of L."""
        return self.world.speed_mm_s("L")

    @property
    def at_mm(self) -> float:
        """Where L's middle is on the head."""
        (engine,) = self.world.truth().on["head"]
        return (engine.from_mm + engine.to_mm) / 2


class StationOnRails:
    """The hands of a station: what it commands goes over the rails, repeated in turn, to whoever hears it there."""

    def __init__(self, bench: DccBench, turnouts: Mapping[int, int]) -> None:
        self._bench = bench
        self._turnouts = turnouts
        self._speeds: dict[int, Speed] = {}

    def power(self, on: bool) -> None:
        self._bench.power(on)

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        self._speeds[cab] = Speed(Address.of(cab), forward, 0 if emergency else step, emergency)

    def turnout(self, number: int | str, thrown: bool) -> None:
        assert isinstance(number, int)
        self._bench.send(Accessory.of(self._turnouts[number], int(thrown)))

    def output(self, number: int | str, on: bool) -> None:
        raise AssertionError("nothing is wired to an output")

    def send(self) -> None:
        """A packet for each cab."""
        self._bench.send(*(self._speeds.values() or [Idle()]))


def stop_all(*, emergency: bool = True) -> Speed:
    """For every locomotive."""
    return Speed(EVERYONE, True, 0, emergency)
