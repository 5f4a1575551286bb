// The dealer's page of a table system: `fairshoe table serve`. The server decides; the page shows, and sends taps.

import { find, make, many } from './dom.js';
import { face, nameOf } from './cards.js';
import { Correction } from './correct.js';
import { Entry } from './entry.js';
import { Irregularities, clauseLink } from './irregular.js';
import { Layout } from './layout.js';
import { showState } from './live_states.js';
import { Rack } from './rack.js';
import { LiveSource } from './source_live.js';
import { flag, say } from './svg.js';

const LOOK_MS = 250;
const clauses = await fetch(new URL('clauses.json', import.meta.url)).then((answer) => answer.json());

class TablePage {
  constructor(open) {
    Object.assign(this, { known: {}, down: 'connecting', age_s: null, at_ms: performance.now(), taps: 0 });
    const tap = (told) => this.tap(told);
    this.entry = new Entry(tap);
    this.layout = new Layout(tap);
    this.irregular = new Irregularities(tap);
    this.correction = new Correction(tap);
    this.rack = new Rack(tap);
    this.source = open((message) => this.heard(message));
    setInterval(() => this.look(), LOOK_MS);
  }

  tap(told) {
    this.taps += 1;
    say(find('answer'), '');
    const { round, lines_of } = this.known.table; // the server refuses a tap on a page that shows another round
    this.source.send({ ...told, round, lines_of });
  }

  heard(message) {
    if (message.down) this.down = message.down;
    else if ('answer' in message) {
      this.taps = Math.max(0, this.taps - 1);
      if (message.answer) say(find('answer'), this.known.table?.twice?.says === message.answer ? '' : message.answer); // it is shown with both entries
    } else {
      this.down = '';
      Object.assign(this, { age_s: message.age_s, at_ms: performance.now() });
      if (message.snapshot) [this.known, this.taps] = [message.snapshot, 0];
      if (message.delta) Object.assign(this.known, message.delta);
      this.show(message.delta ?? message.snapshot ?? {});
    }
    this.look();
  }

  show(changed) {
    if (changed.table) this.table(changed.table);
    if ('status' in changed) this.shoe(changed.status);
  }

  table(table) {
    document.title = `fairshoe table: ${table.game}`;
    say(find('title'), `${table.game.replaceAll('-', ' ')}, round ${table.round}`);
    this.now(table.now);
    this.entry.show(table.ask, table);
    this.twice(table.twice);
    flag(find('ask-title'), 'hidden', table.now.action.do !== 'done'); // above it stands a line of the settlement
    this.layout.show(table);
    this.lines(table);
    this.irregular.show(table, clauses);
    this.correction.show(table.entered);
    this.house(table.house);
    this.rack.show(table.rack);
    say(find('check'), table.check ? `Seed: ${table.check}.` : '');
    say(find('share'), table.share);
    this.calls(table.calls);
    this.simulation(table.sim);
  }

  now({ who, say: said, do: text, clause, action }) {
    say(find('now-who'), who);
    find('now-say').hidden = !said;
    say(find('now-say').querySelector('q'), said);
    say(find('now-do'), text);
    find('now-clause').replaceChildren(...(clause ? [clauseLink(clause, clauses)] : []));
    const wanted = JSON.stringify(action);
    if (wanted === this.action) return;
    this.action = wanted;
    const { label, checks = [], ...told } = action;
    const focused = document.activeElement?.id === 'go';
    const boxes = checks.map((_, i) => make('input', { type: 'checkbox', id: `check-${i}` }));
    const by = make('input', { type: 'text', id: 'validated', maxLength: 200, autocomplete: 'off' });
    const checked = () => ({ checked: checks.filter((_, i) => boxes[i].checked), by: by.value });
    const go = () => this.tap(checks.length ? { ...told, ...checked() } : told);
    find('now-action').replaceChildren(
      ...checks.map((text, i) => make('label', { className: 'check' }, boxes[i], text)),
      ...(checks.length ? [make('label', { className: 'check' }, 'Floorperson who validates it', by)] : []),
      ...(label ? [make('button', { type: 'button', id: 'go', className: 'primary', on: { click: go } }, label)] : []),
    );
    if (focused) find('go')?.focus();
  }

  /** A card that lies elsewhere: both entries, and a button that corrects the wrong one. */
  twice(found) {
    const now = JSON.stringify(found);
    if (now === this.doubled) return;
    this.doubled = now;
    find('twice').hidden = !found;
    if (!found) return;
    const { card, first, again, place } = found;
    const own = !first.of; // in the hand that is being entered
    const button = (id, text, click) => make('button', { type: 'button', id, on: { click } }, text);
    const back = () => this.tap({ do: 'back', ...(own ? { place: first.place } : {}) });
    find('twice').replaceChildren(
      make('p', {}, face(card), make('b', {}, ` The ${nameOf(card)} was entered twice.`)),
      make('p', {}, `First: ${first.who}, card ${first.place + 1} of ${own ? 'this hand' : first.cards.length}. Again: ${again}, card ${place + 1}; not taken. Look at both cards.`),
      make(
        'div',
        { className: 'row' },
        button('twice-first', own ? `Take card ${first.place + 1} back` : `${first.who} is wrong: correct it`, own ? back : () => this.correction.right(first, first.place)),
        button('twice-again', `${own ? `card ${place + 1}` : again} is wrong: enter another card`, () => this.tap({ do: 'leave' })),
        button('twice-both', 'Both cards are there: the deck is wrong', () => this.supervise(`two ${nameOf(card)}s: ${first.who} and ${again}`)),
      ),
    );
  }

