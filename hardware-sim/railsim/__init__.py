"""A simulated model railway that answers as a real DCC-EX station does."""
