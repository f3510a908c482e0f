"""What doctor tells of a station while it watches, against the simulated one in virtual time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from doctor_bench import ASKING, FOLDER, Scene, scene, watched

from pointsman.drivers.hearing import Seen
from pointsman.errors import LinkError, LinkLostError
from pointsman.protocols.dccex import commands as c
from pointsman.protocols.dccex import replies as r
from pointsman.track.builtin import find_wiring
from railsim.incidents import BeamChanged


def test_a_beam_that_changes_is_told_with_its_name_as_it_happens() -> None:
    seen: list[Seen] = []

    async def act(s: Scene) -> None:
        seen.extend([])
        told = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(12.0))
        await asyncio.sleep(0.5)
        await s.asked("<1 MAIN><t 3 20 1>")
        await keeping
        await s.asked("<t 3 0 1>")
        seen.extend(told)

    played = scene(act)
    real = [(event.beam, event.broken) for event in played.happened if isinstance(event, BeamChanged)]
    assert real
    assert [(one.beam, one.broken) for one in seen if one.beam] == real
    texts = [one.text for one in seen]
    assert "locomotive L (cab 3) was set to step 20 forward by somebody" in texts
    assert "power A: on" in texts
    first = next(one for one in seen if one.beam)
    real_first = next(event for event in played.happened if isinstance(event, BeamChanged))
    assert 0.0 < first.t_s < real_first.t_s + 0.05
    # it watched, and did nothing else
    assert all(isinstance(command, ASKING) for command in played.commands)


def test_a_beam_that_is_wired_to_another_number_shows_itself() -> None:
    async def act(s: Scene) -> None:
        # The same pin as the beam in the headshunt.
        await s.asked("<S 9 22 1>")
        seen = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(5.0))
        await s.asked("<1 MAIN><t 3 20 1>")
        await keeping
        texts = [one.text for one in seen]
        assert "beam head: broken" in texts
        assert "sensor 9, which the wiring does not name: active" in texts

    scene(act)


def test_what_others_switch_is_told() -> None:
    async def act(s: Scene) -> None:
        seen = watched(s)
        assert s.vigil is not None
        await s.asked("<T 1 0>")
        keeping = asyncio.ensure_future(s.vigil.keep(3.0))
        await asyncio.sleep(0.5)
        await s.asked("<T 1 1>")
        await s.asked("<Z 2 1>")
        await s.asked("<Z 2 0>")
        await keeping
        assert [one.text for one in seen] == [
            "turnout T1 was thrown by somebody",
            "magnet s2 was switched on by somebody",
            "magnet s2 was switched off by somebody",
        ]

    scene(act)


@pytest.mark.parametrize(("profile", "said"), [("4.1.6", "MAIN TRACK POWER OVERLOAD"), ("5.6", "TRACK A ALERT")])
def test_a_short_circuit_is_told_as_every_firmware_words_it(profile: str, said: str) -> None:
    async def act(s: Scene) -> None:
        seen = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(3.0))
        await asyncio.sleep(0.5)
        s.simulation.set_short(True)
        s.other.write(b"<1 MAIN>")
        await keeping
        assert any(f"SHORT CIRCUIT: {said}" in one.text for one in seen)
        s.vigil.hear(r.Comment("MAIN FAULT PIN ACTIVE"))
        assert seen[-1].text == "SHORT CIRCUIT: MAIN FAULT PIN ACTIVE"

    scene(act, profile=profile)


def test_a_station_that_restarts_is_told_and_asked_anew() -> None:
    async def act(s: Scene) -> None:
        seen = watched(s)
        assert s.vigil is not None
        keeping = asyncio.ensure_future(s.vigil.keep(8.0))
        await asyncio.sleep(0.5)
        await s.asked("<T 1 1>")
        s.other.write(b"<D RESET>")
        await asyncio.sleep(4)
        await s.asked("<Z 1 1>")
        await keeping
        texts = [one.text for one in seen]
        assert sum("has restarted" in text for text in texts) == 1
        assert texts[-1] == "magnet s1 was switched on by somebody"

    scene(act)


def test_a_station_that_falls_silent_is_noticed_within_seconds() -> None:
    async def act(s: Scene) -> None:
        watched(s)
        assert s.vigil is not None
        loop = asyncio.get_running_loop()
        keeping = asyncio.ensure_future(s.vigil.keep(None))
        await asyncio.sleep(2.0)
        s.far.listen(lambda _: None, lambda _: None)
        silent_s = loop.time()
        with pytest.raises(LinkError, match="does not answer any more"):
            await keeping
        assert loop.time() - silent_s < 2.5

    scene(act)


def test_a_link_that_is_lost_ends_every_question() -> None:
    async def act(s: Scene) -> None:
        asking = asyncio.ensure_future(s.examiner.ask(c.Status()))
        await asyncio.sleep(0)
        await s.far.close()
        with pytest.raises(LinkLostError, match="closed by the far end"):
            await asking
        with pytest.raises(LinkLostError, match="closed by the far end"):
            await s.examiner.ask()

    scene(act)


def test_the_wiring_of_the_mega_is_where_it_is_said_to_be() -> None:
    assert Path(find_wiring(FOLDER, "mega")).name == "mega.toml"
