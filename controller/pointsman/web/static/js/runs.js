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
  const before = read(layout, index ? plan[index - 1].after : start);
  const after = read(layout, run.after);
  for (const [track, end] of ahead_of(layout, run.engine, before, after)) {
    // From the end at which the train came in: what came with it, then what it met.
    const row = end === "to" ? [...after.segments[track]].reverse() : after.segments[track];
    const stood = new Set(before.segments[track]);
    const met = row.find((name) => stood.has(name));
    if (met) return met;
  }
  return null;
}

/** The tracks, and their ends, at which the locomotive's train may have come in: `[[track, end], ...]`. */
function ahead_of(layout, engine, before, after) {
  const was_in = (track) => before.segments[track]?.includes(engine);
  const whole = Object.keys(after.segments).find((track) => after.segments[track].includes(engine));
  if (whole) {
    if (was_in(whole)) return [];
    // What has come in stands at the end where it did so.
    const first = after.segments[whole][0];
    return [[whole, before.segments[whole].includes(first) ? "to" : "from"]];
  }
  const [turnout, on] = Object.entries(after.turnouts).find(([, { vehicle }]) => vehicle === engine) ?? [];
  if (!turnout) return [];
  const joints = [layout.turnouts[turnout].joints[on.leg], layout.turnouts[turnout].joints.toe];
  return joints
    .filter(Boolean)
    .map((joint) => [joint.slice(0, joint.lastIndexOf(".")), joint.slice(joint.lastIndexOf(".") + 1)])
    .filter(([track]) => track in after.segments && !was_in(track));
}
