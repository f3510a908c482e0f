/** The position in words: a table that is always up to date, and a live region that tells changes calmly. */

import { called } from "./board.js";
import { lie_words } from "./lies.js";
import { html, refill } from "./dom.js";
import { photo } from "./photos.js";
import { standing } from "./position.js";
import { spoken_language, t } from "./words.js";

const APART_MS = 1500;

export class WordsOfPosition {
  #last = {};
  #waiting = [];
  #timer = null;

  constructor(place, live, store) {
    Object.assign(this, { place, live, store });
    store.view(["vehicles", "turnouts", "beams", "magnets", "route", "mode", "halted", "puzzle"], (state) => this.#show(state));
  }

  #where({ element, leg }) {
    return leg ? t("place.turnout", { name: element, leg: t(`${leg}.short`) }) : element;
  }

  #show(state) {
    const { layout } = this.store;
    const rows = standing(layout, state.vehicles).map((row) => [
      this.#where(row),
      row.vehicles.map((name) => called(layout, name)).join(", ") || t("empty"),
    ]);
    if (!Object.keys(state.vehicles).length) rows.splice(0, rows.length, [t("place.all"), t("place.none")]);
    const lost = Object.keys(layout.vehicles).filter((name) => name in state.vehicles && !state.vehicles[name].element);
    if (lost.length) rows.push([t("place.unknown"), lost.map((name) => called(layout, name)).join(", ")]);
    const turnouts = Object.keys(layout.turnouts).map((name) => lie_words(name, state.turnouts[name]));
    const broken = Object.keys(state.beams).filter((name) => state.beams[name]);
    const beams = broken.length ? t("beams.broken", { names: broken.join(", ") }) : t("beams.free");
    const route = (state.route ?? []).map((one) => this.#where(one)).join(", ");
    const pictured = this.#pictured(state);
    const made_from = [rows, turnouts, beams, route, spoken_language()];
    refill(this.place, made_from, () => [
      html("h2", { id: "position-title", text: t("position") }),
      html(
        "table",
        {},
        html("thead", {}, html("tr", {}, html("th", { scope: "col", text: t("track") }), html("th", { scope: "col", text: t("stands") }))),
        html("tbody", {}, ...rows.map(([where, who]) => html("tr", {}, html("th", { scope: "row", text: where }), html("td", {}, ...(pictured[where] ?? [who]))))),
      ),
      html("ul", {}, ...turnouts.map((text) => html("li", { text })), html("li", { text: beams })),
      route ? html("p", { text: t("route", { route }) }) : null,
    ]);
    this.#tell(state, rows);
  }

  /** What stands in each row in which the club has photographs: each before the name of its vehicle. */
  #pictured(state) {
    const { layout } = this.store;
    const rows = standing(layout, state.vehicles).filter(({ vehicles }) => vehicles.some((name) => layout.vehicles[name]?.photo));
    return Object.fromEntries(
      rows.map((row) => [
        this.#where(row),
        row.vehicles.flatMap((name, i) => [i ? ", " : "", photo(layout, name, { named: true }), called(layout, name)]),
      ]),
    );
  }

  #tell(state, rows) {
    const moving = Object.values(state.vehicles).some((one) => one.v_mm_s);
    const now = {
      mode: t(`mode.${state.mode}`),
      halted: state.halted ? t("halted", { why: state.halted.why }) : "",
      // Told at a stand: while all moves it would never be silent.
      position: moving ? this.#last.position : rows.map((row) => row.join(": ")).join("; "),
      ...Object.fromEntries(Object.entries(state.turnouts).map(([name, one]) => [`turnout ${name}`, lie_words(name, one)])),
    };
    const first = this.#last.mode === undefined || this.#last.language !== spoken_language();
    for (const [key, text] of Object.entries(now)) {
      if (!first && text && text !== this.#last[key]) {
        this.#waiting = this.#waiting.filter((one) => one.key !== key);
        this.#waiting.push({ key, text });
      }
    }
    this.#last = { ...now, language: spoken_language() };
    if (this.#waiting.length && this.#timer === null) this.#timer = setTimeout(() => this.#speak(), APART_MS);
  }

  // What has come in the meantime is told together, the newest of each.
  #speak() {
    this.#timer = null;
    this.live.textContent = this.#waiting.map((one) => one.text).join(". ");
    this.#waiting = [];
  }
}
