/** Who stands where: each round and overall, what is certain and what is still open. */

import { button, html, refill } from "../dom.js";
import { spoken_language, t, t_count, t_or } from "../words.js";
import { clock_text } from "./evening.js";
import { as_looked_at } from "./order.js";

/** An entrant's name, with club and train below it; a pair's, with its `members`. */
export function who(evening, id, members = []) {
  const { name, club, train } = evening.entrant(id);
  const more = members.length > 1 ? members.map((one) => evening.entrant(one).name).join(", ") : [club, train].filter(Boolean).join(" · ");
  return html("span", { class: "who" }, html("b", { text: name }), more ? html("small", { text: more }) : null);
}

/** A clock that runs on the page; `paint_clocks` keeps it up to date. */
export const running_clock = (evening, id, decimals = 0) =>
  html("span", { class: "clock", role: "timer", "data-clock": id, "data-decimals": decimals, text: clock_text(evening.shows_ms(id), decimals) });

export function paint_clocks(evening) {
  for (const node of document.querySelectorAll("[data-clock]")) {
    const text = clock_text(evening.shows_ms(node.dataset.clock), Number(node.dataset.decimals));
    if (node.textContent !== text) node.textContent = text;
  }
}

/** Certain or open, by sign and word. */
export function surety(row) {
  if (row.certain) return html("span", { class: "surety certain", text: t("row.certain") });
  const open = row.open ? t_count("row.open", row.open) : t("row.open.some");
  return html("span", { class: "surety open", text: open });
}

/** A rank; while it may change it stands in brackets. */
export function rank_text({ rank, shared, rank_certain, certain }) {
  if (rank === null || rank === undefined) return "–";
  const text = `${rank}${shared ? "=" : ""}`;
  return (rank_certain ?? certain) ? text : `(${text})`;
}

/** What a row says besides its figures: the title, who goes on, a cut. */
export function remarks(row) {
  return [
    row.title ? html("span", { class: "title-won", text: row.title }) : null,
    row.advances && row.advances !== "no" ? html("span", { class: `advances ${row.advances}`, text: t(`advances.${row.advances}`) }) : null,
    row.cut_off ? html("span", { class: "cut", text: t("row.cut-off") }) : null,
    row.origin && row.origin !== "seen" ? html("span", { class: "origin", text: t_or(`origin.${row.origin.split(" ")[0]}`, row.origin) }) : null,
  ].filter(Boolean);
}

/** What a round fixes, in a few words. */
export function round_rules(round) {
  const range = round.par_least === undefined ? null : t("round.par", { least: round.par_least, most: round.par_most, count: t_or(`count.${round.count}`, round.count) });
  const limit = round.time_limit_ms ? t("round.limit", { time: clock_text(round.time_limit_ms, 0) }) : null;
  const on = round.advance ? advance_words(round.advance) : t("round.final");
  return [round.puzzle_title, round.scheme_title, round.format, range, limit, on].filter(Boolean).join(" · ");
}

const advance_words = ({ by, value }) =>
  ({ rank: t("round.advance.rank", { value }), percent: t("round.advance.percent", { value }), result: t("round.advance.result", { value }) })[by] ?? "";

export class Standings {
  constructor(place, evening) {
    Object.assign(this, { place, evening });
    this.body = html("div", { class: "stack" });
    place.append(this.body);
  }

  show() {
    const { view } = this.evening;
    const { rounds, overall, entrants, attempts } = view;
    const made_from = [rounds, overall, entrants, attempts.map(({ id, phase, replay }) => [id, phase, replay]), spoken_language()];
    refill(this.body, made_from, () => [
      html("h2", { class: "unseen", text: t("view.standings") }),
      rounds.length ? null : html("p", { class: "card", text: t("standings.none") }),
      ...this.#playing(),
      // What is being played is at the top.
      ...as_looked_at(rounds).map((round) => this.#round(round)),
      ...overall.filter(({ rows }) => rows.length && rounds.length > 1).map((one) => this.#overall(one)),
      rounds.length ? html("p", { class: "quiet", text: t("standings.legend") }) : null,
    ]);
  }

  #playing() {
    const now = this.evening.view.attempts.filter(({ phase }) => phase !== "ended");
    if (!now.length) return [];
    const one = ({ id, entrant, phase, number }) =>
      html(
        "li",
        { class: `playing ${phase}` },
        who(this.evening, entrant),
        html("span", { class: "quiet", text: t("attempt.number", { number }) }),
        html("span", { text: t(`phase.${phase}`) }),
        running_clock(this.evening, id),
      );
    return [html("section", { class: "card", "aria-labelledby": "now-title" }, html("h3", { id: "now-title", text: t("standings.now") }), html("ul", { class: "list" }, ...now.map(one)))];
  }

  #round(round) {
    const { rows, certain } = round.standing;
    const title = `standing-${round.id}`;
    return html(
      "section",
      { class: "card", "aria-labelledby": title },
      html("h3", { id: title }, round.title, html("span", { class: `surety ${certain ? "certain" : "open"}`, text: t(certain ? "row.certain" : "round.open") })),
      html("p", { class: "quiet", text: round_rules(round) }),
      rows.length ? this.#table(round, rows) : html("p", { text: t("round.nobody") }),
      ...this.#meetings(round.standing.meetings ?? []),
    );
  }

