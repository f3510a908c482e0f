from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pointsman.compete.commitment import Files, ParRange, Parts
from pointsman.compete.sealing import LEAST_CODE, MOST_CODE, Sealed, seal
from pointsman.errors import RefusedError, UsageError
from pointsman.puzzle.puzzle import Count

SECRET = bytes(range(16))
PARTS = Parts("0.1.0", Files("0" * 64, "f" * 64), "final", Count.RUNS, ParRange(9, 15), 500, 3, 2)
COMMITMENT = PARTS.commitment(SECRET)

codes = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), min_size=LEAST_CODE, max_size=40)


@settings(max_examples=3)  # each takes a quarter of a second, and is meant to
@given(codes, st.binary(min_size=16, max_size=16))
def test_a_code_opens_what_it_sealed(code: str, secret: bytes) -> None:
    sealed = seal(secret, code)
    assert sealed.secret != secret
    assert sealed.open(f" {code} ", PARTS, PARTS.commitment(secret)) == secret


def test_another_code_is_noticed_and_so_is_a_changed_part() -> None:
    sealed = seal(SECRET, "three open wagons")
    with pytest.raises(RefusedError, match="this code does not open these draws"):
        sealed.open("three open wagon", PARTS, COMMITMENT)
    with pytest.raises(RefusedError, match="a part of the round was changed since"):
        sealed.open("three open wagons", replace(PARTS, heats=4), COMMITMENT)
    with pytest.raises(RefusedError, match="does not open"):
        Sealed(sealed.secret, bytes(16)).open("three open wagons", PARTS, COMMITMENT)


def test_one_code_seals_two_rounds_differently() -> None:
    one, other = seal(SECRET, "three open wagons"), seal(SECRET, "three open wagons")
    assert one.salt != other.salt
    assert one.secret != other.secret


@pytest.mark.parametrize(
    "code", ["", "1234567", "  123456  ", "x" * (MOST_CODE + 1), "three\nwagons", "wagons \udcff."]
)
def test_a_code_that_would_not_do_is_refused(code: str) -> None:
    with pytest.raises(UsageError, match=f"a marshal's code has {LEAST_CODE} to {MOST_CODE}"):
        seal(SECRET, code)


@pytest.mark.parametrize(("secret", "salt"), [(bytes(15), bytes(16)), (bytes(16), b"")])
def test_what_was_cut_is_no_sealed_secret(secret: bytes, salt: bytes) -> None:
    with pytest.raises(UsageError, match="this is no sealed secret"):
        Sealed(secret, salt)
