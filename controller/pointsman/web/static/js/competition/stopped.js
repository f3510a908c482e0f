/** The clock was stopped: how it ended, and what was counted, typed in a moment. */

import { button, html, refill } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { spoken_language, t } from "../words.js";
import { Counting, OUTCOMES, key_sign, pressed } from "./counting.js";
import { clock_text } from "./evening.js";
import { tell } from "./forms.js";
import { who } from "./standings.js";

export class Stopped {
  #counting = null;
  #form = null;

  constructor(tablet) {
    this.tablet = tablet;
  }

  show(place, attempt) {
    const { kept, evening } = this.tablet;
    refill(place, ["stopped", attempt.id, kept.stopped_ms, spoken_language()], () => {
      const round = evening.round(attempt.round);
      this.#counting = new Counting(round);
      this.said = refusal_line();
      this.why = html("input", { id: "end-why", type: "text", maxlength: 200, autocomplete: "off" });
      this.why_line = html("p", { hidden: true }, html("label", { for: "end-why", text: t("stopped.why") }), this.why);
      const radios = OUTCOMES.map((one) => {
        const radio = html("input", { type: "radio", name: "outcome", id: `outcome-${one}`, value: one, change: () => this.#chosen(one) });
        radio.checked = kept.outcome === one;
        return html("span", { class: "outcome" }, radio, html("label", { for: `outcome-${one}` }, key_sign(one), ` ${t(`outcome.${one}`)}`));
      });
      this.#form = html(
        "form",
        { class: "card stopped", submit: (event) => (event.preventDefault(), this.#send(attempt)) },
        html("h3", { text: t("stopped.how") }),
        html("div", { class: "outcomes", role: "radiogroup", "aria-label": t("stopped.how") }, ...radios),
        this.why_line,
        attempt.on_layout ? html("p", { class: "quiet", text: t("stopped.seen") }) : html("h3", { text: t("stopped.counted", { count: t(`measure.${this.#counting.measures[0]}`) }) }),
        attempt.on_layout ? null : this.#counting.node,
        this.said,
        html("div", { class: "pads" }, html("button", { type: "submit", class: "pad main", "data-key": "send", text: t("stopped.send") }), button(t("stopped.back"), () => this.tablet.not_stopped(), { class: "pad", "data-key": "back" })),
        html("p", { class: "quiet" }, t("stopped.keys")),
      );
      this.#show_why();
      return [
        html("h2", { class: "playing-name" }, who(evening, attempt.entrant)),
        html("p", { class: "big-clock paused" }, html("span", { class: "clock", text: clock_text(kept.stopped_ms) }), html("span", { class: "clock-state", text: t("stopped.at") })),
        this.#form,
      ];
    });
  }

  #chosen(outcome) {
    this.tablet.kept.outcome = outcome;
    this.#show_why();
  }

  #show_why() {
    this.why_line.hidden = this.tablet.kept.outcome !== "equipment";
  }

  #send(attempt) {
    const { outcome } = this.tablet.kept;
    const refuse = (why, cure) => tell(this.said, { why, cure });
    if (!outcome) return refuse(t("stopped.no-outcome"), t("stopped.no-outcome.cure"));
    const why = this.why.value.trim();
    if (outcome === "equipment" && !why) {
      this.why.focus();
      return refuse(t("stopped.no-why"), t("stopped.no-why.cure"));
    }
    const { counts, wrong } = attempt.on_layout ? { counts: {} } : this.#counting.values;
    if (wrong) {
      this.#counting.fields[wrong].focus();
      return refuse(t("stopped.wrong", { count: t(`measure.${wrong}`) }), t("stopped.wrong.cure"));
    }
    const [first] = this.#counting.measures;
    // An attempt that was finished has so many of them; nobody has counted is said by an empty field of any other.
    if (outcome === "finished" && !attempt.on_layout && this.tablet.evening.round(attempt.round).count !== "seconds" && counts[first] === undefined) {
      this.#counting.fields[first].focus();
      return refuse(t("stopped.uncounted", { count: t(`measure.${first}`) }), t("stopped.uncounted.cure"));
    }
    return this.tablet.end(outcome, counts, outcome === "equipment" ? why : "");
  }

  /** Takes a key; whether it was one. Where a reason is written, letters are letters. */
  key(event) {
    if (event.target === this.why || !this.#form?.isConnected) return false;
    if (event.key === "Escape") {
      this.tablet.not_stopped();
      return true;
    }
    if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement)) {
      this.#form.requestSubmit();
      return true;
    }
    const outcome = pressed(event, OUTCOMES);
    if (outcome) {
      const radio = this.#form.querySelector(`#outcome-${outcome}`);
      radio.checked = true;
      this.#chosen(outcome);
      if (outcome === "equipment") this.why.focus();
      return true;
    }
    return this.#counting.key(event);
  }
}
