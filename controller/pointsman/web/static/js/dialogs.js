/** Dialogs. Not modal in the browser's sense: the emergency stop stays within reach of mouse, finger and keyboard. */

import { button, byId, html } from "./dom.js";
import { t } from "./words.js";

let open = null;

/** Opens a dialog with these contents; `close()` is what it gives back. Only one is open at a time. */
export function dialog(title, contents, { closed = () => {} } = {}) {
  open?.close();
  const before = document.activeElement;
  const heading = html("h2", { id: "dialog-title", tabindex: "-1", text: title });
  const box = html("div", { class: "dialog", role: "dialog", "aria-labelledby": "dialog-title" }, heading, ...contents);
  const shade = html("div", { class: "shade" }, box);
  const page = byId("page");
  const one = {
    close() {
      if (open !== one) return;
      open = null;
      removeEventListener("keydown", key, { capture: true });
      shade.remove();
      page.inert = false;
      focus_on(before);
      closed();
    },
  };
  const key = (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    one.close();
  };
  open = one;
  addEventListener("keydown", key, { capture: true });
  page.inert = true;
  byId("dialogs").append(shade);
  heading.focus();
  return one;
}

/** The focus goes back to where it was; what was there may have been made anew meanwhile. */
function focus_on(before) {
  const key = before?.dataset?.key;
  const same = before?.isConnected || !key ? before : document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  same?.focus?.();
}

export const dialog_open = () => open !== null;

/** Asks a question; a promise of yes or no. */
export function ask(title, text, yes, no = t("no")) {
  return new Promise((answer) => {
    let said = false;
    const shown = dialog(
      title,
      [
        html("p", { text }),
        html(
          "p",
          { class: "row" },
          button(yes, () => ((said = true), shown.close()), { class: "main" }),
          button(no, () => shown.close()),
        ),
      ],
      { closed: () => answer(said) },
    );
  });
}

/** The keys, and how to read the diagram; `drives`: with those of the throttle. */
export function help(drives) {
  const keys = ["space", "enter", ...(drives ? ["up", "down", "sides"] : []), "tab", "escape"];
  const shown = dialog(t("help.title"), [
    html("p", { text: t("help.intro") }),
    html(
      "dl",
      { class: "keys" },
      ...keys.flatMap((key) => [html("dt", {}, html("kbd", { text: t(`key.${key}`) })), html("dd", { text: t(`key.${key}.does`) })]),
    ),
    html("h3", { text: t("help.diagram") }),
    html("ul", {}, ...["lines", "marks", "lamps", "bars"].map((one) => html("li", { text: t(`help.${one}`) }))),
    html("p", { class: "row" }, button(t("close"), () => shown.close(), { class: "main" })),
  ]);
}
