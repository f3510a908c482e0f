/** Vehicles as seen from the side: a silhouette for each kind, so that colour is never the only sign. */

import { svg } from "./dom.js";

const LEAST_NAME = 8;
const UNPAINTED = "#808080";

/** Black or white, whichever has the higher contrast on `#rrggbb` (WCAG 2 relative luminance). */
export function ink(background) {
  return luminance(background) > 0.179 ? "#000000" : "#ffffff";
}

function luminance(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Outlines in a box of w x h with its floor at y = h; the name is written at its middle.
const OUTLINES = {
  // A cab in the middle: which way a locomotive faces is nothing that its picture may claim.
  locomotive: (w, h) =>
    `M0 ${h}V${0.42 * h}Q0 ${0.3 * h} ${0.06 * w} ${0.3 * h}H${0.22 * w}V${0.06 * h}Q${0.22 * w} 0 ${0.27 * w} 0H${0.73 * w}` +
    `Q${0.78 * w} 0 ${0.78 * w} ${0.06 * h}V${0.3 * h}H${0.94 * w}Q${w} ${0.3 * h} ${w} ${0.42 * h}V${h}Z`,
  van: (w, h) => `M0 ${h}V${0.2 * h}Q${w / 2} ${-0.14 * h} ${w} ${0.2 * h}V${h}Z`,
  open: (w, h) => `M0 ${h}V${0.22 * h}H${w}V${h}Z`,
  mineral: (w, h) => `M${0.08 * w} ${h}L0 ${0.22 * h}H${w}L${0.92 * w} ${h}Z`,
  hopper: (w, h) => `M${0.16 * w} ${h}L0 ${0.55 * h}V${0.16 * h}H${w}V${0.55 * h}L${0.84 * w} ${h}Z`,
  tank: (w, h) =>
    `M${0.12 * w} ${0.12 * h}H${0.88 * w}Q${w} ${0.12 * h} ${w} ${0.5 * h}T${0.88 * w} ${0.88 * h}H${w}V${h}H0V${0.88 * h}H${0.12 * w}` +
    `Q0 ${0.88 * h} 0 ${0.5 * h}T${0.12 * w} ${0.12 * h}Z`,
  flat: (w, h) => `M0 ${h}V${0.18 * h}H${0.07 * w}V${0.36 * h}H${0.93 * w}V${0.18 * h}H${w}V${h}Z`,
  box: (w, h) => `M0 ${h}V${0.08 * h}H${0.3 * w}V0H${0.7 * w}V${0.08 * h}H${w}V${h}Z`,
  reefer: (w, h) => `M0 ${h}V${0.08 * h}H${0.08 * w}V0H${0.24 * w}V${0.08 * h}H${0.76 * w}V0H${0.92 * w}V${0.08 * h}H${w}V${h}Z`,
  coach: (w, h) => `M0 ${h}V${0.16 * h}Q0 0 ${0.12 * w} 0H${0.88 * w}Q${w} 0 ${w} ${0.16 * h}V${h}Z`,
  cattle: (w, h) => `M0 ${h}V${0.1 * h}H${w}V${h}Z`,
  goods: (w, h) => `M0 ${h}V${0.3 * h}L${0.2 * w} ${0.12 * h}L${0.4 * w} ${0.26 * h}L${0.62 * w} ${0.06 * h}L${0.82 * w} ${0.24 * h}L${w} ${0.14 * h}V${h}Z`,
  caboose: (w, h) => `M0 ${h}V${0.26 * h}H${0.32 * w}V0H${0.68 * w}V${0.26 * h}H${w}V${h}Z`,
  tender: (w, h) => `M0 ${h}V${0.12 * h}H${0.64 * w}L${0.76 * w} ${0.4 * h}H${w}V${h}Z`,
};

// Lines on the body, in the same box.
const MARKS = {
  cattle: (w, h) => [0.3, 0.45].map((y) => `M${0.04 * w} ${y * h}H${0.2 * w}M${0.8 * w} ${y * h}H${0.96 * w}`).join(""),
  coach: (w, h) => `M${0.06 * w} ${0.24 * h}H${0.94 * w}`,
  reefer: (w, h) => `M${0.14 * w} ${0.12 * h}V${0.9 * h}M${0.86 * w} ${0.12 * h}V${0.9 * h}`,
  van: (w, h) => `M${0.12 * w} ${0.24 * h}V${0.94 * h}M${0.88 * w} ${0.24 * h}V${0.94 * h}`,
};

/**
 * A vehicle, its floor's middle at (0, 0), `w` x `h` with its wheels. `vehicle` as /api/layout describes it; kinds
 * without a silhouette of their own are plain wagons.
 */
export function silhouette(name, vehicle, w, h) {
  const colour = vehicle.colour ?? UNPAINTED;
  const wheel = 0.13 * h;
  const body = h - 1.5 * wheel;
  const kind = vehicle.locomotive ? "locomotive" : vehicle.kind in OUTLINES ? vehicle.kind : "open";
  const paint = ink(colour);
  const shown = shortened(name, w, body);
  const wheels = (vehicle.locomotive ? [0.16, 0.39, 0.61, 0.84] : [0.2, 0.8]).map((x) =>
    svg("circle", { class: "wheel", cx: (x - 0.5) * w, cy: -wheel, r: wheel }),
  );
  return [
    ...wheels,
    svg(
      "g",
      { transform: `translate(${-w / 2} ${-h})` },
      svg("path", { class: "body", d: OUTLINES[kind](w, body), fill: colour }),
      MARKS[kind] && w > 34 && svg("path", { class: "mark", d: MARKS[kind](w, body), stroke: paint }),
    ),
    svg("text", {
      class: "name",
      x: 0,
      y: -h + body * (kind === "tank" ? 0.5 : 0.6),
      "font-size": shown.size.toFixed(1),
      fill: paint,
      text: shown.text,
    }),
  ];
}

function shortened(name, w, h) {
  const tall = Math.min(0.68 * h, 34);
  const fits = (text) => (0.86 * w) / (0.62 * text.length);
  let text = name;
  while (text.length > 1 && fits(text) < LEAST_NAME) text = text.slice(0, -1);
  return { text, size: Math.max(Math.min(tall, fits(text)), LEAST_NAME) };
}

/** A vehicle by itself, as a picture of its own; `text` is read instead of it. */
export function token(name, vehicle, { h = 34, text = null } = {}) {
  // As wide as its name needs.
  const w = Math.max(h * (vehicle.locomotive ? 1.75 : 1.45), (10 * 0.62 * name.length) / 0.86);
  return svg(
    "svg",
    {
      class: `token${vehicle.locomotive ? " locomotive" : ""}`,
      width: w + 6,
      height: h + 6,
      viewBox: `${-w / 2 - 3} ${-h - 3} ${w + 6} ${h + 6}`,
      role: text ? "img" : null,
      "aria-label": text,
      "aria-hidden": text ? null : "true",
    },
    ...silhouette(name, vehicle, w, h).filter(Boolean),
  );
}
