/** What the server says, as sentences: it sends what is wrong and what to do without capital and full stop. */

import { html } from "./dom.js";
import { t } from "./words.js";

let names = new Set();

/** The layout's own names are written as they are, at the beginning of a sentence too. */
export function names_of(layout) {
  names = new Set(["segments", "turnouts", "beams", "magnets", "vehicles"].flatMap((kind) => Object.keys(layout[kind])));
}

/** With a capital, unless it begins with a name of the layout, and a full stop. */
export function sentence(text) {
  const words = (text ?? "").trim();
  if (!words) return "";
  const begun = names.has(words.split(/[\s,:;]/, 1)[0]) ? words : words[0].toLocaleUpperCase() + words.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

/** What is wrong, strong, and what to do. An answer that never came (`why` is null) is one, too. */
export function reason({ why, cure }) {
  const what = why ?? t("no-answer");
  return [html("strong", { text: sentence(what) }), cure ? html("span", { text: ` ${sentence(cure)}` }) : null].filter(Boolean);
}
