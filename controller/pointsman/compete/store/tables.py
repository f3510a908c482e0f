"""The tables, as they are now; ``migrations`` is the way there from every version before.

There are no more than these two. A competition's state is never kept: it is read off its entries.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Integer, MetaData, String, Table, Text

METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

VERSION_TABLE = "pointsman_schema"
"""Where Alembic keeps which migration was the last."""

COMPETITIONS = Table(
    "competitions",
    METADATA,
    Column("name", String(60), primary_key=True),
    Column("entries", Integer, nullable=False),
    Column("head", String(64), nullable=False),
)
"""One row for each competition: how many entries its book has, and the hash of the last one."""

ENTRIES = Table(
    "entries",
    METADATA,
    Column("competition", String(60), ForeignKey(COMPETITIONS.c.name), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("line", Text, nullable=False),
)
"""One row for each entry: its number, and its line as ``entry_json`` writes it. Rows are added, and nothing else."""
