"""Test support: a real PostgreSQL of its own, in a temporary folder, reached by a socket in that folder alone."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select

import pytest
from sqlalchemy import create_engine, text

_FOLDERS = [str(folder) for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
_PATH = os.pathsep.join([*_FOLDERS, os.environ.get("PATH", "")])
INITDB, POSTGRES = shutil.which("initdb", path=_PATH), shutil.which("postgres", path=_PATH)
THERE = INITDB is not None and POSTGRES is not None
needs_postgresql = pytest.mark.skipif(not THERE, reason="no PostgreSQL (make deps)")
READY_WITHIN_S = 60.0
USER = "pointsman"


class Postgres:
    """A server whose socket lies in ``folder``."""

    def __init__(self, folder: Path) -> None:
        assert INITDB is not None
        assert POSTGRES is not None
        self.folder = folder
        # It refuses to run as root.
        runs_as = _somebody() if os.getuid() == 0 else None
        if runs_as is not None:
            shutil.chown(folder, runs_as, pwd.getpwnam(runs_as).pw_gid)
        data, log = folder / "data", folder / "log"
        asked = [INITDB, "-D", data, "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        subprocess.run(asked, check=True, capture_output=True, timeout=READY_WITHIN_S, user=runs_as, cwd=folder)
        settings = ["listen_addresses=", f"unix_socket_directories={folder}", "fsync=off", "shared_buffers=8MB"]
        options = [word for setting in settings for word in ("-c", setting)]
        with log.open("wb") as stream:
            self._process = subprocess.Popen(
                [POSTGRES, "-D", data, *options], stdout=stream, stderr=stream, user=runs_as, cwd=folder
            )
        until = time.monotonic() + READY_WITHIN_S
        while b"ready to accept connections" not in log.read_bytes():
            assert self._process.poll() is None, log.read_text(errors="replace")
            assert time.monotonic() < until, log.read_text(errors="replace")
            select([], [], [], 0.02)

    def database(self) -> str:
        """The URL of its database, empty again."""
        socket = {"unix_sock": f"{self.folder}/.s.PGSQL.5432"}
        engine = create_engine(f"postgresql+pg8000://{USER}@/postgres", connect_args=socket)
        try:
            with engine.begin() as connection:
                connection.execute(text("DROP SCHEMA public CASCADE"))
                connection.execute(text("CREATE SCHEMA public"))
        finally:
            engine.dispose()
        return f"postgresql://{USER}@/postgres?host={self.folder}"

    def stop(self) -> None:
        """End it, and everybody's connection, at once: nothing in it is kept."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(READY_WITHIN_S)


def _somebody() -> str:
    """A user who is not root."""
    names = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in ("postgres", "nobody") if name in names)


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A server that is ended when the block is left."""
    # Not pytest's folder: another user may not enter that.
    with tempfile.TemporaryDirectory(prefix="pointsman-", ignore_cleanup_errors=True) as folder:
        server = Postgres(Path(folder))
        try:
            yield server
        finally:
            server.stop()
