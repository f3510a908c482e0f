"""``pointsman compete run`` as a process: what it says, that Ctrl-C ends it, and what it does not begin with."""

from __future__ import annotations

import signal
import sqlite3
from pathlib import Path

import httpx
import pytest
from halls import CLUB, begun
from programs import Program, running, tool

from pointsman.compete.store.tables import VERSION_TABLE

pytestmark = pytest.mark.system


def run(*words: str) -> Program:
    return Program(tool("pointsman"), "compete", "run", *words)


def test_it_says_where_it_is_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with running(lambda: run(CLUB, "--store", store, "--port", "0")) as server:
        address = server.expect(r"page +(http://\S+)/competition").group(1)
        server.expect("Ctrl-C ends it")
        assert httpx.get(f"{address}/healthz", timeout=5, trust_env=False).json()["mode"] == "competition"
        port = address.rpartition(":")[2]
        with running(lambda: run(CLUB, "--store", store, "--port", port)) as second:
            assert (second.ends(), port in second.text) == (5, True)
        server.signal(signal.SIGINT)
        assert server.ends() == 130


def test_it_does_not_begin_with_another_name_or_a_newer_store(tmp_path: Path) -> None:
    store = begun(tmp_path)
    with running(lambda: run("clubb", "--store", store, "--port", "0")) as server:
        assert (server.ends(), "club" in server.text) == (2, True)
    with sqlite3.connect(store) as tables:
        tables.execute(f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    tables.close()
    with running(lambda: run(CLUB, "--store", store, "--port", "0")) as server:
        assert (server.ends(), "newer pointsman" in server.text) == (11, True)
