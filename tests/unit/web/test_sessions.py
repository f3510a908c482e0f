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
    UNUSED_S,
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


def wrong(sessions: Sessions, address: str, **given: str) -> str:
    """What is said to a wrong PIN, or to a wrong code."""
    become = sessions.use_code if "code" in given else sessions.sign_in
    with pytest.raises(RefusedError) as refused:
        become(sessions.new(), given.get("code", "0"), address)
    return refused.value.what


def test_tries_are_limited_for_each_address_and_for_all_together_and_come_back() -> None:
    clock = Clock()
    sessions = Sessions("4711", clock)
    for _ in range(TRIES_EACH):
        assert "PIN" in wrong(sessions, "a")
    assert "too many" in wrong(sessions, "a")
    for number in range(TRIES_ALL - TRIES_EACH):
        assert "PIN" in wrong(sessions, f"other {number}")
    assert "too many" in wrong(sessions, "a new one")
    clock.now_s = TRIES_S
    session = sessions.new()
    sessions.sign_in(session, "4711", "a")
    assert session.role is Role.MARSHAL


def test_what_others_try_locks_out_neither_this_computer_nor_where_the_marshal_is() -> None:
    sessions = Sessions("4711", Clock())
    sessions.sign_in(sessions.new(), "4711", "192.168.1.5")
    for number in range(TRIES_ALL):
        assert "PIN" in wrong(sessions, f"192.168.2.{number}")
    assert "too many" in wrong(sessions, "192.168.1.6")
    for address in ("127.0.0.1", "::1", "192.168.1.5"):
        back = sessions.new()
        sessions.sign_in(back, "4711", address)
        assert back.role is Role.MARSHAL
    for _ in range(TRIES_EACH):
        assert "PIN" in wrong(sessions, "127.0.0.1")
    assert "too many" in wrong(sessions, "127.0.0.1")


def test_wrong_codes_keep_nobody_from_the_pin() -> None:
    sessions = Sessions("4711", Clock())
    for number in range(TRIES_ALL):
        assert "was used" in wrong(sessions, f"other {number}", code="none")
    for _ in range(TRIES_EACH):
        assert "was used" in wrong(sessions, "a", code="none")
    assert "too many" in wrong(sessions, "a", code="none")
    sessions.sign_in(sessions.new(), "4711", "a")


def test_with_a_higher_role_comes_a_new_secret_and_the_old_one_is_worth_nothing() -> None:
    sessions = Sessions("4711", Clock())
    session = sessions.new()
    secrets = [session.token]
    sessions.use_code(session, sessions.code_for("L"), "a")
    secrets.append(session.token)
    sessions.sign_in(session, "4711", "a")
    secrets.append(session.token)
    assert len(set(secrets)) == 3
    assert [sessions.of(one) for one in secrets] == [None, None, session]
    sessions.sign_out(session)
    assert sessions.of(secrets[2]) is session


def test_a_session_that_nobody_uses_is_over_and_gives_back_what_it_had() -> None:
    clock = Clock()
    sessions = Sessions("4711", clock)
    left: list[str] = []
    sessions.on_leaving(left.append)
    away, used, shown = sessions.new(), sessions.new(), sessions.new()
    sessions.use_code(away, sessions.code_for("L"), "a")
    sessions.use_code(used, sessions.code_for("L"), "a")
    left.clear()
    clock.now_s = UNUSED_S - 1
    assert sessions.of(used.token) is used
    sessions.used(shown)
    clock.now_s = UNUSED_S
    assert sessions.of(away.token) is None
    assert left == ["driver 1"]
    assert sessions.drivers == [used]
    assert sessions.of(shown.token) is shown
    sessions.used(away)
    assert sessions.of(away.token) is None


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
