// How a table is doing, in one word; which of them come first; what to do. No DOM: the tests call it alone.

import { age, many, words } from './dom.js';

export const BEHIND = 50; // events that a device holds because no host has acknowledged them

// Worst first, each with its words for one table and for several.
export const NAMES = { warned: ['warning', 'warnings'], alarmed: ['alarm', 'alarms'], lost: ['lost', 'lost'], stale: ['stale', 'stale'], behind: ['behind', 'behind'], well: ['in service', 'in service'] };
export const CONDITIONS = Object.keys(NAMES);

/** What to do about an alarm, by its rule; rules of a house have their own words in docs/FLOOR.md. */
const RULES = {
  'warning-unattended': 'Send a person to the table: a warning is cleared at the shoe, not here.',
  'shoe-silent': 'Look at the shoe and at its gateway: power, cable, display.',
  journal: 'Take the shoe out of play and call service: `fairshoe journal verify` shows where the journal breaks.',
  'deck-refused-twice': 'Take the deck out, count it and look for bent or marked cards; use another deck.',
  misfeeds: 'Clean the rollers at the next break, and look at the edges of the cards.',
  'feed-time': 'Clean the feed roller at the next break; replace it if that does not help.',
  wear: 'Clean or replace the part that it names at the next break; then record it: fairshoe serviced.',
  clock: 'Set the clock of the gateway: its events have a wrong time.',
  'dead-letters': 'Run `fairshoe floor dead-letters`: it shows what could not be taken, and why.',
  'events-lost': 'Run `fairshoe floor gaps`, and fill them from the journal of the shoe: `fairshoe floor fill`.',
  broker: 'Check the broker and the network to it: events wait at the gateways until it is back.',
  'standing-still': 'Look at the program that it names, and start it again: until then it does nothing for the floor.',
};

export const adviceOn = (rule) => RULES[rule] ?? 'This rule is one of the house: see its rules file (docs/FLOOR.md).';

/** The condition of a shoe at this time, what to read in its cell, and since when it is so. `alarms` are its own, the
 * most severe first: a critical one comes before a lost link, others after it, because the link explains most of them. */
export function condition(shoe, now, alarms = []) {
  const silent = shoe.heard_at === null ? null : now - shoe.heard_at;
  const stale = silent === null || silent > shoe.fresh_s;
  if (shoe.warning) return { rank: 'warned', what: words(shoe.warning.fault), since: shoe.warning.since, silent, stale };
  const alarmed = () => ({ rank: 'alarmed', what: words(alarms[0].rule).replaceAll('-', ' '), since: alarms[0].since, silent, stale });
  if (alarms[0]?.severity === 'critical') return alarmed();
  if (shoe.link !== 'open') return { rank: 'lost', what: shoe.link === 'unknown' ? 'not connected yet' : `link ${shoe.link}`, since: shoe.heard_at ?? 0, silent };
  if (stale) return { rank: 'stale', what: silent === null ? 'nothing heard' : `stale for ${age(silent)}`, since: shoe.heard_at ?? 0, silent };
  if (alarms.length) return alarmed();
  if (shoe.waiting > BEHIND) return { rank: 'behind', what: `${many(shoe.waiting, 'event')} ${shoe.waiting === 1 ? 'waits' : 'wait'}`, since: shoe.heard_at, silent };
  return { rank: 'well', what: shoe.status ? words(shoe.status.state) : 'in service', since: 0, silent };
}

const sentence = (text = '') => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`;

/** What a person does about it; empty if there is nothing to do. `warnings` has the advice on each fault. */
export function whatToDo(shoe, { rank }, alarms, warnings) {
  switch (rank) {
    case 'warned':
      return `${sentence(warnings[shoe.warning.fault] ?? warnings.unrecognised)} The warning is cleared at the shoe.`;
    case 'alarmed':
      return adviceOn(alarms[0].rule);
    case 'lost':
      return `Check power and cable of the shoe, and that gateway ${shoe.gateway} runs. The gateway tries again by itself.`;
    case 'stale':
      return 'The line is open and the shoe says nothing. Look at its display: if it is dark, check its power; if it is not, check the serial server between it and the gateway.';
    case 'behind':
      return `Nothing acknowledges the events of this shoe. Check that gateway ${shoe.gateway} runs and that its disk is not full. When its journal is full, the shoe waits and deals no further round.`;
    default:
      return '';
  }
}

/** Shoes with their conditions, worst first; of equal ones the longest first, then by table. */
export function ranked(shoes, now, alarmsOf = () => []) {
  const found = shoes.map((shoe) => ({ shoe, ...condition(shoe, now, alarmsOf(shoe.device)) }));
  const place = ({ rank }) => CONDITIONS.indexOf(rank);
  const name = ({ shoe }) => `${shoe.table}\0${shoe.pit}`;
  return found.sort((a, b) => place(a) - place(b) || a.since - b.since || name(a).localeCompare(name(b), 'en', { numeric: true }));
}
