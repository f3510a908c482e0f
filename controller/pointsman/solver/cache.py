"""The user's cache: where it is, and files in it that are whole or not there at all."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

import platformdirs

VARIABLE = "POINTSMAN_CACHE_DIR"
_DIGEST = hashlib.sha256().digest_size


def cache_directory() -> Path:
    """``POINTSMAN_CACHE_DIR`` if set, else the user's cache directory of this system."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else Path(platformdirs.user_cache_dir("pointsman"))


def writable(name: str) -> Path | None:
    """A directory in the cache, made if need be; None when it cannot be written to."""
    directory = cache_directory() / name
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        return None


def read_sealed(path: Path) -> bytes | None:
    """The content of a file written by ``write_sealed``; None when it is missing, cut or changed."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    body, digest = content[:-_DIGEST], content[-_DIGEST:]
    return body if hashlib.sha256(body).digest() == digest else None


def write_sealed(path: Path, body: bytes) -> bool:
    """Write a file with its SHA-256 behind it, whole or not at all; False when the directory does not allow it.

    A cache is a convenience: that it cannot be written is no error, the next command only has to search again.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(body)
            file.write(hashlib.sha256(body).digest())
        Path(temporary).replace(path)
    except BaseException as error:
        with suppress(OSError):
            Path(temporary).unlink()
        if isinstance(error, OSError):
            return False
        raise
    return True
