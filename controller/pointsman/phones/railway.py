"""What phones see of a railway, and what they may ask of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pointsman.errors import PointsmanError
from pointsman.protocols.withrottle_messages import Points
from pointsman.track.model import Leg


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a locomotive. A ``momentary`` one is on only while its button is pressed."""

    number: int
    label: str
    on: bool = False
    momentary: bool = False


@dataclass(frozen=True, slots=True)
class Locomotive:
    """A locomotive at a moment.

    ``address`` is unique on the railway: short from 1 to 127, ``long`` up to 10239. ``fastest_mm_s`` is what the
    highest speed step stands for. ``forward``: where its own front points. ``holder`` is who drives it, or None.
    """

    name: str
    address: int
    fastest_mm_s: float
    long: bool = False
    forward: bool = True
    holder: str | None = None
    functions: tuple[Function, ...] = ()


@dataclass(frozen=True, slots=True)
class Turnout:
    """How a turnout lies; ``title`` is its name for people."""

    name: str
    title: str
    points: Points


@dataclass(frozen=True, slots=True)
class View:
    """The railway at a moment. ``halted`` says why everything was stopped; empty while it was not.

    A new ``halted`` has a new text: it is told once.
    """

    locomotives: tuple[Locomotive, ...]
    turnouts: tuple[Turnout, ...]
    power: bool | None
    halted: str = ""


class Listener(Protocol):
    """Who is told, in the loop of the phones; it does not wait."""

    def changed(self) -> None:
        """There is a new view."""

    def stopped(self, who: str, error: PointsmanError) -> None:
        """What somebody ordered by the throttle is refused, or was braked: the locomotive stands or brakes."""


class Railway(Protocol):
    """The railway, in the loop of the phones. ``who`` is the name of a phone, unique among all who drive.

    Every order raises a PointsmanError when it is refused; nothing moves because of it then. Who holds a throttle the
    view shows at once; the rest, and what listeners are told, may come later.
    """

    @property
    def view(self) -> View:
        """How it is now."""

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell somebody what happens, until what is returned is called."""

    def take(self, who: str, locomotive: str, *, steal: bool = False) -> None:
        """Hold a locomotive's throttle, closed.

        Refused when another holds it, unless it is stolen: then the train is stopped first, and does not move before
        the new holder says so.
        """

    def release(self, who: str, locomotive: str) -> None:
        """Give the throttle back; the train is stopped. Nothing, if ``who`` does not hold it."""

    def drive(self, who: str, locomotive: str, *, forward: bool, speed_mm_s: float) -> None:
        """Drive at a speed above 0. It holds for 1.5 s, and is said again every 0.5 s."""

    def stop(self, who: str, locomotive: str) -> None:
        """Brake to a stand. Never refused; nothing, if ``who`` does not hold it."""

    def emergency_stop(self, who: str, *, power_off: bool = False) -> None:
        """Stop everything at once. Never refused, and before everything else."""

    def function(self, who: str, locomotive: str, number: int, *, on: bool) -> None:
        """Switch a function."""

    async def turnout(self, who: str, locomotive: str, name: str, leg: Leg) -> None:
        """Set a turnout; returns when it has been set. ``locomotive`` is the one that ``who`` may drive."""
