/** The page is put together here. */

import { Callouts } from "./callouts.js";
import { Diagram } from "./diagram.js";
import { dialog_open, help } from "./dialogs.js";
import { button, byId, change, html, refill } from "./dom.js";
import { Driving } from "./driving.js";
import { link, stop, store } from "./first.js";
import { MARKS, leg_of, lie_words, other_leg } from "./lies.js";
import { Notices } from "./notices.js";
import { People } from "./people.js";
import { Puzzle } from "./puzzle.js";
import { PuttingRight } from "./putting_right.js";
import { Refusals } from "./refusals.js";
import { names_of, sentence } from "./sentences.js";
import { code_in_address, use_code } from "./session.js";
import { Throttle } from "./throttle.js";
import { Track } from "./track.js";
import { WordsOfPosition } from "./words_of_position.js";
import { LANGUAGES, preferred, speak, spoken_language, t, t_or } from "./words.js";

const RETRY_MS = 2000;

async function layout() {
  const answer = await fetch(`/api/layout?lang=${spoken_language()}`);
  if (!answer.ok) throw new Error(`/api/layout: ${answer.status}`);
  return await answer.json();
}

/** What `get` gives; while it fails (no server yet, say) it is called again, and that is said. */
async function at_last(get) {
  for (;;) {
    try {
      return await get();
    } catch (error) {
      console.info(error);
    }
    refill(byId("notices"), "waiting", () => html("div", { class: "notice", role: "alert" }, html("p", { text: t("waiting") })));
    await new Promise((over) => setTimeout(over, RETRY_MS));
  }
}

/** What is being done; where nothing is, what can be done. */
function note({ note: doing, mode, throttle }, store) {
  // What the program calls a proving move is nothing for the public; and a hall is told the run itself.
  if (mode === "starting") return t("note.starting");
  if (doing) return store.hall && mode === "auto" ? "" : sentence(doing);
  const held = Object.values(throttle ?? {}).some(({ holder }) => holder);
  return store.hands && !held ? t_or(`note.${mode}`, "") : "";
}

function status(store, link) {
  const show = () => {
    const { state } = store;
    document.body.dataset.mode = state.mode;
    change(byId("mode"), { text: t(`mode.${state.mode}`) + (state.demo ? ` · ${t("demo.on")}` : ""), class: `lamp ${state.mode}` });
    const power = state.power === null || state.power === undefined ? "unknown" : state.power ? "on" : "off";
    change(byId("power"), { text: t(`power.${power}`), class: `lamp power-${power}` });
    change(byId("protection"), { text: t("protection.is", { level: t(`protection.${state.protection}`) }), class: `lamp protection-${state.protection}` });
    // A marshal changes it, by a button.
    byId("protection").hidden = store.marshal;
    const down = (state.links ?? []).filter((one) => one.why).length;
    const words = link.stale ? t("links.none") : down ? t("links.down", { count: down }) : t("links.up");
    change(byId("links"), { text: words, class: `lamp ${down || link.stale ? "off" : "on"}` });
  };
  for (const event of ["stale", "fresh"]) link.addEventListener(event, () => store.state && show());
  store.view(["mode", "demo", "power", "protection", "links", "you"], show);
  // What is being done, in a place of its own: it comes and goes, and nothing else moves for it.
  store.view(["note", "mode", "you", "throttle"], (state) => change(byId("note"), { text: note(state, store) }));
  const language = byId("language");
  const named = () => {
    const other = LANGUAGES.find((one) => one !== spoken_language());
    change(language, { text: t("language.other"), lang: other, "aria-label": t("language.to"), hreflang: other });
  };
  language.addEventListener("click", async () => {
    await speak(LANGUAGES.find((one) => one !== spoken_language()));
    named();
    link.say("language", { language: spoken_language() });
    store.layout = Object.assign(store.layout, await at_last(layout));
    store.again();
    document.title = store.layout.title;
    byId("title").textContent = store.layout.title;
  });
  byId("help").addEventListener("click", () => help(store.hands));
  named();
}

