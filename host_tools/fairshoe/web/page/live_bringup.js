// Bring-up on the live page: the steps, what hands are asked for now, every input live, and what was found with its cure.
// The server runs the steps; this only shows them. A click begins, stops or writes a config; a step is passed by sensors.

import { find, make } from './dom.js';
import { el, flag, say, set } from './svg.js';

const BINS = ['none', 'below 50', 'below 100', 'below 200', 'below 500', 'below 1000', 'below 2000', '2000 and more'];
const BAR = 8; // wide, of a histogram that is TALL
const TALL = 24;
const SIGNS = { open: '○', running: '▶', passed: '✓', 'passed before': '✓', failed: '✕', 'not tested': '–' };
const tab = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16)).join('');

export class Bringup {
  constructor(send) {
    this.send = send;
    this.shown = {};
    this.rows = {};
    const press = (id, value) => find(id).addEventListener('click', () => this.send({ tab, ...value() }));
    press('bringup-lead', () => ({ bringup: 'lead', from: find('bringup-from').value }));
    press('bringup-watch', () => ({ bringup: 'watch' }));
    press('bringup-stop', () => ({ bringup: 'stop' }));
    press('bringup-write', () => ({ bringup: 'write' }));
  }

  /** Keeps its bring-up going: the server stops one whose page says nothing. */
  beat(known) {
    if (known?.doing && known.by === tab) this.send({ bringup: 'here' });
  }

  show(known, lines, down) {
    find('bringup').hidden = !known;
    flag(document.body, 'bringing', Boolean(known));
    flag(document.body, 'brought', Boolean(known?.doing)); // what the shoe waits for is not what hands do now
    if (!known) return;
    const { doing, by, steps } = known;
    const passed = steps.filter(({ state }) => state.startsWith('passed')).length;
    const other = doing && by !== tab ? ' Another tab has begun it; it ends when that is closed.' : '';
    say(find('bringup-state'), down ? 'The server does not answer: nothing is asked of the machine.' : `${known.board}: ${passed} of ${steps.length} steps have passed.${other}`);
    find('bringup-hand').hidden = !doing || down;
    say(find('bringup-now'), known.now || 'Nothing: the machine works. Keep your hands out.');
    say(find('bringup-seen'), known.seen && `Last seen: ${known.seen}`);
    this.buttons(known, passed, down);
    this.texts(known);
    if (this.shown.steps !== JSON.stringify(steps)) this.steps(steps);
    find('bringup-inputs').hidden = !lines?.length;
    for (const line of lines ?? []) this.line(line);
  }

  buttons({ doing, steps, cure }, passed, down) {
    say(find('bringup-lead'), passed ? 'Go on' : 'Begin');
    for (const name of ['lead', 'watch', 'from']) find(`bringup-${name}`).disabled = Boolean(doing) || down;
    find('bringup-stop').disabled = !doing || down;
    find('bringup-write').hidden = !cure || Boolean(doing);
    say(find('bringup-write'), `Write this cure to ${cure}`);
    const names = steps.map(({ name }) => name).join(' ');
    if (this.shown.names === names) return;
    this.shown.names = names;
    const first = make('option', { value: '' }, 'where it ended');
    find('bringup-from').replaceChildren(first, ...steps.map(({ name }) => make('option', { value: name }, name)));
  }

  texts({ problem, summary, next }) {
    find('bringup-problem').hidden = !problem;
    say(find('bringup-problem'), problem);
    find('bringup-end').hidden = !summary;
    flag(find('bringup-end'), 'todo', summary.includes('FAILED'));
    flag(find('bringup-end'), 'calm', !summary.includes('FAILED'));
    say(find('bringup-summary'), summary);
    say(find('bringup-next'), next && `Next: ${next}`);
  }

  steps(steps) {
    this.shown.steps = JSON.stringify(steps);
    find('bringup-steps').replaceChildren(...steps.map((step) => this.step(step)));
  }

  step({ name, about, state, checks }) {
    const sign = make('span', { className: 'sign', data: { 'aria-hidden': 'true' } }, SIGNS[state] ?? '');
    const head = make('p', {}, sign, make('b', {}, name), ` ${about}: `, make('span', { className: 'word' }, state));
    const told = checks.filter(({ result }) => result !== 'passed').map((check) => finding(check));
    const good = checks.filter(({ result }) => result === 'passed').map(({ name: part, what }) => make('li', {}, make('b', {}, part), ` ${what}`));
    const fold = good.length ? [make('details', {}, make('summary', {}, `${good.length} passed`), make('ul', {}, ...good))] : [];
    const data = { 'data-step': name, 'data-state': state, ...(state === 'running' ? { 'aria-current': 'step' } : {}) };
    return make('li', { data }, head, ...(told.length ? [make('ul', {}, ...told)] : []), ...fold);
  }

  line({ name, pin, level, rate, bounces, blind }) {
    const row = (this.rows[name] ??= this.row(name, pin));
    say(row.level, level < 0 ? '–' : String(level));
    flag(row.level, 'on', level === 1);
    say(row.rate, rate.toFixed(1));
    const most = Math.max(...bounces, 1);
    const said = blind || bounces.map((count, i) => (count ? `${BINS[i]}: ${count}` : '')).filter(Boolean).join(', ');
    say(row.words, said || 'no edge yet');
    flag(row.picture, 'none', !said || Boolean(blind));
    bounces.forEach((count, i) => {
      const height = (TALL * count) / most;
      set(row.bars[i], 'height', String(height));
      set(row.bars[i], 'y', String(TALL - height));
    });
  }

  row(name, pin) {
    const made = { level: make('td', { className: 'level' }), rate: make('td', { className: 'number' }), words: make('span', { className: 'bins' }) };
    made.bars = BINS.map((bin, i) => el('rect', { x: i * BAR + 1, y: TALL, width: BAR - 2, height: 0 }));
    made.picture = el('svg', { class: 'bars', viewBox: `0 0 ${BINS.length * BAR} ${TALL}`, 'aria-hidden': 'true' }, ...made.bars);
    const head = make('th', { scope: 'row' }, name, make('span', { className: 'pin' }, ` ${pin}`));
    find('bringup-lines').append(make('tr', { data: { 'data-line': name } }, head, made.level, made.rate, make('td', {}, made.picture, made.words)));
    return made;
  }
}

function finding({ name, result, what, cure, why }) {
  const parts = [make('b', {}, `${name}, ${result}: `), what, ...(why ? [` (${why})`] : [])];
  return make('li', { className: result === 'failed' ? 'problem' : 'left', data: { 'data-result': result } }, ...parts, ...(cure ? [make('p', {}, make('b', {}, 'Cure: '), cure)] : []));
}
