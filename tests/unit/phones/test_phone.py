"""A phone at the byte boundary, on a small railway in virtual time: the published session, and every command."""

from __future__ import annotations

import asyncio

import pytest
from phone_bench import FASTEST_MM_S, Bench, Handset, SmallRailway, bench

from pointsman.errors import RefusedError
from pointsman.phones.phone import INTERVAL_S, SHUT_FIRST
from pointsman.phones.railway import Locomotive, Turnout
from pointsman.phones.server import Phones
from pointsman.protocols.withrottle_messages import Points
from pointsman.track.model import Leg
from railsim.clock import run_virtual

WAITING = "HMWaiting: the marshal has to accept My Phone (phone 1) for Switcher on the screen."


def test_the_published_session() -> None:
    """Of the interval another number is ours; what else is told is where it is said beside it."""

    async def main() -> None:
        turnouts = (Turnout("LT1", "Lead", Points.CLOSED), Turnout("LT2", "Ladder", Points.THROWN))
        railway = SmallRailway((Locomotive("Switcher", 3, FASTEST_MM_S),), turnouts)
        phones = Phones(railway)
        phone = Handset(phones)
        introduction = [
            "VN2.0",
            r"RL1]\[Switcher}|{3}|{S",
            "PPA1",
            r"PTT]\[Turnouts}|{Turnout]\[Closed}|{2]\[Thrown}|{4",
            r"PTL]\[LT1}|{Lead}|{2]\[LT2}|{Ladder}|{4",
            f"*{INTERVAL_S}",
        ]
        assert phone.heard() == introduction
        phone.say("NMy Phone")
        assert phone.heard() == [f"*{INTERVAL_S}"]
        phone.say("HU7a1b2c")
        phone.say("*+")
        assert phone.heard() == []
        phones.accept(phone.who, "Switcher")
        assert phone.heard() == ["HmThe marshal has accepted this phone: choose Switcher to drive it."]
        phone.say("M0+S3<;>S3")
        functions = [f"M0AS3<;>F0{number}" for number in range(29)]
        assert phone.heard() == ["M0+S3<;>", *functions, "M0AS3<;>V0", "M0AS3<;>R1", "M0AS3<;>s1"]
        phone.say("M0AS3<;>V30")
        assert railway.velocity("Switcher") == 30
        phone.say("M0A*<;>R0")
        assert railway.velocity("Switcher") == 0
        assert phone.heard() == ["M0AS3<;>V0"], "a train that is turned under way stops"
        phone.say("PTATLT1")
        await asyncio.sleep(2.0)
        assert phone.heard() == ["PTA1LT1", "PTA4LT1"], "and the points are nowhere while they move"
        phone.say("M0-*<;>r")
        assert phone.heard() == ["M0-S3<;>"]
        phone.say("Q")
        await asyncio.sleep(0)
        assert phone.wire.closing
        assert phone.heard() == []
        await phones.close()
        railway.close()

    run_virtual(main())


