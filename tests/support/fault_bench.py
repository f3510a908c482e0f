"""Test support: the simulated layout with faults, in time, without any clock."""

from __future__ import annotations

from sim_tracks import CLOSED, fork_track

from pointsman.track.model import Track
from pointsman.track.wiring import (
    BeamWiring,
    LocomotiveWiring,
    Protocol,
    StationWiring,
    TurnoutKind,
    TurnoutWiring,
    UncouplerKind,
    UncouplerWiring,
    Wiring,
)
from railsim.faults import parse_fault
from railsim.incidents import WorldEvent
from railsim.rig import Rig
from railsim.setup import Setup


def wiring(track: Track) -> Wiring:
    return Wiring(
        "test",
        {"main": StationWiring("main", Protocol.DCCEX)},
        {name: TurnoutWiring("main", i, TurnoutKind.SERVO, 1.3, False, "") for i, name in enumerate(track.turnouts, 1)},
        {name: BeamWiring("main", i, False) for i, name in enumerate(track.beams, 1)},
        {
            name: UncouplerWiring("main", i, UncouplerKind.COIL, 1.0, False, "hardware")
            for i, name in enumerate(track.uncouplers, 1)
        },
        {"L": LocomotiveWiring("main", 3)},
    )


class Bench:
    """A rig with a host at a serial port. Booted, powered, everything read; ``said`` is (time, text)."""

    def __init__(self, *faults: str, track: Track | None = None, position: str = "head: L | s1: 1 2") -> None:
        track = track or fork_track()
        self.events: list[WorldEvent] = []
        setup = Setup(Setup.parse(position).segments, {}, dict.fromkeys(track.turnouts, CLOSED))
        self.rig = Rig(
            track,
            wiring(track),
            setup,
            seed=3,
            on_event=self.events.append,
            faults=[parse_fault(fault) for fault in faults],
        )
        self.world = self.rig.world
        self.said: list[tuple[float, bytes]] = []
        self.rig.station.connect("usb", serial=True)
        self.until(2.0)
        self.say("<1 MAIN>")
        self.until(3.0)

    def say(self, text: str) -> None:
        self.rig.receive("usb", text.encode(), self.world.now_s)

    def until(self, t_s: float) -> bytes:
        """Let time pass; returns what the station has said meanwhile."""
        said = b""
        while (due := self.rig.next_event_s()) is not None and due <= t_s:
            for _, data in self.rig.advance(due):
                self.said.append((due, data))
                said += data
        self.rig.advance(t_s)
        return said

    def heard_at(self, text: bytes) -> list[float]:
        return [t_s for t_s, data in self.said if text in data]

    def happened(self, kind: type[WorldEvent]) -> list[float]:
        return [event.t_s for event in self.events if isinstance(event, kind)]

    def on(self, segment: str) -> list[str]:
        return [vehicle.name for vehicle in self.world.truth().on[segment]]
