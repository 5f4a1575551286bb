// A device that says only what a test makes it say, at the other end of a connection in memory.
import { setImmediate } from 'node:timers/promises';
import { Dictionary, fromHex, FrameDecoder, Gate, MemoryStore, roleKeyOf, sessionKeyOf, signer } from '../../host_tools/fairshoe-js/src/index.js';
import { buildFrame } from '../../host_tools/fairshoe-js/src/frames.js';

export const DEVICE_KEY = Uint8Array.from({ length: 32 }, (_, n) => n);
export const TABLE_KEY = roleKeyOf(DEVICE_KEY, 'table');
export const PREFIX = { seq: 1, boot: 1, uptime_s: 5, uptime_ms: 0, utc_s: 0, round: 0, deck: 0 };
const NONCE = 'd0'.repeat(16);

/** Until everything that is under way has been done. */
export async function settle() { for (let n = 0; n < 8; n++) await setImmediate(); }

export class ScriptedDevice {
  heard = [];                                            // names of messages, event_ack with its number
  connections = 0;
  fields = { device: 5, boot: 1, mode: 1, has_key: 1, firmware: 'x', game: 'CS', seq_first: 1, seq_last: 8, op_last: 40 };
  answersHello = true;
  log = 'a0'.repeat(16);                                 // null: it does not say which log it writes
  session = 0x5a17;

  constructor({ role = 2, dictionary = new Dictionary(), ...fields } = {}) {
    this.role = role;
    this.dictionary = dictionary;
    Object.assign(this.fields, { dictionary: dictionary.hash }, fields);
  }

  connect = async () => {
    this.connections++;
    this.decoder = new FrameDecoder();
    const chunks = [];
    let wake = () => {}, over = false;
    this.feed = bytes => { chunks.push(bytes); wake(); };
    this.hangUp = () => { over = true; wake(); };
    const { hangUp } = this;
    return {
      chunks: (async function* read() {
        for (;;) {
          while (chunks.length) yield chunks.shift();
          if (over) return;
          await new Promise(resolve => { wake = resolve; });
        }
      })(),
      write: async bytes => { for (const { frame } of this.decoder.push(bytes)) this.hear(frame); },
      close: async () => hangUp(),
    };
  };

  hear(frame) {
    const message = frame.id === 1 ? this.dictionary.read(1, frame.body) : this.gate.take(frame);
    if (message.name === 'journal_get') this.sayLog();
    else this.heard.push(message.drop ?? (message.name === 'event_ack' ? `ack ${message.fields.seq}` : message.name));
    this.last = { frame, ...message };
    if (message.name === 'hello' && this.answersHello) this.welcome(message.fields);
    this.onHeard?.(message);
  }

  /** Opens a session for this hello. */
  welcome(hello, { key, ...fields } = {}) {
    this.sequence = 0;
    this.key = this.role ? sessionKeyOf(roleKeyOf(DEVICE_KEY, this.role), {
      versionMax: hello.version_max, session: this.session, hostNonce: fromHex(hello.nonce), deviceNonce: fromHex(NONCE) }) : null;
    this.gate = new Gate({ from: 'H', session: this.session, key: this.key });
    this.feed(this.frame('welcome', { version: 1, role: this.role, nonce: NONCE, host_nonce: hello.nonce, ...this.fields, ...fields }, key === undefined ? {} : { key }));
  }

  say(name, fields = {}, more = {}) {
    this.feed(this.frame(name, fields, more));
    return settle();
  }

  sayLog() {
    const { seq_first: first, seq_last: last } = this.fields;
    if (this.log) this.feed(this.frame('journal_is', { first, last, utc_s: 0, key: 0, log: this.log, head: '00'.repeat(32), mac: '00'.repeat(16) }));
  }

  event(seq, more) { return this.say('door_opened', { ...PREFIX, seq }, more); }

  result(op, outcome, command = 512) { return this.say('result', { op, command, outcome, reason: 0, detail: 0 }); }

  frame(name, fields, { session = this.session, sequence, key = this.key, from = 'D' } = {}) {
    const { id, class: kind } = this.dictionary.byName.get(name), body = this.dictionary.write(name, fields);
    return buildFrame({ class: kind, id, session, sequence: sequence ?? this.sequence++, body, sign: key && signer(key, from) });
  }
}

/** A store with a log of which a host has stored the events up to this one. */
export function storeWith(seq, identity = 'a0'.repeat(16), store = new MemoryStore(), boot = 1) {
  const id = store.logs(5).length + 1;
  store.putLog(5, { id, identity });
  store.put(5, { log: id, fields: { ...PREFIX, seq, boot } });
  return store;
}

/** A store that writes down in what order it was asked. */
export class LoggingStore extends MemoryStore {
  log = [];
  putOperation(device, role, operation) {
    this.log.push(operation.result ? `op ${operation.op} ${operation.result.outcome}` : `op ${operation.op}`);
    super.putOperation(device, role, operation);
  }
}
