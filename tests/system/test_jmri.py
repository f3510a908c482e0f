"""JMRI over real websockets: whole plays, servers that go and come back, programs that are killed."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from jmri_bench import PLAIN, START, TRACK
from programs import Program, RailSim, quick_layout, running, tool

from pointsman.dispatch.dispatcher import Dispatcher
from pointsman.dispatch.journal import Journal
from pointsman.drivers.jmri import JmriDriver
from pointsman.drivers.jmri.link import Link
from pointsman.errors import LinkLostError, PortError
from pointsman.messages import Accepted, Drive, Event, LinkLost, LinkUp, SetPower
from pointsman.operate.allowances import Allowances
from pointsman.operate.belief import at_setup
from pointsman.operate.plan import Planner
from pointsman.puzzle.choice import choose
from pointsman.puzzle.goal import parse_goal
from pointsman.record import read as read_journal
from pointsman.solver.search import solve
from pointsman.track.model import End
from pointsman.transports.websocket import WebSocketTransport
from railsim.clock import VirtualLoop, run_virtual
from railsim.embed import Simulation
from railsim.incidents import BeamChanged, Stopped
from railsim.jmri_station import HEARTBEAT_S
from railsim.setup import Setup

pytestmark = pytest.mark.system

WITHIN_S = 20.0
"""Only a failure waits so long."""


def test_a_whole_play_over_real_websockets_ends_with_truth_and_goal_one(tmp_path: Path) -> None:
    chosen = choose("inglenook-small")
    goal = parse_goal("s1: 3 1 2", TRACK, chosen.start.vehicles)
    plan = solve(TRACK, chosen.start, goal, chosen.puzzle.count, cache=tmp_path).runs

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        simulation = Simulation(TRACK, PLAIN, Setup.parse(str(chosen.start)), seed=2)
        server = await simulation.serve_jmri()
        link = WebSocketTransport("127.0.0.1", server.port)
        loop.hold_while(
            lambda: (
                link.is_open and (link.sent_bytes, link.received_bytes) != (server.received_bytes, server.sent_bytes)
            )
        )
        events: list[Event] = []

        def receive(event: Event) -> None:
            events.append(event)
            dispatcher.receive(event)

        allow = Allowances()
        driver = JmriDriver(link, PLAIN, emit=receive)
        journal = Journal(tmp_path / "play.journal", lambda why: dispatcher.halt(why))  # noqa: PLW0108 - made later
        belief = at_setup(TRACK, chosen.start, End.TO, allow.mark_error_mm, allow.setup_error_mm)
        planner = Planner(TRACK, PLAIN, allow)
        dispatcher = Dispatcher(TRACK, planner, driver, journal, belief, allow=allow, show=lambda _: None)
        await driver.open()
        final = await dispatcher.play(plan)
        await driver.close()
        dispatcher.close()
        journal.close()
        truth = simulation.truth()
        assert goal.reached(final.position, TRACK.locomotives)
        assert [v.name for v in truth.on["s1"]] == ["3", "1", "2"]
        assert simulation.incidents == []
        assert not truth.moving
        assert not [e for e in events if isinstance(e, LinkLost)]
        await simulation.close()

    run_virtual(main())


class Ear:
    """Events, of a driver or of the world, and waiting for them."""

    def __init__(self) -> None:
        self.events: list[object] = []
        self._changed = asyncio.Event()

    def __call__(self, event: object) -> None:
        self.events.append(event)
        self._changed.set()

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(WITHIN_S):
            while not true():
                self._changed.clear()
                await self._changed.wait()

    async def hears(self, kind: type, count: int = 1) -> object:
        await self.until(lambda: sum(isinstance(e, kind) for e in self.events) >= count)
        return [e for e in self.events if isinstance(e, kind)][count - 1]


async def begun(simulation: Simulation) -> tuple[JmriDriver, Ear, Callable[[], Awaitable[None]], int]:
    """A driver that drives over a real websocket, and what ends it."""
    server = await simulation.serve_jmri()
    ear = Ear()
    driver = JmriDriver(WebSocketTransport("127.0.0.1", server.port), PLAIN, emit=ear)
    await driver.open()
    driver.send(SetPower(True), 1)
    driver.send(Drive("L", True, 10), 2)
    await ear.hears(Accepted, 2)
    return driver, ear, server.close, server.port


async def test_a_server_that_closes_is_a_lost_link_and_a_new_one_is_asked_everything_again() -> None:
    simulation = Simulation(TRACK, PLAIN, Setup.parse(START))
    driver, ear, close, port = await begun(simulation)
    await close()
    lost = await ear.hears(LinkLost)
    assert isinstance(lost, LinkLost)
    assert lost.why.startswith("closed by JMRI (code 1001")
    assert driver.link is Link.CLOSED
    with pytest.raises(PortError, match="cannot connect"):
        await driver.open()
    await simulation.serve_jmri(port)
    await driver.open()
    await ear.hears(LinkUp, 2)
    assert driver.halted
    await driver.close()
    await simulation.close()


async def test_a_server_that_stands_still_is_a_lost_link_long_before_jmri_would_notice() -> None:
    world = Ear()
    simulation = Simulation(TRACK, PLAIN, Setup.parse(START), on_event=world)
    driver, ear, _, _ = await begun(simulation)
    simulation.station.frozen = True  # type: ignore[union-attr]
    began = time.monotonic()
    lost = await ear.hears(LinkLost)
    assert time.monotonic() - began < HEARTBEAT_S / 2
    assert isinstance(lost, LinkLost)
    assert "not answered a ping" in lost.why
    await driver.close()
    simulation.jog(lambda: setattr(simulation.station, "frozen", False))
    await world.hears(Stopped)
    await simulation.close()


async def test_a_page_that_jmri_does_not_have_is_no_json_server() -> None:
    simulation = Simulation(TRACK, PLAIN, Setup.parse(START))
    server = await simulation.serve_jmri()
    with pytest.raises(PortError, match="no JSON server"):
        await WebSocketTransport("127.0.0.1", server.port, "/panel/").open()
    with pytest.raises(PortError, match="cannot listen"):
        await simulation.serve_jmri(server.port)
    await simulation.close()


async def test_a_connection_that_breaks_while_it_is_set_up_leaves_nothing_open() -> None:
    simulation = Simulation(TRACK, PLAIN, Setup.parse(START))
    server = await simulation.serve_jmri()
    simulation.station.frozen = True  # type: ignore[union-attr] # greeted, and then nothing
    driver = JmriDriver(WebSocketTransport("127.0.0.1", server.port), PLAIN, emit=lambda _: None)
    opening = asyncio.create_task(driver.open())
    asyncio.get_running_loop().call_later(0.2, lambda: closing.append(asyncio.create_task(server.close())))
    closing: list[asyncio.Task[None]] = []
    with pytest.raises(LinkLostError, match="closed by JMRI"):
        await opening
    await closing[0]
    assert driver.link is Link.CLOSED
    await simulation.close()


# ---------------------------------------------------------------- real processes


CONTROLLER = """
import asyncio, sys
from pointsman.drivers.jmri import JmriDriver
from pointsman.messages import Accepted, Drive, SetPower
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.websocket import WebSocketTransport

