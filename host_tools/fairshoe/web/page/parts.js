// Parts that every machine has, each with `layer` to be put into the drawing and a method that shows its state.

import { el, flag, heat, say, set } from './svg.js';

/** A pile of cards: a block that grows, with its number. `way` -1: it lies above `y`, 1: below. */
export class Pile {
  constructor({ x, y, width, way, label = '', max = 110 }) {
    Object.assign(this, { y, way, max });
    this.block = el('rect', { class: 'pile', x, width, rx: 2, y, height: 0 });
    this.number = el('text', { class: 'count', x: x + width / 2, y: y + way * 14 });
    this.layer = el('g', {}, this.block, this.number);
    this.place = { x: x - 4, width: width + 8, y: way > 0 ? y - 6 : y - 46, height: 52 };
    if (label) this.layer.append(el('text', { class: 'label', x: x + width / 2, y: y + 21 }, label));
  }

  /** Hands at the pile. */
  heat(label, touch) {
    this.label = label;
    heat(this.layer, label, touch, el('rect', { class: 'hit', rx: 4, ...this.place }));
  }

  show(count) {
    const height = Math.min(this.max, count * 1.15 + (count ? 2 : 0));
    set(this.block, 'height', height);
    set(this.block, 'y', this.way > 0 ? this.y : this.y - height);
    set(this.number, 'y', this.way > 0 ? this.y + height + 26 : this.y - height - 8);
    say(this.number, count ? String(count) : '');
    if (this.label) set(this.layer, 'aria-label', count ? `${this.label}; ${count} in it` : this.label);
  }
}

/** A roller that turns while its motor is on. */
export class Roller {
  constructor({ x, y, r = 13, label = '', below = false }) {
    Object.assign(this, { x, y, angle: 0 });
    const spokes = el('path', { class: 'spokes', d: `M${-r + 3} 0H${r - 3}M0 ${-r + 3}V${r - 3}` });
    this.wheel = el('g', { class: 'roller' }, el('circle', { r }), spokes);
    this.layer = el('g', { transform: `translate(${x} ${y})` }, this.wheel);
    if (label) this.layer.append(el('text', { class: 'label minor', y: below ? r + 17 : -r - 7 }, label));
  }

  show(on, back, passed_ms) {
    flag(this.wheel, 'on', on);
    if (!on) return;
    // Slower than it really turns: at 1 x a real roller would only flicker.
    this.angle = (this.angle + (back ? -1 : 1) * Math.min(passed_ms * 0.9, 70)) % 360;
    set(this.wheel, 'transform', `rotate(${this.angle.toFixed(0)})`);
  }
}

/** A light barrier across a way. */
export class Beam {
  constructor({ line, x, y, reach = 22, angle = 0, label = '', text_y = null }) {
    this.line = line;
    this.ray = el('line', { class: 'ray', y1: -reach, y2: reach });
    this.eye = el('circle', { class: 'eye', cy: reach, r: 4.5 });
    this.layer = el(
      'g',
      { class: 'beam', transform: `translate(${x} ${y}) rotate(${angle})` },
      el('title', {}, `${line} beam`),
      this.ray,
      el('circle', { class: 'lamp', cy: -reach, r: 3.5 }),
      this.eye,
    );
    if (label) this.layer.append(el('text', { class: 'label minor', y: text_y ?? -reach - 8, transform: `rotate(${-angle})` }, label));
    this.edges = 0;
    this.reach = reach;
  }

  /** A finger in the beam: `touch` gets its line. */
  heat(touch) {
    heat(this.layer, `${this.line.replaceAll('_', ' ')} beam: block it, or free it`, () => touch(this.line), el('line', { class: 'hit', y1: -this.reach, y2: this.reach }));
  }

  /** level: what the device sees; truth: what is so; edges: how often it has changed. */
  show({ level, truth, edges, dark, powered }) {
    flag(this.layer, 'blocked', level === 1);
    flag(this.layer, 'lies', level !== truth && !dark);
    flag(this.layer, 'dark', dark || !powered);
    flag(this.layer, 'flickers', edges - this.edges > 2);
    this.edges = edges;
  }
}