# Held: the phone has the Switcher, standing, with lights and horn. What it says, what it is told, what was ordered.
COMMANDS: list[tuple[list[str], list[str], list[tuple[object, ...]]]] = [
    (["M0AS3<;>V126"], [], [("drive", "phone 1", "Switcher", True, 126.0)]),
    (["M0A*<;>V1"], [], [("drive", "phone 1", "Switcher", True, 1.0)]),
    (["M0AS3<;>R0", "M0AS3<;>V5"], [], [("drive", "phone 1", "Switcher", False, 5.0)]),
    (["M0AS3<;>V9", "M0AS3<;>V0"], [], [("drive", "phone 1", "Switcher", True, 9.0), ("stand", "Switcher")]),
    (["M0AS3<;>V9", "M0AS3<;>I"], [], [("drive", "phone 1", "Switcher", True, 9.0), ("stand", "Switcher")]),
    (["M0AS3<;>R1"], [], []),
    (["M1AS3<;>V9", "M0AL3<;>V9", "M0AS4<;>V9"], [], []),
    (["M0A*<;>qV", "M0A*<;>qR"], ["M0AS3<;>V0", "M0AS3<;>R1"], []),
    (["M0A*<;>qs"], ["M0AS3<;>s1"], []),
    (["M0A*<;>qm"], ["M0AS3<;>m00", "M0AS3<;>m12"], []),
    (["M0AS3<;>s2"], ["M0AS3<;>s1"], []),
    (["M0AS3<;>F10"], ["M0AS3<;>F10"], [("function", 0, True)]),
    (["M0AS3<;>F10", "M0AS3<;>F00"], ["M0AS3<;>F10"], [("function", 0, True)]),
    (["M0AS3<;>F12", "M0AS3<;>F02"], ["M0AS3<;>F12", "M0AS3<;>F02"], [("function", 2, True), ("function", 2, False)]),
    (["M0AS3<;>f10", "M0AS3<;>f00"], ["M0AS3<;>F10", "M0AS3<;>F00"], [("function", 0, True), ("function", 0, False)]),
    (["M0AS3<;>F15"], ["HmF5 does nothing here."], []),
    (["PTACLT1"], ["PTA2LT1"], [("turnout", "phone 1", "LT1", Leg.CLOSED)]),
    (["PTATLT9"], ["HMThere is no turnout LT9 here."], []),
    (["PPA1"], ["HMThe track power is switched on by the marshal, on the screen.", "PPA1"], []),
    (["*-"], ["HmA train is stopped here when its phone is not heard for 4.5 s."], []),
    (["*", "*+", "PRA2Route", "anything"], [], []),
    (["M0AS3<;>X"], ["M0AS3<;>V-1", "HMEmergency stop by phone 1."], [("emergency stop", "phone 1", False)]),
    (["M0AS3<;>V-1"], ["M0AS3<;>V-1", "HMEmergency stop by phone 1."], [("emergency stop", "phone 1", False)]),
    (
        ["M0A*<;>X", "M1A*<;>X"],
        ["M0AS3<;>V-1", "HMEmergency stop by phone 1."],
        [("emergency stop", "phone 1", False)],
    ),
    (["PPA0"], ["PPA0", "M0AS3<;>V-1", "HMEmergency stop by phone 1."], [("emergency stop", "phone 1", True)]),
    (["M0A*<;>Q"], ["M0-S3<;>"], [("release", "phone 1", "Switcher")]),
    (["M0-S3<;>d"], ["M0-S3<;>"], [("release", "phone 1", "Switcher")]),
    (["M1-*<;>r", "M0-S4<;>r"], [], []),
    (["M0+S4<;>S4"], ["M0-S4<;>", "HMThere is no locomotive S4 here."], []),
    (["M0+L3<;>L3"], ["M0-L3<;>", "HMThere is no locomotive L3 here."], []),
    (["M0+S3<;>EBig Boy"], ["M0-S3<;>", "HMThere is no locomotive Big Boy here."], []),
    (["M1+S3<;>S3"], ["M1-S3<;>", "HMThis phone has Switcher already: give it back first."], []),
    (["M0+L1234<;>L1234"], ["M0-L1234<;>", "HMThis phone has Switcher already: give it back first."], []),
]


@pytest.mark.parametrize(("said", "told", "ordered"), COMMANDS, ids=lambda case: " ".join(map(str, case))[:40])
def test_every_command_of_a_phone_that_drives(
    said: list[str], told: list[str], ordered: list[tuple[object, ...]]
) -> None:
    async def main(*, together: bool, late: bool) -> None:
        async with bench(late=late) as on:
            phone = on.driver()
            await asyncio.sleep(0)
            on.railway.orders.clear()
            for packet in [said] if together else [[line] for line in said]:
                phone.say(*packet)
                await asyncio.sleep(0)
            heard = phone.heard()
            assert sorted(heard) == sorted(told) if late else heard == told
            assert on.railway.orders == ordered

    run_virtual(main(together=True, late=False))
    if "M1A*<;>X" not in said:  # the one that means another thing in two packets
        run_virtual(main(together=False, late=False))
        run_virtual(main(together=False, late=True))


