/** Positions as text, "head: L 4 | s1: 6 2 | T1>thrown: 3", and as what stands where. */

/** `{segments: {name: [vehicle, ...]}, turnouts: {name: {vehicle, leg}}}`; every segment of the layout is there. */
export function read(layout, text) {
  const position = { segments: {}, turnouts: {} };
  for (const name of Object.keys(layout.segments)) position.segments[name] = [];
  for (const part of (text ?? "").split("|")) {
    const colon = part.indexOf(":");
    if (colon < 0) continue;
    const place = part.slice(0, colon).trim();
    const vehicles = part.slice(colon + 1).trim().split(/\s+/).filter(Boolean);
    const [turnout, leg] = place.split(">");
    if (leg && vehicles.length) position.turnouts[turnout] = { vehicle: vehicles[0], leg };
    else if (place in position.segments) position.segments[place] = vehicles;
  }
  return position;
}

export function write({ segments, turnouts }) {
  const parts = Object.entries(segments).map(([name, vehicles]) => `${name}: ${vehicles.join(" ")}`.trim());
  for (const [name, { vehicle, leg }] of Object.entries(turnouts)) parts.push(`${name}>${leg}: ${vehicle}`);
  return parts.join(" | ");
}

/** A position in which everything can be set up by hand: what is on no track, but on points or nowhere, is `loose`. */
export function on_tracks(layout, { believed, confirmed }, vehicles) {
  const position = read(layout, believed || confirmed);
  const names = [...new Set([...Object.values(read(layout, confirmed || believed)).flatMap(all), ...all(position.segments), ...all(position.turnouts)])];
  if (!believed && Object.keys(vehicles).length) {
    // What is seen is no position: two on one turnout, say. On the tracks it is known all the same.
    for (const { element, vehicles: here } of standing(layout, vehicles)) if (element in position.segments) position.segments[element] = here;
  }
  const placed = new Set(all(position.segments));
  return { segments: position.segments, turnouts: {}, loose: names.filter((name) => !placed.has(name)) };
}

const all = (part) => Object.values(part).flatMap((one) => (Array.isArray(one) ? one : [one.vehicle]));

/**
 * A position with one vehicle elsewhere: before the `index`-th of a segment, counted with the vehicle itself unless it
 * is said to be `without` it.
 */
export function moved(position, vehicle, to) {
  const segments = {};
  let index = to.index;
  for (const [name, standing] of Object.entries(position.segments)) {
    const at = standing.indexOf(vehicle);
    segments[name] = standing.filter((one) => one !== vehicle);
    if (name === to.segment && at >= 0 && at < index && !to.without) index -= 1;
  }
  segments[to.segment].splice(index, 0, vehicle);
  return { segments, turnouts: {}, loose: (position.loose ?? []).filter((one) => one !== vehicle) };
}

/** What stands on each element by what the layout tells: `[{element, leg, vehicles}]`, from -> to, the layout's order. */
export function standing(layout, vehicles) {
  const order = [...Object.keys(layout.segments), ...Object.keys(layout.turnouts)];
  return order
    .map((element) => {
      const here = Object.entries(vehicles).filter(([, told]) => told.element === element);
      here.sort(([, a], [, b]) => a.at_mm - b.at_mm);
      return { element, leg: here[0]?.[1].leg ?? null, vehicles: here.map(([name]) => name) };
    })
    .filter(({ element, vehicles: here }) => here.length || element in layout.segments);
}

/** Whether a segment is drawn with its `from` end on the left. */
export function left_to_right(layout, segment) {
  const { draw } = layout.segments[segment];
  return draw[0][0] <= draw.at(-1)[0];
}
