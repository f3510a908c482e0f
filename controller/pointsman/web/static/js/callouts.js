/** The reason for a refusal, at the place on the diagram that it concerns. */

import { button, html } from "./dom.js";
import { t } from "./words.js";

export class Callouts {
  #closed = null;
  #own = null;

  constructor(place, diagram, store) {
    Object.assign(this, { place, diagram, store });
    place.addEventListener("drawn", () => this.#show());
    store.view(["refusal"], () => this.#show());
  }

  /** A refusal of what this page asked for: shown until the state tells of another. */
  refused(refusal) {
    this.#own = { ...refusal, before: JSON.stringify(this.store.state.refusal) };
    this.#show();
  }

  /** Whether it has a place on the diagram. */
  shows({ kind, name }) {
    return this.#spot(kind, name) !== null;
  }

  #show() {
    this.place.querySelector(".callout")?.remove();
    const { refusal } = this.store.state;
    if (this.#own && this.#own.before !== JSON.stringify(refusal)) this.#own = null;
    const shown = this.#own ?? refusal;
    if (!shown || !this.diagram.sheet || (shown === refusal && this.#closed === JSON.stringify(shown))) return;
    const spot = this.#spot(shown.kind, shown.name);
    if (!spot) return;
    const close = () => {
      // What everybody is told of the same refusal is closed with it.
      this.#closed = JSON.stringify(this.store.state.refusal);
      this.#own = null;
      this.#show();
    };
    const box = html(
      "div",
      { class: "callout", role: "alert" },
      html("p", {}, html("strong", { text: shown.why }), shown.cure ? html("span", { text: ` ${shown.cure}` }) : null),
      button("×", close, { "aria-label": t("close") }),
    );
    this.place.append(box);
    const { width, height } = this.diagram.sheet;
    const left = Math.max(4, Math.min(spot[0] - 36, width - box.offsetWidth - 4));
    box.style.left = `${left}px`;
    // Below the place, or above it where there is no room below.
    const below = spot[1] + 18 + box.offsetHeight <= height + 40 || spot[1] < box.offsetHeight;
    box.classList.toggle("above", !below);
    box.style.top = `${below ? spot[1] + 18 : spot[1] - box.offsetHeight - 18}px`;
    box.style.setProperty("--tip", `${Math.max(10, Math.min(spot[0] - left - 9, box.offsetWidth - 28))}px`);
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
