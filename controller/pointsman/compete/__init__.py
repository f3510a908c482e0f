"""A club's competition: rounds whose draws anyone can check, and results that stand up."""
