"""The crowd of the load measurement, a process of its own: who looks on, who drives, and who misbehaves.

Told the address of a server, how many look on and how many drive. On every line of standard input it does what is
said, and answers with a line of JSON: ``stop`` (a driver asks for the emergency stop; when, in seconds of the
computer's clock), ``heard`` (when which client was told of which beam since the last time it was asked), ``slow`` (one
more comes, asks for the whole state again and again, and never reads), ``slow?`` (whether the server has given it up).
"""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from contextlib import suppress
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect

RENEWED_S = 0.5
ASKS_A_SECOND = 15
FRAME, MASKED, NO_MASK = b"\x81", 0x80, b"\0\0\0\0"
Told = tuple[float, int, str, bool]
"""When, which client, which beam, whether it is broken."""


class Crowd:
    """Everybody on the websocket of one server."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._told: list[Told] = []
        self._drivers: list[ClientConnection] = []
        self._slow: asyncio.Task[None] | None = None
        self.frames = 0

    async def look_on(self, number: int, *, drives: bool) -> None:
        """One client, until the server or the crowd ends."""
        address = f"ws{self._address[4:]}/ws"
        async with connect(address, origin=self._address, proxy=None, compression=None) as client:  # type: ignore[arg-type]
            beams: dict[str, bool] = {}
            renewing = asyncio.create_task(_renew(client)) if drives else None
            if drives:
                self._drivers.append(client)
            try:
                async for text in client:
                    now = time.monotonic()
                    self.frames += 1
                    if '"beams":' in text:  # type: ignore[operator]
                        seen = json.loads(text)["beams"]
                        changed = [name for name in seen if seen[name] != beams.get(name, False)]
                        self._told += [(now, number, name, seen[name]) for name in changed]
                        beams = seen
            finally:
                if renewing is not None:
                    renewing.cancel()

    async def do(self, what: str) -> object:
        """What is said on standard input."""
        match what:
            case "stop":
                asked_s = time.monotonic()
                await self._drivers[0].send('{"id":1,"do":"emergency-stop"}')
                return asked_s
            case "heard":
                told, self._told = self._told, []
                return told
            case "slow":
                self._slow = asyncio.create_task(self._never_read())
                return None
            case "slow?":
                return self._slow is not None and self._slow.done()
            case "frames":
                return self.frames
        raise SystemExit(f"{what!r} is nothing that a crowd does")

    async def _never_read(self) -> None:
        where = urlsplit(self._address)
        loop = asyncio.get_running_loop()
        with socket.socket() as line:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            line.setblocking(False)
            await loop.sock_connect(line, (where.hostname, where.port))
            lines = [
                "GET /ws HTTP/1.1",
                f"Host: {where.netloc}",
                f"Origin: {self._address}",
                "Upgrade: websocket",
                "Connection: Upgrade",
                "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
                "Sec-WebSocket-Version: 13",
            ]
            await loop.sock_sendall(line, "\r\n".join([*lines, "", ""]).encode())
            asked = b'{"do":"language","language":"fr"}'
            with suppress(ConnectionError):  # it is given up
                while True:
                    await loop.sock_sendall(line, FRAME + bytes([MASKED | len(asked)]) + NO_MASK + asked)
                    await asyncio.sleep(1 / ASKS_A_SECOND)


async def _renew(client: ClientConnection) -> None:
    """Say twice a second what a throttle says: refused while the program drives, and each refusal is told to all."""
    while True:
        await client.send('{"id":2,"do":"drive","towards":"to","speed_mm_s":40}')
        await asyncio.sleep(RENEWED_S)


async def main(address: str, spectators: int, drivers: int) -> None:
    """Until standard input ends."""
    crowd = Crowd(address)
    everybody = [
        asyncio.create_task(crowd.look_on(number, drives=number >= spectators))
        for number in range(spectators + drivers)
    ]
    try:
        while line := await asyncio.to_thread(sys.stdin.readline):
            print(json.dumps(await crowd.do(line.strip())), flush=True)
            fallen = [one for one in everybody if one.done()]
            if fallen:
                raise SystemExit(f"{len(fallen)} of the clients were given up: {fallen[0].exception()}")
    finally:
        for one in everybody:
            one.cancel()
        await asyncio.wait(everybody)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
