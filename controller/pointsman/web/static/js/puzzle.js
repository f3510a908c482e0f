/** The puzzle: cards drawn, the train to form, what has been counted, and the solution. */

import { board, called } from "./board.js";
import { dialog } from "./dialogs.js";
import { button, byId, html, refill } from "./dom.js";
import { photo } from "./photos.js";
import { left_to_right, read } from "./position.js";
import { refusal_line } from "./refusals.js";
import { run_words } from "./runs.js";
import { sentence } from "./sentences.js";
import { token } from "./shapes.js";
import { figure, spoken_language, t, t_count, t_or } from "./words.js";

const FIGURES = ["runs", "reversals", "couplings", "pull_drops", "seconds", "raw_starts", "hints", "emergency_stops", "by_hand"];

/** The figure that a puzzle is played for, as `done` names it. */
const counted = (puzzle) => puzzle.count.replace("-", "_");

/** Where a figure comes from, in the first of its words: "seen", "inferred", "entered". */
const origin_of = (origin) => (origin ?? "seen").split(" ")[0];

/** The same in words, unless it was seen. */
function origin_words(origin) {
  const one = origin_of(origin);
  return one === "seen" ? null : html("small", { class: "origin", text: ` ${t_or(`origin.${one}`, origin)}` });
}

/** What is counted, for so many. */
const counted_words = (count, figure_of_it) => t_count(`count.${count}`, figure_of_it);

/** Whether it is played for seconds: its par is told in milliseconds then, as the plan reckons them. */
const in_seconds = (puzzle) => puzzle.count === "seconds";

/** What the par is; after a putting right it counts from there. */
const par_words = (puzzle, origin) => t(origin_of(origin) === "entered" ? "par.here" : puzzle.proved ? "par.proved" : "par");

export class Puzzle {
  #facing = null;
  #busy = false;

  constructor(place, link, store, track, deeds) {
    Object.assign(this, { place, link, store, track, deeds });
    this.title = html("h2", { id: "puzzle-title" });
    this.controls = html("div", { class: "row controls" });
    this.said = refusal_line();
    this.set_up = html("div", { class: "set-up" });
    this.score = html("div", { class: "score" });
    this.target = html("div", { class: "target" });
    // In the diagram's own line, which stays in sight.
    this.hint = byId("hint");
    this.next = html("div", { class: "next-run" });
    this.figures = html("div", { class: "figures" });
    this.plan = html("div", { class: "plan" });
    this.prints = html("p", { class: "prints" });
    place.append(
      this.title,
      this.set_up,
      html("div", { class: "part" }, this.controls, this.said, this.score, this.next, this.target),
      html("div", { class: "part" }, this.figures, this.plan, this.prints),
    );
    store.view(["puzzle", "mode", "demo", "question", "you", "vehicles", "attempt"], () => this.#show());
  }

  async #ask(what, fields = {}) {
    this.#busy = true;
    this.#show();
    const answer = await this.link.ask(what, fields);
    this.#busy = false;
    this.#show();
    this.deeds.answered(answer, this.said);
    return answer;
  }

