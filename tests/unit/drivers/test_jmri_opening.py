"""Opening the driver against a simulated JMRI: what it makes safe first, and what it refuses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest
from jmri_bench import LIGHT, SENSOR, TURNOUT, WIRING, Bench

from pointsman.drivers.jmri import JmriDriver
from pointsman.drivers.jmri.link import Link
from pointsman.errors import LinkLostError, StationError
from pointsman.messages import (
    ForeignControl,
    LinkChanged,
    LinkLost,
    LinkState,
    LinkUp,
    PowerReported,
    Rejected,
    SensorChanged,
    StationNote,
)
from pointsman.protocols.jmri_json import INCONSISTENT, Bean, Failure, Message, Method, Ping, Throttle, write
from pointsman.track.builtin import find_layout, find_wiring
from pointsman.track.layout import load_layout
from pointsman.track.wiring_file import load_wiring
from pointsman.transports.memory import memory_pair
from railsim.clock import run_virtual


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
