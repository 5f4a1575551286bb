// The floor page: one socket for all tables, alarms, a grid, one table in detail, the shift report.

import { Alarms } from './alarms.js';
import { Detail } from './detail.js';
import { find, put } from './dom.js';
import { Grid } from './grid.js';
import { LINE, notice } from './notice.js';
import { Report } from './report.js';
import { LiveUpdates, TOKEN } from './server.js';

const TICK_MS = 1000;
const shoes = new Map();
const alarms = new Alarms((device) => choose(device), () => soon());
const warnings = {}; // what to do about each; from the texts of the command line
fetch(new URL('warnings.json', import.meta.url)).then(async (answer) => Object.assign(warnings, await answer.json()));
const detail = new Detail((device) => alarms.of(device), warnings);
const grid = new Grid((device) => choose(device), (device) => alarms.of(device));
let ahead = 0; // seconds that the clock of this browser is ahead of the server's: it must not say what is old
const now = () => Date.now() / 1000 - ahead;
let due = false;
let state = 'connecting';
let heardAt = 0;

function choose(device) {
  const shoe = shoes.get(device);
  document.body.classList.toggle('drilled', Boolean(shoe));
  grid.select(shoe ? device : '');
  const before = detail.device;
  if (shoe) detail.choose(shoe);
  else detail.leave();
  if (!shoe) grid.focus(before);
  if (shoe && find('shoe').getBoundingClientRect().top < 0) find('shoe').scrollIntoView({ block: 'start' }); // on a phone it stands above the tables
  history.replaceState(null, '', shoe ? `#shoe=${device}` : location.pathname);
  show();
}

function show() {
  due = false;
  grid.show([...shoes.values()], now());
  alarms.show();
  if (detail.device && shoes.has(detail.device)) detail.show(shoes.get(detail.device), now());
  line();
}

/** The state of this page in the header, and in a sentence above the tables. */
function line() {
  put(document.body.dataset, 'state', state);
  put(find('link'), 'textContent', LINE[state]);
  const programs = alarms.programs();
  const troubles = [...programs.filter(({ grave }) => grave), ...grid.found.troubles, ...programs.filter(({ grave }) => !grave)];
  const { kind, text } = notice(state, { ...grid.found, troubles, silent_s: Math.round(now() - heardAt) });
  put(find('notice'), 'hidden', !text);
  put(find('notice'), 'className', kind);
  put(find('notice'), 'textContent', text);
  document.body.classList.toggle('cut', state !== 'live');
}

/** Many messages, one drawing. */
function soon() {
  if (!due) requestAnimationFrame(show);
  due = true;
}

function told({ kind, shoes: some, heard, at }) {
  if (at) ahead = Date.now() / 1000 - at;
  heardAt = now();
  if (kind === 'shoes') state = 'live';
  for (const [device, at] of Object.entries(heard ?? {})) if (shoes.has(device)) shoes.get(device).heard_at = at;
  if (kind === 'shoes') shoes.clear();
  if (kind === 'beat') alarms.read();
  for (const shoe of some ?? []) shoes.set(shoe.device, shoe);
  if (kind === 'shoes' && wanted && shoes.has(wanted)) choose(wanted);
  if (kind === 'shoes') wanted = '';
  if (some) soon();
}

function cut(why) {
  state = why;
  line();
}

/** Close what is on top: the report, then the table in detail. The search field clears itself. */
function escape({ key, target }) {
  if (key !== 'Escape' || (target.id === 'find' && target.value)) return;
  if (!find('report').hidden) report.show(false);
  else if (detail.device) choose('');
}

let wanted = location.hash.startsWith('#shoe=') ? location.hash.slice(6) : '';
for (const id of ['pit', 'find']) find(id).addEventListener('input', line); // after the grid
find('shoe-close').addEventListener('click', () => choose(''));
addEventListener('keydown', escape);
const report = new Report(() => [...shoes.values()]);
if (TOKEN) new LiveUpdates(() => ({ shoes: true }), told, cut);
else state = 'token';
show();
setInterval(show, TICK_MS);
globalThis.floor = { shoes, choose, alarms };
