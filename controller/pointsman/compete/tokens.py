"""Tokens for helpers' devices: drawn here, told once, and kept as a hash alone.

A token is 256 bits from the operating system's secure source, so that a plain SHA-256 of it gives nothing away: there
is nothing to guess. What a device may do is its scope, until the token expires or is revoked.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from datetime import datetime, timedelta

from pointsman.compete.entries import Scope, TokenGiven
from pointsman.compete.state import State, Token
from pointsman.errors import RefusedError, UsageError

TOKEN_BYTES = 32
LONGEST = timedelta(days=7)
"""No helper's token lives longer than a competition."""

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")
_MAY = {
    Scope.LOOK: frozenset({Scope.LOOK}),
    Scope.MARK: frozenset({Scope.LOOK, Scope.MARK}),
    Scope.MARSHAL: frozenset(Scope),
}
"""What each scope includes."""


def includes(scope: Scope, needs: Scope) -> bool:
    """Whether who has a scope may do what needs another."""
    return needs in _MAY[scope]


def give(name: str, scope: Scope, *, now: datetime, lasts: timedelta) -> tuple[str, TokenGiven]:
    """A new token, and the entry that makes it one; the token itself is told now and never again. Raises UsageError."""
    if not timedelta(0) < lasts <= LONGEST:
        raise UsageError(
            f"a token for {lasts} is not given",
            where=name,
            cure=f"let it last for more than nothing, at most {LONGEST}",
        )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    return token, TokenGiven(name, scope, hash_of(token), now + lasts)


def hash_of(token: str) -> str:
    """What is kept of a token: the SHA-256 of its characters, in hexadecimal digits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def admitted(state: State, token: str, needs: Scope, *, now: datetime) -> Token:
    """Whose token this is, if it may do what is needed. Raises RefusedError.

    Of a token that is none, that was revoked and that has expired the same is said: whoever tries some learns nothing.
    """
    found = None
    if _FORM.fullmatch(token):
        wanted = hash_of(token)
        for its in state.tokens.values():
            if hmac.compare_digest(its.given.sha256, wanted):
                found = its
    if found is None or not found.holds(now):
        raise RefusedError(["this device is not admitted"], cure="ask the marshal for a new code, and scan it")
    if not includes(found.given.scope, needs):
        raise RefusedError(
            [f"{found.given.name} may not do this"],
            where=found.given.name,
            cure="ask the marshal to do it, or for a code that may",
        )
    return found
