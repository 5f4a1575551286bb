// Joins the parts of the page: a source of pictures, and the views that show them.

import { Clock } from './clock.js';
import { find, make } from './dom.js';
import { Hands } from './hands.js';
import { LINES, Machine } from './machine.js';
import { News } from './news.js';
import { Panel } from './panel.js';
import { SimSource } from './source_sim.js';
import { say } from './svg.js';

const load = (name) => fetch(new URL(name, import.meta.url)).then((answer) => answer.json());
const HOUSE_DECK = { draw: 30 }; // cards; else 52
const EMPTY = { t: 0, scans: 0, power: 0, warning: 'none', display: ['', '', '', ''], lamps: '000000' };

const [boards, games, warnings] = await Promise.all([load('boards.json'), load('games.json'), load('warnings.json')]);

class Page {
  constructor() {
    this.source = new SimSource((message) => this.heard(message));
    const act = (step) => this.source.act(step);
    this.panel = new Panel((button) => act({ do: 'press', button }));
    this.clock = new Clock(this.source);
    this.hands = new Hands(act, (on) => this.source.dealer(on));
    this.news = new News(warnings);
    this.choices();
    this.panel.allow(false);
    this.restart();
  }

  choices() {
    find('board').append(...Object.keys(boards).map((name) => make('option', { value: name }, name)));
    find('board').addEventListener('change', () => this.fitGame());
    find('setup').addEventListener('submit', (event) => {
      event.preventDefault();
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

  /** The game as a scenario names it. */
  game() {
    const name = find('game').value;
    if (name === 'board') return this.board.game;
    return name === 'house' ? { deck_cards: HOUSE_DECK[this.board.mechanism.kind] ?? 52 } : name;
  }

  /** A new machine, drawn at once; the VM follows. */
  restart(steps = [], at_ms = 0) {
    const name = find('board').value;
    this.board = boards[name];
    this.machine = new Machine(find('drawing'), this.board);
    this.news.clear();
    this.names = []; // of all events since power-up
    this.show(EMPTY);
    const data = { title: 'Recorded on the bench page', board: name, game: this.game(), seed: Number(find('seed').value) };
    this.source.start({ data, config: this.board, steps, at_ms });
    this.clock.setPaused(false);
  }

  heard(message) {
    if (message.picture) {
      this.spent = message.spent;
      this.show(message.picture);
    } else if (message.about) {
      this.about = message.about;
      find('loading').hidden = true;
      this.panel.allow(true);
      this.hands.fit(message.about);
    } else if (message.refused) {
      this.tell(message.refused.text);
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
    this.hands.show(picture, line);
    this.news.show(picture);
    for (const { event } of picture.news ?? []) if (event) this.names.push(event);
  }
}

globalThis.bench = new Page(); // for tests, and for people who look behind the page
