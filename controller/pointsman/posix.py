"""Every call that only POSIX systems have, in one file: locks on a port, who holds it, whose it is.

On Windows the functions answer "not known": the system itself refuses a second opening there.
"""

from __future__ import annotations

import _thread
import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if sys.platform != "win32":
    import fcntl
    import grp
    import pwd
    import resource
    import termios

if TYPE_CHECKING:
    import asyncio
    import socket


UNANSWERED_MS = 2000
"""What a network has not taken by then it never gets."""


LONGEST_LINE_BYTES = 4096
"""What a terminal gives at most in one line."""
_PSEUDO_TERMINALS = range(136, 144)
"""Major numbers that Linux gives them; its /sys does not list them."""
_NO_LINE = {(5, 0), (5, 2)}
"""What Linux has as /dev/tty, whichever terminal that is, and /dev/ptmx, which makes a new one."""
_LOCAL_MODES = 3
"""Where termios has a terminal's local modes in its list."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that has a file open; ``other_end``: a pseudo-terminal whose other end it has too."""

    pid: int
    program: str
    other_end: bool = False

    def __str__(self) -> str:
        return f"{self.program} (process {self.pid})"


def claim_terminal(fd: int) -> None:
    """Let the kernel refuse every later opening of this terminal (TIOCEXCL; root may still). Raises OSError."""
    if sys.platform != "win32":
        fcntl.ioctl(fd, termios.TIOCEXCL)


def release_terminal(fd: int) -> None:
    """Undo ``claim_terminal``: the flag would outlive us while any process has the terminal open. Raises OSError."""
    if sys.platform != "win32":
        fcntl.ioctl(fd, termios.TIOCNXCL)


def holders(path: str) -> list[Holder]:
    """The processes that have ``path`` open, ours too, as far as this user may see them (Linux: /proc)."""
    wanted = os.path.realpath(path)
    found = [_holder(process, wanted) for process in _processes()]
    return sorted(filter(None, found), key=lambda holder: holder.pid)


def running(*programs: str) -> list[Holder]:
    """The processes of these names, whoever started them (Linux: /proc)."""
    named = [Holder(int(process.name), _program(process)) for process in _processes()]
    return sorted((one for one in named if one.program in programs), key=lambda one: one.pid)


def sees_all_processes() -> bool:
    """May this user see what every process has open? If not, a port may be held by a program that is not seen."""
    return all(os.access(process / "fd", os.R_OK) or not process.exists() for process in _processes())


def made_by(terminal: str) -> list[str]:
    """The command lines of the processes with the other end of a pseudo-terminal, as far as this user may see them."""
    found = []
    for process in _processes():
        try:
            links = _opened(process)
            if _has_other_end(process, terminal, links):
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip())
        except OSError:
            continue  # one that ended meanwhile
    return found


def _processes() -> list[Path]:
    root = Path("/proc")
    return [entry for entry in root.iterdir() if entry.name.isdigit()] if root.is_dir() else []


def _holder(process: Path, wanted: str) -> Holder | None:
    try:
        links = _opened(process)
        if wanted not in links.values():
            return None
        return Holder(int(process.name), _program(process), _has_other_end(process, wanted, links))
    except OSError:
        # another user's process, or one that ended meanwhile
        return None


def _opened(process: Path) -> dict[str, str]:
    """What each open descriptor of a process stands for. Raises OSError."""
    return {file.name: _meant(file) for file in list((process / "fd").iterdir())}


def _meant(file: Path) -> str:
    """What a descriptor stands for; empty when it was closed meanwhile."""
    try:
        return str(file.readlink())
    except FileNotFoundError:
        return ""


def _has_other_end(process: Path, terminal: str, links: Mapping[str, str]) -> bool:
    """Has a process the other end of a pseudo-terminal? ``links`` are its open files. Raises OSError."""
    folder, _, index = terminal.rpartition("/")
    ends = [fd for fd, link in links.items() if Path(link).name == "ptmx"] if folder == "/dev/pts" else []
    return any(f"tty-index:\t{index}" in (process / "fdinfo" / fd).read_text().splitlines() for fd in ends)


