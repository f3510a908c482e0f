/** The tablet at a layout: who is next, the set-up compared, the clock, what is marked, and how it ended. */

import { dialog_open } from "../dialogs.js";
import { button, html, refill } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { spoken_language, t } from "../words.js";
import { pressed } from "./counting.js";
import { clock_text } from "./evening.js";
import { open_form, tell, why_field } from "./forms.js";
import { Kept } from "./kept.js";
import { foreseen } from "./presses.js";
import { SetUp, may_start } from "./set_up.js";
import { running_clock, who } from "./standings.js";
import { Stopped } from "./stopped.js";

const MARKING = ["derailment", "side-swipe", "hand", "over-full"];
/** One press is one press, however a finger trembles. */
const TWICE_MS = 250;

export class Tablet {
  #shown = false;
  #pressed_at = {};
  #last = "";

  constructor(place, evening, presses) {
    Object.assign(this, { place, evening, presses });
    this.kept = new Kept(evening);
    this.said = refusal_line();
    this.body = html("div", { class: "stack" });
    place.append(this.said, this.body);
    this.set_up = new SetUp(evening);
    this.stopped = new Stopped(this);
    presses.addEventListener("change", () => this.evening.view && this.show_if_shown());
    for (const event of ["lost", "back"]) evening.addEventListener(event, () => this.evening.view && this.show_if_shown());
    addEventListener("keydown", (event) => this.#key(event));
    // Only before it is asked for: nothing is sent while the page goes.
    addEventListener("beforeunload", (event) => {
      if (presses.forgetful && presses.waiting.length) event.preventDefault();
    });
  }

  show_if_shown() {
    if (this.#shown) this.show();
  }

  left() {
    this.#shown = false;
    document.body.classList.remove("at-work");
  }

  /** The attempt at this tablet, as it will be once all is sent; null between two. */
  get attempt() {
    const its = this.evening.attempt(this.kept.attempt ?? "");
    return its ? foreseen(its, this.presses.unseen) : null;
  }

  show() {
    this.#shown = true;
    const { attempt } = this;
    if (attempt) this.kept.take_up(attempt, this.presses.unseen);
    document.body.classList.toggle("at-work", Boolean(attempt) && attempt.phase !== "ended");
    const key = attempt ? `${attempt.id} ${attempt.phase} ${Boolean(attempt.set_up)}` : "";
    if (key !== this.#last) {
      this.#last = key;
      this.said.replaceChildren();
    }
    if (!attempt) this.#between();
    else if (attempt.phase === "ended") this.#over(attempt);
    else if (this.kept.stopped_ms !== null) this.stopped.show(this.body, attempt);
    else if (attempt.phase === "called") this.#called(attempt);
    else this.#running(attempt);
  }

  // ------------------------------------------------------------------ between two attempts

  #between() {
    const { rounds, attempts } = this.evening.view;
    const on = attempts.filter(({ phase }) => phase !== "ended");
    const busy = new Set(on.map(({ entrant }) => entrant));
    const next = rounds.flatMap((round) => round.next.filter(({ entrant }) => !busy.has(entrant)).map((one) => ({ ...one, round })));
    refill(this.body, ["between", on, next, this.evening.view.entrants, this.evening.lost_since, spoken_language()], () => [
      html("h2", { text: t("view.tablet") }),
      on.length ? html("section", { class: "card" }, html("h3", { text: t("tablet.on") }), html("ul", { class: "list" }, ...on.map((one) => this.#taken_up(one)))) : null,
      html(
        "section",
        { class: "card" },
        html("h3", { text: t("tablet.next") }),
        next.length ? html("ul", { class: "list next" }, ...next.map((one) => this.#next(one))) : html("p", { text: t("tablet.nobody") }),
      ),
    ]);
  }

  #taken_up({ id, entrant, phase }) {
    return html("li", {}, who(this.evening, entrant), html("span", { text: t(`phase.${phase}`) }), running_clock(this.evening, id), button(t("tablet.take-up"), () => this.#take(id), { "data-key": `take-${id}` }));
  }

  #next({ round, entrant, number, heat }) {
    const text = t("tablet.place", { round: round.title, number, heat });
    const call = async () => {
      const answer = tell(this.said, await this.evening.deed("call", { round: round.id, entrant }));
      if (!answer.ok) return;
      const one = this.evening.view.attempts.find((its) => its.entrant === entrant && its.phase !== "ended");
      if (one) this.#take(one.id);
    };
    return html("li", {}, who(this.evening, entrant), html("span", { class: "quiet", text }), button(t("tablet.call"), call, { class: "main", "data-key": `call-${round.id}-${entrant}` }));
  }

  #take(id) {
    this.kept.begin(id);
    this.show();
  }

  // ------------------------------------------------------------------ called

  #called(attempt) {
    this.set_up.show(this.body, attempt, {
      agree: () => this.press("set-up"),
      uncovered: this.kept.uncovered,
      uncover: () => {
        this.kept.uncovered = true;
        this.show();
      },
      start: () => this.start(),
      not_started: () => this.#not_started(attempt),
      leave: () => this.#leave(),
    });
  }

  /** Sends a press of the attempt at this tablet; the same one twice at once is one. */
  press(what, fields = {}) {
    const key = `${what} ${fields.fault ?? ""}`;
    const now = performance.now();
    if (now - (this.#pressed_at[key] ?? -TWICE_MS) < TWICE_MS) return false;
    this.#pressed_at[key] = now;
    this.presses.press(what, { attempt: this.kept.attempt, ...fields });
    return true;
  }

  /** What the clock shows, as it goes with a press: two of a kind never have the same. */
  #at_ms() {
    return this.kept.next_ms(Math.round(this.evening.shows_ms(this.kept.attempt)));
  }

  start() {
    if (!this.press("start")) return;
    this.kept.runs(0);
    this.show();
  }

  #not_started(attempt) {
    this.kept.stopped_ms = Math.round(this.evening.shows_ms(attempt.id));
    this.kept.outcome = "did-not-start";
    this.show();
  }

  // ------------------------------------------------------------------ the clock runs

  #running(attempt) {
    const paused = attempt.phase === "paused";
    const faults = Object.fromEntries(MARKING.map((one) => [one, attempt.faults.filter(({ fault }) => fault === one).length]));
    const round = this.evening.round(attempt.round);
    refill(this.body, ["running", attempt.id, attempt.phase, faults, attempt.hints, attempt.cards, attempt.on_layout, this.kept.uncovered, spoken_language()], () => [
      html("h2", { class: "playing-name" }, who(this.evening, attempt.entrant), html("small", { class: "quiet", text: t("tablet.place", { round: round?.title ?? "", number: attempt.number, heat: attempt.heat }) })),
      html("p", { class: `big-clock ${attempt.phase}` }, running_clock(this.evening, attempt.id, 1), html("span", { class: "clock-state", text: t(`phase.${attempt.phase}`) })),
      html(
        "div",
        { class: "pads faults", role: "group", "aria-label": t("tablet.faults") },
        ...MARKING.map((one) => this.#pad(one, t(`fault.${one}`), () => this.#fault(one), { class: "pad fault", count: faults[one] })),
      ),
      html(
        "div",
        { class: "pads" },
        this.#pad("pause", t(paused ? "tablet.resume" : "tablet.pause"), () => this.#pause_or_resume(), { class: `pad ${paused ? "main" : ""}` }),
        // Its own hints the layout counts itself.
        attempt.on_layout ? null : this.#pad("hint", t("tablet.hint"), () => this.#hint(), { class: "pad", count: attempt.hints }),
        this.#pad("stop", t("tablet.stop"), () => this.#stop(), { class: "pad stop-clock" }),
      ),
      attempt.cards && this.kept.uncovered ? this.set_up.cards(attempt) : null,
      html("p", { class: "row" }, button(t("tablet.leave"), () => this.#leave(), { "data-key": "leave" })),
      html("p", { class: "quiet", text: t("tablet.undo") }),
    ]);
  }

  /** A large button with its letter, and how often it was pressed. */
  #pad(what, text, press, { count = null, ...more }) {
    return html(
      "button",
      { type: "button", click: press, "data-key": what, ...more },
      html("span", { text }),
      count === null ? null : html("b", { class: "times", text: String(count), "aria-label": t("tablet.times", { count }) }),
      html("kbd", { text: t(`key.${what}`), "aria-hidden": "true" }),
    );
  }

  #fault(fault) {
    this.press("fault", { fault, at_ms: this.#at_ms() });
  }

  #hint() {
    this.press("hint", { at_ms: this.#at_ms() });
  }

  #pause_or_resume() {
    const { attempt } = this;
    const shown = this.evening.shows_ms(attempt.id);
    if (attempt.phase === "paused") {
      if (!this.press("resume")) return;
      this.kept.runs(shown);
      this.show();
      return;
    }
    // The clock stands from the press on; what is asked afterwards takes its time.
    const at_ms = Math.max(Math.round(shown), this.kept.last_ms);
    this.kept.stands(at_ms);
    let sent = false;
    const send = (why) => {
      sent = this.press("pause", { why, at_ms });
      return { ok: true };
    };
    const shown_form = open_form(t("tablet.pause"), [why_field(t("tablet.pause.why"))], async ({ why }) => send(why), {
      verb: t("tablet.pause.do"),
      text: t("tablet.pause.text", { time: clock_text(at_ms) }),
      before: [this.#reasons((why) => (send(why), shown_form.close()))],
      closed: () => {
        if (!sent) this.kept.runs(at_ms + (performance.now() - from));
        this.show();
      },
    });
    const from = performance.now();
  }

  /** The usual reasons, one press each. */
  #reasons(choose) {
    return html("div", { class: "row" }, ...["power", "coupling", "turnout", "vehicle"].map((one) => button(t(`reason.${one}`), () => choose(t(`reason.${one}`)))));
  }

  #stop() {
    const shown = Math.round(this.evening.shows_ms(this.kept.attempt));
    this.kept.stopped_ms = Math.max(shown, this.kept.last_ms);
    this.kept.outcome = null;
    this.show();
  }

  /** The stop was none: the clock has gone on. */
  not_stopped() {
    this.kept.stopped_ms = null;
    this.show();
  }

  end(outcome, counts, why) {
    const at_ms = this.kept.stopped_ms;
    const fields = { outcome, at_ms, ...(Object.keys(counts).length ? { counts } : {}), ...(why ? { why } : {}) };
    if (!this.press("end", fields)) return;
    this.kept.stands(at_ms);
    this.kept.stopped_ms = null;
    this.show();
  }

  #leave() {
    this.kept.end();
    this.show();
  }

  // ------------------------------------------------------------------ over

  #over(attempt) {
    const doubts = this.evening.view.doubts.filter((one) => one.attempt === attempt.id);
    refill(this.body, ["over", attempt, doubts, spoken_language()], () => [
      html("h2", {}, who(this.evening, attempt.entrant)),
      html(
        "section",
        { class: "card", role: "status" },
        html("p", { class: "big-result", text: attempt.awaited ? t("tablet.awaited") : attempt.score || t(`outcome.${attempt.outcome}`) }),
        html("p", { class: "quiet", text: t(attempt.outcome === "equipment" ? "tablet.over.again" : "tablet.over") }),
        doubts.length ? html("ul", { class: "doubts" }, ...doubts.map(({ text }) => html("li", { text }))) : null,
      ),
      html("p", { class: "row" }, button(t("tablet.next.do"), () => this.#leave(), { class: "main pad", "data-key": "next" })),
    ]);
  }

  // ------------------------------------------------------------------ keys

  #key(event) {
    if (!this.#shown || !this.evening.view || dialog_open()) return;
    const { attempt } = this;
    if (!attempt || attempt.phase === "ended") return;
    if (this.kept.stopped_ms !== null) {
      if (this.stopped.key(event)) event.preventDefault();
      return;
    }
    const what = attempt.phase === "called" ? pressed(event, may_start(attempt, this.kept.uncovered) && !attempt.on_layout ? ["start"] : []) : pressed(event, [...MARKING, "pause", ...(attempt.on_layout ? [] : ["hint"]), "stop"]);
    if (!what) return;
    event.preventDefault();
    if (what === "start") this.start();
    else if (what === "pause") this.#pause_or_resume();
    else if (what === "hint") this.#hint();
    else if (what === "stop") this.#stop();
    else this.#fault(what);
  }
}
