/** The newest state as the server tells it, and who looks at which part. */

export class Store {
  state = null;
  you = { role: "spectator", who: null, locomotive: null };
  layout = null;
  /** Shown to a hall: nothing can be pressed but the stop. */
  hall = false;
  #views = [];

  /** Calls `render(state)` now and whenever one of the keys has changed ("you" and "*" among them). */
  view(keys, render) {
    const one = { keys: new Set(keys), render };
    this.#views.push(one);
    if (this.state) render(this.state);
  }

  whole(state) {
    this.state = state;
    this.#tell(null);
  }

  changed(part) {
    if (!this.state) return;
    this.state = { ...this.state, ...part };
    this.#tell(Object.keys(part));
  }

  known(you) {
    this.you = { ...this.you, ...you };
    if (this.state) this.#tell(["you"]);
  }

  /** All is drawn again, in another language say. */
  again() {
    if (this.state) this.#tell(null);
  }

  /** The locomotive that this page may drive. */
  get locomotive() {
    const all = Object.keys(this.layout.vehicles).filter((name) => this.layout.vehicles[name].locomotive);
    return this.you.locomotive ?? all[0] ?? null;
  }

  get drives() {
    return !this.hall && (this.you.role === "driver" || this.you.role === "marshal");
  }

  /** Whether this page offers what moves something by hand. */
  get hands() {
    return this.drives;
  }

  get marshal() {
    return !this.hall && this.you.role === "marshal";
  }

  #tell(keys) {
    for (const { keys: wanted, render } of this.#views) {
      if (keys === null || wanted.has("*") || keys.some((key) => wanted.has(key))) render(this.state);
    }
  }
}
