/** Who is who: spectators, drivers, the marshal; the PIN, the driver's code, phones that wait, the protection. */

import { dialog } from "./dialogs.js";
import { button, byId, change, html, refill } from "./dom.js";
import { refusal_line } from "./refusals.js";
import { reason } from "./sentences.js";
import { be_marshal, driver_code, give_up_role } from "./session.js";
import { spoken_language, t, t_or } from "./words.js";

const LEVELS = ["full", "warn", "off"];

export class People {
  #shown = null;
  #counting = null;

  constructor(chip, link, store, deeds) {
    Object.assign(this, { chip, link, store, deeds });
    chip.addEventListener("click", () => this.open());
    store.view(["you", "people", "protection", "mode"], () => this.#show());
    this.level = byId("protect");
    this.level.addEventListener("click", () => this.open());
  }

  open() {
    this.body = html("div", { class: "people" });
    this.said = refusal_line();
    this.#shown = dialog(t("people"), [this.body, this.said, html("p", { class: "row" }, button(t("close"), () => this.#shown.close()))], {
      closed: () => (this.body = null),
    });
    this.#show();
  }

  #show() {
    const { store } = this;
    change(this.chip, { text: t(`role.${store.you.role}`), "aria-label": t("role.is", { role: t(`role.${store.you.role}`) }) });
    document.body.dataset.role = store.you.role;
    const { people, protection } = store.state;
    this.level.hidden = !(store.marshal && store.hands);
    change(this.level, { text: t("protection.is", { level: t(`protection.${protection}`) }), class: `protection-${protection}` });
    if (!this.body) return;
    refill(this.body, [store.you, people, protection, spoken_language()], () => (store.marshal ? this.#marshal() : this.#others()));
  }

  #others() {
    const pin = html("input", { type: "password", id: "pin", autocomplete: "off", maxlength: 64, required: true });
    const said = refusal_line();
    const form = html(
      "form",
      {
        submit: async (event) => {
          event.preventDefault();
          const answer = await be_marshal(pin.value);
          pin.value = "";
          if (answer.ok) this.link.anew();
          else said.replaceChildren(...reason(answer));
        },
      },
      html("p", {}, html("label", { for: "pin", text: t("pin") }), pin),
      said,
      html("p", { class: "row" }, html("button", { type: "submit", class: "main", text: t("pin.do") })),
    );
    return [html("p", { text: t(`role.${this.store.you.role}.text`) }), form, this.store.drives && this.#give_up()];
  }

  #give_up() {
    return button(t("role.give-up"), async () => {
      const answer = await give_up_role();
      if (answer.ok) this.link.anew();
      else this.deeds.answered(answer, this.said);
    });
  }

  #marshal() {
    const { state, locomotive, hands } = this.store;
    const levels = LEVELS.map((level) =>
      button(t(`protection.${level}`), () => this.#ask("protection", { level }), {
        "aria-pressed": String(state.protection === level),
        "data-key": `protection-${level}`,
        class: "choice",
      }),
    );
    const code = html("div", { class: "code" });
    return [
      html("p", { text: t("role.marshal.text") }),
      ...(hands
        ? [
            html("h3", { id: "protection-title", text: t("protection") }),
            html("div", { class: "row", role: "group", "aria-labelledby": "protection-title" }, ...levels),
            html("p", { class: "quiet", text: t(`protection.${state.protection}.text`) }),
            html("h3", { text: t("drivers") }),
            this.#list(state.people ?? [], locomotive),
            html("p", { class: "row" }, button(t("code.do"), () => this.#code(code, locomotive), { class: "main", "data-key": "code" })),
            code,
          ]
        : []),
      this.#give_up(),
    ];
  }

  #list(people, locomotive) {
    if (!people.length) return html("p", { class: "quiet", text: t("drivers.none") });
    const one = ({ who, name, kind, state }) =>
      html(
        "li",
        {},
        html("span", {}, html("b", { text: who }), name && name !== who ? html("q", { text: name }) : null, ` ${t_or(`device.${kind}`, kind)}, ${t_or(`people.${state}`, state)}`),
        state === "waiting"
          ? button(t("accept"), () => this.#ask("accept", { who, locomotive }), { class: "main", "data-key": `accept-${who}` })
          : null,
        state === "reading" ? null : button(t("dismiss"), () => this.#ask("dismiss", { who }), { "data-key": `dismiss-${who}` }),
      );
    return html("ul", { class: "list" }, ...people.map(one));
  }

  async #ask(what, fields) {
    this.deeds.answered(await this.link.ask(what, fields), this.said);
  }

  async #code(place, locomotive) {
    const answer = await driver_code(locomotive);
    if (!answer.ok) {
      this.deeds.answered(answer, this.said);
      return;
    }
    const drawing = new DOMParser().parseFromString(answer.svg, "image/svg+xml").documentElement;
    drawing.setAttribute("role", "img");
    drawing.setAttribute("aria-label", t("code.picture"));
    const words = html("p");
    place.replaceChildren(document.importNode(drawing, true), words);
    const ends = Date.now() + answer.seconds * 1000;
    clearInterval(this.#counting);
    const count = () => {
      const seconds = Math.ceil((ends - Date.now()) / 1000);
      change(words, { text: t("code.text", { locomotive, seconds }) });
      if (seconds > 0) return;
      // It is of no more use after that.
      clearInterval(this.#counting);
      place.replaceChildren(html("p", { class: "quiet", text: t("code.over") }));
    };
    count();
    place.scrollIntoView({ block: "nearest" });
    this.#counting = setInterval(count, 1000);
  }
}
