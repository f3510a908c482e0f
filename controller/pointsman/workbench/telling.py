"""What a node says, in words for a person."""

from __future__ import annotations

from pointsman.drivers.node.setup import fitted
from pointsman.protocols import node_constants as k
from pointsman.protocols import node_messages as m
from pointsman.protocols.node import UNREAD, Accepted, FromNode, Gaps, Garbled, Happened, Refused, Unknown
from pointsman.protocols.node_constants import Latch


def about_words(about: m.About) -> str:
    """What a node is."""
    what = f"{k.BOARDS[about.board]}, firmware {about.firmware}, pins for {fitted(about)}"
    return f"{what}; it started because {reset_words(about)}"


def reset_words(about: m.About) -> str:
    """Why it has started."""
    return k.RESETS[about.reset]


def event_words(event: m.Told) -> str:
    """An event."""
    match event:
        case m.About():
            return f"it has started anew: {reset_words(event)}"
        case m.OtherVersion(version=version):
            return f"it has started anew, and speaks version {version} of the protocol"
        case m.Points(turnout=turnout, lie=lie):
            return f"turnout {turnout}: {k.LIES[lie]}"
        case m.Beam(beam=beam, broken=broken):
            return f"beam {beam}: {'something is in it' if broken else 'free'}"
        case m.Coil(magnet=magnet, on=on):
            return f"magnet {magnet}: {'on' if on else 'off'}"
        case m.Driven(step=0):
            return "throttle: 0"
        case m.Driven(forward=forward, step=step):
            return f"throttle: {step} {'forward' if forward else 'backward'}"
        case m.Latched(latch=Latch.NONE):
            return "it is armed: trains may move"
        case m.Latched(latch=latch) | m.Alive(latch=latch):
            return latch_words(latch)
        case m.SettingsAre(settings=settings):
            return f"settings: {k.SETTINGS_STATES[settings]}"
        case m.End():
            return "that is its whole state"


def latch_words(latch: Latch) -> str:
    """Whether everything is kept stopped, and why."""
    return "armed" if latch is Latch.NONE else f"everything is kept stopped: {k.LATCHES[latch]}"


class Interpreter:
    """Turns what comes into lines for a person: answers and signs of life are left out, what was lost is told."""

    def __init__(self) -> None:
        self._gaps = Gaps()

    def lines(self, said: FromNode) -> list[str]:
        """The lines for one thing that came; none where there is nothing to tell."""
        match said:
            case Happened(count=count, event=event):
                if isinstance(event, m.About | m.OtherVersion):
                    self._gaps.restart()
                lost = self._gaps.heard(count)
                told = [f"{lost} events were lost before this one"] if lost else []
                return told if isinstance(event, m.Alive) else [*told, event_words(event)]
            case Refused(number=number) if number == UNREAD:
                return [f"it did not understand: {said.meaning}"]
            case Garbled(data=data):
                return [f"garbled: {data!r}"]
            case Unknown(body=body):
                return [f"not known here: {body!r}"]
            case Accepted() | Refused():
                return []
