"""The signal box as phones see it: their orders are those of any other throttle, and are refused as theirs are."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from itertools import count

from pointsman.app import cap_of
from pointsman.box.box import Box
from pointsman.box.rights import Rights
from pointsman.box.snapshot import Mode, Snapshot
from pointsman.errors import PointsmanError, RefusedError
from pointsman.phones.guests import Person, State
from pointsman.phones.railway import Function, Listener, Locomotive, Turnout, View
from pointsman.protocols.dcc import HIGHEST_SHORT
from pointsman.protocols.withrottle_messages import Points
from pointsman.track.model import Leg

FUNCTIONS = (Function(0, "Lights"), Function(2, "Horn", momentary=True))
_POINTS = {"closed": Points.CLOSED, "thrown": Points.THROWN}


class BoxRailway:
    """A ``Railway`` (see ``pointsman.phones``) over a box; in the box's loop."""

    def __init__(self, box: Box) -> None:
        self._box = box
        self._listeners: list[Listener] = []
        self._view = self._seen(box.snapshot)
        box.subscribe(self._heard)
        box.hand.on_refused(self._stopped)

    @property
    def view(self) -> View:
        """How it is now."""
        return self._view

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Tell somebody what happens, until what is returned is called."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # ------------------------------------------------------------ orders

    def take(self, who: str, locomotive: str, *, steal: bool = False) -> None:
        """Hold a locomotive's throttle, closed."""
        driven = self._box.hand.engine
        if driven and locomotive != driven:
            raise RefusedError([f"{locomotive} is not driven here"], where=locomotive, cure=f"choose {driven}")
        self._box.hand.take(who, steal=steal)

    def release(self, who: str, locomotive: str) -> None:
        """Give the throttle back; the train is stopped."""
        if locomotive == self._box.hand.engine:
            self._box.hand.release(who)

    def drive(self, who: str, locomotive: str, *, forward: bool, speed_mm_s: float) -> None:
        """Drive at a speed above 0."""
        if locomotive != self._box.hand.engine:
            raise RefusedError([f"{locomotive} is not driven now"], where=locomotive, cure="choose it again")
        self._box.hand.drive_own_way(who, forward=forward, speed_mm_s=speed_mm_s)

    def stop(self, who: str, locomotive: str) -> None:
        """Brake to a stand."""
        if locomotive == self._box.hand.engine:
            self._box.hand.stop(who)

    def emergency_stop(self, who: str, *, power_off: bool = False) -> None:
        """Stop everything at once."""
        self._box.emergency_stop(who, power_off=power_off)

    def function(self, who: str, locomotive: str, number: int, *, on: bool) -> None:
        """Switch a function."""
        if locomotive != self._box.hand.engine:
            raise RefusedError([f"{locomotive} is not driven now"], where=locomotive, cure="choose it again")

        def answered(answer: Future[int]) -> None:
            error = answer.exception()
            if isinstance(error, RefusedError):
                self._box.loop.call_soon_threadsafe(self._box.refuse, error)

        self._box.hand.switch(who, number, on=on).add_done_callback(answered)

    async def turnout(self, who: str, locomotive: str, name: str, leg: Leg) -> None:
        """Set a turnout; returns when it has been set."""
        await self._box.hand.turnout(who, name, leg, Rights(locomotive))

    # ------------------------------------------------------------ what is seen

    def _seen(self, now: Snapshot) -> View:
        ground = self._box.ground
        limit = ground.track.speeds.limit
        fastest = min(limit, cap_of(ground.target, ground.wiring) or limit)
        return View(
            locomotives=tuple(
                Locomotive(
                    name=name,
                    address=address,
                    fastest_mm_s=fastest,
                    long=ground.wiring.locomotives[name].long or address > HIGHEST_SHORT,
                    holder=now.throttle[name]["holder"] if name in now.throttle else None,
                    functions=tuple(
                        Function(one.number, one.label, one.number in now.functions.get(name, ()), one.momentary)
                        for one in FUNCTIONS
                    ),
                )
                for name, address in addresses(self._box).items()
            ),
            turnouts=tuple(
                Turnout(name, name, _POINTS[one["commanded"]] if one["surety"] == "assumed" else Points.UNKNOWN)
                for name, one in now.turnouts.items()
            ),
            power=now.power,
            halted=now.halted["why"] if now.mode is Mode.HALTED and now.halted is not None else "",
        )

    def _heard(self, now: Snapshot) -> None:
        view = self._seen(now)
        if view != self._view:
            self._view = view
            for listener in list(self._listeners):
                listener.changed()

    def _stopped(self, who: str, error: PointsmanError) -> None:
        for listener in list(self._listeners):
            listener.stopped(who, error)


def addresses(box: Box) -> dict[str, int]:
    """What phones call the locomotives: the decoder's address, or one that no other has, where it has none."""
    known = {name: wired.cab for name, wired in box.ground.wiring.locomotives.items()}
    free = (number for number in count(1) if number not in known.values())
    return {name: cab or next(free) for name, cab in known.items()}


def row(person: Person) -> dict[str, str | None]:
    """A phone in the marshal's list."""
    role = "driver" if person.state is State.DRIVING else "spectator"
    said = {"who": person.who, "name": person.name or person.who, "kind": "phone", "role": role}
    return {**said, "state": str(person.state), "locomotive": person.locomotive}
