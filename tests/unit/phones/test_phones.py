"""Phones that vanish, come again, and take over from each other: none of it moves a train."""

from __future__ import annotations

import asyncio

import pytest
from phone_bench import SECOND, SWITCHER, Handset, bench

from pointsman.dispatch.orders import RENEWED_WITHIN_S
from pointsman.errors import RefusedError
from pointsman.phones.guests import KEPT_S, Guests
from pointsman.phones.phone import GIVEN_UP_S, INTERVAL_S, RENEW_S, SHUT_FIRST, SILENT_S, STALE_S
from pointsman.phones.server import FAREWELL_S
from railsim.clock import run_virtual

# ---------------------------------------------------------------- vanishing


def test_a_train_goes_on_while_its_phone_keeps_to_its_heartbeat() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            for _ in range(8):
                await asyncio.sleep(0.9 * INTERVAL_S)
                assert on.railway.velocity(SWITCHER) == 20
                phone.say("*")
            assert on.drives >= 8 * 0.9 * INTERVAL_S / RENEW_S, "it is said again so often"

    run_virtual(main())


def test_a_phone_that_is_not_heard_any_more_stops_its_train_and_then_loses_it() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20", "M0AS3<;>F12")
            await asyncio.sleep(SILENT_S - RENEW_S)
            assert on.railway.velocity(SWITCHER) == 20
            phone.heard()
            await asyncio.sleep(2 * RENEW_S)
            assert on.railway.velocity(SWITCHER) == 0
            assert phone.heard() == [
                "M0AS3<;>F02",
                "M0AS3<;>V0",
                f"HMNothing was heard of this phone for {SILENT_S} s: {SWITCHER} was stopped.",
            ]
            assert ("function", 2, False) in on.railway.orders, "and the horn is quiet"
            stood = on.drives
            await asyncio.sleep(GIVEN_UP_S)
            assert phone.wire.closing
            assert on.railway.locomotive(SWITCHER).holder is None
            assert on.drives == stood
            assert on.phones.people == ()

    run_virtual(main())


def test_what_a_phone_said_long_ago_and_comes_late_moves_nothing() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            await asyncio.sleep(SILENT_S + 2.0)
            stood = on.drives
            phone.heard()
            phone.say("M0AS3<;>V0", "M0AS3<;>V40", "M0AS3<;>V41")
            assert phone.heard() == ["M0AS3<;>V0", f"HM{SHUT_FIRST}", "M0AS3<;>V0"]
            await asyncio.sleep(2 * STALE_S)
            phone.say("M0AS3<;>V42")
            assert on.drives == stood
            phone.say("M0AS3<;>V0", "M0AS3<;>V42")
            assert on.railway.velocity(SWITCHER) == 42

    run_virtual(main())


def test_a_standing_locomotive_is_not_set_in_motion_by_what_comes_late() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>F12")
            await asyncio.sleep(SILENT_S + 2.0)
            assert phone.heard() == ["M0AS3<;>F12", "M0AS3<;>F02"], "and its horn is quiet"
            phone.say("M0AS3<;>V40")
            assert on.drives == 0

    run_virtual(main())


@pytest.mark.parametrize("how", ["closed", "lost", "quit", "gone and silent"])
def test_a_connection_that_ends_stops_its_train_at_once(how: str) -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            await asyncio.sleep(1.0)
            match how:
                case "closed":
                    phone.wire.protocol.eof_received()
                case "lost":
                    phone.wire.break_off()
                case "quit":
                    phone.say("Q", "M0AS3<;>V30")
                case _:
                    phone.wire.stuck = True
                    phone.say("M0AS3<;>qV")
                    phone.wire.protocol.eof_received()
            await asyncio.sleep(0)
            assert on.railway.velocity(SWITCHER) == 0
            assert on.railway.locomotive(SWITCHER).holder is None
            stood = on.drives
            await asyncio.sleep(5.0)
            assert on.drives == stood
            assert not on.phones.connections

    run_virtual(main())


