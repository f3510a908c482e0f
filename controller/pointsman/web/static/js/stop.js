/** The emergency stop: on every view, by touch and by the space bar, sent before anything else is done. */

import { button, change, html } from "./dom.js";
import { stop_by_post } from "./session.js";
import { t } from "./words.js";

const TEXT_FIELDS = new Set(["text", "number", "password", "search", "tel", "url", "email"]);

/** Whether what is typed goes into the element: there a space is a space. */
export function takes_text(node) {
  if (!(node instanceof HTMLElement)) return false;
  if (node.isContentEditable || node instanceof HTMLTextAreaElement) return true;
  return node instanceof HTMLInputElement && TEXT_FIELDS.has(node.type);
}

export class EmergencyStop {
  /** Between the first press and the going on: the next one cuts the power too. */
  pressed = false;
  #sent = true;
  #halt_seen = false;
  #down = false;
  #power_off = false;

  constructor(place, link, store) {
    Object.assign(this, { link, store });
    this.words = html("strong");
    this.hint = html("small");
    this.button = button(null, (event) => this.#clicked(event), {
      id: "emergency-stop",
      pointerdown: (event) => this.#touched(event),
    });
    this.button.append(this.words, this.hint);
    this.said = html("p", { role: "alert" });
    place.append(this.said, this.button);
    addEventListener("keydown", (event) => this.#key(event, true), { capture: true });
    addEventListener("keyup", (event) => this.#key(event, false), { capture: true });
    store.view(["halted", "mode", "power"], (state) => this.#halted(state));
    link.addEventListener("open", () => {
      this.#sent = true;
      this.show();
    });
  }

  press() {
    // Sent first; all the rest afterwards.
    const power_off = this.pressed;
    this.#send(power_off ? { power_off: true } : {});
    if (!this.pressed) this.#halt_seen = false;
    this.pressed = true;
    dispatchEvent(new CustomEvent("emergency"));
    this.show();
  }

  // By the websocket; where there is none by a request of its own, and by the websocket again once it is back.
  #send(fields) {
    this.#sent = this.link.emergency_stop(fields);
    if (this.#sent) return;
    stop_by_post(fields).then((answer) => {
      this.#sent ||= Boolean(answer.ok);
      this.show();
    });
  }

  // On the way down, not when the finger leaves; the click that follows is the same press.
  #touched(event) {
    if (event.button !== 0) return;
    this.#down = true;
    this.press();
  }

  #clicked(event) {
    const same = this.#down && event.detail > 0;
    this.#down = false;
    if (!same) this.press();
  }

  #key(event, down) {
    if (event.key !== " " || takes_text(event.target)) return;
    // On a button, too: the space bar stops and presses nothing.
    event.preventDefault();
    event.stopPropagation();
    if (down && !event.repeat) this.press();
  }

  #halted({ halted, mode, power }) {
    this.#power_off = power === false;
    if (halted || mode === "halted") this.#halt_seen = true;
    else if (this.#halt_seen) {
      this.#halt_seen = false;
      this.pressed = false;
    }
    this.show();
  }

  show() {
    document.body.classList.toggle("stopped", this.pressed);
    // Where the power is off already there is no more to be switched off.
    const words = !this.pressed ? "stop" : this.#power_off ? "stop.done" : "stop.again";
    const hints = { stop: t("stop.hint"), "stop.again": t("stop.again-hint"), "stop.done": t("stop.done-hint") };
    change(this.words, { text: { stop: t("stop"), "stop.again": t("stop.again"), "stop.done": t("stop.done") }[words] });
    change(this.hint, { text: hints[words], class: words === "stop" ? "key" : null });
    // Once the layout is told to be halted, that says it.
    const said = this.#sent ? (this.#halt_seen ? "" : t("stop.said")) : t("stop.not-sent");
    change(this.said, { text: this.pressed ? said : "", class: this.#sent ? null : "unsent" });
  }
}
