"""A node on the workbench: its program put on the board, its settings tried and stored, its lines read by a person."""
