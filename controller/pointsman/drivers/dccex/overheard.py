"""What others did with the layout while our link was set up: whoever drives it must leave it first.

Setting up stops everything, and with that wipes out the evidence that somebody was driving: so it is kept here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pointsman.drivers.dccex.addresses import Addresses
from pointsman.errors import StationError
from pointsman.messages import Event, ForeignControl
from pointsman.protocols.dccex import Reply
from pointsman.protocols.dccex.replies import LocomotiveState, TrackMode

_NAMED_AT_MOST = 4
BY_OTHERS = " by somebody else: another throttle, or the station's own automation"


class Overheard:
    """Collects it. ``ours(cab, speed)``: may a locomotive run at this speed because we once set it?"""

    def __init__(self, addresses: Addresses, ours: Callable[[int, int], bool]) -> None:
        self._addresses = addresses
        self._ours = ours
        self._found: dict[str, None] = {}

    def forget(self) -> None:
        """A new connection, or a station that has just started: what its own start-up does is nobody's driving."""
        self._found.clear()

    def hear(self, reply: Reply, events: Sequence[Event]) -> None:
        """A reply that came while the link was set up, and the events that it would be on a link that is up."""
        match reply:
            case LocomotiveState(cab, speed) if cab in self._addresses.locomotives:
                if speed > 0 and not self._ours(cab, speed):
                    # one line a locomotive: it may be reported many times, and in the act of slowing down
                    known = any(text.startswith(f"cab {cab} ") for text in self._found)
                    if not known:
                        self._found[f"cab {cab} was at speed {speed}"] = None
            case LocomotiveState() | TrackMode():
                # another layout's locomotive; and the modes are asked for
                return
            case _:
                for event in events:
                    if isinstance(event, ForeignControl):
                        self._found[event.what.removesuffix(BY_OTHERS)] = None

    def check(self, where: str) -> None:
        """Raise StationError when somebody else drives this layout."""
        if self._found:
            raise StationError(
                f"another program is driving this layout ({'; '.join([*self._found][:_NAMED_AT_MOST])}); "
                "everything was stopped",
                where=where,
                cure="close the other program or throttle (is there none, then one has left it running), "
                "set the wagons up again, then start again",
            )
