/** What a tablet keeps over a reload: which attempt it has, its clock, and a stop that was not sent yet. */

const NOTHING = { attempt: null, uncovered: false, stopped_ms: null, outcome: null, last_ms: 0, clock: null };

export class Kept {
  #its;
  #taken_up = false;

  constructor(evening) {
    this.evening = evening;
    this.key = `pointsman.tablet.${evening.name}`;
    let text = null;
    try {
      text = localStorage.getItem(this.key);
    } catch (error) {
      console.info(error);
    }
    this.#its = { ...NOTHING, ...JSON.parse(text ?? "{}") };
  }

  get attempt() {
    return this.#its.attempt;
  }

  get uncovered() {
    return this.#its.uncovered;
  }

  set uncovered(uncovered) {
    this.#set({ uncovered });
  }

  /** What the clock showed when it was stopped, and how it ended was not said yet; null else. */
  get stopped_ms() {
    return this.#its.stopped_ms;
  }

  set stopped_ms(stopped_ms) {
    this.#set({ stopped_ms });
  }

  get outcome() {
    return this.#its.outcome;
  }

  set outcome(outcome) {
    this.#set({ outcome });
  }

  /** The last that was told of the clock. */
  get last_ms() {
    return this.#its.last_ms;
  }

  /** A moment for a press: later than the one before, even while the clock stands. */
  next_ms(shown) {
    this.#set({ last_ms: Math.max(shown, this.#its.last_ms + 1) });
    return this.#its.last_ms;
  }

  begin(attempt) {
    this.#taken_up = false;
    this.#set({ ...NOTHING, attempt });
  }

  end() {
    if (this.attempt) this.evening.release_clock(this.attempt);
    this.#set(NOTHING);
  }

  /** The clock was started here, or goes on. */
  runs(ms) {
    this.evening.set_clock(this.attempt, ms, true);
    this.#set({ clock: { ms, runs: true, wall: Date.now() } });
  }

  stands(ms) {
    this.evening.set_clock(this.attempt, ms, false);
    this.#set({ clock: { ms, runs: false, wall: Date.now() } });
  }

  /** After a reload the clock is where it was, if it was started here and nobody else has stopped it since. */
  take_up(attempt, unseen) {
    const { clock } = this.#its;
    const runs = attempt.phase === "running";
    if (!clock) return;
    const mine = unseen.some(({ deed }) => deed.attempt === attempt.id);
    if (clock.runs !== runs && !mine && this.stopped_ms === null && !this.#asking) {
      // Somebody else's press counts here too.
      this.evening.release_clock(attempt.id);
      this.#set({ clock: null });
    } else if (!this.#taken_up && clock.runs === runs) {
      this.evening.set_clock(attempt.id, clock.ms + (runs ? Date.now() - clock.wall : 0), runs);
    }
    this.#taken_up = true;
  }

  /** A pause is being asked for: the clock stands here before anybody has been told. */
  get #asking() {
    return document.querySelector(".dialog") !== null;
  }

  #set(parts) {
    this.#its = { ...this.#its, ...parts };
    try {
      localStorage.setItem(this.key, JSON.stringify(this.#its));
    } catch (error) {
      console.info(error);
    }
  }
}
