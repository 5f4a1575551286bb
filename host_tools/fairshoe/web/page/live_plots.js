// Small lines of the last hour: feed time, misfeeds, scans, glitches per beam. A point is [t, feed_ms, misfeeds,
// scan_ms_max, overruns, glitches of each beam ...]; null is not known.

import { make } from './dom.js';
import { el, say, set } from './svg.js';

const HOUR_S = 3600;
const [WIDTH, HEIGHT] = [240, 60];
const BEAMS = ['hopper', 'throat_a', 'throat_b', 'opacity', 'slot', 'exit', 'tray', 'arrival', 'cut'];
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
    this.plots = PLOTS.map((plot) => {
      const svg = el('svg', { class: 'plot', viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: 'none', role: 'img' });
      const lines = Object.values(plot.columns).map(() => el('polyline'));
      svg.append(...lines);
      const caption = make('figcaption');
      return { ...plot, svg, lines, caption, figure: make('figure', {}, svg, caption) };
    });
    holder.replaceChildren(...this.plots.map(({ figure }) => figure));
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
    for (const plot of this.plots) this.draw(plot, now);
  }

  draw(plot, now) {
    const columns = Object.entries(plot.columns);
    const values = this.points.flatMap((point) => columns.map(([, column]) => point[column] ?? 0));
    const [least, most] = [Math.min(0, ...values), Math.max(1, ...values)];
    const first = Math.min(this.points[0]?.[0] ?? now, now - 60);
    const place = ([t, value]) => `${(((t - first) / (now - first)) * WIDTH).toFixed(1)},${(HEIGHT * (1 - (value - least) / (most - least))).toFixed(1)}`;
    columns.forEach(([, column], i) => {
      const line = this.points.map((point) => [point[0], point[column]]).filter(([, value]) => value !== null);
      if (line.length) line.push([now, line.at(-1)[1]]);
      set(plot.lines[i], 'points', line.map(place).join(' '));
    });
    const last = this.points.at(-1);
    const told = columns.filter(([, column]) => columns.length === 1 || last?.[column]).map(([name, column]) => `${columns.length === 1 ? '' : `${name} `}${known(last?.[column], plot.unit)}`);
    const text = `${plot.title}: ${told.join(', ') || 'none'}`;
    say(plot.caption, text);
    set(plot.svg, 'aria-label', `${text}; ${Math.round((now - first) / 60)} min shown`);
  }
}
