// Time: pause, one scan, and how fast simulated time runs.

import { find, make } from './dom.js';
import { say } from './svg.js';

const SPEEDS = [['0.1', '0.1 ×'], ['0.25', '0.25 ×'], ['1', '1 ×'], ['4', '4 ×'], ['20', '20 ×'], ['max', 'as fast as it goes']];

export class Clock {
  constructor(source) {
    this.source = source;
    this.paused = false;
    this.pause = make('button', { type: 'button', id: 'pause', on: { click: () => this.setPaused(!this.paused) } }, 'Pause');
    this.scan = make('button', { type: 'button', id: 'scan', title: 'one scan of the firmware', on: { click: () => this.step() } }, 'One scan');
    this.speed = make('select', { id: 'speed', on: { change: () => this.apply() } });
    this.speed.append(...SPEEDS.map(([value, text]) => make('option', { value, selected: value === '1' }, text)));
    this.now = make('output', { id: 'now' }, '0.000 s');
    this.rate = make('output', { id: 'rate' });
    find('clock').replaceChildren(
      make('div', { className: 'row' }, this.pause, this.scan, make('label', {}, 'Speed ', this.speed)),
      make('p', { className: 'row' }, this.now, this.rate),
    );
    this.mark = null;
    this.scans = 0;
  }

  /** How fast time is to run: 0 pauses. */
  apply() {
    const speed = this.speed.value === 'max' ? Infinity : Number(this.speed.value);
    this.source.setSpeed(this.paused ? 0 : speed);
    this.mark = null;
  }

  setPaused(paused) {
    this.paused = paused;
    say(this.pause, paused ? 'Go on' : 'Pause');
    this.showRate();
    this.apply();
  }

  setSpeed(value) {
    this.speed.value = value;
    this.apply();
  }

  step() {
    if (!this.paused) this.setPaused(true);
    this.source.scan();
  }

  /** Real time per second is known after a second only. */
  showRate(text = '') {
    say(this.rate, `${this.paused ? 'paused, ' : text}${this.scans} scans`);
  }

  show(picture) {
    this.scans = picture.scans;
    say(this.now, `${(picture.t / 1e6).toFixed(3)} s`);
    const now = performance.now();
    if (this.paused || !this.mark || picture.t < this.mark.t) {
      this.mark = { now, t: picture.t };
      if (this.paused) this.showRate();
    } else if (now - this.mark.now > 1000) {
      this.showRate(`${((picture.t - this.mark.t) / 1000 / (now - this.mark.now)).toFixed(1)} × real time, `);
      this.mark = { now, t: picture.t };
    }
  }
}
