/** Vehicles on the diagram: where they are told to be, moved on between messages, and how surely that is known. */

import { svg } from "./dom.js";
import { leg_of } from "./lies.js";
import { silhouette } from "./shapes.js";

const GLIDE_MS = 180;
const LEAST_ERROR_MM = 2;

/** From one end of a line to the other. */
const span = (line) => Math.hypot(line[0][0] - line.at(-1)[0], line[0][1] - line.at(-1)[1]);

export class Trains {
  #drawn = {};
  #heard_ms = 0;
  #frame = null;
  #sheet = null;
  #layer = null;
  #bars = null;
  #least = 1;

  constructor(store, track) {
    Object.assign(this, { store, track });
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
  }

  /** Pixels from the rail to a wagon's roof. */
  height(sheet) {
    const { layout } = this.store;
    const longest = Math.max(...Object.values(layout.vehicles).map((vehicle) => vehicle.length_mm));
    const widths = Object.entries(layout.segments).map(([name, segment]) => (span(sheet.line(name)) / segment.length_mm) * longest);
    const [share, most] = this.store.hall ? [0.56, 90] : [0.42, 62];
    return Math.max(16, Math.min(sheet.row * share, most, Math.min(...widths) * 0.72));
  }

  draw(layer, sheet) {
    this.#layer = layer;
    this.#sheet = sheet;
    const scales = Object.entries(this.store.layout.segments).map(([name, { length_mm }]) => span(sheet.line(name)) / length_mm);
    this.#least = Math.min(...scales);
    this.#drawn = {};
    this.#bars = svg("g", { class: "errors" });
    layer.replaceChildren(this.#bars);
    if (this.store.state) this.heard(this.store.state);
  }

  /** Takes over what was just told. */
  heard(state) {
    if (!this.#layer) return;
    const now = performance.now();
    this.#heard_ms = now;
    const lost = new Set(Object.keys(this.#drawn));
    for (const [name, told] of Object.entries(state.vehicles)) {
      if (!told.element || !(name in this.store.layout.vehicles)) continue;
      if (this.track.is_turnout(told.element) && !told.leg) continue;
      lost.delete(name);
      const drawn = (this.#drawn[name] ??= this.#made(name));
      // What the picture was ahead or behind shrinks to nothing in a moment, instead of a jump.
      const same = drawn.told && drawn.told.element === told.element && drawn.told.leg === told.leg;
      drawn.ahead_mm = same && !this.still.matches ? this.#shown_mm(drawn, now) - told.at_mm : 0;
      drawn.told = told;
      drawn.since = now;
    }
    for (const name of lost) {
      this.#drawn[name].node.remove();
      this.#drawn[name].bar.remove();
      delete this.#drawn[name];
    }
    this.#paint(now);
  }

  #made(name) {
    const node = svg("g", { class: `vehicle${this.store.layout.vehicles[name].locomotive ? " locomotive" : ""}` });
    const bar = svg("polyline", { class: "error" });
    this.#bars.append(bar);
    this.#layer.append(node);
    return { name, node, bar, wide: 0, told: null, ahead_mm: 0, since: 0 };
  }

  /** Where along its told element a vehicle is shown: never farther from what was told than the error allows. */
  #shown_mm({ told, ahead_mm, since }, now) {
    if (this.still.matches) return told.at_mm;
    const moved = (told.v_mm_s * (now - since)) / 1000;
    const glide = ahead_mm * Math.max(0, 1 - (now - since) / GLIDE_MS);
    return told.at_mm + Math.max(-told.error_mm, Math.min(told.error_mm, moved + glide));
  }

  #paint(now) {
    let moving = false;
    for (const drawn of Object.values(this.#drawn)) {
      this.#place(drawn, now);
      const { told, ahead_mm, since } = drawn;
      const moved = (Math.abs(told.v_mm_s) * (now - since)) / 1000;
      moving ||= (told.v_mm_s !== 0 && moved < told.error_mm) || (ahead_mm !== 0 && now - since < GLIDE_MS);
    }
    if (moving && !this.still.matches && this.#frame === null) {
      this.#frame = requestAnimationFrame((at) => {
        this.#frame = null;
        this.#paint(Math.max(at, this.#heard_ms));
      });
    }
  }

  #place(drawn, now) {
    const { told, name } = drawn;
    const vehicle = this.store.layout.vehicles[name];
    const lies = (turnout) => leg_of(this.store.state.turnouts[turnout]);
    const at = { element: told.element, leg: told.leg ?? null, at_mm: told.at_mm };
    const middle = this.#shown_mm(drawn, now) - told.at_mm;
    const point = (by_mm) => this.#sheet.point(this.track, this.track.along(at, by_mm, lies));
    const ends = [point(middle - vehicle.length_mm / 2), point(middle + vehicle.length_mm / 2)];
    const [left, right] = ends[0][0] <= ends[1][0] ? ends : [ends[1], ends[0]];
    const wide = Math.round(Math.hypot(right[0] - left[0], right[1] - left[1]));
    if (drawn.wide !== wide) {
      drawn.wide = wide;
      const tall = this.height(this.#sheet);
      // Tracks are drawn at scales of their own: a body has the same length on all of them, its couplers are drawn out.
      const body = Math.min(wide, this.#least * vehicle.length_mm) * 0.95;
      const couplers = svg("path", { class: "couplers", d: `M${-wide / 2} ${-tall * 0.24}H${wide / 2}` });
      drawn.node.replaceChildren(couplers, ...silhouette(name, vehicle, Math.max(body, 6), tall).filter(Boolean));
    }
    const angle = (Math.atan2(right[1] - left[1], right[0] - left[0]) * 180) / Math.PI;
    const [x, y] = [(left[0] + right[0]) / 2, (left[1] + right[1]) / 2];
    drawn.node.setAttribute("transform", `translate(${x.toFixed(2)} ${y.toFixed(2)}) rotate(${angle.toFixed(2)}) translate(0 -2)`);
    drawn.node.classList.toggle("moving", told.v_mm_s !== 0);
    this.#show_error(drawn, point, vehicle.length_mm / 2);
  }

  #show_error({ bar, told }, point, half) {
    const error = told.error_mm;
    bar.classList.toggle("shown", error >= LEAST_ERROR_MM);
    if (error < LEAST_ERROR_MM) return;
    const reach = half + error;
    const stops = [-reach, -half, 0, half, reach].map((by) => point(by).map((one) => one.toFixed(1)).join(","));
    bar.setAttribute("points", stops.join(" "));
    bar.setAttribute("stroke-width", Math.max(9, this.#sheet.row * 0.17));
  }
}
