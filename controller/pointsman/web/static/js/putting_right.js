/** After a halt: what stands where, put right a vehicle at a time, with undo, and confirmed before it counts. */

import { board, called } from "./board.js";
import { button, change, html } from "./dom.js";
import { moved, read, write } from "./position.js";
import { t } from "./words.js";

export class PuttingRight {
  #position = null;
  #past = [];
  #picked = null;
  #said = "";

  constructor(place, link, store, deeds) {
    Object.assign(this, { place, link, store, deeds });
    store.view(["halted", "mode", "you"], (state) => {
      if (this.#position && (!state.halted || !store.marshal)) this.close();
      else this.#show();
    });
  }

  /** Begins with what is believed. */
  open() {
    const { halted, puzzle } = this.store.state;
    const believed = halted?.believed || halted?.confirmed || puzzle?.position || "";
    this.#position = read(this.store.layout, believed);
    this.#past = [];
    this.#picked = null;
    this.#said = "";
    this.#show();
    this.place.scrollIntoView({ block: "nearest" });
    this.title.focus();
  }

  close() {
    this.#position = null;
    this.#show();
  }

  #pick(vehicle) {
    this.#picked = vehicle;
    this.#said = vehicle ? t("put-right.picked", { vehicle: called(this.store.layout, vehicle) }) : "";
    this.#show();
  }

  #put(place, vehicle = this.#picked) {
    this.#past.push(this.#position);
    this.#position = moved(this.#position, vehicle, place);
    this.#picked = null;
    const where = place.turnout ?? place.segment;
    this.#said = t("put-right.put", { vehicle: called(this.store.layout, vehicle), place: where });
    this.#show();
  }

  #undo() {
    this.#position = this.#past.pop() ?? this.#position;
    this.#picked = null;
    this.#said = t("put-right.undone");
    this.#show();
  }

  async #confirm() {
    const answer = await this.link.ask("put-right", { position: write(this.#position) });
    if (answer.ok) this.close();
    else this.deeds.answered(answer);
  }

  #show() {
    this.place.hidden = this.#position === null;
    document.body.classList.toggle("putting-right", this.#position !== null);
    if (!this.#position) {
      this.place.replaceChildren();
      this.said = null;
      return;
    }
    const { layout, state } = this.store;
    const focused = this.place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const edit = {
      picked: this.#picked,
      pick: (vehicle) => this.#pick(vehicle),
      put: (place, vehicle) => this.#put(place, vehicle),
      lift: (vehicle) => this.#lift(vehicle),
    };
    this.said ??= html("p", { role: "status", class: "quiet" });
    change(this.said, { text: this.#said || t("put-right.how") });
    this.title = html("h2", { tabindex: "-1", text: t("put-right.title"), "data-key": "title" });
    this.place.replaceChildren(
      this.title,
      html("p", { text: state.halted ? `${state.halted.why} ${state.halted.cure}` : "" }),
      this.said,
      board(layout, this.#position, edit),
      html(
        "p",
        { class: "row" },
        button(t("put-right.confirm"), () => this.#confirm(), { class: "main", "data-key": "confirm" }),
        button(t("undo"), () => this.#undo(), { disabled: !this.#past.length, "data-key": "undo" }),
        button(t("cancel"), () => this.close(), { "data-key": "cancel" }),
      ),
    );
    const again = focused && [...this.place.querySelectorAll("[data-key]")].find((one) => one.dataset.key === focused);
    if (again) again.focus();
    else if (focused) this.title.focus();
  }

  // Nothing is drawn anew while a piece follows the finger.
  #lift(vehicle) {
    this.#picked = null;
    change(this.said, { text: t("put-right.picked", { vehicle: called(this.store.layout, vehicle) }) });
  }
}
