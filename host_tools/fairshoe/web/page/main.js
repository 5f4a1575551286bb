// Joins the parts of the page: a source of pictures, and the views that show them.

import { Clock } from './clock.js';
import { find, make, whole } from './dom.js';
import { Faults } from './faults.js';
import { Groups } from './groups.js';
import { Hands } from './hands.js';
import { LINES } from './lines.js';
import { Machine } from './machine.js';
import { Moments, fromFragment, upTo } from './moments.js';
import { News } from './news.js';
import { Panel } from './panel.js';
import { Player } from './player.js';
import { Scenarios } from './scenarios.js';
import { SimSource } from './source_sim.js';
import { say } from './svg.js';
import { Tour } from './tour.js';
import { Wire } from './wire.js';

const load = (name) => fetch(new URL(name, import.meta.url)).then((answer) => answer.json());
const TITLE = 'Recorded on the bench page';
const HOUSE_DECK = { draw: 30 }; // cards; else 52
const SHELVES_HAND_OUT = { 'table.dealing': 'manual' }; // of a game with rules: set_ups.json
// Parts that the reference boards leave out, and pins for them. The simulator does not look at the numbers.
const EXTRAS = {
  sensors: { 'inputs.back': 22, 'inputs.face': 28 },
  'with-reader': { 'inputs.hole_card': 11, 'inputs.hole_match': 12, 'outputs.read_ace': 13, 'outputs.read_court': 14 },
};
const EMPTY = { t: 0, scans: 0, power: 0, warning: 'none', display: ['', '', '', ''], lamps: '000000' };

const source = new SimSource(); // before anything else: the VM takes longest
const [boards, { games, warnings, clauses, words }] = await Promise.all([load('boards.json'), load('texts.json')]);

class Page {
  constructor() {
    this.source = source;
    this.player = new Player((picture) => this.show(picture));
    const act = (step) => this.watching || this.source.act(step);
    this.panel = new Panel((button) => act({ do: 'press', button }));
    this.clock = new Clock({ setSpeed: (speed) => this.setSpeed(speed), scan: () => (this.watching ? this.player : this.source).scan() });
    const refuse = (text) => this.tell(text);
    this.groups = new Groups();
    this.hands = new Hands(this.groups, act, (on) => this.source.dealer(on), refuse);
    this.faults = new Faults(this.groups, act, refuse);
    this.wire = new Wire(act, refuse);
    const beam = (line) => this.faults.touchBeam(line);
    const card = (way) => act({ do: 'stop_card', way });
    this.touch = { beam, card, door: () => this.hands.toggles.door.click(), hopper: () => this.hands.load(), tray: () => act({ do: 'take' }) };
    this.news = new News({ warnings, clauses, words }, (ms) => this.goTo(ms));
    this.moments = new Moments({ save: () => this.source.save(), now: () => this.now(), goTo: (ms) => this.goTo(ms), say: (text) => this.tell(text) });
    this.scenarios = new Scenarios(load, (data) => this.watch(data));
    this.tour = new Tour((setup, stop) => this.play(setup, stop));
    this.choices(refuse);
    this.panel.allow(false);
    addEventListener('hashchange', () => this.follow());
    if (!this.follow()) this.restart();
    performance.mark('drawing');
    source.hear((message) => this.heard(message));
  }

  // -- which machine --------------------------------------------------------------------------------------------------

  choices(refuse) {
    find('board').append(...Object.keys(boards).map((name) => make('option', { value: name }, name)));
    find('board').addEventListener('change', () => this.fitGame());
    find('setup').addEventListener('submit', (event) => {
      event.preventDefault();
      if (whole(find('seed'), refuse) === null) return;
      history.replaceState(null, '', location.pathname);
      this.restart();
    });
    this.fitGame();
  }

  /** Offer the games of a board, and choose the one it is shown with. */
  fitGame() {
    const board = boards[find('board').value];
    const kind = board.mechanism.kind;
    const own = board.game?.deck_cards ? [['board', `House game, ${board.game.deck_cards} cards`]] : [];
    const house = ['house', `House game, ${HOUSE_DECK[kind] ?? 52} cards`];
    const offered = [...Object.entries(games), house, ...own];
    find('game').replaceChildren(...offered.map(([value, text]) => make('option', { value }, text)));
    find('game').value = kind === 'carousel' || kind === 'shoe' ? 'caribbean-stud' : 'house';
  }

  /** What the form says, as a scenario begins. */
  setup() {
    const board = find('board').value;
    const name = find('game').value;
    const house = { deck_cards: HOUSE_DECK[boards[board].mechanism.kind] ?? 52 };
    const setup = { board, game: { board: boards[board].game, house }[name] ?? name, seed: Number(find('seed').value) };
    if (find('keyed').checked) setup.role = 'table';
    const chosen = Object.entries(EXTRAS).filter(([id]) => find(id).checked);
    const changes = chosen.map(([, each]) => each);
    if (boards[board].mechanism.kind === 'shelves' && name in games) changes.push(SHELVES_HAND_OUT);
    if (changes.length) setup.changes = Object.assign({}, ...changes);
    return setup;
  }

