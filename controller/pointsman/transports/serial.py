"""A link over a serial port, through pyserial in one reader thread."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
from dataclasses import replace
from typing import Literal

import serial

from pointsman import posix
from pointsman.errors import LinkLostError, PortError
from pointsman.transports.base import WRITE_TIMEOUT_S, Transport
from pointsman.transports.diagnosis import MISSING, held, not_permitted, port_error, rivals
from pointsman.transports.ports import look_at

BAUD_RATE = 115200
SILENCE_BEFORE_DTR_S = 5.0
"""A board that says nothing for so long with DTR low may be one that talks only while DTR is high."""
CLOSED_WITHIN_S = 1.0
HOLDER_MAY_LEAVE_S = 0.5

_HELD = (errno.EBUSY, errno.EAGAIN)

Dtr = Literal["auto", "low", "high"]


class SerialTransport(Transport):
    """A serial port, 8N1 without flow control, locked against other programs while it is open.

    ``dtr``: on many boards the line resets the station, on some it must be high before they talk. ``low`` and
    ``high`` keep it so; ``auto`` keeps it low, and raises it once, with a note, if nothing is heard for 5 s.
    """

    def __init__(self, port: str, *, baud_rate: int = BAUD_RATE, dtr: Dtr = "auto") -> None:
        super().__init__(port)
        self._baud_rate = baud_rate
        self._dtr = dtr
        self._port: serial.Serial | None = None
        self._reader: threading.Thread | None = None
        self._closer: threading.Thread | None = None
        self._dtr_timer: asyncio.TimerHandle | None = None

    async def _open(self) -> None:
        assert self._loop is not None
        await self._closed()
        # made without a name: with one it would be opened at once, with DTR high, which resets many boards
        port = serial.Serial()
        port.baudrate = self._baud_rate
        port.write_timeout = WRITE_TIMEOUT_S
        port.exclusive = True
        port.dtr = self._dtr == "high"
        port.rts = False
        port.port = self.name
        await self._open_when_free(port)
        try:
            self._claim(port)
        except BaseException:
            port.close()
            raise
        self._port = port
        self._reader = threading.Thread(
            target=self._read, args=(port, self._loop), name=f"reader of {self.name}", daemon=True
        )
        self._reader.start()
        if self._dtr == "auto":
            self._dtr_timer = self._loop.call_later(SILENCE_BEFORE_DTR_S, self._raise_dtr, self.received_bytes)

    async def _open_when_free(self, port: serial.Serial) -> None:
        """Open it, waiting a little for its holder: the guardian of a killed run lets go within half a second."""
        assert self._loop is not None
        gives_up_t_s = self._loop.time() + HOLDER_MAY_LEAVE_S
        while True:
            try:
                port.open()
            except (OSError, ValueError) as error:
                if _errno(error) not in _HELD or self._loop.time() >= gives_up_t_s:
                    raise _port_error(self.name, error) from error
            else:
                return
            await asyncio.sleep(HOLDER_MAY_LEAVE_S / 5)

    def _claim(self, port: serial.Serial) -> None:
        # The lock that pyserial takes is advice; not every program asks for it.
        if others := rivals(self.name):
            # as they were found: one that has left meanwhile is named all the same, and this program is not
            raise port_error(self.name, held(replace(look_at(self.name), holders=tuple(others))))
        try:
            posix.claim_terminal(port.fileno())
        except OSError as error:
            raise _port_error(self.name, error) from error

    def _read(self, port: serial.Serial, loop: asyncio.AbstractEventLoop) -> None:
        """The reader thread: blocks in read, ends when the port is shut or gone."""
        reason = ""
        try:
            while self._port is port:
                data = port.read(1)
                data += port.read(port.in_waiting) if data else b""
                if not data:
                    break
                _call_in(loop, self._deliver_from, port, data)
        except OSError as error:
            reason = _loss(error)
        _call_in(loop, self._lose_from, port, reason or "the port was closed")

    def _deliver_from(self, port: serial.Serial, data: bytes) -> None:
        if self._port is port:
            self._deliver(data)

    def _lose_from(self, port: serial.Serial, reason: str) -> None:
        if self._port is port:
            self._lose(reason)

    def _raise_dtr(self, received_before: int) -> None:
        self._dtr_timer = None
        if self._port is None or self.received_bytes != received_before:
            return
        try:
            self._port.dtr = True
        except OSError as error:
            self._on_note(f"{self.name}: nothing heard, and DTR cannot be raised ({error.strerror or error})")
        else:
            self._on_note(f"{self.name}: nothing heard for {SILENCE_BEFORE_DTR_S:g} s, so DTR was raised")

    def _write(self, data: bytes) -> None:
        assert self._port is not None
        try:
            written = self._port.write(data)
        except serial.SerialTimeoutException as error:
            raise LinkLostError(
                f"the port takes no bytes for {WRITE_TIMEOUT_S:g} s", where=self.name, cure="replug the cable"
            ) from error
        except OSError as error:
            raise LinkLostError(_loss(error), where=self.name, cure="plug the cable in, then open again") from error
        if written != len(data):
            raise LinkLostError(f"the port took {written} of {len(data)} bytes", where=self.name)

    def _shut(self) -> None:
        port, reader = self._port, self._reader
        self._port = self._reader = None
        if self._dtr_timer is not None:
            self._dtr_timer.cancel()
            self._dtr_timer = None
        if port is None:
            return
        port.cancel_read()
        # In a thread of its own: it waits for the reader, and closing may wait for a device that takes no bytes,
        # just when the loop has a stop to write elsewhere.
        self._closer = threading.Thread(
            target=_close_after, args=(port, reader), name=f"closer of {self.name}", daemon=True
        )
        self._closer.start()

    async def close(self) -> None:
        """Close the port; when this returns it may be opened by others, unless the device hangs (1 s)."""
        await super().close()
        await self._closed()

    async def _closed(self) -> None:
        """Wait for the thread that closes the port, but not for ever."""
        closer, self._closer = self._closer, None
        if closer is not None:
            await asyncio.to_thread(closer.join, CLOSED_WITHIN_S)

    def guardian_fds(self) -> tuple[int, ...]:
        """The port's descriptor."""
        return (self._port.fileno(),) if self._port is not None else ()


