"""The server of a competition is killed while two play, one on the layout and one at a tablet: nothing told is lost."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from competition_night import CODE, NAME, Night, Served
from programs import RailSim, quick_layout, running
from shared_cache import shared_cache
from websockets.sync.client import ClientConnection, connect
from wires import Wire, moved_s, passed

from pointsman.compete.marks import Outcome
from pointsman.compete.state import Attempt, Phase
from pointsman.record import read

pytestmark = pytest.mark.system
START = "head: L | s1: 1 2 3 | s2: 4 5 | s3:"
WITHIN_S = 40.0
TELLING = ("mode", "refusal", "halted", "note", "question")


@dataclass
class Desk:
    """A browser's requests."""

    http: httpx.Client

    def does(self, do: str, **fields: object) -> dict[str, Any]:
        """Have a deed done; its answer."""
        answer = self.http.post(f"/api/competitions/{NAME}/deeds", json={"do": do, **fields})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["answer"]
        return found

    def until(self, name: str, **values: object) -> dict[str, Any]:
        """Look again at every change until an attempt is so."""
        with self.http.stream("GET", f"/api/competitions/{NAME}/events") as told:
            for line in told.iter_lines():
                if line.startswith("data: "):
                    view = self.http.get(f"/api/competitions/{NAME}").json()
                    (found,) = [one for one in view["attempts"] if one["id"] == name]
                    if values.items() <= found.items():
                        return dict(found)
        raise AssertionError(f"{name} was never {values}")


class Page:
    """The layout's page, as far as it asks for something."""

    def __init__(self, link: ClientConnection) -> None:
        self._link = link

    def asks(self, **asked: object) -> None:
        self._link.send(json.dumps({"id": 1, **asked}))
        answer = self.hears(lambda message: "id" in message)
        assert answer["type"] == "done", answer

    def hears(self, holds: Any) -> dict[str, Any]:
        until, said = time.monotonic() + WITHIN_S, {}
        while time.monotonic() < until:
            message: dict[str, Any] = json.loads(self._link.recv(timeout=WITHIN_S))
            said |= {key: message[key] for key in TELLING if key in message}
            if holds(message):
                return message
        raise AssertionError(f"never heard; it said {said}")


@contextmanager
def served(night: Night, layout: Path, sim: RailSim) -> Iterator[tuple[Served, Wire, Desk, Page]]:
    """While inside, the competition is served with a layout behind a cable that is watched."""
    wire = Wire(sim.tcp_port)
    try:
        with night.served(str(layout), "--on", f"tcp:127.0.0.1:{wire.port}") as server:
            origin = server.layout.rstrip("/")
            with (
                httpx.Client(base_url=origin, headers={"origin": origin}, trust_env=False, timeout=WITHIN_S) as http,
                connect(f"ws{origin[4:]}/ws", origin=origin, proxy=None, close_timeout=1) as link,  # type: ignore[arg-type]
            ):
                yield server, wire, Desk(http), Page(link)
    finally:
        wire.close()


def set_going(page: Page, wire: Wire) -> None:
    """Begin, and drive away from the points: what stands where is as it was."""
    page.asks(do="begin", facing="to")
    page.hears(lambda message: message.get("mode") == "ready")
    page.asks(do="take")
    page.asks(do="drive", towards="from", speed_mm_s=40)
    moved_s(wire)


def its(night: Night, name: str) -> Attempt:
    return night.book.state.attempts[name]


def faults(attempt: Attempt) -> list[tuple[str, int]]:
    return [(str(getattr(press, "fault", "hint")), press.at_ms) for press in attempt.pressed]


def test_after_kill_9_nothing_told_is_lost_nothing_moves_and_both_attempts_are_taken_up(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    layout, night = quick_layout(tmp_path), Night(tmp_path, shared_cache(tmp_path_factory))
    night.said("new", NAME, "--title", "Club evening", "--by", "Vera")
    for entrant in ("Ada", "Bo"):
        night.said("enter", NAME, entrant, "--by", "Vera")
    plan = {"id": "r1", "title": "Final", "puzzle": f"{layout}/classic", "count": "runs", "scheme": "least-moves"}
    plan |= {"format": "best-of-1", "par_least": 5, "par_most": 21, "heats": 1, "spares": 1, "time_limit_s": 900}
    with running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout)) as sim:
        with served(night, layout, sim) as (server, wire, desk, page):
            desk.does("announce", plan=plan, code=CODE)
            desk.does("open-heat", round="r1", code=CODE, heat=1)
            for entrant in ("ada", "bo"):
                desk.does("call", round="r1", entrant=entrant)
            desk.does("set-up", attempt="r1-bo-1")
            desk.does("start", attempt="r1-bo-1")
            desk.does("play", attempt="r1-ada-1")
            set_going(page, wire)
            desk.until("r1-ada-1", phase="running")
            for name in ("r1-ada-1", "r1-bo-1"):
                desk.does("fault", attempt=name, fault="hand", at_ms=1)
            desk.does("fault", attempt="r1-ada-1", fault="derailment", at_ms=2)
            killed_s = time.monotonic()
            server.signal(signal.SIGKILL)
            server.process.wait()
            passed(wire, rb"<0>", killed_s)
        told = night.book
        assert faults(told.state.attempts["r1-ada-1"]) == [("hand", 1), ("derailment", 2)]
        assert faults(told.state.attempts["r1-bo-1"]) == [("hand", 1)]
        assert (sim.truth["moving"], sim.truth["incidents"]) == ([], [])

        assert sim.finish()["moving"] == []
    # The locomotive is put back to its mark by hand.
    with running(lambda: RailSim(tmp_path, "--seed", "6", layout=layout)) as sim:
        with served(night, layout, sim) as (server, wire, desk, page):
            page.hears(lambda message: message.get("mode") == "idle")
            taken_up = desk.until("r1-ada-1", phase="paused", on_layout=True)
            # As the journal had it by then, not as long as nobody was there.
            assert taken_up["shows_ms"] < 60_000
            assert its(night, "r1-bo-1").phase is Phase.RUNNING
            assert wire.passed == [], "nobody has asked for anything"
            # The tablet sends again what it has no answer for.
            desk.does("fault", attempt="r1-bo-1", fault="hand", at_ms=1)
            assert faults(its(night, "r1-bo-1")) == [("hand", 1)]

            page.asks(do="take-up")
            page.asks(do="put-right", position=START)
            assert wire.seen(rb"<1|<t", 0.0) is None, "it is only said what stands where"
            set_going(page, wire)
            desk.until("r1-ada-1", phase="running")
            page.asks(do="stop")
            desk.does("end", attempt="r1-ada-1", outcome="did-not-finish")
            desk.does("end", attempt="r1-bo-1", outcome="finished", counts={"runs": 30})
            server.signal(signal.SIGINT)
            assert server.ends() == 130
        truth = sim.finish()
    assert (truth["moving"], truth["incidents"]) == ([], [])
    assert told.written == night.book.written[: len(told.written)]
    ada = its(night, "r1-ada-1")
    assert ada.marks is not None
    assert ada.outcome is Outcome.DID_NOT_FINISH
    assert {str(fault): figure.value for fault, figure in ada.marks.faults.items()} == {"hand": 1, "derailment": 1}
    first, second = sorted(night.journals.glob("*.journal"), key=lambda path: path.stat().st_mtime_ns)
    assert read(second).lines[0].text("goes_on_from") == str(first)
    assert f"{NAME} is right" in night.said("verify", NAME, "--journals", str(night.journals))
