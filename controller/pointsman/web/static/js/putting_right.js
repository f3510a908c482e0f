/** After a halt: what stands where, put right a vehicle at a time, with undo, and confirmed before it counts. */

import { board, called } from "./board.js";
import { button, change, html } from "./dom.js";
import { moved, on_tracks, write } from "./position.js";
import { refusal_line } from "./refusals.js";
import { reason } from "./sentences.js";
import { t } from "./words.js";

export class PuttingRight {
  #position = null;
  #past = [];
  #picked = null;
  #said = "";
  #arranged = false;

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
    const told = { believed: halted?.believed ?? "", confirmed: halted?.confirmed || puzzle?.position || "" };
    this.#position = on_tracks(this.store.layout, told, this.store.state.vehicles);
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
    this.#said = t("put-right.put", { vehicle: called(this.store.layout, vehicle), place: place.segment });
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
    else this.deeds.answered(answer, this.refused);
  }

  #show() {
    this.place.hidden = this.#position === null;
    if (document.body.classList.toggle("putting-right", this.#position !== null) !== this.#arranged) {
      this.#arranged = !this.#arranged;
      document.dispatchEvent(new Event("arranged"));
    }
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
    this.refused ??= refusal_line();
    change(this.said, { text: this.#said || t("put-right.how") });
    const { loose } = this.#position;
    this.title = html("h2", { tabindex: "-1", text: t("put-right.title"), "data-key": "title" });
    this.place.replaceChildren(
      this.title,
      html("p", {}, ...(state.halted ? reason(state.halted) : [])),
      loose.length ? html("p", { class: "clear", text: t("put-right.clear", { vehicles: loose.map((one) => called(layout, one)).join(", ") }) }) : html("p", { class: "clear" }),
      this.said,
      board(layout, this.#position, edit),
      this.refused,
      html(
        "p",
        { class: "row" },
        button(t("put-right.confirm"), () => this.#confirm(), { class: "main", disabled: loose.length > 0, "data-key": "confirm" }),
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
