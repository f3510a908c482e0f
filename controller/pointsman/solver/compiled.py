"""Functions compiled by numba.

Compiled code is kept in the user's cache, never beside the installed source, which may be read-only. Importing this
module imports numba (about half a second).
"""

from __future__ import annotations

import os
import shutil
from typing import Any

from pointsman.solver.cache import writable

_compiled = writable("compiled")
if _compiled is not None:
    os.environ.setdefault("NUMBA_CACHE_DIR", str(_compiled))

from numba import njit  # noqa: E402  (numba reads NUMBA_CACHE_DIR when it is imported)
from numba.core.caching import FunctionCache  # noqa: E402


class _MendedCache(FunctionCache):
    """numba's cache of compiled code, which lets a damaged file end the program: here it is compiled anew."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001  (whatever a damaged pickle raises)
            shutil.rmtree(self.cache_path, ignore_errors=True)
            return None


def compiled(function: Any) -> Any:
    """A function compiled when it is first called with arguments of their types."""
    fast: Any = njit(nogil=True)(function)
    if _compiled is not None and hasattr(fast, "enable_caching"):
        fast._cache = _MendedCache(function)  # type: ignore[no-untyped-call]
    return fast
