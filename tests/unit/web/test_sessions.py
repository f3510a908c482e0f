"""Roles, the marshal's PIN and the drivers' codes, by a clock of the test's own."""

from __future__ import annotations

import pytest

from pointsman.errors import RefusedError
from pointsman.web.sessions import (
    CODE_S,
    MOST_SESSIONS,
    TRIES_ALL,
    TRIES_EACH,
    TRIES_S,
    Role,
    Sessions,
)


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def test_whoever_comes_where_only_this_computer_can_is_marshal() -> None:
    sessions = Sessions(None, Clock())
    assert sessions.new().role is Role.MARSHAL


def test_a_code_dies_with_its_first_use_and_after_two_minutes() -> None:
    clock = Clock()
    sessions = Sessions("4711", clock)
    first, second = sessions.new(), sessions.new()
    code = sessions.code_for("L")
    sessions.use_code(first, code, "a")
    assert (first.role, first.locomotive) == (Role.DRIVER, "L")
    late = sessions.code_for("L")
    clock.now_s = CODE_S
    for used in (code, late):
        with pytest.raises(RefusedError, match="was used, or is too old"):
            sessions.use_code(second, used, "b")
    assert second.role is Role.SPECTATOR


def test_tries_are_limited_for_each_address_and_for_all_together_and_come_back() -> None:
    clock = Clock()
    sessions = Sessions("4711", clock)
    session = sessions.new()

    def wrong(address: str) -> str:
        with pytest.raises(RefusedError) as refused:
            sessions.sign_in(session, "0", address)
        return refused.value.what

    for _ in range(TRIES_EACH):
        assert "PIN" in wrong("a")
    assert "too many" in wrong("a")
    for number in range(TRIES_ALL - TRIES_EACH):
        assert "PIN" in wrong(f"other {number}")
    assert "too many" in wrong("a new one")
    clock.now_s = TRIES_S
    sessions.sign_in(session, "4711", "a")
    assert session.role is Role.MARSHAL


def test_a_marshal_stays_one_with_a_code_and_a_driver_can_be_dismissed() -> None:
    sessions = Sessions("4711", Clock())
    marshal, driver = sessions.new(), sessions.new()
    sessions.sign_in(marshal, "4711", "a")
    sessions.use_code(marshal, sessions.code_for("L"), "a")
    sessions.use_code(driver, sessions.code_for("L"), "b")
    assert marshal.role is Role.MARSHAL
    assert sessions.drivers == [driver]
    sessions.dismiss(driver.who)
    assert (driver.role, driver.locomotive) == (Role.SPECTATOR, None)
    with pytest.raises(RefusedError, match="no driver"):
        sessions.dismiss("driver 1")
    sessions.sign_out(marshal)
    assert marshal.role is Role.SPECTATOR


def test_sessions_do_not_grow_without_end_and_nobody_loses_a_role_by_that() -> None:
    sessions = Sessions("4711", Clock())
    marshal, away, used = sessions.new(), sessions.new(), sessions.new()
    sessions.sign_in(marshal, "4711", "a")
    for _ in range(MOST_SESSIONS):
        assert sessions.of(used.token) is used
        sessions.new()
    assert sessions.of(marshal.token) is marshal
    assert sessions.of(away.token) is None
    assert sessions.of("unknown") is None
