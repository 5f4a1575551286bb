// The floor page: one socket for all tables, alarms, a grid, one table in detail, the shift report.

import { Alarms } from './alarms.js';
import { Detail } from './detail.js';
import { find } from './dom.js';
import { Grid } from './grid.js';
import { Report } from './report.js';
import { Telling } from './server.js';

const TICK_MS = 1000;
const shoes = new Map();
const alarms = new Alarms((device) => choose(device), () => soon());
const detail = new Detail((device) => alarms.of(device));
const grid = new Grid((device) => choose(device), (device) => alarms.of(device));
const now = () => Date.now() / 1000;
let due = false;

function choose(device) {
  const shoe = shoes.get(device);
  document.body.classList.toggle('drilled', Boolean(shoe));
  grid.select(shoe ? device : '');
  if (shoe) detail.choose(shoe);
  else detail.leave();
  if (shoe) find('shoe').scrollIntoView({ block: 'nearest' });
  history.replaceState(null, '', shoe ? `#shoe=${device}` : location.pathname);
  show();
}

function show() {
  due = false;
  grid.show([...shoes.values()], now());
  alarms.show();
  if (detail.device && shoes.has(detail.device)) detail.show(shoes.get(detail.device), now());
}

/** Many messages, one drawing. */
function soon() {
  if (!due) requestAnimationFrame(show);
  due = true;
}

function told({ kind, shoes: some, heard }) {
  for (const [device, at] of Object.entries(heard ?? {})) if (shoes.has(device)) shoes.get(device).heard_at = at;
  if (kind === 'shoes') shoes.clear();
  if (kind === 'beat') alarms.read();
  for (const shoe of some ?? []) shoes.set(shoe.device, shoe);
  if (kind === 'shoes' && wanted && shoes.has(wanted)) choose(wanted);
  if (kind === 'shoes') wanted = '';
  if (some) soon();
}

function cut(why) {
  document.body.classList.toggle('cut', Boolean(why));
  const text = why || 'live';
  if (find('link').textContent !== text) find('link').textContent = text;
}

let wanted = location.hash.startsWith('#shoe=') ? location.hash.slice(6) : '';
find('shoe-close').addEventListener('click', () => choose(''));
addEventListener('keydown', ({ key }) => key === 'Escape' && choose(''));
new Report(() => [...shoes.values()]);
new Telling(() => ({ shoes: true }), told, cut);
setInterval(show, TICK_MS);
globalThis.floor = { shoes, choose, alarms };
