/** The track diagram: lines, turnouts and magnets as controls, beams, labels, the route of the next move. */

import { change, html, refill, svg } from "./dom.js";
import { MARKS, leg_of, lie_words, other_leg } from "./lies.js";
import { Sheet } from "./track.js";
import { Trains } from "./trains.js";
import { t } from "./words.js";

const LEGS = ["closed", "thrown"];

export class Diagram {
  #sheet = null;
  #nodes = {};

  /** `deeds.turnout(name, leg)` and `deeds.uncouple(name)` are what the controls do. */
  constructor(place, legend, store, track, deeds) {
    Object.assign(this, { place, legend, store, track, deeds });
    this.trains = new Trains(store, track);
    new ResizeObserver(() => this.#sized()).observe(place);
    document.addEventListener("arranged", () => this.#sized());
    store.view(["you", "mode"], () => this.#sheet && this.#sized());
    store.view(["turnouts", "beams", "magnets", "route", "mode", "you", "refusal"], () => this.#sheet && this.#show());
    store.view(["vehicles"], (state) => this.#sheet && this.trains.heard(state));
  }

  get sheet() {
    return this.#sheet;
  }

  #sized() {
    const width = this.place.clientWidth;
    const { drives, hall, state } = this.store;
    // The letters of a hall are large, and the diagram fills what there is.
    const em = hall ? 1 : parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    const levels = new Sheet(this.store.layout, width, 1).levels.length;
    // A screen that is only looked at has more of it.
    // What is to be set up is asked below it.
    const asked = state?.mode === "dealt" || document.body.classList.contains("putting-right");
    const most = hall ? Infinity : 150 * em;
    const share = hall ? 0.52 : !drives ? 0.5 : asked ? 0.28 : 0.44;
    const wished = Math.min(window.innerHeight * share, hall ? Infinity : 700) / (levels + 0.35);
    const row = Math.max((width < 600 || asked ? 62 : 78) * em, Math.min(wished, most));
    if (this.#sheet && this.#sheet.width === width && this.#sheet.row === row) return;
    this.#sheet = new Sheet(this.store.layout, width, row);
    // A high one would leave nothing of the screen for what is scrolled below it.
    document.documentElement.classList.toggle("low-diagram", this.#sheet.height < window.innerHeight * 0.48);
    this.#draw();
    if (!this.store.state) return;
    this.#show();
    this.place.dispatchEvent(new CustomEvent("drawn"));
  }

  #draw() {
    const { layout } = this.store;
    const sheet = this.#sheet;
    const layers = Object.fromEntries(
      ["route", "lines", "arrows", "lamps", "labels", "trains", "controls"].map((name) => [name, svg("g", { class: name })]),
    );
    for (const name of ["route", "lines", "arrows", "lamps", "labels", "trains"]) layers[name].setAttribute("aria-hidden", "true");
    const picture = svg(
      "svg",
      { width: sheet.width, height: sheet.height, viewBox: `0 0 ${sheet.width} ${sheet.height}`, role: "group" },
      ...Object.values(layers),
    );
    this.#nodes = { picture, layers, legs: {}, turnouts: {}, beams: {}, magnets: {} };
    for (const name of Object.keys(layout.turnouts)) this.#draw_turnout(name);
    for (const name of Object.keys(layout.segments)) this.#draw_segment(name);
    for (const [name, beam] of Object.entries(layout.beams)) this.#draw_beam(name, beam);
    for (const [name, magnet] of Object.entries(layout.magnets)) this.#draw_magnet(name, magnet);
    const focused = this.place.contains(document.activeElement) ? document.activeElement.getAttribute("data-key") : null;
    this.place.replaceChildren(picture);
    if (focused) picture.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
    this.trains.draw(layers.trains, sheet);
  }

  get #width() {
    return Math.max(3, Math.min(7, this.#sheet.row * 0.062));
  }

  get #text() {
    const { hall } = this.store;
    return Math.max(12, Math.min(hall ? 44 : 20, this.#sheet.row * (hall ? 0.31 : 0.165)));
  }

  /** Whether there is no room for words beside the turnouts: their lines and marks say it, and the levers. */
  get #narrow() {
    return this.store.hall || this.#sheet.unit < 24;
  }

  #draw_segment(name) {
    const { lines, labels } = this.#nodes.layers;
    const segment = this.store.layout.segments[name];
    const points = this.#sheet.line(name);
    lines.append(svg("polyline", { class: "rail", points: points.join(" "), "stroke-width": this.#width }));
    for (const [joint, [x, y]] of [[segment.from, points[0]], [segment.to, points.at(-1)]]) {
      if (joint) continue;
      const [tall, deep] = [this.#width * 2.1, this.#width * 1.6];
      const inward = x === Math.max(points[0][0], points.at(-1)[0]) ? -1 : 1;
      lines.append(
        svg("path", {
          class: "buffer",
          d: `M${x} ${y - tall}V${y + tall}M${x + inward * deep} ${y - tall * 0.8}H${x}M${x + inward * deep} ${y + tall * 0.8}H${x}`,
          "stroke-width": this.#width * 0.9,
        }),
      );
    }
    // At the end away from the points, below the line; in the middle where both ends meet some.
    const [first, last] = [points[0], points.at(-1)].sort((a, b) => a[0] - b[0]);
    const free_left = !(first === points[0] ? segment.from : segment.to);
    const free_right = !(last === points[0] ? segment.from : segment.to);
    // Clear of the buffer stop.
    const aside = this.#width * 1.6 + 8;
    const [x, anchor] = free_right
      ? [last[0] - aside, "end"]
      : free_left
        ? [first[0] + aside, "start"]
        : [(first[0] + last[0]) / 2, "middle"];
    labels.append(
      svg("text", {
        class: "label segment",
        x,
        y: last[1] + this.#width + this.#text * 1.15,
        "text-anchor": anchor,
        "font-size": this.#text,
        text: name,
      }),
    );
  }

  #draw_turnout(name) {
    const { lines, labels, controls } = this.#nodes.layers;
    const { draw } = this.store.layout.turnouts[name];
    const sheet = this.#sheet;
    const toe = sheet.pixel(draw.toe);
    const legs = Object.fromEntries(LEGS.map((leg) => [leg, sheet.pixel(draw[leg])]));
    const parts = {};
    for (const leg of LEGS) {
      const [x, y] = legs[leg];
      parts[leg] = svg("path", { class: "leg", d: `M${toe}L${x} ${y}`, "stroke-width": this.#width });
      // What was asked for and is not so yet: a hollow arrow head on that leg.
      const angle = (Math.atan2(y - toe[1], x - toe[0]) * 180) / Math.PI;
      parts[`${leg}-asked`] = svg("path", {
        class: "asked",
        transform: `translate(${toe[0] + (x - toe[0]) * 0.72} ${toe[1] + (y - toe[1]) * 0.72}) rotate(${angle})`,
        d: `M-7 ${-this.#width - 4}L7 0L-7 ${this.#width + 4}`,
      });
      lines.append(parts[leg], parts[`${leg}-asked`]);
    }
    parts.points = svg("circle", { class: "points", cx: toe[0], cy: toe[1], r: this.#width * 1.05 });
    lines.append(parts.points);

    const rightward = (legs.closed[0] + legs.thrown[0]) / 2 >= toe[0];
    const upward = Math.min(legs.closed[1], legs.thrown[1]) < toe[1] - 1;
    const with_legs = upward ? !rightward : rightward;
    parts.label = svg("text", {
      class: "label turnout",
      x: toe[0] + (with_legs ? -this.#width : this.#width),
      y: toe[1] - this.trains.height(sheet) - this.#width - this.#text * 0.35,
      "text-anchor": with_legs ? "start" : "end",
      "font-size": this.#text,
    });
    labels.append(parts.label);

    const middle = [(2 * toe[0] + legs.closed[0] + legs.thrown[0]) / 4, (2 * toe[1] + legs.closed[1] + legs.thrown[1]) / 4];
    const wide = Math.max(44, Math.abs(legs.thrown[0] - toe[0]) * 0.8);
    const high = Math.max(44, Math.min(Math.abs(legs.thrown[1] - toe[1]) * 0.8, sheet.row * 0.8));
    parts.control = this.#control(`turnout-${name}`, middle, wide, high, () => {
      const turnout = this.store.state.turnouts[name];
      this.deeds.turnout(name, other_leg(turnout));
    });
    controls.append(parts.control);
    this.#nodes.turnouts[name] = parts;
  }

  #draw_beam(name, { element, leg, at_mm }) {
    const [x, y] = this.#sheet.point(this.track, { element, leg, at_mm });
    const r = Math.max(4.5, this.#width * 1.05);
    const lamp = svg("g", { class: "beam" }, svg("path", { d: `M${x} ${y - this.#width}V${y + this.#width + r}` }));
    lamp.append(svg("circle", { cx: x, cy: y + this.#width + 2 * r, r }));
    this.#nodes.layers.lamps.append(lamp);
    this.#nodes.beams[name] = lamp;
  }

  #draw_magnet(name, { element, leg, at_mm }) {
    const { layout } = this.store;
    const [x, y] = this.#sheet.point(this.track, { element, leg, at_mm });
    // Beside the lamp of a beam at the same place, farther into the segment.
    const inward = leg === null || leg === undefined ? Math.sign(this.#inside(element, at_mm) - x) || 1 : 1;
    const half = Math.max(5.5, this.#width * 1.15);
    const crowded = Object.values(layout.beams).some(
      (beam) => Math.hypot(...this.#sheet.point(this.track, beam).map((one, i) => one - [x, y][i])) < 4 * half,
    );
    const cx = crowded ? x + inward * 3.2 * half : x;
    const cy = y + this.#width + 2.1 * half;
    const shape = svg("path", {
      class: "magnet",
      d: `M${cx - half} ${cy - half}V${cy}A${half} ${half} 0 0 0 ${cx + half} ${cy}V${cy - half}`,
      "stroke-width": half * 0.75,
    });
    this.#nodes.layers.lamps.append(shape);
    const control = this.#control(`magnet-${name}`, [cx + inward * 10, cy + 4], 44, 44, () => this.deeds.uncouple(name));
    this.#nodes.layers.controls.append(control);
    this.#nodes.magnets[name] = { shape, control };
  }

  #inside(element, at_mm) {
    const length = this.track.length_mm(element, null);
    return this.#sheet.point(this.track, { element, leg: null, at_mm: at_mm < length / 2 ? length : 0 })[0];
  }

  #control(key, [x, y], wide, high, press) {
    const node = svg(
      "g",
      { class: "control", role: "button", "data-key": key },
      svg("rect", { x: x - wide / 2, y: y - high / 2, width: wide, height: high, rx: 8 }),
    );
    const able = () => this.store.hands;
    node.addEventListener("click", () => able() && press());
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      if (able() && !event.repeat) press();
    });
    return node;
  }

  #show() {
    const { state } = this.store;
    const { picture, turnouts, beams, magnets, layers } = this.#nodes;
    picture.setAttribute("aria-label", t("diagram"));
    for (const [name, parts] of Object.entries(turnouts)) this.#show_turnout(name, parts, state.turnouts[name]);
    for (const [name, lamp] of Object.entries(beams)) change(lamp, { class: `beam${state.beams[name] ? " broken" : ""}` });
    for (const [name, { shape, control }] of Object.entries(magnets)) {
      const on = state.magnets[name]?.on ?? false;
      change(shape, { class: `magnet${on ? " on" : ""}` });
      this.#offer(control, t("magnet.control", { name, on: t(on ? "on" : "off") }));
    }
    refill(layers.route, [state.route, this.#sheet.width, this.#sheet.row], () => this.#route(state.route ?? []));
    this.#show_legend(state);
    this.trains.heard(state);
  }

  #show_turnout(name, parts, turnout) {
    const leg = leg_of(turnout);
    const surety = turnout?.surety ?? "unknown";
    for (const one of LEGS) {
      const solid = one === leg && (surety === "seen" || surety === "assumed");
      change(parts[one], { class: `leg ${solid ? "lies" : "idle"} ${surety}` });
      const wanted = turnout?.commanded === one && surety !== "assumed" && (surety === "moving" || turnout.reported !== one);
      change(parts[`${one}-asked`], { class: `asked${wanted ? " shown" : ""}` });
    }
    // The whole line over the broken one where both share pixels.
    if (leg) parts[leg].parentNode.insertBefore(parts[leg === "closed" ? "thrown" : "closed"], parts[leg]);
    change(parts.points, { class: `points ${surety}` });
    const differs = surety === "seen" && turnout.commanded && turnout.commanded !== leg;
    const lie = this.#narrow ? MARKS[surety] : MARKS[surety] + (leg ? t(`${leg}.short`) : "");
    const asked = differs ? (this.#narrow ? "≠" : ` ≠ ${t(`${turnout.commanded}.short`)}`) : "";
    change(parts.label, { text: `${name} ${lie}${asked}`.trim(), class: `label turnout ${differs ? "moving" : surety}` });
    const other = other_leg(turnout);
    this.#offer(parts.control, `${lie_words(name, turnout)}. ${this.store.hands ? t("turnout.set", { leg: t(other) }) : ""}`.trim());
  }

  /** A control is a button for those who may use it, a picture with a name for the others. */
  #offer(control, label) {
    const able = this.store.hands;
    change(control, { role: able ? "button" : "img", tabindex: able ? "0" : null, "aria-label": label });
  }

  #route(route) {
    const made = route
      .filter(({ element, leg }) => element in this.store.layout.segments || leg)
      .map(({ element, leg }) => this.#sheet.line(element, leg));
    const wide = this.#width * 3;
    const arrows = [];
    const drawn = made.map((points) => svg("polyline", { points: points.join(" "), "stroke-width": wide }));
    // Arrows on the turnouts, where hardly anything stands, and on the last track.
    const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    for (const [i, line] of made.entries()) {
      if (i === 0) continue;
      const near = (point) => Math.min(...[made[i - 1][0], made[i - 1].at(-1)].map((one) => distance(one, point)));
      const [from, to] = near(line[0]) <= near(line.at(-1)) ? [line[0], line.at(-1)] : [line.at(-1), line[0]];
      const share = i === made.length - 1 ? 0.86 : 0.56;
      const [x, y] = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
      const angle = (Math.atan2(to[1] - from[1], to[0] - from[0]) * 180) / Math.PI;
      const size = wide * 0.62;
      const shape = `M${-size} ${-size * 1.15}L${size} 0L${-size} ${size * 1.15}Z`;
      arrows.push(svg("path", { class: "arrow", transform: `translate(${x} ${y}) rotate(${angle})`, d: shape }));
    }
    this.#nodes.layers.arrows.replaceChildren(...arrows);
    return drawn;
  }

  #show_legend(state) {
    const sureties = new Set(Object.values(state.turnouts).map((one) => one.surety));
    const entries = [
      ["○", "legend.beam"],
      Object.values(state.beams).some(Boolean) && ["●", "legend.broken"],
      Object.keys(this.store.layout.magnets).length && ["∪", "legend.magnet"],
      sureties.has("assumed") && ["~", "legend.assumed"],
      sureties.has("moving") && ["»", "legend.moving"],
      sureties.has("unknown") && ["?", "legend.unknown"],
      state.route?.length && ["▶", "legend.route"],
      ["▬", "legend.error"],
    ].filter(Boolean);
    refill(this.legend, [entries, t("legend.beam")], () =>
      entries.map(([sign, key]) => html("span", {}, html("b", { text: sign, "aria-hidden": "true" }), ` ${t(key)}`)),
    );
  }
}
