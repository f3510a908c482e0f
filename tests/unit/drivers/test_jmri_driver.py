"""The driver against a simulated JMRI, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jmri_bench import PLAIN, WIRING, Bench, bench

from pointsman.drivers.jmri import JmriDriver
from pointsman.drivers.jmri.link import Link
from pointsman.errors import LinkLostError, ProtocolError, StationError
from pointsman.messages import (
    Accepted,
    Drive,
    EmergencyStop,
    ForeignControl,
    LinkChanged,
    LinkLost,
    LinkState,
    LinkUp,
    LocomotiveReported,
    PowerReported,
    Rejected,
    SensorChanged,
    SetFunction,
    SetPower,
    SetTurnout,
    SetUncoupler,
    StationNote,
    Stop,
    TurnoutReported,
    UncouplerReported,
)
from pointsman.protocols.jmri_json import (
    INCONSISTENT,
    Bean,
    BeanType,
    Failure,
    Hello,
    Message,
    Method,
    Ping,
    Pong,
    Power,
    Throttle,
    Unknown,
    write,
)
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.model import Leg
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual
from railsim.jmri_station import HEARTBEAT_S, IDLE_HEARTBEATS

TURNOUT, SENSOR, LIGHT = BeanType.TURNOUT, BeanType.SENSOR, BeanType.LIGHT


# ---------------------------------------------------------------- opening


def opened(prepare: Callable[[Bench], None] = lambda _: None) -> Bench:
    """A bench that was opened and closed."""

    async def main() -> Bench:
        made = Bench()
        prepare(made)
        try:
            await made.open()
            made.events.append(StationNote(made.now_s, "up"))
        finally:
            await made.down()
        return made

    return run_virtual(main())


def refused(prepare: Callable[[Bench], None]) -> tuple[StationError, Bench]:
    """A bench that cannot be opened, and why."""
    kept: list[Bench] = []

    def keep(made: Bench) -> None:
        kept.append(made)
        prepare(made)

    with pytest.raises(StationError) as caught:
        opened(keep)
    assert caught.value.cure
    return caught.value, kept[0]


def test_opening_makes_everything_safe_first_and_then_asks_for_everything_by_name() -> None:
    made = opened()
    doing = [replace(m, id=0) for m in made.asked_for((Bean, Throttle))]  # type: ignore[arg-type]
    off = [Bean(LIGHT, "LL11", 4, Method.POST), Bean(LIGHT, "LL12", 2, Method.POST)]
    standing = [Throttle(name, speed=0.0, status=True) for name in ("L", "M")]
    assert doing[:14] == [
        *off,
        Throttle("L", address=3),
        Throttle("M", address=100, is_long_address=True),
        *standing,
        *off,
        Bean(TURNOUT, "LT1"),
        Bean(TURNOUT, "LT2"),
        *(Bean(SENSOR, name) for name in ("LS1", "LS2", "LS3", "LS4")),
    ]
    ids = [m.id for _, m in made.asked if not isinstance(m, Ping)]
    assert ids == list(range(1, len(ids) + 1))


def test_opening_ends_with_first_states_and_link_up() -> None:
    made = opened()
    upto = made.events.index(made.of(StationNote)[0])
    told = [e for e in made.events[:upto] if not isinstance(e, LinkChanged)]
    assert [type(e) for e in told] == [*[SensorChanged] * 4, PowerReported, LinkUp]
    assert [e.state for e in made.of(LinkChanged)][:2] == [LinkState.OPENING, LinkState.UP]
    assert [(e.sensor, e.active) for e in made.of(SensorChanged)] == [(b, False) for b in ("head", "s1", "s2", "s3")]
    assert [e.station for e in made.of(LinkUp)] == ["JMRI 5.9.6, railsim"]
    assert not made.of(ForeignControl, Rejected, LinkLost)


def test_names_that_jmri_does_not_have_are_all_told_with_a_cure() -> None:
    def forget(made: Bench) -> None:
        for key in ((TURNOUT, "LT2"), (SENSOR, "LS3"), (LIGHT, "LL11")):
            del made.jmri.states[key]

    error, _ = refused(forget)
    assert error.what == ("JMRI does not know light LL11 (magnet s1), turnout LT2 (turnout T2), sensor LS3 (beam s2)")
    assert "Tools > Tables" in error.cure


def test_a_user_name_is_refused_for_changes_come_under_the_system_name() -> None:
    def rename(made: Bench) -> None:
        made.from_jmri = lambda m: [replace(m, name="IT7") if isinstance(m, Bean) and m.name == "LT1" else m]

    error, _ = refused(rename)
    assert "LT1 is IT7" in error.what
    assert "system name" in error.cure


def test_a_beam_whose_state_jmri_does_not_know_is_told() -> None:
    error, _ = refused(lambda made: made.jmri.states.update({(SENSOR, "LS2"): 0, (SENSOR, "LS3"): INCONSISTENT}))
    assert "LS2 (beam s1), LS3 (beam s2)" in error.what


def test_a_locomotive_that_runs_is_stopped_and_told() -> None:
    def run(made: Bench) -> None:
        made.by_hand(lambda jmri: jmri.throttle_by_hand(3, 40 / 126))

    error, made = refused(run)
    assert "locomotive L was at step 40" in error.what
    assert Throttle("L", emergency_stop=True) in [replace(m, id=0) for m in made.asked_for(Throttle)]


def test_a_locomotive_that_another_client_holds_is_refused() -> None:
    async def main() -> None:
        made = Bench()
        port = made.simulation.attach("other", lambda _: None, lambda: None, serial=False)
        made.simulation.receive(port, write(Throttle("x", address=3)).encode())
        await asyncio.sleep(1)
        with pytest.raises(StationError, match="another throttle holds L too: if this program died"):
            await made.open()
        await made.down()

    run_virtual(main())


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Failure(512, "Slot table full"), "no throttle for locomotive L .address 3.: JMRI says: Slot table full"),
        (None, "no throttle for locomotive L .address 3.: no answer"),
        (Throttle("L", 3, speed=0.0, forward=True, speed_steps=28, clients=1), "with 28 speed steps"),
    ],
)
def test_a_throttle_that_cannot_be_had_says_so(answer: Message | None, words: str) -> None:
    def change(made: Bench) -> None:
        made.from_jmri = lambda m: [m] if not isinstance(m, Throttle) else [] if answer is None else [answer]

    error, _ = refused(change)
    with pytest.raises(StationError, match=words):
        raise error


def test_an_address_that_jmri_refuses_says_so() -> None:
    def change(made: Bench) -> None:
        made.to_jmri = lambda m: [replace(m, address=20000) if isinstance(m, Throttle) and m.address == 100 else m]

    error, _ = refused(change)
    assert error.what == "JMRI gives no throttle for locomotive M (address 100): JMRI says: Address 20000 is not valid."


@pytest.mark.parametrize("version", ["4.1", "", "old"])
def test_a_jmri_that_is_too_old_says_so(version: str) -> None:
    error, made = refused(lambda made: setattr(made.jmri, "json_version", version))
    assert "update JMRI" in error.cure
    assert made.asked == []


def test_what_does_not_greet_is_given_up_within_its_time() -> None:
    async def main() -> float:
        host, far = memory_pair()
        await far.open()
        driver = JmriDriver(host, WIRING, emit=lambda _: None)
        with pytest.raises(StationError, match="no greeting of JMRI within 5 s"):
            await driver.open()
        assert driver.link is Link.CLOSED
        assert not host.is_open
        return asyncio.get_running_loop().time()

    assert run_virtual(main()) == pytest.approx(5.0)


@pytest.mark.parametrize("after", [1, 3, 8])
def test_a_jmri_that_falls_silent_or_goes_while_it_is_asked_is_a_lost_link(after: int) -> None:
    for breaking in ("silent", "goodbye", "cut"):

        def prepare(made: Bench, breaking: str = breaking) -> None:
            def pass_on(message: Message) -> list[Message]:
                if len(made.asked) > after:
                    if breaking == "cut":
                        made.cut()
                    elif breaking == "goodbye":
                        made.by_hand(lambda jmri: jmri.reset(0.0))
                    return []
                return [message]

            made.to_jmri = pass_on

        with pytest.raises(LinkLostError, match="before everything was answered: "):
            opened(prepare)


def test_a_wiring_without_jmri_is_refused() -> None:
    folder = find_layout("inglenook-small")
    dccex = load_wiring(find_wiring(folder), load_layout(folder))
    with pytest.raises(StationError, match="none is behind JMRI"):
        JmriDriver(memory_pair()[0], dccex, emit=lambda _: None)


# ---------------------------------------------------------------- commands


@bench
async def test_every_command_is_accepted_and_reaches_the_layout(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    assert made.world.powered
    made.driver.send(SetTurnout("T1", True), 2)
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(3)
    lie = made.simulation.truth().lie
    assert (lie["T1"], lie["T2"]) == (Leg.THROWN, Leg.THROWN)
    made.driver.send(SetUncoupler("s1", True), 4)
    made.driver.send(SetUncoupler("s2", True), 5)
    await asyncio.sleep(0.1)
    assert made.world.magnets_on == {"s1", "s2"}
    made.driver.send(SetUncoupler("s1", False), 6)
    made.driver.send(SetUncoupler("s2", False), 7)
    made.driver.send(Drive("L", False, 30), 8)
    await asyncio.sleep(1)
    assert not made.world.magnets_on
    assert made.world.speed_mm_s("L") > 0
    made.driver.send(Stop("L", False), 9)
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0
    made.driver.send(SetPower(False), 10)
    await asyncio.sleep(0.1)
    assert not made.world.powered
    assert made.answers() == [(number, True) for number in range(1, 11)]
    assert not made.of(ForeignControl)
    told = {(e.turnout, e.thrown) for e in made.of(TurnoutReported)}
    assert told == {("T1", True), ("T2", True)}
    assert [(e.locomotive, e.forward, e.step) for e in made.of(LocomotiveReported) if e.step] == [("L", False, 30)] * 2
    assert {e.uncoupler for e in made.of(UncouplerReported) if e.on} == {"s1", "s2"}


@bench
async def test_every_step_arrives_as_the_same_step(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    heard: list[int] = []
    made.world.set_throttle = lambda name, forward, step, emergency: heard.append(step)  # type: ignore[method-assign]
    for step in range(1, 127):
        made.driver.send(Drive("L", True, step), step + 1)
        await asyncio.sleep(0.2)
    assert heard == list(range(1, 127))
    assert all(accepted for _, accepted in made.answers())


@bench
async def test_the_direction_goes_before_the_speed_and_a_stop_is_a_speed_alone(made: Bench) -> None:
    made.driver.send(Drive("L", False, 30), 1)
    made.driver.send(Stop("L", False), 2)
    await asyncio.sleep(0.01)
    drive, stop = made.asked_for(Throttle)
    assert write(drive).index("forward") < write(drive).index("speed") < write(drive).index("status")
    assert (stop.speed, stop.forward) == (0.0, None)


@bench
async def test_a_function_is_a_message_of_its_own(made: Bench) -> None:
    made.driver.send(SetFunction("L", 2, True), 1)
    await asyncio.sleep(0.1)
    (asked,) = made.asked_for(Throttle)
    assert asked.function == (2, True)
    assert (asked.speed, asked.forward) == (None, None)
    assert made.answers() == [(1, True)]
    assert not made.of(ForeignControl)


@bench
async def test_names_that_nobody_has_are_a_fault_of_ours(made: Bench) -> None:
    for command in (SetTurnout("T9", True), SetUncoupler("s3", True), Drive("X", True, 5), Stop("X", True)):
        with pytest.raises(ProtocolError):
            made.driver.send(command, 1)


@pytest.mark.parametrize("command", [SetTurnout("T2", True), SetUncoupler("s1", True), SetPower(True)])
def test_an_error_of_jmri_rejects_the_command_with_its_text(command: Any) -> None:
    @bench
    async def test(made: Bench) -> None:
        def refuse(message: Message) -> list[Message]:
            if getattr(message, "method", Method.GET) is Method.POST and message.state in (2, 4):  # type: ignore[union-attr]
                made.say(Failure(500, "the layout is on fire", message.id))  # type: ignore[union-attr]
                return []
            return [message]

        made.to_jmri = refuse
        made.driver.send(command, 7)
        await asyncio.sleep(0.1)
        (rejected,) = made.of(Rejected)
        assert (rejected.number, rejected.why) == (7, "JMRI says: the layout is on fire")

    test()


@bench
async def test_an_error_for_a_throttle_rejects_the_drive(made: Bench) -> None:
    def refuse(message: Message) -> list[Message]:
        if isinstance(message, Throttle):
            made.say(Failure(400, "no", message.id))
            return []
        return [message]

    made.to_jmri = refuse
    made.driver.send(Drive("L", True, 20), 7)
    await asyncio.sleep(0.1)
    assert [(e.number, e.why) for e in made.of(Rejected)] == [(7, "JMRI says: no")]


@bench
async def test_a_throttle_that_is_silently_ignored_rejects_the_drive(made: Bench) -> None:
    made.to_jmri = lambda m: [] if isinstance(m, Throttle) else [m]
    made.driver.send(Drive("L", True, 20), 7)
    await asyncio.sleep(0.1)
    assert [(e.number, e.why) for e in made.of(Rejected)] == [(7, "JMRI does not say what it sends to locomotive L")]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"speed": 0.5}, "locomotive L shall run at step 20, and JMRI sends 63"),
        ({"forward": False}, "JMRI does not turn locomotive L round"),
    ],
)
def test_what_jmri_sends_is_held_against_what_was_asked(changed: dict[str, Any], why: str) -> None:
    @bench
    async def test(made: Bench) -> None:
        made.from_jmri = lambda m: [replace(m, **changed) if isinstance(m, Throttle) and m.forward is not None else m]
        made.driver.send(Drive("L", True, 20), 7)
        await asyncio.sleep(0.1)
        assert [(e.number, e.why) for e in made.of(Rejected)] == [(7, why)]

    test()


@bench
async def test_a_turnout_whose_feedback_never_says_that_it_is_there_is_told_in_its_time(made: Bench) -> None:
    made.jmri.settled = lambda *_: None  # type: ignore[method-assign] # the contact is broken
    lies = made.simulation.truth().lie["T1"] == Leg.THROWN
    asked_s = made.now_s
    made.driver.send(SetTurnout("T1", not lies), 5)
    await asyncio.sleep(2.4)
    assert made.answers() == [(5, True)]
    await asyncio.sleep(0.2)
    (told,) = made.of(ForeignControl)
    assert told.t_s - asked_s == pytest.approx(2.5, abs=0.01)
    assert "and JMRI says neither closed nor thrown: it failed, or somebody moved it" in told.what
    assert made.answers() == [(5, True)]


@bench
async def test_power_on_lets_everything_stand_first(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    on = made.asked.index(
        next(entry for entry in made.asked if getattr(entry[1], "state", 0) == 2 and isinstance(entry[1], Power))
    )
    before = [replace(m, id=0) for _, m in made.asked[:on]]  # type: ignore[call-arg]
    assert before == [
        Throttle("L", speed=0.0, status=True),
        Throttle("M", speed=0.0, status=True),
        Bean(LIGHT, "LL11", 4, Method.POST),
        Bean(LIGHT, "LL12", 2, Method.POST),
        Power(),
    ]


# ---------------------------------------------------------------- others


FOREIGN: dict[str, tuple[Callable[[Any], None], str]] = {
    "turnout with feedback": (lambda jmri: jmri.set_by_hand(TURNOUT, "LT1", 4), "turnout"),
    "turnout without": (lambda jmri: jmri.set_by_hand(TURNOUT, "LT2", 4), "turnout T2 was closed by somebody else"),
    "magnet": (lambda jmri: jmri.set_by_hand(LIGHT, "LL11", 2), "magnet s1 was switched on by somebody else"),
    "inverted magnet": (lambda jmri: jmri.set_by_hand(LIGHT, "LL12", 4), "magnet s2 was switched on by somebody else"),
    "speed": (lambda jmri: jmri.throttle_by_hand(3, 0.5), "locomotive L was set to step 63 by somebody else"),
    "stop": (lambda jmri: jmri.throttle_by_hand(3, -1.0), "locomotive L was stopped by somebody else"),
    "direction": (lambda jmri: jmri.throttle_by_hand(3, 0.0, False), "locomotive L was set to reverse"),
    "power": (lambda jmri: jmri.set_power(False), "the power was switched off by somebody else"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_what_we_did_not_ask_for_is_foreign_control(name: str) -> None:
    act, what = FOREIGN[name]

    @bench
    async def test(made: Bench) -> None:
        made.driver.send(SetPower(True), 1)
        made.driver.send(SetTurnout("T1", False), 2)
        made.driver.send(SetTurnout("T2", True), 3)
        await asyncio.sleep(5)
        assert not made.of(ForeignControl)
        made.by_hand(act)
        await asyncio.sleep(4)
        found = made.of(ForeignControl)
        assert found
        assert what in found[0].what

    test()


@bench
async def test_power_that_goes_off_is_reported_at_once(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(2)
    made.events.clear()
    made.by_hand(lambda jmri: jmri.set_power(False))
    await asyncio.sleep(0.01)
    assert [e.on for e in made.of(PowerReported)] == [False]


@bench
async def test_power_that_jmri_no_longer_knows_is_as_bad_as_a_lost_link_and_not_off(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(2)
    made.events.clear()
    made.say(Power(0, default=True))
    await asyncio.sleep(0.01)
    assert [e.why for e in made.of(LinkLost)] == ["JMRI no longer knows whether the track power is on"]
    assert not made.of(PowerReported)


@bench
async def test_idle_power_is_on_and_somebody_has_stopped_everything(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(2)
    made.events.clear()
    made.say(Power(8, default=True))
    await asyncio.sleep(0.01)
    assert not made.of(PowerReported, LinkLost)
    assert "stopped at the command station" in made.of(ForeignControl)[0].what


@bench
async def test_a_stop_is_not_confirmed_by_a_power_that_is_not_known(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(2)
    made.driver.send(Drive("L", True, 60), 2)
    await asyncio.sleep(2)
    # The command station is gone: JMRI takes everything and says nothing of the locomotive, nor whether it has power.
    made.to_jmri = lambda m: [] if isinstance(m, Throttle) else [Power(id=m.id)] if isinstance(m, Power) else [m]
    made.from_jmri = lambda m: [replace(m, state=0)] if isinstance(m, Power) else [m]
    made.driver.send(EmergencyStop(), 3)
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") > 0
    assert not [e for e in made.of(Accepted) if e.number == 3]
    await asyncio.sleep(3)
    # Nothing confirmed it: the connection was cut, for which JMRI stops the locomotive by itself.
    assert [e for e in made.of(Rejected) if e.number == 3]
    assert "the connection to it was cut" in made.of(StationNote)[-1].text
    made._gone("")
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0


@bench
async def test_the_power_of_another_connection_of_jmri_is_not_ours(made: Bench) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(2)
    made.events.clear()
    made.say(Power(4, "CBUS", default=False))
    await asyncio.sleep(0.01)
    assert not made.of(PowerReported, ForeignControl)


@bench
async def test_a_throttle_that_somebody_takes_hold_of_or_away_is_foreign_control(made: Bench) -> None:
    port = made.simulation.attach("other", lambda _: None, lambda: None, serial=False)
    made.simulation.receive(port, write(Throttle("x", address=3)).encode())
    await asyncio.sleep(0.1)
    assert [e.what for e in made.of(ForeignControl)] == ["another throttle took hold of locomotive L"]
    made.say(Throttle("M", release=True))
    await asyncio.sleep(0.1)
    assert made.of(ForeignControl)[-1].what == "locomotive M was taken away from this program"


@bench
async def test_an_echo_that_comes_late_is_our_own_but_one_that_stays_is_not(made: Bench) -> None:
    made.driver.send(Drive("L", True, 20), 1)
    await asyncio.sleep(0.5)
    made.driver.send(Drive("L", True, 30), 2)
    await asyncio.sleep(0.1)
    made.say(Throttle("L", speed=20 / 126))
    made.say(Throttle("L", speed=30 / 126))
    await asyncio.sleep(5)
    assert not made.of(ForeignControl)
    made.driver.send(Drive("L", True, 40), 3)
    await asyncio.sleep(0.1)
    made.say(Throttle("L", speed=30 / 126))
    await asyncio.sleep(5)
    assert [e.what for e in made.of(ForeignControl)] == ["locomotive L was set to step 30 by somebody else"]


@bench
async def test_what_is_not_of_this_layout_is_noted_once(made: Bench) -> None:
    for _ in range(5):
        made.say(Bean(SENSOR, "LS99", 2))
        made.say(Throttle("x9", speed=0.5))
    made.say(Unknown('{"type":"reporter","data":{"name":"LR1"}}'))
    made.say(Failure(500, "something"))
    await asyncio.sleep(0.1)
    assert [e.text for e in made.of(StationNote)] == [
        "sensor LS99 of JMRI is not on this layout",
        'not understood: {"type":"reporter","data":{"name":"LR1"}}',
        "JMRI says: something",
    ]


@bench
async def test_beams_are_reported_when_they_change_and_only_then(made: Bench) -> None:
    made.simulation.jog(lambda: made.jmri.see("LS1", True, made.now_s))
    made.simulation.jog(lambda: made.jmri.see("LS3", False, made.now_s))  # inverted: broken
    await asyncio.sleep(0.1)
    made.say(Bean(SENSOR, "LS1", 2))
    await asyncio.sleep(0.1)
    assert [(e.sensor, e.active) for e in made.of(SensorChanged)] == [("head", True), ("s2", True)]


@pytest.mark.parametrize("state", [0, INCONSISTENT])
def test_a_beam_that_jmri_no_longer_knows_is_as_bad_as_a_lost_link(state: int) -> None:
    @bench
    async def test(made: Bench) -> None:
        made.driver.send(SetPower(True), 1)
        made.driver.send(Drive("L", True, 30), 2)
        await asyncio.sleep(1)
        made.say(Bean(SENSOR, "LS2", state))
        await asyncio.sleep(1)
        assert [e.why for e in made.of(LinkLost)] == ["JMRI no longer knows beam s1 (LS2)"]
        assert made.world.speed_mm_s("L") == 0
        assert made.driver.halted

    test()


# ---------------------------------------------------------------- stopping


async def running(made: Bench, step: int = 30) -> None:
    made.driver.send(SetPower(True), 1)
    await asyncio.sleep(0.1)
    made.driver.send(Drive("L", True, step), 2)
    await asyncio.sleep(0.5)
    assert made.world.speed_mm_s("L") > 0
    made.events.clear()
    made.asked.clear()


@bench
async def test_an_emergency_stop_is_alone_in_its_message_and_goes_first(made: Bench) -> None:
    await running(made)
    made.driver.send(EmergencyStop(), 9)
    await asyncio.sleep(0.05)
    sent = [replace(m, id=0) for _, m in made.asked]  # type: ignore[call-arg]
    assert sent == [
        Throttle("L", emergency_stop=True),
        Throttle("M", emergency_stop=True),
        Bean(LIGHT, "LL11", 4, Method.POST),
        Bean(LIGHT, "LL12", 2, Method.POST),
        Throttle("L", status=True),
        Throttle("M", status=True),
        Power(),
    ]
    assert write(sent[0]) == '{"type":"throttle","data":{"name":"L","throttle":"L","eStop":null}}'
    assert made.answers() == [(9, True)]
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") == 0
    assert len(made.asked_for(Throttle)) == 4, "confirmed: not said again"
    assert not made.of(ForeignControl, LinkLost)
    assert made.world.powered


@bench
async def test_after_a_stop_nothing_goes_until_a_person_releases_it(made: Bench) -> None:
    await running(made)
    made.driver.halt()
    with pytest.raises(StationError, match="not confirmed yet"):
        made.driver.release()
    made.driver.send(SetPower(True), 10)
    await asyncio.sleep(0.5)
    made.driver.send(Drive("L", True, 30), 11)
    made.driver.send(SetUncoupler("s1", True), 12)
    made.driver.send(SetTurnout("T1", True), 13)
    made.driver.send(SetUncoupler("s1", False), 14)
    await asyncio.sleep(0.1)
    assert made.answers() == [(10, False), (11, False), (12, False), (13, True), (14, True)]
    made.driver.release()
    made.driver.send(Drive("L", True, 30), 15)
    await asyncio.sleep(0.5)
    assert made.answers()[-1] == (15, True)
    assert made.world.speed_mm_s("L") > 0
    assert not made.of(ForeignControl)


@bench
async def test_a_stop_that_is_not_confirmed_is_said_every_100_ms_and_the_power_is_cut_after_300(made: Bench) -> None:
    await running(made)
    began_s = made.now_s
    made.from_jmri = lambda m: [] if isinstance(m, Throttle) else [m]
    made.driver.halt()
    await asyncio.sleep(0.25)
    times = [at_s - began_s for at_s, m in made.asked if isinstance(m, Throttle) and m.emergency_stop and m.name == "L"]
    assert times == pytest.approx([0.0, 0.1, 0.2])
    assert made.world.powered
    await asyncio.sleep(0.3)
    assert not made.world.powered
    before = len(made.asked)
    await asyncio.sleep(0.3)
    assert made.asked[before:] == [], "dark is stopped"


@bench
async def test_a_stop_with_the_power_off_goes_at_once(made: Bench) -> None:
    await running(made)
    made.driver.halt(power_off=True)
    await asyncio.sleep(0.05)
    assert not made.world.powered
    assert not made.of(ForeignControl)


@bench
async def test_a_stop_that_jmri_refuses_cuts_the_power(made: Bench) -> None:
    await running(made)

    def refuse(message: Message) -> list[Message]:
        if isinstance(message, Throttle) and message.emergency_stop:
            made.say(Failure(500, "no such throttle", message.id))
            return []
        return [message]

    made.to_jmri = refuse
    made.driver.halt()
    await asyncio.sleep(0.5)
    assert not made.world.powered


@bench
async def test_a_stop_that_is_never_confirmed_ends_with_the_connection_and_jmri_stops_everything(made: Bench) -> None:
    await running(made)
    made.to_jmri = lambda m: [] if isinstance(m, Throttle | Power) and m != Power(id=getattr(m, "id", 0)) else [m]
    made.driver.halt()
    await asyncio.sleep(2.9)
    assert made.driver.link is Link.UP
    await asyncio.sleep(1)
    assert made.driver.link is Link.CLOSED
    (lost,) = made.of(LinkLost)
    assert "not confirmed a stop within 3 s" in lost.why
    made._gone("")
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0


# ---------------------------------------------------------------- losing it


@bench
async def test_a_jmri_that_stands_still_is_a_lost_link_long_before_it_would_notice_itself(made: Bench) -> None:
    await running(made)
    frozen_s = made.now_s
    made.jmri.frozen = True
    await asyncio.sleep(2.1)
    (lost,) = made.of(LinkLost)
    assert lost.t_s - frozen_s < 2.05 < HEARTBEAT_S
    assert lost.why == "JMRI has not answered a ping within 1 s"
    assert made.driver.link is Link.SILENT
    stops = [m for m in made.asked_for(Throttle, lost.t_s) if m.emergency_stop]
    assert stops
    made.driver.send(Drive("L", True, 40), 20)
    await asyncio.sleep(0.1)
    assert made.answers()[-1] == (20, False)
    # it wakes, and finds the stops that were said meanwhile
    made.jmri.frozen = False
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") == 0
    assert "answers again and has stopped everything" in made.of(StationNote)[-1].text
    assert made.driver.halted


@bench
async def test_a_jmri_that_does_not_wake_is_cut_off_and_stops_everything_when_it_does(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    await asyncio.sleep(6)
    assert made.driver.link is Link.CLOSED
    assert not made.host.is_open
    assert len(made.of(LinkLost)) == 1
    before = len(made.asked)
    await asyncio.sleep(3)
    assert len(made.asked) == before, "nothing is said for ever"
    made._gone("the socket is closed")
    made.jmri.frozen = False
    made.simulation.jog(lambda: None)
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0


@bench
async def test_a_command_that_is_not_answered_is_a_lost_link_too(made: Bench) -> None:
    made.from_jmri = lambda m: [m] if isinstance(m, Pong) else []
    asked_s = made.now_s
    made.driver.send(SetTurnout("T2", True), 3)
    await asyncio.sleep(1.1)
    assert [e.t_s - asked_s for e in made.of(LinkLost)] == pytest.approx([1.0])
    assert made.answers() == [(3, False)]


@pytest.mark.parametrize("how", ["goodbye", "cut"])
def test_a_jmri_that_goes_is_a_lost_link_and_opening_again_asks_everything_again(how: str) -> None:
    @bench
    async def test(made: Bench) -> None:
        await running(made)
        if how == "goodbye":
            made.by_hand(lambda jmri: jmri.reset(made.now_s))
        else:
            made.cut()
        await asyncio.sleep(2)
        assert len(made.of(LinkLost)) == 1
        assert made.driver.link is Link.CLOSED
        assert made.world.speed_mm_s("L") == 0, "its last client has gone"
        made.driver.send(SetTurnout("T1", True), 9)
        await asyncio.sleep(0.01)
        assert made.answers()[-1] == (9, False)
        # meanwhile the layout goes on without us
        made.by_hand(lambda jmri: jmri.see("LS1", True, made.now_s))
        await asyncio.sleep(0.1)
        made.events.clear()
        made.asked.clear()
        await made.open()
        assert ("head", True) in [(e.sensor, e.active) for e in made.of(SensorChanged)]
        assert len(made.of(LinkUp)) == 1
        assert made.driver.halted, "nothing resumes by itself"
        assert {m.name for m in made.asked_for(Bean)} == {
            *("LL11", "LL12", "LT1", "LT2", "LS1", "LS2", "LS3", "LS4"),
        }
        made.by_hand(lambda jmri: jmri.see("LS2", True, made.now_s))
        await asyncio.sleep(0.1)
        assert made.of(SensorChanged)[-1].sensor == "s1"

    test()


@bench
async def test_what_was_asked_before_the_link_was_lost_counts_no_more(made: Bench) -> None:
    """Somebody closed the points meanwhile (T2 is inverted), and throws them now: no echo of what we once asked."""
    made.driver.send(SetTurnout("T2", True), 1)
    await asyncio.sleep(3)
    assert made.answers() == [(1, True)]
    made.cut()
    await asyncio.sleep(0.1)
    made.by_hand(lambda jmri: jmri.set_by_hand(TURNOUT, "LT2", 4))
    await asyncio.sleep(3)
    await made.open()
    made.events.clear()
    made.by_hand(lambda jmri: jmri.set_by_hand(TURNOUT, "LT2", 2))
    await asyncio.sleep(3)
    assert [e.what for e in made.of(ForeignControl)] == ["turnout T2 was thrown by somebody else"]


@bench
async def test_pings_keep_the_connection_alive_over_jmris_own_patience(made: Bench) -> None:
    await asyncio.sleep(3 * IDLE_HEARTBEATS * HEARTBEAT_S)
    assert made.driver.link is Link.UP
    assert not made.of(LinkLost)
    assert all(isinstance(m, Ping) for _, m in made.asked)


@bench
async def test_closing_leaves_everything_safe(made: Bench) -> None:
    await running(made)
    made.driver.send(SetUncoupler("s1", True), 3)
    await asyncio.sleep(0.1)
    await made.driver.close()
    assert not made.world.powered
    assert not made.world.magnets_on
    await asyncio.sleep(1)
    assert made.world.speed_mm_s("L") == 0
    assert not made.of(LinkLost, ForeignControl)


@bench
async def test_closing_on_a_jmri_that_does_not_answer_says_it_all_and_does_not_hang(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    began_s = made.now_s
    await made.driver.close()
    assert made.now_s - began_s <= 1.0
    made.jmri.frozen = False
    await asyncio.sleep(2)
    assert made.world.speed_mm_s("L") == 0
    assert not made.world.powered


@bench
async def test_closing_waits_for_a_stop_that_is_not_confirmed_and_says_it_again(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    made.asked.clear()
    began_s = made.now_s
    made.driver.halt()
    await made.driver.close()
    assert 3.0 <= made.now_s - began_s <= 4.5
    said = [m for m in made.asked_for(Throttle) if m.emergency_stop and m.name == "L"]
    assert len(said) >= 25
    assert "the connection to it was cut" in " ".join(e.text for e in made.of(StationNote))


@bench
async def test_into_silence_only_what_makes_safe_is_said(made: Bench) -> None:
    await running(made)
    made.jmri.frozen = True
    await asyncio.sleep(2.2)
    assert made.driver.link is Link.SILENT
    made.asked.clear()
    commands = (SetTurnout("T1", False), SetPower(True), SetUncoupler("s1", False), Stop("L", True))
    for number, command in enumerate(commands, start=20):
        made.driver.send(command, number)
    await asyncio.sleep(0.01)
    said = [m for _, m in made.asked]
    assert not [m for m in said if isinstance(m, Bean) and m.type is TURNOUT]
    assert not [m for m in said if isinstance(m, Power) and m.state == 2]
    assert Bean(LIGHT, "LL11", 4, Method.POST) in said
    assert Throttle("L", speed=0.0, status=True) in said
    assert made.answers()[-4:] == [(number, False) for number in range(20, 24)]
    await made.driver.close()


def test_a_stop_while_the_link_is_set_up_is_said_at_once() -> None:
    async def main() -> None:
        made = Bench()
        opening = asyncio.create_task(made.open())
        await asyncio.sleep(0.003)
        made.driver.send(EmergencyStop(), 1)
        await asyncio.sleep(0.0005)
        assert made.asked_for(Throttle)[0] == Throttle("L", emergency_stop=True)
        await opening
        assert made.answers() == [(1, False)]
        assert made.driver.halted
        await made.down()

    run_virtual(main())


def test_what_a_guardian_says_stops_everything() -> None:
    host, _ = memory_pair()
    frames = JmriDriver(host, PLAIN, emit=lambda _: None).guardian_frames()
    assert [frame.decode() for frame in frames] == [
        write(Throttle("L", emergency_stop=True)),
        *(write(Bean(LIGHT, name, 4, Method.POST)) for name in ("LL11", "LL12", "LL13")),
        write(Throttle("L", emergency_stop=True)),
        write(Power(4, method=Method.POST)),
    ]


# ---------------------------------------------------------------- noise


NOISE = st.one_of(
    st.builds(Bean, st.sampled_from(BeanType), st.sampled_from(["LT1", "LS1", "LL11", "x"]), st.integers(-1, 9)),
    st.builds(Power, st.none() | st.integers(-1, 9), default=st.none() | st.booleans()),
    st.builds(
        Throttle,
        st.sampled_from(["L", "M", "x"]),
        forward=st.none() | st.booleans(),
        speed=st.none() | st.floats(-2, 2),
        clients=st.none() | st.integers(-1, 3),
        release=st.booleans(),
    ),
    st.builds(Failure, st.integers(0, 600), st.text(max_size=5), st.integers(0, 60)),
    st.builds(Pong),
    st.builds(Hello),
    st.builds(Unknown, st.text(max_size=20)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 3), NOISE), max_size=12))
def test_whatever_jmri_says_the_driver_lives_and_answers_every_command_once(noise: list[tuple[float, Message]]) -> None:
    async def main() -> None:
        made = await Bench().up()
        loop = asyncio.get_running_loop()
        for after_s, message in noise:
            loop.call_later(after_s, made.say, message)
        commands = [SetPower(True), SetTurnout("T1", True), Drive("L", True, 20), Stop("L", True), EmergencyStop()]
        for number, command in enumerate(commands):
            made.driver.send(command, number)
            await asyncio.sleep(0.6)
        await asyncio.sleep(6)
        await made.down()
        accepted = [e.number for e in made.of(Accepted)]
        assert len(accepted) == len(set(accepted))
        assert {number for number, _ in made.answers()} == set(range(len(commands)))
        assert made.world.speed_mm_s("L") == 0

    run_virtual(main())
