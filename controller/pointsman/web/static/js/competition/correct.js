/** Marks put right by the marshal: what is changed was entered by a person, the rest keeps where it comes from. */

import { t } from "../words.js";
import { COUNTED, FAULTS, OUTCOMES } from "./counting.js";
import { clock_ms, clock_text } from "./evening.js";
import { open_form, why_field } from "./forms.js";
import { equipment_only } from "./rerun.js";

const ENTERED = "entered by a person";
const FIGURES = [...COUNTED, "hints", "emergency_stops"];

/** The marks with what a form says; null in place of them with what is wrong. */
export function corrected(marks, values) {
  const next = { ...marks, outcome: values.outcome, faults: { ...marks.faults } };
  if (values.outcome !== marks.outcome) next.outcome_origin = ENTERED;
  const put = (its, key, value) => {
    if (value === null) delete its[key];
    else if (its[key]?.value !== value) its[key] = { value, origin: ENTERED };
  };
  if (values.time === "") put(next, "time_ms", null);
  else if (clock_ms(values.time) === null) return { wrong: t("correct.wrong.time") };
  else put(next, "time_ms", clock_ms(values.time));
  for (const [its, keys] of [[next, FIGURES], [next.faults, FAULTS]]) {
    for (const key of keys) {
      const text = values[key];
      if (!/^\d{0,6}$/.test(text)) return { wrong: t("correct.wrong.count", { value: text }) };
      put(its, key, text === "" ? null : Number(text));
    }
  }
  return { marks: next };
}

export function open_correction(evening, attempt) {
  const marks = attempt.marks ?? { outcome: attempt.outcome };
  const shown = (figure) => (figure ? String(figure.value) : "");
  const number = (name, label, figure) => ({ name, label, value: shown(figure), inputmode: "numeric" });
  open_form(
    t("correct.title", { name: evening.entrant(attempt.entrant).name, number: attempt.number }),
    [
      { name: "outcome", label: t("outcome"), kind: "select", value: marks.outcome, choices: OUTCOMES.filter((one) => equipment_only(one, marks)).map((one) => [one, t(`outcome.${one}`)]) },
      { name: "time", label: t("correct.time"), value: marks.time_ms ? clock_text(marks.time_ms.value, 3) : "" },
      { legend: t("correct.counts"), fields: FIGURES.map((one) => number(one, t(`measure.${one}`), marks[one])) },
      { legend: t("correct.faults"), fields: FAULTS.map((one) => number(one, t(`fault.${one}`), marks.faults?.[one])) },
      why_field(),
    ],
    async (values) => {
      const { marks: next, wrong } = corrected(marks, values);
      if (wrong) return { why: wrong, cure: t("correct.wrong.cure") };
      return evening.deed("correct", { attempt: attempt.id, marks: next, why: values.why });
    },
    { verb: t("correct.do"), text: t("correct.text") },
  );
}
