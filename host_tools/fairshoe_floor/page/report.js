// The shift report: what the meters of each table counted in the last hours, as a page to print.

import { condition } from './condition.js';
import { clock, find, many, make } from './dom.js';
import { read } from './server.js';

const AT_A_TIME = 6;
const COLUMNS = ['Table', 'Pit', 'Device', 'Firmware', 'From', 'To', 'Cycles', 'Cards', 'Misfeeds', 'per 1,000', 'Jams', 'Double feeds', 'Faults', 'Feed, ms', 'Now'];
const NUMBERS = 6; // columns before the first number

const count = (first, last, name) => last[name] - first[name];

/** One row, out of the first and the last reading of the time. */
export function row(shoe, readings) {
  const head = [shoe.table, shoe.pit, shoe.device, shoe.firmware ?? '?'];
  const { rank, what } = condition(shoe, Date.now() / 1000); // a shoe that is silent is not in service
  const now = rank === 'well' ? 'in service' : what;
  if (readings.length < 2) return [...head, ...Array(COLUMNS.length - head.length - 1).fill(''), now];
  const [first, last] = [readings[0], readings.at(-1)];
  const [a, b] = [first.meters, last.meters];
  const cards = count(a, b, 'cards');
  const misfeeds = count(a, b, 'misfeeds');
  return [...head, clock(first.at), clock(last.at), count(a, b, 'cycles'), cards, misfeeds, cards ? ((1000 * misfeeds) / cards).toFixed(1) : '', count(a, b, 'jams'), count(a, b, 'double_feeds'), count(a, b, 'faults'), b.feed_us ? (b.feed_us / 1000).toFixed(1) : '', now];
}

export class Report {
  constructor(shoes) {
    this.shoes = shoes;
    this.run = 0;
    find('report-open').addEventListener('click', () => this.open());
    find('report-close').addEventListener('click', () => this.show(false));
    find('report-print').addEventListener('click', () => print());
    find('report-hours').addEventListener('change', () => this.open());
  }

  show(on) {
    document.body.classList.toggle('reporting', on);
    find('report').hidden = !on;
    if (!on) find('report-open').focus();
  }

  async open() {
    this.show(true);
    const run = ++this.run;
    const hours = Math.min(72, Math.max(1, Number(find('report-hours').value) || 8));
    const since = Date.now() / 1000 - hours * 3600;
    const waiting = this.shoes().sort((a, b) => `${a.pit} ${a.table}`.localeCompare(`${b.pit} ${b.table}`, 'en', { numeric: true }));
    const rows = waiting.map(() => []);
    const cell = (name, text, i) => make(name, { className: i >= NUMBERS && i < COLUMNS.length - 1 ? 'number' : '' }, String(text));
    find('report-table').tHead.replaceChildren(make('tr', {}, ...COLUMNS.map((text, i) => cell('th', text, i))));
    find('report-about').textContent = 'Reading ...';
    find('report-print').disabled = true;
    let next = 0;
    let lost = 0;
    const work = async () => {
      while (next < waiting.length && run === this.run) {
        const i = next++;
        const { readings } = await read(`shoes/${waiting[i].device}/meters?since=${since}&limit=50`).catch(() => ({ readings: [], lost: ++lost }));
        rows[i] = row(waiting[i], readings);
      }
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
    if (run !== this.run) return;
    find('report-table').tBodies[0].replaceChildren(...rows.map((texts) => make('tr', {}, ...texts.map((text, i) => cell('td', text, i)))));
    find('report-print').disabled = false;
    find('report-about').textContent = `${lost ? `NOT COMPLETE: ${lost} could not be read. ` : ''}${many(rows.length, 'table')}, the last ${hours} h, made ${new Date().toLocaleString()}. From and To are the first and the last reading of the meters in that time.`;
  }
}
