"""JMRI's role: what a client that is not ours sees of it, with the times of the caller."""

from __future__ import annotations

import pytest

from pointsman.protocols.jmri_json import (
    INCONSISTENT,
    Bean,
    BeanType,
    Failure,
    Goodbye,
    Hello,
    Message,
    Method,
    Ping,
    Pong,
    Power,
    Throttle,
    read,
    write,
)
from railsim.jmri_station import HEARTBEAT_S, IDLE_HEARTBEATS, JmriStation

TURNOUT, SENSOR, LIGHT = BeanType.TURNOUT, BeanType.SENSOR, BeanType.LIGHT


class Layout:
    """What the station does to it."""

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []
        self.station = JmriStation(
            self,
            {(TURNOUT, "LT1"): 2, (TURNOUT, "LT2"): 0, (SENSOR, "LS1"): 4, (LIGHT, "LL1"): 4},
            feedback=frozenset({"LT1"}),
        )
        self.now_s = 0.0

    def power(self, on: bool) -> None:
        self.done.append(("power", on))

    def throttle(self, cab: int, forward: bool, step: int, emergency: bool) -> None:
        self.done.append((cab, forward, step, emergency))

    def turnout(self, number: str, thrown: bool) -> None:
        self.done.append((number, thrown))

    def output(self, number: str, on: bool) -> None:
        self.done.append((number, on))

    def after(self, seconds: float = 0.2) -> list[tuple[str, Message | None]]:
        """What each client was sent; None is the end."""
        self.now_s += seconds
        sent = self.station.advance(self.now_s)
        return [(port, message) for port, data in sent for message in (read(data) if data else (None,))]

    def ask(self, *messages: Message, port: str = "a") -> list[Message | None]:
        for message in messages:
            self.station.receive(port, write(message).encode(), self.now_s)
        return [message for to, message in self.after() if to == port]


@pytest.fixture
def layout() -> Layout:
    made = Layout()
    made.station.connect("a")
    ((_, hello),) = made.after()
    assert isinstance(hello, Hello)
    assert hello.heartbeat_ms == 13500
    return made


def test_pings_are_answered_without_their_id_and_a_hello_with_it(layout: Layout) -> None:
    assert layout.ask(Ping()) == [Pong()]
    (hello,) = layout.ask(Hello(id=4))
    assert isinstance(hello, Hello)
    assert hello.id == 4


def test_nothing_is_told_before_it_was_asked_for_by_name(layout: Layout) -> None:
    layout.station.see("LS1", True, layout.now_s)
    assert layout.after() == []
    assert layout.ask(Bean(SENSOR, "LS1", id=7)) == [Bean(SENSOR, "LS1", 2, id=7)]
    layout.station.see("LS1", False, layout.now_s)
    assert layout.after() == [("a", Bean(SENSOR, "LS1", 4))]
    layout.station.connect("b")
    layout.after()
    layout.station.see("LS1", True, layout.now_s)
    assert layout.after() == [("a", Bean(SENSOR, "LS1", 2))]


def test_a_turnout_without_feedback_is_where_it_was_sent_and_one_with_it_when_it_arrives(layout: Layout) -> None:
    assert layout.ask(Bean(TURNOUT, "LT2", 4, Method.POST, 1)) == [Bean(TURNOUT, "LT2", 4, id=1)]
    assert layout.ask(Bean(TURNOUT, "LT1", 4, Method.POST, 2)) == [Bean(TURNOUT, "LT1", INCONSISTENT, id=2)]
    layout.station.settled("LT1", True, layout.now_s)
    assert layout.after() == [("a", Bean(TURNOUT, "LT1", 4))]
    assert layout.done == [("LT2", True), ("LT1", True)]


def test_a_change_is_told_before_its_answer(layout: Layout) -> None:
    layout.ask(Bean(LIGHT, "LL1"))
    changed = Bean(LIGHT, "LL1", 2)
    assert layout.ask(Bean(LIGHT, "LL1", 2, Method.POST, 5)) == [changed, Bean(LIGHT, "LL1", 2, id=5)]
    assert layout.ask(Bean(LIGHT, "LL1", 0, Method.POST, 6)) == [Bean(LIGHT, "LL1", 2, id=6)]


