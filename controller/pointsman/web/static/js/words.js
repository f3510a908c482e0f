/** The page's own words in the language chosen; the server's sentences come translated. */

import { set_cookie, cookie } from "./session.js";

export const LANGUAGES = ["en", "fr"];

/** Until a dictionary has come: what a stop has to say (as `words/en.json` has it). */
let dictionary = {
  emergency: "Emergency stop",
  stop: "EMERGENCY STOP",
  "stop.hint": "or the space bar",
  "stop.again": "POWER OFF TOO",
  "stop.again-hint": "stopped; press again",
  "stop.said": "Emergency stop sent.",
  "stop.not-sent": "NOT SENT: no connection. Use the layout's own switch. It will be sent as soon as there is one.",
  waiting: "Waiting for the signal box to answer …",
};
let language = LANGUAGES[0];

/** The language kept from the last visit, else the first of the browser's that is spoken here. */
export function preferred() {
  const wished = [cookie("language"), ...navigator.languages].map((one) => (one ?? "").slice(0, 2).toLowerCase());
  return wished.find((one) => LANGUAGES.includes(one)) ?? LANGUAGES[0];
}

async function words_in(name) {
  const answer = await fetch(`/static/words/${name}.json`);
  if (!answer.ok) throw new Error(`/static/words/${name}.json: ${answer.status}`);
  return await answer.json();
}

/** Speaks a language from now on; `also` are the dictionaries that a page has besides the common one. */
export async function speak(wanted, also = []) {
  const parts = await Promise.all([wanted, ...also.map((name) => `${name}.${wanted}`)].map(words_in));
  dictionary = Object.assign({}, ...parts);
  language = wanted;
  set_cookie("language", wanted);
  document.documentElement.lang = wanted;
  for (const node of document.querySelectorAll("[data-t]")) node.textContent = t(node.dataset.t);
  for (const node of document.querySelectorAll("[data-t-label]")) node.setAttribute("aria-label", t(node.dataset.tLabel));
}

export const spoken_language = () => language;

/** The words of a key, `{name}` in them replaced; the key itself where there are none. */
export function t(key, values = {}) {
  const text = dictionary[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The words of a key for so many: those of `key.one` where the language says one so. */
export function t_count(key, count, values = {}) {
  const one = new Intl.PluralRules(language).select(count) === "one" && `${key}.one` in dictionary;
  return t(one ? `${key}.one` : key, { count, ...values });
}

/** The words of a key where the dictionary has it, else what is given. */
export const t_or = (key, other) => (key in dictionary ? dictionary[key] : other);

/** A number as the language writes it. */
export const figure = (value, digits = 0) =>
  new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value);

export const clock = (when) => new Date(when).toLocaleTimeString(language, { hour12: false });
