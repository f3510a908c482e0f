/** Photographs of vehicles. Beside each stands the same in words or as a drawing: without it nothing is lost. */

import { called } from "./board.js";
import { html } from "./dom.js";
import { t } from "./words.js";

/**
 * The picture of a vehicle; null where it has none. One that cannot be shown makes room for what stands beside it.
 * `named`: the words beside it say already whose it is, so that a screen reader need not.
 */
export function photo(layout, name, { named = false } = {}) {
  const address = layout.vehicles[name]?.photo;
  if (!address) return null;
  const alt = named ? "" : t("photo", { vehicle: called(layout, name) });
  const picture = html("img", { alt, class: "photo", decoding: "async", error: () => picture.remove(), src: address });
  return picture;
}
