"""What is printed for a club: wagon cards to cut out, and a sheet for each draw."""
