"""What this program has asked of a node: what the node tells beyond that, somebody else has asked."""

from __future__ import annotations

from math import inf

from pointsman.protocols import node_messages as m

Value = tuple[bool, int]
"""Direction and step of the locomotive; whether a magnet is on, and 0."""
DRIVE = 0
"""The throttle's place among the magnets, which count from 1."""
TOLD_AFTER_S = 0.5
"""So long after the node has taken the next command, it may still tell what came of the one before."""
STANDS: Value = (True, 0)


class Asked:
    """``turning`` are the turnouts on their way for this program, ``arming`` is whether it wants the node armed."""

    def __init__(self) -> None:
        self.start_afresh()

    def start_afresh(self) -> None:
        """A new connection, or a board that has started anew: nothing has been asked of it."""
        self.turning: set[int] = set()
        self.arming = False
        self._until_s: dict[int, dict[Value, float]] = {}

    def wants(self, message: m.Command) -> None:
        """A command is on its way."""
        match message:
            case m.Turnout(turnout):
                self.turning.add(turnout)
            case m.Arm():
                self.arming = True
            case m.Drive() | m.Magnet():
                place, value = _value(message)
                self._until_s.setdefault(place, {})[value] = inf

    def took(self, message: m.Command, t_s: float) -> None:
        """The node has taken a command: what was asked before it does not hold much longer."""
        if isinstance(message, m.Drive | m.Magnet):
            place, value = _value(message)
            self._end(place, t_s + TOLD_AFTER_S, but=value)

    def arrived(self, turnout: int) -> None:
        """Points that were sent somewhere are over."""
        self.turning.discard(turnout)

    def went_off(self, magnet: int) -> None:
        """A magnet's time was over, or it was switched off."""
        self._end(magnet, 0.0)

    def drives(self, forward: bool, step: int, t_s: float) -> bool:
        """Has this program asked for it?"""
        return self._fits(DRIVE, (forward, step) if step else STANDS, t_s)

    def switches_on(self, magnet: int, t_s: float) -> bool:
        """Has this program asked for it?"""
        return self._fits(magnet, (True, 0), t_s)

    def _fits(self, place: int, value: Value, t_s: float) -> bool:
        return t_s < self._until_s.get(place, {}).get(value, 0.0)

    def _end(self, place: int, t_s: float, but: Value | None = None) -> None:
        values = self._until_s.get(place, {})
        for value in values.keys() - {but}:
            values[value] = min(values[value], t_s)


def _value(message: m.Drive | m.Magnet) -> tuple[int, Value]:
    if isinstance(message, m.Magnet):
        return message.magnet, (message.on_ms > 0, 0)
    return DRIVE, (message.forward, message.step) if message.step else STANDS
