// Irregularities: one button each, beside it the clause; a dialog asks whose hand and how many cards.

import { find, make } from './dom.js';

const COMMUNITY = 255;

export class Irregularities {
  constructor(tap) {
    Object.assign(this, { tap, shown: '' });
  }

  show({ irregularities, seats, closed }, clauses) {
    this.seats = seats.filter(({ wagers }) => Object.keys(wagers).length).map(({ seat }) => seat);
    const now = JSON.stringify([irregularities, closed]);
    if (now === this.shown) return;
    this.shown = now;
    find('irregularities').replaceChildren(...irregularities.map((it) => this.item(it, clauses)));
  }

  item(it, clauses) {
    const button = make('button', { type: 'button', id: `irregular-${it.name}`, title: clauses[it.clause] ?? '', on: { click: () => this.ask(it, clauses) } }, it.text);
    return make('li', {}, button, clauseLink(it.clause, clauses));
  }

  ask(it, clauses) {
    const dialog = find('dialog');
    const parts = [make('h2', { id: 'dialog-title' }, it.text), make('p', { className: 'note' }, clauseLink(it.clause, clauses), `: ${clauses[it.clause] ?? ''}`)];
    const told = { do: 'irregularity', name: it.name };
    if (it.who.length) parts.push(this.who(it, told));
    const cards = make('input', { type: 'number', id: 'dialog-cards', min: 0, max: 52, value: 1, inputMode: 'numeric' });
    if (it.cards) parts.push(make('fieldset', {}, make('legend', {}, it.who.length ? 'How many cards does it have?' : 'How many cards?'), ...this.stepper(cards)));
    const by = make('input', { type: 'text', id: 'dialog-by', maxLength: 200, autocomplete: 'off' });
    if (it.named) parts.push(make('label', { htmlFor: by.id }, 'Floorperson who decides it'), by);
    const send = () => {
      dialog.close();
      this.tap({ ...told, ...(it.cards && { cards: Number(cards.value) }), ...(it.named && { by: by.value }) });
    };
    const record = make('button', { type: 'button', id: 'dialog-record', className: 'primary', on: { click: send } }, 'Record it');
    const leave = make('button', { type: 'button', id: 'dialog-leave', on: { click: () => dialog.close() } }, 'Leave it');
    dialog.replaceChildren(...parts, make('div', { className: 'row' }, record, leave));
    dialog.showModal();
  }

  who({ who }, told) {
    const seats = who.includes('seats') ? this.seats.map((seat) => [seat, `Seat ${seat}`]) : [];
    const others = [...(who.includes('dealer') ? [[0, 'Dealer']] : []), ...(who.includes('community') ? [[COMMUNITY, 'Community']] : [])];
    const all = [...seats, ...others];
    told.seat = all[0]?.[0];
    const buttons = all.map(([seat, text]) => make('button', { type: 'button', id: `who-${seat}`, ariaPressed: String(seat === told.seat) }, text));
    for (const [i, button] of buttons.entries()) {
      button.addEventListener('click', () => {
        told.seat = all[i][0];
        for (const each of buttons) each.ariaPressed = String(each === button);
      });
    }
    return make('fieldset', {}, make('legend', {}, 'Whose hand?'), ...buttons);
  }

  stepper(input) {
    const step = (by) => () => (input.value = Math.max(0, Math.min(52, Number(input.value) + by)));
    const label = make('label', { htmlFor: input.id, className: 'hidden' }, 'Cards');
    return [make('button', { type: 'button', ariaLabel: 'One less', on: { click: step(-1) } }, '−'), label, input, make('button', { type: 'button', ariaLabel: 'One more', on: { click: step(1) } }, '+')];
  }
}

/** A clause; a link to its text if the rules that the device knows have it. */
export function clauseLink(clause, clauses) {
  return clause in clauses ? make('a', { href: `rules.html#${clause.toLowerCase()}`, target: '_blank', rel: 'noopener' }, clause) : make('span', { className: 'clause' }, clause);
}
