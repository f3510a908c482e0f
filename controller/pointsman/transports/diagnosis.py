"""What keeps a serial port from being used, and the cure of each. Nothing is opened and nothing is changed."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pointsman import posix
from pointsman.errors import PortError
from pointsman.transports.ports import PortInfo, look_at

USB_DEVICES = Path("/sys/bus/usb/devices")
"""Where Linux tells what is plugged in."""

PROBING = "ModemManager"
GRABBING = "brltty"

_SERIAL_CHIPS: dict[str, tuple[str, frozenset[str]]] = {
    "1a86": ("CH340", frozenset({"7522", "7523", "5523", "55d3", "55d4"})),
    "0403": ("FTDI", frozenset({"6001", "6010", "6011", "6014", "6015"})),
    "10c4": ("CP210x", frozenset({"ea60", "ea70", "ea71"})),
    "2341": ("Arduino", frozenset()),
    "2a03": ("Arduino", frozenset()),
}
"""USB numbers of makers, and of their chips that are serial ports (none named: all)."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong with a port, or may be, and what to do. ``barred``: because of it the port cannot be used."""

    what: str
    cure: str
    barred: bool = True


BUILT_IN = "a built-in port, hardly a command station"
MISSING = Trouble("there is no such port", "plug the cable in; `pointsman ports` lists what is there")

NO_PORT = Trouble("this is no serial port", "`pointsman ports` lists what is there")


def check_port(path: str) -> None:
    """Raise PortError for what can be seen of a port without opening it: missing, none, not permitted, or held."""
    check_there(path)
    for trouble in troubles(look_at(path)):
        if trouble.barred:
            raise port_error(path, trouble)


def check_there(path: str) -> None:
    """Raise PortError when there is no such port, or it is none."""
    if os.name == "posix" and not os.path.exists(path):  # noqa: PTH110 - a bad path is answered, not raised
        raise port_error(path, MISSING)
    if not posix.may_be_terminal(path):
        raise port_error(path, NO_PORT)


def port_error(path: str, trouble: Trouble) -> PortError:
    """What bars a port, as an error."""
    return PortError(trouble.what, where=path, cure=trouble.cure)


def built_in(path: str) -> bool:
    """Is it a port of the computer itself, as Linux names it? Many computers list some that lead nowhere."""
    return re.fullmatch(r"ttyS[0-9]+", os.path.basename(os.path.realpath(path))) is not None  # noqa: PTH119


def troubles(port: PortInfo) -> list[Trouble]:
    """Everything that keeps this user from using a port as it is now; none if nothing does."""
    found = []
    if built_in(port.path):
        found.append(Trouble(BUILT_IN, "a board at a USB cable is named ttyACM or ttyUSB", barred=False))
    if not port.permitted:
        found.append(not_permitted(port))
    # A simulated station may well keep both ends of its own pseudo-terminal open, which bars nobody.
    if any(not holder.other_end for holder in port.holders):
        found.append(held(port))
    elif not posix.sees_all_processes():
        found.append(
            Trouble(
                "held by no program of yours; what other users' programs hold is hidden from you",
                f"sudo fuser -v {port.path} names them",
                barred=False,
            )
        )
    return found


def not_permitted(port: PortInfo) -> Trouble:
    """A port that this user may not open."""
    return Trouble("you have no permission to open it", permission_cure(port))


def held(port: PortInfo) -> Trouble:
    """A port that is held, and by whom, as far as this user may know."""
    if not port.holders:
        return Trouble(
            "another program holds it (of another user: its name is hidden)", f"sudo fuser -v {port.path} names it"
        )
    own = os.getpid()
    named = [one for one in port.holders if not one.other_end] or port.holders
    who = ", ".join(f"this program itself (process {own})" if one.pid == own else str(one) for one in named)
    return Trouble(f"held by {who}", _holder_cure(port))


def rivals(path: str) -> list[posix.Holder]:
    """The other programs that have a port open now."""
    return [holder for holder in posix.holders(path) if holder.pid != os.getpid() and not holder.other_end]


def permission_cure(port: PortInfo) -> str:
    """How this user gets the permission to open a port."""
    group = port.group
    try:
        mode = Path(port.path).stat().st_mode
    except OSError:
        return MISSING.cure
    if not group:
        return f"it has no group that you could join: sudo chmod a+rw {port.path}, each time it is plugged in"
    if stat.S_IMODE(mode) & 0o060 != 0o060:
        return f"its group {group} may not use it either: sudo chmod a+rw {port.path}, each time it is plugged in"
    if posix.listed_in_group(group) and not posix.in_group(group):
        return f"you have joined its group {group} since you logged in: log out and in again"
    return f"join its group: sudo usermod -a -G {group} $USER, then log out and in again"


def _holder_cure(port: PortInfo) -> str:
    programs = {holder.program for holder in port.holders}
    if any(program.startswith(GRABBING) for program in programs):
        return "brltty takes USB-serial chips for braille displays: sudo apt remove brltty"
    if PROBING in programs:
        return (
            "it tries every new port for a modem: wait half a minute, or for good: "
            "sudo systemctl disable --now ModemManager"
        )
    return "close that program, then try again"


def meddlers() -> list[Trouble]:
    """Programs that run now and are known to take or disturb ports of command stations."""
    return [
        Trouble(f"{holder} runs: {what}", cure, barred=False)
        for program, (what, cure) in _MEDDLERS.items()
        for holder in posix.running(program)
    ]


_MEDDLERS = {
    PROBING: (
        "it takes a port for some seconds when it is plugged in, and sends modem commands",
        "if a port is held, or the station behaves oddly then: sudo systemctl disable --now ModemManager",
    ),
    GRABBING: (
        "it takes USB-serial chips (CH340 and others) for braille displays",
        "if your board has no port: sudo apt remove brltty, then plug the board in again",
    ),
}


def grabbers() -> list[posix.Holder]:
    """Programs that run now and take USB-serial chips away from everybody else."""
    return posix.running(GRABBING)


def boards_without_port(takers: Sequence[posix.Holder], devices: Path = USB_DEVICES) -> list[Trouble]:
    """USB-serial chips that are plugged in and have no port (Linux); ``takers`` are the ``grabbers``."""
    found = []
    for device in sorted(devices.iterdir()) if devices.is_dir() else []:
        maker, product = _number(device / "idVendor"), _number(device / "idProduct")
        chip, products = _SERIAL_CHIPS.get(maker, ("", frozenset()))
        if not chip or (products and product not in products):
            continue
        if [*device.glob("*:*/ttyUSB*"), *device.glob("*:*/tty/tty*")]:
            continue
        cure = (
            f"{takers[0]} has taken it for a braille display: sudo apt remove brltty, then plug it in again"
            if takers
            else "plug it in again, then `sudo dmesg` says why it has none"
        )
        found.append(Trouble(f"a board with a {chip} chip (USB {maker}:{product}) is plugged in and has no port", cure))
    return found


def _number(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip().lower()
    except (OSError, UnicodeDecodeError):
        return ""  # no such number: a hub's port, or it was just unplugged
