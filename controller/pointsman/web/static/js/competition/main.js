/** The page of a competition is put together here: which one, who looks, and which view. */

import { dialog } from "../dialogs.js";
import { button, byId, change, html, refill } from "../dom.js";
import { refusal_line } from "../refusals.js";
import { reason } from "../sentences.js";
import { be_marshal, give_up_role } from "../session.js";
import { EmergencyStop } from "../stop.js";
import { Store } from "../store.js";
import { LANGUAGES, clock, preferred, speak, spoken_language, t } from "../words.js";
import { Check } from "./check.js";
import { Desk } from "./desk.js";
import { Entrants } from "./entrants.js";
import { Evening, asked } from "./evening.js";
import { open_form } from "./forms.js";
import { Hall } from "./hall.js";
import { Presses } from "./presses.js";
import { presses_line } from "./presses_line.js";
import { Replay } from "./replay.js";
import { Standings, paint_clocks } from "./standings.js";
import { Tablet } from "./tablet.js";

const RETRY_MS = 2000;
const CLOCKS_MS = 100;
const STOPPED_MS = 10000;
const WORDS = ["competition"];
/** Which views there are, and from which scope on. */
const VIEWS = { standings: "look", hall: "look", tablet: "mark", check: "mark", desk: "marshal", entrants: "marshal" };
const SCOPES = ["look", "mark", "marshal"];

async function at_last(get) {
  for (;;) {
    try {
      return await get();
    } catch (error) {
      console.info(error);
    }
    refill(byId("lost"), "waiting", () => html("p", { class: "notice link", text: t("waiting.server") }));
    await new Promise((over) => setTimeout(over, RETRY_MS));
  }
}

/** The competition that the address names, else the only one; with several somebody has to choose. */
async function chosen() {
  const { competitions } = await at_last(async () => {
    const answer = await asked("GET", "/api/competitions");
    if (!answer.ok) throw new Error(answer.why ?? "no answer");
    return answer;
  });
  const wished = new URLSearchParams(location.search).get("c");
  const found = competitions.find(({ name }) => name === wished);
  if (found || competitions.length === 1) return (found ?? competitions[0]).name;
  const to = ({ name, title, date, place }) =>
    html("li", {}, html("a", { href: `?c=${encodeURIComponent(name)}${location.hash}`, text: title }), html("span", { class: "quiet", text: [date, place].filter(Boolean).join(", ") }));
  byId("main").replaceChildren(html("section", { class: "card" }, html("h2", { text: t("choose") }), competitions.length ? html("ul", { class: "list" }, ...competitions.map(to)) : html("p", { text: t("choose.none") })));
  return null;
}

/** A helper's token in the address, which leaves the address at once. */
function token_in_address() {
  const found = /^#token=([^&]+)$/.exec(location.hash);
  if (found) history.replaceState(null, "", `${location.pathname}${location.search}#tablet`);
  return found ? decodeURIComponent(found[1]) : null;
}

class Frame {
  #shown = null;

