"""Test support: a simulated station on the bench, without a layout, and what it does with its hands."""

from __future__ import annotations

from railsim.definitions import Definitions
from railsim.hidden import Hidden
from railsim.profiles import DEFAULT_PROFILE, find_profile
from railsim.station import Station

BOOT_S = 1.5


class Hands:
    """Records what the station does to the layout, and when."""

    def __init__(self) -> None:
        self.station: Station | None = None
        self.now_s = 0.0
        self.done: list[tuple[object, ...]] = []

    def power(self, on: bool) -> None:
        self.done.append(("power", on))

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        self.done.append(("throttle", cab, forward, step, emergency, self.now_s))

    def turnout(self, number: int, thrown: bool) -> None:
        self.done.append(("turnout", number, thrown))

    def output(self, number: int, on: bool) -> None:
        self.done.append(("output", number, on))

    def last(self, what: str) -> tuple[object, ...]:
        return next(act for act in reversed(self.done) if act[0] == what)


class StationBench:
    """A station on the bench with a USB host, and a clock that is moved by hand."""

    def __init__(
        self, eeprom: Definitions | None = None, *, seed: int = 1, booted: bool = True, profile: str = DEFAULT_PROFILE
    ) -> None:
        self.hands = Hands()
        self.station = Station(
            self.hands, eeprom or Definitions(), Hidden(seed), boot_s=BOOT_S, profile=find_profile(profile)
        )
        self.now_s = 0.0
        self.heard: list[tuple[float, str, bytes]] = []
        self.station.connect("usb", serial=True)
        if booted:
            self.run(2.0)
            self.heard.clear()

    def run(self, for_s: float) -> None:
        """Let time pass, from event to event as an event loop would."""
        end_s = self.now_s + for_s
        while (due := self.station.next_event_s()) is not None and due <= end_s:
            self._to(due)
        self._to(end_s)

    def _to(self, t_s: float) -> None:
        self.now_s = self.hands.now_s = max(self.now_s, t_s)
        self.heard += [(self.now_s, port, data) for port, data in self.station.advance(self.now_s)]

    def say(self, text: str, for_s: float = 0.4, port: str = "usb") -> list[str]:
        """Send, wait, and return the lines that came to the port meanwhile."""
        self.heard.clear()
        self.station.receive(port, text.encode(), self.now_s)
        self.run(for_s)
        return self.lines(port)

    def lines(self, port: str = "usb") -> list[str]:
        return b"".join(data for _, to, data in self.heard if to == port).decode("latin-1").splitlines()


def bare(lines: list[str]) -> list[str]:
    """Without comments and displays."""
    return [line for line in lines if not line.startswith(("<*", "<@"))]
