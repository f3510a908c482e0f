"""Ways to score: one file for each, chosen by name in ``book``, and a club's own from TOML in ``own``."""
