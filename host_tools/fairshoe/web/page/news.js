// What the device reports, newest first; and of the last warning what it noticed, how fast, which rule, and what to do.

import { find, make } from './dom.js';
import { eventText, plain } from './event_text.js';

const KEPT = 200;

export class News {
  /** goTo(ms) shows the machine as it was at a moment. */
  constructor({ warnings, clauses, words: fieldWords }, goTo) {
    Object.assign(this, { warnings, clauses, fieldWords, goTo });
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
    this.struck = picture.struck ?? -1;
    this.latched = picture.warning !== 'none';
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

  event({ at, event, fields, order = Object.keys(fields) }) {
    if (event === 'cards_odd' && !this.latched) this.odd(at, fields);
    if (fields.clause && this.last && fields.warning === this.last.warning) this.rule(fields);
    const [name, ...told] = eventText(event, fields, order, this.fieldWords).split(': ');
    return make('li', { data: { 'data-event': event } }, this.time(at), ' ', make('b', {}, name), told.length ? `: ${told.join(': ')}` : '');
  }

  warning(item) {
    const { at, warning, struck, acted, acted_us } = item;
    const [what, advice] = this.warnings[warning] ?? ['', ''];
    const since = struck >= 0 && struck <= at ? [struck, 'the fault struck'] : [acted_us, `“${plain(acted)}”`];
    const took = acted || struck >= 0 ? `Noticed ${((at - since[0]) / 1000).toFixed(1)} ms after ${since[1]}.` : '';
    this.told = make('q', {});
    this.ruled = make('p', { hidden: true });
    this.last = item;
    this.finding.replaceChildren(
      make(
        'div',
        { className: 'noticed', data: { 'data-warning': warning } },
        make('p', {}, make('b', {}, plain(warning)), `: ${what}. ${took}`),
        this.ruled,
        make('p', {}, 'The display says ', this.told),
        make('p', {}, make('b', {}, 'Dealer: '), `${advice}.`),
      ),
    );
    return make('li', { className: 'warned' }, this.time(at), ' ', make('b', {}, `warning ${plain(warning)}`), took ? ` · ${took}` : '');
  }

  /** Something odd that a rule covers: the machine goes on, without a warning. */
  odd(at, { warning }) {
    const took = this.struck >= 0 && this.struck <= at ? ` Noticed ${((at - this.struck) / 1000).toFixed(1)} ms after the fault struck.` : '';
    this.told = null;
    this.ruled = make('p', { hidden: true });
    this.last = { warning };
    this.finding.replaceChildren(
      make('div', { className: 'noticed', data: { 'data-odd': warning } }, make('p', {}, make('b', {}, plain(warning)), `: ${this.warnings[warning]?.[0] ?? ''}. No warning: the machine goes on.${took}`), this.ruled),
    );
  }

  /** The clause that an event names, with its text, and where to read more. */
  rule({ clause, consequence }) {
    const text = this.clauses.texts[clause];
    const page = this.clauses.page;
    const name = page && text ? make('a', { href: `${page}#${clause.toLowerCase()}` }, clause) : make('b', {}, clause);
    this.ruled.hidden = false;
    this.ruled.replaceChildren('Rule ', name, text ? `: ${text}` : ' (house policy)', consequence && consequence !== 'none' ? ` Consequence: ${plain(consequence)}.` : '');
  }
}
