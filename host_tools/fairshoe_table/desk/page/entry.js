// What is asked for now: a decision of a player, or the faces of a hand, two taps for each card.

import { RANKS, SUITS, SUIT_NAMES, face, isRed, rankOfKey, suitOfKey } from './cards.js';
import { find, make } from './dom.js';
import { say } from './svg.js';

export class Entry {
  /** tap(told) sends what the dealer has tapped. */
  constructor(tap) {
    Object.assign(this, { tap, ask: null, rank: -1, shown: '' });
    document.addEventListener('keydown', (event) => this.key(event));
  }

  show(ask, { ranks, sim, lie = this.lie }) {
    find('ask').hidden = !ask;
    if (this.ask?.key !== ask?.key) this.rank = -1;
    this.ask = ask;
    this.ranks = ranks; // of the pack in play
    this.lie = lie; // what a person would see at a simulated table
    const now = JSON.stringify([ask, this.rank, ranks, lie, Boolean(sim)]);
    if (!ask || now === this.shown) return;
    this.shown = now;
    say(find('ask-title'), `${ask.who}: ${ask.text}`);
    const focused = document.activeElement?.id;
    const by = sim ? [this.simulated(ask)] : [];
    find('ask-body').replaceChildren(...(ask.kind === 'cards' ? this.cards(ask) : ask.kind === 'count' ? this.count(ask) : ask.kind === 'house' ? [] : this.choices(ask)), ...by);
    if (focused) find(focused)?.focus();
  }

  simulated({ key, kind }) {
    const texts = { decide: 'Let the simulated player decide', expose: 'Let the simulated player decide', count: 'Let the simulated hands count', confirm: 'Let the simulated hands do it' };
    const text = texts[kind] ?? 'Read them from the simulated shoe';
    const seen = kind === 'cards' && this.lie.length ? [make('span', { className: 'note' }, 'On the table lie'), make('span', { className: 'hand', id: 'lie' }, ...this.lie.map(face))] : [];
    return make('div', { className: 'row' }, ...seen, make('button', { type: 'button', id: 'by-plant', on: { click: () => this.tap({ do: 'answer', key }) } }, text));
  }

  choices({ key, kind, choices, most }) {
    const offered = kind === 'expose' ? [['expose', true], ['keep down', false]] : choices.map((name) => [name, name]);
    const button = ([text, choice]) => make('button', { type: 'button', id: `choose-${text.replace(' ', '-')}`, on: { click: () => this.tap({ do: 'choose', key, choice }) } }, text);
    const less = Object.entries(most).filter(([choice]) => choices.includes(choice)).map(([choice, cents]) => this.less(key, choice, cents));
    return [make('div', { className: 'choices' }, ...offered.map(button)), ...less];
  }

  /** A wager for less than the most: dollars, and a button. */
  less(key, choice, most) {
    const amount = make('input', { type: 'number', id: `less-${choice}`, min: 1, max: most / 100, step: 'any', value: most / 100, inputMode: 'decimal', ariaLabel: `Dollars to ${choice}, at most ${most / 100}` });
    const send = () => this.tap({ do: 'choose', key, choice, cents: Math.round(Number(amount.value) * 100) });
    return make('div', { className: 'row' }, '$', amount, make('button', { type: 'button', id: `choose-less-${choice}`, on: { click: send } }, `${choice} for this amount`));
  }

  count({ key, text }) {
    const number = make('input', { type: 'number', id: 'count', min: 0, max: 416, inputMode: 'numeric', ariaLabel: text });
    const enter = () => this.tap({ do: 'count', key, count: Number(number.value) });
    return [make('div', { className: 'row' }, number, make('button', { type: 'button', id: 'counted', className: 'primary', on: { click: enter } }, 'Enter the count'))];
  }

  cards({ key, count, entry, later }) {
    const full = entry.length >= count;
    const places = Array.from({ length: count }, (_, i) => face(entry[i]?.[0] ?? null));
    const ranks = RANKS.map((text, rank) => make('button', { type: 'button', id: `rank-${text}`, disabled: full || !this.ranks.includes(rank), ariaPressed: String(rank === this.rank), on: { click: () => this.pickRank(rank) } }, text));
    const suits = SUITS.map((text, suit) =>
      make('button', { type: 'button', id: `suit-${SUIT_NAMES[suit]}`, className: isRed(suit) ? 'red' : '', ariaLabel: SUIT_NAMES[suit], disabled: full || this.rank < 0, on: { click: () => this.pickSuit(suit) } }, text),
    );
    return [
      make('div', { className: 'hand', role: 'group', ariaLabel: `${entry.length} of ${count} cards entered` }, ...places),
      make('div', { className: 'keys ranks', role: 'group', ariaLabel: 'Rank' }, ...ranks.reverse()),
      make('div', { className: 'keys suits', role: 'group', ariaLabel: 'Suit' }, ...suits),
      make(
        'div',
        { className: 'row' },
        make('button', { type: 'button', id: 'enter', className: full ? 'primary' : '', disabled: !full, on: { click: () => this.tap({ do: 'enter', key }) } }, count === 1 ? 'Enter the card' : `Enter ${count} cards`),
        make('button', { type: 'button', id: 'back', disabled: !entry.length && this.rank < 0, on: { click: () => this.back() } }, 'Take back'),
      ),
      ...(later.length ? [make('p', { className: 'note' }, `Then: ${later.join('; ')}`)] : []),
    ];
  }

  pickRank(rank) {
    this.rank = rank;
    this.again();
  }

  pickSuit(suit) {
    const card = this.rank * 4 + suit;
    this.rank = -1;
    this.tap({ do: 'card', card, key: this.ask.key });
    this.again();
  }

  back() {
    if (this.rank >= 0) this.rank = -1;
    else this.tap({ do: 'back' });
    this.again();
  }

  again() {
    this.shown = '';
    this.show(this.ask, { ranks: this.ranks, sim: find('by-plant') });
  }

  /** Ranks and suits by their letters, Backspace and Enter; nothing while another control is being filled in. */
  key(event) {
    if (this.ask?.kind !== 'cards' || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, select, dialog')) return;
    const full = this.ask.entry.length >= this.ask.count;
    const rank = rankOfKey(event.key);
    const suit = suitOfKey(event.key);
    if (event.key === 'Backspace') this.back();
    else if (event.key === 'Enter' && full && !event.target.closest('button, a')) this.tap({ do: 'enter', key: this.ask.key });
    else if (!full && this.rank >= 0 && suit >= 0) this.pickSuit(suit);
    else if (!full && rank >= 0 && this.ranks.includes(rank)) this.pickRank(rank);
    else return;
    event.preventDefault();
  }
}
