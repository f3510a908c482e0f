/** How turnouts lie: as far as is known, and in words. */

import { t } from "./words.js";

/** The mark of how surely a turnout is known to lie as it is said to. */
export const MARKS = { seen: "", assumed: "~ ", moving: "» ", unknown: "?" };

/** The leg that a turnout is taken to lie for; null when nobody knows. */
export function leg_of(turnout) {
  if (!turnout || turnout.surety === "unknown") return null;
  return turnout.surety === "seen" ? (turnout.reported ?? turnout.commanded) : (turnout.commanded ?? turnout.reported);
}

/** The leg that pressing a turnout asks for: the other one than it was set to. */
export const other_leg = (turnout) => ((turnout?.commanded ?? turnout?.reported) === "closed" ? "thrown" : "closed");

/** How a turnout lies, in words. */
export function lie_words(name, turnout) {
  const leg = leg_of(turnout);
  if (!leg) return t("turnout.unknown", { name });
  const words = t(`turnout.${turnout.surety}`, { name, leg: t(leg) });
  const differs = turnout.surety === "seen" && turnout.commanded && turnout.commanded !== leg;
  return (
    words +
    (differs ? `, ${t("turnout.asked", { leg: t(turnout.commanded) })}` : "") +
    (turnout.by_hand ? `, ${t("turnout.by-hand")}` : "")
  );
}
