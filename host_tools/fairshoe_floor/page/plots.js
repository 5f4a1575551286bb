// Lines of a shoe's history, out of readings of its meters.

import { Plot } from './plot.js';

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
  const [first, last] = [readings[0]?.at ?? 0, readings.at(-1)?.at ?? 60];
  const figures = PLOTS.map(({ title, unit, value }) => {
    const points = each(readings, value);
    const drawn = new Plot(title, unit);
    drawn.show([points], first, last, points.length ? `${(+points.at(-1)[1].toFixed(1)).toLocaleString('en-US')}${unit}` : 'not known yet');
    return drawn.figure;
  });
  holder.replaceChildren(...figures);
}
