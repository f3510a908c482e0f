"""Telling a station what defines a layout's turnouts, beams and magnets, and letting it keep that."""

from __future__ import annotations

from collections.abc import Iterable

from pointsman.drivers.dccex.examiner import Examiner
from pointsman.drivers.dccex.lines import Definition
from pointsman.errors import StationError
from pointsman.protocols.dccex.commands import Save
from pointsman.protocols.dccex.replies import Refused, Saved


async def define(examiner: Examiner, lines: Iterable[Definition]) -> Saved | None:
    """Send the definitions one by one, then keep them; what was kept, or None where the station cannot.

    Raises StationError at the first that is rejected, and as ``Examiner.ask`` does.
    """
    for one in lines:
        # Newer firmware does not say that it is done: what counts is that nothing was rejected.
        if Refused() in await examiner.ask(one.command):
            raise StationError(
                f"the station rejects {one.line} ({one.what})",
                where=examiner.where,
                cure="is this pin one that the board has, and is its extension plugged in? "
                "What was sent before is defined, but not kept over a reset",
            )
    return next((reply for reply in await examiner.ask(Save()) if isinstance(reply, Saved)), None)
