"""Brings a database to the tables of this program, and refuses one that is ahead of it."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from pointsman.compete.store.tables import VERSION_TABLE
from pointsman.errors import CompetitionError


def bring_up(connection: Connection, where: str) -> None:
    """Do the steps that are missing, in the transaction that has begun. Raises CompetitionError for a newer one."""
    config = Config()
    # A % would be read as the beginning of a name.
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    steps = ScriptDirectory.from_config(config)
    done = set(MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE}).get_current_heads())
    unknown = done - {step.revision for step in steps.walk_revisions()}
    if unknown:
        raise CompetitionError(
            f"was written by a newer pointsman (its tables are of version {', '.join(sorted(unknown))})",
            where=where,
            cure="use that version or a newer one; this one would not know what it reads",
        )
    if done != set(steps.get_heads()):
        command.upgrade(config, "head")
