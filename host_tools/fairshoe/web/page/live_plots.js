// Small lines of the last hour: feed time, misfeeds, scans, glitches per beam. A point is [t, feed_ms, misfeeds,
// scan_ms_max, overruns, glitches of each beam ...]; null is not known.

import { BEAMS } from './lines.js';
import { Plot } from './plot.js';

const HOUR_S = 3600;
const PLOTS = [
  { title: 'Feed time', unit: ' ms', columns: { feed: 1 } },
  { title: 'Misfeeds', unit: '', columns: { misfeeds: 2 } },
  { title: 'Longest scan', unit: ' ms', columns: { scan: 3 } },
  { title: 'Glitches', unit: '', columns: Object.fromEntries(BEAMS.map((beam, i) => [beam, 5 + i])) },
];

const known = (value, unit) => (value === null || value === undefined ? 'not known' : `${+value.toFixed(1)}${unit}`);

export class Plots {
  constructor(holder) {
    this.points = [];
    this.plots = PLOTS.map(({ title, unit, columns }) => ({ unit, columns: Object.entries(columns), plot: new Plot(title, unit, Object.keys(columns).length) }));
    holder.replaceChildren(...this.plots.map(({ plot }) => plot.figure));
  }

  /** All points, or more of them: one with the time of the last replaces it. */
  take(points, restart) {
    if (restart) this.points = [];
    for (const point of points) {
      if (this.points.at(-1)?.[0] === point[0]) this.points.pop();
      this.points.push(point);
    }
  }

  show(now) {
    this.points = this.points.filter(([t]) => t >= now - HOUR_S);
    const first = Math.min(this.points[0]?.[0] ?? now, now - 60);
    const last = this.points.at(-1);
    for (const { unit, columns, plot } of this.plots) {
      const series = columns.map(([, column]) => {
        const line = this.points.map((point) => [point[0], point[column]]).filter(([, value]) => value !== null && value !== undefined);
        return line.length ? [...line, [now, line.at(-1)[1]]] : [];
      });
      const one = columns.length === 1;
      const told = columns.filter(([, column]) => one || last?.[column]).map(([name, column]) => `${one ? '' : `${name} `}${known(last?.[column], unit)}`);
      plot.show(series, first, now, told.join(', ') || 'none');
    }
  }
}