  constructor(evening) {
    this.evening = evening;
    const place = (name) => {
      const node = html("section", { id: `view-${name}`, class: "view", hidden: true });
      byId("main").append(node);
      return node;
    };
    // Wherever the page is, it says what was not sent yet.
    const presses = new Presses(evening);
    const line = () => presses_line(byId("presses"), presses, evening);
    presses.addEventListener("change", line);
    for (const event of ["view", "lost", "back"]) evening.addEventListener(event, line);
    this.line = line;
    this.views = {
      standings: new Standings(place("standings"), evening),
      hall: new Hall(place("hall"), evening),
      tablet: new Tablet(place("tablet"), evening, presses),
      check: new Check(place("check"), evening),
      desk: new Desk(place("desk"), evening),
      entrants: new Entrants(place("entrants"), evening),
      replay: new Replay(place("replay"), evening),
    };
    this.denied = place("denied");
    addEventListener("hashchange", () => this.show());
    evening.addEventListener("view", () => this.show());
    for (const event of ["lost", "back", "refused"]) evening.addEventListener(event, (said) => this.#line(said));
    setInterval(() => paint_clocks(evening), CLOCKS_MS);
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      byId("main").focus();
    });
  }

  /** Where there is a layout it can be stopped from here; else the space bar is what it is on every page. */
  #stoppable() {
    if (this.stop || this.evening.view.layout === null) return;
    this.stop = new EmergencyStop(byId("stop"), by_request, new Store());
    this.stop.show();
    byId("stop").hidden = false;
    // Nothing is heard here of the halt, nor of its end: after a while a press is a first one again.
    let timer = null;
    addEventListener("emergency", () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        this.stop.pressed = false;
        this.stop.show();
      }, STOPPED_MS);
    });
  }

  show() {
    const { view } = this.evening;
    if (!view) return;
    const [wished, of] = location.hash.slice(1).split("=");
    const name = wished === "replay" || wished in VIEWS ? wished : "standings";
    const may = SCOPES.indexOf(view.scope) >= SCOPES.indexOf(VIEWS[name] ?? "look");
    const shown = may ? name : "denied";
    if (this.#shown !== shown) {
      this.views[this.#shown]?.left?.();
      for (const node of byId("main").children) node.hidden = node.id !== `view-${shown}`;
      document.documentElement.classList.toggle("competition-hall", shown === "hall");
      if (this.#shown !== null) byId("main").focus({ preventScroll: true });
      this.#shown = shown;
    }
    this.#header(name);
    document.body.classList.toggle("with-layout", view.layout !== null);
    this.#stoppable();
    if (may) this.views[name].show(decodeURIComponent(of ?? ""));
    else refill(this.denied, [name, spoken_language()], () => [html("div", { class: "card" }, html("p", { text: t("denied") }), html("p", { class: "row" }, button(t("sign-in"), () => this.#sign_in(), { class: "main" })))]);
  }

  #header(name) {
    const { title, date, place, scope, who } = this.evening.view;
    document.title = `${title} · ${t(`view.${name}`)}`;
    change(byId("title"), { text: title });
    change(byId("status"), { text: [date, place, who && scope !== "look" ? t("you-are", { who, scope: t(`scope.${scope}`) }) : ""].filter(Boolean).join(" · ") });
    const allowed = Object.keys(VIEWS).filter((one) => SCOPES.indexOf(scope) >= SCOPES.indexOf(VIEWS[one]));
    const other = LANGUAGES.find((one) => one !== spoken_language());
    refill(byId("views"), [allowed, name, scope, this.evening.view.layout, spoken_language()], () => [
      ...allowed.map((one) => html("a", { href: `#${one}`, text: t(`view.${one}`), "aria-current": one === name ? "page" : null, "data-key": one })),
      this.evening.view.layout && scope === "marshal" ? html("a", { href: "/", text: t("to-layout"), "data-key": "layout" }) : null,
      button(t("language.other"), () => this.#speak(other), { lang: other, "aria-label": t("language.to"), "data-key": "language" }),
      button(t(scope === "look" ? "sign-in" : "sign-out"), () => (scope === "look" ? this.#sign_in() : this.#sign_out()), { "data-key": "sign" }),
    ]);
  }

  async #speak(language) {
    await at_last(() => speak(language, WORDS));
    this.stop?.show();
    this.#line();
    this.line();
    this.show();
    // The server's own sentences follow.
    this.evening.view.head.entries -= 1;
    this.evening.load();
  }

  #line(said) {
    const since = this.evening.lost_since;
    const refusal = said?.type === "refused" ? said.detail : null;
    document.body.classList.toggle("lost", since !== null);
    refill(byId("lost"), [since, refusal, spoken_language()], () => [
      since === null ? null : html("p", { class: "notice link", text: t("lost", { time: clock(since) }) }),
      refusal ? html("p", { class: "notice link" }, ...reason(refusal)) : null,
    ]);
  }

  #sign_in() {
    open_form(
      t("sign-in"),
      [
        { name: "pin", label: t("pin"), kind: "password" },
        { name: "token", label: t("token"), hint: t("token.hint") },
      ],
      async ({ pin, token }) => {
        if (!pin && !token) return { why: t("sign-in.nothing"), cure: t("sign-in.nothing.cure") };
        const answer = token ? await use_token(this.evening, token) : await be_marshal(pin);
        if (answer.ok) this.evening.load();
        return answer;
      },
      { verb: t("sign-in"), text: t("sign-in.text") },
    );
  }

  #sign_out() {
    const said = refusal_line();
    const shown = dialog(t("sign-out"), [
      html("p", { text: t("sign-out.text") }),
      said,
      html(
        "p",
        { class: "row" },
        button(
          t("sign-out"),
          async () => {
            const answers = [await asked("DELETE", this.evening.address("/token")), await give_up_role()];
            const refused = answers.find(({ ok }) => !ok);
            if (refused) return said.replaceChildren(...reason(refused));
            shown.close();
            return this.evening.load();
          },
          { class: "main" },
        ),
        button(t("cancel"), () => shown.close()),
      ),
    ]);
  }
}

/** There is no websocket here: the emergency stop goes by a request of its own. */
const by_request = Object.assign(new EventTarget(), { emergency_stop: () => false });

/** Is a helper from now on, by what the desk has given. */
const use_token = (evening, token) => asked("POST", evening.address("/token"), { token: token.replace(/^.*#token=/, "") });

async function begin() {
  const token = token_in_address();
  await at_last(() => speak(preferred(), WORDS));
  const name = await chosen();
  if (name === null) return;
  const evening = new Evening(name);
  const answer = token ? await use_token(evening, token) : { ok: true };
  new Frame(evening);
  evening.begin();
  if (!answer.ok) {
    const shown = dialog(t("sign-in"), [html("p", {}, ...reason(answer)), html("p", { class: "row" }, button(t("close"), () => shown.close(), { class: "main" }))]);
  }
}

begin();
