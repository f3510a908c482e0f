"""The live picture of a play, drawn by a thread of its own: a slow or dead terminal never holds up a stop."""

from __future__ import annotations

import re
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from pointsman.cli.diagram import Lie, Surety, can_draw, render
from pointsman.cli.output import amount, whole_line
from pointsman.dispatch.control import Status
from pointsman.errors import UsageError
from pointsman.messages import LinkChanged, LinkState
from pointsman.operate.belief import Spot
from pointsman.posix import forget_typed, keys_unseen
from pointsman.track.model import Leg, Track

FRAMES_PER_S = 10.0
STEPS_SHOWN = 6


class Shown(Protocol):
    """What a picture is of: a puzzle that was chosen, or a calibration."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def track(self) -> Track:
        """The layout."""

    @property
    def goal(self) -> object:
        """What is wanted, as text."""


@dataclass(frozen=True, slots=True)
class _Question:
    """A question, and whom to tell when it is on the screen."""

    text: str
    on_shown: Callable[[], None]


class Screen:
    """Shows statuses until closed. ``on_gone`` is called, from the thread, when nobody can read any more.

    ``things`` is what the statuses count.
    """

    def __init__(
        self, console: Console, chosen: Shown, on_gone: Callable[[str], None], *, things: str = "runs"
    ) -> None:
        self._console = console
        self._chosen = chosen
        self._things = things
        self._on_gone = on_gone
        self._live = console.is_terminal and not console.is_dumb_terminal
        self._steps: deque[str] = deque(maxlen=STEPS_SHOWN)
        self._waiting: deque[Status | _Question] = deque()
        self._last: Status | None = None
        self._links: dict[str, LinkChanged] = {}
        self._doing = ("", 0)
        self._began_s: float | None = None
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()

    def show(self, status: Status) -> None:
        """Take a status; returns at once."""
        self._waiting.append(status)
        self._wake.set()

    def ask(self, question: str, on_shown: Callable[[], None]) -> None:
        """Print a question below the picture, which then stands still until the next status; returns at once.

        ``on_shown`` is called, from the thread, when it is there; what was typed before is thrown away.
        """
        self._waiting.append(_Question(question, on_shown))
        self._wake.set()

    def close(self) -> None:
        """Draw what is left and end the thread; may be called twice."""
        self._ending.set()
        self._wake.set()
        self._thread.join()

    def save_picture(self, path: Path) -> None:
        """The last picture as an SVG file. Raises UsageError when it cannot be written."""
        if self._last is None:
            return
        console = Console(record=True, force_terminal=True, width=100, file=StringIO(), color_system="truecolor")
        console.print(self._picture(self._last, console))
        svg = console.export_svg(title=f"pointsman play {self._chosen.name}")
        # The exported file asks a web server for its font; any monospaced one will do.
        svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
        try:
            path.write_text(svg, encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the picture cannot be written: {error.strerror}", where=str(path)) from error

    def _run(self) -> None:
        try:
            while (question := self._until_asked()) is not None:
                forget_typed(sys.stdin)
                self._console.print(question.text, end=" ", soft_wrap=True)
                question.on_shown()
                while not (self._is_answered() or self._ending.is_set()):
                    self._wake.wait()
                    self._wake.clear()
        except (OSError, SystemExit):
            # rich turns a broken pipe into SystemExit, which a thread would swallow.
            self._on_gone("the screen is gone: nobody can read any more")
        except BaseException as error:
            # A fault in drawing: no train goes on behind a picture that stands still.
            self._on_gone(f"the screen failed: {error}")
            raise

    def _is_answered(self) -> bool:
        """Whether there is something new to be shown: another question, a note, or a play that goes on."""
        return any(isinstance(found, _Question) or found.note or not found.asking for found in list(self._waiting))

    def _until_asked(self) -> _Question | None:
        """Show statuses until a question comes, which is returned, or until the end: None."""
        if self._waiting and isinstance(self._waiting[0], _Question):
            return self._loop(lambda _: None)
        # Keys that show in the terminal would tear the picture; what was typed meanwhile is for nobody.
        with keys_unseen(sys.stdin) if self._console.is_terminal else nullcontext():
            return self._shown()

    def _shown(self) -> _Question | None:
        if not self._live:
            return self._loop(lambda _: None)
        with Live(console=self._console, auto_refresh=False, transient=False) as live:
            return self._loop(lambda status: live.update(self._picture(status, self._console), refresh=True))

    def _loop(self, draw: Callable[[Status], None]) -> _Question | None:
        while self._waiting or not self._ending.is_set():
            if not self._waiting:
                self._wake.wait()
                self._wake.clear()
            latest, question = self._taken()
            if latest is not None:
                self._last = latest
                draw(latest)
            if question is not None:
                return question
            self._ending.wait(1 / FRAMES_PER_S)
        return None

    def _taken(self) -> tuple[Status | None, _Question | None]:
        """The latest status before the next question, and that question; every step on the way is noted."""
        latest = None
        while self._waiting:
            found = self._waiting.popleft()
            if isinstance(found, _Question):
                return latest, found
            latest = found
            self._log_links(latest)
            if latest.note or (latest.doing, latest.run) != self._doing:
                self._doing = (latest.doing, latest.run)
                self._log(latest)
        return latest, None

    def _log(self, status: Status) -> None:
        thing = self._things.removesuffix("s")
        where = f"{thing} {status.run} of {status.runs}" if status.run else f"before the first {thing}"
        self._write(status.t_s, f"{where}: {status.note or status.doing}")

    def _log_links(self, status: Status) -> None:
        """Every change of a link at its moment; that it was closed in the end is no news."""
        for link in status.links.values():
            if self._links.get(link.station) != link and link.state is not LinkState.CLOSED:
                self._write(link.t_s, f"link {link.station}: {link.state}, {link.why}")
            self._links[link.station] = link

    def _write(self, t_s: float, text: str) -> None:
        self._began_s = t_s if self._began_s is None else self._began_s
        line = f"{t_s - self._began_s:8.1f} s  {text}"
        self._steps.append(line)
        if not self._live:
            whole_line(self._console, line)

    def _picture(self, status: Status, console: Console) -> Group:
        chosen = self._chosen
        goal = Text.assemble(("wanted  ", "dim"), (str(chosen.goal), "bold"))
        score = status.score
        done = f"{score.runs} of {amount(status.runs, 'runs')} done, " if self._things == "runs" and status.runs else ""
        counted = Text(
            f"{done}{amount(score.raw_starts, 'starts')}, "
            f"{amount(score.uncouplings, 'uncouplings')}, points set {amount(score.turnouts_moved, 'times')}",
            style="dim",
        )
        links = [Text(f"link    {link.station}: {link.state}, {link.why}") for link in _not_up(status)]
        return Group(goal, diagram(console, chosen, status), Text(""), Text("\n".join(self._steps)), counted, *links)


def _not_up(status: Status) -> list[LinkChanged]:
    """The links of which a person should know how they are."""
    return [link for link in status.links.values() if link.state is not LinkState.UP]


def diagram(console: Console, chosen: Shown, status: Status) -> Text:
    """The layout as it is believed to be at a status."""
    belief, track = status.belief, chosen.track
    spots: dict[str, Spot] = dict(belief.spots)
    if status.drive is not None:
        envelope = status.drive.envelope.at(status.t_s)
        spots |= status.drive.step.sweep.spots(envelope.slow.x_mm, envelope.fast.x_mm)
    lies = {name: _lie(belief.commanded.get(name), name in status.turning) for name in track.turnouts}
    width = min(console.width, 100)
    return render(track, in_order(spots), lies=lies, beams=belief.beams, width=width, unicode=can_draw(console))


def in_order(spots: Mapping[str, Spot]) -> dict[str, list[str]]:
    """The vehicles of every element in from -> to order, by where their middles are believed to be."""
    found: dict[str, list[str]] = {}
    for name in sorted(spots, key=lambda name: spots[name].place.at_mm):
        found.setdefault(spots[name].place.element, []).append(name)
    return found


def _lie(leg: Leg | None, moving: bool) -> Lie:
    if moving:
        return Lie(leg, Surety.MOVING)
    # Nothing on the layout sees the blades: what was commanded is assumed once its time has passed.
    return Lie(leg, Surety.UNKNOWN if leg is None else Surety.ASSUMED)
