// Cards as small numbers, as the table system counts them: rank * 4 + suit, from the deuce of clubs.

import { make } from './dom.js';

export const RANKS = ['2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K', 'A'];
export const SUITS = ['♣', '♦', '♥', '♠'];
const RANK_NAMES = ['2', '3', '4', '5', '6', '7', '8', '9', '10', 'jack', 'queen', 'king', 'ace'];
export const SUIT_NAMES = ['clubs', 'diamonds', 'hearts', 'spades'];
const KEYS = { t: 8, 0: 8, j: 9, q: 10, k: 11, a: 12 };

export const isRed = (suit) => suit === 1 || suit === 2;
export const nameOf = (card) => `${RANK_NAMES[card >> 2]} of ${SUIT_NAMES[card & 3]}`;

/** The rank that a key of the keyboard means, or -1. */
export function rankOfKey(key) {
  const small = key.toLowerCase();
  if (/^[2-9]$/.test(small)) return Number(small) - 2;
  return KEYS[small] ?? -1;
}

export const suitOfKey = (key) => 'cdhs'.indexOf(key.toLowerCase());

/** One card; null lies face down. */
export function face(card) {
  if (card === null) return make('span', { className: 'card back', role: 'img', ariaLabel: 'face down' }, '?');
  const className = isRed(card & 3) ? 'card red' : 'card';
  return make('span', { className, role: 'img', ariaLabel: nameOf(card) }, `${RANKS[card >> 2]}${SUITS[card & 3]}`);
}

/** The mark of where faces came from; empty before any was entered. */
export function sourceMark(source) {
  if (!source) return [];
  return [make('span', { className: source.includes('plant') ? 'source plant' : 'source' }, `source: ${source}`)];
}
