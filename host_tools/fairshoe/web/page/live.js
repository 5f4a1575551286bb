// The live view of a shoe: what the server of `fairshoe web PORT` tells, and how old it is. Every text is set as text.

import { find, make, many } from './dom.js';
import { Plots } from './live_plots.js';
import { showState } from './live_states.js';
import { LINES } from './lines.js';
import { Machine } from './machine.js';
import { ZONES } from './shoe_view.js';
import { LiveSource } from './source_live.js';
import { el, flag, say } from './svg.js';

const LOOK_MS = 250;
const KEPT = 100; // events
const STYLES = new Set(['good', 'bad', 'bold', 'warn']);
const load = (name) => fetch(new URL(name, import.meta.url)).then((answer) => answer.json());
const boards = await load('boards.json');

/** A figure over decks, from a little below its least. Its numbers are in the text beside it. */
function curve(points) {
  const figures = points.map(([, figure]) => figure);
  const low = 0.8 * Math.min(...figures);
  const [left, tall] = [points[0][0], Math.max(...figures) - low || 1];
  const wide = points.at(-1)[0] - left || 1;
  const line = points.map(([decks, figure]) => `${((100 * (decks - left)) / wide).toFixed(1)},${(23 - (22 * (figure - low)) / tall).toFixed(1)}`);
  return el('svg', { class: 'curve', viewBox: '0 0 100 24', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, el('polyline', { points: line.join(' ') }));
}

class LivePage {
  constructor(open) {
    this.known = {};
    this.down = 'connecting';
    this.t = 0;
    this.age_s = null;
    this.at_ms = performance.now();
    this.seq = 0;
    this.plots = new Plots(find('plots'));
    this.zones = ZONES.map((name) => make('dd'));
    find('zones').replaceChildren(...ZONES.map((name, i) => make('div', {}, make('dt', {}, name), this.zones[i])));
    this.source = open((message) => this.heard(message));
    setInterval(() => this.look(), LOOK_MS);
  }

  heard(message) {
    if (message.down) {
      this.down = message.down;
    } else if (message.answer) {
      say(find('answer'), message.answer);
    } else {
      this.down = '';
      Object.assign(this, { t: message.t, age_s: message.age_s, at_ms: performance.now() });
      if (message.snapshot) this.begin(message.snapshot);
      if (message.delta) this.take(message.delta);
    }
    this.look();
  }

  begin(snapshot) {
    this.known = {};
    this.seq = 0;
    find('news-list').replaceChildren();
    this.plots.take([], true);
    this.take({ status: null, shoe: null, commands: [], wear: [], ...snapshot });
  }

  take({ events = [], history = [], ...changed }) {
    Object.assign(this.known, changed);
    for (const event of events) this.event(event);
    this.plots.take(history, false);
    if ('board' in changed) this.draw(changed.board);
    if ('wear' in changed) this.wear(changed.wear);
    if ('commands' in changed) this.offer(changed.commands);
    this.show();
  }

  event({ seq, when, round, text, style }) {
    if (seq <= this.seq) return;
    this.seq = seq;
    const className = STYLES.has(style) ? style : '';
    const words = `${round ? ` round ${round}` : ''} · ${text}`;
    find('news-list').prepend(make('li', { className, data: { 'data-seq': seq } }, make('time', {}, when), words));
    while (find('news-list').children.length > KEPT) find('news-list').lastChild.remove();
  }

  /** The machine of a board, empty; without slots. */
  draw(name) {
    const board = boards[name];
    find('undrawn').hidden = Boolean(board);
    this.machine = board ? new Machine(find('drawing'), board) : null;
    if (!board) find('drawing').replaceChildren();
    const store = this.machine?.parts.store;
    if (!store) return;
    const box = store.layer.getBBox();
    this.stored = el('text', { class: 'count unknown', x: box.x + box.width / 2, y: box.y + box.height / 2 });
    store.layer.append(this.stored);
  }

  /** Trends over decks; a part that wears stands out. */
  wear(trends) {
    find('wear').hidden = trends.length === 0;
    find('wear').replaceChildren(...trends.map(([text, style, points]) => make('li', { className: STYLES.has(style) ? style : '' }, curve(points), text)));
  }

  offer(commands) {
    const positions = make('input', { type: 'number', min: 1, max: 16, value: 1, id: 'positions', data: { 'aria-label': 'Positions' } });
    const give = (name) => () => this.source.command(name, name === 'set_positions' ? Number(positions.value) : undefined);
    this.buttons = commands.map((name) => make('button', { type: 'button', id: `command-${name}`, on: { click: give(name) } }, name.replaceAll('_', ' ')));
    find('control').replaceChildren(...this.buttons, ...(commands.includes('set_positions') ? [positions] : []));
    find('control').hidden = commands.length === 0;
  }

  show() {
    const { url = '', shoe, status, link } = this.known;
    say(find('title'), `live view of ${url}`);
    say(find('about'), shoe ? `Device ${shoe.device}, firmware ${shoe.firmware}, game ${shoe.game}, boot ${shoe.boot}; this page: ${shoe.role}, ${link?.mode}` : '');
    if (!status) return;
    say(find('state'), status.state);
    const facts = [status.round ? `round ${status.round}` : 'no round', status.deck ? `deck ${status.deck}` : '', status.positions ? many(status.positions, 'position') : '', status.stack ? `stack ${status.stack}` : '', status.hopper_seen && !status.hopper ? 'cards in the hopper' : '', `${many(status.events_waiting, 'event')} for a host to store`];
    say(find('facts'), facts.filter(Boolean).join(', '));
    find('progress').hidden = status.progress === null;
    find('progress').value = status.progress ?? 0;
    say(find('next'), status.next);
    say(find('who'), status.who);
    find('warning').hidden = !status.warning;
    const [name, what, advice] = status.warning ?? ['', '', ''];
    say(find('warning-name'), `Warning ${name}`);
    say(find('warning-what'), what);
    say(find('warning-advice'), advice);
    ZONES.forEach((zone, i) => say(this.zones[i], String(status[zone])));
    for (const button of this.buttons ?? []) flag(button, 'due', button.id === `command-${status.command}`);
    if (this.stored) say(this.stored, status.store ? `${status.store} cards` : '');
  }

  /** How old it is, and whether it may be believed. */
  look() {
    const passed_s = (performance.now() - this.at_ms) / 1000;
    const { link, status } = this.known;
    this.stale = showState(this, link) !== 'live';
    this.plots.show(this.t + passed_s);
    if (!this.machine) return;
    const door = LINES.map((name) => (name === 'door' && status?.door_open ? '01' : '00')).join('');
    const warning = status?.warning ? status.warning[0] : 'none';
    this.machine.show({ t: (this.t + passed_s) * 1e6, power: this.stale ? 0 : 1, warning, truth: door, hopper: status?.hopper, tray: status?.tray });
  }
}

addEventListener('hashchange', () => location.reload()); // the URL of a server that was started again: only its token is new
const page = new LivePage(open);
globalThis.live = page; // for tests, and for people who look behind the page

/** With the token of a server, its shoe; on a static site a shoe on a serial port of this computer. */
function open(listen) {
  const token = location.hash.slice(1);
  if (token) return new LiveSource(listen, `ws://${location.host}/live?token=${encodeURIComponent(token)}`);
  find('connect').hidden = !navigator.serial;
  find('connect').addEventListener('click', () => connect(listen));
  const other = 'run `fairshoe web PORT` and open the URL that it prints.';
  queueMicrotask(() => listen({ down: navigator.serial ? `No shoe yet. Choose a serial port, or ${other}` : `This browser cannot open serial ports: ${other}` }));
  return null;
}

/** Let the user choose a port, and look on. The modules for it are loaded only now: a server does not have them. */
async function connect(listen) {
  try {
    const port = await navigator.serial.requestPort();
    find('connect').hidden = true;
    const [{ SerialSource }, { webSerial }, texts] = await Promise.all([import('./source_serial.js'), import('./fairshoe-js/web_serial.js'), load('live_texts.json')]);
    page.source = new SerialSource(listen, webSerial(port), texts);
  } catch (error) {
    if (error.name !== 'NotFoundError') listen({ down: `The port cannot be opened: ${error.message}` }); // none was chosen
  }
}
