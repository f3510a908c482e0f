/** The standings for a hall: large, page by page by itself, and nothing to press but keys. */

import { change, html, refill } from "../dom.js";
import { spoken_language, t } from "../words.js";
import { for_a_wall } from "./order.js";
import { rank_text, remarks, round_rules, running_clock, surety, who } from "./standings.js";

const PAGE_MS = 12000;
const TICK_MS = 250;
/** A row's height in the letters of the hall, with what stands around the rows. */
const ROW_EM = 2.2;
const AROUND_EM = 8.6;
/** Above the standings there is room for so many who are playing. */
const MOST_PLAYING = 2;

export class Hall {
  paused = false;
  #at = 0;
  #shown_ms = 0;
  #timer = null;
  #pages = [];

  constructor(place, evening) {
    Object.assign(this, { place, evening });
    this.body = html("div", { class: "hall-page" });
    this.bar = html("div", { class: "hall-bar" });
    this.foot = html("p", { class: "hall-foot" });
    this.now = html("div", { class: "hall-now" });
    place.append(this.now, this.body, html("div", { class: "hall-progress", "aria-hidden": "true" }, this.bar), this.foot);
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("resize", () => this.#timer !== null && this.show());
  }

  show() {
    if (this.#timer === null) {
      let last = performance.now();
      this.#timer = setInterval(() => {
        const now = performance.now();
        this.#tick(now - last);
        last = now;
      }, TICK_MS);
    }
    this.#pages = this.#made();
    this.#at = Math.min(this.#at, this.#pages.length - 1);
    this.#draw();
  }

  left() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#shown_ms = 0;
  }

  /** How many rows a screen has room for. */
  get #rows() {
    const em = parseFloat(getComputedStyle(document.documentElement).fontSize);
    return Math.max(3, Math.floor((window.innerHeight / em - AROUND_EM) / ROW_EM));
  }

  #made() {
    const { rounds, overall } = this.evening.view;
    const pages = [];
    const in_pages = (title, sub, rows, key, certain) => {
      const most = this.#rows;
      for (let i = 0; i < Math.max(1, rows.length); i += most) pages.push({ key: `${key} ${i}`, title, sub, certain, rows: rows.slice(i, i + most) });
    };
    // What lies back is on the sheets at the wall.
    for (const round of for_a_wall(rounds)) in_pages(round.title, round_rules(round), round.standing.rows, round.id, round.standing.certain);
    if (rounds.length > 1) {
      for (const { category, rows } of overall) if (rows.length) in_pages(category ? t("overall.of", { category }) : t("overall"), "", rows, `overall ${category}`, rows.every(({ certain }) => certain));
    }
    if (!pages.length) pages.push({ key: "none", title: this.evening.view.title, sub: t("standings.none"), rows: [] });
    return pages;
  }

  #draw() {
    const page = this.#pages[this.#at];
    const { entrants, attempts } = this.evening.view;
    const playing = attempts.filter(({ phase }) => phase !== "ended").slice(0, MOST_PLAYING);
    refill(this.now, [playing, entrants, spoken_language()], () => playing.map((one) => this.#playing(one)));
    refill(this.body, [page, entrants, spoken_language()], () => [
      html("h2", {}, page.title, page.certain === undefined ? null : html("span", { class: `surety ${page.certain ? "certain" : "open"}`, text: t(page.certain ? "row.certain" : "round.open") })),
      html("p", { class: "hall-sub", text: page.sub }),
      html("ol", { class: "hall-rows" }, ...page.rows.map((row) => this.#row(row))),
    ]);
    const next = this.#pages[(this.#at + 1) % this.#pages.length];
    const where = t("hall.page", { page: this.#at + 1, pages: this.#pages.length });
    const what = this.paused ? t("hall.paused") : this.#pages.length > 1 ? t("hall.next", { title: next.title }) : "";
    change(this.foot, { text: [where, what, t("hall.keys")].filter(Boolean).join(" · ") });
    document.documentElement.classList.toggle("hall-paused", this.paused);
    this.#progress();
  }

  #playing({ id, entrant, phase }) {
    return html("p", {}, html("span", { text: t(`phase.${phase}`) }), who(this.evening, entrant), running_clock(this.evening, id));
  }

  #row(row) {
    return html(
      "li",
      { class: row.certain ? "is-certain" : "is-open" },
      html("span", { class: "rank", text: rank_text(row) }),
      who(this.evening, row.entrant, row.members),
      html("span", { class: "remarks" }, ...remarks({ ...row, origin: "seen" })),
      html("b", { class: "result", text: row.text || "–" }),
      surety(row),
    );
  }

  #tick(by_ms) {
    if (this.paused || this.#pages.length < 2) return;
    this.#shown_ms += by_ms;
    if (this.#shown_ms >= PAGE_MS) this.go(1);
    else this.#progress();
  }

  // As text for who wants no motion, as a bar else.
  #progress() {
    this.bar.style.setProperty("--share", String(this.#pages.length > 1 ? this.#shown_ms / PAGE_MS : 0));
  }

  /** So many pages on, or back. */
  go(by) {
    const count = this.#pages.length;
    this.#at = (this.#at + by + count) % count;
    this.#shown_ms = 0;
    this.#draw();
  }

  #key(event) {
    if (this.#timer === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === "p") {
      this.paused = !this.paused;
      this.#draw();
    } else if (key === "ArrowRight" || key === "PageDown") this.go(1);
    else if (key === "ArrowLeft" || key === "PageUp") this.go(-1);
    else if (key === "Escape") location.hash = "#standings";
    else return;
    event.preventDefault();
  }
}
