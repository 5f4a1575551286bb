// Alarms that hold now: all of them above the grid, those of one table in its detail. Those of the central record have a
// number, and can be acknowledged by a token with that scope.

import { adviceOn } from './condition.js';
import { clock, find, many, make, put } from './dom.js';
import { read, tell } from './server.js';

const SHOWN = 6;

/** Fill a list with alarms, if they are others than before. `chosen` makes a button of each table. */
export function fill(list, alarms, chosen = null) {
  const text = JSON.stringify(alarms);
  if (list.filled === text) return;
  list.filled = text;
  list.replaceChildren(...alarms.map((alarm) => item(alarm, chosen)));
}

async function acknowledge(id) {
  const note = prompt('What was done?');
  if (note !== null) await tell(`alarms/${id}/acknowledge`, { note }).catch((error) => alert(error.message));
}

function item({ id, device, table, rule, severity, text, since, acknowledged_by: by }, chosen) {
  const name = chosen ? [make('button', { type: 'button', on: { click: () => chosen(device) } }, table)] : [];
  const seen = id && !by ? [make('button', { type: 'button', on: { click: () => acknowledge(id) } }, 'Acknowledge')] : [];
  return make('li', { className: severity }, make('b', {}, severity), ...name, make('span', {}, text), ...(chosen ? [] : [make('span', { className: 'advice' }, adviceOn(rule))]), make('time', {}, `since ${clock(since)}${by ? `, seen by ${by}` : ''}`), ...seen);
}

export class Alarms {
  constructor(chosen, changed) {
    Object.assign(this, { chosen, changed, list: [], byDevice: new Map(), reading: false });
  }

  /** Of one shoe, the most severe first. */
  of(device) {
    return this.byDevice.get(device) ?? [];
  }

  async read() {
    if (this.reading) return;
    this.reading = true;
    try {
      this.list = (await read('alarms')).alarms;
      this.byDevice = grouped(this.list);
      this.changed();
    } catch {
      // The socket says that the server is gone.
    } finally {
      this.reading = false;
    }
  }

  show() {
    put(find('alarms'), 'hidden', this.list.length === 0);
    put(find('alarms-title'), 'textContent', `${many(this.list.length, 'alarm')}${this.list.length > 1 ? ', the most severe first' : ''}`);
    fill(find('alarm-list'), this.list.slice(0, SHOWN), this.chosen);
    const more = this.list.length - SHOWN;
    put(find('alarms-more'), 'hidden', more <= 0);
    put(find('alarms-more'), 'textContent', `${many(more, 'more alarm')}: ${more === 1 ? 'its table is' : 'their tables are'} marked below.`);
  }
}

function grouped(list) {
  const found = new Map();
  for (const alarm of list) found.set(alarm.device, [...(found.get(alarm.device) ?? []), alarm]);
  return found;
}
