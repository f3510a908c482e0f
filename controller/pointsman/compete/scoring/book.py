"""The schemes by name."""

from __future__ import annotations

from pointsman.compete.scoring.added_up import ADDED_UP
from pointsman.compete.scoring.aiguilleur import AIGUILLEUR
from pointsman.compete.scoring.allen import ALLEN
from pointsman.compete.scoring.least_moves import LEAST_MOVES
from pointsman.compete.scoring.moves_and_time import MOVES_AND_TIME
from pointsman.compete.scoring.par_ratio import PAR_RATIO
from pointsman.compete.scoring.reversals import REVERSALS
from pointsman.compete.scoring.scheme import Scheme
from pointsman.errors import UsageError, did_you_mean

SCHEMES = {
    scheme.name: scheme for scheme in (ALLEN, LEAST_MOVES, REVERSALS, MOVES_AND_TIME, PAR_RATIO, ADDED_UP, AIGUILLEUR)
}


def scheme_named(name: str) -> Scheme:
    """The scheme of this name. Raises UsageError, with the name that was perhaps meant."""
    if name not in SCHEMES:
        raise UsageError(f"there is no scheme {name!r}", where="scoring", cure=did_you_mean(name, SCHEMES))
    return SCHEMES[name]
