/** The driver's desk: the throttle's controls, horn and lights, and who holds it. */

import { ask, dialog_open } from "./dialogs.js";
import { button, change, html } from "./dom.js";
import { refusal_line } from "./refusals.js";
import { sentence } from "./sentences.js";
import { takes_text } from "./stop.js";
import { figure, t, t_or } from "./words.js";

const LIGHTS = 0;
const HORN = 2;
const HORN_MS = 600;
const ENDS = ["from", "to"];

export class Driving {
  constructor(place, link, store, throttle, track, diagram, deeds) {
    Object.assign(this, { place, link, store, throttle, track, diagram, deeds });
    this.#build();
    throttle.addEventListener("changed", () => this.#show());
    store.view(["vehicles", "throttle", "drive", "turnouts", "functions", "mode", "you"], () => this.#show());
    addEventListener("keydown", (event) => this.#key(event));
  }

  #build() {
    const { throttle } = this;
    this.title = html("h2", { id: "driving-title" });
    this.who = html("p", { class: "quiet" });
    this.take = button("", () => this.#take(), { class: "main", id: "take" });
    this.leave = button("", () => this.link.ask("release"), { id: "leave" });
    this.ways = Object.fromEntries(ENDS.map((end) => [end, button("", () => throttle.point(end), { class: "way" })]));
    this.sides = html("div", { class: "ways", role: "group" });
    this.slider = html("input", { type: "range", id: "speed", min: 0, step: 5, input: () => throttle.set(Number(this.slider.value)) });
    this.label = html("label", { for: "speed" });
    this.slower = button("−", () => throttle.notch(-1), { class: "big" });
    this.faster = button("+", () => throttle.notch(1), { class: "big" });
    this.brake = button("", () => throttle.stop(), { class: "big brake", id: "brake" });
    this.now = html("output", { class: "now", for: "speed" });
    this.limit = html("p", { class: "limit", role: "status" });
    this.said = refusal_line();
    this.lights = button("", () => this.#function(LIGHTS, !this.#lights()), { "aria-pressed": "false" });
    this.horn = button("", () => this.#blow());
    this.desk = html(
      "div",
      { class: "desk" },
      // Together: on a phone they stay under the thumb, above the emergency stop.
      html("div", { class: "dock" }, html("div", { class: "readout" }, html("div", { class: "asked-for" }, this.label, this.now), html("div", { class: "twofold" }, this.limit, this.said)), this.sides, html("div", { class: "row throttle" }, this.slower, this.brake, this.faster)),
      html("div", { class: "speed" }, this.slider),
      html("div", { class: "row" }, this.lights, this.horn, this.leave),
    );
    this.taken = refusal_line();
    this.place.append(this.title, this.who, this.take, this.taken, this.desk);
    this.throttle.addEventListener("refused", (event) => this.deeds.answered(event.detail, this.said));
  }

  async #take() {
    const { throttle: all } = this.store.state;
    const holder = all[this.store.locomotive]?.holder;
    if (holder && !(await ask(t("take.over"), t("take.over.text", { locomotive: this.store.locomotive }), t("take.over.yes")))) return;
    this.deeds.answered(await this.link.ask("take", holder ? { steal: true } : {}), this.taken);
  }

  async #function(number, on) {
    const answer = await this.link.ask("function", { number, on });
    if (!answer.ok) this.deeds.answered(answer, this.said);
  }

  /** Whether the lights are on, whoever has switched them. */
  #lights() {
    const { functions } = this.store.state;
    return functions?.[this.store.locomotive]?.includes(LIGHTS) ?? false;
  }

  async #blow() {
    await this.#function(HORN, true);
    setTimeout(() => this.#function(HORN, false), HORN_MS);
  }

  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || dialog_open() || takes_text(event.target)) return;
    if (!this.throttle.held || event.target === this.slider) return;
    const does = {
      ArrowUp: () => this.throttle.notch(1),
      ArrowDown: () => this.throttle.notch(-1),
      ArrowLeft: () => this.throttle.point(this.#by_side()[0]),
      ArrowRight: () => this.throttle.point(this.#by_side()[1]),
    }[event.key];
    if (!does || event.target instanceof HTMLSelectElement) return;
    event.preventDefault();
    does();
  }

  /** The two ends in the order they are drawn, left one first. */
  #by_side() {
    const told = this.store.state.vehicles[this.store.locomotive];
    if (!told?.element || !this.diagram.sheet) return ENDS;
    if (this.track.is_turnout(told.element) && !told.leg) return ENDS;
    const line = this.diagram.sheet.line(told.element, told.leg);
    return line[0][0] <= line.at(-1)[0] ? ENDS : [...ENDS].reverse();
  }

  /** What lies towards an end of where the locomotive stands. */
  ahead(end) {
    const told = this.store.state.vehicles[this.store.locomotive];
    if (!told?.element || (this.track.is_turnout(told.element) && !told.leg)) return t(`end.${end}`);
    const next = this.track.beyond(told.element, told.leg, end === "to");
    return next ? next.element : t("buffer");
  }

  #show() {
    const { store, throttle, slider } = this;
    const { state } = store;
    this.place.hidden = !store.hands;
    document.body.classList.toggle("driving", store.hands && throttle.held);
    if (!state || !store.hands) return;
    const locomotive = store.locomotive;
    const { held } = throttle;
    const holder = state.throttle?.[locomotive]?.holder;
    change(this.title, { text: t("driving", { locomotive }) });
    change(this.who, { text: held ? "" : t(holder ? "held.other" : state.mode === "auto" ? "held.auto" : "held.none"), hidden: held });
    const idle = !["ready", "paused", "hand"].includes(state.mode);
    change(this.take, { text: t(holder ? "take.over" : "take"), hidden: held, disabled: idle });
    this.taken.hidden = held;
    this.desk.hidden = !held;
    const at_stand = throttle.standing;
    const order = this.#by_side();
    for (const [side, end] of order.entries()) {
      const name = t("towards", { place: this.ahead(end) });
      const text = side ? `${name} ▶` : `◀ ${name}`;
      const chosen = throttle.towards === end;
      change(this.ways[end], { text, "aria-label": name, "aria-pressed": String(chosen), "aria-disabled": String(!at_stand && !chosen) });
    }
    if (this.sides.firstChild !== this.ways[order[0]]) this.sides.replaceChildren(...order.map((end) => this.ways[end]));
    change(this.sides, { "aria-label": t("direction") });
    const { cap } = store.layout.speeds;
    change(slider, { max: cap, disabled: throttle.towards === null, "aria-valuetext": this.#speed_words(throttle.speed_mm_s) });
    if (Number(slider.value) !== throttle.speed_mm_s) slider.value = String(throttle.speed_mm_s);
    change(this.label, { text: throttle.towards === null ? t("speed.choose") : t("speed") });
    const actual = Math.abs(state.vehicles[locomotive]?.v_mm_s ?? 0);
    change(this.now, { text: t("speed.now", { wanted: figure(throttle.speed_mm_s), actual: figure(actual) }), hidden: throttle.towards === null });
    change(this.slower, { "aria-label": t("slower"), disabled: throttle.speed_mm_s === 0 });
    change(this.faster, { "aria-label": t("faster"), disabled: throttle.towards === null || throttle.speed_mm_s >= cap });
    change(this.brake, { text: t("brake") });
    const said = ["warning", "limit"].map((one) => [one, state.drive?.[one]?.why]).filter(([, why]) => why);
    change(this.limit, { text: said.map(([one, why]) => sentence(t(one, { why }))).join(" ") });
    change(this.lights, { text: t("lights"), "aria-pressed": String(this.#lights()) });
    change(this.horn, { text: t("horn") });
    change(this.leave, { text: t("leave"), disabled: !at_stand });
  }

  #speed_words(speed) {
    const names = Object.entries(this.store.layout.speeds).filter(([name, one]) => one === speed && name !== "cap");
    const named = names.length ? t_or(`speed.${names[0][0]}`, "") : "";
    return [t("speed.value", { speed: figure(speed) }), named].filter(Boolean).join(", ");
  }
}
