// The carousel: slots around a hub, the mouth at the left, the ejector in the hub, the slot beam at the top.

import { el, flag, heat, set } from './svg.js';

const HUB = 52;

export class Carousel {
  constructor({ x, y, radius, count, beam_slots }) {
    Object.assign(this, { x, y, count });
    this.slots = Array.from({ length: count }, (_, i) => {
      const angle = Math.PI + (2 * Math.PI * i) / count;
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      const ends = { x1: cos * (HUB + 4), y1: sin * (HUB + 4), x2: cos * (radius - 3), y2: sin * (radius - 3) };
      return el('line', { class: 'slot', ...ends });
    });
    const mark = el('path', { class: 'home', d: `M${-radius - 7} -6L${-radius + 3} 0L${-radius - 7} 6Z` }, el('title', {}, 'home mark'));
    this.wheel = el('g', { class: 'wheel' }, el('circle', { r: radius, class: 'rim' }), el('circle', { r: HUB, class: 'hub' }), mark, ...this.slots);
    this.arm = el('path', { class: 'arm', d: `M-8 0H${-HUB + 2}m0 -7v14` });
    const turn = -(360 / count) * 0.5 + (360 / count) * (beam_slots + 1) + 180;
    this.eye = el('g', { class: 'beam', transform: `rotate(${turn - 180})` }, el('title', {}, 'slot beam'));
    this.eye.append(el('circle', { class: 'lamp', cx: -radius - 9, r: 3.5 }), el('circle', { class: 'eye', cx: -HUB + 8, r: 4.5 }));
    this.eye.prepend(el('line', { class: 'ray', x1: -radius - 9, x2: -HUB + 8 }));
    this.ray = { x1: -radius - 9, x2: -HUB + 8 };
    this.layer = el('g', { transform: `translate(${x} ${y})` }, this.wheel, this.eye, this.arm);
  }

  /** A finger in the slot beam. */
  heat(touch) {
    heat(this.eye, 'slot beam: block it, or free it', () => touch('slot'), el('line', { class: 'hit', ...this.ray }));
  }

  show(picture, lines) {
    const bytes = picture.slots ?? '';
    this.slots.forEach((slot, i) => {
      const held = parseInt(bytes.slice(2 * i, 2 * i + 2) || '0', 16);
      flag(slot, 'full', held > 0);
      flag(slot, 'double', held > 1);
    });
    const degrees = (-(picture.axis ?? 0) * 360) / (1000 * this.count);
    set(this.wheel, 'transform', `rotate(${degrees.toFixed(2)})`);
    set(this.arm, 'transform', lines.truth('ejector') ? 'translate(-34 0)' : '');
    flag(this.arm, 'on', picture.out?.slice(4, 6) === '01');
    flag(this.eye, 'blocked', lines.level('slot') === 1);
    flag(this.eye, 'dark', lines.dark || !picture.power);
    flag(this.eye, 'lies', !lines.dark && lines.watches('slot') && lines.level('slot') !== lines.truth('slot'));
  }
}