/** A lever for each turnout and magnet: the diagram's controls once more, large, for fingers. */
function levers(store, deeds) {
  const place = byId("levers");
  store.view(["turnouts", "magnets", "you", "mode"], (state) => {
    // Before the layout is played on, and afterwards, nothing of it can be set.
    place.hidden = !store.hands || ["idle", "dealt", "solved"].includes(state.mode);
    if (place.hidden) return;
    const turnouts = Object.keys(store.layout.turnouts).map((name) => [name, lie_words(name, state.turnouts[name])]);
    const magnets = Object.keys(store.layout.magnets).map((name) => [name, t("magnet.control", { name, on: t(state.magnets[name]?.on ? "on" : "off") })]);
    refill(place, [turnouts, magnets], () => [
      ...turnouts.map(([name, words]) => {
        const one = state.turnouts[name];
        const sure = one?.surety === "seen" || one?.surety === "assumed";
        const other = other_leg(one);
        const text = `${name} ${MARKS[one?.surety ?? "unknown"]}${leg_of(one) ? t(`${leg_of(one)}.short`) : ""}`;
        return button(text, () => deeds.turnout(name, other), {
          class: `lever${sure ? "" : " unsure"}`,
          "aria-label": `${words}. ${t("turnout.set", { leg: t(other) })}`,
          "data-key": name,
        });
      }),
      ...magnets.map(([name, words]) => button(`∪ ${name}`, () => deeds.uncouple(name), { class: "lever", "aria-label": words, "data-key": `magnet-${name}` })),
    ]);
  });
}

async function begin() {
  const code = code_in_address();
  await at_last(() => speak(preferred()));
  stop.show();
  const entered = code ? await use_code(code) : null;

  store.hall = new URLSearchParams(location.search).get("view") === "hall";
  document.documentElement.classList.toggle("hall", store.hall);
  store.layout = await at_last(layout);
  names_of(store.layout);
  document.title = store.layout.title;
  byId("title").textContent = store.layout.title;

  const deeds = {
    answered: (answer, line) => refusals.answered(answer, line),
    turnout: async (turnout, leg) => deeds.answered(await link.ask("turnout", { name: turnout, leg })),
    uncouple: async (magnet) => deeds.answered(await link.ask("uncouple", { name: magnet })),
    "put-right": () => putting_right.open(),
    "take-up": async () => deeds.answered(await link.ask("take-up")),
    yes: async () => deeds.answered(await link.ask("answer", { question: store.state.question.id, yes: true })),
    no: async () => deeds.answered(await link.ask("answer", { question: store.state.question.id, yes: false })),
  };
  const track = new Track(store.layout);
  new Notices(byId("notices"), link, store, deeds);
  const diagram = new Diagram(byId("diagram"), byId("legend"), store, track, deeds);
  const callouts = new Callouts(byId("diagram"), diagram, store);
  const refusals = new Refusals(callouts, byId("refused"), store);
  const throttle = new Throttle(link, store);
  link.addEventListener("refused", (event) => deeds.answered(event.detail));
  const putting_right = new PuttingRight(byId("putright"), link, store, deeds);
  new Driving(byId("driving"), link, store, throttle, track, diagram, deeds);
  new Puzzle(byId("puzzle"), link, store, track, deeds);
  new WordsOfPosition(byId("position"), byId("spoken"), store);
  new People(byId("role"), link, store, deeds);
  status(store, link);
  levers(store, deeds);
  store.view(["*"], () => stop.show());

  link.addEventListener("state", (event) => store.whole(event.detail));
  link.addEventListener("change", (event) => store.changed(event.detail));
  link.addEventListener("you", (event) => store.known(event.detail));
  addEventListener("keydown", (event) => {
    if (store.hall && event.key === "Escape" && !dialog_open()) location.search = "";
  });
  if (entered && !entered.ok) refusals.answered(entered);
  // After the throttle's own listener, which stops.
  addEventListener("pagehide", () => link.leave());
  link.connect();
}

begin();