def test_a_throttle_is_said_again_twice_before_the_layout_stops_waiting_for_it() -> None:
    assert RENEW_S * 2 < RENEWED_WITHIN_S


# ---------------------------------------------------------------- coming again


@pytest.mark.parametrize(
    ("away_s", "told", "address", "goodbye", "accepted"),
    [
        (KEPT_S - 1, "7a1b2c", "192.168.1.5", False, True),
        (KEPT_S + 1, "7a1b2c", "192.168.1.5", False, False),
        (1, "7a1b2d", "192.168.1.5", False, False),
        (1, "7a1b2c", "192.168.1.6", False, False),
        (1, "7a1b2c", "192.168.1.5", True, False),
    ],
)
def test_a_phone_that_comes_again(away_s: float, told: str, address: str, goodbye: bool, accepted: bool) -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            if goodbye:
                phone.say("Q")
            else:
                phone.wire.break_off()
            await asyncio.sleep(away_s)
            again = on.handset("My Phone", told, address)
            stood = on.drives
            again.say("M0+S3<;>S3", "M0AS3<;>V20")
            assert on.railway.velocity(SWITCHER) == 0
            assert on.drives == stood, "its slider may still be open"
            assert (on.railway.locomotive(SWITCHER).holder == again.who) is accepted
            heard = again.heard()
            assert "M0AS3<;>V0" in heard
            assert ("M0+S3<;>" in heard) is accepted
            again.say("M0AS3<;>V0", "M0AS3<;>V20")
            assert on.railway.velocity(SWITCHER) == (20 if accepted else 0)
            assert [one.name for one in on.phones.people] == ["My Phone"]

    run_virtual(main())


def test_a_phone_that_connects_twice_has_one_connection_and_its_train_stops() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            again = on.handset()
            assert again.who == phone.who == "phone 1"
            assert on.railway.velocity(SWITCHER) == 0
            assert len(on.phones.people) == 1
            await asyncio.sleep(2 * FAREWELL_S)
            assert phone.wire.closing
            assert len(on.phones.connections) == 1
            await asyncio.sleep(2 * KEPT_S)
            third = on.handset()
            assert third.who == "phone 1"
            third.say("M0+S3<;>S3")
            assert on.railway.locomotive(SWITCHER).holder == "phone 1", "it was never away"
            on.phones.dismiss("phone 1")
            assert "HMThe marshal does not let this phone drive now." in third.heard()

    run_virtual(main())


def test_somebody_else_with_the_same_words_is_somebody_else() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            thief = on.handset("My Phone", "7a1b2c", "192.168.1.66")
            thief.say("M0+S3<;>S3", "M0SS3<;>S3", "M0AS3<;>V99", "M0-*<;>r", "HU7a1b2c")
            assert on.railway.velocity(SWITCHER) == 20
            assert on.railway.locomotive(SWITCHER).holder == phone.who

    run_virtual(main())


def test_an_app_says_what_it_is_once_and_before_it_drives() -> None:
    async def main() -> None:
        async with bench() as on:
            on.driver().say("Q")
            phone = Handset(on.phones)
            phone.say("NNew", "M0+S3<;>S3", "HU7a1b2c")
            assert phone.who == "phone 2"
            other = Handset(on.phones)
            other.say("HU5", "HU7a1b2c")
            assert other.who == "phone 3"

    run_virtual(main())


def test_a_phone_that_was_silent_while_it_waited_is_given_time() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.handset()
            phone.say("M0+S3<;>S3")
            await asyncio.sleep(2 * GIVEN_UP_S)
            on.phones.accept(phone.who, SWITCHER)
            await asyncio.sleep(SILENT_S - RENEW_S)
            phone.say("M0AS3<;>V10")
            assert on.railway.velocity(SWITCHER) == 10

    run_virtual(main())


def test_only_so_many_are_remembered() -> None:
    guests = Guests(lambda: 0.0)
    first = guests.new()
    assert guests.known(first, "first", "a") is first
    for number in range(300):
        guest = guests.new()
        assert guests.known(guest, f"{number}", "a") is guest
    assert guests.known(guests.new(), "first", "a") is not first
    assert guests.known(guest, "299", "a") is guest


