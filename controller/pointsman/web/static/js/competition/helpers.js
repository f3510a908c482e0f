/** Tokens for helpers' devices: given once, with a picture to be scanned, and revoked. */

import { ask, dialog } from "../dialogs.js";
import { button, html, refill } from "../dom.js";
import { clock, spoken_language, t } from "../words.js";
import { open_form, tell } from "./forms.js";

const SCOPES = ["mark", "look", "marshal"];

export function helpers(place, evening, said) {
  const { tokens } = evening.view;
  refill(place, [tokens, spoken_language()], () => [
    html("div", { class: "row" }, html("h2", { text: t("helpers") }), button(t("helpers.give"), () => open_giving(evening), { "data-key": "give" })),
    tokens?.length ? html("ul", { class: "list card" }, ...tokens.map((one) => line(evening, one, said))) : html("p", { class: "card", text: t("helpers.none") }),
  ]);
}

function line(evening, { name, scope, expires, revoked }, said) {
  const over = new Date(expires) <= new Date(evening.view.now);
  const state = revoked ? t("helpers.revoked") : over ? t("helpers.over") : t("helpers.until", { time: clock(expires) });
  const revoke = async () => {
    if (await ask(t("helpers.revoke"), t("helpers.revoke.text", { name }), t("helpers.revoke"))) tell(said, await evening.deed("revoke-token", { name }));
  };
  return html(
    "li",
    { class: revoked || over ? "undone" : null },
    html("span", { class: "who" }, html("b", { text: name }), html("small", { text: `${t(`scope.${scope}`)}, ${state}` })),
    revoked || over ? null : button(t("helpers.revoke"), revoke, { "data-key": `revoke-${name}`, "aria-label": t("helpers.revoke.of", { name }) }),
  );
}

function open_giving(evening) {
  let given = null;
  open_form(
    t("helpers.give"),
    [
      { name: "name", label: t("helpers.name"), required: true, maxlength: 200, hint: t("helpers.name.hint") },
      { name: "scope", label: t("helpers.scope"), kind: "select", value: "mark", choices: SCOPES.map((one) => [one, t(`scope.${one}.text`)]) },
      { name: "hours", label: t("helpers.hours"), kind: "number", value: 8, min: 1, max: 168, required: true },
    ],
    async ({ name, scope, hours }) => {
      const answer = await evening.deed("give-token", { name, scope, hours: Number(hours) });
      if (answer.ok) given = { name, ...answer.answer };
      return answer;
    },
    { verb: t("helpers.give.do"), closed: () => given && show(given) },
  );
}

/** The token, told once: to be scanned, or typed. */
function show({ name, token, address, svg }) {
  const drawing = svg ? document.importNode(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement, true) : null;
  drawing?.setAttribute("role", "img");
  drawing?.setAttribute("aria-label", t("helpers.picture"));
  const shown = dialog(t("helpers.for", { name }), [
    html("p", { text: t("helpers.once") }),
    html("div", { class: "code" }, drawing, html("p", { class: "commitment", text: token }), address ? html("p", { class: "quiet address", text: address }) : null),
    html("p", { class: "row" }, button(t("close"), () => shown.close(), { class: "main" })),
  ]);
}