def _close_after(port: serial.Serial, reader: threading.Thread | None) -> None:
    """Close a port when its reader has ended: closed under it, its descriptor could be another file's at once."""
    if reader is not None:
        reader.join()
    with contextlib.suppress(OSError):  # the terminal is gone: so is its flag
        posix.release_terminal(port.fileno())
    with contextlib.suppress(OSError):  # closing a port that was unplugged
        port.close()


def _call_in(loop: asyncio.AbstractEventLoop, callback: object, *args: object) -> None:
    with contextlib.suppress(RuntimeError):  # the loop was closed without closing the port: nobody listens any more
        loop.call_soon_threadsafe(callback, *args)  # type: ignore[arg-type]


def _errno(error: Exception) -> int | None:
    """pyserial wraps the system's error into one without a number; the number is in the context."""
    inner = error.__context__
    return getattr(error, "errno", None) or (inner.errno if isinstance(inner, OSError) else None)


def _loss(error: OSError) -> str:
    # no number at all: pyserial saw the end of file, which a terminal has only when its device is gone
    if _errno(error) in (None, errno.EIO, errno.ENXIO, errno.ENODEV, errno.EBADF):
        return "the port has vanished (unplugged, or the other side closed it)"
    return f"the port failed: {error.strerror or error}"


def _port_error(name: str, error: Exception) -> PortError:
    number = _errno(error)
    if number == errno.ENOENT:
        return port_error(name, MISSING)
    if number in (errno.EACCES, errno.EPERM):
        return port_error(name, not_permitted(look_at(name)))
    if number in _HELD:
        return port_error(name, held(look_at(name)))
    if number in (errno.EIO, errno.ENXIO, errno.ENODEV):
        return PortError(
            "the port is there, the device is not", where=name, cure="unplug the cable and plug it in again"
        )
    return PortError(
        f"it cannot be used as a serial port ({error})", where=name, cure="`pointsman ports` lists the ports"
    )
