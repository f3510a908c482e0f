"""Opening the driver against a scripted station: what it makes safe first, and what it refuses."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest
from driver_bench import WIRING, Bench
from scripted_station import GREETING

from pointsman.drivers.dccex import DccExDriver
from pointsman.drivers.dccex.lines import definitions
from pointsman.errors import LinkLostError, StationError
from pointsman.messages import (
    ForeignControl,
    LinkChanged,
    LinkState,
    LinkUp,
    PowerReported,
    SensorChanged,
    SetPower,
    SetTurnout,
    StationRestarted,
    TurnoutReported,
)
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.wiring import Protocol, ServoPositions, StationWiring, Wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual


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