async def main(port):
    folder = find_layout("inglenook-small")
    wiring = load_wiring(find_wiring(folder, "jmri"), load_layout(folder))
    driving = asyncio.Event()
    def hear(event):
        if event == Accepted(event.t_s, 2):
            driving.set()
    driver = JmriDriver(WebSocketTransport("127.0.0.1", port), wiring, emit=hear)
    await driver.open()
    driver.send(SetPower(True), 1)
    driver.send(Drive("L", True, 20), 2)
    await driving.wait()
    print("driving", flush=True)
    await asyncio.Event().wait()

asyncio.run(main(int(sys.argv[1])))
"""


async def test_the_kernel_closes_the_connection_of_a_killed_program_and_jmri_stops_its_locomotive() -> None:
    """Without any guardian."""
    world = Ear()
    simulation = Simulation(TRACK, PLAIN, Setup.parse(START), on_event=world)
    server = await simulation.serve_jmri()
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-c", CONTROLLER, str(server.port), stdout=subprocess.PIPE
    )
    try:
        assert program.stdout is not None
        async with asyncio.timeout(30):
            assert await program.stdout.readline() == b"driving\n"
        await world.hears(BeamChanged)
        program.kill()
        killed_s = time.monotonic()
        await world.hears(Stopped)
        assert time.monotonic() - killed_s < HEARTBEAT_S / 2, "because of the closed connection, not for its silence"
        assert simulation.world.powered, "the power is left on: only the guardian cuts it"
    finally:
        if program.returncode is None:
            program.kill()
        await program.wait()
    await simulation.close()


def playing(folder: Path, port: int) -> Program:
    """A play behind JMRI; the person is asked, and says yes."""
    return Program(
        tool("pointsman"),
        *("play", str(folder / "quick"), "--seed", "3", "--on", f"jmri:127.0.0.1:{port}", "--hardware", "jmri"),
        *("--facing", "to", "--journal", str(folder / "play.journal")),
        env={"POINTSMAN_CACHE_DIR": str(folder / "cache")},
    )


def under_way(play: Program) -> None:
    play.expect("everybody clear")
    play.answer("y")
    play.expect(r"run 1 of \d+: drive")


def moves(sim: RailSim) -> None:
    """Wait until the first run, after the proving move, moves the locomotive; what was said until then is forgotten."""
    sim.expect(r"L stands[\s\S]*beam \w+ (broken|free)")
    sim.text = ""


def stands(sim: RailSim) -> None:
    """Nothing moves, nothing was bumped."""
    truth = sim.finish()
    assert truth["moving"] == []
    assert truth["incidents"] == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_play_that_is_ended_stops_its_train(tmp_path: Path, number: int, code: int) -> None:
    layout = quick_layout(tmp_path)
    with running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout, jmri=True)) as sim:
        with running(lambda: playing(tmp_path, sim.tcp_port)) as play:
            under_way(play)
            moves(sim)
            play.signal(number)
            assert play.ends() == code
        sim.expect(r"L stands")
        stands(sim)
    assert read_journal(tmp_path / "play.journal").bad == ""


def test_a_frozen_play_is_stopped_by_its_guardian_and_does_not_go_on(tmp_path: Path) -> None:
    layout = quick_layout(tmp_path)
    with running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout, jmri=True)) as sim:
        with running(lambda: playing(tmp_path, sim.tcp_port)) as play:
            under_way(play)
            moves(sim)
            play.signal(signal.SIGSTOP)
            sim.expect(r"L stands", 3.0)
            play.signal(signal.SIGCONT)
            play.expect(r"go on\? \[y/N\]")
            play.answer("n")
            assert play.ends() == 6
            assert "Traceback" not in play.text
        stands(sim)


def test_a_jmri_that_is_killed_is_told_with_what_to_do(tmp_path: Path) -> None:
    layout = quick_layout(tmp_path)
    with (
        running(lambda: RailSim(tmp_path, "--seed", "5", layout=layout, jmri=True)) as sim,
        running(lambda: playing(tmp_path, sim.tcp_port)) as play,
    ):
        under_way(play)
        sim.signal(signal.SIGKILL)
        play.expect(r"go on\? \[y/N\]")
        play.answer("n")
        assert play.ends() in (5, 6)
        assert "link" in play.text
        assert "Traceback" not in play.text


def test_jmri_that_is_not_there_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    quick_layout(tmp_path)
    with running(lambda: playing(tmp_path, 1)) as play:
        assert play.ends() == 5
        assert "[y/N]" not in play.text
        assert "Start Web Server" in play.text
