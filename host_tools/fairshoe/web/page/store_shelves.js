// Shelves on an elevator: the one at the mouth takes cards, the pusher puts what lies on it into the tray.

import { el, set } from './svg.js';

const PITCH = 10.5;

export class Shelves {
  constructor({ x, y, width, count, cards_max }) {
    Object.assign(this, { count, cards_max, width });
    this.packs = Array.from({ length: count }, () => el('rect', { class: 'pile', x: x + 3, width: width - 6, height: 0 }));
    this.car = el('g', { class: 'wheel' });
    this.car.append(el('rect', { class: 'rim', x: x - 4, y: y - 8, width: width + 8, height: count * PITCH + 8, rx: 4 }));
    for (let i = 0; i < count; i += 1) {
      this.car.append(el('line', { class: 'slot', x1: x, x2: x + width, y1: y + i * PITCH + 3, y2: y + i * PITCH + 3 }), this.packs[i]);
    }
    this.pusher = el('path', { class: 'arm', d: `M${x - 30} ${y}h24m0 -7v14` });
    this.layer = el('g', {}, this.car, this.pusher);
    this.y = y;
  }

  show(picture, lines) {
    const bytes = picture.slots ?? '';
    this.packs.forEach((pack, i) => {
      const held = parseInt(bytes.slice(2 * i, 2 * i + 2) || '0', 16);
      const height = held ? Math.max(1.5, (held / this.cards_max) * (PITCH - 3)) : 0;
      set(pack, 'height', height.toFixed(1));
      set(pack, 'y', (this.y + i * PITCH + 2 - height).toFixed(1));
    });
    set(this.car, 'transform', `translate(0 ${((-(picture.axis ?? 0) / 1000) * PITCH).toFixed(1)})`);
    set(this.pusher, 'transform', lines.truth('ejector') ? `translate(${this.width - 10} 0)` : '');
  }
}
