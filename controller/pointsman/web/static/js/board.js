/** A position as rows of vehicles, drawn the way the tracks lie; vehicles can be picked up and put elsewhere. */

import { html } from "./dom.js";
import { left_to_right } from "./position.js";
import { token } from "./shapes.js";
import { t, t_or } from "./words.js";

const DRAG_PX = 8;

/** What a vehicle is called in words: its kind and its name. */
export function called(layout, name) {
  const vehicle = layout.vehicles[name];
  if (!vehicle) return name;
  const kind = vehicle.locomotive ? "locomotive" : vehicle.kind;
  // A wagon that is named as its kind is says it once.
  return kind && kind !== name ? `${t_or(`kind.${kind}`, kind)} ${name}` : name;
}

/**
 * The rows of a board; `position.loose` are vehicles that stand on no track. With `edit` (`{picked, pick(vehicle), put(place)}`) vehicles are buttons, and so are the places
 * where the picked one may go.
 */
export function board(layout, position, edit = null) {
  const rows = Object.entries(position.segments).map(([name, vehicles]) => {
    const forth = left_to_right(layout, name);
    const cells = vehicles.map((vehicle) => piece(layout, vehicle, edit));
    const { capacity } = layout.segments[name];
    if (edit?.picked && (vehicles.includes(edit.picked) || vehicles.length < capacity)) {
      const slots = Array.from({ length: vehicles.length + 1 }, (_, index) => slot(layout, name, vehicles, index, edit));
      for (const [i, one] of slots.entries()) cells.splice(2 * i, 0, one);
    }
    const full = t("board.full", { name, count: vehicles.length, capacity });
    return html(
      "li",
      { class: vehicles.length > capacity ? "over" : null, "data-segment": name, "data-forth": String(forth) },
      html("span", { class: "place" }, name, html("small", { "aria-hidden": "true", text: ` ${vehicles.length}/${capacity}` }), html("span", { class: "unseen", text: full })),
      html("span", { class: "track" }, ...(forth ? cells : cells.reverse())),
    );
  });
  for (const [name, { vehicle, leg }] of Object.entries(position.turnouts)) {
    rows.push(html("li", {}, html("span", { class: "place", text: `${name} ${t(leg)}` }), html("span", { class: "track" }, piece(layout, vehicle, edit))));
  }
  const { loose = [] } = position;
  if (loose.length) {
    const cells = loose.map((vehicle) => piece(layout, vehicle, edit));
    rows.unshift(html("li", { class: "over" }, html("span", { class: "place", text: t("put-right.loose") }), html("span", { class: "track" }, ...cells)));
  }
  return html("ul", { class: `board${edit ? " edit" : ""}` }, ...rows);
}

function piece(layout, name, edit) {
  const vehicle = layout.vehicles[name];
  const picture = token(name, vehicle, { h: edit ? 38 : 30, text: edit ? null : called(layout, name) });
  if (!edit) return picture;
  const node = html(
    "button",
    {
      type: "button",
      class: "piece",
      "data-key": `piece-${name}`,
      "aria-pressed": String(edit.picked === name),
      "aria-label": called(layout, name),
      click: (event) => {
        if (node.dragged) event.preventDefault();
        else edit.pick(edit.picked === name ? null : name);
      },
      pointerdown: (event) => drag(event, node, name, edit),
    },
    picture,
  );
  return node;
}

function slot(layout, segment, vehicles, index, edit) {
  const where = vehicles[index - 1];
  const words = where
    ? t("board.after", { name: segment, vehicle: called(layout, where) })
    : t("board.first", { name: segment, end: layout.segments[segment].from?.split(".")[0] ?? t("buffer") });
  return spot(words, { segment, index }, edit, "");
}

function spot(words, place, edit, text) {
  return html("button", {
    type: "button",
    class: "slot",
    text,
    "aria-label": words,
    "data-place": JSON.stringify(place),
    "data-key": JSON.stringify(place),
    click: () => edit.put(place),
  });
}

/** Follows a finger or mouse with the piece; where it is let go over a place it is put there. */
function drag(event, node, name, edit) {
  if (event.button !== 0) return;
  const start = [event.clientX, event.clientY];
  node.dragged = false;
  const move = (to) => {
    if (to.pointerId !== event.pointerId) return;
    const [x, y] = [to.clientX - start[0], to.clientY - start[1]];
    if (!node.dragged && Math.hypot(x, y) < DRAG_PX) return;
    if (!node.dragged) {
      node.dragged = true;
      node.classList.add("dragged");
      edit.lift(name);
    }
    node.style.transform = `translate(${x}px, ${y}px)`;
  };
  const end = (at) => {
    if (at.pointerId !== event.pointerId) return;
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
    if (!node.dragged) return;
    const under = at.type === "pointerup" ? document.elementsFromPoint(at.clientX, at.clientY) : [];
    const place = nearest(under, at, node);
    node.style.transform = "";
    node.classList.remove("dragged");
    if (place) edit.put(place, name);
    else edit.pick(null);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** The place under a point: a slot, or beside the vehicle there, or the end of the row. */
function nearest(under, { clientX }, dragged) {
  const here = under.find((one) => one.matches?.("[data-place]"));
  if (here) return JSON.parse(here.dataset.place);
  const row = under.find((one) => one.matches?.("[data-segment]"));
  if (!row) return null;
  const pieces = [...row.querySelectorAll(".piece")].filter((one) => one !== dragged);
  const left = pieces.filter((one) => {
    const box = one.getBoundingClientRect();
    return box.left + box.width / 2 < clientX;
  }).length;
  const index = row.dataset.forth === "true" ? left : pieces.length - left;
  return { segment: row.dataset.segment, index, without: true };
}
