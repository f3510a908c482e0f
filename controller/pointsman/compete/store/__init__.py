"""Where competitions' books are kept: a file of SQLite, or a PostgreSQL server."""