def _program(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip() or "a program"
    except OSError:
        return "a program that just ended"


def may_be_terminal(path: str) -> bool:
    """Is a file a terminal, as serial ports are, or can that not be known without opening it? Raises OSError."""
    if sys.platform == "win32":
        return True
    found = Path(path).stat()
    if not stat.S_ISCHR(found.st_mode):
        return False
    major, minor = os.major(found.st_rdev), os.minor(found.st_rdev)
    if sys.platform != "linux" or major in _PSEUDO_TERMINALS:
        return True
    kind = Path(f"/sys/dev/char/{major}:{minor}/subsystem")
    return (major, minor) not in _NO_LINE and (not kind.exists() or kind.resolve().name == "tty")


def group_of(path: str) -> str:
    """The group that a device file belongs to (``dialout``, ``uucp``), or an empty string."""
    if sys.platform == "win32":
        return ""
    try:
        return grp.getgrgid(Path(path).stat().st_gid).gr_name
    except (OSError, KeyError):
        return ""


def in_group(group: str) -> bool:
    """Does this process belong to a group? Its user may have joined since the last login only."""
    if sys.platform == "win32":
        return False
    try:
        return grp.getgrnam(group).gr_gid in {os.getegid(), *os.getgroups()}
    except KeyError:
        return False


def listed_in_group(group: str) -> bool:
    """Is this user a member of a group by the system's list? That holds from the next login on."""
    if sys.platform == "win32":
        return False
    try:
        user, members = pwd.getpwuid(os.geteuid()), grp.getgrnam(group)
    except KeyError:
        return False
    return user.pw_name in members.gr_mem or user.pw_gid == members.gr_gid


def break_off(link: socket.socket) -> None:
    """Break a TCP connection at once, whoever else holds a descriptor of it; nothing unsent arrives later.

    Not on Linux, what the system has taken may still arrive while somebody else holds it. Raises OSError.
    """
    import socket
    import struct

    if sys.platform != "win32":
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    if sys.platform == "linux":
        import ctypes

        # Connected to nothing it is reset; Python has no call for that.
        nothing = struct.pack("=H14x", socket.AF_UNSPEC)
        if ctypes.CDLL(None).connect(link.fileno(), nothing, len(nothing)) == 0:
            return
    link.shutdown(socket.SHUT_RDWR)


def link_socket_options(unanswered_ms: int = UNANSWERED_MS) -> list[tuple[int, int, int]]:
    """Options for a connection that moves trains: no delay, and (Linux) broken when unanswered for two seconds.

    ``unanswered_ms`` is another time, for a connection that is less urgent.
    """
    import socket

    options = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    if sys.platform == "linux":
        options.append((socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, unanswered_ms))
    return options


def notice_silence(connected: socket.socket, within_s: int) -> None:
    """Let the system ask whether the other end is still there, and (Linux) break the connection in some ``within_s``.

    Elsewhere it asks at its own leisure. ``within_s`` is 2 at least.
    """
    import socket

    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 1)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 1)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT, within_s - 1)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, within_s * 1000)


def open_to_others(path: Path) -> bool:
    """Can other users of this computer read a file? Raises OSError."""
    return sys.platform != "win32" and bool(path.stat().st_mode & 0o077)


def lower_priority() -> None:
    """Let this process give way to others: for searching and compiling beside a play."""
    if sys.platform != "win32":
        os.nice(10)


def available_memory() -> int | None:
    """Bytes that this process may still take without driving others out; None when it is not known."""
    free: int | None = None
    if sys.platform != "win32":
        free = _free_memory()
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            free = limit if free is None else min(free, limit)
    return free


def _free_memory() -> int | None:
    try:
        # Linux: counts what its own caches would give back, which sysconf does not.
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        kilobytes = [line.split()[1] for line in lines if line.startswith("MemAvailable:")]
        if kilobytes:
            return int(kilobytes[0]) * 1024
    except OSError:
        pass  # not Linux: ask the standard way
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


ENDINGS = (
    ("SIGINT", "stopped by Ctrl-C", 130),
    ("SIGTERM", "the program was told to end", 143),
    ("SIGHUP", "the terminal was closed", 129),
    ("SIGQUIT", "stopped by Ctrl-\\", 131),
    # Suspended, this program could not see that something goes wrong: Ctrl-Z stops the play, it does not pause it.
    ("SIGTSTP", "stopped by Ctrl-Z (a play cannot be suspended)", 148),
)
"""Signals that end a play: why, and the exit code."""


