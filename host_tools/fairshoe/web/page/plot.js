// A small plot: lines over time, the scale with its unit at the left, the span below.

import { make } from './dom.js';
import { el, say, set } from './svg.js';

const [WIDTH, HEIGHT] = [240, 60];

/** The next of 1, 2, 5, 10, 20, ... at or above the value: the end of a scale that can be read. */
export function niceEnd(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= value - 1e-9);
}

export const span = (seconds) => (seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`);

export class Plot {
  constructor(title, unit, lines = 1) {
    Object.assign(this, { title, unit, lines: Array.from({ length: lines }, () => el('polyline')) });
    this.svg = el('svg', { viewBox: `0 -1 ${WIDTH} ${HEIGHT + 2}`, preserveAspectRatio: 'none', role: 'img' }, ...this.lines);
    [this.most, this.from] = [make('span'), make('span')];
    this.newest = make('b');
    const scale = make('div', { className: 'scale', ariaHidden: 'true' }, this.most, make('span', {}, '0'));
    const times = make('div', { className: 'span', ariaHidden: 'true' }, this.from, make('span', {}, 'now'));
    this.figure = make('figure', {}, make('figcaption', {}, `${title}: `, this.newest), make('div', { className: 'plot' }, scale, this.svg, times));
  }

  /** `series` has for each line its points [seconds, value]; `newest` says the last value in words. */
  show(series, first, last, newest) {
    const most = niceEnd(Math.max(1, ...series.flat().map(([, value]) => value)));
    const place = ([t, value]) => `${((WIDTH * (t - first)) / Math.max(1, last - first)).toFixed(1)},${(HEIGHT * (1 - value / most)).toFixed(1)}`;
    const whole = (points) => (points.length === 1 ? [...points, [last, points[0][1]]] : points); // one point is no line
    series.forEach((points, i) => set(this.lines[i], 'points', whole(points).map(place).join(' ')));
    say(this.most, `${most.toLocaleString('en-US')}${this.unit}`);
    say(this.from, `${span(last - first)} ago`);
    say(this.newest, newest);
    set(this.svg, 'aria-label', `${this.title}: ${newest}; ${span(last - first)} shown, scale 0 to ${most}${this.unit}`);
  }
}
