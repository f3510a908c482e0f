"""A station that talks without end, on virtual time."""

from __future__ import annotations

import asyncio

from driver_bench import Bench

from pointsman.messages import StationNote
from pointsman.protocols.dccex import replies as r
from railsim.clock import run_virtual


def test_a_chattering_station_is_cut_short_and_the_rest_is_counted() -> None:
    async def main() -> None:
        b = await Bench().up()
        for _ in range(100):  # for five seconds 1000 a second, one of them enormous
            b.station.say(*[r.Comment("brown-out?")] * 49, r.Comment("x" * 5000))
            await asyncio.sleep(0.05)
        await asyncio.sleep(1.5)
        notes = [event.text for event in b.of(StationNote)]
        counts = [int(note.split()[3]) for note in notes if note.startswith("the station said")]
        told = [note for note in notes if not note.startswith("the station said")]
        assert sum(counts) + len(told) == 5000, "nothing is lost without being counted"
        assert 5 <= len(counts) <= 6
        assert len(told) == 20 * len(counts)
        assert max(map(len, notes)) < 600
        b.events.clear()
        b.station.say(r.Comment("x" * 5000))
        await asyncio.sleep(0.1)
        assert [event.text for event in b.of(StationNote)] == ["x" * 500 + "... (5000 characters)"]
        b.events.clear()
        b.station.say(*[r.Comment("the end")] * 30)
        await asyncio.sleep(0.1)
        await b.down()
        notes = [event.text for event in b.of(StationNote)]
        assert notes == ["the end"] * 19 + ["the station said 11 more things in that second, left out here"]

    run_virtual(main())
