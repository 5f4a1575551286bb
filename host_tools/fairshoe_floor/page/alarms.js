// Alarms that hold now: all of them above the grid, those of one table in its detail. Those of the central record have a
// number, and can be acknowledged by a token with that scope.

import { adviceOn } from './condition.js';
import { clock, find, many, make, put, words } from './dom.js';
import { read, tell } from './server.js';

const SHOWN = 6;
const FLOOR = '00000000'; // the device of an alarm that is about none of the shoes
const PROGRAMS = { '': 'the floor', consumer: 'floor run, consumer', desk: 'floor run, desk' };

/** The program that an alarm without a shoe is about, as the house knows it. */
export const program = ({ part }) => PROGRAMS[part] ?? part.replace(/^trouble /, '');

/** Fill a list with alarms, if they are others than before. `chosen` makes a button of each table. What a person is
 * writing about one of them stays. */
export function fill(list, alarms, chosen = null) {
  const text = JSON.stringify(alarms);
  if (list.filled === text) return;
  list.filled = text;
  const form = list.querySelector('form');
  const focused = form?.contains(document.activeElement) ? document.activeElement : null;
  list.replaceChildren(...alarms.map((alarm) => item(alarm, chosen, form)));
  focused?.focus();
}

function item(alarm, chosen, writing) {
  const { id, device, table, rule, severity, text, since, acknowledged_by: by } = alarm;
  const about = device === FLOOR ? make('b', { className: 'program' }, program(alarm)) : chosen && make('button', { type: 'button', on: { click: () => chosen(device) } }, table);
  const made = make('li', { className: severity }, make('b', {}, severity), ...(about ? [about] : []), make('span', {}, text), make('time', {}, `since ${clock(since)}${by ? `, seen by ${by}` : ''}`));
  if (id && !by) {
    const form = writing?.dataset.alarm === String(id) ? writing : null;
    made.append(make('button', { type: 'button', className: 'ask', hidden: Boolean(form), on: { click: () => ask(made, id) } }, 'Acknowledge'));
    if (form) made.append(form);
  }
  made.append(make('span', { className: 'advice' }, `What to do: ${adviceOn(rule)}`));
  return made;
}

/** Two fields below the alarm: what was done, and who says so. The name stays in this tab. */
function ask(row, id) {
  const note = make('input', { name: 'note', required: true, maxLength: 200, autocomplete: 'off' });
  const name = make('input', { name: 'name', maxLength: 60, autocomplete: 'name', value: sessionStorage.getItem('name') ?? '' });
  const problem = make('p', { className: 'problem', hidden: true });
  const close = () => {
    form.remove();
    put(row.querySelector('.ask') ?? {}, 'hidden', false);
  };
  const send = async (event) => {
    event.preventDefault();
    sessionStorage.setItem('name', name.value.trim());
    try {
      await tell(`alarms/${id}/acknowledge`, { note: note.value.trim(), name: name.value.trim() });
      close();
      await globalThis.floor.alarms.read();
    } catch (error) {
      put(problem, 'textContent', error.message);
      put(problem, 'hidden', false);
    }
  };
  const form = make('form', { on: { submit: send }, data: { 'data-alarm': String(id) } }, make('label', {}, 'What was done ', note), make('label', {}, 'Your name ', name), make('button', { type: 'submit' }, 'Save'), make('button', { type: 'button', on: { click: close } }, 'Cancel'), problem);
  put(row.querySelector('.ask'), 'hidden', true);
  row.querySelector('.advice').before(form);
  note.focus();
}

export class Alarms {
  constructor(chosen, changed) {
    Object.assign(this, { chosen, changed, list: [], byDevice: new Map(), reading: false });
  }

  /** Of one shoe, the most severe first. */
  of(device) {
    return this.byDevice.get(device) ?? [];
  }

  /** Programs of the floor with an alarm, as the sentence above the tables counts them. */
  programs() {
    const found = this.of(FLOOR).map((alarm) => ({ program: true, name: program(alarm), what: words(alarm.rule).replaceAll('-', ' '), seen: Boolean(alarm.acknowledged_by), grave: alarm.severity === 'critical' }));
    return found.filter(({ name }, place) => found.findIndex((other) => other.name === name) === place);
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
    const more = this.list.slice(SHOWN);
    put(find('alarms-more'), 'hidden', !more.length);
    put(find('alarms-more').firstElementChild, 'textContent', many(more.length, 'more alarm'));
    fill(find('alarm-rest'), more, this.chosen);
  }
}

function grouped(list) {
  const found = new Map();
  for (const alarm of list) found.set(alarm.device, [...(found.get(alarm.device) ?? []), alarm]);
  return found;
}
