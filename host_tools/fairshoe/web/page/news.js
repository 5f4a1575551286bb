// What the device reports, newest first; and of the last warning what it noticed, how fast, which rule, and what to do.

import { find, make } from './dom.js';
import { eventText, plain } from './event_text.js';
import { stepText } from './fault_list.js';

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
  time(at, text = `${(at / 1e6).toFixed(3)} s`) {
    return make('button', { type: 'button', className: 'moment', title: 'go to this moment', on: { click: () => this.goTo(Math.floor(at / 1000)) } }, text);
  }

  event({ at, event, fields, cause, order = Object.keys(fields) }) {
    if (event === 'cards_odd' && !this.latched) this.odd(at, fields, cause);
    if (fields.clause && this.last && fields.warning === this.last.warning) this.rule(fields);
    const [name, ...told] = eventText(event, fields, order, this.fieldWords).split(': ');
    return make('li', { data: { 'data-event': event } }, this.time(at), ' ', make('b', {}, name), told.length ? `: ${told.join(': ')}` : '');
  }

  warning(item) {
    const { at, warning, cause } = item;
    const [what, advice] = this.warnings[warning] ?? ['', ''];
    this.told = make('q', {});
    this.ruled = make('p', { className: 'rule', hidden: true });
    this.last = item;
    this.finding.replaceChildren(
      make(
        'div',
        { className: 'noticed', data: { 'data-warning': warning } },
        make('p', {}, make('b', {}, plain(warning)), `: ${what}. `, ...this.caused(at, cause)),
        make('p', {}, make('b', {}, 'Dealer: '), `${advice}.`),
        this.ruled,
        make('p', {}, 'The display says ', this.told),
      ),
    );
    return make('li', { className: 'warned' }, this.time(at), ' ', make('b', {}, `warning ${plain(warning)}`), ...(cause ? [' · ', ...this.caused(at, cause)] : []));
  }

  /** Which step led to it, and how long ago that struck. */
  caused(at, cause) {
    if (!cause) return [];
    const { step, number, acted, struck, again } = cause;
    const ms = (us) => `${(us / 1000).toFixed(1)} ms`;
    const which = number ? ['step ', this.time(acted, `${number}`), ', '] : [];
    const text = `“${stepText(step)}”`;
    if (again) return ['Still there from ', ...which, `${text}.`];
    return [`Noticed ${ms(at - struck)} after `, ...which, text, step.do === 'fault' ? ' struck.' : '.'];
  }

  /** Something odd that a rule covers: the machine goes on, without a warning. */
  odd(at, { warning }, cause) {
    this.told = null;
    this.ruled = make('p', { className: 'rule', hidden: true });
    this.last = { warning };
    this.finding.replaceChildren(
      make('div', { className: 'noticed', data: { 'data-odd': warning } }, make('p', {}, make('b', {}, plain(warning)), `: ${this.warnings[warning]?.[0] ?? ''}. No warning: the machine goes on. `, ...this.caused(at, cause)), this.ruled),
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
