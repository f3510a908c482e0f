"""A stage for the page in a browser: serves its files, and sends and hears by its websocket what a test says.

The page is the real one, and so are HTTP and the websocket; the signal box behind them is the test itself.
"""

from __future__ import annotations

import json
import mimetypes
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import State
from websockets.server import ServerProtocol

import pointsman
from pointsman.web.guarding import POLICY

STATIC = Path(pointsman.__file__).parent / "web" / "static"
WITHIN_S = 5.0

Json = dict[str, Any]


class Seat:
    """One page's websocket, as the server has it."""

    def __init__(self, protocol: ServerProtocol, send: Any, query: dict[str, str]) -> None:
        self.query = query
        self.heard: list[Json] = []
        self.open = True
        self._protocol = protocol
        self._send = send
        self._lock = threading.Lock()

    def say(self, **message: Any) -> None:
        """Send a message to the page, if it is still there."""
        with self._lock:
            if self._protocol.state is not State.OPEN:
                return
            self._protocol.send_text(json.dumps(message).encode())
            self._flush()

    def close(self) -> None:
        """Close the websocket, as a server does that ends."""
        with self._lock:
            if self._protocol.state is not State.OPEN:
                return
            self._protocol.send_close(1001)
            self._flush()

    def take(self, data: bytes) -> list[Json]:
        """What the page says in these bytes."""
        with self._lock:
            self._protocol.receive_data(data)
            frames = [event for event in self._protocol.events_received() if isinstance(event, Frame)]
            self._flush()
        if any(frame.opcode is Opcode.CLOSE for frame in frames):
            self.open = False
        return [json.loads(frame.data) for frame in frames if frame.opcode is Opcode.TEXT]

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            if data:
                self._send(data)


class Stage:
    """Serves on a free loopback port while it is entered.

    A page that connects is told ``you`` and ``state``. Every request is answered by ``done``, or with what ``answers``
    has for its verb: a refusal's keys. ``pictures`` are PNGs by their
    address; ``posts`` has what ``/api/...`` answers: (status, JSON) by method and path.
    """

    def __init__(self, layout: Json, state: Json, *, role: str = "marshal", locomotive: str | None = None) -> None:
        self.layout = layout
        self.state = state
        self.you: Json = {"role": role, "who": "me", "locomotive": locomotive}
        self.answers: dict[str, Json] = {}
        self.pictures: dict[str, bytes] = {}
        self.posts: dict[tuple[str, str], tuple[int, Json]] = {}
        self.posted: list[tuple[str, str, Json]] = []
        self.seats: list[Seat] = []
        self.refusing = False
        self._changed = threading.Condition()
        stage = self

        class Handler(_Handler):
            the_stage = stage

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, name="stage")

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        for seat in self.seats:
            seat.hang_up()  # type: ignore[attr-defined]
        self._server.server_close()

    @property
    def seat(self) -> Seat:
        """The page that connected last."""
        return self.seats[-1]

    def change(self, **keys: Any) -> None:
        """Tell every page that these keys of the state are others now."""
        self.state = {**self.state, **keys}
        for seat in self.seats:
            if seat.open:
                seat.say(type="change", seq=1, **keys)

    def until_heard(self, verb: str, count: int = 1, *, seat: Seat | None = None) -> list[Json]:
        """Wait until a page has said a verb so often; what it said with it."""
        with self._changed:
            found = self._changed.wait_for(lambda: self._enough(verb, count, seat), WITHIN_S)
        said = self.said(verb, seat)
        assert found, f"{verb} was heard {len(said)} times, not {count}: {[m for s in self.seats for m in s.heard]}"
        return said

    def said(self, verb: str, seat: Seat | None = None) -> list[Json]:
        """What was said with a verb so far, by one page or by all."""
        seats = self.seats if seat is None else [seat]
        return [message for one in seats for message in one.heard if message["do"] == verb]

    def until_seats(self, count: int) -> None:
        """Wait until so many pages have connected."""
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.seats) >= count, WITHIN_S), f"{len(self.seats)} connected"

    def until_gone(self, seat: Seat) -> None:
        """Wait until a page has closed its connection."""
        with self._changed:
            assert self._changed.wait_for(lambda: not seat.open, WITHIN_S), "the page is still there"

    def _enough(self, verb: str, count: int, seat: Seat | None) -> bool:
        return len(self.said(verb, seat)) >= count

    # ------------------------------------------------------------ in the threads of the server

    def enter(self, seat: Seat) -> None:
        """A page has connected."""
        seat.say(type="you", **self.you)
        seat.say(type="state", **self.state)
        with self._changed:
            self.seats.append(seat)
            self._changed.notify_all()

    def gone(self) -> None:
        """A page has closed its connection."""
        with self._changed:
            self._changed.notify_all()

    def hear(self, seat: Seat, message: Json) -> None:
        """A page has said something."""
        with self._changed:
            seat.heard.append(message)
            self._changed.notify_all()
        refusal = self.answers.get(message["do"])
        if refusal is None:
            seat.say(type="done", id=message["id"])
        else:
            seat.say(type="refused", id=message["id"], **{"cure": "", "kind": "", "name": "", **refusal})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    the_stage: Stage

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is http.server's
        """Nothing is printed."""

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/ws":
            self._websocket()
        elif path == "/api/layout":
            self._answer(200, "application/json", json.dumps(self.the_stage.layout).encode())
        elif path in self.the_stage.pictures:
            self._answer(200, "image/png", self.the_stage.pictures[path])
        else:
            file = STATIC / ("index.html" if path == "/" else path.removeprefix("/static/"))
            if file.is_file() and STATIC in file.resolve().parents:
                kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                self._answer(200, kind, file.read_bytes())
            else:
                self._answer(404, "text/plain", b"not here")

    def do_POST(self) -> None:
        self._api()

    def do_DELETE(self) -> None:
        self._api()

    def _api(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        body = json.loads(self.rfile.read(length) or b"{}")
        path = urlsplit(self.path).path
        self.the_stage.posted.append((self.command, path, body))
        status, answer = self.the_stage.posts.get((self.command, path), (404, {"why": "not here", "cure": ""}))
        self._answer(status, "application/json", json.dumps(answer).encode())

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

    def _websocket(self) -> None:
        self.close_connection = True
        if self.the_stage.refusing:
            self._answer(503, "text/plain", b"ending")
            return
        protocol = ServerProtocol()
        raw = f"GET {self.path} HTTP/1.1\r\n" + "".join(f"{k}: {v}\r\n" for k, v in self.headers.items()) + "\r\n"
        protocol.receive_data(raw.encode())
        (request,) = protocol.events_received()
        assert isinstance(request, Request)
        protocol.send_response(protocol.accept(request))
        query = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        seat = Seat(protocol, self.connection.sendall, query)
        seat.hang_up = self._hang_up  # type: ignore[attr-defined]
        self.the_stage.enter(seat)
        try:
            while seat.open and (data := self.connection.recv(4096)):
                for message in seat.take(data):
                    self.the_stage.hear(seat, message)
        except OSError:
            # The page has gone without a word, or the stage was left.
            pass
        finally:
            seat.open = False
            self.the_stage.gone()

    def _hang_up(self) -> None:
        """Ends the websocket's thread, if it is still there."""
        try:
            self.connection.shutdown(2)
        except OSError:
            # It has ended already.
            return
