/** The reason for a refusal, at the place on the diagram that it concerns. */

import { button, html } from "./dom.js";
import { reason } from "./sentences.js";
import { t } from "./words.js";

const APART_PX = 18;

/** How many square pixels two boxes (`{left, top, right, bottom}`) share. */
function shared(a, b) {
  const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, wide) * Math.max(0, high);
}

export class Callouts {
  #shown = null;

  constructor(place, diagram, store) {
    Object.assign(this, { place, diagram, store });
    place.addEventListener("drawn", () => this.#show());
  }

  /** Shows a refusal until it is cleared, or closed by hand. */
  show(refusal) {
    this.#shown = refusal;
    this.#show();
  }

  clear() {
    this.#shown = null;
    this.#show();
  }

  /** Whether it has a place on the diagram. */
  shows({ kind, name }) {
    return this.#spot(kind, name) !== null;
  }

  #show() {
    this.place.querySelector(".callout")?.remove();
    const spot = this.#shown && this.#spot(this.#shown.kind, this.#shown.name);
    if (!spot) return;
    const box = html(
      "div",
      { class: "callout", role: "alert" },
      html("p", {}, ...reason(this.#shown)),
      button("×", () => this.clear(), { "aria-label": t("close") }),
    );
    this.place.append(box);
    const { left, above } = this.#best(spot, box.offsetWidth, box.offsetHeight);
    box.classList.toggle("above", above);
    box.style.left = `${left}px`;
    box.style.top = `${above ? spot[1] - box.offsetHeight - APART_PX : spot[1] + APART_PX}px`;
    box.style.setProperty("--tip", `${Math.max(10, Math.min(spot[0] - left - 9, box.offsetWidth - 28))}px`);
  }

  /** Where it stands at a place so that it covers as little as can be of the controls, then of the vehicles. */
  #best(spot, wide, high) {
    const { width, height } = this.diagram.sheet;
    const origin = this.place.getBoundingClientRect();
    const boxes = (selector) => [...this.place.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
    const weighed = [
      ...boxes(".control rect").map((box) => [box, 3]),
      ...boxes(".vehicle").map((box) => [box, 1]),
    ];
    const cost = ({ left, above }) => {
      const top = above ? spot[1] - high - APART_PX : spot[1] + APART_PX;
      const box = { left: origin.left + left, top: origin.top + top, right: origin.left + left + wide, bottom: origin.top + top + high };
      // Beyond the diagram there is the line below it, and above it the header.
      const out = wide * (Math.max(0, -top - 6) * 8 + Math.max(0, top + high - height - 8) * 4);
      return out + weighed.reduce((sum, [one, weight]) => sum + weight * shared(box, one), 0);
    };
    const lefts = [36, wide / 2, wide - 44].map((tip) => Math.max(4, Math.min(spot[0] - tip, width - wide - 4)));
    const places = lefts.flatMap((left) => [false, true].map((above) => ({ left, above })));
    return places.reduce((best, one) => (cost(one) < cost(best) ? one : best));
  }

  #spot(kind, name) {
    const { layout, state } = this.store;
    const { sheet, track } = this.diagram;
    if (!sheet) return null;
    const at = (place) => sheet.point(track, place);
    if (kind === "turnout" && name in layout.turnouts) return sheet.pixel(layout.turnouts[name].draw.toe);
    if (kind === "segment" && name in layout.segments) {
      return at({ element: name, leg: null, at_mm: layout.segments[name].length_mm / 2 });
    }
    if (kind === "magnet" && name in layout.magnets) return at(layout.magnets[name]);
    const told = kind === "locomotive" ? state.vehicles[name] : null;
    return told?.element && (told.leg || !track.is_turnout(told.element)) ? at(told) : null;
  }
}
