"""The driver against a scripted station, on virtual time."""

from __future__ import annotations

import asyncio
import gc
import itertools
from collections.abc import Callable, Coroutine
from dataclasses import replace

import pytest
from driver_bench import WIRING, Bench
from scripted_station import GREETING

from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.dccex.lines import definitions
from pointsman.drivers.dccex.link import Link
from pointsman.errors import LinkLostError, ProtocolError, StationError
from pointsman.messages import (
    Command,
    Drive,
    EmergencyStop,
    ForeignControl,
    LinkChanged,
    LinkLost,
    LinkState,
    LinkUp,
    LocomotiveReported,
    OverCurrent,
    PowerReported,
    SensorChanged,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    StationRestarted,
    Stop,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.wiring import (
    Protocol,
    ServoPositions,
    StationWiring,
    Wiring,
)
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual


def bench(test: Callable[[Bench], Coroutine[None, None, None]]) -> Callable[[], None]:
    """Run a test of an open bench, and close it; no timer may be left behind."""

    async def main() -> None:
        made = await Bench().up()
        await test(made)
        foreign = len(made.of(ForeignControl))
        await made.down()
        assert len(made.of(ForeignControl)) == foreign, "closing is no foreign control"
        before = len(made.events)
        await asyncio.sleep(10)
        assert len(made.events) == before, "a closed driver is silent"

    def run() -> None:
        run_virtual(main())

    run.__name__ = test.__name__
    return run


def doing(b: Bench, since: int) -> list[c.Command]:
    """What the station was told, without the questions."""
    questions = (c.Fence, c.ThrottleQuery, c.ListTurnouts)
    return [command for command in b.station.commands(since) if not isinstance(command, questions)]


# ---------------------------------------------------------------- opening


def opened(prepare: Callable[[Bench], None], wiring: Wiring = WIRING) -> Bench:
    made = Bench(wiring)

    async def main() -> None:
        await made.station.wire.open()
        prepare(made)
        await made.driver.open()
        await asyncio.sleep(0.001)
        made.up_t_s = asyncio.get_running_loop().time()  # type: ignore[attr-defined]
        made.station.up_at = len(made.station.heard)  # type: ignore[attr-defined]
        await made.down()

    run_virtual(main())
    return made


def test_opening_makes_everything_safe_before_anything_else() -> None:
    made = opened(lambda _: None)
    heard = made.station.commands()
    assert heard[:3] == [c.Status(), c.Status(), c.Fence()]
    done = [x for x in heard[3 : made.station.up_at] if not isinstance(x, c.Fence)]  # type: ignore[attr-defined]
    assert done == [
        c.SetOutput(1, False),
        c.SetOutput(2, True),  # inverted
        c.ThrottleQuery(3),
        c.ThrottleQuery(1234),
        c.EmergencyStop(),
        c.Throttle(3, 0, True),
        c.ThrottleQuery(3),
        c.Throttle(1234, 0, True),
        c.ThrottleQuery(1234),
        c.TrackModes(),
        c.TurnoutIds(),
        c.SensorStates(),
    ]
    assert made.station.outputs == {1: False, 2: True}


def test_opening_ends_with_first_states_and_link_up() -> None:
    made = opened(lambda bench: bench.station.sensors.update({1: True}))
    first = [type(e) for e in made.events if not isinstance(e, LinkChanged)][:4]
    assert first == [SensorChanged, SensorChanged, PowerReported, LinkUp]
    assert [(e.sensor, e.active) for e in made.of(SensorChanged)] == [("b1", True), ("b2", True)]
    assert [e.station for e in made.of(LinkUp)] == [GREETING]
    assert not made.of(ForeignControl, TurnoutReported)


def states(bench: Bench) -> list[tuple[LinkState, str]]:
    return [(e.state, e.why) for e in bench.of(LinkChanged)]


def test_the_link_tells_how_it_is_while_it_opens() -> None:
    def reset(bench: Bench) -> None:
        asyncio.get_running_loop().call_later(1.0, bench.station.say, r.Comment("License GPLv3"))
        asyncio.get_running_loop().call_later(2.5, bench.station.restart)

    assert states(opened(reset)) == [
        (LinkState.OPENING, "bench is being opened"),
        (LinkState.BOOTING, "the station talks by itself, as it does when it starts"),
        (LinkState.UP, GREETING),
        (LinkState.CLOSED, "closed"),
    ]


def test_an_answer_that_is_late_puts_the_link_in_doubt_and_one_that_is_overdue_ends_it() -> None:
    async def work() -> Bench:
        bench = await Bench().up()
        loop = asyncio.get_running_loop()
        began = loop.time()
        bench.station.mute = True
        await asyncio.sleep(0.001)
        bench.driver.send(SetTurnout("T1", True), 1)
        await asyncio.sleep(0.7)
        assert states(bench) == [(LinkState.DOUBTFUL, "no answer for 0.5 s")]
        (doubt,) = bench.of(LinkChanged)
        assert doubt.t_s - began == pytest.approx(0.5, abs=0.01)
        await asyncio.sleep(0.5)
        assert states(bench)[1:] == [(LinkState.LOST, "the station has not answered everything within 1 s")]
        await bench.down()
        assert states(bench)[2:] == [(LinkState.CLOSED, "closed")]
        return bench

    run_virtual(work())


def test_a_station_that_restarts_and_a_port_that_goes_are_lost_links() -> None:
    async def work() -> None:
        bench = await Bench().up()
        bench.station.restart()
        await asyncio.sleep(0.01)
        assert states(bench) == [(LinkState.LOST, "the station restarted")]
        bench = await Bench().up()
        await bench.station.wire.close()
        await asyncio.sleep(0.01)
        assert [state for state, _ in states(bench)] == [LinkState.LOST]

    run_virtual(work())


def test_a_board_that_greets_by_itself_is_not_disturbed_before() -> None:
    def reset(bench: Bench) -> None:
        asyncio.get_running_loop().call_later(2.5, bench.station.restart)

    made = opened(reset)
    assert made.station.heard[0][0] >= 2.5


def test_a_board_that_boots_slowly_hears_nothing_while_it_talks() -> None:
    def boot(bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        for t_s in range(1, 9):
            loop.call_later(t_s, bench.station.say, r.Comment("WiFi: still joining"))
        loop.call_later(9, bench.station.restart)

    made = opened(boot)
    assert made.station.raw[0][0] >= 9


def test_a_board_that_is_deaf_for_40_seconds_is_waited_for() -> None:
    def sleep(bench: Bench) -> None:
        bench.station.deaf = True
        asyncio.get_running_loop().call_later(40, setattr, bench.station, "deaf", False)

    made = opened(sleep)
    assert 40 <= made.up_t_s < 45  # type: ignore[attr-defined]
    asked = [t_s for t_s, data in made.station.raw if data == b"<s>"]
    assert {round(b - a, 6) for a, b in itertools.pairwise(asked)} == {2.0}


def test_any_greeting_will_do() -> None:
    def strange(bench: Bench) -> None:
        bench.station.say(r.Greeting("iDCC-EX next generation"))

    made = opened(strange)
    assert made.driver.greeting


@pytest.mark.parametrize(("noise", "cure"), [(b"", "powered"), (b"login: ", "115200")])
def test_nobody_there_is_said_after_a_minute(noise: bytes, cure: str) -> None:
    def silence(bench: Bench) -> None:
        bench.station.say_bytes(noise)
        bench.station.deaf = True

    with pytest.raises(StationError, match="no DCC-EX station") as refusal:
        opened(silence)
    assert cure in refusal.value.cure


def test_what_the_station_does_not_know_is_named_at_once_with_its_cure() -> None:
    def forget(bench: Bench) -> None:
        bench.station.sensors.pop(2)
        bench.station.turnouts.pop(1)
        bench.station.outputs.pop(1)

    with pytest.raises(StationError) as refusal:
        opened(forget)
    text = str(refusal.value)
    for part in (
        "sensor 2 (beam b2)",
        "<S 2 PIN 1>",
        "turnout 1 (T1)",
        "<T 1 SERVO",
        "output 1 (magnet m1)",
        "<Z 1 PIN 2>",
        "PIN is where it is wired to",
    ):
        assert part in text
    assert "T2" not in text


def test_the_line_for_what_is_missing_is_the_one_that_the_doctor_would_write() -> None:
    def forget(bench: Bench) -> None:
        bench.station.sensors.pop(2)
        bench.station.turnouts.pop(1)
        bench.station.outputs.pop(1)

    wired = replace(
        WIRING,
        turnouts={**WIRING.turnouts, "T1": replace(WIRING.turnouts["T1"], pin=100, servo=ServoPositions(340, 275))},
        beams={**WIRING.beams, "b2": replace(WIRING.beams["b2"], pin=23)},
        uncouplers={**WIRING.uncouplers, "m1": replace(WIRING.uncouplers["m1"], pin=30)},
    )
    with pytest.raises(StationError) as refusal:
        opened(forget, wired)
    written = {one.what: one.line for one in definitions(only(wired, "T1", "b2", "m1"), "main", "", "").lines}
    assert written == {"turnout T1": "<T 1 SERVO 100 340 275 2>", "beam b2": "<S 2 23 1>", "magnet m1": "<Z 1 30 2>"}
    for line in written.values():
        assert line in refusal.value.cure
    assert "--define --move" in refusal.value.cure
    assert "PIN" not in refusal.value.cure


def only(wiring: Wiring, *names: str) -> Wiring:
    """The wiring with these machines alone."""
    return replace(
        wiring,
        turnouts={name: made for name, made in wiring.turnouts.items() if name in names},
        beams={name: made for name, made in wiring.beams.items() if name in names},
        uncouplers={name: made for name, made in wiring.uncouplers.items() if name in names},
    )


def test_an_old_station_without_track_manager_and_lists_will_do() -> None:
    async def main() -> None:
        b = Bench()
        b.station.old = True
        await b.up()
        b.driver.send(SetPower(True), 1)
        b.driver.send(SetTurnout("T1", True), 2)
        await asyncio.sleep(3.5)
        assert b.answers() == [(1, True), (2, True)]
        assert [e.on for e in b.of(PowerReported)] == [True]  # type: ignore[attr-defined]
        assert c.Currents() not in b.station.commands()
        assert b.station.commands().count(c.Fence()) > 10, "kept alive by fences alone"
        b.station.say(r.PowerState(True, "PROG"))
        await asyncio.sleep(0.01)
        assert [e.on for e in b.of(PowerReported)] == [True, False]  # type: ignore[attr-defined]
        await b.down()

    run_virtual(main())


def test_a_full_table_of_locomotives_is_refused() -> None:
    with pytest.raises(StationError, match="cab 1234"):
        opened(lambda bench: setattr(bench.station, "slots", 1))


@pytest.mark.parametrize(
    ("never_heard", "what"),
    [(b"<Z 1 0>", "magnet m1 is off"), (b"<t 3 0 1><t 3>", "locomotive L stands")],
)
def test_what_a_station_does_not_confirm_is_asked_three_times_and_not_for_ever(never_heard: bytes, what: str) -> None:
    sent: list[int] = []

    def lose(bench: Bench) -> None:
        def damage(data: bytes) -> bytes:
            sent.append(data.count(never_heard))
            return data.replace(never_heard, b"") if sum(sent) <= 5 else data

        bench.station.lose(damage)

    with pytest.raises(StationError, match=f"does not say that {what}, asked 3 times") as refusal:
        opened(lose)
    assert sum(sent) == 3
    assert "cable" in refusal.value.cure


def test_a_station_that_restarts_again_and_again_is_given_up() -> None:
    restarts: list[float] = []

    def trip(bench: Bench) -> None:
        def damage(data: bytes) -> bytes:
            if data.startswith(b"<Z 1 0>") and len(restarts) < 5:
                restarts.append(asyncio.get_running_loop().time())
                bench.station.restart()
                return b""
            return data

        bench.station.lose(damage)

    with pytest.raises(StationError, match="restarted 3 times while it was set up") as refusal:
        opened(trip)
    assert len(restarts) == 3
    assert "power supply" in refusal.value.cure


def test_a_station_that_restarts_during_setup_is_set_up_again() -> None:
    def trip(bench: Bench) -> None:
        # in the middle of the safe-making: the fences of that time never come
        asyncio.get_running_loop().call_later(3.27, bench.station.restart)

    made = opened(trip)
    assert made.of(LinkUp)
    assert not made.of(StationRestarted)


def test_a_link_lost_during_setup_is_an_error_not_an_event() -> None:
    def unplug(bench: Bench) -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(3.27, lambda: loop.create_task(bench.station.wire.close()))

    with pytest.raises(LinkLostError):
        opened(unplug)


def test_a_station_that_falls_silent_during_setup_is_an_error() -> None:
    def hush(bench: Bench) -> None:
        asyncio.get_running_loop().call_later(3.27, setattr, bench.station, "mute", True)

    with pytest.raises(LinkLostError):
        opened(hush)


def test_a_wiring_with_no_or_two_stations_must_be_told_which() -> None:
    two = Wiring("two", {n: StationWiring(n, Protocol.DCCEX) for n in ("a", "b")}, {}, {}, {}, {})
    host, _ = memory_pair()
    with pytest.raises(StationError, match="a, b"):
        DccExDriver(host, two, emit=lambda _: None)
    assert DccExDriver(host, two, emit=lambda _: None, station="b").guardian_frames() == (b"<!><#>", b"<!><0><#>")
    writes = DccExDriver(host, WIRING, emit=lambda _: None).guardian_frames()
    assert writes == (b"<!><#>", b"<Z 1 0><Z 2 1>", b"<!><0><#>")


# ---------------------------------------------------------------- commands


async def _commands(b: Bench) -> None:
    await asyncio.sleep(0)
    commands: list[tuple[Command, c.Command, type | None]] = [
        (SetTurnout("T1", True), c.SetTurnout(1, True), TurnoutReported),
        (SetTurnout("T1", True), c.SetTurnout(1, True), None),
        (SetTurnout("T2", True), c.SetTurnout(2, False), None),
        (SetTurnout("T2", False), c.SetTurnout(2, True), TurnoutReported),
        (SetUncoupler("m1", True), c.SetOutput(1, True), UncouplerReported),
        (SetUncoupler("m2", True), c.SetOutput(2, False), UncouplerReported),
        (SetFunction("L", 2, True), c.Function(3, 2, True), None),
        (SetFunction("M", 0, False), c.Function(1234, 0, False), None),
        (Drive("L", True, 20), c.Throttle(3, 20, True), LocomotiveReported),
        (Stop("L", True), c.Throttle(3, 0, True), LocomotiveReported),
        (Drive("M", False, 126), c.Throttle(1234, 126, False), LocomotiveReported),
    ]
    for number, (command, wire, told) in enumerate(commands):
        b.events.clear()
        heard = len(b.station.heard)
        b.driver.send(command, number)
        assert not b.events, "never called back inside send"
        await asyncio.sleep(0.05)
        match wire:
            case c.Throttle(cab, _, _):
                asked: list[c.Command] = [c.ThrottleQuery(cab)]
            case c.SetTurnout():
                asked = [c.ListTurnouts()]
            case _:
                asked = []  # an output's answer says what it is set to, and of a function nothing is said
        assert b.station.commands(heard) == [wire, *asked, c.Fence()]
        assert b.answers() == [(number, True)]
        assert len(b.of(TurnoutReported, UncouplerReported, LocomotiveReported)) == (told is not None)
        assert not b.of(ForeignControl, StationNote)
    assert b.of(LocomotiveReported) == [LocomotiveReported(b.events[0].t_s, "M", False, 126)]


test_each_command_is_one_write_with_its_question_and_its_fence = bench(_commands)


async def _inverted(b: Bench) -> None:
    b.driver.send(SetTurnout("T2", False), 1)
    b.driver.send(SetUncoupler("m2", True), 2)
    b.station.sense(2, True)
    await asyncio.sleep(0.05)
    assert [(e.turnout, e.thrown) for e in b.of(TurnoutReported)] == [("T2", False)]
    assert [(e.uncoupler, e.on) for e in b.of(UncouplerReported)] == [("m2", True)]
    assert [(e.sensor, e.active) for e in b.of(SensorChanged)] == [("b2", False)]


test_inversion_holds_both_ways = bench(_inverted)


async def _unknown_names(b: Bench) -> None:
    for command in (
        SetTurnout("H", True),
        SetTurnout("no", True),
        SetUncoupler("m3", True),
        Drive("no", True, 1),
        Drive("L", True, 127),
        Stop("no", True),
        SetFunction("no", 0, True),
        SetFunction("L", 29, True),
    ):
        with pytest.raises(ProtocolError):
            b.driver.send(command, 1)
    assert not b.answers()


test_a_name_or_speed_that_cannot_be_is_our_own_fault = bench(_unknown_names)


async def _rejection(b: Bench) -> None:
    b.station.turnouts.pop(1)
    b.driver.send(SetTurnout("T2", False), 1)
    b.driver.send(SetTurnout("T1", True), 2)
    b.driver.send(Drive("L", True, 5), 3)
    await asyncio.sleep(0.1)
    assert b.answers() == [(1, True), (2, False), (3, True)]


test_a_rejection_belongs_to_the_command_between_two_fences = bench(_rejection)


async def _window(b: Bench) -> None:
    start = len(b.station.raw)
    for number in range(60):
        b.driver.send(SetTurnout("T1", number % 2 == 0), number)
    await asyncio.sleep(1)
    assert b.answers() == [(number, True) for number in range(60)]
    times = [(t_s, len(data)) for t_s, data in b.station.raw[start:]]
    for t_s, _ in times:
        # what was written but not answered 3 ms later
        assert sum(size for other, size in times if t_s - 0.003 < other <= t_s) <= 60
    assert all(data.startswith(b"<T 1 ") and data.endswith(b"<#>") for _, data in b.station.raw[start:-1])
    assert not b.of(ForeignControl)


test_a_flood_never_has_more_than_60_bytes_unread = bench(_window)


async def _overtake(b: Bench) -> None:
    for number in range(6):
        b.driver.send(SetTurnout("T1", number % 2 == 0), number)
    b.driver.send(Drive("L", True, 40), 10)
    b.driver.send(Drive("M", True, 40), 11)
    heard = len(b.station.raw)
    b.driver.send(Stop("L", True), 12)
    await asyncio.sleep(0.0005)
    assert b.station.raw[heard:][-1][1] == b"<t 3 0 1><t 3><#>", "written at once"
    await asyncio.sleep(0.2)
    assert (10, False) in b.answers()
    assert {(11, True), (12, True)} <= set(b.answers())
    assert c.Throttle(3, 40, True) not in b.station.commands()
    assert b.station.cabs[3] == (0, True)


test_a_stop_overtakes_the_queue_and_takes_its_own_locomotives_drives_out = bench(_overtake)


async def _power(b: Bench) -> None:
    b.driver.send(Drive("M", False, 3), 1)
    await asyncio.sleep(0.1)
    heard = len(b.station.heard)
    b.driver.send(SetPower(True), 2)
    b.driver.send(Drive("L", True, 9), 3)
    await asyncio.sleep(0.1)
    assert doing(b, heard) == [
        c.EmergencyStop(),
        c.Throttle(3, 0, True),
        c.Throttle(1234, 0, False),
        c.SetOutput(1, False),
        c.SetOutput(2, True),
        c.Power(True, "MAIN"),
        c.Throttle(3, 9, True),
    ]
    on = b.station.commands(heard).index(c.Power(True, "MAIN"))
    assert b.station.commands(heard)[on - 1] == c.Fence()
    assert [e.on for e in b.of(PowerReported)] == [True]
    b.driver.send(SetPower(False), 4)
    await asyncio.sleep(0.1)
    assert [e.on for e in b.of(PowerReported)] == [True, False]
    assert {(2, True), (3, True), (4, True)} <= set(b.answers())
    assert not b.of(ForeignControl)


test_power_comes_only_after_everything_stands_and_is_off = bench(_power)


async def _power_refused(b: Bench) -> None:
    b.station.outputs.pop(1)
    b.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    assert b.answers() == [(1, False)]
    assert not b.station.power


test_power_does_not_come_when_a_magnet_could_not_be_switched_off = bench(_power_refused)


# ---------------------------------------------------------------- stopping everything


async def _halt(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    b.driver.send(SetUncoupler("m1", True), 2)
    await asyncio.sleep(0.1)
    for number in range(3, 9):
        b.driver.send(SetTurnout("T1", number % 2 == 0), number)
    raw = len(b.station.raw)
    b.driver.send(EmergencyStop(), 20)
    await asyncio.sleep(0.0005)
    assert b.station.raw[raw:][-1][1] == b"<!><#>", "in one write at once"
    await asyncio.sleep(0.5)
    assert (20, True) in b.answers()
    assert (8, False) in b.answers(), "what waited was dropped"
    assert c.Power(False) not in b.station.commands()
    stops = [data for _, data in b.station.raw[raw:] if data.startswith(b"<!>")]
    assert stops == [b"<!><#>"] * 2, "confirmed, so sent once more for certainty and not repeated"
    assert b.station.outputs == {1: False, 2: True}
    assert b.station.cabs[3] == (-1, True)
    assert not b.of(ForeignControl)
    # the latch
    b.events.clear()
    b.driver.send(Drive("L", True, 40), 30)
    b.driver.send(SetUncoupler("m1", True), 31)
    b.driver.send(SetTurnout("T2", False), 32)
    await asyncio.sleep(0.1)
    assert b.answers() == [(30, False), (31, False), (32, True)]
    heard = len(b.station.heard)
    b.driver.release()
    b.driver.send(Drive("L", True, 40), 33)
    await asyncio.sleep(0.1)
    assert doing(b, heard) == [
        c.Throttle(3, 0, True),
        c.Throttle(1234, 0, True),
        c.Throttle(3, 40, True),
    ]
    assert b.answers()[-1] == (33, True)


test_an_emergency_stop_goes_at_once_and_latches = bench(_halt)


async def _halt_unanswered(b: Bench) -> None:
    b.station.mute = True
    raw = len(b.station.raw)
    started = asyncio.get_running_loop().time()
    b.driver.halt()
    await asyncio.sleep(0.95)
    stops = [(round(t_s - started, 3), data) for t_s, data in b.station.raw[raw:]]
    assert stops[:5] == [
        (0.0, b"<!><#>"),
        (0.1, b"<!><#>"),
        (0.2, b"<!><#>"),
        (0.3, b"<!><0><#>"),
        (0.4, b"<!><0><#>"),
    ]
    with pytest.raises(StationError, match="not confirmed"):
        b.driver.release()
    b.driver.send(SetPower(True), 4)
    await asyncio.sleep(0)
    assert b.answers() == [(4, False)]
    await asyncio.sleep(0.2)
    assert len(b.of(LinkLost)) == 1
    await asyncio.sleep(5)
    assert len(b.of(LinkLost)) == 1
    assert len(b.station.raw) - raw > 50, "the stop is tried on and on"
    assert b.station.outputs == {1: False, 2: True}
    b.station.mute = False
    await asyncio.sleep(0.3)
    quiet = len(b.station.raw)
    await asyncio.sleep(2)
    assert len(b.station.raw) == quiet
    assert any("answers again" in e.text for e in b.of(StationNote))
    b.driver.send(Drive("L", True, 1), 5)
    await asyncio.sleep(0.1)
    assert b.answers()[-1] == (5, False)


test_a_stop_without_an_answer_is_repeated_and_cuts_the_power = bench(_halt_unanswered)


async def _halt_power_off(b: Bench) -> None:
    b.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.2)
    raw = len(b.station.raw)
    b.driver.halt(power_off=True)
    await asyncio.sleep(0.1)
    assert b.station.raw[raw][1] == b"<!><0><#>"
    assert not b.station.power
    assert not b.of(ForeignControl)


test_stop_and_power_off = bench(_halt_power_off)


async def _broken_command(b: Bench) -> None:
    b.host.write(b"<T 1")
    b.driver.halt()
    await asyncio.sleep(0.2)
    assert c.EmergencyStop() in b.station.commands()
    assert b.station.turnouts == {1: False, 2: False}
    assert b.driver.halted
    assert not b.of(LinkLost)


test_a_half_written_command_does_not_keep_a_stop_back = bench(_broken_command)


async def _hidden_stop(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.1)
    b.station.lose(lambda data: data[1:] if data.startswith(b"<!>") else data)
    b.driver.halt()
    await asyncio.sleep(0.0001)
    b.station.lose(None)
    await asyncio.sleep(0.05)
    assert b.station.cabs[3] == (-1, True)


test_a_stop_whose_first_byte_is_lost_is_sent_again_although_its_fence_came = bench(_hidden_stop)


async def _lost_digit(b: Bench) -> None:
    b.station.lose(lambda data: data.replace(b"<T 1 1>", b"<T 1 >").replace(b"<t 3 40 1>", b"<t 3 4 1>"))
    b.driver.send(SetTurnout("T1", True), 1)
    b.driver.send(Drive("L", True, 40), 2)
    await asyncio.sleep(0.1)
    assert b.answers()[0] == (1, False), "a deletion is never taken for a throw"
    assert "step 4" in b.of(ForeignControl)[0].what  # type: ignore[attr-defined]


test_a_lost_digit_that_makes_another_command_is_noticed = bench(_lost_digit)


async def _stop_while_opening(b: Bench) -> None:
    b.station.restart()
    await asyncio.sleep(0.01)
    opening = asyncio.get_running_loop().create_task(b.driver.open())
    for _ in range(30):
        heard = len(b.station.heard)
        b.driver.send(EmergencyStop(), 7)
        await asyncio.sleep(0.02)
        if not opening.done():
            assert c.EmergencyStop() in b.station.commands(heard)
    await opening
    assert b.driver.halted
    assert b.driver.link is Link.UP


test_a_stop_is_heard_while_the_link_is_set_up = bench(_stop_while_opening)

# ---------------------------------------------------------------- links that go


async def _dead_link(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.1)
    b.station.mute = True
    started = asyncio.get_running_loop().time()
    await asyncio.sleep(3)
    (lost,) = b.of(LinkLost)
    assert lost.t_s - started <= 2.1
    assert b.station.cabs[3] == (-1, True), "only the way back was dead, so the stop was heard"
    assert not b.station.power
    b.station.mute = False
    await b.driver.open()
    assert b.driver.halted, "opening does not release"
    b.events.clear()
    b.driver.send(Drive("L", True, 40), 2)
    await asyncio.sleep(0.1)
    assert b.answers() == [(2, False)]
    b.driver.release()
    b.driver.send(Drive("L", True, 40), 3)
    await asyncio.sleep(0.1)
    assert b.answers()[-1] == (3, True)


test_a_dead_link_never_looks_alive = bench(_dead_link)


async def _unplugged(b: Bench) -> None:
    b.driver.send(SetTurnout("T1", True), 1)
    await b.station.wire.close()
    await asyncio.sleep(3)
    assert [e.why for e in b.of(LinkLost)] == ["closed by the far end"]
    assert b.answers() == [(1, False)]
    b.driver.halt()
    b.driver.send(EmergencyStop(), 2)
    b.driver.send(Stop("L", True), 3)
    b.driver.send(SetTurnout("T1", True), 4)
    await asyncio.sleep(0.1)
    assert b.answers()[1:] == [(2, False), (3, False), (4, False)]
    with pytest.raises(StationError, match="link is not up"):
        b.driver.release()
    b.station.sensors[1] = True
    b.events.clear()
    await b.station.wire.open()
    await b.driver.open()
    await asyncio.sleep(0.001)
    assert [(e.sensor, e.active) for e in b.of(SensorChanged)] == [("b1", True), ("b2", True)], "asked again"
    assert b.of(LinkUp)


test_an_unplugged_link_is_said_once_and_everything_is_asked_again = bench(_unplugged)


@pytest.mark.parametrize("lost", ["unplugged", "restarted"])
def test_what_has_changed_while_the_link_was_gone_is_told_as_it_is_and_is_nobodys_driving(lost: str) -> None:
    async def main() -> None:
        b = await Bench().up()
        asked: list[Command] = [SetPower(True), SetTurnout("T1", True), SetUncoupler("m1", True), Drive("L", True, 40)]
        for number, command in enumerate(asked):
            b.driver.send(command, number)
        await asyncio.sleep(0.2)
        assert b.answers() == [(number, True) for number in range(len(asked))]
        b.station.turnouts[1] = False
        b.station.sensors[1] = True
        b.station.outputs[1] = b.station.power = False
        if lost == "restarted":
            b.station.restart()
        else:
            await b.station.wire.close()
        await asyncio.sleep(0.5)
        b.events.clear()
        await b.station.wire.open()
        await b.driver.open()
        await asyncio.sleep(0.01)
        told = b.of(SensorChanged, PowerReported, ForeignControl, LinkUp)
        assert [type(e) for e in told] == [SensorChanged, SensorChanged, PowerReported, LinkUp]
        assert (told[0].active, told[2].on) == (True, False)  # type: ignore[attr-defined]
        assert b.station.cabs[3] == (0, True)
        assert b.driver.halted
        b.driver.release()
        b.events.clear()
        b.driver.send(SetTurnout("T1", True), 9)
        await asyncio.sleep(0.1)
        assert b.answers() == [(9, True)]
        assert b.station.turnouts[1], "it was told again: what was asked for before counts no more"
        assert not b.of(ForeignControl)
        await b.down()

    run_virtual(main())


async def _restart(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    await asyncio.sleep(0.1)
    b.driver.send(Drive("L", True, 50), 2)
    b.station.deaf = True
    await asyncio.sleep(0.01)
    b.station.deaf = False
    b.station.restart()
    await asyncio.sleep(0.1)
    assert [e.greeting for e in b.of(StationRestarted)] == [GREETING]
    assert not b.of(LinkLost)
    b.driver.send(Drive("L", True, 40), 3)
    await asyncio.sleep(0.1)
    assert b.answers()[-1] == (3, False)
    b.events.clear()
    started = asyncio.get_running_loop().time()
    await b.driver.open()
    await asyncio.sleep(0.001)
    assert b.of(LinkUp)
    assert b.driver.halted
    assert asyncio.get_running_loop().time() - started < 1, "it has just greeted: no need to listen first"


test_a_station_that_restarts_is_noticed_and_latched = bench(_restart)


async def _keep_alive(b: Bench) -> None:
    heard = len(b.station.heard)
    await asyncio.sleep(5.5)
    questions = [[c.Currents(), c.ThrottleQuery(cab), c.Fence()] for cab in (3, 1234, 3, 1234, 3)]
    assert b.station.commands(heard) == [*itertools.chain(*questions)]
    assert not b.events


test_an_idle_link_is_asked_every_second = bench(_keep_alive)


# ---------------------------------------------------------------- what others do


async def _foreign(b: Bench) -> None:
    b.driver.send(Drive("L", True, 40), 1)
    b.driver.send(SetTurnout("T1", True), 2)
    await asyncio.sleep(0.1)
    assert not b.of(ForeignControl)
    cases: list[tuple[r.Reply, str]] = [
        (r.LocomotiveState(3, 50, True), "locomotive L"),
        (r.LocomotiveState(3, 40, False), "locomotive L"),
        (r.TurnoutState(1, False), "turnout T1"),
        (r.OutputState(1, True), "magnet m1"),
        (r.Forgotten(3), "locomotive L"),
        (r.LockState(True), "emergency stop"),
        (r.TrackMode("A", "DC", 3), "track A"),
    ]
    for reply, what in cases:
        b.events.clear()
        b.station.say(reply)
        await asyncio.sleep(0.01)
        (foreign,) = b.of(ForeignControl)
        assert what in foreign.what
    b.events.clear()
    b.station.say(r.LocomotiveState(3, 40, True), r.TurnoutState(1, True), r.LocomotiveState(99, -1, True))
    await asyncio.sleep(0.01)
    assert not b.of(ForeignControl)
    assert [e.text for e in b.of(StationNote)] == ["cab 99, not of this layout, is driven too"]


test_values_that_we_did_not_ask_for_are_foreign_control = bench(_foreign)


async def _foreign_before(b: Bench) -> None:
    b.station.say(r.TurnoutState(1, False))
    await asyncio.sleep(0.01)
    assert not b.of(ForeignControl)
    b.station.say(r.TurnoutState(1, True))
    await asyncio.sleep(0.01)
    assert len(b.of(ForeignControl)) == 1


test_a_turnout_that_changes_before_we_ever_moved_it_is_foreign_control = bench(_foreign_before)


async def _foreign_power(b: Bench) -> None:
    b.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    b.station.say(r.PowerState(False, "A"), r.PowerState(False, "B"), r.PowerState(False))
    await asyncio.sleep(0.01)
    assert [e.on for e in b.of(PowerReported)] == [True, False]
    assert "off" in b.of(ForeignControl)[0].what  # type: ignore[attr-defined]


test_power_that_goes_by_somebody_else_is_told = bench(_foreign_power)


async def _over_current(b: Bench) -> None:
    b.station.say(r.Comment("TRACK A ALERT 1789mA"), r.Comment("TRACK A NORMAL"))
    await asyncio.sleep(0.01)
    assert [e.what for e in b.of(OverCurrent)] == ["TRACK A ALERT 1789mA"]
    assert [e.text for e in b.of(StationNote)] == ["TRACK A NORMAL"]
    assert b.driver.halted
    b.station.currents = (-1, 0)
    await asyncio.sleep(3.2)
    assert len(b.of(OverCurrent)) == 2, "asked for too, and said once"


test_a_short_circuit_is_told_from_comments_and_from_currents = bench(_over_current)


async def _phantoms(b: Bench) -> None:
    b.station.say(r.SensorDefinition(1, 49, True), r.SensorState(22, True), r.SensorState(22, False))
    b.station.say_bytes(b"<Q>\n<Q x>\n<K 1 3>\nPPA1\n")
    b.station.say(
        r.Display(0, 3, "Ready"), r.OperatorMessage("hello"), r.TurnoutState(77, True), r.OutputState(7, True)
    )
    await asyncio.sleep(0.01)
    assert not b.of(SensorChanged, TurnoutReported, UncouplerReported, ForeignControl)
    texts = [e.text for e in b.of(StationNote)]  # type: ignore[attr-defined]
    assert texts.count("sensor 22 of the station is not on this layout") == 1
    assert {"Ready", "hello"} <= set(texts)


test_other_replies_are_never_taken_for_beams = bench(_phantoms)


async def _lost_report(b: Bench) -> None:
    b.station.sense(1, True)
    b.station.sense(1, True)
    await asyncio.sleep(0.01)
    assert len(b.of(SensorChanged)) == 2
    assert "lost" in b.of(StationNote)[0].text  # type: ignore[attr-defined]


test_a_beam_reported_twice_alike_is_told_as_it_came = bench(_lost_report)


async def _lost_fence(b: Bench) -> None:
    b.station.say_bytes(b"<# 5\xff0")  # noise that opens a frame and hides the next answer's beginning
    b.driver.send(SetTurnout("T1", True), 1)
    await asyncio.sleep(0.2)
    assert b.answers() == [(1, True)], "a piece of noise costs nothing"
    b.station.deaf = True
    b.driver.send(SetTurnout("T1", False), 2)
    await asyncio.sleep(0.01)
    b.station.deaf = False
    await asyncio.sleep(1.2)
    assert (2, False) in b.answers(), "a lost command is told, never taken as done"
    assert len(b.of(LinkLost)) == 1


test_noise_and_a_lost_command = bench(_lost_fence)


async def _rejected_stop(b: Bench) -> None:
    b.driver.halt()
    await asyncio.sleep(0.2)
    b.station.cabs.clear()
    b.station.slots = 0
    b.driver.release()
    await asyncio.sleep(0.2)
    assert b.driver.halted
    assert any("<t 3 0 1>" in e.text for e in b.of(StationNote))  # type: ignore[attr-defined]


test_a_release_whose_stops_are_rejected_does_not_release = bench(_rejected_stop)


def test_closing_stops_everything_and_switches_off() -> None:
    async def main() -> None:
        b = await Bench().up()
        b.driver.send(SetPower(True), 1)
        b.driver.send(Drive("L", False, 40), 2)
        await asyncio.sleep(0.2)
        heard = len(b.station.heard)
        await b.driver.close()
        await asyncio.sleep(0.01)
        assert doing(b, heard) == [
            c.Throttle(3, 0, False),
            c.Throttle(1234, 0, True),
            c.SetOutput(1, False),
            c.SetOutput(2, True),
            c.Power(False, "MAIN"),
        ]
        assert not b.host.is_open
        await b.driver.close()

    run_virtual(main())


def test_closing_a_silent_link_takes_its_time_and_no_more() -> None:
    async def main() -> None:
        b = await Bench().up()
        b.station.mute = True
        started = asyncio.get_running_loop().time()
        await b.driver.close()
        assert asyncio.get_running_loop().time() - started <= 11.5
        last = [data for t_s, data in b.station.raw if t_s > started + 1.0]
        assert sum(data.startswith(b"<!><0><#>") for data in last) >= 90, "it is told again and again"
        assert not b.host.is_open

    run_virtual(main())


@pytest.mark.parametrize("halted", [True, False])
def test_a_link_is_not_closed_before_the_station_has_heard_the_stop(halted: bool) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        b = await Bench().up()
        b.driver.send(SetPower(True), 1)
        b.driver.send(Drive("L", False, 40), 2)
        await asyncio.sleep(0.2)
        b.station.deaf = True
        if halted:
            b.driver.halt()
        began, heard = loop.time(), len(b.station.heard)
        loop.call_later(4.0, setattr, b.station, "deaf", False)
        await b.driver.close()
        doing = [x for x in b.station.commands(heard) if not isinstance(x, c.Fence)]
        assert doing[:2] == [c.EmergencyStop(), c.Power(False)]
        assert loop.time() - began < 4.5
        assert not b.host.is_open
        written = len(b.station.raw)
        await asyncio.sleep(1.0)
        assert len(b.station.raw) == written, "nothing is written after the end"

    run_virtual(main())


@pytest.mark.parametrize(
    ("happens", "said"),
    [
        (lambda b: b.station.restart(), "the station restarted"),
        (lambda b: setattr(b.station, "mute", True), "the link was lost before everything was answered"),
        (lambda b: b.host._lose("unplugged"), "the link was lost before everything was answered"),
    ],
)
@pytest.mark.parametrize("after_s", [0.0, 0.002, 0.005])
def test_a_link_that_goes_while_it_is_closed_is_no_fault_of_the_program(
    happens: Callable[[Bench], None], said: str, after_s: float
) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        faults: list[str] = []
        loop.set_exception_handler(lambda _, context: faults.append(context["message"]))
        b = await Bench().up()
        loop.call_later(after_s, happens, b)
        await b.driver.close()
        await b.down()
        gc.collect()
        await asyncio.sleep(3)
        assert not faults
        notes = [event.text for event in b.of(StationNote)]  # type: ignore[attr-defined]
        assert [note for note in notes if note.startswith("while closing")] == [f"while closing: {said}"]
        if b.station.reopen is not None:
            await b.station.reopen
        await b.station.wire.close()
        await asyncio.sleep(0.1)

    run_virtual(main())
