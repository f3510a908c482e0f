"""A simulated node as a wiring has it: what is at each of its pins, and how somebody has set it up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from pointsman.protocols.node_constants import Board, Setting
from pointsman.track.wiring import BeamWiring, TurnoutKind, TurnoutWiring, UncouplerKind, UncouplerWiring, Wiring
from railsim.breakdowns import Breakdowns
from railsim.node import BOOT_S
from railsim.node_board import Fitted, Memory
from railsim.node_firmware import SOLENOID
from railsim.node_side import NodeSide, set_up
from railsim.world import World

WiredT = TypeVar("WiredT", TurnoutWiring, BeamWiring, UncouplerWiring)


def wired_node(
    name: str,
    world: World,
    wiring: Wiring,
    breakdowns: Breakdowns,
    set_power: Callable[[bool], None],
    *,
    boot_s: float = BOOT_S,
) -> NodeSide:
    """The node that a wiring's station is, as its board has pins, with everything that the wiring has at them."""
    made = wiring.stations[name].node
    assert made is not None, "a wiring says what board a node is"
    turnouts = [(n, w) for n, w in wiring.turnouts.items() if w.station == name and w.kind is not TurnoutKind.HAND]
    beams = [(n, w) for n, w in wiring.beams.items() if w.station == name]
    magnets = [(n, w) for n, w in wiring.uncouplers.items() if w.station == name and w.kind is UncouplerKind.COIL]
    places = made.places
    fitted = Fitted(Board(made.board), places.turnouts, places.beams, places.magnets, dc=True, relay=True)
    return NodeSide(
        world,
        turnouts=in_order(turnouts, places.turnouts),
        beams=in_order(beams, places.beams),
        magnets=in_order(magnets, places.magnets),
        locomotive=next((n for n, w in wiring.locomotives.items() if w.station == name), ""),
        relay=made.relay,
        memory=_as_wired(fitted, turnouts, magnets, watched=name in wiring.needs_watchdog),
        set_power=set_power,
        fitted=fitted,
        inverted=[n for n, w in turnouts if w.inverted],
        inverted_beams=[n for n, w in beams if w.inverted],
        throw=breakdowns.turnout,
        throttle=breakdowns.throttle,
        boot_s=boot_s,
    )


def in_order(wired: Iterable[tuple[str, WiredT]], places: int) -> list[str]:
    """The name at each place, from 1 on; empty where nothing is."""
    names = [""] * places
    for name, one in wired:
        if one.number is not None:
            names[one.number - 1] = name
    return names


def _as_wired(
    fitted: Fitted,
    turnouts: Iterable[tuple[str, TurnoutWiring]],
    magnets: Iterable[tuple[str, UncouplerWiring]],
    *,
    watched: bool,
) -> Memory:
    """Set up for the machines that are wired, and for as long as each magnet is held; ``watched`` by its watchdog."""
    memory = set_up(fitted)
    assert memory.stored is not None, "somebody has set it up"
    for _, turnout in turnouts:
        if turnout.kind is TurnoutKind.SOLENOID:
            memory.stored[Setting.MACHINE, turnout.number] = SOLENOID
    memory.stored[Setting.WATCHDOG, 0] = int(watched)
    longest_ms = max((round(one.hold_s * 1000) for _, one in magnets), default=0)
    memory.stored[Setting.MAGNET_MS, 0] = max(memory.stored[Setting.MAGNET_MS, 0], longest_ms)
    return memory
