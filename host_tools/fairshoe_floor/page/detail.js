// One shoe: its state, meters, history, rounds and events as they come.

import { fill } from './alarms.js';
import { condition, whatToDo } from './condition.js';
import { age, clock, find, many, make, put, words } from './dom.js';
import { plot } from './plots.js';
import { LiveUpdates, read } from './server.js';

const EVENTS_SHOWN = 200;
const READINGS_MS = 10_000;
const DAY_S = 86_400;
const PREFIX = ['message', 'seq', 'boot', 'uptime_s', 'uptime_ms', 'utc_s', 'round', 'deck'];

export class Detail {
  constructor(alarmsOf, warnings) {
    Object.assign(this, { device: '', alarmsOf, warnings });
  }

  /** Show this shoe from now on. */
  choose(shoe) {
    this.leave();
    this.device = shoe.device;
    find('shoe').hidden = false;
    find('shoe-events').replaceChildren();
    find('shoe-plots').replaceChildren();
    find('shoe-rounds').tBodies[0].replaceChildren();
    find('shoe-rounds-part').hidden = shoe.profile !== 'table';
    this.place = { log: shoe.log, after: Math.max(0, shoe.seq - EVENTS_SHOWN) };
    this.updates = new LiveUpdates(
      () => ({ shoes: false, events: { [this.device]: this.place } }),
      (message) => this.events(message),
      () => {},
    );
    this.timer = setInterval(() => this.history(), READINGS_MS);
    this.history();
  }

  leave() {
    this.updates?.end();
    clearInterval(this.timer);
    this.device = '';
    find('shoe').hidden = true;
  }

  show(shoe, now) {
    const how = condition(shoe, now, this.alarmsOf(shoe.device));
    const { rank, what, silent } = how;
    put(find('shoe-title'), 'textContent', `Table ${shoe.table}`);
    put(find('shoe-state'), 'textContent', what);
    const why = [rank === 'warned' ? `Warning for ${age(now - shoe.warning.since)}.` : '', shoe.link_text].filter(Boolean).join(' ');
    put(find('shoe-why'), 'textContent', why);
    put(find('shoe-why'), 'hidden', !why);
    const todo = whatToDo(shoe, how, this.alarmsOf(shoe.device), this.warnings);
    put(find('shoe-todo'), 'textContent', todo ? `What to do: ${todo}` : 'Nothing to do.');
    put(find('shoe-todo'), 'className', todo ? 'todo' : 'note');
    fill(find('shoe-alarms'), this.alarmsOf(shoe.device));
    put(find('shoe-next'), 'textContent', shoe.next ? `Next: ${shoe.next.text} (${shoe.next.who})` : '');
    const heard = silent === null ? 'never heard' : `heard ${age(silent)} ago`;
    const facts = [`device ${shoe.device}`, `pit ${shoe.pit || '-'}`, heard, `firmware ${shoe.firmware ?? 'not known'}`, ...('waiting' in shoe ? [shoe.waiting === null ? 'events that wait: not known' : `${many(shoe.waiting, 'event')} to store`] : []), `profile ${shoe.profile}`, `gateway ${shoe.gateway}`];
    put(find('shoe-facts'), 'textContent', facts.join(' · '));
    this.meters(shoe);
  }

  meters({ meters, totals }) {
    const values = { ...Object.fromEntries(['cycles', 'cards', 'misfeeds', 'stalls', 'jams', 'double_feeds', 'faults'].map((name) => [name, meters?.[name]])), ...totals };
    delete values.since;
    const text = JSON.stringify(values);
    if (text === this.metered) return;
    this.metered = text;
    find('shoe-meters').replaceChildren(...Object.entries(values).map(([name, value]) => make('div', {}, make('dt', {}, words(name)), make('dd', { className: 'number' }, typeof value === 'number' ? value.toLocaleString('en-US') : (value ?? 'not known')))));
  }

  async history() {
    const device = this.device;
    try {
      const { readings } = await read(`shoes/${device}/meters?since=${Date.now() / 1000 - DAY_S}&limit=300`);
      if (device !== this.device) return;
      plot(find('shoe-plots'), readings);
      if (find('shoe-rounds-part').hidden) return;
      const { rounds } = await read(`shoes/${device}/rounds?limit=20`);
      if (device === this.device) this.rounds(rounds);
    } catch (error) {
      if (device === this.device) find('shoe-plots').replaceChildren(make('p', {}, error.message));
    }
  }

  rounds(rounds) {
    const cells = ({ number, began_at, ended_at, dealt, stage, clause }) => [number, clock(began_at), ended_at ? Math.round(ended_at - began_at) : '', dealt ?? '', stage === 'void' ? `void, ${clause}` : stage];
    find('shoe-rounds').tBodies[0].replaceChildren(...rounds.map((one) => make('tr', {}, ...cells(one).map((cell, i) => make('td', { className: i === 0 || i === 2 || i === 3 ? 'number' : '' }, String(cell))))));
  }

  events({ kind, events, log, after }) {
    if (kind !== 'events') return;
    this.place = { log, after };
    const list = find('shoe-events');
    for (const { received, event } of events) {
      const fields = Object.entries(event).filter(([name, value]) => !PREFIX.includes(name) && value !== '' && value !== null);
      const text = [words(event.message), ...fields.map(([name, value]) => `${words(name)} ${words(value)}`)].join(', ');
      const line = make('li', { className: event.message === 'warning_latched' ? 'warned' : '' }, make('time', {}, clock(received)), ` ${text}`);
      list.prepend(line);
    }
    while (list.children.length > EVENTS_SHOWN) list.lastChild.remove();
  }
}