# ---------------------------------------------------------------- two phones


def test_a_locomotive_is_taken_over_standing() -> None:
    async def main() -> None:
        async with bench() as on:
            phone, other = on.driver(), on.handset(*SECOND)
            on.phones.accept(other.who, SWITCHER)
            other.heard()
            phone.say("M0AS3<;>V20")
            other.say("M0+S3<;>S3")
            told = f"Hm{SWITCHER} is driven by phone 1; it stops when you take it over."
            assert other.heard() == [told, "M0SS3<;>S3"]
            assert on.railway.velocity(SWITCHER) == 20
            other.say("M0AS3<;>V99")
            assert on.railway.velocity(SWITCHER) == 20, "it does not have it yet"
            on.railway.orders.clear()
            other.say("M0SS3<;>S3")
            assert on.railway.orders == [("stand", SWITCHER), ("take", other.who, SWITCHER, True)]
            assert other.heard()[-3:] == ["M0AS3<;>V0", "M0AS3<;>R1", "M0AS3<;>s1"]
            told = f"HM{SWITCHER} was stopped, and taken over by phone 2."
            assert phone.heard() == ["M0AS3<;>V0", "M0-S3<;>", told]
            phone.say("M0AS3<;>V30")
            await on.seconds(3.0, phone, other)
            assert on.railway.velocity(SWITCHER) == 0
            other.say("M0AS3<;>V30")
            assert on.railway.velocity(SWITCHER) == 30
            assert [str(one.state) for one in on.phones.people] == ["reading", "driving"]

    run_virtual(main())


def test_the_marshal_takes_over() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            on.railway.take("marshal 1", SWITCHER, steal=True)
            assert phone.heard()[-1] == f"HM{SWITCHER} was stopped, and taken over by marshal 1."
            await on.seconds(3.0, phone)
            assert on.railway.velocity(SWITCHER) == 0
            on.railway.release("marshal 1", SWITCHER)
            assert on.phones.people[0].state == "reading"

    run_virtual(main())


def test_the_marshal_sends_a_driver_away() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V20")
            on.phones.dismiss(phone.who)
            assert on.railway.velocity(SWITCHER) == 0
            assert phone.heard() == [
                "M0AS3<;>V0",
                "M0-S3<;>",
                "HMThe marshal does not let this phone drive now.",
            ]
            phone.say("M0+S3<;>S3", "M0AS3<;>V20")
            assert on.railway.velocity(SWITCHER) == 0

    run_virtual(main())


def test_a_locomotive_that_is_refused_is_not_shown_as_taken() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.handset()
            on.phones.accept(phone.who, SWITCHER)
            phone.heard()
            on.railway.busy = "the program drives it"
            phone.say("M0+S3<;>S3")
            assert phone.heard() == ["M0-S3<;>", "HMthe program drives it (wait)"]
            assert on.phones.people[0].state == "reading"

    run_virtual(main())


def test_each_phone_drives_its_own_locomotive() -> None:
    async def main() -> None:
        async with bench() as on:
            phone, other = on.driver(), on.handset(*SECOND)
            on.phones.accept(other.who, "Mikado")
            other.say("MT+L1234<;>EMikado", "MTA*<;>R0", "MTA*<;>V50")
            phone.say("M0AS3<;>V20")
            await on.seconds(4.0, phone, other)
            assert (on.railway.velocity(SWITCHER), on.railway.velocity("Mikado")) == (20, -50)
            on.railway.brake("Mikado", RefusedError(["a beam is not seen"]))
            assert other.heard()[-1] == "HMa beam is not seen"
            assert on.railway.velocity(SWITCHER) == 20, "that was no business of the first"
            other.say("MTA*<;>V0", "MTA*<;>V50")
            other.wire.break_off()
            await on.seconds(2.0, phone)
            assert (on.railway.velocity(SWITCHER), on.railway.velocity("Mikado")) == (20, 0)

    run_virtual(main())
