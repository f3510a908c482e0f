"""The signal box: one layout, what may be done on it at a moment, and what everybody sees of it. It knows no HTTP."""
