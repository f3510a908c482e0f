"""The clock of an attempt, from the lines of its journals.

It starts with the first drive command after the locomotive was proved: that is the last moment at which nothing has
moved yet, and it does not depend on how far the next beam is away. It ends with the line that confirms the goal. It
stands while a referee has stopped it, and from the end of a journal to the first such command in the one that goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from pointsman.record import Line


@dataclass(frozen=True, slots=True)
class Clock:
    """What the clock shows: ``ran_s`` until it was stopped last, and since when it runs, on the journal's own clock.

    ``begun``: something has moved since this journal began. ``held``: a referee has stopped it. ``proving``: what moves
    is only the proof of which way the locomotive faces. ``cut``: it was stopped by nothing but the end of a journal.
    """

    ran_s: float = 0.0
    since_s: float | None = None
    now_s: float = 0.0
    begun: bool = False
    held: bool = False
    proving: bool = False
    over: bool = False
    cut: bool = False

    @property
    def shows_ms(self) -> int:
        """What it shows at the last line, in whole milliseconds."""
        return round(1000 * (self.ran_s + self._running_s))

    @property
    def _running_s(self) -> float:
        return 0.0 if self.since_s is None else max(0.0, self.now_s - self.since_s)

    def at(self, line: Line) -> Clock:
        """The clock after one more line of the journal."""
        # An event has the moment at which it was heard, and is written a little later.
        clock = replace(self, now_s=max(self.now_s, line.t_s))
        match line.kind:
            case "step" if line.values.get("proves") is True:
                return replace(clock, proving=True)
            case "stand":
                return replace(clock, proving=False)
            case "command" if line.values.get("type") == "Drive" and not (clock.begun or clock.proving or clock.over):
                return clock._going() if _drives(line) else clock
            case "pressed" if line.values.get("what") == "clock":
                return clock._pressed(stands=line.values.get("stands") is True)
            case "halt" | "end":
                return clock.stopped()
            case _:
                return clock

    def stopped(self) -> Clock:
        """Stopped for good, as far as this journal goes."""
        return replace(self, ran_s=self.ran_s + self._running_s, since_s=None, over=True)

    def cut_off(self) -> Clock:
        """Stopped with the last line, where no line says that anything ended."""
        return replace(self.stopped(), cut=self.cut or self.since_s is not None)

    def going_on(self) -> Clock:
        """The clock at the beginning of the journal that goes on: it stands, until something moves."""
        return Clock(ran_s=self.ran_s + self._running_s, cut=self.cut)

    def _going(self) -> Clock:
        return replace(self, begun=True, since_s=None if self.held else self.now_s)

    def _pressed(self, *, stands: bool) -> Clock:
        if stands:
            return replace(self, held=True, ran_s=self.ran_s + self._running_s, since_s=None)
        runs = self.since_s is None and self.begun and not self.over
        return replace(self, held=False, since_s=self.now_s if runs else self.since_s)


def _drives(line: Line) -> bool:
    step = line.values.get("step")
    return type(step) is int and step > 0
