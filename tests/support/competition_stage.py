"""A stage for the page of a competition: serves its files, what a test says is the view, and its events; keeps deeds.

The page is the real one, and so is HTTP; the competition behind it is the test itself.
"""

from __future__ import annotations

import json
import mimetypes
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self
from urllib.parse import unquote, urlsplit

from panel_stage import STATIC, WITHIN_S, Json

from pointsman.web.guarding import POLICY

ENDING = -1


class CompetitionStage:
    """Serves on a free loopback port while it is entered.

    ``gets`` has what is asked for below the competition's address, ``refusals`` what a deed is refused with. A deed is
    done before it is answered, and the same one once; while ``silent`` the connection ends without an answer.
    """

    def __init__(self, view: Json, *, gets: dict[str, Json] | None = None, at: str = "standings") -> None:
        self.view = view
        self.gets = gets or {}
        self.at = at
        self.refusals: dict[str, Json] = {}
        self.deeds: list[Json] = []
        self.stopped: list[Json] = []
        self.silent = False
        self._changed = threading.Condition()
        self._ending = False
        stage = self

        class Handler(_Handler):
            the_stage = stage

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="stage")

    @property
    def base(self) -> str:
        """Where the page is, without a view."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/competition"

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"{self.base}#{self.at}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        with self._changed:
            self._ending = True
            self._changed.notify_all()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def entries(self) -> int:
        """How many entries the book has now."""
        return int(self.view["head"]["entries"])

    def change(self, **keys: object) -> None:
        """The view is another one from now on, and the pages are told so."""
        with self._changed:
            head = {"entries": self.entries + 1, "hash": "0" * 64}
            self.view = {**self.view, **keys, "head": head}
            self._changed.notify_all()

    def until_done(self, count: int) -> list[Json]:
        """Wait until so many deeds were heard."""
        with self._changed:
            found = self._changed.wait_for(lambda: len(self.deeds) >= count, WITHIN_S)
        assert found, f"{len(self.deeds)} deeds, not {count}: {self.deeds}"
        return self.deeds

    # ------------------------------------------------------------ in the threads of the server

    def next_entries(self, after: int) -> int:
        """Wait until the book has other entries than these; ``ENDING`` when the stage is left."""
        with self._changed:
            self._changed.wait_for(lambda: self._ending or self.entries != after)
            return ENDING if self._ending else self.entries

    def hear(self, deed: Json) -> tuple[int, Json] | None:
        """A page asks for a deed; None: it gets no answer."""
        refusal = self.refusals.get(deed["do"])
        with self._changed:
            again = deed in self.deeds
            self.deeds.append(deed)
            self._changed.notify_all()
        if refusal is None and not again:
            self.change(attempts=[_after(deed, its) for its in self.view["attempts"]])
        if self.silent:
            return None
        if refusal is not None:
            return 403, refusal
        return 200, {"head": self.view["head"], "answer": {}}


def _after(deed: Json, attempt: Json) -> Json:
    """An attempt as a view has it after a deed."""
    if deed.get("attempt") != attempt["id"]:
        return attempt
    match deed["do"]:
        case "set-up":
            return {**attempt, "set_up": True}
        case "start" | "resume":
            return {**attempt, "phase": "running"}
        case "pause":
            return {**attempt, "phase": "paused", "shows_ms": deed["at_ms"]}
        case "fault":
            return {**attempt, "faults": [*attempt["faults"], {"fault": deed["fault"], "at_ms": deed["at_ms"]}]}
        case "hint":
            return {**attempt, "hints": attempt["hints"] + 1}
        case "end":
            return {**attempt, "phase": "ended", "outcome": deed["outcome"], "shows_ms": deed["at_ms"]}
        case _:
            return attempt


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A page that went before it was answered is nothing to be told; all else is."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    the_stage: CompetitionStage

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Nothing is printed."""

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        view = self.the_stage.view
        below = f"/api/competitions/{view['name']}"
        if path == "/api/competitions":
            line = {key: view[key] for key in ("name", "title", "date", "place")}
            self._json(200, {"competitions": [line]})
        elif path == f"{below}/events":
            self._events()
        elif path == below:
            self._json(200, view)
        elif path.removeprefix(below) in self.the_stage.gets:
            self._json(200, self.the_stage.gets[path.removeprefix(below)])
        else:
            file = STATIC / ("competition.html" if path == "/competition" else path.removeprefix("/static/"))
            if file.is_file() and STATIC in file.resolve().parents:
                self._answer(200, mimetypes.guess_type(file.name)[0] or "application/octet-stream", file.read_bytes())
            else:
                self._json(404, {"why": "not here", "cure": "ask for something else"})

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        path = urlsplit(self.path).path
        if path == "/api/emergency-stop":
            self.the_stage.stopped.append(body)
        answer = self.the_stage.hear(body) if path.endswith("/deeds") else (200, {})
        if answer is None:
            self.close_connection = True
        else:
            self._json(*answer)

    def _json(self, status: int, value: Json) -> None:
        self._answer(status, "application/json", json.dumps(value).encode())

    def _answer(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def _events(self) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        entries = self.the_stage.entries
        try:
            while entries != ENDING:
                self.wfile.write(f'event: head\ndata: {{"entries": {entries}}}\n\n'.encode())
                self.wfile.flush()
                entries = self.the_stage.next_entries(entries)
        except OSError:
            # The page has gone.
            return
