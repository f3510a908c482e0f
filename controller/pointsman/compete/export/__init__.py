"""A competition's results and book for other programs, and entrants from a spreadsheet. docs/competition-export.md."""
