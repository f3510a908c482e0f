/** The websocket: requests with answers, what is heard, and the silence that makes a page stale. */

const SILENT_MS = 5000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;

/**
 * Tells by events: `state`, `change`, `you` (detail: the message), `open`, `closed`, `stale` (detail: since when),
 * `fresh`.
 */
export class Link extends EventTarget {
  heard_at = Date.now();
  stale = false;
  #address;
  #socket = null;
  #number = 0;
  #open_requests = new Map();
  #wait_ms = FIRST_WAIT_MS;
  #silence = null;
  #retry = null;
  #stop_owed = null;

  /** `address()` gives the websocket's address, asked anew for each connection. */
  constructor(address) {
    super();
    this.#address = address;
    addEventListener("online", () => this.#now());
    document.addEventListener("visibilitychange", () => document.hidden || this.#now());
  }

  get open() {
    return this.#socket !== null && this.#socket.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.#retry);
    this.#retry = null;
    const socket = new WebSocket(this.#address());
    this.#socket = socket;
    this.#watch();
    socket.addEventListener("open", () => {
      if (socket !== this.#socket) return;
      this.#wait_ms = FIRST_WAIT_MS;
      if (this.#stop_owed) this.#post("emergency-stop", this.#stop_owed);
      this.#stop_owed = null;
      this.#tell("open");
    });
    socket.addEventListener("message", (event) => socket === this.#socket && this.#hear(event.data));
    socket.addEventListener("close", () => socket === this.#socket && this.#lost());
  }

  /** The page is left: the connection ends, and is made anew should the page come back. */
  leave() {
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    clearTimeout(this.#silence);
    clearTimeout(this.#retry);
    this.#tell("closed");
    addEventListener("pageshow", () => this.connect(), { once: true });
  }

  /** A new connection, with the rights that the session has now. */
  anew() {
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#fail_all();
    this.#tell("closed");
    this.connect();
  }

  /** Asks for something; `{ok}` or `{why, cure, kind, name}`. `why` is null when the answer never came. */
  ask(what, fields = {}) {
    if (!this.open) return Promise.resolve({ why: null });
    return new Promise((answer) => {
      this.#post(what, fields, answer);
    });
  }

  /** Sends the emergency stop at once, or as the first thing once there is a connection; whether it went now. */
  emergency_stop(fields) {
    if (this.open) this.#post("emergency-stop", fields);
    else this.#stop_owed = { ...this.#stop_owed, ...fields };
    return this.open;
  }

  /** Sends without waiting for an answer, if it can be sent. */
  say(what, fields = {}) {
    if (this.open) this.#post(what, fields);
  }

  #post(what, fields, answer = null) {
    const id = ++this.#number;
    if (answer) this.#open_requests.set(id, answer);
    this.#socket.send(JSON.stringify({ id, do: what, ...fields }));
  }

  #hear(text) {
    const message = JSON.parse(text);
    this.heard_at = Date.now();
    this.#watch();
    if (this.stale) {
      this.stale = false;
      this.#tell("fresh");
    }
    if (message.type === "done" || message.type === "refused") {
      const answer = this.#open_requests.get(message.id);
      this.#open_requests.delete(message.id);
      const said = message.type === "done" ? { ok: true } : message;
      if (answer) answer(said);
      // What was not even understood has no number.
      else if (!said.ok) this.#tell("refused", said);
    } else if (message.type !== "beat") {
      const { type, ...rest } = message;
      this.#tell(type, rest);
    }
  }

  #watch() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#silent(), SILENT_MS);
  }

  #silent() {
    this.#grow_stale();
    // A connection that is open but says nothing is given up for a new one.
    const old = this.#socket;
    this.#socket = null;
    old?.close();
    this.#lost();
  }

  #grow_stale() {
    if (this.stale) return;
    this.stale = true;
    this.#tell("stale", this.heard_at);
  }

  #lost() {
    this.#socket = null;
    clearTimeout(this.#silence);
    this.#fail_all();
    this.#tell("closed");
    this.#grow_stale();
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.connect(), this.#wait_ms);
    this.#wait_ms = Math.min(2 * this.#wait_ms, LONGEST_WAIT_MS);
  }

  #now() {
    if (this.#retry !== null && this.#socket === null) this.connect();
  }

  #fail_all() {
    for (const answer of this.#open_requests.values()) answer({ why: null });
    this.#open_requests.clear();
  }

  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
