"""Where a store is: a file of SQLite, or a PostgreSQL server named by its URL."""

from __future__ import annotations

import importlib.util
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import platformdirs
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from pointsman.errors import CompetitionError, UsageError

FILE = "competitions.sqlite3"
BUSY_S = 10.0
"""For so long a writer waits for another one; an entry is written in a few milliseconds."""
WRITES = "pointsman_writes"
"""The option of a connection that is opened to write."""

_ANSWER_S = 10.0
"""What a server may take for an answer besides."""
_POSTGRESQL = frozenset({"postgresql", "postgres", "postgresql+pg8000"})


def default_file() -> Path:
    """The file in the user's data folder."""
    return Path(platformdirs.user_data_dir("pointsman")) / FILE


def engine_of(where: str, busy_s: float = BUSY_S) -> Engine:
    """The engine of a place: the path of a file, or a URL ``postgresql://user@host/database``. Raises UsageError.

    CompetitionError when the file's folder cannot be made.
    """
    if "://" not in where:
        return _sqlite(Path(where), busy_s)
    try:
        url = make_url(where)
    except (ArgumentError, ValueError) as error:
        raise UsageError("this is no URL of a database", where="store", cure=_LIKE_THIS) from error
    if url.drivername == "sqlite":
        if not url.database:
            raise UsageError("a store has to be in a file", where="store", cure="give the path of a file")
        return _sqlite(Path(url.database), busy_s)
    if url.drivername not in _POSTGRESQL:
        raise UsageError(f"a store in {url.drivername} is not known", where="store", cure=_LIKE_THIS)
    return _postgresql(url, busy_s)


_LIKE_THIS = "give the path of a file, or postgresql://user@host/database"


def _sqlite(path: Path, busy_s: float) -> Engine:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CompetitionError(
            f"cannot be made: {error.strerror or error}",
            where=str(path.parent),
            cure="choose a place where you may write",
        ) from error
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": busy_s})
    event.listen(engine, "connect", _open_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _open_sqlite(connection: sqlite3.Connection, _: object) -> None:
    # Transactions are begun below, and never by Python's module where it thinks fit.
    connection.isolation_level = None
    # What is confirmed is on the disk, also when the power goes.
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # A writer takes its turn before it reads: else two could read the same, and one would fail instead of wait.
    writes = connection.get_execution_options().get(WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _postgresql(url: URL, busy_s: float) -> Engine:
    if importlib.util.find_spec("pg8000") is None:
        raise UsageError(
            "the driver of PostgreSQL is not installed", where="store", cure='pip install "pointsman[postgresql]"'
        )
    # As PostgreSQL's own tools have it, ?host=/folder is where the socket of a server on this machine lies.
    folder, rest = url.query.get("host"), url.difference_update_query(["host"])
    arguments: dict[str, Any] = {"timeout": busy_s + _ANSWER_S}
    if isinstance(folder, str):
        arguments["unix_sock"] = f"{folder}/.s.PGSQL.{url.port or 5432}"
    engine = create_engine(rest.set(drivername="postgresql+pg8000"), connect_args=arguments, pool_pre_ping=True)
    event.listen(engine, "begin", partial(_begin_postgresql, busy_s))
    return engine


def _begin_postgresql(busy_s: float, connection: Connection) -> None:
    if connection.get_execution_options().get(WRITES):
        connection.exec_driver_sql(f"SET LOCAL lock_timeout = {int(busy_s * 1000)}")
    else:
        # A book and its head are read as they were at one moment.
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
