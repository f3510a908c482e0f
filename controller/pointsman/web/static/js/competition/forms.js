/** Forms in dialogs: fields with labels, and what the server refuses said beside the button, with its cure. */

import { dialog } from "../dialogs.js";
import { button, html } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { reason } from "../sentences.js";
import { t } from "../words.js";

/**
 * A field: `{name, label, kind, value, choices, hint, ...}`; kind is text, number, select, marks, area, password or file;
 * `marks` are buttons that stay pressed, since the space bar may be the emergency stop. More keys are attributes of its element.
 */
function field(form, { name, label, kind = "text", value = "", choices = [], hint = "", ...more }) {
  const id = `${form}-${name}`;
  const described = hint ? { "aria-describedby": `${id}-hint` } : {};
  const told = hint ? html("small", { id: `${id}-hint`, class: "quiet", text: hint }) : null;
  if (kind === "marks") {
    const press = (event) => event.currentTarget.setAttribute("aria-pressed", String(event.currentTarget.getAttribute("aria-pressed") !== "true"));
    const marks = choices.map(([one, text]) => button(text, press, { "aria-pressed": String(value.includes(one)), "data-mark": name, value: one }));
    return html("fieldset", {}, html("legend", { text: label }), html("div", { class: "row" }, ...marks), told);
  }
  let node;
  if (kind === "select") {
    node = html("select", { id, name, ...described, ...more }, ...choices.map(([one, text]) => html("option", { value: one, text, selected: one === value })));
  } else if (kind === "area") {
    node = html("textarea", { id, name, rows: 6, ...described, ...more });
    node.value = value;
  } else {
    node = html("input", { id, name, type: kind, autocomplete: "off", ...(kind === "number" ? { inputmode: "numeric", step: 1, min: 0 } : {}), ...described, ...more });
    if (kind !== "file") node.value = value ?? "";
  }
  return html("p", {}, html("label", { for: id, text: label }), node, told);
}

let forms = 0;

/**
 * Opens a form. `done(values)` gives the server's answer, or `{why, cure}` of its own; while it refuses, the form stays
 * as it is; `closed` is told when it goes. `values` has a text for each field, a list for marks, the file for a file.
 * Fields may stand in groups: `{legend, fields}`.
 */
export function open_form(title, fields, done, { verb = t("form.do"), text = "", before = [], closed = () => {} } = {}) {
  forms += 1;
  const key = `form${forms}`;
  const made = (one) =>
    one.fields ? html("fieldset", { class: "group" }, html("legend", { text: one.legend }), ...one.fields.map(made)) : field(key, one);
  const flat = fields.flatMap((one) => one.fields ?? [one]);
  const said = refusal_line();
  const go = html("button", { type: "submit", class: "main", text: verb });
  const form = html(
    "form",
    {
      class: "fields",
      submit: async (event) => {
        event.preventDefault();
        if (go.getAttribute("aria-disabled") === "true") return;
        go.setAttribute("aria-disabled", "true");
        said.replaceChildren();
        const answer = await done(values_of(form, flat));
        go.removeAttribute("aria-disabled");
        if (answer?.ok) shown.close();
        else if (answer) said.replaceChildren(...reason(answer));
      },
    },
    ...fields.map(made),
    said,
    html("p", { class: "row" }, go, button(t("cancel"), () => shown.close())),
  );
  const shown = dialog(title, [text ? html("p", { text }) : null, ...before, form].filter(Boolean), { closed });
  form.querySelector("input, select, textarea")?.focus();
  return shown;
}

function values_of(form, fields) {
  const data = new FormData(form);
  return Object.fromEntries(
    fields.map(({ name, kind }) => {
      if (kind === "marks") return [name, [...form.querySelectorAll(`[data-mark="${name}"][aria-pressed="true"]`)].map((one) => one.value)];
      if (kind === "file") return [name, data.get(name)];
      const text = String(data.get(name) ?? "");
      // A code is what it is, its spaces too.
      return [name, kind === "password" ? text : text.trim()];
    }),
  );
}

/** A field for the marshal's code. */
export const code_field = (name = "code", label = t("code.marshal"), hint = t("code.marshal.hint")) => ({ name, label, kind: "password", required: true, hint });

/** A field for a reason. */
export const why_field = (label = t("why")) => ({ name: "why", label, required: true, maxlength: 200 });

/** A number that was typed; null where nothing was. */
export const number_of = (text) => (text === "" ? null : Number(text));

/** What was answered, said in a line when it is a refusal. */
export function tell(line, answer) {
  line.replaceChildren(...(answer.ok ? [] : reason(answer)));
  return answer;
}
