"""The way from an empty database, and from every version before, to the tables as they are now."""
