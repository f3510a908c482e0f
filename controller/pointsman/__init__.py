"""pointsman plays shunting puzzles on real model railways."""
