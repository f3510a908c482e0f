/** A competition as the server tells it: asked for anew at each change; and what is done to it. */

import { spoken_language } from "../words.js";

const PATIENCE_MS = 8000;
/** Where draws are found or plans made, a small computer may take minutes; who asked sees the form wait. */
const LONG_MS = 300000;
const LONG = ["announce", "open-heat", "reveal", "rerun", "import", "play"];
/** The server says something at least every 10 s. */
const QUIET_MS = 15000;
const AGAIN_MS = 2000;
/** Two clocks that run side by side differ by what a message takes; more than this is another time. */
const SAME_MS = 2000;

/**
 * Asks the server: `{ok: true, ...}` or `{why, cure}`. `why` is null when it was not reached. `later`: asked again, the
 * same may be done; `refused`: it was understood, and is not done.
 */
export async function asked(method, path, body, patience_ms = PATIENCE_MS) {
  const address = `${path}${path.includes("?") ? "&" : "?"}lang=${spoken_language()}`;
  let answer;
  let said;
  try {
    answer = await fetch(address, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(patience_ms),
    });
    said = await answer.json();
  } catch {
    return { why: null, cure: "", later: true };
  }
  if (answer.ok) return { ok: true, ...said };
  const { status } = answer;
  return { why: said.why ?? String(status), cure: said.cure ?? "", later: status === 429 || status >= 500, refused: status === 401 || status === 403 };
}

/** Tells by events: `view` (it is another one), `lost`, `back`, `refused` (detail: what the server said instead of a view). */
export class Evening extends EventTarget {
  view = null;
  /** Since when nothing was heard, as a time of day; null while all is well. */
  lost_since = null;
  #heard_at = Date.now();
  #clocks = new Map();
  #viewed_at = 0;
  #loading = null;
  #once_more = false;
  #events = null;
  #layouts = new Map();

  constructor(name) {
    super();
    this.name = name;
    addEventListener("online", () => this.#probe());
    addEventListener("offline", () => this.#lost());
  }

  /** Where a part of the competition is. */
  address(path = "") {
    return `/api/competitions/${encodeURIComponent(this.name)}${path}`;
  }

  /** Begins to listen; the first view comes by the event. */
  begin() {
    this.#listen();
    this.load();
    setInterval(() => Date.now() - this.#heard_at > QUIET_MS && this.#probe(), QUIET_MS / 3);
  }

  /** Asks for the view; while one is on its way it is asked for once more afterwards. */
  load() {
    if (this.#loading) {
      this.#once_more = true;
      return this.#loading;
    }
    this.#loading = this.#load().finally(() => {
      this.#loading = null;
      if (this.#once_more) {
        this.#once_more = false;
        this.load();
      }
    });
    return this.#loading;
  }

  async #load() {
    const answer = await asked("GET", this.address());
    if (!answer.ok) {
      if (answer.why === null) this.#lost();
      else this.#tell("refused", answer);
      if (answer.later) setTimeout(() => this.load(), AGAIN_MS);
      return;
    }
    this.#heard();
    // A slow answer does not take the place of a newer one.
    if (this.view && answer.head.entries < this.view.head.entries) return;
    this.view = answer;
    this.#viewed_at = performance.now();
    this.#follow_clocks();
    this.#tell("view");
  }

  /** Does something: `{ok, head, answer}` or `{why, cure, ...}`; the view follows. */
  async deed(what, fields = {}) {
    const answer = await asked("POST", this.address("/deeds"), { do: what, ...fields }, LONG.includes(what) ? LONG_MS : PATIENCE_MS);
    if (answer.ok) {
      this.#heard();
      await this.load();
    } else if (answer.why === null) this.#lost();
    return answer;
  }

  /** The layout that a round is played on; null while it is not to be had. */
  async layout(round) {
    if (!this.#layouts.has(round)) {
      const answer = await asked("GET", this.address(`/rounds/${encodeURIComponent(round)}/layout`));
      if (!answer.ok) return null;
      this.#layouts.set(round, answer);
    }
    return this.#layouts.get(round);
  }

  entrant(id) {
    return this.view.entrants.find((one) => one.id === id) ?? { id, name: id, club: "", category: "", train: "", pair: "" };
  }

