// What the device reports, newest first; and of the last warning what it noticed, how fast, which rule, and what to do.

import { find, make } from './dom.js';

const KEPT = 200;
const HIDDEN = new Set(['board_crc', 'halted_boot']);
const words = (name) => name.replaceAll('_', ' ');

export class News {
  /** goTo(ms) shows the machine as it was at a moment. */
  constructor(warnings, clauses, goTo) {
    Object.assign(this, { warnings, clauses, goTo });
    this.list = find('news-list');
    this.finding = find('finding');
    this.clear();
  }

  clear() {
    this.list.replaceChildren();
    this.finding.replaceChildren();
    this.last = null;
  }

  show(picture) {
    for (const item of picture.news ?? []) this.add(item, picture);
    if (this.told && picture.display[2]) {
      this.told.textContent = picture.display.filter(Boolean).join(' / ');
      this.told = null;
    }
  }

  add(item, picture) {
    this.list.prepend(item.warning ? this.warning(item, picture) : this.event(item));
    while (this.list.children.length > KEPT) this.list.lastChild.remove();
  }

  /** A moment to go back to. */
  time(at) {
    const text = `${(at / 1e6).toFixed(3)} s`;
    return make('button', { type: 'button', className: 'moment', title: 'go to this moment', on: { click: () => this.goTo(Math.floor(at / 1000)) } }, text);
  }

  event({ at, event, fields }) {
    const said = Object.entries(fields)
      .filter(([name, value]) => !HIDDEN.has(name) && value !== '' && value !== 65535)
      .map(([name, value]) => `${words(name)} ${words(String(value))}`);
    if (fields.clause && this.last && fields.warning === this.last.warning) this.rule(fields);
    return make('li', { data: { 'data-event': event } }, this.time(at), ' ', make('b', {}, words(event)), said.length ? ` · ${said.join(', ')}` : '');
  }

  warning(item) {
    const { at, warning, struck, acted, acted_us } = item;
    const [what, advice] = this.warnings[warning] ?? ['', ''];
    const since = struck >= 0 && struck <= at ? [struck, 'the fault struck'] : [acted_us, `“${words(acted)}”`];
    const took = acted || struck >= 0 ? `Noticed ${((at - since[0]) / 1000).toFixed(1)} ms after ${since[1]}.` : '';
    this.told = make('q', {});
    this.ruled = make('p', { hidden: true });
    this.last = item;
    this.finding.replaceChildren(
      make(
        'div',
        { className: 'noticed', data: { 'data-warning': warning } },
        make('p', {}, make('b', {}, words(warning)), `: ${what}. ${took}`),
        this.ruled,
        make('p', {}, 'The display says ', this.told),
        make('p', {}, make('b', {}, 'Dealer: '), `${advice}.`),
      ),
    );
    return make('li', { className: 'warned' }, this.time(at), ' ', make('b', {}, `warning ${words(warning)}`), took ? ` · ${took}` : '');
  }

  /** The clause that an event names, with its text, and where to read more. */
  rule({ clause, consequence }) {
    const text = this.clauses.texts[clause];
    const page = this.clauses.page;
    const name = page && text ? make('a', { href: `${page}#${clause.toLowerCase()}` }, clause) : make('b', {}, clause);
    this.ruled.hidden = false;
    this.ruled.replaceChildren('Rule ', name, text ? `: ${text}` : ' (house policy)', consequence && consequence !== 'none' ? ` Consequence: ${words(consequence)}.` : '');
  }
}
