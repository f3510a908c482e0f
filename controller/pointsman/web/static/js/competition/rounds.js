/** Rounds at the marshal's desk: the commitment for the wall, heats to open, who is next, the end of a round. */

import { dialog } from "../dialogs.js";
import { button, html, refill } from "../dom.js";
import { spoken_language, t, t_count } from "../words.js";
import { open_announcement } from "./announce.js";
import { clock_ms } from "./evening.js";
import { code_field, open_form, tell } from "./forms.js";
import { as_worked_at } from "./order.js";
import { open_rerun, to_run_again } from "./rerun.js";
import { round_rules, who } from "./standings.js";

/** The schemes in which all of a heat share a train. */
const SHARING = ["aiguilleur"];

/** A hash in groups of four, as somebody compares it with a sheet. */
export const grouped = (hash) => hash.match(/.{1,4}/g)?.join(" ") ?? "";

/** The sheet for the wall, on the screen and printed. */
function open_wall(round) {
  document.documentElement.classList.add("for-the-wall");
  const shown = dialog(
    t("wall.title", { round: round.title }),
    [
      html("p", { text: round_rules(round) }),
      html("p", { text: t(round.secret ? "wall.revealed" : "wall.text") }),
      html("p", { class: "commitment", text: grouped(round.commitment) }),
      round.draws === null ? null : html("p", { text: t_count("round.draws", round.draws) }),
      round.secret ? html("p", { class: "commitment", text: grouped(round.secret) }) : null,
      round.parts_text ? html("pre", { tabindex: "0", text: round.parts_text }) : null,
      html("p", { class: "row" }, button(t("wall.print"), () => print(), { class: "main" }), button(t("close"), () => shown.close())),
    ],
    { closed: () => document.documentElement.classList.remove("for-the-wall") },
  );
}

export class Rounds {
  constructor(place, evening, said) {
    Object.assign(this, { place, evening, said });
  }

  show() {
    const { rounds, entrants, attempts } = this.evening.view;
    const again = to_run_again(this.evening.view);
    const busy = attempts.filter(({ phase }) => phase !== "ended").map(({ entrant }) => entrant);
    refill(this.place, [rounds, entrants, again, busy, spoken_language()], () => [
      html("div", { class: "row" }, html("h2", { text: t("rounds") }), button(t("announce"), () => open_announcement(this.evening), { class: rounds.length ? "" : "main", "data-key": "announce" })),
      rounds.length ? null : html("p", { class: "card", text: t("rounds.none") }),
      ...as_worked_at(rounds).map((round) => this.#round(round, again.filter((one) => one.round === round.id), busy)),
    ]);
  }

  #round(round, again, busy) {
    const title = `desk-${round.id}`;
    return html(
      "section",
      { class: "card", "aria-labelledby": title },
      html("h3", { id: title, text: round.title }),
      html("p", { class: "quiet", text: round_rules(round) }),
      round.commitment
        ? html("p", { class: "committed" }, html("code", { text: grouped(round.commitment).slice(0, 19) }), " … ", button(t("wall"), () => open_wall(round), { "data-key": `wall-${round.id}` }), round.draws === null ? null : html("span", { class: "quiet", text: t_count("round.draws", round.draws) }))
        : null,
      this.#heats(round),
      this.#speed(round),
      this.#shared(round),
      again.length ? html("h4", { text: t("again.title") }) : null,
      again.length ? html("ul", { class: "list" }, ...again.map((one) => html("li", {}, who(this.evening, one.entrant), html("span", { class: "quiet", text: t("attempt.number", { number: one.number }) }), button(t("rerun.do"), () => open_rerun(this.evening, one), { class: "main", "data-key": `rerun-${one.id}` })))) : null,
      this.#next(round, busy),
      round.waiting.length
        ? html("details", {}, html("summary", { text: t_count("not-yet", round.waiting.length) }), html("ul", { class: "list" }, ...round.waiting.map(({ entrant, why }) => html("li", {}, who(this.evening, entrant), html("span", { class: "quiet", text: why })))))
        : null,
    );
  }

