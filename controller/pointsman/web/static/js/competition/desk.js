/** The marshal's desk: rounds, attempts, what is doubtful or unchecked, helpers, papers, and the log. */

import { button, html, refill } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { clock, spoken_language, t, t_count, t_or } from "../words.js";
import { open_correction } from "./correct.js";
import { open_form, tell, why_field } from "./forms.js";
import { helpers } from "./helpers.js";
import { Rounds } from "./rounds.js";
import { running_clock, who } from "./standings.js";

export class Desk {
  constructor(place, evening) {
    Object.assign(this, { place, evening });
    this.said = refusal_line();
    const part = (name) => html("section", { class: `desk-part desk-${name}` });
    this.parts = Object.fromEntries(["rounds", "attempts", "doubts", "helpers", "papers", "log"].map((name) => [name, part(name)]));
    this.rounds = new Rounds(this.parts.rounds, evening, this.said);
    place.append(this.said, html("div", { class: "desk-grid" }, ...Object.values(this.parts)));
  }

  show() {
    this.rounds.show();
    this.#attempts();
    this.#doubts();
    helpers(this.parts.helpers, this.evening, this.said);
    this.#papers();
    this.#log();
  }

  #attempts() {
    const { attempts, entrants, layout } = this.evening.view;
    const on = attempts.filter(({ phase }) => phase !== "ended");
    const over = attempts.filter(({ phase }) => phase === "ended").toReversed();
    refill(this.parts.attempts, [attempts, entrants, layout, spoken_language()], () => [
      html("h2", { text: t("attempts") }),
      on.length ? html("ul", { class: "list card" }, ...on.map((one) => this.#on(one))) : html("p", { class: "card", text: t("attempts.none") }),
      over.length ? html("details", { class: "card" }, html("summary", { text: t_count("attempts.over", over.length) }), html("ul", { class: "list" }, ...over.map((one) => this.#over(one)))) : null,
    ]);
  }

  #on({ id, entrant, phase, on_layout, number }) {
    const { layout } = this.evening.view;
    const play = async () => tell(this.said, await this.evening.deed("play", { attempt: id }));
    return html(
      "li",
      {},
      who(this.evening, entrant),
      html("span", { class: "quiet", text: `${t("attempt.number", { number })} · ${t(`phase.${phase}`)}` }),
      running_clock(this.evening, id),
      on_layout ? html("a", { href: "/", text: t("play.there") }) : null,
      layout && phase === "called" && !on_layout ? button(t("play"), play, { class: "main", "data-key": `play-${id}` }) : null,
    );
  }

  #over(attempt) {
    const { id, entrant, score, outcome, number, round } = attempt;
    const name = this.evening.entrant(entrant).name;
    return html(
      "li",
      {},
      who(this.evening, entrant),
      html("span", { class: "quiet", text: `${this.evening.round(round)?.title ?? round}, ${t("attempt.number", { number })}` }),
      html("b", { text: score || t_or(`outcome.${outcome}`, "–") }),
      attempt.corrected ? html("small", { class: "origin", text: t("corrected") }) : null,
      attempt.checked_by ? html("small", { class: "quiet", text: t("checked-by", { name: attempt.checked_by }) }) : null,
      button(t("correct.do"), () => open_correction(this.evening, attempt), { "data-key": `correct-${id}`, "aria-label": t("correct.title", { name, number }) }),
      attempt.replay ? html("a", { href: `#replay=${encodeURIComponent(id)}`, text: `▶ ${t("replay.title")}` }) : null,
    );
  }

  #doubts() {
    const { doubts, unchecked, entrants, attempts } = this.evening.view;
    const named = (id) => {
      const attempt = this.evening.attempt(id);
      return attempt ? html("span", { class: "who" }, html("b", { text: this.evening.entrant(attempt.entrant).name }), html("small", { text: `${this.evening.round(attempt.round)?.title ?? ""}, ${t("attempt.number", { number: attempt.number })}` })) : html("b", { text: id });
    };
    refill(this.parts.doubts, [doubts, unchecked, entrants, attempts.length, spoken_language()], () => [
      html("h2", { text: t("doubts") }),
      doubts.length ? html("ul", { class: "list card doubtful" }, ...doubts.map(({ attempt, text }) => html("li", {}, named(attempt), html("span", { text })))) : html("p", { class: "card", text: t("doubts.none") }),
      html("p", { class: unchecked.length ? "warned" : "quiet" }, t_count("check.left", unchecked.length), " ", html("a", { href: "#check", text: t("view.check") })),
    ]);
  }

  #papers() {
    const { rounds, entrants } = this.evening.view;
    refill(this.parts.papers, [rounds.map(({ id, title }) => [id, title]), entrants, spoken_language()], () => {
      const to = (path, text, more = {}) => html("a", { href: this.evening.address(path), text, ...more });
      const pdf = (path) => `${path}?lang=${spoken_language()}`;
      return [
        html("h2", { text: t("papers") }),
        html(
          "div",
          { class: "card papers" },
          html("h3", { text: t("papers.sheets") }),
          html("ul", {}, html("li", {}, to(pdf("/results.pdf"), t("papers.all"))), ...rounds.map(({ id, title }) => html("li", {}, to(pdf(`/rounds/${encodeURIComponent(id)}/results.pdf`), title)))),
          html("h3", { text: t("papers.data") }),
          html(
            "ul",
            {},
            html("li", {}, to(`/export.csv?table=standings&lang=${spoken_language()}`, t("papers.csv.standings"), { download: "" })),
            html("li", {}, to(`/export.csv?table=attempts&lang=${spoken_language()}`, t("papers.csv.attempts"), { download: "" })),
            html("li", {}, to("/export.json", t("papers.json"), { download: "" }), " ", html("small", { class: "quiet", text: t("papers.json.text") })),
          ),
          html("p", {}, html("a", { href: "#entrants", text: t("papers.certificates") })),
        ),
      ];
    });
  }

  #log() {
    const { log } = this.evening.view;
    refill(this.parts.log, [log, spoken_language()], () => [
      html("h2", { text: t("log") }),
      html("p", { class: "quiet", text: t("log.text") }),
      html("ol", { class: "list card log", tabindex: "0", "aria-label": t("log") }, ...(log ?? []).map((one) => this.#entry(one))),
    ]);
  }

  #entry({ seq, at, by, why, text, undone, can_undo }) {
    const undo = () => open_form(t("undo.title", { seq }), [why_field()], ({ why: reason }) => this.evening.deed("undo", { seq, why: reason }), { verb: t("undo.do"), text: `${text}. ${t("undo.text")}` });
    return html(
      "li",
      { class: undone ? "undone" : null },
      html("small", { class: "quiet", text: `${seq} · ${clock(at)} · ${by}` }),
      html("span", {}, undone ? html("span", { class: "taken-back", text: `${t("undone")} ` }) : null, text, why ? html("q", { text: why }) : null),
      can_undo && !undone ? button(t("undo"), undo, { "data-key": `undo-${seq}`, "aria-label": t("undo.title", { seq }) }) : null,
    );
  }
}
