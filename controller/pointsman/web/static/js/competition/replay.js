/** An attempt step by step beside the fewest moves that its draw can be solved with. */

import { board } from "../board.js";
import { Diagram } from "../diagram.js";
import { button, change, html, refill } from "../dom.js";
import { read } from "../position.js";
import { reason } from "../sentences.js";
import { Store } from "../store.js";
import { Track } from "../track.js";
import { figure, spoken_language, t, t_or } from "../words.js";
import { asked_replay, clock_text } from "./evening.js";
import { back, who } from "./standings.js";

const STEP_MS = 1400;

/** Vehicles where a position has them: in a segment pushed up to the points it leads to, one after the other. */
export function stood(layout, text) {
  const { segments, turnouts } = read(layout, text);
  const vehicles = {};
  const put = (name, element, leg, at_mm) => (vehicles[name] = { element, leg, at_mm, error_mm: 0, v_mm_s: 0 });
  for (const [name, row] of Object.entries(segments)) {
    const its = layout.segments[name];
    const long = (vehicle) => layout.vehicles[vehicle]?.length_mm ?? 0;
    const whole = row.reduce((sum, one) => sum + long(one), 0);
    let at = its.from ? 4 : Math.max(4, its.length_mm - 4 - whole);
    for (const one of row) {
      put(one, name, null, at + long(one) / 2);
      at += long(one);
    }
  }
  for (const [name, { vehicle, leg }] of Object.entries(turnouts)) {
    const its = layout.turnouts[name];
    if (its) put(vehicle, name, leg, (its.through_mm?.[leg] ?? its.length_mm) / 2);
  }
  return vehicles;
}

/** One diagram with its steps: play, pause, a slider, and the words of the step. */
class Strip {
  #at = 0;
  #timer = null;

  constructor(layout, title, steps) {
    this.steps = steps;
    this.layout = layout;
    this.store = new Store();
    this.store.layout = layout;
    this.picture = html("div", { class: "track-diagram", "aria-hidden": "true" });
    this.words = html("p", { class: "step", "aria-live": "polite" });
    this.standing = html("div", { class: "unseen" });
    this.play = button("", () => (this.#timer ? this.pause() : this.start()), { class: "main" });
    this.slider = html("input", { type: "range", min: 0, max: Math.max(0, steps.length - 1), step: 1, value: 0, "aria-label": t("replay.step", { title }), input: () => (this.pause(), this.go(Number(this.slider.value))) });
    const by = (step) => () => (this.pause(), this.go(this.#at + step));
    this.node = html(
      "section",
      { class: "card strip" },
      html("h3", { text: title }),
      this.picture,
      this.words,
      html("div", { class: "row" }, this.play, button("←", by(-1), { "aria-label": t("replay.back") }), this.slider, button("→", by(1), { "aria-label": t("replay.on") })),
      this.standing,
    );
    this.#show_play();
  }

  /** Draws, once the node has its place. */
  begin() {
    new Diagram(this.picture, html("p"), this.store, new Track(this.layout), {});
    this.store.whole({ ...nothing(this.layout), vehicles: {} });
    this.go(0);
  }

  go(to) {
    const last = this.steps.length - 1;
    this.#at = Math.max(0, Math.min(last, to));
    const step = this.steps[this.#at];
    if (!step) return;
    this.slider.value = this.#at;
    change(this.slider, { "aria-valuetext": `${this.#at + 1} / ${last + 1}` });
    const when = step.t_s === undefined ? "" : `${clock_text(step.t_s * 1000, 0)} · `;
    change(this.words, { text: `${this.#at + 1}/${last + 1} · ${when}${step.text}` });
    this.store.changed({ vehicles: stood(this.layout, step.position) });
    refill(this.standing, step.position, () => board(this.layout, read(this.layout, step.position)));
    if (this.#at === last) this.pause();
  }

  start() {
    if (this.#at >= this.steps.length - 1) this.go(0);
    this.#timer = setInterval(() => (this.node.isConnected ? this.go(this.#at + 1) : this.pause()), STEP_MS);
    this.#show_play();
  }

  pause() {
    clearInterval(this.#timer);
    this.#timer = null;
    this.#show_play();
  }

  #show_play() {
    change(this.play, { text: this.#timer ? `❚❚ ${t("replay.pause")}` : `▶ ${t("replay.play")}` });
  }
}

/** What a diagram is told of a layout on which nothing is known to move. */
const nothing = (layout) => ({
  mode: "solved",
  turnouts: {},
  beams: Object.fromEntries(Object.keys(layout.beams).map((name) => [name, false])),
  magnets: {},
  route: [],
});

export class Replay {
  #asked = null;

  constructor(place, evening) {
    Object.assign(this, { place, evening });
    this.body = html("div", { class: "stack replay" });
    place.append(this.body);
  }

  /** Shows an attempt; asks for its steps once. */
  async show(id) {
    const key = `${id} ${spoken_language()}`;
    if (this.#asked === key) return;
    this.#asked = key;
    const attempt = this.evening.attempt(id);
    refill(this.body, `waiting ${key}`, () => [back(), html("p", { text: t("waiting.server") })]);
    const [answer, layout] = await Promise.all([
      asked_replay(this.evening, id),
      attempt ? this.evening.layout(attempt.round) : null,
    ]);
    if (this.#asked !== key) return;
    if (!answer.ok || !layout) {
      this.#asked = null;
      refill(this.body, [key, answer], () => [back(), html("p", { class: "refused", role: "alert" }, ...reason(answer.ok ? { why: null } : answer))]);
      return;
    }
    const strips = [new Strip(layout, t("replay.attempt"), answer.steps)];
    if (answer.plan?.length) {
      // Its runs say what stands where after them: before the first is what was set up.
      const plan = [{ text: t("replay.start"), position: answer.steps[0]?.position ?? attempt.start ?? "" }, ...answer.plan];
      strips.push(new Strip(layout, t("replay.optimum", { par: figure(answer.par), count: t_or(`count.${answer.count}`, answer.count) }), plan));
    }
    refill(this.body, key, () => [
      html("div", { class: "row" }, back(), html("h2", { tabindex: "-1" }, t("replay.title"), " ", who(this.evening, attempt.entrant))),
      html("div", { class: "strips" }, ...strips.map(({ node }) => node)),
    ]);
    for (const strip of strips) strip.begin();
  }

  left() {
    this.#asked = null;
    refill(this.body, "", () => []);
  }
}
