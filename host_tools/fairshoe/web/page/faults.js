// Faults as buttons: which one, on which beam, and when it strikes.

import { make, whole } from './dom.js';
import { FAULT_LIST } from './fault_list.js';

const COUNTED = ['card', 'exit', 'tray', 'move']; // the order of `next` in a picture

export class Faults {
  constructor(groups, act, refuse) {
    Object.assign(this, { act, refuse });
    this.rows = Object.fromEntries(Object.entries(groups.rows).map(([place, { faults }]) => [place, faults]));
    this.later = make('input', { type: 'number', id: 'fault-later', name: 'More cards or moves', min: 0, max: 400, value: 3 });
    this.delay = make('input', { type: 'number', id: 'fault-delay', name: 'Milliseconds', min: 0, max: 60000, step: 100, value: 0 });
    this.line = make('select', { id: 'fault-line' });
    this.wear = make('input', { type: 'range', id: 'wear', min: 0, max: 400, value: 0, on: { change: () => this.wearOut() } });
    this.now = make('p', { className: 'note', id: 'faults-now' });
    this.unseen = make('p', { className: 'note', id: 'faults-unseen' });
    const legend = make('p', { className: 'note legend' }, 'A bar at the left marks a ', make('span', { className: 'fault' }, 'fault'), '. It strikes after ');
    legend.append(make('label', {}, this.later, ' more cards or moves'), ', or after ', make('label', {}, this.delay, ' ms'), '.');
    groups.top.append(legend, make('div', { className: 'row' }, make('button', { type: 'button', id: 'repair', on: { click: () => this.repair() } }, 'Repair everything'), this.now), this.unseen);
  }

  /** Offer what a machine of this kind can have. */
  fit(about) {
    const suits = ({ kinds, needs }) => (!kinds || kinds.includes(about.kind)) && (!needs || about.inputs.includes(needs));
    const button = (entry) => make('button', { type: 'button', className: 'fault', id: `fault-${entry.id}`, on: { click: () => this.strike(entry) } }, entry.text);
    const offered = FAULT_LIST.filter(suits);
    for (const [place, row] of Object.entries(this.rows)) row.replaceChildren(...offered.filter(({ where }) => where === place).map(button));
    if (about.kind !== 'draw') this.rows.hopper.append(make('label', {}, 'worn pick roller ', this.wear));
    this.rows.beams.prepend(make('label', {}, 'Beam ', this.line));
    this.rows.beams.append(make('button', { type: 'button', id: 'repair-line', on: { click: () => this.repair(this.line.value) } }, 'Repair this beam'));
    const unseen = offered.filter((entry) => entry.unseen?.[about.kind]).map((entry) => `${entry.text} (${entry.unseen[about.kind]})`);
    this.unseen.textContent = unseen.length ? `This machine does not notice: ${unseen.join('; ')}.` : '';
    const beams = about.light.filter((line) => about.inputs.includes(line));
    this.line.replaceChildren(...beams.map((line) => make('option', { value: line, selected: line === 'throat_a' }, line)));
    this.wear.value = 0;
  }

  /** The fault of an entry with its moment, as a step; null if the moment is no number. */
  step({ fault, at, where }) {
    const step = { do: 'fault', ...fault };
    if (where === 'beams') step.line = this.line.value;
    const moment = whole(at === 'time' ? this.delay : this.later, this.refuse);
    if (moment === null) return null;
    if (at !== 'time') step[at === 'move' ? 'move' : 'card'] = this.picture.next[COUNTED.indexOf(at)] + moment;
    else if (moment) step.from_ms = Math.ceil(this.picture.t / 1000) + moment;
    return step;
  }

  /** A finger in a beam; taken away again by the next click. */
  touchBeam(line) {
    this.act(this.touched(line) ? { do: 'repair', line } : { do: 'fault', fault: 'beam_stuck', line, level: 1 });
  }

  /** Whether something is wrong with a line. */
  touched(line) {
    return Boolean(this.picture?.faults?.some((name) => name.endsWith(` ${line}`)));
  }

  strike(entry) {
    const step = this.step(entry);
    if (step) this.act(step);
  }

  repair(line = '') {
    if (!line) this.wear.value = 0;
    this.act({ do: 'repair', ...(line && { line }) });
  }

  /** A worn roller grips later with every card; another degree of wear takes the place of the last. */
  wearOut() {
    const us = Number(this.wear.value) * 10000;
    this.act({ do: 'repair' });
    if (us) this.act({ do: 'fault', fault: 'wear', us_per_thousand_cards: us });
  }

  show(picture) {
    this.picture = picture;
    const names = picture.faults?.join(', ') ?? '';
    if (names === this.names) return;
    this.names = names;
    this.now.textContent = names ? `In the machine now: ${names.replaceAll('_', ' ')}` : 'No fault in the machine.';
  }
}
