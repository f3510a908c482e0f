/** In which order rounds are looked at. */

const PLAYING = 0;
const OVER = 1;
const TO_COME = 2;

function stage_of(round) {
  if (!round.heats_open) return TO_COME;
  return round.standing.certain ? OVER : PLAYING;
}

/** Rounds by their stages in this order: those to come as they come, of the others the last one first. */
function by_stage(rounds, order) {
  const place = new Map(rounds.map((round, index) => [round, [order.indexOf(stage_of(round)), stage_of(round) === TO_COME ? index : -index]]));
  return rounds.toSorted((one, other) => place.get(one)[0] - place.get(other)[0] || place.get(one)[1] - place.get(other)[1]);
}

/** For who looks on: what is being played, what is over, what is to come. */
export const as_looked_at = (rounds) => by_stage(rounds, [PLAYING, OVER, TO_COME]);

/** For who has something to do: what is being played, what is to come, what is over. */
export const as_worked_at = (rounds) => by_stage(rounds, [PLAYING, TO_COME, OVER]);

/** The two for a wall: none that nobody plays yet, unless there is no other. */
export function for_a_wall(rounds) {
  const begun = rounds.filter((round) => stage_of(round) !== TO_COME);
  return begun.length ? as_looked_at(begun).slice(0, 2) : rounds.slice(0, 1);
}
