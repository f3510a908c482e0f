/** Refusals: short-lived, told to who was refused, at the place they concern or beside what was pressed. */

import { html } from "./dom.js";
import { reason } from "./sentences.js";

const SHOWN_MS = 10000;

/** A line for what is refused to the controls beside it; it has its place when it is empty, so that nothing moves. */
export const refusal_line = () => html("p", { class: "refused", role: "alert" });

export class Refusals {
  #timer = null;
  #line = null;
  #told = null;
  #moving = false;
  #halted = false;

  /** `usual` is the line for what has no place on the diagram and no control of its own. */
  constructor(callouts, usual, store) {
    Object.assign(this, { callouts, usual, store });
    store.view(["drive", "halted"], (state) => this.#past(state));
    store.view(["refusal"], (state) => this.#heard(state));
  }

  /** What was asked for was done (`ok`), or refused: it takes the place of what was said before. */
  answered(answer, line = this.usual) {
    this.clear();
    if (answer.ok) return;
    // Where the diagram may be out of sight, or behind a dialog, it is said in the line all the same.
    const hidden = line.closest(".dialog, #putright");
    if (!hidden && this.callouts.shows(answer)) this.callouts.show(answer);
    else {
      line.replaceChildren(...reason(answer));
      this.#line = line;
    }
    this.#timer = setTimeout(() => this.clear(), SHOWN_MS);
  }

  clear() {
    clearTimeout(this.#timer);
    this.#line?.replaceChildren();
    this.#line = null;
    this.callouts.clear();
  }

  // What the program itself was refused, told to everybody.
  #heard({ refusal }) {
    const told = refusal && JSON.stringify([refusal.kind, refusal.name, refusal.t_s]);
    if (told === this.#told) return;
    this.#told = told;
    if (refusal) this.answered(refusal);
    else this.clear();
  }

  // A movement that begins, and a halt, are newer than any refusal.
  #past({ drive, halted }) {
    if ((drive && !this.#moving) || (halted && !this.#halted)) this.clear();
    this.#moving = Boolean(drive);
    this.#halted = Boolean(halted);
  }
}
