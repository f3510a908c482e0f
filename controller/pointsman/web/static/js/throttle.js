/** The throttle: one direction, one speed, renewed while it is not zero; zero whenever the page cannot answer for it. */

const RENEW_MS = 500;
const LEAST_APART_MS = 90;

/** Tells `changed` whenever what is wanted has changed, and `refused` (detail: the answer). */
export class Throttle extends EventTarget {
  towards = null;
  speed_mm_s = 0;
  #timer = null;
  #later = null;
  #sent_ms = 0;
  #driven = false;
  #mine = false;

  constructor(link, store) {
    super();
    Object.assign(this, { link, store });
    document.addEventListener("visibilitychange", () => document.hidden && this.stop());
    addEventListener("pagehide", () => this.stop());
    addEventListener("emergency", () => this.#zero());
    link.addEventListener("closed", () => this.#zero());
    link.addEventListener("stale", () => this.#zero());
    // One that was refused is closed: until then the layout takes what is asked again for the same, and does nothing.
    link.addEventListener("refused", () => this.stop());
    store.view(["throttle", "drive", "mode", "you"], (state) => this.#heard(state));
  }

  /** Whether this page holds the throttle of its locomotive. */
  get held() {
    const throttle = this.store.state?.throttle?.[this.store.locomotive];
    return Boolean(throttle && throttle.holder && throttle.holder === this.store.you.who);
  }

  get standing() {
    const { state } = this.store;
    const told = state.vehicles[this.store.locomotive];
    return this.speed_mm_s === 0 && !state.drive && !(told && told.v_mm_s);
  }

  /** The speeds that + and - go through, 0 first, none above the layout's cap. */
  get notches() {
    const { cap, creep, coupling, rough, shunting, limit } = this.store.layout.speeds;
    const speeds = [0, creep, coupling, rough, shunting, limit, cap].filter((one) => one <= cap);
    return [...new Set(speeds)].sort((a, b) => a - b);
  }

  /** Chooses a direction, at a stand only; the other one while moving brakes. */
  point(towards) {
    if (this.towards === towards) return;
    if (!this.standing) {
      this.stop();
      return;
    }
    this.towards = towards;
    this.#tell();
  }

  set(speed_mm_s) {
    const { cap } = this.store.layout.speeds;
    const wanted = Math.max(0, Math.min(cap, Math.round(speed_mm_s)));
    if (wanted === 0) {
      this.stop();
      return;
    }
    if (!this.held || !this.towards || !this.link.open || document.hidden) {
      this.#tell();
      return;
    }
    this.speed_mm_s = wanted;
    this.#tell();
    // A slider gives more values than anybody needs to hear.
    const wait = LEAST_APART_MS - (performance.now() - this.#sent_ms);
    clearTimeout(this.#later);
    if (wait > 0) this.#later = setTimeout(() => this.#renew(), wait);
    else this.#renew();
    this.#timer ??= setInterval(() => this.#renew(), RENEW_MS);
  }

  notch(by) {
    const { notches, speed_mm_s } = this;
    const next = by > 0 ? notches.find((one) => one > speed_mm_s) : notches.findLast((one) => one < speed_mm_s);
    this.set(next ?? (by > 0 ? notches.at(-1) : 0));
  }

  /** Brakes to a stand. */
  stop() {
    const said = this.speed_mm_s !== 0 || this.held;
    if (said) this.link.say("stop");
    this.#zero();
  }

  async #renew() {
    if (this.speed_mm_s === 0) return;
    this.#sent_ms = performance.now();
    const answer = await this.link.ask("drive", { towards: this.towards, speed_mm_s: this.speed_mm_s });
    if (answer.ok) return;
    this.stop();
    if (answer.why) this.dispatchEvent(new CustomEvent("refused", { detail: answer }));
  }

  #heard(state) {
    const { held } = this;
    // Another page has it now, the train was halted, or it has come to the end of its drive: nothing goes on by itself.
    if (this.#mine && !held) this.#zero();
    if (state.mode === "halted") this.#zero();
    // Said, too: what is on its way from before that shall not begin another drive.
    else if (this.#driven && !state.drive) this.stop();
    this.#mine = held;
    this.#driven = Boolean(state.drive) && held;
    this.#tell();
  }

  #zero() {
    clearInterval(this.#timer);
    clearTimeout(this.#later);
    this.#timer = null;
    this.speed_mm_s = 0;
    this.#tell();
  }

  #tell() {
    this.dispatchEvent(new CustomEvent("changed"));
  }
}
