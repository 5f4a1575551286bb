// What stands above the tables: the state of this page in words, and what to do about it. No DOM: tests call it alone.

import { many } from './dom.js';
import { WORDS } from './live_states.js';

const ADDRESS = 'Open the address that `fairshoe floor gateway` or `fairshoe floor serve` printed: what follows its # is the token. `fairshoe floor inventory token` makes another one.';

/** The words of the header; those of a page that shows one shoe, and two about the token. */
export const LINE = { ...WORDS, token: 'no token', refused: 'token refused' };

/** `kind` is the look of it; empty: nothing to say. `all` and `fit` count tables, `trouble` those that are not in service. */
export function notice(state, { all, fit, trouble, silent_s }) {
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
      if (!all) return { kind: 'todo', text: 'No table: the inventory of this service has none, or this token may see none. Add shoes with `fairshoe floor inventory add FILE` and start the service again.' };
      if (!fit) return { kind: 'note', text: `None of ${many(all, 'table')} fits this pit and this text. Clear them to see all.` };
      return trouble ? { kind: '', text: '' } : { kind: 'calm', text: `${many(all, 'table')}, all in service. There is nothing to do.` };
  }
}