  #show() {
    const { state, store } = { state: this.store.state, store: this.store };
    const { puzzle, mode, demo } = state;
    const language = spoken_language();
    this.title.textContent = puzzle ? puzzle.title || puzzle.name : t("puzzle");
    refill(this.controls, [mode, demo, store.you.role, this.#busy, Boolean(puzzle?.plan?.length), state.attempt, language], () => this.#offered());
    refill(this.set_up, [mode, puzzle?.start, state.question, this.#facing, store.you.role, language], () => this.#set_up());
    refill(this.score, [puzzle?.count, puzzle?.par, puzzle?.proved, puzzle?.done, puzzle?.distance, mode, language], () => this.#score());
    refill(this.target, [puzzle?.cards, puzzle?.target, puzzle?.seed, puzzle?.level, language], () => this.#target());
    refill(this.hint, [puzzle?.hint, puzzle?.next, mode, language], () => this.#hint());
    refill(this.next, [store.hall, puzzle?.plan, puzzle?.next, mode, language], () => this.#next());
    refill(this.figures, [puzzle?.done, language], () => this.#figures());
    refill(this.plan, [puzzle?.plan, puzzle?.next, language], () => this.#plan());
    refill(this.prints, [Boolean(puzzle?.start), puzzle?.par === null, language], () => this.#prints());
  }

  /** The buttons that make sense now, for who may press them. */
  #offered() {
    const { store } = this;
    const { mode, demo } = store.state;
    const one = (what, fields, { key = what, main = false, role = "marshal" } = {}) =>
      (role === "driver" ? store.drives : store.marshal) &&
      button(t(key), () => this.#ask(what, fields), { class: main ? "main" : null, disabled: this.#busy, "data-key": key });
    const still = ["ready", "hand", "paused"].includes(mode);
    const { attempt } = store.state;
    // In an attempt a person drives, to its end.
    if (attempt && !attempt.over) return [still && attempt.hints && !attempt.clock_stands && one("hint", {}, { role: "driver" })];
    return [
      ["idle", "solved", "dealt", "ready", "paused", "hand", "halted"].includes(mode) &&
        store.marshal &&
        button(t("deal"), () => this.#deal(), { class: ["idle", "solved"].includes(mode) ? "main" : null, "data-key": "deal" }),
      mode === "auto" && one("pause", {}, { main: true }),
      mode === "paused" && one("go-on", {}, { main: true }),
      ["ready", "hand"].includes(mode) && one("auto", {}, { main: true }),
      still && one("step", {}),
      still && one("hint", {}, { role: "driver" }),
      (demo || ["idle", "dealt", "solved", "halted"].includes(mode)) && one("demo", { on: !demo }, { key: demo ? "demo.off" : "demo" }),
    ];
  }

  /** What can be printed, as documents of their own. */
  #prints() {
    const sheet = (name, text) => html("a", { href: `/api/print/${name}.pdf?lang=${spoken_language()}`, target: "_blank", text });
    const { puzzle } = this.store.state;
    const printable = puzzle?.start && puzzle.par !== null;
    return [t("print"), sheet("cards", t("print.cards")), printable && sheet("draw", t("print.draw"))];
  }

  /** Whether a play that is not at its end is given up when another one is drawn. */
  get #gives_up() {
    const { mode, unfinished } = this.store.state;
    return Boolean(unfinished) || ["ready", "paused", "hand", "halted"].includes(mode);
  }

  #deal() {
    const { puzzles } = this.store.layout;
    const gives_up = this.#gives_up;
    // The code on a draw sheet leads here.
    const printed = new URLSearchParams(location.hash.slice(1));
    const named = puzzles.find(({ name }) => name === printed.get("puzzle"))?.name;
    const choice = html("select", { id: "deal-puzzle" }, ...puzzles.map(({ name, title }) => html("option", { value: name, text: title || name })));
    choice.value = named ?? this.store.state.puzzle?.name ?? puzzles[0]?.name ?? "";
    const seed = html("input", { type: "text", id: "deal-seed", maxlength: 64, autocomplete: "off" });
    seed.value = named ? (printed.get("seed") ?? "") : "";
    const cards = html("input", { type: "text", id: "deal-cards", maxlength: 400, autocomplete: "off" });
    cards.value = named ? (printed.get("cards") ?? "") : "";
    const level = html(
      "select",
      { id: "deal-level" },
      html("option", { value: "", text: t("level.any") }),
      ...[1, 2, 3, 4].map((one) => html("option", { value: one, text: t("level.one", { level: one }) })),
    );
    const form = html(
      "form",
      {
        submit: (event) => {
          event.preventDefault();
          shown.close();
          const fields = { puzzle: choice.value };
          if (seed.value.trim()) fields.seed = seed.value.trim();
          if (cards.value.trim()) fields.cards = cards.value.trim();
          if (level.value) fields.level = Number(level.value);
          this.#facing = null;
          this.#ask("deal", fields);
        },
      },
      html("p", {}, html("label", { for: "deal-puzzle", text: t("puzzle") }), choice),
      html("p", {}, html("label", { for: "deal-level", text: t("level") }), level),
      html("p", {}, html("label", { for: "deal-seed", text: t("seed.optional") }), seed),
      html("p", {}, html("label", { for: "deal-cards", text: t("cards.optional") }), cards),
      html(
        "p",
        { class: "row" },
        html("button", { type: "submit", class: "main", text: t(gives_up ? "deal.anew" : "deal.do") }),
        button(t("cancel"), () => shown.close()),
      ),
    );
    const shown = dialog(t("deal"), [
      gives_up && html("p", { class: "refused", text: t("deal.gives-up") }),
      html("p", { text: t("deal.text") }),
      form,
    ].filter(Boolean));
  }

  /** The picture of how all must stand, and which way the locomotive faces: a person's yes begins. */
  #set_up() {
    const { state, layout, locomotive, marshal } = this.store;
    const asked = state.question?.kind === "set-up" ? state.question : null;
    if (!state.puzzle?.start || !(state.mode === "dealt" || asked)) return [];
    const start = read(layout, state.puzzle.start);
    const at = Object.keys(start.segments).find((name) => start.segments[name].includes(locomotive));
    const beyond = (end) => (at && this.track.beyond(at, null, end === "to")?.element) || t("buffer");
    const ends = ["from", "to"].map((end) => [end, asked?.ends?.[end] ?? beyond(end)]);
    const facing = html(
      "div",
      { class: "row", role: "group", "aria-labelledby": "facing-question" },
      ...ends.map(([end, name]) =>
        button(name, () => ((this.#facing = end), this.#show()), {
          "aria-pressed": String(this.#facing === end),
          "data-key": `facing-${end}`,
          class: "choice",
        }),
      ),
    );
    return [
      html("h3", { text: t("set-up") }),
      html("p", { text: asked?.text || t("set-up.text") }),
      ...(marshal
        ? [
            asked?.facing?.note && html("p", { text: asked.facing.note }),
            html("p", { id: "facing-question", text: asked?.facing?.text || t("facing") }),
            facing,
            html(
              "p",
              { class: "row" },
              button(t("begin"), () => this.#ask("begin", { facing: this.#facing }), {
                class: "main",
                disabled: this.#facing === null,
                "data-key": "begin",
              }),
            ),
          ]
        : []),
      board(layout, start),
    ];
  }

  #score() {
    const { puzzle, mode } = this.store.state;
    if (!puzzle) return mode === "idle" && html("p", { class: "quiet", text: t("puzzle.none") });
    const done = puzzle.done?.[counted(puzzle)] ?? 0;
    const origin = puzzle.done?.origins?.[counted(puzzle)];
    const { par, distance } = puzzle;
    const one = (value, words, ...more) => html("p", { class: "count" }, html("b", { text: figure(value) }), html("span", { text: words }), ...more);
    return [
      one(done, counted_words(puzzle.count, done), origin_words(origin)),
      par !== null && par !== undefined && (in_seconds(puzzle) ? one(Math.round(par / 1000), t("par.seconds")) : one(par, par_words(puzzle, origin))),
      distance !== null && distance !== undefined && mode !== "solved" && one(distance, t_count("distance", distance)),
      mode === "solved" && html("p", { class: "solved", role: "status", text: t("solved") }),
      in_seconds(puzzle) && html("p", { class: "quiet", text: t("par.seconds.text") }),
    ];
  }

  #target() {
    const { puzzle } = this.store.state;
    if (!puzzle) return [];
    const { layout } = this.store;
    const drawn = (item) => {
      if (Array.isArray(item)) {
        return html("span", { class: "any-order", role: "group", "aria-label": t("any-order") }, ...item.map(drawn));
      }
      if (item in layout.vehicles) return token(item, layout.vehicles[item], { text: called(layout, item) });
      return html("span", { class: "wild", text: item === ".." ? "…" : item === "?" ? "?" : t_or(`kind.${item.slice(1)}`, item) });
    };
    const rows = Object.entries(puzzle.target ?? {}).map(([segment, items]) => {
      const forth = !(segment in layout.segments) || left_to_right(layout, segment);
      const train = forth ? items : [...items].reverse();
      return html("li", {}, html("span", { class: "place", text: segment }), html("span", { class: "track" }, ...train.map(drawn)));
    });
    const cards = puzzle.cards ?? [];
    const drawn_by = [puzzle.seed && t("seed", { seed: puzzle.seed }), puzzle.level && t("level.one", { level: puzzle.level })];
    return [
      cards.length &&
        html(
          "div",
          { class: "mug" },
          html("h3", { text: t("cards") }),
          html(
            "ol",
            { class: "cards" },
            ...cards.map((card) => {
              const vehicle = layout.vehicles[card];
              if (!vehicle) return html("li", { text: card });
              const drawing = token(card, vehicle, { h: 26, text: called(layout, card) });
              return html("li", { class: vehicle.photo ? "pictured" : null }, photo(layout, card), drawing);
            }),
          ),
          html("p", { class: "quiet", text: drawn_by.filter(Boolean).join(" · ") }),
        ),
      rows.length && html("div", {}, html("h3", { text: t(rows.length > 1 ? "target.spots" : "target") }), html("ul", { class: "board" }, ...rows)),
    ];
  }

  /** The hint, while nothing moves by itself. */
  #hint() {
    const { puzzle, mode } = this.store.state;
    const hint = puzzle?.hint;
    if (!hint || mode === "auto") return [];
    const words = run_words(this.store.layout, puzzle, puzzle.next, hint.run);
    const more = hint.distance === null ? "" : ` ${t("hint.distance", { distance: hint.distance })}`;
    return html("p", { class: "tip", role: "status" }, html("strong", { text: t("hint.is") }), ` ${words}${more}`);
  }

  /** What comes next, for a hall. */
  #next() {
    const { state, hall, layout } = this.store;
    const run = state.puzzle?.plan?.[state.puzzle.next];
    if (!hall || !run || state.mode === "solved") return [];
    return [html("h3", { text: t("next-run") }), html("p", { text: sentence(run_words(layout, state.puzzle, state.puzzle.next, run.text)) })];
  }

  #figures() {
    const { puzzle } = this.store.state;
    if (!puzzle?.done) return [];
    const told = (name) => puzzle.done[name] !== undefined && puzzle.done[name] !== null && name !== counted(puzzle);
    const rows = FIGURES.filter(told).map((name) => {
      const origin = puzzle.done.origins?.[name];
      return html(
        "div",
        {},
        html("dt", { text: counted_words(name.replace("_", "-"), puzzle.done[name]) }),
        html("dd", {}, figure(puzzle.done[name]), origin_words(origin)),
      );
    });
    return html("dl", {}, ...rows);
  }

  #plan() {
    const { puzzle } = this.store.state;
    if (!puzzle?.plan?.length) return [];
    const open = this.plan.querySelector("details")?.open ?? false;
    const steps = puzzle.plan.map((run, i) =>
      html("li", { class: i < puzzle.next ? "past" : i === puzzle.next ? "next" : null, "aria-current": i === puzzle.next ? "step" : null, text: run_words(this.store.layout, puzzle, i, run.text) }),
    );
    return html("details", { open }, html("summary", { text: t_count("plan", puzzle.plan.length) }), html("ol", {}, ...steps));
  }
}