  /** Leave it to a supervisor, with the reason filled in. */
  supervise(reason) {
    find('supervisor-part').open = true;
    find('supervisor-reason').value = reason;
    find('supervisor-name').focus();
  }

  /** What a supervisor may decide: void at any stage; what becomes of a round whose shoe was replaced. */
  house(house) {
    const now = JSON.stringify(house);
    if (now === this.housed) return;
    this.housed = now;
    const { text, choices } = house;
    find('supervisor-part').hidden = !choices.length;
    if (text) find('supervisor-part').open = true;
    say(find('supervisor-text'), text);
    flag(find('supervisor-text'), 'call', Boolean(text));
    const send = (choice) => () => this.tap({ do: 'house', choice, by: find('supervisor-name').value, reason: find('supervisor-reason').value });
    find('supervisor-choices').replaceChildren(...choices.map(([choice, label]) => make('button', { type: 'button', id: `house-${choice}`, on: { click: send(choice) } }, label)));
  }

  lines({ lines, lines_of, round, void: clause }) {
    const which = lines.length && lines_of !== round ? `Settlement of round ${lines_of}` : 'Settlement';
    say(find('settlement-title'), clause ? `${which}: void by ${clause}` : which);
    const next = lines.find(({ done }) => !done);
    const item = (line) => {
      const source = line.source === 'tray' ? [] : [` from ${line.source}`];
      return make('li', { className: line.done ? 'done' : line === next ? 'next' : '', data: { 'data-outcome': line.outcome, ...(line === next ? { 'aria-current': 'step' } : {}) } }, `${line.text}`, ...source, ' ', make('span', { className: 'clause' }, line.clause));
    };
    const now = JSON.stringify(lines);
    if (now === this.lined) return;
    this.lined = now;
    find('lines').replaceChildren(...(lines.length ? lines.map(item) : [make('li', { className: 'none' }, 'nothing to settle yet')]));
  }

  calls(calls) {
    const item = ({ call, text }) => make('p', { className: 'problem' }, make('span', {}, `Call a floorperson: ${text}`), make('button', { type: 'button', id: `seen-${call}`, on: { click: () => this.tap({ do: 'seen', call }) } }, 'Seen'));
    const now = JSON.stringify(calls);
    if (now === this.called) return;
    this.called = now;
    find('calls').replaceChildren(...calls.map(item));
  }

  simulation(sim) {
    find('simulation').hidden = !sim;
    if (!sim || find('simulation').children.length) {
      if (sim) find('hands-on').checked = sim.hands;
      return;
    }
    const on = make('input', { type: 'checkbox', id: 'hands-on', checked: sim.hands, on: { change: () => this.tap({ do: 'hands', on: on.checked }) } });
    const button = (id, text, told) => make('button', { type: 'button', id, on: { click: () => this.tap(told) } }, text);
    find('simulation').replaceChildren(
      make('label', {}, on, 'Simulated hands take and insert cards'),
      button('hand', 'Hands: do what it waits for', { do: 'hand' }),
      button('jam', 'Jam the next card', { do: 'jam' }),
    );
  }

  shoe(status) {
    if (!status) return;
    say(find('state'), status.state);
    say(find('next'), status.next);
    say(find('facts'), [status.round ? `round ${status.round}` : 'no round', status.positions ? many(status.positions, 'position') : '', status.stack ? `stack ${status.stack}` : '', status.events_waiting ? `${many(status.events_waiting, 'event')} to store` : ''].filter(Boolean).join(', '));
    find('progress').hidden = status.progress === null;
    find('progress').value = status.progress ?? 0;
    find('warning').hidden = !status.warning;
    const [name, what, advice] = status.warning ?? ['', '', ''];
    say(find('warning-name'), `Warning ${name}`);
    say(find('warning-what'), what);
    say(find('warning-advice'), advice);
  }

  /** How old what the shoe says is, and whether it may be believed. */
  look() {
    this.stale = showState(this, this.known.link, this.known.table?.reading) !== 'live';
    document.querySelector('main').inert = Boolean(this.down); // what is tapped now would be lost
  }
}

addEventListener('hashchange', () => location.reload()); // the URL of a server that was started again: only its token is new
const address = `ws://${location.host}/live?token=${encodeURIComponent(location.hash.slice(1))}`;
globalThis.table = new TablePage((listen) => new LiveSource(listen, address, 'fairshoe table serve')); // for tests, too
