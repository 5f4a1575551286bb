// The rack of the shift: opening, fills, credits, drop and closing, each with a count, a name and the number of its slip.

import { find, make } from './dom.js';
import { dollars } from './layout.js';
import { say } from './svg.js';

const LABELS = { opening: 'Open the rack', fill: 'Fill', credit: 'Credit', drop: 'Drop, cash', coupon: 'Drop, coupon', closing: 'Close the rack' };
const TITLES = { opening: 'Open the rack: what was counted', fill: 'Fill: chips that came into the rack', credit: 'Credit: chips that left the rack', drop: 'Cash in the drop box', coupon: 'Coupon in the drop box', closing: 'Close the rack: what was counted' };

export class Rack {
  constructor(tap) {
    Object.assign(this, { tap, shown: '' });
  }

  show(rack) {
    const now = JSON.stringify(rack);
    if (now === this.shown) return;
    this.shown = now;
    const { shift, open, entries, sheet } = rack;
    say(find('rack-state'), open ? `Shift ${shift} is open.` : shift ? `Shift ${shift} is closed.` : 'No shift is open: count the rack and open it.');
    const kinds = open ? ['fill', 'credit', 'drop', 'coupon', 'closing'] : shift ? ['drop', 'coupon', 'opening'] : ['opening'];
    find('rack-buttons').replaceChildren(...kinds.map((kind) => make('button', { type: 'button', id: `rack-${kind}`, on: { click: () => this.ask(kind) } }, LABELS[kind])));
    const cells = ({ utc, kind, cents, by, note }) => [make('td', {}, utc.slice(11, 16)), make('td', {}, note ? `${kind}, ${note}` : kind), make('td', { className: 'number' }, dollars(cents)), make('td', {}, by)];
    this.fill('rack-entries', entries.map((it) => cells(it)));
    this.fill('rack-sheet', sheet.map(([name, cents]) => [make('th', { scope: 'row' }, name), make('td', { className: 'number' }, dollars(cents))]));
  }

  fill(id, rows) {
    find(id).hidden = !rows.length;
    find(id).tBodies[0].replaceChildren(...rows.map((cells) => make('tr', {}, ...cells)));
  }

  ask(kind) {
    const dialog = find('dialog');
    const field = (id, label, more = {}) => {
      const input = make('input', { type: 'text', id, maxLength: 150, autocomplete: 'off', ...more });
      return [input, make('p', {}, make('label', { htmlFor: id }, `${label} `), input)];
    };
    const [amount, amountPart] = field('rack-dollars', 'Dollars', { inputMode: 'decimal' });
    const [by, byPart] = field('rack-by', 'Counted or carried by');
    const [slip, slipPart] = field('rack-slip', 'Number of the slip, if there is one');
    const wrong = make('p', { id: 'rack-wrong', role: 'alert' });
    const once = `page:${crypto.randomUUID()}`; // a second tap enters nothing
    const send = () => {
      const cents = centsOf(amount.value);
      if (cents === null) return say(wrong, 'Enter dollars, as 25000 or 12.50.');
      if (!by.value.trim()) return say(wrong, 'Enter who counted or carried it.');
      const note = slip.value.trim();
      dialog.close();
      this.tap({ do: 'rack', kind, cents, by: by.value, note, key: note ? `${kind} ${note}` : once });
    };
    dialog.replaceChildren(
      make('h2', { id: 'dialog-title' }, TITLES[kind]),
      ...[amountPart, byPart, slipPart, wrong],
      make('div', { className: 'row' }, make('button', { type: 'button', id: 'dialog-record', className: 'primary', on: { click: send } }, 'Enter it'), make('button', { type: 'button', id: 'dialog-leave', on: { click: () => dialog.close() } }, 'Leave it')),
    );
    dialog.showModal();
  }
}

/** Whole cents of a text in dollars; null if it is none. Nothing is rounded. */
export function centsOf(text) {
  const found = /^\$?\s*(\d[\d,]*)(?:\.(\d{1,2}))?$/.exec(text.trim());
  return found ? Number(found[1].replaceAll(',', '')) * 100 + Number((found[2] ?? '').padEnd(2, '0')) : null;
}
