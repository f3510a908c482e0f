/** The layout's track as a graph in millimetres, and where its points are drawn. */

/** "T1.closed" as its element and side; null is a buffer. */
function joint(text) {
  if (!text) return null;
  const dot = text.lastIndexOf(".");
  return { element: text.slice(0, dot), side: text.slice(dot + 1) };
}

export class Track {
  constructor(layout) {
    this.layout = layout;
  }

  is_turnout(element) {
    return element in this.layout.turnouts;
  }

  /** Millimetres from `from` to `to`, or from the toe joint along a leg. */
  length_mm(element, leg) {
    const turnout = this.layout.turnouts[element];
    return turnout ? (turnout.through_mm?.[leg] ?? turnout.length_mm) : this.layout.segments[element].length_mm;
  }

  /** What an element's end is joined to: `{element, side}`, null at a buffer. `at_to`: its `to`, or its leg. */
  beyond(element, leg, at_to) {
    const turnout = this.layout.turnouts[element];
    if (turnout) return joint(turnout.joints[at_to ? leg : "toe"]);
    const segment = this.layout.segments[element];
    return joint(at_to ? segment.to : segment.from);
  }

  /**
   * A place `by_mm` farther along: `{element, leg, at_mm, over_mm}`. `lies(turnout)` is the leg one lies for, or null.
   * Where the way ends or is not known the place is that end, and `over_mm` is what was left to go.
   */
  along({ element, leg, at_mm }, by_mm, lies) {
    let up = by_mm >= 0;
    let left = Math.abs(by_mm);
    for (let joints = 0; joints < 40; joints += 1) {
      const length = this.length_mm(element, leg);
      const room = up ? length - at_mm : at_mm;
      if (left <= room) return { element, leg, at_mm: up ? at_mm + left : at_mm - left, over_mm: 0 };
      const end = up ? length : 0;
      const next = this.beyond(element, leg, up);
      const next_leg = next && this.is_turnout(next.element) ? (next.side === "toe" ? lies(next.element) : next.side) : null;
      if (!next || (this.is_turnout(next.element) && !next_leg)) {
        return { element, leg, at_mm: end, over_mm: up ? left - room : room - left };
      }
      left -= Math.max(room, 0);
      up = next.side === "from" || next.side === "toe";
      ({ element } = next);
      leg = next_leg;
      at_mm = up ? 0 : this.length_mm(element, leg);
    }
    return { element, leg, at_mm, over_mm: 0 };
  }
}

/** Where the drawing's grid comes to lie on the screen, in pixels. */
export class Sheet {
  /** `width` is what there is; `row` the height of a level of track. */
  constructor(layout, width, row) {
    this.layout = layout;
    const points = [
      ...Object.values(layout.segments).flatMap((segment) => segment.draw),
      ...Object.values(layout.turnouts).flatMap((turnout) => [turnout.draw.toe, turnout.draw.closed, turnout.draw.thrown]),
    ];
    const xs = points.map(([x]) => x);
    this.left = Math.min(...xs);
    this.row = row;
    this.levels = [...new Set(points.map(([, y]) => y))].sort((a, b) => a - b);
    this.margin = Math.max(14, Math.min(30, width * 0.025));
    this.unit = (width - 2 * this.margin) / Math.max(Math.max(...xs) - this.left, 1);
    this.top = Math.min(row * 0.92, 118);
    this.width = width;
    this.height = this.top + row * (this.levels.length - 1) + row * 0.42;
  }

  pixel([x, y]) {
    return [this.margin + (x - this.left) * this.unit, this.top + this.levels.indexOf(y) * this.row];
  }

  /** The drawn line of an element, in its own direction. */
  line(element, leg) {
    const turnout = this.layout.turnouts[element];
    const points = turnout ? [turnout.draw.toe, turnout.draw[leg]] : this.layout.segments[element].draw;
    return points.map((point) => this.pixel(point));
  }

  /** The pixel of a place, and the direction of its line there; beyond the end in a straight line on. */
  point(track, { element, leg, at_mm, over_mm = 0 }) {
    const line = this.line(element, leg);
    const spans = line.slice(1).map(([x, y], i) => Math.hypot(x - line[i][0], y - line[i][1]));
    const whole = spans.reduce((sum, span) => sum + span, 0);
    let way = ((at_mm + over_mm) / track.length_mm(element, leg)) * whole;
    let i = 0;
    while (i < spans.length - 1 && way > spans[i]) way -= spans[i++];
    const [[ax, ay], [bx, by]] = [line[i], line[i + 1]];
    const share = spans[i] ? way / spans[i] : 0;
    return [ax + (bx - ax) * share, ay + (by - ay) * share];
  }
}
