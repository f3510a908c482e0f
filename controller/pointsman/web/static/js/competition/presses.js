/**
 * What is pressed at a layout: kept on this device first, in order, then sent, and kept until the server has answered.
 *
 * Each press has a key of its own in the browser's store, so that two tabs lose nothing of each other's; one tab sends at
 * a time. What was sent and not answered is sent once more as it was: the server does the same press once.
 */

import { tab } from "../session.js";
import { asked } from "./evening.js";

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 8000;
/** Longer than a request can take. */
const TURN_MS = 12000;

/** Tells by the event `change`. */
export class Presses extends EventTarget {
  /** This browser keeps nothing: what is pressed is lost when the page is closed before it was sent. */
  forgetful = false;
  /** The server asks for rights that this device has no more. */
  stranger = null;
  /** The same after a reload: a tab does not wait for itself. */
  #me = tab();
  #kept = new Map();
  #settled = [];
  #last = 0;
  #sending = false;
  #wait_ms = FIRST_WAIT_MS;
  #timer = null;

  constructor(evening) {
    super();
    this.evening = evening;
    this.prefix = `pointsman.press.${evening.name}.`;
    this.aside = `pointsman.refused.${evening.name}.`;
    this.turn = `pointsman.sending.${evening.name}`;
    addEventListener("storage", (event) => event.key?.startsWith("pointsman.") && this.#changed());
    addEventListener("online", () => this.send());
    evening.addEventListener("back", () => this.send());
    evening.addEventListener("view", () => this.#seen());
    this.send();
  }

  /** Takes a press; `at_ms` is what the clock showed. It is kept before anything else is done. */
  press(what, fields) {
    this.#last = Math.max(this.#last + 1, Date.now());
    const key = `${this.prefix}${String(this.#last).padStart(15, "0")}.${this.#me}`;
    this.#keep(key, { deed: { do: what, ...fields }, at: this.#last });
    this.#changed();
    this.send();
  }

  /** What was not answered yet, in order: `[{key, deed, at}]`. */
  get waiting() {
    return this.#all(this.prefix);
  }

  /** What the server did not take: `[{key, deed, at, why, cure}]`. */
  get refused() {
    return this.#all(this.aside);
  }

  /** The deeds that the view does not show yet, in order. */
  get unseen() {
    return [...this.#settled.map(({ deed, at }) => ({ deed, at })), ...this.waiting];
  }

  /** A refused press is sent again, behind all others. */
  again(key) {
    const one = this.#read(key);
    this.#drop(key);
    if (one) this.press(one.deed.do, without_do(one.deed));
  }

  /** Somebody has read why a press was refused. */
  put_away(key) {
    this.#drop(key);
    this.#changed();
  }

  async send() {
    clearTimeout(this.#timer);
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (;;) {
        const [first] = this.waiting;
        if (!first) return;
        if (!this.#my_turn()) return this.#later();
        const answer = await asked("POST", this.evening.address("/deeds"), first.deed);
        // What is refused because nobody is signed in here any more is kept until somebody is.
        if (answer.refused) await this.evening.load();
        const stranger = answer.refused && !this.evening.marks;
        if (answer.later || stranger || (answer.refused && this.evening.lost_since !== null)) {
          this.stranger = stranger ? answer : null;
          this.#changed();
          return this.#later();
        }
        this.stranger = null;
        this.#wait_ms = FIRST_WAIT_MS;
        this.#answered(first, answer);
      }
    } finally {
      this.#sending = false;
    }
  }

  #answered(press, answer) {
    if (answer.ok) this.#settled.push({ ...press, entries: answer.head?.entries ?? 0 });
    else this.#keep(press.key.replace(this.prefix, this.aside), { deed: press.deed, at: press.at, why: answer.why, cure: answer.cure });
    this.#drop(press.key);
    this.#changed();
    this.evening.load();
  }

  #seen() {
    this.#settled = this.#settled.filter(({ entries }) => entries > this.evening.view.head.entries);
    this.#changed();
    if (this.waiting.length) this.send();
  }

  #later() {
    this.#timer = setTimeout(() => this.send(), this.#wait_ms);
    this.#wait_ms = Math.min(2 * this.#wait_ms, LONGEST_WAIT_MS);
  }

  /** Whether this tab may send now; it has said so for as long as a request takes. */
  #my_turn() {
    const turn = JSON.parse(this.#get(this.turn) ?? "null");
    if (turn && turn.who !== this.#me && turn.until > Date.now() && turn.until < Date.now() + 2 * TURN_MS) return false;
    this.#set(this.turn, JSON.stringify({ who: this.#me, until: Date.now() + TURN_MS }));
    return true;
  }

  #changed() {
    this.dispatchEvent(new CustomEvent("change"));
  }

  // ------------------------------------------------------------------ what the browser keeps

  #all(prefix) {
    const keys = new Set(this.#kept.keys());
    try {
      for (let i = 0; i < localStorage.length; i += 1) keys.add(localStorage.key(i));
    } catch {
      this.forgetful = true;
    }
    return [...keys]
      .filter((key) => key.startsWith(prefix))
      .sort()
      .map((key) => this.#read(key))
      .filter(Boolean);
  }

  #read(key) {
    const text = this.#get(key);
    return text === null ? null : { key, ...JSON.parse(text) };
  }

  #keep(key, value) {
    this.#set(key, JSON.stringify(value));
  }

  #get(key) {
    if (this.#kept.has(key)) return this.#kept.get(key);
    try {
      return localStorage.getItem(key);
    } catch {
      this.forgetful = true;
      return null;
    }
  }

  #set(key, text) {
    try {
      localStorage.setItem(key, text);
      this.#kept.delete(key);
    } catch {
      this.forgetful = true;
      this.#kept.set(key, text);
    }
  }

  #drop(key) {
    this.#kept.delete(key);
    try {
      localStorage.removeItem(key);
    } catch {
      this.forgetful = true;
    }
  }
}

const without_do = ({ do: _, ...fields }) => fields;

/** An attempt as it will be once the deeds that the view does not show yet are done. */
export function foreseen(attempt, unseen) {
  const its = { ...attempt, faults: [...(attempt.faults ?? [])] };
  for (const { deed } of unseen) {
    if (deed.attempt !== attempt.id) continue;
    if (deed.do === "set-up") its.set_up = its.set_up || true;
    else if (deed.do === "start" || deed.do === "resume") its.phase = "running";
    else if (deed.do === "pause") its.phase = "paused";
    else if (deed.do === "fault") its.faults.push({ fault: deed.fault, at_ms: deed.at_ms });
    else if (deed.do === "hint") its.hints = (its.hints ?? 0) + 1;
    else if (deed.do === "end") Object.assign(its, { phase: "ended", outcome: deed.outcome, awaited: true });
  }
  return its;
}
