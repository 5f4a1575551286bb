// What the device reports, newest first, in words; and for each warning what it noticed, how fast, and what to do.

import { find, make } from './dom.js';

const KEPT = 200;
const HIDDEN = new Set(['board_crc', 'halted_boot']);

export class News {
  constructor(warnings) {
    this.warnings = warnings;
    this.list = find('news-list');
  }

  clear() {
    this.list.replaceChildren();
  }

  show(picture) {
    for (const item of picture.news ?? []) this.add(item);
  }

  add(item) {
    const entry = item.warning ? this.warning(item) : this.event(item);
    this.list.prepend(entry);
    while (this.list.children.length > KEPT) this.list.lastChild.remove();
  }

  event({ at, event, fields }) {
    const words = Object.entries(fields)
      .filter(([name, value]) => !HIDDEN.has(name) && value !== '' && value !== 65535)
      .map(([name, value]) => `${name} ${value}`);
    return make(
      'li',
      { className: `event ${event}` },
      make('time', {}, `${(at / 1e6).toFixed(3)} s`),
      ' ',
      make('b', {}, event.replaceAll('_', ' ')),
      words.length ? ` · ${words.join(', ')}` : '',
    );
  }

  warning({ at, warning, struck, acted, acted_us }) {
    const [what, advice] = this.warnings[warning] ?? ['', ''];
    const since = struck >= 0 && struck <= at ? [struck, 'the fault struck'] : [acted_us, `"${acted}"`];
    const took = acted || struck >= 0 ? `noticed ${((at - since[0]) / 1000).toFixed(1)} ms after ${since[1]}` : '';
    return make(
      'li',
      { className: 'noticed', data: { 'data-warning': warning } },
      make('time', {}, `${(at / 1e6).toFixed(3)} s`),
      ' ',
      make('b', {}, `warning ${warning}`),
      `: ${what}. ${took}`,
      make('br'),
      make('span', { className: 'advice' }, `Dealer: ${advice}.`),
    );
  }
}
