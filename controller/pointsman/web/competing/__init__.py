"""A competition in the browser: what is seen of it, what is done, and by whom."""
