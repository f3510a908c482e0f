"""What a standing is made of: places, the meetings of a knockout, a round's table, and all of a competition's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pointsman.compete.attempted import Attempted
from pointsman.compete.formats import Result
from pointsman.compete.knockout import Met
from pointsman.compete.ranking import Advancing


class Advances(StrEnum):
    """Whether somebody goes on to the next round; a reserve does when another withdraws."""

    YES = "yes"
    NO = "no"
    OPEN = "open"
    RESERVE = "reserve"


@dataclass(frozen=True, slots=True)
class Row:
    """A place in the standings: of an entrant, or in a round for pairs of a pair, by its name.

    ``members`` are the entrants that it is of, one or two. ``rank`` is from 1, None where there is no score yet;
    ``shared``: another has the same. ``rank_certain``: nothing that is still to be played can change the rank.
    ``advances`` is None where nobody goes on.
    """

    entrant: str
    members: tuple[str, ...]
    rank: int | None
    shared: bool
    rank_certain: bool
    result: Result
    attempts: tuple[Attempted, ...] = ()
    advances: Advances | None = None


@dataclass(frozen=True, slots=True)
class RoundStanding:
    """A round's places, the best first; ``meetings`` are those of a knockout, in their order.

    ``certain``: it is known who is in it, and nothing is still to be played.
    """

    round_id: str
    rows: tuple[Row, ...]
    certain: bool
    advancing: Advancing | None = None
    meetings: tuple[Met, ...] = ()


@dataclass(frozen=True, slots=True)
class Standings:
    """Every round by its id, and of each class of entrants its rounds added up; a class without a sum has no rows."""

    rounds: Mapping[str, RoundStanding] = field(default_factory=dict)
    overall: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)
