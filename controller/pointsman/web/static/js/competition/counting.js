/** What a person counts of an attempt, and how it is typed: a letter goes to a figure, digits fill it, Enter sends it. */

import { html } from "../dom.js";
import { t, t_or } from "../words.js";

/** The measures that a person can count. */
export const COUNTED = ["runs", "reversals", "couplings", "pull_drops", "placed", "helped"];
export const FAULTS = ["derailment", "side-swipe", "hand", "over-full"];
export const OUTCOMES = ["finished", "did-not-finish", "did-not-start", "equipment"];

/** The measure of a puzzle's count; null for the time, which the clock has. */
export const measure_of = (count) => (count === "seconds" ? null : count.replace("-", "_"));

/** The measures in their order, what the round is played for first. */
export function measures(round) {
  const first = measure_of(round.count);
  return first ? [first, ...COUNTED.filter((one) => one !== first)] : COUNTED;
}

/** A key as it is written on a button. */
export const key_sign = (what) => html("kbd", { text: t(`key.${what}`), "aria-hidden": "true" });

/** Which of these things a key event means, by the letters of the language; null for none, and where text is typed. */
export function pressed(event, things) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || event.key.length !== 1) return null;
  return things.find((one) => t(`key.${one}`).toLowerCase() === event.key.toLowerCase()) ?? null;
}

/** Fields for what was counted, a letter before each. */
export class Counting {
  constructor(round, values = {}) {
    this.measures = measures(round);
    this.fields = Object.fromEntries(
      this.measures.map((one) => [one, html("input", { id: `count-${one}`, type: "text", inputmode: "numeric", pattern: "[0-9]*", maxlength: 4, autocomplete: "off", value: values[one] ?? "" })]),
    );
    this.node = html(
      "div",
      { class: "counting" },
      ...this.measures.map((one) => html("p", {}, html("label", { for: `count-${one}` }, key_sign(one), ` ${t_or(`measure.${one}`, one)}`), this.fields[one])),
    );
  }

  /** What was typed: a whole number for each measure that has one; `{wrong}` names one that is none. */
  get values() {
    const found = {};
    for (const [one, field] of Object.entries(this.fields)) {
      const text = field.value.trim();
      if (text && !/^\d{1,4}$/.test(text)) return { wrong: one };
      if (text) found[one] = Number(text);
    }
    return { counts: found };
  }

  /** Takes a key: a letter leads to its field, a digit to the one that has the focus, else the first. Whether it was one. */
  key(event) {
    const one = pressed(event, this.measures);
    if (one) {
      this.fields[one].focus();
      this.fields[one].select();
      return true;
    }
    if (/^\d$/.test(event.key) && !(event.target instanceof HTMLInputElement) && !event.repeat) {
      const first = this.fields[this.measures[0]];
      first.focus();
      first.value += event.key;
      return true;
    }
    return false;
  }
}
