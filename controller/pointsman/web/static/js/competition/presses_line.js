/** What is said of presses that are not with the server yet, or were not taken. */

import { button, html, refill } from "../dom.js";
import { reason } from "../sentences.js";
import { clock, spoken_language, t, t_count } from "../words.js";
import { clock_text } from "./evening.js";

/** A press in words, as it stood on the button. */
export function press_words({ deed, at }) {
  const what = deed.do === "fault" ? t(`fault.${deed.fault}`) : t(`did.${deed.do}`);
  return deed.at_ms === undefined ? `${what} (${clock(at)})` : `${what} ${clock_text(deed.at_ms)}`;
}

export function presses_line(place, presses, evening) {
  const { waiting, refused, forgetful, stranger } = presses;
  const lost = evening.lost_since !== null;
  refill(place, [waiting, refused, forgetful, stranger, lost, spoken_language()], () => [
    waiting.length
      ? html(
          "div",
          { class: `notice ${lost || stranger ? "link" : "sending"}`, role: "status" },
          html("p", {}, html("strong", { text: t_count("presses.waiting", waiting.length) }), ` ${t(lost ? "presses.lost" : "presses.sending")}`),
          html("p", { class: "quiet", text: waiting.map(press_words).join(" · ") }),
          stranger ? html("p", {}, ...reason(stranger), ` ${t("presses.stranger")}`) : null,
          forgetful ? html("p", { text: t("presses.forgetful") }) : null,
        )
      : null,
    ...refused.map((one) =>
      html(
        "div",
        { class: "notice halted", role: "alert" },
        html("p", {}, html("b", { text: t("presses.refused", { press: press_words(one) }) }), " ", ...reason(one)),
        html(
          "p",
          { class: "row" },
          button(t("presses.again"), () => presses.again(one.key), { "data-key": `again-${one.key}` }),
          button(t("presses.away"), () => presses.put_away(one.key), { "data-key": `away-${one.key}` }),
        ),
      ),
    ),
  ]);
}
