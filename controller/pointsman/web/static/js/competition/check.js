/** The second pair of eyes: attempts that nobody else has looked at, one after the other. */

import { button, html, refill } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { spoken_language, t, t_count, t_or } from "../words.js";
import { COUNTED, FAULTS } from "./counting.js";
import { clock_text } from "./evening.js";
import { tell } from "./forms.js";
import { who } from "./standings.js";

/** What an attempt is made of, as rows of a list: what, how much, and where that comes from. */
export function marks_rows(marks) {
  if (!marks) return [];
  const origin = (figure) => (figure.origin === "seen" ? "" : t_or(`origin.${figure.origin.split(" ")[0]}`, figure.origin));
  const rows = [[t("outcome"), t(`outcome.${marks.outcome}`), marks.outcome_origin && marks.outcome_origin !== "seen" ? origin({ origin: marks.outcome_origin }) : ""]];
  if (marks.time_ms) rows.push([t("measure.time_s"), clock_text(marks.time_ms.value, 3), origin(marks.time_ms)]);
  for (const one of [...COUNTED, "hints", "emergency_stops"]) if (marks[one]) rows.push([t(`measure.${one}`), String(marks[one].value), origin(marks[one])]);
  for (const one of FAULTS) if (marks.faults?.[one]?.value) rows.push([t(`fault.${one}`), String(marks.faults[one].value), origin(marks.faults[one])]);
  return rows;
}

export const marks_list = (marks) =>
  html("dl", { class: "marks" }, ...marks_rows(marks).flatMap(([what, value, origin]) => [html("dt", { text: what }), html("dd", {}, html("b", { text: value }), origin ? html("small", { class: "origin", text: origin }) : null)]));

export class Check {
  constructor(place, evening) {
    Object.assign(this, { place, evening });
    this.said = refusal_line();
    this.body = html("div", { class: "stack" });
    place.append(this.said, this.body);
  }

  show() {
    const { unchecked, attempts, doubts, entrants } = this.evening.view;
    const open = unchecked.map((id) => this.evening.attempt(id)).filter(Boolean);
    refill(this.body, [open, doubts, entrants, spoken_language()], () => [
      html("h2", {}, t("view.check"), html("small", { class: "quiet", text: t_count("check.left", open.length) })),
      html("p", { class: "quiet", text: t("check.text") }),
      open.length ? null : html("p", { class: "card", text: attempts.length ? t("check.none") : t("check.nothing-yet") }),
      html("ul", { class: "checks" }, ...open.map((one) => this.#one(one, doubts))),
    ]);
  }

  #one(attempt, doubts) {
    const its = doubts.filter((one) => one.attempt === attempt.id);
    const round = this.evening.round(attempt.round);
    return html(
      "li",
      { class: `card${its.length ? " doubtful" : ""}` },
      html("h3", {}, who(this.evening, attempt.entrant), html("small", { class: "quiet", text: t("tablet.place", { round: round?.title ?? "", number: attempt.number, heat: attempt.heat }) })),
      html("p", { class: "result" }, html("b", { text: attempt.score || t_or(`outcome.${attempt.outcome}`, "–") })),
      marks_list(attempt.marks),
      attempt.faults.length ? html("p", { class: "quiet", text: attempt.faults.map(({ fault, at_ms }) => `${t(`fault.${fault}`)} ${clock_text(at_ms)}`).join(" · ") }) : null,
      its.length ? html("ul", { class: "doubts" }, ...its.map(({ text }) => html("li", { text }))) : null,
      html(
        "p",
        { class: "row" },
        button(t("check.right"), async () => tell(this.said, await this.evening.deed("check", { attempt: attempt.id })), { class: "main", "data-key": `check-${attempt.id}`, "aria-label": t("check.right.of", { name: this.evening.entrant(attempt.entrant).name, number: attempt.number }) }),
        attempt.replay ? html("a", { href: `#replay=${encodeURIComponent(attempt.id)}`, text: `▶ ${t("replay.title")}` }) : null,
      ),
    );
  }
}
