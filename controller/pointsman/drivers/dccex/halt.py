"""What an emergency stop of a DCC-EX station has of its own."""

from __future__ import annotations

from dataclasses import dataclass

from pointsman.drivers.halt import Halt

DRAINED_AFTER_S = 0.3
"""A station that answers again has read by then what was written before."""
LAST_STOPS_S = 10.0
"""A link is not closed before a stop is confirmed, or was written again and again for so long: a station that does not
answer may hear late, and something may still run.
"""


@dataclass(slots=True)
class StationHalt(Halt):
    """An emergency stop that no fence has confirmed yet.

    ``answered``: a fence came back on a link that was silent. What was written meanwhile may have been swallowed with
    the remains of a broken command, so only the fence behind the next stop confirms it.

    ``outputs_off``: outputs were switched off. Once is enough: to a station that reads nothing more would only fill its
    ring, and what overflows there makes other commands of what is left.
    """

    answered: bool = False
    outputs_off: bool = False
