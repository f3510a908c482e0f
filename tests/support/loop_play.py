"""Test support: the real dispatcher and driver play a puzzle through the node's compiled firmware, in virtual time.

The board runs in lockstep with the simulated layout, and both in the time of the event loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from avr_node import AvrSide, DcHidden
from avrsim import Board
from loop_bench import eeprom_of, firmware

from pointsman.app import Witness, asked
from pointsman.dispatch.control import Status
from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.node import NodeDriver
from pointsman.messages import Event
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.choice import Chosen, choose
from pointsman.solver.search import solve
from pointsman.track.builtin import find_wiring
from pointsman.track.driven import as_driven
from pointsman.track.model import End, Track
from pointsman.track.wiring import NodeBoard, TurnoutKind, Wiring
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.base import Transport
from pointsman.transports.memory import memory_pair
from pointsman.transports.tcp import TcpTransport
from railsim.board_side import Machines
from railsim.clock import VirtualLoop, run_virtual
from railsim.embed import Simulation
from railsim.faults import parse_fault
from railsim.incidents import WorldEvent
from railsim.node_firmware import SERVO, SOLENOID
from railsim.node_wiring import in_order
from railsim.setup import Setup
from railsim.truth import Truth
from railsim.world import World

HARDWARE = {"inglenook-small": "uno-dc", "inglenook": "uno-dc", "timesaver": "mega-dc"}
RUNS_ON_S = 4.0
FAST_MM_S = 60.0
LOOKS_EVERY_S = 0.01


def wired_board(board: Board, wiring: Wiring) -> Callable[[World, Machines, Callable[[bool], None]], AvrSide]:
    """What makes the side of a board to which everything of a wiring is wired."""
    (made,) = wiring.stations.values()
    assert made.node is not None, "a wiring of a node"
    node = made.node

    return lambda world, machines, set_power: AvrSide(
        world,
        board,
        turnouts=in_order(wiring.turnouts.items(), node.places.turnouts),
        beams=in_order(wiring.beams.items(), node.places.beams),
        magnets=in_order(wiring.uncouplers.items(), node.places.magnets),
        locomotive=next(iter(wiring.locomotives)),
        solenoids=[name for name, one in wiring.turnouts.items() if one.kind is TurnoutKind.SOLENOID],
        kind=node.board,
        machines=machines,
        set_power=set_power,
    )


@dataclass
class LoopPlay:
    """One play to be; everything that happened is in it afterwards.

    ``folder`` keeps what all plays need: the EEPROM of a node that is set up, and the solver's tables. ``when_fast`` is
    done once the train goes at ``FAST_MM_S``. ``faults`` strike the layout, each at its moment. With ``solenoids``
    every turnout has one, not a servo. ``make_driver`` may make a driver that fails somehow. ``over_tcp``: the board is
    at a port of this computer's own network. Otherwise ``to_board`` and ``to_host`` may change what passes on the
    cable. ``there`` is what happened on the layout.
    """

    folder: Path
    journal: Path
    puzzle: str = "inglenook-small/classic"
    seed: str = "1"
    facing: End = End.TO
    when_fast: Callable[[LoopPlay], None] | None = None
    faults: Sequence[str] = ()
    solenoids: bool = False
    make_driver: Callable[..., NodeDriver] = NodeDriver
    over_tcp: bool = False
    to_board: Callable[[bytes], bytes] = bytes
    to_host: Callable[[bytes], bytes] = bytes

    events: list[Event] = field(default_factory=list)
    statuses: list[Status] = field(default_factory=list)
    there: list[WorldEvent] = field(default_factory=list)
    simulation: Simulation = field(init=False)
    board: Board = field(init=False)
    chosen: Chosen = field(init=False)
    truth: Truth = field(init=False)
    driver: NodeDriver = field(init=False)
    witness: Witness | None = None
    duration_s: float = 0.0

    def play(self) -> LoopPlay:
        """Play to the end; raises what the dispatcher raises. The layout then runs on for a while."""
        self.chosen = choose(self.puzzle, seed=self.seed)
        layout = self.puzzle.partition("/")[0]
        wiring = load_wiring(find_wiring(self.chosen.folder, HARDWARE[layout]), self.chosen.track)
        track = as_driven(self.chosen.track, wiring)
        if self.solenoids:
            turnouts = {name: replace(one, kind=TurnoutKind.SOLENOID) for name, one in wiring.turnouts.items()}
            wiring = replace(wiring, turnouts=turnouts)
        eeprom = partial(eeprom_of, machine=SOLENOID if self.solenoids else SERVO)
        made = wiring.stations["node"].node
        kind = str(made.board if made is not None else NodeBoard.UNO)
        with Board(kind, firmware(kind), "--no-reset-on-open", eeprom=eeprom(self.folder, kind)) as self.board:
            run_virtual(self._play(track, wiring))
        return self

    @property
    def world(self) -> World:
        """The layout, now."""
        self.simulation.truth()
        return self.simulation.world

    def pull(self) -> None:
        """Pull the cable: nothing that the program says is heard any more, as when it is killed."""
        self._far.listen(lambda _: None, lambda _: None)

    async def _play(self, track: Track, wiring: Wiring) -> None:
        loop = asyncio.get_running_loop()
        puzzle, start = self.chosen.puzzle, self.chosen.start
        runs = solve(puzzle.track, puzzle.start, self.chosen.goal, puzzle.count, cache=self.folder / "cache").runs
        self.simulation = Simulation(
            track,
            wiring,
            Setup.parse(str(start), facing={"L": self.facing}),
            hidden=DcHidden(sum(self.seed.encode())),
            on_event=self.there.append,
            faults=[parse_fault(fault) for fault in self.faults],
            boards={"node": wired_board(self.board, wiring)},
        )
        host = await (self._network() if self.over_tcp else self._cable())
        allow = Allowances()
        belief = at_setup(track, start, self.facing, allow.mark_error_mm, allow.setup_error_mm)
        journal = Journal(self.journal, lambda why: None)
        self.driver = self.make_driver(host, wiring, emit=self._receive)
        planner = Planner(track, wiring, allow)
        self.dispatcher = Dispatcher(
            track, planner, self.driver, journal, belief, allow=allow, show=self.statuses.append
        )
        if self.when_fast is not None:
            loop.call_later(LOOKS_EVERY_S, self._look, self.when_fast)
        try:
            await self.driver.open()
            final = await self.dispatcher.play(runs)
            self.witness = asked(self.simulation, self.chosen, final.position)
        finally:
            self.duration_s = loop.time()
            await asyncio.sleep(RUNS_ON_S)
            self.truth = self.simulation.truth()
            await self.driver.close()
            self.dispatcher.close()
            await self.simulation.close()
            journal.close()

    async def _cable(self) -> Transport:
        host, self._far = memory_pair("the board's cable")
        await self._far.open()

        def up(data: bytes) -> None:
            if self._far.is_open:
                self._far.write(self.to_host(data))

        link = self.simulation.memory(up, station="node")
        self._far.listen(lambda data: link.write(self.to_board(data)), lambda _: None)
        return host

    async def _network(self) -> Transport:
        """The clock stands still while bytes are on their way."""
        server = await self.simulation.serve_tcp(station="node")
        host = TcpTransport("127.0.0.1", server.port)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        loop.hold_while(
            lambda: (
                host.is_open and (host.sent_bytes, host.received_bytes) != (server.received_bytes, server.sent_bytes)
            )
        )
        return host

    def _look(self, act: Callable[[LoopPlay], None]) -> None:
        if self.world.speed_mm_s("L") >= FAST_MM_S:
            act(self)
        else:
            asyncio.get_running_loop().call_later(LOOKS_EVERY_S, self._look, act)

    def _receive(self, event: Event) -> None:
        self.events.append(event)
        self.dispatcher.receive(event)