def test_a_throttle_shows_what_its_locomotive_does() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>F10", "M0AS3<;>R0", "M0AS3<;>V20")
            phone.heard()
            phone.say("M0+S3<;>ESwitcher")
            heard = phone.heard()
            assert heard[:3] == ["M0+S3<;>", r"M0LS3<;>]\[Lights]\[]\[Horn" + r"]\[" * 26, "M0AS3<;>F10"]
            assert heard[-3:] == ["M0AS3<;>V20", "M0AS3<;>R0", "M0AS3<;>s1"]

    run_virtual(main())


def test_every_device_reads_and_none_drives_before_it_is_accepted() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.handset()
            assert [str(one.state) for one in on.phones.people] == ["reading"]
            phone.say("M0+S3<;>S3")
            assert phone.heard() == [WAITING]
            person = on.phones.people[0]
            assert (person.who, person.name, person.state, person.locomotive) == (
                "phone 1",
                "My Phone",
                "waiting",
                "Switcher",
            )
            phone.say("M0AS3<;>V30", "M0AS3<;>F10", "PTATLT1")
            await asyncio.sleep(3.0)
            assert on.railway.orders == []
            refusal = "HMTurnouts are set by phones that the marshal has accepted."
            assert phone.heard() == ["M0AS3<;>V0", refusal, "PTA2LT1"]
            on.railway.lie("LT2", Points.CLOSED)
            assert phone.heard() == ["PTA2LT2"]
            on.phones.accept("phone 1", "Switcher")
            assert on.phones.people[0].state == "driving"
            assert phone.heard()[0] == "M0+S3<;>"
            assert on.railway.velocity("Switcher") == 0
            phone.say("M0AS3<;>V31")
            assert on.railway.velocity("Switcher") == 0, "its slider stood open while it waited"
            phone.say("M0AS3<;>V0", "M0AS3<;>V31")
            assert on.railway.velocity("Switcher") == 31

    run_virtual(main())


def test_a_phone_that_waits_may_think_better_of_it_or_be_refused() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.handset()
            phone.say("M0+S3<;>S3", "M0-*<;>r")
            assert phone.heard() == [WAITING, "M0-S3<;>"]
            phone.say("M0+L1234<;>L1234", "M1+S3<;>S3")
            assert phone.heard()[1:] == ["M0-L1234<;>"], "the newest wish counts"
            on.phones.dismiss(phone.who)
            assert phone.heard()[-2:] == ["M1-S3<;>", "HMThe marshal does not let this phone drive now."]
            assert on.phones.people[0].state == "reading"
            assert on.railway.orders == []

    run_virtual(main())


def test_one_that_is_accepted_for_a_locomotive_does_not_get_another() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.handset()
            on.phones.accept(phone.who, "Mikado")
            phone.say("M0+S3<;>S3", "M0AS3<;>V10")
            assert on.railway.orders == []
            on.phones.accept(phone.who, "Switcher")
            assert [order[:3] for order in on.railway.orders] == [("take", "phone 1", "Switcher")]
            phone.say("M0AS3<;>V0", "M0AS3<;>V10")
            assert on.railway.velocity("Switcher") == 10
            on.phones.accept(phone.who, "Mikado")
            assert on.railway.velocity("Switcher") == 0
            assert on.railway.locomotive("Switcher").holder is None
            assert "M0-S3<;>" in phone.heard()

    run_virtual(main())


def test_the_marshal_is_told_of_phones_that_are_not_there() -> None:
    async def main() -> None:
        async with bench() as on:
            with pytest.raises(RefusedError, match="phone 9 is not here"):
                on.phones.accept("phone 9", "Switcher")
            with pytest.raises(RefusedError, match="phone 9 is not here"):
                on.phones.dismiss("phone 9")
            phone = on.handset()
            with pytest.raises(RefusedError, match="no locomotive"):
                on.phones.accept(phone.who, "Rocket")

    run_virtual(main())


def refused_at_the_end(on: Bench, phone: Handset) -> None:
    phone.say("M0AS3<;>V126")
    assert phone.heard() == ["M0AS3<;>V0", "HMSwitcher: the line ends there (drive the other way)"]
    assert on.railway.velocity("Switcher") == 0


