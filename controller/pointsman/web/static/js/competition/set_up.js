/** Before the clock: the picture of the set-up to compare, the cards covered until it is agreed, then the start. */

import { board } from "../board.js";
import { button, html, refill } from "../dom.js";
import { read } from "../position.js";
import { spoken_language, t } from "../words.js";
import { token } from "../shapes.js";
import { who } from "./standings.js";

/** Whether the clock may start: the set-up is agreed, and the player has seen the cards, if this device has them. */
export const may_start = (attempt, uncovered) => Boolean(attempt.set_up) && (uncovered || !attempt.cards);

export class SetUp {
  #layouts = {};

  constructor(evening) {
    this.evening = evening;
  }

  /** Shows it in a place; `deeds` are what can be done, and `uncovered` whether the cards may be seen. */
  show(place, attempt, deeds) {
    const { round } = attempt;
    const layout = this.#layouts[round];
    if (layout === undefined) {
      this.#layouts[round] = null;
      this.evening.layout(round).then((its) => {
        if (its === null) delete this.#layouts[round];
        else this.#layouts[round] = its;
        if (its) this.evening.dispatchEvent(new CustomEvent("view"));
      });
    }
    const agreed = Boolean(attempt.set_up);
    const ready = may_start(attempt, deeds.uncovered);
    const its = this.evening.round(round);
    refill(place, ["called", attempt, agreed, deeds.uncovered, Boolean(layout), its?.slow_enough, spoken_language()], () => [
      html("h2", { class: "playing-name" }, who(this.evening, attempt.entrant), html("small", { class: "quiet", text: t("tablet.place", { round: its?.title ?? "", number: attempt.number, heat: attempt.heat }) })),
      html("ol", { class: "stages", "aria-label": t("set-up.stages") }, ...["compare", "uncover", "start"].map((one, i) => html("li", { text: t(`set-up.${one}`), "aria-current": i === (agreed ? (ready ? 2 : 1) : 0) ? "step" : null }))),
      agreed ? null : this.#picture(attempt, layout),
      agreed && !ready ? this.#covered(attempt) : null,
      ready ? this.cards(attempt) : null,
      its && !its.slow_enough ? html("p", { class: "warned", text: t("set-up.too-fast", { limit: its.speed_limit_mm_s }) }) : null,
      html(
        "div",
        { class: "pads" },
        !agreed ? button(t("set-up.agree"), deeds.agree, { class: "pad main", "data-key": "agree" }) : null,
        agreed && !ready ? button(t("set-up.uncover.do"), deeds.uncover, { class: "pad main", "data-key": "uncover" }) : null,
        ready && !attempt.on_layout ? html("button", { type: "button", class: "pad main", click: deeds.start, "data-key": "start" }, html("span", { text: t("set-up.start.do") }), html("kbd", { text: t("key.start"), "aria-hidden": "true" })) : null,
      ),
      attempt.on_layout ? html("p", {}, t("set-up.on-layout"), " ", html("a", { href: "/", text: t("play.there") })) : null,
      html("p", { class: "row" }, button(t("set-up.not-started"), deeds.not_started, { "data-key": "not-started" }), button(t("tablet.leave"), deeds.leave, { "data-key": "leave" })),
    ]);
  }

  #picture(attempt, layout) {
    if (!attempt.start) return html("section", { class: "card" }, html("h3", { text: t("set-up.picture") }), html("p", { text: t("set-up.no-picture") }));
    return html(
      "section",
      { class: "card" },
      html("h3", { text: t("set-up.picture") }),
      html("p", { text: t("set-up.compare.text") }),
      layout ? board(layout, read(layout, attempt.start)) : html("p", { class: "quiet", text: attempt.start }),
    );
  }

  #covered(attempt) {
    return html("section", { class: "card" }, html("h3", { text: t("set-up.cards") }), html("ul", { class: "cards covered", "aria-label": t("set-up.covered") }, ...attempt.cards.map(() => html("li", { text: "?" }))));
  }

  /** The cards, uncovered. */
  cards(attempt) {
    const layout = this.#layouts[attempt.round];
    if (!attempt.cards) return html("section", { class: "card" }, html("p", { text: t("set-up.no-cards") }));
    const card = (name) => html("li", { "aria-label": name }, layout?.vehicles[name] ? token(name, layout.vehicles[name], { h: 34 }) : html("b", { text: name }));
    return html("section", { class: "card" }, html("h3", { text: t("set-up.cards") }), html("ul", { class: "cards" }, ...attempt.cards.map(card)));
  }
}
