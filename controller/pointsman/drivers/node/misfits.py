"""What a wiring wants of a node and does not find there: what is fitted, and how it is set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pointsman.drivers.node.addresses import Addresses, Beam, Coil, Points
from pointsman.protocols import node_messages as m
from pointsman.protocols.node_constants import BOARDS, MACHINES, Board, Machine, Setting
from pointsman.track.wiring import TurnoutKind

LONGEST_HEARTBEAT_MS = 1000
"""So long a train may run with nobody there: 100 mm at the highest speed. It is what a node waits by itself."""
_MACHINES = {m.machine_number(machine): told for machine, told in MACHINES.items()}
_WANTED = {TurnoutKind.SERVO: Machine.SERVO, TurnoutKind.SOLENOID: Machine.SOLENOID}
UPLOAD = "put the firmware of this program on it: pointsman node flash (firmware/README.md)"

Settings = Mapping[tuple[Setting, int], int]
"""How a node is set, by the setting and the number of its turnout or beam; 0 for the node."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """What does not fit, and what to do. ``thing`` is what of the wiring it concerns (``turnout T1``), if one does."""

    thing: str
    what: str
    cure: str


def of_board(addresses: Addresses, about: m.About) -> list[Misfit]:
    """What is wired, and not fitted."""
    wired = Board(addresses.made.board)
    if about.board is not wired:
        what = f"it is an {BOARDS[about.board]}, and the wiring has an {BOARDS[wired]}"
        return [Misfit("", what, "is this its port? If so, correct `board` in the hardware file")]
    groups: tuple[tuple[str, Mapping[int, Points | Beam | Coil], int], ...] = (
        ("turnout", addresses.turnouts, about.turnouts),
        ("beam", addresses.beams, about.beams),
        ("magnet", addresses.magnets, about.magnets),
    )
    found = [
        Misfit(f"{what} {one.name}", f"{what} {number} is wired, and the node has pins for {fitted}", UPLOAD)
        for what, things, fitted in groups
        for number, one in sorted(things.items(), reverse=True)
        if number > fitted
    ]
    engine = addresses.locomotive
    if engine and not about.dc:
        found.append(
            Misfit(f"locomotive {engine}", f"locomotive {engine} runs on DC, and the node has no throttle", UPLOAD)
        )
    if addresses.made.relay and not about.relay:
        found.append(Misfit("", "the wiring has a relay in the track's feed, and the node has none", UPLOAD))
    return found


def wanted_settings(addresses: Addresses) -> list[tuple[Setting, int]]:
    """The settings that ``of_settings`` looks at."""
    wanted = [(Setting.HEARTBEAT_MS, 0), *((Setting.MACHINE, number) for number in addresses.turnouts)]
    if addresses.magnets:
        wanted.append((Setting.MAGNET_MS, 0))
    if addresses.needs_watchdog:
        wanted.append((Setting.WATCHDOG, 0))
    return wanted


def of_settings(addresses: Addresses, settings: Settings) -> Iterator[Misfit]:
    """What is wired, and set otherwise at the node."""
    heartbeat_ms = settings[Setting.HEARTBEAT_MS, 0]
    if heartbeat_ms > LONGEST_HEARTBEAT_MS:
        yield Misfit(
            "",
            f"the node would let trains run on for {heartbeat_ms} ms when this program dies, and no train may run "
            f"unwatched for longer than {LONGEST_HEARTBEAT_MS} ms",
            f"set heartbeat_ms to {LONGEST_HEARTBEAT_MS} or less (pointsman node setup), and store it",
        )
    for number, points in addresses.turnouts.items():
        machine, wanted = settings[Setting.MACHINE, number], m.machine_number(_WANTED[points.kind])
        if machine != wanted:
            found = _MACHINES.get(machine, f"{machine}, whatever that is")
            what = f"turnout {points.name} ({number}) is set to machine {machine} ({found}) at the node"
            has = f"and the wiring has {_MACHINES[wanted]} ({wanted})"
            cure = (
                f"set it (pointsman node setup: machine {number} {_WANTED[points.kind]}, then store), or correct the "
                "hardware file"
            )
            yield Misfit(f"turnout {points.name}", f"{what}, {has}", cure)
    for magnet in addresses.magnets.values():
        longest_ms = settings[Setting.MAGNET_MS, 0]
        if magnet.on_ms > longest_ms:
            yield Misfit(
                f"magnet {magnet.name}",
                f"magnet {magnet.name} is held for {magnet.on_ms} ms, and the node allows {longest_ms}",
                "make hold_s in the hardware file shorter, or magnet_ms of the node longer, if the coil bears it",
            )
    engine = addresses.locomotive
    if addresses.needs_watchdog and not settings[Setting.WATCHDOG, 0]:
        yield Misfit(
            f"locomotive {engine}",
            f"the node's watchdog is off, and no relay lies in the track's feed: nothing is sure to stop {engine} when "
            "the node's program hangs",
            "let pointsman node setup try the watchdog (watchdog, then store); where the board does not come back from "
            "it, lead the track through the node's relay and write relay = true (firmware/README.md)",
        )