def test_what_is_refused_comes_back_with_its_reason_and_closes_the_throttle() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            phone.say("M0AS3<;>V100")
            await on.seconds(9.0, phone)
            assert phone.heard()[0] == "M0AS3<;>V0"
            assert 800 < on.railway.at_mm("Switcher") < 1000
            assert on.railway.velocity("Switcher") == 0, "it was refused to go on, and so it stands"
            refused = [order for order in on.railway.orders if order[0] == "drive"]
            phone.say("M0AS3<;>V50", "M0AS3<;>V51")
            assert phone.heard() == ["M0AS3<;>V0", f"HM{SHUT_FIRST}", "M0AS3<;>V0"]
            assert [order for order in on.railway.orders if order[0] == "drive"] == refused
            await on.seconds(3.0, phone)
            phone.heard()
            phone.say("M0AS3<;>V0")
            refused_at_the_end(on, phone)
            phone.say("M0AS3<;>V0", "M0AS3<;>R0", "M0AS3<;>V40")
            assert on.railway.velocity("Switcher") == -40
            on.railway.brake("Switcher", RefusedError(["a beam is not seen"], where="beam head"))
            assert phone.heard() == ["M0AS3<;>V0", "HMbeam head: a beam is not seen"]
            await on.seconds(5.0, phone)
            assert on.railway.velocity("Switcher") == 0

    run_virtual(main())


def test_turnouts_are_refused_and_toggled() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            on.railway.locked.add("LT1")
            phone.say("PTATLT1")
            await asyncio.sleep(0)
            assert phone.heard() == ["HMturnout LT1: a train stands on it (drive it away)", "PTA2LT1"]
            phone.say("PTA2LT2")
            await asyncio.sleep(0.5)
            phone.say("PTA2LT2")
            assert phone.heard() == [
                "PTA1LT2",
                "HMIt is not known how Ladder lies: say throw or close.",
                "PTA1LT2",
            ]
            await asyncio.sleep(1.0)
            assert phone.heard() == ["PTA2LT2"]
            phone.say(*["PTATLT2"] * 5)
            assert phone.heard() == ["HMWait until the turnouts have been set.", "PTA2LT2"]
            await asyncio.sleep(2.0)

    run_virtual(main())


def test_an_emergency_stop_is_taken_from_anyone_and_told_to_everyone() -> None:
    async def main() -> None:
        async with bench() as on:
            driver, other = on.driver(), on.handset("Other", "99", "192.168.1.6")
            driver.say("M0AS3<;>V60")
            other.say("M0A*<;>X")
            assert on.railway.velocity("Switcher") == 0
            assert driver.heard() == ["M0AS3<;>V-1", "HMEmergency stop by phone 2."]
            assert other.heard() == ["HMEmergency stop by phone 2."]
            await on.seconds(3.0, driver)
            on.railway.lie("LT1", Points.THROWN)
            assert other.heard() == ["PTA4LT1"], "a stop is told once"
            driver.heard()
            driver.say("M0AS3<;>V0", "M0AS3<;>V60")
            assert on.railway.velocity("Switcher") == 0
            assert driver.heard() == ["M0AS3<;>V0", "HMEmergency stop by phone 2. (ask the marshal)"]
            on.railway.go_on()
            await on.seconds(3.0, driver)
            assert on.railway.velocity("Switcher") == 0, "nothing goes on by itself"
            late = Handset(on.phones, "192.168.1.7")
            assert late.heard()[-1] == f"*{INTERVAL_S}"

    run_virtual(main())


def test_a_function_that_is_refused_is_said() -> None:
    async def main() -> None:
        async with bench() as on:
            phone = on.driver()
            on.railway.busy = "the station is silent"
            phone.say("M0AS3<;>F10")
            assert phone.heard() == ["HMthe station is silent"]

    run_virtual(main())


def test_one_who_comes_after_a_stop_is_told_of_it() -> None:
    async def main() -> None:
        async with bench() as on:
            on.railway.emergency_stop("marshal 1")
            assert Handset(on.phones).heard()[-1] == "HMEmergency stop by marshal 1."

    run_virtual(main())
