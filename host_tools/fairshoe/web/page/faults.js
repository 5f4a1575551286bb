// Faults as buttons: which one, on which beam, and when it strikes.

import { find, make } from './dom.js';
import { FAULT_LIST } from './fault_list.js';

const COUNTED = ['card', 'exit', 'tray', 'move']; // the order of `next` in a picture

export class Faults {
  constructor(act) {
    this.act = act;
    this.later = make('input', { type: 'number', id: 'fault-later', min: 0, max: 400, value: 3 });
    this.delay = make('input', { type: 'number', id: 'fault-delay', min: 0, max: 60000, step: 100, value: 0 });
    this.line = make('select', { id: 'fault-line' });
    this.wear = make('input', { type: 'range', id: 'wear', min: 0, max: 400, value: 0, on: { change: () => this.wearOut() } });
    this.list = make('div', { className: 'row' });
    this.lineList = make('div', { className: 'row' });
    this.unseen = make('p', { className: 'note', id: 'faults-unseen' });
    find('faults-body').replaceChildren(
      make('div', { className: 'row' }, make('label', {}, 'after ', this.later, ' more cards or moves, '), make('label', {}, 'or after ', this.delay, ' ms')),
      this.list,
      make('div', { className: 'row' }, make('label', {}, 'Beam ', this.line)),
      this.lineList,
      make(
        'div',
        { className: 'row' },
        make('label', {}, 'Worn pick roller ', this.wear),
        make('button', { type: 'button', id: 'repair', on: { click: () => this.repair() } }, 'Repair everything'),
      ),
      make('p', { className: 'note', id: 'faults-now' }),
      this.unseen,
    );
  }

  /** Offer what a machine of this kind can have. */
  fit(about) {
    const suits = ({ kinds, needs }) => (!kinds || kinds.includes(about.kind)) && (!needs || about.inputs.includes(needs));
    const button = (entry) => make('button', { type: 'button', id: `fault-${entry.id}`, on: { click: () => this.strike(entry) } }, entry.text);
    const offered = FAULT_LIST.filter(suits);
    this.list.replaceChildren(...offered.filter(({ beam }) => !beam).map(button));
    this.lineList.replaceChildren(...offered.filter(({ beam }) => beam).map(button));
    const unseen = offered.filter((entry) => entry.unseen?.[about.kind]).map((entry) => `${entry.text} (${entry.unseen[about.kind]})`);
    this.unseen.textContent = unseen.length ? `This machine does not notice: ${unseen.join('; ')}.` : '';
    const beams = about.light.filter((line) => about.inputs.includes(line));
    this.line.replaceChildren(...beams.map((line) => make('option', { value: line, selected: line === 'throat_a' }, line)));
    this.wear.value = 0;
  }

  /** The fault of an entry with its moment, as a step. */
  step({ fault, at, beam }) {
    const step = { do: 'fault', ...fault };
    if (beam) step.line = this.line.value;
    if (at === 'time') {
      const delay = Number(this.delay.value);
      if (delay) step.from_ms = Math.ceil(this.picture.t / 1000) + delay;
    } else {
      step[at === 'move' ? 'move' : 'card'] = this.picture.next[COUNTED.indexOf(at)] + Number(this.later.value);
    }
    return step;
  }

  strike(entry) {
    this.act(this.step(entry));
  }

  repair() {
    this.wear.value = 0;
    this.act({ do: 'repair' });
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
    find('faults-now').textContent = names ? `In the machine now: ${names.replaceAll('_', ' ')}` : 'No fault in the machine.';
  }
}
