// The dealer's panel: a display of four lines, three lamps, five buttons; as they are on a table.

import { find, make } from './dom.js';
import { flag, say } from './svg.js';

const LAMPS = ['green', 'amber', 'red'];
const BUTTONS = [
  ['close', 'CLOSE', 'betting is closed'],
  ['lock', 'LOCK', 'lock-out confirmed'],
  ['seat', 'SEAT', 'one more position'],
  ['green', 'GREEN', 'start, or go on'],
  ['ack', 'ACK', 'acknowledge a warning'],
];
const SPEAK_MS = 600; // a display that changes at once is read out once

export class Panel {
  constructor(press) {
    this.lamps = LAMPS.map((name) => make('span', { className: `lamp ${name}`, data: { role: 'img' } }));
    find('lamps').replaceChildren(...this.lamps);
    this.buttons = BUTTONS.map(([name, text, title]) =>
      make('button', { type: 'button', id: `press-${name}`, className: `press ${name}`, title, on: { click: () => press(name) } }, text),
    );
    find('buttons').replaceChildren(...this.buttons);
    this.display = find('display');
    this.spoken = find('spoken');
  }

  allow(on) {
    for (const button of this.buttons) button.disabled = !on;
  }

  show(picture) {
    const lines = picture.display.map((line) => line.padEnd(20).slice(0, 20));
    say(this.display, lines.join('\n'));
    flag(this.display, 'off', !picture.power);
    const text = picture.power ? picture.display.filter(Boolean).join(', ') : 'The display is dark.';
    if (text !== this.text) {
      this.text = text;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => say(this.spoken, text), SPEAK_MS);
    }
    this.lamps.forEach((lamp, i) => {
      const on = picture.lamps.slice(2 * i, 2 * i + 2) === '01';
      flag(lamp, 'on', on);
      if (lamp.on !== on) lamp.setAttribute('aria-label', `${LAMPS[i]} lamp ${on ? 'on' : 'off'}`);
      lamp.on = on;
    });
  }
}
