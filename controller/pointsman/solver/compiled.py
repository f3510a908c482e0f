"""Functions compiled by numba.

Compiled code is kept in the user's cache, never beside the installed source, which may be read-only. Importing this
module imports numba (about half a second).
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from typing import Any

from pointsman.solver.cache import writable
from pointsman.solver.compiling import EVERY_TIME, ONCE, about_to_compile

_compiled = writable("compiled")
if _compiled is not None:
    os.environ.setdefault("NUMBA_CACHE_DIR", str(_compiled))

from numba import njit  # noqa: E402  (numba reads NUMBA_CACHE_DIR when it is imported)
from numba.core.caching import FunctionCache, NullCache  # noqa: E402


class _MendedCache(FunctionCache):
    """numba's cache of compiled code, which lets a damaged file end the program: here it is compiled anew."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001  (whatever a damaged pickle raises)
            shutil.rmtree(self.cache_path, ignore_errors=True)
            found = None
        if found is None:
            about_to_compile(ONCE)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        # A disk that is full, or a folder that another process has just mended: it is compiled again the next time.
        with suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]


class _NoCache(NullCache):
    """Where nothing can be kept."""

    def load_overload(self, sig: Any, target_context: Any) -> None:  # noqa: ARG002  (numba's interface)
        about_to_compile(EVERY_TIME)


def compiled(function: Any) -> Any:
    """A function compiled when it is first called with arguments of their types."""
    fast: Any = njit(nogil=True)(function)
    if hasattr(fast, "enable_caching"):
        fast._cache = _NoCache() if _compiled is None else _MendedCache(function)  # type: ignore[no-untyped-call]
    return fast
