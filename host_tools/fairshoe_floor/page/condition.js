// How a table is doing, in one word, and which of them come first. No DOM: the tests call it alone.

import { age, words } from './dom.js';

export const BEHIND = 50; // events that a device holds because no host has acknowledged them

// Worst first.
export const CONDITIONS = ['warned', 'alarmed', 'away', 'stale', 'behind', 'well'];
export const NAMES = { warned: 'warning', alarmed: 'alarm', away: 'not connected', stale: 'silent', behind: 'behind', well: 'in service' };

/** The condition of a shoe at this time, what to read in its cell, and since when it is so. `alarms` are its own, the
 * most severe first: a critical one comes before a lost link, others after it, because the link explains most of them. */
export function condition(shoe, now, alarms = []) {
  const silent = shoe.heard_at === null ? null : now - shoe.heard_at;
  const stale = silent === null || silent > shoe.fresh_s;
  if (shoe.warning) return { rank: 'warned', what: words(shoe.warning.fault), since: shoe.warning.since, silent, stale };
  const alarmed = () => ({ rank: 'alarmed', what: words(alarms[0].rule).replaceAll('-', ' '), since: alarms[0].since, silent, stale });
  if (alarms[0]?.severity === 'critical') return alarmed();
  if (shoe.link !== 'open') return { rank: 'away', what: shoe.link === 'unknown' ? 'not connected yet' : `link ${shoe.link}`, since: shoe.heard_at ?? 0, silent };
  if (stale) return { rank: 'stale', what: silent === null ? 'nothing heard' : `silent for ${age(silent)}`, since: shoe.heard_at ?? 0, silent };
  if (alarms.length) return alarmed();
  if (shoe.waiting > BEHIND) return { rank: 'behind', what: `${shoe.waiting} events wait`, since: shoe.heard_at, silent };
  return { rank: 'well', what: shoe.status ? words(shoe.status.state) : 'in service', since: 0, silent };
}

/** Shoes with their conditions, worst first; of equal ones the longest first, then by table. */
export function ranked(shoes, now, alarmsOf = () => []) {
  const found = shoes.map((shoe) => ({ shoe, ...condition(shoe, now, alarmsOf(shoe.device)) }));
  const place = ({ rank }) => CONDITIONS.indexOf(rank);
  const name = ({ shoe }) => `${shoe.pit}\0${shoe.table}`;
  return found.sort((a, b) => place(a) - place(b) || a.since - b.since || name(a).localeCompare(name(b), 'en', { numeric: true }));
}
