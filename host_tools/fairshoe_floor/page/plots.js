// Lines of a shoe's history, out of readings of its meters.

import { draw, make } from './dom.js';

const [WIDTH, HEIGHT] = [240, 60];
const each = (readings, value) => readings.map((one, i) => [one.at, value(one.meters, readings[i - 1])]).filter(([, it]) => it !== null);
const rate = (now, before, amount) => (before && now.cards > before.cards ? amount(now, before) : null);

const PLOTS = [
  { title: 'Feed time', unit: ' ms', value: (now) => (now.feed_us ? now.feed_us / 1000 : null) },
  { title: 'Misfeeds per 1,000 cards', unit: '', value: (now, before) => rate(now, before?.meters, (a, b) => (1000 * (a.misfeeds - b.misfeeds)) / (a.cards - b.cards)) },
  { title: 'Cards', unit: '', value: (now) => now.cards },
  { title: 'Jams and faults', unit: '', value: (now) => now.jams + now.faults },
];

/** Fill the holder with one figure for each plot. */
export function plot(holder, readings) {
  holder.replaceChildren(...PLOTS.map((one) => figure(one, each(readings, one.value))));
}

function figure({ title, unit, value: _value }, points) {
  const values = points.map(([, value]) => value);
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 1)];
  const [first, last] = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 1];
  const place = ([at, value]) => `${((WIDTH * (at - first)) / Math.max(1, last - first)).toFixed(1)},${(HEIGHT * (1 - (value - least) / (most - least))).toFixed(1)}`;
  const newest = points.length ? `${+values.at(-1).toFixed(1)}${unit}` : 'not known yet';
  const text = `${title}: ${newest}`;
  const svg = draw('svg', { class: 'plot', viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${text}; ${Math.round((last - first) / 60)} min shown` });
  svg.append(draw('polyline', { points: points.map(place).join(' ') }));
  return make('figure', {}, svg, make('figcaption', {}, text));
}