def test_power_is_told_to_whoever_asked(layout: Layout) -> None:
    assert layout.ask(Power(id=1)) == [Power(4, default=True, id=1)]
    told, answer = layout.ask(Power(2, method=Method.POST, id=2))
    assert told == Power(2, "LocoNet", default=True)
    assert answer == Power(2, default=True, id=2)
    assert layout.done == [("power", True)]


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (Bean(TURNOUT, "LT9", id=3), 404),
        (Bean(TURNOUT, "LT1", 7, Method.POST, 3), 400),
        (Power(7, method=Method.POST, id=3), 400),
        (Throttle("x", id=3), 400),
        (Throttle("x", address=20000, id=3), 400),
    ],
)
def test_what_cannot_be_is_an_error_with_the_id(layout: Layout, message: Message, code: int) -> None:
    (failure,) = layout.ask(message)
    assert isinstance(failure, Failure)
    assert (failure.code, failure.id) == (code, 3)
    assert layout.done == []


def test_a_text_that_is_none_is_an_error_without_one(layout: Layout) -> None:
    layout.station.receive("a", b"what?", layout.now_s)
    assert [(type(m), m.id) for _, m in layout.after() if isinstance(m, Failure)] == [(Failure, 0)]


def test_a_throttle_reports_everything_once_it_is_had_and_then_what_changes(layout: Layout) -> None:
    (status,) = layout.ask(Throttle("x", address=3, id=1))
    assert status == Throttle("x", 3, forward=True, speed=0.0, speed_steps=126, clients=1)
    turned, faster = layout.ask(Throttle("x", forward=False, speed=0.5, id=2))
    assert turned == Throttle("x", forward=False)
    assert faster == Throttle("x", speed=0.5)
    assert layout.ask(Throttle("x", speed=0.5)) == []
    assert layout.ask(Throttle("x", emergency_stop=True)) == [Throttle("x", speed=-1.0)]
    assert layout.done == [(3, False, 0, False), (3, False, 63, False), (3, False, 63, False), (3, False, 0, True)]


def test_a_throttle_that_is_not_had_yet_cannot_be_used(layout: Layout) -> None:
    failure, status = layout.ask(Throttle("x", address=3), Throttle("x", speed=1.0, id=2))
    assert isinstance(failure, Failure)
    assert failure.id == 2
    assert isinstance(status, Throttle)
    assert layout.done == []


def test_a_locomotive_is_stopped_by_the_last_client_that_goes(layout: Layout) -> None:
    layout.ask(Throttle("x", address=3))
    layout.station.connect("b")
    layout.after()
    layout.station.receive("b", write(Throttle("y", address=3)).encode(), layout.now_s)
    told = layout.after()
    assert ("a", Throttle("x", clients=2)) in told
    layout.ask(Throttle("x", speed=0.5))
    layout.station.disconnect("a")
    assert layout.after() == [("b", Throttle("y", clients=1))]
    assert layout.done[-1] == (3, True, 63, False)
    layout.station.disconnect("b")
    layout.after()
    assert layout.done[-1] == (3, True, 0, False)


def test_a_client_that_releases_its_throttle_is_told_and_its_locomotive_stopped(layout: Layout) -> None:
    layout.ask(Throttle("x", address=3))
    layout.ask(Throttle("x", speed=0.5))
    released, stopped = layout.ask(Throttle("x", release=True))
    assert released == Throttle("x", release=True)
    assert stopped == Throttle("x", speed=0.0)
    assert layout.done[-1] == (3, True, 0, False)
    (failure,) = layout.ask(Throttle("x", speed=0.5))
    assert isinstance(failure, Failure)


def test_a_client_that_says_nothing_is_cut_off_and_one_that_pings_is_not(layout: Layout) -> None:
    layout.station.connect("b")
    layout.after(0.0)
    layout.station.receive("b", write(Throttle("y", address=3)).encode(), layout.now_s)
    assert layout.after(IDLE_HEARTBEATS * HEARTBEAT_S - 0.5)[-1][0] == "b"
    assert layout.ask(Ping()) == [Pong()]
    assert layout.after(0.5) == [("b", None)]
    layout.after(0.1)
    assert layout.done[-1] == (3, True, 0, False)


def test_a_goodbye_is_answered_and_ends_the_connection(layout: Layout) -> None:
    assert layout.ask(Goodbye()) == [Goodbye(), None]
    assert layout.ask(Ping()) == []


def test_a_restart_says_goodbye_to_all(layout: Layout) -> None:
    layout.ask(Throttle("x", address=3))
    layout.ask(Throttle("x", speed=0.5))
    layout.station.reset(layout.now_s)
    assert [message for _, message in layout.after()] == [Goodbye(), Throttle("x", speed=0.0), None]
    assert layout.done[-1] == (3, True, 0, False)


def test_a_station_that_stands_still_says_nothing_and_catches_up(layout: Layout) -> None:
    layout.station.frozen = True
    assert layout.ask(Ping(), Ping()) == []
    assert layout.station.next_event_s() is None
    layout.station.frozen = False
    assert layout.after() == [("a", Pong()), ("a", Pong())]
