/** An attempt that the equipment spoilt is run again, on a spare draw. */

import { t } from "../words.js";
import { code_field, open_form, why_field } from "./forms.js";

/** An attempt becomes, or ceases to be, one that the equipment spoilt only when it ends: its marks cannot say so later. */
export const equipment_only = (outcome, marks) => outcome !== "equipment" || marks.outcome === "equipment";

export function open_rerun(evening, attempt) {
  open_form(
    t("rerun.title", { name: evening.entrant(attempt.entrant).name, number: attempt.number }),
    [why_field(), code_field()],
    ({ why, code }) => evening.deed("rerun", { attempt: attempt.id, why, code }),
    { verb: t("rerun.do"), text: t("rerun.text") },
  );
}

/** The attempts that wait to be run again. */
export function to_run_again({ attempts }) {
  const later = (one) => attempts.some((other) => other !== one && other.round === one.round && other.entrant === one.entrant && other.number === one.number && other.spare > one.spare);
  return attempts.filter((one) => one.phase === "ended" && one.outcome === "equipment" && !later(one));
}
