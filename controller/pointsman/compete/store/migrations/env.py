"""What Alembic runs: the steps on the connection that ``schema`` has opened, in the transaction it has begun."""

from __future__ import annotations

from alembic import context

from pointsman.compete.store.tables import METADATA, VERSION_TABLE

context.configure(
    connection=context.config.attributes["connection"], target_metadata=METADATA, version_table=VERSION_TABLE
)
context.run_migrations()
