"""A round's secret, locked up by the marshal's code until the heats are opened.

What is kept is the secret XOR scrypt(code, salt), of which nobody learns anything without the code. A wrong code gives
another secret, and that one does not fit the commitment. docs/fair-draws.md has the exact rule.
"""

from __future__ import annotations

import hashlib
import secrets
import unicodedata
from dataclasses import dataclass

from pointsman.compete.commitment import SECRET_BYTES, Parts
from pointsman.compete.state import Round
from pointsman.errors import RefusedError, UsageError

LEAST_CODE, MOST_CODE = 8, 128
"""Characters of a code. Whoever has the file can try codes; a short one would be found in an afternoon."""
SALT_BYTES = 16
SCRYPT_N, SCRYPT_R, SCRYPT_P = 2**15, 8, 1
"""RFC 7914: 32 MB, and about a tenth of a second on a PC, for every code that is tried."""
_MEMORY = 64 * 1024 * 1024  # that OpenSSL may take: what scrypt needs, and room


@dataclass(frozen=True, slots=True)
class Sealed:
    """A secret under a code: both 16 bytes. Raises UsageError when they are not."""

    secret: bytes
    salt: bytes

    def __post_init__(self) -> None:
        if len(self.secret) != SECRET_BYTES or len(self.salt) != SALT_BYTES:
            raise UsageError(
                "this is no sealed secret: it has 32 hexadecimal digits, and its salt as many",
                cure="take both as they stand in the round's commitment",
            )

    def open(self, code: str, parts: Parts, commitment: str) -> bytes:
        """The secret. Raises RefusedError when the code is another, or a part was changed since; UsageError."""
        secret = _xor(self.secret, _key(code, self.salt))
        if parts.commitment(secret) != commitment:
            raise RefusedError(
                ["this code does not open these draws"],
                where=parts.round_id,
                cure="type the code with which the round was sealed; if it is that one, a part of the round was "
                "changed since: compare version, files, par range, heats and spares with what was announced",
            )
        return secret


def secret_of(its: Round, code: str) -> bytes:
    """A round's secret by the marshal's code. Raises RefusedError for another code, and before it is settled."""
    committed = its.committed
    if committed is None:
        raise RefusedError(
            [f"nothing has been committed to in round {its.announced.round}"], cure="commit to its draws first"
        )
    sealed = Sealed(bytes.fromhex(committed.sealed), bytes.fromhex(committed.salt))
    return sealed.open(code, its.parts(committed), committed.commitment)


def seal(secret: bytes, code: str) -> Sealed:
    """Lock a secret up, with a salt of its own. Raises UsageError for a code that is too short or too long."""
    salt = secrets.token_bytes(SALT_BYTES)
    return Sealed(_xor(secret, _key(code, salt)), salt)


def _key(code: str, salt: bytes) -> bytes:
    text = unicodedata.normalize("NFC", code.strip())
    if not LEAST_CODE <= len(text) <= MOST_CODE or not text.isprintable():
        raise UsageError(
            f"a marshal's code has {LEAST_CODE} to {MOST_CODE} letters, digits, spaces and signs",
            cure="take three or four words that nobody would guess",
        )
    return hashlib.scrypt(
        text.encode(), salt=salt, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P, maxmem=_MEMORY, dklen=SECRET_BYTES
    )


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
