"""The driver's commands against a simulated JMRI, what others do there, and noise, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jmri_bench import LIGHT, SENSOR, TURNOUT, Bench, bench

from pointsman.errors import ProtocolError
from pointsman.messages import (
    Accepted,
    Drive,
    EmergencyStop,
    ForeignControl,
    LinkLost,
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
    Pong,
    Power,
    Throttle,
    Unknown,
    write,
)
from pointsman.track.model import Leg
from railsim.clock import run_virtual

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