@contextmanager
def endings(loop: asyncio.AbstractEventLoop, stop: Callable[[str, int], None]) -> Iterator[None]:
    """While inside, signals that would end or suspend the program call ``stop(why, exit code)`` in the loop's thread.

    The exit code is 128 and the signal's number, as shells have it.
    On Windows nothing is changed: there Ctrl-C ends the program, and the guardian does the rest. Nor is it in a thread
    other than the main one, which alone hears of signals.
    """
    numbers = []
    if sys.platform != "win32" and threading.current_thread() is threading.main_thread():
        for name, why, code in ENDINGS:
            number = getattr(signal, name)
            loop.add_signal_handler(number, stop, why, code)
            numbers.append(number)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


async def typed_line(terminal: TextIO) -> str:
    """The next line that is typed on a terminal, as it is; empty when the terminal is closed. May be cancelled.

    On Windows the thread that reads stays behind after a cancellation, and takes the next line.
    """
    import asyncio

    if sys.platform == "win32":
        return await asyncio.to_thread(terminal.readline)
    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def ready() -> None:
        loop.remove_reader(terminal)
        try:
            # A terminal gives one line at a time, however much is typed ahead.
            data = os.read(terminal.fileno(), LONGEST_LINE_BYTES)
        except OSError:
            data = b""
        if not typed.done():
            typed.set_result(data)

    loop.add_reader(terminal, ready)
    try:
        return (await typed).decode(errors="replace")
    finally:
        loop.remove_reader(terminal)


def forget_typed(terminal: TextIO) -> None:
    """Throw away what was typed on a terminal and not read yet; what is no terminal keeps everything.

    In the background nothing is touched: what is typed there is another program's.
    """
    if not _is_terminal(terminal):
        return
    if sys.platform == "win32":
        import msvcrt

        while msvcrt.kbhit():
            msvcrt.getwch()
    elif _in_front(terminal):
        with suppress(termios.error):  # the terminal is gone: nothing is typed there any more
            termios.tcflush(terminal, termios.TCIFLUSH)


@contextmanager
def keys_unseen(terminal: TextIO) -> Iterator[None]:
    """While inside, what is typed on a terminal is not shown there, and is thrown away in the end.

    The keys that send a signal go on doing so. On Windows, and in the background, nothing is changed.
    """
    if sys.platform == "win32" or not _is_terminal(terminal) or not _in_front(terminal):
        yield
        return
    try:
        before = termios.tcgetattr(terminal)
        quiet = [*before]
        quiet[_LOCAL_MODES] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(terminal, termios.TCSANOW, quiet)
    except termios.error:  # the terminal is gone: nothing is typed there any more
        yield
        return
    try:
        yield
    finally:
        # Put into the background meanwhile, the system would suspend us for this.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with suppress(termios.error):
                termios.tcsetattr(terminal, termios.TCSAFLUSH, before)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def unseen_line(terminal: TextIO, question: str) -> str:
    """A line that is typed on a terminal after a question on standard error, and not shown there.

    It is empty when the terminal is closed. Whatever was typed before the question is thrown away.
    """
    print(question, end="", file=sys.stderr, flush=True)
    if sys.platform == "win32":
        import getpass

        return getpass.getpass("")
    before = termios.tcgetattr(terminal)
    quiet = [*before]
    quiet[_LOCAL_MODES] &= ~termios.ECHO
    quiet[_LOCAL_MODES] |= termios.ECHONL
    termios.tcsetattr(terminal, termios.TCSAFLUSH, quiet)
    try:
        return terminal.readline()
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)


def _is_terminal(stream: TextIO) -> bool:
    return not stream.closed and stream.isatty()


def _in_front(terminal: TextIO) -> bool:
    """Whether what is typed there is for this program, as far as the shell that started it says."""
    if sys.platform == "win32":
        return True
    try:
        return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:  # the terminal of no shell
        return True


def user_name() -> str:
    """Who uses this program, as the system names them; empty when it does not."""
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name, as in a container
        return ""


def interrupt_main_thread() -> None:
    """As if Ctrl-C were pressed: also where the main thread waits for the system."""
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
