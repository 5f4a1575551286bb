// What the live view shows, folded in the browser from the messages of a shoe: the same values that the server of
// `fairshoe web PORT` sends (live_view.py). Only what a host may know.

import { eventText, plain } from './event_text.js';
import { BEAMS } from './lines.js';

export const ZONES = ['hopper', 'path', 'store', 'tray', 'dealt', 'discarded', 'released', 'removed'];
const EPOCH_2020_MS = 1577836800000;
const POINT_S = 10; // one point of history stands for so long
const OTHER = 'unrecognised';

const mm = (um) => (um / 1000).toFixed(1);
const measured = ({ length_um, card_um }) => (length_um ? `${mm(card_um)} mm expected, ${mm(length_um)} measured: roller speed?` : '');

export class ShoeView {
  /** `texts` is live_texts.json: advice for needs and warnings, and which board has which CRC. */
  constructor(texts) {
    this.texts = texts;
    this.meters = this.health = this.latched = this.point = null;
    this.began = performance.now();
  }

  now() {
    return (performance.now() - this.began) / 1000;
  }

  /** What a message changes: a delta for the page. `prefix` names the fields that all events have. */
  take({ name, fields, words, opaque }, prefix) {
    if (name === 'welcome') return { shoe: this.welcome(fields) };
    if (name === 'status') return { status: this.status(fields, words) };
    if (name === 'meters') {
      this.meters = fields;
      return { meters: fields, history: this.history() };
    }
    if (name === 'health') {
      this.health = fields;
      return { history: this.history() };
    }
    if (name === 'warning_latched') this.latched = { ...fields, ...words };
    const board = name === 'booted' ? this.texts.boards[fields.board_crc] : undefined;
    return { ...(board && { board }), events: [this.event(opaque ? '' : name, fields, words, prefix)] };
  }

  welcome({ device, firmware, game, boot, has_key }) {
    return { device: device.toString(16).padStart(8, '0'), firmware, game, boot, has_key: Boolean(has_key), role: 'in clear' };
  }

  status(fields, words) {
    const { state = OTHER, need = OTHER } = words;
    const { text, who, command } = this.step(fields, words);
    const zones = Object.fromEntries(ZONES.map((zone) => [zone, fields[zone]]));
    return {
      ...{ state: plain(state), round: fields.round, deck: fields.deck, positions: fields.positions, stack: fields.stack, need: plain(need), ...zones },
      events_waiting: fields.events_waiting,
      hopper_seen: Boolean(fields.hopper_seen),
      door_open: need === 'close_door',
      next: text,
      who: this.texts.who[who],
      command,
      progress: state === 'shuffling' && fields.expected_ds ? Math.min(fields.elapsed_ds / fields.expected_ds, 1) : null,
      warning: this.warning(words),
    };
  }

  /** What the shoe waits for, and who can do it. */
  step(fields, { state = OTHER, need = OTHER }) {
    const { steps, in_state, working, newer } = this.texts;
    if (need === 'none') return { text: working[state] ?? (state === OTHER ? newer : 'storing records'), who: 'machine', command: '' };
    const [usual, person, command] = steps[need] ?? [newer, 'machine', ''];
    const records = this.texts.records.filter((_, bit) => Math.floor(fields.records_due / 2 ** bit) % 2);
    const positions = Array.from({ length: 16 }, (_, i) => i + 1).filter((i) => (fields.positions_due >> (i - 1)) & 1);
    let text = in_state[`${need} ${state}`] ?? usual;
    if (need === 'induction' && records.length) {
      text = `report the induction of the deck: record ${records.map((what) => `${what.replaceAll('_', '-')} ${fields.deck_next}`).join(', ')}`;
    }
    if (records.length === 1 && records[0] === 'final_deal') text = 'report how many positions take part in the final deal: record final-deal POSITIONS';
    if (positions.length) text += ` (still due: ${positions.join(', ')})`;
    return { text, who: records.length && person !== 'host' ? 'record' : person, command };
  }

  warning({ warning = OTHER, state }) {
    if (warning === 'none') return null;
    const { warnings, holds, stopped, sensors } = this.texts;
    const [what, advice] = (!stopped.includes(state) && holds[warning]) || (warnings[warning] ?? warnings[OTHER]);
    const latched = this.latched?.warning === warning ? this.latched : {};
    const found = sensors[latched.sensor] ?? measured(latched);
    return [plain(warning), found ? `${what}; ${found}` : what, advice];
  }

  event(name, fields, words, prefix) {
    const date = fields.utc_s ? new Date(fields.utc_s * 1000 + EPOCH_2020_MS) : new Date();
    const own = Object.keys(fields).filter((field) => !prefix.includes(field));
    const text = name ? eventText(name, { ...fields, ...words }, own, this.texts.words) : 'an event that this version does not know';
    return { seq: fields.seq, when: date.toTimeString().slice(0, 8), round: fields.round, name, text, style: '' };
  }

  /** The newest point; those of the same ten seconds are one: the last. */
  history() {
    const { meters, health } = this;
    if (!meters) return [];
    const now = this.now();
    if (this.point === null || now - this.point >= POINT_S) this.point = now;
    const feed_ms = meters.feed_us ? meters.feed_us / 1000 : null;
    return [[this.point, feed_ms, meters.misfeeds, health?.scan_ms_max ?? null, health?.overruns ?? null, ...BEAMS.map((beam) => meters[beam])]];
  }
}