  round(id) {
    return this.view.rounds.find((one) => one.id === id) ?? null;
  }

  attempt(id) {
    return this.view.attempts.find((one) => one.id === id) ?? null;
  }

  get marshal() {
    return this.view.scope === "marshal";
  }

  get marks() {
    return this.view !== null && this.view.scope !== "look";
  }

  /** What an attempt's clock shows now, in milliseconds. */
  shows_ms(id) {
    const clock = this.#clocks.get(id);
    if (!clock) return 0;
    return clock.ms + (clock.runs ? performance.now() - clock.at : 0);
  }

  /** This page knows better what a clock shows: it was pressed here. */
  set_clock(id, ms, runs) {
    this.#clocks.set(id, { ms, runs, at: performance.now(), mine: true });
  }

  // A clock runs on by itself; what the server says moves it only where it is another time.
  #follow_clocks() {
    const there = new Set();
    for (const { id, phase, shows_ms } of this.view.attempts) {
      there.add(id);
      const clock = this.#clocks.get(id);
      const runs = phase === "running";
      if (clock?.mine || (clock && clock.runs === runs && Math.abs(this.shows_ms(id) - shows_ms) < SAME_MS)) continue;
      this.#clocks.set(id, { ms: shows_ms, runs, at: performance.now(), mine: false });
    }
    for (const id of this.#clocks.keys()) if (!there.has(id)) this.#clocks.delete(id);
  }

  /** What this page knew of a clock no longer counts: the server's does. */
  release_clock(id) {
    const its = this.attempt(id);
    if (its) this.#clocks.set(id, { ms: its.shows_ms, runs: its.phase === "running", at: this.#viewed_at, mine: false });
  }

  #listen() {
    this.#events?.close();
    const events = new EventSource(this.address("/events"));
    this.#events = events;
    // The same head once more: something else has changed, as who this page is or what is on the layout.
    events.addEventListener("head", () => {
      this.#heard();
      this.load();
    });
    events.addEventListener("error", () => {
      if (events !== this.#events) return;
      // The server ends it, too, when this page may do something else than before.
      this.#probe();
      // It tries again by itself unless it was refused.
      if (events.readyState === EventSource.CLOSED) setTimeout(() => this.#listen(), AGAIN_MS);
    });
  }

  /** Asks whether the server is there, when it has been quiet. */
  async #probe() {
    const answer = await asked("GET", "/api/competitions");
    if (!answer.ok) {
      this.#lost();
      return;
    }
    const was_lost = this.lost_since !== null;
    this.#heard();
    if (!was_lost) return;
    this.#listen();
    this.load();
  }

  #heard() {
    this.#heard_at = Date.now();
    if (this.lost_since === null) return;
    this.lost_since = null;
    this.#tell("back");
  }

  #lost() {
    if (this.lost_since !== null) return;
    this.lost_since = this.#heard_at;
    this.#tell("lost");
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

/** Milliseconds as a clock shows them, `4:05.3`: tenths, or as many decimals as are asked for. */
export function clock_text(ms, decimals = 1) {
  const unit = 10 ** (3 - decimals);
  const whole = Math.floor(ms / unit) * unit;
  const minutes = Math.floor(whole / 60000);
  const seconds = ((whole % 60000) / 1000).toFixed(decimals).padStart(decimals ? decimals + 3 : 2, "0");
  return `${minutes}:${seconds}`;
}

/** `4:05.3`, `4:05` or `245.3` as milliseconds; null for what is none of them. */
export function clock_ms(text) {
  const found = /^(?:(\d{1,4}):)?(\d{1,5})(?:[.,](\d{1,3}))?$/.exec(text.trim());
  if (!found || (found[1] !== undefined && Number(found[2]) > 59)) return null;
  return Number(found[1] ?? 0) * 60000 + Number(found[2]) * 1000 + Number((found[3] ?? "").padEnd(3, "0"));
}

/** What a replay is made of; the fewest moves are looked for when somebody asks. */
export const asked_replay = (evening, id) => asked("GET", evening.address(`/attempts/${encodeURIComponent(id)}/replay`), undefined, LONG_MS);
