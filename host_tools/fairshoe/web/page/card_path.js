// A way along which cards move: a line of points on the drawing, measured in micrometres of the machine.

import { el, flag, heat, set } from './svg.js';

export const PX_PER_MM = 1.75;

/** Points of a smooth curve from one point over a corner to another, each [x, y, um]. */
export function bend([x0, y0, um0], [cx, cy], [x1, y1, um1], pieces = 8) {
  return Array.from({ length: pieces + 1 }, (_, i) => {
    const t = i / pieces;
    const u = 1 - t;
    return [u * u * x0 + 2 * u * t * cx + t * t * x1, u * u * y0 + 2 * u * t * cy + t * t * y1, um0 + (um1 - um0) * t];
  });
}

export class CardPath {
  /** Points [x, y, um]: where on the drawing a place of the machine is; straight lines between them. */
  constructor(points) {
    this.points = points;
    this.layer = el('g');
    this.cards = [];
    this.touch = null; // what a finger on a card of this way does
  }

  /** The point at a place, and the number of the piece it lies on. */
  at(um) {
    const { points } = this;
    let i = 1;
    while (i < points.length - 1 && points[i][2] < um) i += 1;
    const [[x0, y0, um0], [x1, y1, um1]] = [points[i - 1], points[i]];
    const part = Math.min(Math.max((um - um0) / (um1 - um0), 0), 1);
    return { x: x0 + (x1 - x0) * part, y: y0 + (y1 - y0) * part, i };
  }

  /** The piece between two places, as the `d` of a path. */
  piece(from_um, to_um) {
    const [a, b] = [this.at(from_um), this.at(to_um)];
    const inner = this.points.slice(a.i, b.i);
    return `M${[[a.x, a.y], ...inner, [b.x, b.y]].map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join('L')}`;
  }

  /** Show the bodies that are on this way: [place of the leading edge, length, cards, number, traits, moves]. */
  show(bodies) {
    while (this.cards.length < bodies.length) {
      const card = el('path', { class: 'card' });
      if (this.touch) heat(card, 'card under way: stop it', this.touch);
      this.cards.push(card);
      this.layer.append(card);
    }
    this.cards.forEach((card, i) => {
      const body = bodies[i];
      flag(card, 'away', !body);
      if (!body) return;
      const [x_um, length_um, count, , traits] = body;
      set(card, 'd', this.piece(x_um - length_um, x_um));
      flag(card, 'double', count > 1);
      flag(card, 'other-back', (traits & 1) !== 0);
      flag(card, 'face-up', (traits & 2) !== 0);
      flag(card, 'foreign', (traits & 4) !== 0);
      flag(card, 'cut-card', (traits & 8) !== 0);
    });
  }
}
