"""Tokens of helpers' devices: what they may do, until when, and that the book has none of them."""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta

import pytest
from evening import START, Evening, evening

from pointsman.compete.entries import Scope, TokenRevoked
from pointsman.compete.tokens import admitted, give, hash_of
from pointsman.errors import RefusedError, UsageError

HOURS = timedelta(hours=5)


def given(scope: Scope = Scope.MARK, name: str = "Tablet 1") -> tuple[Evening, str]:
    its = evening()
    token, entry = give(name, scope, now=START, lasts=HOURS)
    its.write(entry)
    return its, token


def test_a_token_is_256_bits_in_characters_of_an_address_and_no_two_are_equal() -> None:
    tokens = {give("x", Scope.LOOK, now=START, lasts=HOURS)[0] for _ in range(100)}
    assert len(tokens) == 100
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in tokens)


def test_the_book_has_the_hash_of_a_token_and_not_the_token() -> None:
    its, token = given()
    text = "".join(line for _, line in its.lines)
    assert token not in text
    assert hashlib.sha256(token.encode()).hexdigest() == hash_of(token)
    assert hash_of(token) in text


@pytest.mark.parametrize(
    ("scope", "may"),
    [
        (Scope.LOOK, {Scope.LOOK}),
        (Scope.MARK, {Scope.LOOK, Scope.MARK}),
        (Scope.MARSHAL, {Scope.LOOK, Scope.MARK, Scope.MARSHAL}),
    ],
)
def test_a_device_may_do_what_its_scope_includes_and_nothing_more(scope: Scope, may: set[Scope]) -> None:
    its, token = given(scope)
    for needs in Scope:
        if needs in may:
            assert admitted(its.book.state, token, needs, now=START).given.name == "Tablet 1"
        else:
            with pytest.raises(RefusedError, match="Tablet 1 may not do this"):
                admitted(its.book.state, token, needs, now=START)


def test_a_token_ends_at_its_moment() -> None:
    its, token = given()
    admitted(its.book.state, token, Scope.MARK, now=START + HOURS - timedelta(microseconds=1))
    with pytest.raises(RefusedError, match="this device is not admitted"):
        admitted(its.book.state, token, Scope.MARK, now=START + HOURS)


def test_a_revoked_token_is_worth_nothing_until_that_is_taken_back() -> None:
    its, token = given()
    other, entry = give("Tablet 2", Scope.MARK, now=START, lasts=HOURS)
    its.write(entry)
    revoked = its.write(TokenRevoked("Tablet 1"))
    with pytest.raises(RefusedError, match="this device is not admitted"):
        admitted(its.book.state, token, Scope.LOOK, now=START)
    admitted(its.book.state, other, Scope.MARK, now=START)
    its.undo(revoked)
    admitted(its.book.state, token, Scope.LOOK, now=START)


@pytest.mark.parametrize("token", ["", "x", "A" * 43, "é" * 43, "\ud800" * 43, "x" * 1_000_000])
def test_what_is_no_token_is_not_admitted(token: str) -> None:
    its, real = given()
    for wrong in (token, hash_of(real), real + "A", f" {real}", real.swapcase()):
        with pytest.raises(RefusedError, match="this device is not admitted"):
            admitted(its.book.state, wrong, Scope.LOOK, now=START)


@pytest.mark.parametrize("lasts", [timedelta(0), timedelta(seconds=-1), timedelta(days=8)])
def test_a_token_that_lasts_too_long_or_not_at_all_is_not_given(lasts: timedelta) -> None:
    with pytest.raises(UsageError) as caught:
        give("x", Scope.LOOK, now=START, lasts=lasts)
    assert caught.value.cure
