// A guided tour of six stops that plays itself. Each stop is a machine, what is done to it, what to look at, and the
// moment it is about: `seen` says whether it has come, `end` says what it shows.

import { find, make } from './dom.js';

const LOAD = [{ after_ms: 2500, do: 'load', cards: 52 }, { after_ms: 400, do: 'press', button: 'green' }];
const ROUND = { board: 'pico-carousel', game: 'caribbean-stud', seed: 7 };
const warned = (name) => ({ warnings }) => warnings.includes(name);

export const STOPS = [
  {
    title: 'A good round',
    text: 'The machine proves that it is empty. A deck of 52 goes in; each card is measured by two beams and goes into the slot that the shuffle has drawn for it. Then five cards to each position, each stack only after the last was taken.',
    steps: [],
    dealer: 'round_ended',
    speed: '4',
    seen: ({ names }) => names.includes('round_ended'),
    end: 'The round has ended without a warning, and every card is accounted for.',
  },
  {
    title: '51 cards',
    text: 'One card is missing. The machine counts in the throat and once more when the carousel turns past the slot beam. 51 is no deck: it is refused. The dealer presses ACK, and the machine puts the cards out.',
    steps: [{ after_ms: 2500, do: 'load', cards: 51 }, LOAD[1], { after_ms: 25600, do: 'press', button: 'ack' }],
    speed: '4',
    seen: ({ names }) => names.includes('deck_removed'),
    end: '51 cards were counted twice, 52 expected. The refused deck lies in the tray, to be taken off the table.',
  },
  {
    title: 'A jam',
    text: 'The eleventh card stops in the throat. The rollers move it back and try again, twice. Then the motors stop, the warning is latched, and the cycle never counts as a shuffle.',
    steps: [...LOAD, { after_ms: 100, do: 'fault', fault: 'jam', place: 'throat', card: 10, at_um: 40000 }],
    speed: '1',
    seen: warned('jam_throat'),
    end: 'The warning is latched. Only a machine that is proved empty goes on.',
  },
  {
    title: 'A double feed',
    text: 'Two cards come together, one 30 mm behind the other. The thickness sensor at the first beam sees them. Once the pair has passed the second beam the machine stops.',
    steps: [...LOAD, { after_ms: 100, do: 'fault', fault: 'double_feed', offset_um: 30000, card: 8 }],
    speed: '1',
    seen: warned('double_feed'),
    end: 'The machine stopped at the ninth feed: both cards lie in one slot, and the shuffle does not count.',
  },
  {
    title: 'Power fails in mid-shuffle',
    text: 'The plug is pulled while a card is on its way. When power is back the device knows from its journal that a shuffle was going on: it counts nothing, and wants to be emptied by hand.',
    steps: [...LOAD, { after_ms: 6030, do: 'cut' }, { after_ms: 2500, do: 'boot' }],
    speed: '1',
    seen: warned('power'),
    end: 'Power is back, the shuffle is void, and the warning stays until the machine is empty.',
  },
  {
    title: 'A forged command',
    text: 'A stranger on the cable orders a shuffle without the key. The frame is well formed, its MAC is wrong: the device drops it, and nothing moves. See the frame below, host → device.',
    setup: { role: 'table' },
    steps: [{ after_ms: 2500, do: 'load', cards: 52 }, { after_ms: 1500, do: 'forge', name: 'shuffle' }],
    speed: '1',
    // The device counts the frames it drops, and sends its counters every ten seconds.
    seen: ({ wire }) => wire.frames.some(({ name, text }) => name === 'link_counters' && /bad_mac [1-9]/.test(text)),
    end: 'The device reports one frame with a bad MAC (link_counters, below). The deck is still in the hopper, and no shuffle began.',
  },
];

export class Tour {
  /** begin(setup, stop) starts a machine that does the steps of a stop by itself; its dealer plays until an event. */
  constructor(begin) {
    this.begin = begin;
    this.text = find('tour-text');
    this.end = find('tour-end');
    this.buttons = STOPS.map(({ title }, i) =>
      make('button', { type: 'button', id: `tour-${i + 1}`, data: { 'aria-pressed': 'false' }, on: { click: () => this.go(i) } }, `${i + 1}. ${title}`),
    );
    find('tour-body').replaceChildren(make('div', { className: 'row' }, ...this.buttons));
  }

  go(number) {
    const stop = STOPS[number];
    this.begin({ ...ROUND, ...stop.setup }, stop);
    this.stop = stop;
    this.text.textContent = `${number + 1}. ${stop.title}. ${stop.text}`;
    this.buttons[number].setAttribute('aria-pressed', 'true');
    find('machine').scrollIntoView({ block: 'start' }); // on a phone the tour is far below the machine
  }

  /** Another machine: no stop is being played. */
  leave() {
    this.stop = null;
    this.text.textContent = this.end.textContent = '';
    for (const button of this.buttons) button.setAttribute('aria-pressed', 'false');
  }

  show(page) {
    if (!this.stop?.seen(page)) return;
    this.end.textContent = this.stop.end;
    this.stop = null;
    page.played();
  }
}
