"""Test support: one cache of tables and compiled code for all workers of a test run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared_cache(factory: pytest.TempPathFactory) -> Path:
    """A directory that is new in every run, and the same in every worker of it."""
    base = factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared-cache"
