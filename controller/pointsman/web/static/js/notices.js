/** What the page has to say before all else: silence, halts, questions, links that are down, refusals. */

import { button, html, refill } from "./dom.js";
import { clock, t } from "./words.js";

const REFUSAL_SHOWN_MS = 12000;

export class Notices {
  #since = null;
  #gone = false;
  #back = false;
  #said = null;
  #timer = null;

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

  /** Says a refusal (`{why, cure}`), for a while. */
  refused({ why, cure }) {
    this.#said = { why: why ?? t("no-answer"), cure: cure ?? "" };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#said = null;
      this.#show();
    }, REFUSAL_SHOWN_MS);
    this.#show();
  }

  #show() {
    document.body.classList.toggle("stale", this.#since !== null);
    const { state } = this.store;
    const notes = [];
    if (this.#since !== null) {
      notes.push(["stale", "alert", t("stale", { time: clock(this.#since) }), this.#gone ? t("stale.again") : "", []]);
    } else if (this.#back) notes.push(["back", "status", t("back"), "", []]);
    if (state) notes.push(...this.#of(state));
    if (this.#said) notes.push(["refused", "alert", this.#said.why, this.#said.cure, [["close", "close-refusal"]]]);
    refill(this.place, [notes, t("close")], () => notes.map((note) => this.#notice(...note)));
  }

  #of(state) {
    const { store } = this;
    const notes = [];
    if (state.halted) {
      const [more, deeds] = this.#for_marshal(state.halted.cure, [["put-right", "put-right"]]);
      notes.push(["halted", "alert", t("halted", { why: state.halted.why }), more, deeds]);
    }
    if (state.question && state.question.kind !== "set-up" && store.drives) {
      const answers = [["yes", "yes"], ["no", "no"]];
      const [more, deeds] = state.question.kind === "take-up" ? this.#for_marshal("", answers) : ["", answers];
      notes.push(["question", "alert", state.question.text, more, deeds]);
    }
    // Where it is asked about already, that is enough.
    if (state.unfinished && state.question?.kind !== "take-up" && store.drives) {
      const text = t("unfinished", { puzzle: state.unfinished.puzzle, why: state.unfinished.why });
      const [more, deeds] = this.#for_marshal(state.unfinished.position, [["take-up", "take-up"]]);
      notes.push(["unfinished", "status", text, more, deeds]);
    }
    for (const one of state.links ?? []) {
      if (one.why) notes.push(["link", "status", t("link", { station: one.station, state: one.state, why: one.why }), "", []]);
    }
    return notes;
  }

  /** What only a marshal may do: to a driver it is said who does it. */
  #for_marshal(text, deeds) {
    const { store } = this;
    if (store.marshal) return [text, deeds];
    return [[text, store.drives && t("marshal.does")].filter(Boolean).join(" "), []];
  }

  #notice(kind, role, text, more, deeds) {
    return html(
      "div",
      { class: `notice ${kind}`, role },
      html("span", { class: "sign", "aria-hidden": "true" }),
      html("p", {}, html("strong", { text }), more ? html("span", { text: ` ${more}` }) : null),
      ...deeds.map(([words, deed]) => button(t(words), () => this.#do(deed), { "data-key": deed })),
    );
  }

  #do(deed) {
    if (deed === "close-refusal") {
      this.#said = null;
      this.#show();
    } else this.deeds[deed]();
  }
}
