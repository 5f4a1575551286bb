// Rounds by command, as Shoe.play of Python: fairshoe/client/round_play.py says what it does and why.
import { FairshoeError } from './errors.js';
import { COMMAND_OF, FOR_PEOPLE } from './messages.js';

const POSITIONS_MAX = 16;
const DRAWN = 20;                                        // statuses without a card: the hand has finished the round
const ABOUT_COMMANDS = ['command_accepted', 'command_ended', 'held_back'];  // they change nothing about what is due
const ROUND_ENDS = ['round_ended', 'round_voided'];
const usage = (message, advice) => new FairshoeError('usage', message, advice);

/** What the loop of a table system decides, without a port. */
export class RoundPlay {
  over = [];
  #hooks;
  #rounds;
  #what;
  #seen = '';
  #same = 0;
  #refused = null;
  #positionsRefused = false;
  #given = '';

  constructor({ rounds = 1, ...hooks }, shoe) {
    const { welcome, session } = shoe;
    if (!(rounds > 0)) throw usage(`${rounds} rounds cannot be played.`, 'Give a number from 1 on.');
    if (!(hooks.positions > 0 && hooks.positions <= POSITIONS_MAX))
      throw usage(`${hooks.positions} positions cannot play.`, 'Give a number from 1 to 16.');
    if (welcome.mode !== 1) throw usage('this shoe only reports: its link takes no commands.',
      'Set link.mode to table in its board config, or read its events and let people press the buttons.');
    if (session.role === 0) throw usage('commands need a key.', "Open the shoe with role 'table' and its key.");
    this.#rounds = rounds;
    this.#what = session.dictionary.words.get('what');
    this.#hooks = { record: () => null, person: () => {}, allow: () => true, told: () => {}, event: () => {}, ...hooks };
  }

  get done() { return this.over.length >= this.#rounds; }

  /** The command that this message makes due, and its arguments; null: none. */
  async heard(message) {
    if (message.name !== 'status') {
      await this.#hooks.event(message);
      if (ROUND_ENDS.includes(message.name)) this.over.push(message);
      if (!ABOUT_COMMANDS.includes(message.name)) {
        this.#refused = null;
        this.#positionsRefused = false;
      }
      return null;
    }
    const { state, need, records_due, positions_due, dealt } = message.fields;
    const now = [state, need, records_due, positions_due, dealt].join();
    this.#same = now === this.#seen ? this.#same + 1 : 0;
    this.#seen = now;
    if (this.done || this.#refused === now) return null;
    const given = await this.#due(message);
    if (given) this.#given = given[0];
    return given;
  }

  /** How the last command ended. */
  answered(result) {
    if (this.#given === 'set_positions') this.#positionsRefused = !result.done;
    else this.#refused = result.done ? null : this.#seen;
    this.#hooks.told(this.#given, result);
  }

  async #due({ fields, words }) {
    const records = this.#what.filter((name, number) => name && fields.records_due >> number & 1);
    const forPeople = FOR_PEOPLE.includes(words.need) && !records.includes('final_deal');
    const call = () => {
      if (this.#same === 0) this.#hooks.person(words.need, records);
      return null;
    };
    if (forPeople) return call();
    if (records.length) return this.#record(records, fields, call);
    const command = COMMAND_OF[words.need];
    if (!command) return null;
    if (words.need === 'draw' && this.#same < DRAWN) return null;
    if (!await this.#hooks.allow(command, { fields, words })) return null;
    const closes = command === 'close_betting' && words.state !== 'waiting_for_wagers';
    const { positions } = this.#hooks;
    if (closes && fields.positions !== positions && !this.#positionsRefused) return ['set_positions', { positions }];
    return [command, {}];
  }

  async #record(records, fields, call) {
    const positions = [...Array(POSITIONS_MAX + 1).keys()].filter(it => it && fields.positions_due >> it - 1 & 1);
    const first = records.includes('tens_removed') ? 'tens_removed' : records[0];
    const what = positions.length ? 'second_wager' : first;
    const numbers = await this.#hooks.record(what, { deck: fields.deck_next, positions });
    return numbers ? ['record', { what, a: numbers[0], b: numbers[1] }] : call();
  }
}
