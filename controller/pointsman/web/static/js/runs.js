/** Runs of a plan in words: what the server says of them, and what they couple up to. */

import { called } from "./board.js";
import { read } from "./position.js";
import { t } from "./words.js";

/** A run of the puzzle's plan, by its index, in the words given and with what its train meets at its end. */
export function run_words(layout, puzzle, index, text) {
  const met = met_by(layout, puzzle, index);
  return met ? `${text}, ${t("couples", { vehicle: called(layout, met) })}` : text;
}

/** The vehicle that a run's train comes to stand against; null where it meets none. */
function met_by(layout, { start, plan }, index) {
  const run = plan?.[index];
  if (!run?.after) return null;
  const before = read(layout, index ? plan[index - 1].after : start).segments;
  const after = read(layout, run.after).segments;
  const track = Object.keys(after).find((name) => after[name].includes(run.engine));
  if (!track || before[track].includes(run.engine) || !before[track].length) return null;
  // It came in from one end: what it met is next to what came with it.
  const row = after[track];
  const stood = new Set(before[track]);
  const next = row.findIndex((name, i) => i && stood.has(name) !== stood.has(row[i - 1]));
  if (next < 0) return null;
  return stood.has(row[next]) ? row[next] : row[next - 1];
}
