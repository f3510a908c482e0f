/** What the page has to say before all else: silence, halts, questions, links that are down. */

import { button, html, refill } from "./dom.js";
import { reason, sentence } from "./sentences.js";
import { clock, t } from "./words.js";

export class Notices {
  #since = null;
  #gone = false;
  #back = false;

  constructor(place, link, store, deeds) {
    Object.assign(this, { place, link, store, deeds });
    link.addEventListener("stale", (event) => {
      this.#since = event.detail;
      this.#back = false;
      this.#show();
    });
    link.addEventListener("closed", () => {
      this.#gone = true;
      this.#show();
    });
    link.addEventListener("fresh", () => {
      this.#back = this.#gone;
      this.#gone = false;
      this.#since = null;
      this.#show();
      setTimeout(() => {
        this.#back = false;
        this.#show();
      }, 6000);
    });
    store.view(["*"], () => this.#show());
  }

  #show() {
    document.body.classList.toggle("stale", this.#since !== null);
    const { state } = this.store;
    const notes = [];
    if (this.#since !== null) {
      notes.push(["stale", "alert", t("stale", { time: clock(this.#since) }), this.#gone ? t("stale.again") : "", []]);
    } else if (this.#back) notes.push(["back", "status", t("back"), "", []]);
    if (state) notes.push(...this.#of(state));
    refill(this.place, [notes, t("close")], () => notes.map((note) => this.#notice(...note)));
  }

  #of(state) {
    const { store } = this;
    const notes = [];
    const { halted, question, unfinished } = state;
    // Where everything is stopped because cards are being drawn, nothing is to be done about it.
    if (halted && !(halted.making_way && state.note)) {
      const why = unfinished ? t("taking-up", { puzzle: this.#title(unfinished.puzzle) }) : t("halted", { why: halted.why });
      const [more, deeds] = this.#for_marshal(unfinished ? "" : halted.cure, [["put-right", "put-right"]]);
      notes.push(["halted", "alert", why, more, deeds]);
    }
    if (question && question.kind !== "set-up" && store.drives) {
      const answers = [["yes", "yes"], ["no", "no"]];
      const [more, deeds] = question.kind === "take-up" ? this.#for_marshal("", answers) : ["", answers];
      notes.push(["question", "alert", question.text, more, deeds]);
    }
    // Where it is asked about, or being taken up, that is enough.
    else if (unfinished && state.mode === "idle" && store.drives) {
      const text = t("unfinished", { puzzle: this.#title(unfinished.puzzle), why: unfinished.why });
      const [more, deeds] = this.#for_marshal("", [["take-up", "take-up"]]);
      notes.push(["unfinished", "status", text, more, deeds]);
    }
    if (state.attempt) notes.push(["attempt", "status", this.#attempt(state.attempt), "", []]);
    for (const one of state.links ?? []) {
      if (one.why) notes.push(["link", "status", t("link", { station: one.station, state: one.state, why: one.why }), "", []]);
    }
    return notes;
  }

  /** That an attempt of a competition is on, and how it is. */
  #attempt({ competition, attempt, clock_stands, over, reached }) {
    const how = reached ? "reached" : over ? "over" : clock_stands ? "clock" : "on";
    return t(`attempt.${how}`, { attempt, competition });
  }

  /** What only a marshal may do: to a driver it is said who does it. */
  #for_marshal(text, deeds) {
    const { store } = this;
    if (store.marshal) return [text, deeds];
    return [[sentence(text), store.drives && t("marshal.does")].filter(Boolean).join(" "), []];
  }

  /** What a puzzle is called that is named "layout/puzzle". */
  #title(name) {
    const found = this.store.layout.puzzles.find((one) => one.name === name.split("/").at(-1));
    return found?.title || name;
  }

  #notice(kind, role, text, more, deeds) {
    return html(
      "div",
      { class: `notice ${kind}`, role },
      html("span", { class: "sign", "aria-hidden": "true" }),
      html("p", {}, ...reason({ why: text, cure: more })),
      ...deeds.map(([words, deed]) => button(t(words), () => this.deeds[deed](), { "data-key": deed })),
    );
  }
}
