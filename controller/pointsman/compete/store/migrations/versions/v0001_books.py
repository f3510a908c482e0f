"""Books: competitions and their entries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make both tables."""
    op.create_table(
        "competitions",
        sa.Column("name", sa.String(60), nullable=False),
        sa.Column("entries", sa.Integer, nullable=False),
        sa.Column("head", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_competitions"),
    )
    op.create_table(
        "entries",
        sa.Column("competition", sa.String(60), nullable=False),
        sa.Column("seq", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(["competition"], ["competitions.name"], name="fk_entries_competition"),
        sa.PrimaryKeyConstraint("competition", "seq", name="pk_entries"),
    )
