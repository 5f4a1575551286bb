// A guided tour of six stops that plays itself. Each stop is a machine, what is done to it, and what to look at.

import { find, make } from './dom.js';

const LOAD = [{ after_ms: 2500, do: 'load', cards: 52 }, { after_ms: 400, do: 'press', button: 'green' }];
const ROUND = { board: 'pico-carousel', game: 'caribbean-stud', seed: 7 };

export const STOPS = [
  {
    title: 'A good round',
    text: 'The machine proves that it is empty. A deck of 52 goes in; each card is measured by two beams and goes into the slot that the shuffle has drawn for it. Then five cards to each position, each stack only after the last was taken.',
    steps: [],
    dealer: true,
    speed: '4',
  },
  {
    title: '51 cards',
    text: 'One card is missing. The machine counts in the throat and once more when the carousel turns past the slot beam. 51 is no deck: it is refused, and put out.',
    steps: [{ after_ms: 2500, do: 'load', cards: 51 }, LOAD[1]],
    speed: '4',
    until: 'mismatch',
  },
  {
    title: 'A jam',
    text: 'The eleventh card stops in the throat. The rollers move it back and try again, twice. Then the motors stop, the warning is latched, and the cycle never counts as a shuffle.',
    steps: [...LOAD, { after_ms: 100, do: 'fault', fault: 'jam', place: 'throat', card: 10, at_um: 40000 }],
    speed: '1',
    until: 'jam_throat',
  },
  {
    title: 'A double feed',
    text: 'Two cards come together, one 30 mm behind the other. The thickness sensor at the first beam sees it before the length is known.',
    steps: [...LOAD, { after_ms: 100, do: 'fault', fault: 'double_feed', offset_um: 30000, card: 8 }],
    speed: '1',
    until: 'double_feed',
  },
  {
    title: 'Power fails in mid-shuffle',
    text: 'The plug is pulled while a card is on its way. When power is back the device knows from its journal that a shuffle was going on: it counts nothing, and wants to be emptied by hand.',
    steps: [...LOAD, { after_ms: 6030, do: 'cut' }, { after_ms: 2500, do: 'boot' }],
    speed: '1',
    until: 'power',
  },
  {
    title: 'A forged command',
    text: 'A stranger on the cable orders a shuffle without the key. The frame is well formed, its MAC is wrong: the device drops it, and nothing moves. See the frame below, host → device.',
    setup: { role: 'table' },
    steps: [{ after_ms: 2500, do: 'load', cards: 52 }, { after_ms: 1500, do: 'forge', name: 'shuffle' }],
    speed: '1',
  },
];

export class Tour {
  /** begin(setup, steps, stop) starts a machine that does the steps by itself. */
  constructor(begin) {
    this.begin = begin;
    this.text = make('p', { id: 'tour-text', data: { role: 'status' } });
    const stops = STOPS.map(({ title }, i) => make('button', { type: 'button', id: `tour-${i + 1}`, on: { click: () => this.go(i) } }, `${i + 1} ${title}`));
    find('tour-body').replaceChildren(make('div', { className: 'row' }, ...stops), this.text);
  }

  go(number) {
    const stop = STOPS[number];
    this.text.textContent = stop.text;
    this.begin({ ...ROUND, ...stop.setup }, stop);
  }
}
