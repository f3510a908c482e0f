"""The whole server in a process of its own, a railsim behind a cable, and a page's websocket: it ends, or is killed."""

from __future__ import annotations

import json
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from programs import Program, RailSim, quick_layout, running, tool
from websockets.sync.client import ClientConnection, connect
from wires import Wire, moved_s, passed

pytestmark = pytest.mark.system


@contextmanager
def driving(tmp_path: Path) -> Iterator[tuple[Program, RailSim, Wire, ClientConnection]]:
    """A server whose train has just been set going by a page."""
    layout = quick_layout(tmp_path)
    with running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout)) as sim:
        wire = Wire(sim.tcp_port)
        try:
            with running(lambda: serve(tmp_path, layout, wire.port)) as server:
                address = server.expect(r"http://127\.0\.0\.1:\d+").group()
                with connect(f"ws{address[4:]}/ws", origin=address, proxy=None, close_timeout=1) as page:  # type: ignore[arg-type]
                    set_going(page)
                    moved_s(wire)
                    yield server, sim, wire, page
        finally:
            wire.close()


def serve(tmp_path: Path, layout: Path, port: int) -> Program:
    arguments = (
        "serve",
        str(layout),
        "--on",
        f"tcp:127.0.0.1:{port}",
        "--port",
        "0",
        "--journals",
        str(tmp_path / "j"),
    )
    return Program(tool("pointsman"), *arguments, env={"POINTSMAN_CACHE_DIR": str(tmp_path / "cache")})


def set_going(page: ClientConnection) -> None:
    ask(page, do="deal", puzzle="classic", seed="3")
    ask(page, do="begin", facing="to")
    assert heard(page, lambda message: message.get("mode") in {"ready", "halted", "dealt"})["mode"] == "ready"
    ask(page, do="auto")


def ask(page: ClientConnection, **asked: str) -> None:
    page.send(json.dumps({"id": 1, **asked}))
    answer = heard(page, lambda message: "id" in message)
    assert answer["type"] == "done", answer


def heard(page: ClientConnection, holds: Any) -> dict[str, Any]:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        message: dict[str, Any] = json.loads(page.recv(timeout=60))
        if holds(message):
            return message
    raise AssertionError("never heard")


def test_kill_9_of_the_server_stops_the_train(tmp_path: Path) -> None:
    with driving(tmp_path) as (server, sim, wire, _):
        killed_s = time.monotonic()
        server.signal(signal.SIGKILL)
        assert passed(wire, rb"<!>", killed_s) <= passed(wire, rb"<0>", killed_s)
        truth = sim.finish()
        assert (truth["moving"], truth["incidents"]) == ([], [])


def test_a_pin_from_a_file_stands_nowhere_and_lets_the_marshal_in(tmp_path: Path) -> None:
    file = tmp_path / "pin"
    file.write_text("471128\n")
    words = ("serve", "inglenook-small", "--port", "0", "--journals", str(tmp_path / "j"), "--pin-file", str(file))
    with running(lambda: Program(tool("pointsman"), *words)) as server:
        address = server.expect(r"http://127\.0\.0\.1:\d+").group()
        headers = {"origin": address}
        with httpx.Client(base_url=address, headers=headers, trust_env=False, timeout=20) as browser:
            assert browser.get("/api/session").json()["role"] == "spectator"
            assert browser.post("/api/session", json={"pin": "471128"}).json()["role"] == "marshal"
        assert "471128" not in Path(f"/proc/{server.process.pid}/cmdline").read_text()
        server.signal(signal.SIGTERM)
        assert server.ends() == 143
    assert "471128" not in server.text


def test_ctrl_c_stops_the_train_first_and_says_where_everything_stood(tmp_path: Path) -> None:
    with driving(tmp_path) as (server, sim, wire, page):
        pressed_s = time.monotonic()
        server.signal(signal.SIGINT)
        stopped = heard(page, lambda message: message.get("mode") == "halted")
        assert stopped["halted"]["why"] == "stopped by Ctrl-C"
        assert server.ends() == 130
        passed(wire, rb"<!>", pressed_s)
        assert re.search(r"stopped by Ctrl-C\n +last confirmed: head: L", server.text)
        truth = sim.finish()
        assert (truth["moving"], truth["incidents"]) == ([], [])
