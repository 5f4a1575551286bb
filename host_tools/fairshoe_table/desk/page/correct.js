// Correct a card that was entered wrongly: which hand, which card, the right rank and suit, and who approves it.

import { RANKS, SUITS, SUIT_NAMES, face, isRed, nameOf } from './cards.js';
import { find, make } from './dom.js';

export class Correction {
  constructor(tap) {
    Object.assign(this, { tap, entered: [] });
    find('correct').addEventListener('click', () => this.hands());
  }

  show(entered) {
    this.entered = entered;
    find('correct').hidden = !entered.length;
  }

  dialog(title, ...parts) {
    const leave = make('button', { type: 'button', id: 'dialog-leave', on: { click: () => find('dialog').close() } }, 'Leave it');
    find('dialog').replaceChildren(make('h2', { id: 'dialog-title' }, title), ...parts, make('div', { className: 'row' }, leave));
    if (!find('dialog').open) find('dialog').showModal();
  }

  hands() {
    const button = (hand, i) => make('button', { type: 'button', id: `hand-${i}`, on: { click: () => this.cards(hand) } }, `${hand.who} `, ...hand.cards.map(face));
    this.dialog('Which hand was entered wrongly?', make('div', { className: 'choices' }, ...this.entered.map(button)));
  }

  cards(hand) {
    if (hand.cards.length === 1) return this.right(hand, 0);
    const button = (card, i) => make('button', { type: 'button', id: `wrong-${i}`, on: { click: () => this.right(hand, i) } }, face(card));
    this.dialog(`Which card of ${hand.who} is wrong?`, make('div', { className: 'choices' }, ...hand.cards.map(button)));
  }

  right(hand, place, rank = hand.cards[place] >> 2, suit = hand.cards[place] & 3, by = '') {
    const who = make('input', { type: 'text', id: 'supervisor', value: by, maxLength: 200, autocomplete: 'off' });
    const again = (newRank, newSuit) => {
      this.right(hand, place, newRank, newSuit, who.value);
    };
    const ranks = RANKS.map((text, i) => make('button', { type: 'button', id: `right-${text}`, ariaPressed: String(i === rank), on: { click: () => again(i, suit) } }, text));
    const suits = SUITS.map((text, i) => make('button', { type: 'button', id: `right-${SUIT_NAMES[i]}`, className: isRed(i) ? 'red' : '', ariaLabel: SUIT_NAMES[i], ariaPressed: String(i === suit), on: { click: () => again(rank, i) } }, text));
    const card = rank * 4 + suit;
    const old = hand.cards[place];
    const other = this.entered.find(({ cards }) => card !== old && cards.includes(card)); // then the two are exchanged
    const change = ({ cards }, from, to) => cards.map((it) => (it === from ? to : it));
    const also = other && other.of !== hand.of ? { also: other.of, also_cards: change(other, card, old) } : {};
    const mine = other?.of === hand.of ? hand.cards.map((it) => (it === old ? card : it === card ? old : it)) : hand.cards.map((it, i) => (i === place ? card : it));
    const send = () => {
      find('dialog').close();
      this.tap({ do: 'correct', of: hand.of, cards: mine, by: who.value, ...also });
    };
    this.dialog(
      card === old ? `${hand.who}: what is the ${nameOf(card)} in truth?` : other ? `Exchange the ${nameOf(old)} of ${hand.who} and the ${nameOf(card)} of ${other.who}` : `${hand.who}: change the ${nameOf(old)} to the ${nameOf(card)}`,
      make('div', { className: 'keys ranks', role: 'group', ariaLabel: 'Rank' }, ...ranks.reverse()),
      make('div', { className: 'keys suits', role: 'group', ariaLabel: 'Suit' }, ...suits),
      make('p', {}, make('label', { htmlFor: 'supervisor' }, 'Supervisor who approves it '), who),
      make('div', { className: 'row' }, make('button', { type: 'button', id: 'dialog-record', className: 'primary', disabled: card === old, on: { click: send } }, other ? 'Exchange them' : 'Correct it')),
    );
  }
}