  /** Make the form say what a machine is. */
  fill({ board, game, seed = 1, role, changes }) {
    find('board').value = board;
    this.fitGame();
    if (typeof game === 'string') find('game').value = game;
    find('seed').value = seed;
    find('keyed').checked = Boolean(role);
    for (const [id, extra] of Object.entries(EXTRAS)) find(id).checked = Object.keys(extra).every((path) => path in (changes ?? {}));
  }

  /** A new machine, drawn at once; the VM follows. */
  restart({ setup = this.setup(), steps = [], at_ms = 0, paused = false } = {}) {
    this.begin(setup);
    this.source.start({ data: { title: TITLE, ...setup }, config: boards[setup.board], steps, at_ms });
    this.clock.setPaused(paused);
  }

  begin(setup) {
    this.watching = false;
    this.dealing = false; // whether its own dealer plays from the start
    this.tour?.leave();
    this.player.clear();
    this.data = setup;
    this.machine = new Machine(find('drawing'), boards[setup.board], this.touch);
    this.news.clear();
    this.wire.clear();
    this.names = []; // of all events since power-up
    this.warnings = [];
    this.show(EMPTY);
  }

  // -- time -----------------------------------------------------------------------------------------------------------

  setSpeed(speed) {
    this.player.setSpeed(this.watching ? speed : 0);
    this.source.setSpeed(this.watching ? 0 : speed);
  }

  now() {
    return Math.ceil(this.picture.t / 1000);
  }

  /** The machine as it was at that millisecond, paused: played again from the start. */
  async goTo(at_ms) {
    if (this.watching) return;
    const { script, ...setup } = await this.source.save();
    this.restart({ setup, steps: upTo(script, at_ms), at_ms, paused: true });
  }

  /** The moment that the address names. */
  follow() {
    const moment = fromFragment(location.hash);
    if (!moment) return false;
    if (moment.broken || !Object.hasOwn(boards, moment.setup.board)) {
      this.restart();
      this.tell('This link is broken: it names no moment of a machine. Ask for it again. Here is a new machine.');
      this.kept = true; // on the page, when the machine has started
      return true;
    }
    this.fill(moment.setup);
    this.restart({ ...moment, paused: true });
    find('tour-text').textContent = moment.setup.story ?? ''; // of a link that was made from a journal
    return true;
  }

  // -- machines that act by themselves --------------------------------------------------------------------------------

  /** A stop of the tour: a new machine, and steps that come at their times. */
  play(setup, { steps, dealer, speed }) {
    this.fill(setup);
    this.restart({ setup });
    this.source.plan(steps);
    this.clock.setSpeed(speed);
    this.dealing = Boolean(dealer);
    this.source.dealer(this.dealing, dealer);
  }

  /** The moment of a stop has come: its dealer has nothing more to do. */
  played() {
    if (this.dealing) this.hands.letDeal(false);
  }

  /** Watch a scenario: the VM plays it as fast as it can, the page at the speed that is set. */
  watch(data) {
    this.fill(data);
    this.begin(data);
    this.watching = true;
    this.source.watch({ data, config: boards[data.board] });
    this.clock.setPaused(false);
  }

  // -- pictures -------------------------------------------------------------------------------------------------------

  heard(message) {
    if (message.picture) {
      this.spent = message.spent;
      if (!this.watching) this.show(message.picture);
    } else if (message.about) {
      if (!this.about) performance.mark('machine');
      this.about = message.about;
      find('loading').hidden = !this.kept;
      this.kept = false;
      this.panel.allow(true);
      this.hands.fit(message.about, this.dealing, Boolean(this.data.role));
      this.faults.fit(message.about);
      this.groups.fit(message.about.kind);
    } else if (message.frame) {
      if (this.watching) this.player.push(message.frame);
    } else if (message.watched) {
      this.scenarios.ended(message.watched);
    } else if (message.refused) {
      this.tell(`Not possible here: ${message.refused.text}`);
    } else if (message.failed) {
      this.tell(`The simulation stopped: ${message.failed}`);
    }
  }

  tell(text) {
    find('loading').hidden = false;
    say(find('loading'), text);
  }

  show(picture) {
    this.picture = picture;
    const line = (name) => parseInt(picture.truth?.slice(2 * LINES.indexOf(name), 2 * LINES.indexOf(name) + 2) ?? '0', 16);
    this.machine.show(picture);
    this.panel.show(picture);
    this.clock.show(picture);
    say(find('brief'), `${(picture.t / 1e6).toFixed(1).padStart(5)} s  ${picture.power ? picture.display.filter(Boolean).join(' / ') : 'dark'}`);
    this.hands.show(picture, line);
    this.faults.show(picture);
    this.wire.show(picture);
    this.news.show(picture);
    for (const { event, warning } of picture.news ?? []) {
      if (event) this.names.push(event);
      if (warning) this.warnings.push(warning);
    }
    this.tour?.show(this);
  }
}

globalThis.bench = new Page(); // for tests, and for people who look behind the page
