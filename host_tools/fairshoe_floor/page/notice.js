// What stands above the tables: the state of this page and of all that it shows in one sentence, and what to do first. No
// DOM: tests call it alone.

import { many } from './dom.js';
import { WORDS } from './live_states.js';

const ADDRESS = 'Open the address that `fairshoe floor gateway` or `fairshoe floor serve` printed: what follows its # is the token. `fairshoe floor inventory token` makes another one.';

/** The words of the header; those of a page that shows one shoe, and two about the token. */
export const LINE = { ...WORDS, token: 'no token', refused: 'token refused' };

/** `kind` is the look of it. `all` and `fit` count tables, `troubles` is what a person has to look at: tables and programs
 * with a name, a word on it and whether it was acknowledged, the worst first. */
export function notice(state, { all, fit, silent_s, troubles = [] }) {
  switch (state) {
    case 'connecting':
      return { kind: 'note', text: 'Connecting to the floor service. No table is known yet.' };
    case 'token':
      return { kind: 'todo', text: `This page has no token, and without one it may read nothing. ${ADDRESS}` };
    case 'refused':
      return { kind: 'problem', text: `The token of this page is not valid here: it was replaced, or is one of another service. ${ADDRESS}` };
    case 'lost':
      return { kind: 'problem', text: `The floor service does not answer. ${all ? `The tables are shown as they were ${silent_s} s ago. ` : ''}It is tried again every 2 s. Check that \`fairshoe floor gateway\` or \`fairshoe floor serve\` still runs.` };
    default:
      if (!all && !troubles.length) return { kind: 'todo', text: 'No table: the inventory of this service has none, or this token may see none. Add shoes with `fairshoe floor inventory add FILE` and start the service again.' };
      if (all && !fit) return { kind: 'note', text: `None of ${many(all, 'table')} fits this pit and this text. Clear them to see all.` };
      return troubles.length ? work(all, troubles) : { kind: 'calm', text: `${many(all, 'table')}, all in service. There is nothing to do.` };
  }
}

/** 3 of 20 tables and 1 program of the floor need a person: 1 is seen to. Begin with T-40: jam exit. */
function work(all, troubles) {
  const programs = troubles.filter(({ program }) => program).length;
  const tables = troubles.length - programs;
  const parts = [tables ? `${tables} of ${many(all, 'table')}` : '', programs ? `${many(programs, 'program')} of the floor` : ''].filter(Boolean);
  const open = troubles.filter(({ seen }) => !seen);
  const seen = troubles.length - open.length;
  const who = `${parts.join(' and ')} ${troubles.length === 1 ? 'needs' : 'need'} a person`;
  if (!open.length) return { kind: 'todo', text: `${who}, and ${seen === 1 ? 'it is' : 'all are'} seen to.` };
  return { kind: open.some(({ grave }) => grave) ? 'problem' : 'todo', text: `${who}${seen ? `; ${seen} of these ${seen === 1 ? 'is' : 'are'} seen to` : ''}. Begin with ${open[0].name}: ${open[0].what}.` };
}
