// How far what a page shows may be believed: one list of words for the live view, the dealer's page and the floor page.

import { find } from './dom.js';
import { flag, say } from './svg.js';

export const WORDS = {
  none: 'no shoe', // none is chosen
  connecting: 'connecting', // nothing was heard yet
  live: 'live', // what is shown was said a moment ago
  stale: 'stale', // connected, and too long nothing new
  lost: 'lost', // no connection; it is tried again
  reading: 'reading the seed', // the auditor has the line of the shoe for some seconds
};

const STALE_S = 3; // a shoe tells its status about twice a second
const READING_S = 30; // silence of the table, and the answer; after that the shoe is lost

/** The state of a page that shows one shoe. `down`: why its server does not answer; `link`: what the server says about
 * the line to the shoe; `age_s`: since when the shoe was heard; `reading`: its auditor reads the seed. */
export function stateOf({ down, link, age_s, reading }) {
  if (down === WORDS.connecting) return 'connecting';
  if (down) return 'lost';
  if (reading && (age_s === null || age_s < READING_S)) return 'reading';
  if (link && !link.live) return 'lost';
  if (age_s === null) return 'connecting';
  return age_s > STALE_S ? 'stale' : 'live';
}

/** What stands beside the word: how old it is, and that it is tried again. */
export function ageText(state, age_s, retry_s) {
  if (state === 'live' || state === 'reading' || state === 'none') return '';
  const heard = age_s === null ? 'nothing heard yet' : `last heard ${age_s.toFixed(0)} s ago`;
  const again = retry_s === null ? 'trying again' : `next try in ${Math.max(0, Math.ceil(retry_s))} s`;
  return state === 'lost' ? `${heard}, ${again}` : heard;
}

/** Show it in the header and as the class of the body; `page` has `down`, `age_s`, `at_ms` and its source. */
export function showState(page, link, reading = 0) {
  const now = performance.now();
  const age_s = page.age_s === null || page.age_s === undefined ? null : page.age_s + (now - page.at_ms) / 1000;
  const { source, down } = page;
  const state = source === null ? 'none' : stateOf({ down, link, age_s, reading });
  document.body.dataset.state = state;
  flag(document.body, 'stale', state !== 'live');
  say(find('link'), WORDS[state]);
  say(find('age'), ageText(state, age_s, down && source?.retry_at ? (source.retry_at - now) / 1000 : null));
  const problem = state === 'reading' || down === WORDS.connecting ? '' : down || [link?.problem, link?.advice].filter(Boolean).join(' ');
  find('problem').hidden = !problem;
  say(find('problem'), problem);
  return state;
}
