/** Who takes part: entered one by one or from a file, changed, withdrawn; and everybody's certificate. */

import { button, html, refill } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { spoken_language, t, t_count } from "../words.js";
import { open_form, why_field } from "./forms.js";

const ABOUT = ["name", "club", "category", "train", "pair"];

export class Entrants {
  constructor(place, evening) {
    Object.assign(this, { place, evening });
    this.said = refusal_line();
    this.body = html("div", { class: "stack" });
    place.append(this.said, this.body);
  }

  show() {
    const { entrants } = this.evening.view;
    refill(this.body, [entrants, spoken_language()], () => [
      html(
        "div",
        { class: "row" },
        html("h2", {}, t("view.entrants"), html("small", { class: "quiet", text: t_count("entrants.count", entrants.length) })),
        button(t("enter"), () => this.#enter(), { class: "main", "data-key": "enter" }),
        button(t("import"), () => this.#import(), { "data-key": "import" }),
      ),
      entrants.length ? this.#table(entrants) : html("p", { class: "card", text: t("entrants.none") }),
    ]);
  }

  #table(entrants) {
    const columns = ABOUT.filter((one) => one === "name" || entrants.some((its) => its[one]));
    return html(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": t("view.entrants") },
      html(
        "table",
        { class: "standing entrants" },
        html("thead", {}, html("tr", {}, ...columns.map((one) => html("th", { scope: "col", text: t(`entrant.${one}`) })), html("td"))),
        html("tbody", {}, ...entrants.map((one) => this.#row(one, columns))),
      ),
    );
  }

  #row(one, columns) {
    const [, ...rest] = columns;
    return html(
      "tr",
      { class: one.withdrawn ? "undone" : null },
      html("th", { scope: "row" }, html("span", { class: "who" }, html("b", { text: one.name }), html("small", { text: one.withdrawn ? t("withdrawn") : one.id }))),
      ...rest.map((column) => html("td", { text: one[column] })),
      html(
        "td",
        { class: "does" },
        button(t("change"), () => this.#change(one), { "data-key": `change-${one.id}`, "aria-label": t("change.of", { name: one.name }) }),
        one.withdrawn ? null : button(t("withdraw"), () => this.#withdraw(one), { "data-key": `withdraw-${one.id}`, "aria-label": t("withdraw.of", { name: one.name }) }),
        html("a", { href: `${this.evening.address(`/entrants/${encodeURIComponent(one.id)}/certificate.pdf`)}?lang=${spoken_language()}`, text: t("certificate"), "aria-label": t("certificate.of", { name: one.name }) }),
      ),
    );
  }

  #fields(its = {}) {
    const known = (of) => [...new Set(this.evening.view.entrants.map((one) => one[of]).filter(Boolean))];
    const hint = (of) => (known(of).length ? t("entrant.so-far", { names: known(of).slice(0, 6).join(", ") }) : "");
    return ABOUT.map((one) => ({ name: one, label: t(`entrant.${one}`), value: its[one] ?? "", required: one === "name", maxlength: 200, hint: one === "club" || one === "category" ? hint(one) : "" }));
  }

  #enter() {
    open_form(t("enter"), this.#fields(), (values) => this.evening.deed("enter", said_of(values)), { verb: t("enter") });
  }

  #change(one) {
    open_form(t("change.of", { name: one.name }), [...this.#fields(one), why_field()], ({ why, ...values }) => this.evening.deed("change", { id: one.id, ...values, why }), { verb: t("change") });
  }

  #withdraw(one) {
    open_form(t("withdraw.of", { name: one.name }), [why_field()], ({ why }) => this.evening.deed("withdraw", { id: one.id, why }), { verb: t("withdraw"), text: t("withdraw.text") });
  }

  #import() {
    open_form(
      t("import"),
      [
        { name: "file", label: t("import.file"), kind: "file", accept: ".csv,text/csv,text/plain" },
        { name: "csv", label: t("import.paste"), kind: "area", placeholder: "name,club,category,train" },
      ],
      async ({ file, csv }) => {
        const text = file?.size ? await read(file) : csv;
        if (!text) return { why: t("import.nothing"), cure: t("import.nothing.cure") };
        return this.evening.deed("import", { csv: text });
      },
      { verb: t("import"), text: t("import.text") },
    );
  }
}

/** A file as text: UTF-8, or what older programs write. */
async function read(file) {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** What was said, without what is empty. */
const said_of = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
