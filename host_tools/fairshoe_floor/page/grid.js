// The grid of tables, worst first.

import { CONDITIONS, NAMES, ranked } from './condition.js';
import { age, find, many, make, put } from './dom.js';

export class Grid {
  constructor(chosen, alarmsOf) {
    Object.assign(this, { chosen, alarmsOf });
    this.cells = new Map();
    this.order = '';
    this.selected = '';
    for (const id of ['pit', 'find']) find(id).addEventListener('input', () => this.show(this.shoes, this.now));
    find('filters').addEventListener('submit', (event) => event.preventDefault());
  }

  show(shoes, now) {
    Object.assign(this, { shoes, now });
    this.pits(shoes);
    const all = ranked(shoes, now, this.alarmsOf);
    this.counts(all);
    const [pit, wanted] = [find('pit').value, find('find').value.trim().toLowerCase()];
    const fit = all.filter(({ shoe }) => (!pit || shoe.pit === pit) && `${shoe.table} ${shoe.device}`.toLowerCase().includes(wanted));
    this.found = { all: all.length, fit: fit.length, troubles: all.filter(({ rank }) => rank !== 'well').map((one) => this.trouble(one)) };
    for (const one of fit) this.fill(this.cell(one.shoe.device), one);
    const order = fit.map(({ shoe }) => shoe.device).join();
    if (order !== this.order) {
      this.order = order;
      const focused = document.activeElement;
      find('grid').replaceChildren(...fit.map(({ shoe }) => this.cells.get(shoe.device).item));
      if (focused?.isConnected) focused.focus({ preventScroll: true }); // a cell that moves keeps the keyboard
    }
  }

  /** What the sentence above the tables says of one of them. An alarm that was acknowledged still holds. */
  trouble({ shoe, rank, what }) {
    const alarms = this.alarmsOf(shoe.device);
    const grave = rank === 'warned' || alarms.some(({ severity }) => severity === 'critical');
    return { name: shoe.table, what, grave, seen: rank === 'alarmed' && alarms.every((alarm) => alarm.acknowledged_by) };
  }

  cell(device) {
    if (!this.cells.has(device)) {
      const [name, what, more] = [make('b'), make('span', { className: 'what' }), make('span')];
      const button = make('button', { type: 'button', className: 'cell', on: { click: () => this.chosen(device) } }, name, what, more);
      this.cells.set(device, { item: make('li', {}, button), button, name, what, more });
    }
    return this.cells.get(device);
  }

  fill(cell, { shoe, rank, what, since, silent, stale }) {
    put(cell.button, 'className', `cell ${rank}`);
    put(cell.button, 'ariaPressed', String(shoe.device === this.selected));
    put(cell.name, 'textContent', shoe.table);
    put(cell.what, 'textContent', what);
    put(cell.more, 'textContent', this.more(shoe, rank, since, silent, stale));
  }

  more(shoe, rank, since, silent, stale) {
    if (rank === 'warned' || rank === 'alarmed') return `for ${age(this.now - since)}${stale ? ', stale' : ''}`;
    if (rank === 'lost') return shoe.heard_at === null ? 'never heard' : `last heard ${age(silent)} ago`;
    if (rank === 'stale') return 'what is shown is old';
    if (!shoe.status) return many(shoe.totals.shuffles, 'shuffle');
    return shoe.status.round ? `round ${shoe.status.round}, ${shoe.totals.rounds} done` : `${many(shoe.totals.rounds, 'round')} done`;
  }

  /** The keyboard goes back to the table that was shown. */
  focus(device) {
    this.cells.get(device)?.button.focus({ preventScroll: true });
  }

  select(device) {
    this.selected = device;
    for (const [key, { button }] of this.cells) put(button, 'ariaPressed', String(key === device));
  }

  counts(all) {
    const items = CONDITIONS.map((rank) => [rank, all.filter((one) => one.rank === rank).length]);
    const text = items.map(([, count]) => count).join();
    if (text === this.counted) return;
    this.counted = text;
    const shown = items.filter(([, count]) => count);
    find('counts').replaceChildren(...shown.map(([rank, count]) => make('li', { className: rank === 'well' ? '' : 'bad' }, many(count, ...NAMES[rank]))));
    document.title = items[0][1] ? `(${items[0][1]}) fairshoe floor` : 'fairshoe floor';
  }

  pits(shoes) {
    const known = [...new Set(shoes.map(({ pit }) => pit))].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
    if (known.join('\0') === this.known) return;
    this.known = known.join('\0');
    find('pit').replaceChildren(make('option', { value: '' }, 'all'), ...known.filter(Boolean).map((pit) => make('option', { value: pit }, pit)));
  }
}