  #heats(round) {
    const next = round.heats_open + 1;
    const lamps = Array.from({ length: round.heats }, (_, i) => html("span", { class: `heat ${i < round.heats_open ? "open" : "sealed"}`, text: String(i + 1) }));
    const open = () =>
      open_form(t("heat.open", { heat: next }), [code_field()], ({ code }) => this.evening.deed("open-heat", { round: round.id, heat: next, code }), { verb: t("heat.open", { heat: next }), text: t("heat.open.text") });
    const reveal = () =>
      open_form(
        t("reveal"),
        [code_field(), { name: "why", label: t("reveal.why"), maxlength: 200, hint: t("reveal.why.hint") }],
        ({ code, why }) => this.evening.deed("reveal", { round: round.id, code, ...(why ? { why } : {}) }),
        { verb: t("reveal"), text: t("reveal.text") },
      );
    return html(
      "div",
      { class: "row" },
      html("span", { class: "heats", role: "img", "aria-label": t("heats.open", { open: round.heats_open, heats: round.heats }) }, ...lamps),
      round.secret ? html("span", { class: "quiet", text: t("revealed") }) : null,
      !round.secret && next <= round.heats ? button(t("heat.open", { heat: next }), open, { class: round.next.length ? "" : "main", "data-key": `heat-${round.id}` }) : null,
      !round.secret && round.heats_open > 0 ? button(t("reveal"), reveal, { "data-key": `reveal-${round.id}` }) : null,
    );
  }

  /** The wagons of the white train that all of a heat share, where the scoring has one. */
  #shared(round) {
    if (!SHARING.includes(round.scheme) || !round.heats_open) return null;
    const count = () =>
      open_form(
        t("shared.title"),
        [
          { name: "heat", label: t("shared.heat"), kind: "number", min: 1, max: round.heats_open, value: round.heats_open, required: true },
          { name: "placed", label: t("shared.placed"), kind: "number", required: true },
        ],
        ({ heat, placed }) => this.evening.deed("shared-train", { round: round.id, heat: Number(heat), placed: Number(placed) }),
        { text: t("shared.text") },
      );
    return html("div", { class: "row" }, button(t("shared.title"), count, { "data-key": `shared-${round.id}` }));
  }

  #speed(round) {
    if (!round.speed_limit_mm_s) return null;
    const time = () =>
      open_form(
        t("speed.title"),
        [
          { name: "locomotive", label: t("speed.locomotive"), required: true },
          { name: "distance", label: t("speed.distance"), kind: "number", min: 1, required: true },
          { name: "time", label: t("speed.time"), required: true, placeholder: "4.2" },
        ],
        async ({ locomotive, distance, time: taken }) => {
          const time_ms = clock_ms(taken);
          if (!time_ms) return { why: t("announce.wrong.limit"), cure: t("correct.wrong.cure") };
          return this.evening.deed("speed", { round: round.id, locomotive, distance_mm: Number(distance), time_ms });
        },
        { verb: t("speed.do"), text: t("speed.text", { limit: round.speed_limit_mm_s }) },
      );
    return html("div", { class: "row" }, html("span", { class: round.slow_enough ? "quiet" : "warned", text: t(round.slow_enough ? "speed.right" : "speed.wrong", { limit: round.speed_limit_mm_s }) }), button(t("speed.do"), time, { "data-key": `speed-${round.id}` }));
  }

  #next(round, busy) {
    const next = round.next.filter(({ entrant }) => !busy.includes(entrant));
    if (!next.length) return null;
    const call = (entrant) => async () => tell(this.said, await this.evening.deed("call", { round: round.id, entrant }));
    const one = ({ entrant, number, heat }) =>
      html("li", {}, who(this.evening, entrant), html("span", { class: "quiet", text: t("attempt.in-heat", { number, heat }) }), button(t("tablet.call"), call(entrant), { "data-key": `call-${round.id}-${entrant}`, "aria-label": t("call.of", { name: this.evening.entrant(entrant).name }) }));
    return html("details", { open: true }, html("summary", { text: t_count("next", next.length) }), html("ul", { class: "list" }, ...next.map(one)));
  }
}
