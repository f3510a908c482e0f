/** A round is announced: all that it fixes, in one form. How many draws that leaves is the server's to say. */

import { t, t_or } from "../words.js";
import { FAULTS } from "./counting.js";
import { clock_ms } from "./evening.js";
import { code_field, number_of, open_form } from "./forms.js";

const COUNTS = ["runs", "reversals", "couplings", "pull-drops"];
const OWN = "own";

/** The plan that the form's values say, or `{why, cure}`. */
function plan_of(values) {
  const limit_ms = values.limit === "" ? null : clock_ms(values.limit);
  if (values.limit !== "" && limit_ms === null) return { why: t("announce.wrong.limit"), cure: t("correct.wrong.cure") };
  const decimal = (text) => Number(text.replace(",", "."));
  const own = values.scheme === OWN;
  const plan = {
    id: values.id,
    title: values.title,
    puzzle: values.puzzle,
    count: values.count,
    scheme: own ? "" : values.scheme,
    own_scheme: own ? values.own_scheme : "",
    format: values.format,
    par_least: Number(values.par_least),
    par_most: Number(values.par_most),
    heats: Number(values.heats),
    spares: Number(values.spares),
    time_limit_s: limit_ms === null ? null : limit_ms / 1000,
    cut_off: values.cut_after === "" ? null : { after: Number(values.cut_after), at_most: clock_or_number(values.cut_at_most) },
    free_faults: values.free_faults,
    most_faults: number_of(values.most_faults),
    most_hints: number_of(values.most_hints),
    advance: values.advance === "none" ? null : { by: values.advance, value: decimal(values.advance_value), edge: values.edge },
    category: values.category,
    most_wagons: number_of(values.most_wagons),
    speed_limit_mm_s: number_of(values.speed),
  };
  // What is not said is left out.
  return { plan: Object.fromEntries(Object.entries(plan).filter(([, value]) => value !== null && value !== "")) };
}

/** `4:05` is a time, in seconds; all else a number. */
const clock_or_number = (text) => (text.includes(":") ? (clock_ms(text) ?? NaN) / 1000 : Number(text.replace(",", ".")));

export function open_announcement(evening) {
  const { view } = evening;
  const free = (n = view.rounds.length + 1) => (view.rounds.some(({ id }) => id === `r${n}`) ? free(n + 1) : `r${n}`);
  const classes = [...new Set(view.entrants.map(({ category }) => category).filter(Boolean))];
  const number = (name, label, value = "", more = {}) => ({ name, label, kind: "number", value, ...more });
  const last = view.rounds.at(-1);
  const formats = [...new Set([...view.formats, "pairs-best-of-3"])];
  open_form(
    t("announce"),
    [
      {
        legend: t("announce.what"),
        fields: [
          { name: "title", label: t("announce.title"), required: true, maxlength: 200 },
          { name: "id", label: t("announce.id"), required: true, pattern: "[a-z0-9][a-z0-9_\\-]{0,59}", value: free(), hint: t("announce.id.hint") },
          { name: "puzzle", label: t("announce.puzzle"), kind: "select", value: last?.puzzle ?? "", choices: view.puzzles.map(({ name, title, wagons }) => [name, t("announce.puzzle.choice", { name, title, wagons })]) },
          { name: "format", label: t("announce.format"), value: last?.format ?? formats[0], required: true, hint: t("announce.format.hint", { formats: formats.join(", ") }) },
          { name: "scheme", label: t("announce.scheme"), kind: "select", value: last?.scheme ?? "", choices: [...view.schemes.map(({ name, title }) => [name, title]), [OWN, t("announce.own")]] },
          { name: "own_scheme", label: t("announce.own.text"), kind: "area", hint: t("announce.own.hint") },
        ],
      },
      {
        legend: t("announce.draws"),
        fields: [
          { name: "count", label: t("announce.count"), kind: "select", value: last?.count ?? "runs", choices: COUNTS.map((one) => [one, t_or(`count.${one}`, one)]) },
          number("par_least", t("announce.par_least"), last?.par_least ?? "", { required: true, min: 1 }),
          number("par_most", t("announce.par_most"), last?.par_most ?? "", { required: true, min: 1, hint: t("announce.par.hint") }),
          number("heats", t("announce.heats"), last?.heats ?? 1, { required: true, min: 1, hint: t("announce.heats.hint") }),
          number("spares", t("announce.spares"), last?.spares ?? 2, { required: true }),
        ],
      },
      {
        legend: t("announce.rules"),
        fields: [
          { name: "limit", label: t("announce.limit"), placeholder: "10:00" },
          { name: "free_faults", label: t("announce.free_faults"), kind: "marks", value: [], choices: FAULTS.map((one) => [one, t(`fault.${one}`)]) },
          number("most_faults", t("announce.most_faults")),
          number("most_hints", t("announce.most_hints")),
          number("cut_after", t("announce.cut_after"), "", { min: 1 }),
          { name: "cut_at_most", label: t("announce.cut_at_most") },
          number("speed", t("announce.speed"), "", { min: 1 }),
        ],
      },
      {
        legend: t("announce.who"),
        fields: [
          { name: "category", label: t("announce.category"), kind: "select", value: "", choices: [["", t("announce.everybody")], ...classes.map((one) => [one, one])] },
          number("most_wagons", t("announce.most_wagons"), "", { min: 1 }),
          { name: "advance", label: t("announce.advance"), kind: "select", value: "none", choices: ["none", "rank", "percent", "result"].map((one) => [one, t(`announce.advance.${one}`)]) },
          { name: "advance_value", label: t("announce.advance_value") },
          { name: "edge", label: t("announce.edge"), kind: "select", value: "all go on", choices: [["all go on", t("announce.edge.on")], ["all stay", t("announce.edge.stay")]] },
        ],
      },
      { legend: t("announce.code"), fields: [code_field("code", t("code.marshal"), t("announce.code.hint")), code_field("again", t("announce.code.again"), "")] },
    ],
    async (values) => {
      if (values.code !== values.again) return { why: t("announce.code.differ"), cure: t("announce.code.differ.cure") };
      const { plan, ...wrong } = plan_of(values);
      return plan ? evening.deed("announce", { plan, code: values.code }) : wrong;
    },
    { verb: t("announce.do"), text: t("announce.text") },
  );
}