  #table(round, rows) {
    const numbers = Array.from({ length: round.attempts }, (_, i) => i + 1);
    const head = [t("rank"), t("entrant"), t("result"), t("state"), ...numbers.map((number) => t("attempt.short", { number }))];
    return html(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": round.title },
      html(
        "table",
        { class: "standing" },
        html("thead", {}, html("tr", {}, ...head.map((text, i) => html("th", { scope: "col", text, class: i > 3 ? "made" : i === 3 ? "state" : null })))),
        html("tbody", {}, ...rows.map((row) => this.#row(row, numbers))),
      ),
    );
  }

  /** The meetings of a knockout, the last stage first. */
  #meetings(meetings) {
    const stages = [...new Set(meetings.map(({ stage }) => stage))].toReversed();
    const side = (one, id) => html("span", { class: id !== null && id === one.winner ? "won" : null }, id === null ? "–" : who(this.evening, id));
    return stages.map((stage) =>
      html(
        "details",
        { open: stage === stages[0] },
        html("summary", { text: t("knockout.stage", { stage }) }),
        html("ul", { class: "list meetings" }, ...meetings.filter((one) => one.stage === stage).map((one) => html("li", {}, side(one, one.first), html("span", { class: "quiet", text: t("knockout.against") }), side(one, one.second), surety({ certain: one.over, open: 0 })))),
      ),
    );
  }

  #row(row, numbers) {
    const made = new Map((row.attempts ?? []).map((one) => [one.number, one]));
    return html(
      "tr",
      { class: row.certain ? "is-certain" : "is-open" },
      html("td", { class: "rank", text: rank_text(row) }),
      html("th", { scope: "row" }, who(this.evening, row.entrant, row.members)),
      html("td", { class: "result" }, html("b", { text: row.text || "–" }), ...remarks(row), html("span", { class: "narrow" }, surety(row))),
      html("td", { class: "state" }, surety(row)),
      ...numbers.map((number) => html("td", { class: "made" }, ...this.#made(made.get(number)))),
    );
  }

  #made(one) {
    if (!one?.attempt) return ["–"];
    const attempt = this.evening.attempt(one.attempt);
    const text = one.text || t_or(`outcome.${one.outcome}`, "…");
    if (!attempt?.replay) return [text];
    return [html("a", { href: `#replay=${encodeURIComponent(one.attempt)}`, text: `▶ ${text}`, "aria-label": t("replay.of", { text }) })];
  }

  #overall({ category, rows }) {
    const title = `overall-${category}`;
    const head = [t("rank"), t("entrant"), t("result"), t("state")];
    return html(
      "section",
      { class: "card", "aria-labelledby": title },
      html("h3", { id: title, text: category ? t("overall.of", { category }) : t("overall") }),
      html(
        "table",
        { class: "standing" },
        html("thead", {}, html("tr", {}, ...head.map((text, i) => html("th", { scope: "col", text, class: i === 3 ? "state" : null })))),
        html(
          "tbody",
          {},
          ...rows.map((row) =>
            html(
              "tr",
              { class: row.certain ? "is-certain" : "is-open" },
              html("td", { class: "rank", text: rank_text(row) }),
              html("th", { scope: "row" }, who(this.evening, row.entrant, row.members)),
              html("td", { class: "result" }, html("b", { text: row.text || "–" }), html("span", { class: "narrow" }, surety(row))),
              html("td", { class: "state" }, surety(row)),
            ),
          ),
        ),
      ),
    );
  }
}

/** A link back to the standings. */
export const back = () => button(`← ${t("view.standings")}`, () => (location.hash = "#standings"));
