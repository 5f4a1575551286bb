// One end of a session without any I/O: bytes in, messages out. Sections 2 and 3 of docs/PROTOCOL.md.
import { fromHex, toHex } from './bytes.js';
import { Dictionary, directionOf } from './dictionary.js';
import { buildFrame, FrameDecoder, VERSION } from './frames.js';
import { keyBytes, macIsRight, roleNumber, sessionKeyOf, signer } from './keys.js';
import { usage } from './errors.js';

const WELCOME = 2, REFUSED = 3;
// Taken in clear in a keyed session: by a device hello and dictionary_get, by a host refused, dictionary_line, halted.
const ALWAYS_CLEAR = { H: [1, 8], D: [3, 9, 74] };
const randomBytes = size => crypto.getRandomValues(new Uint8Array(size));
const SEQUENCE_MAX = 0xffff, SEQUENCE_ENDING = 0xff00;

/** Decides which frames of a session to take. `from`: the sender, 'D' at a host, 'H' at a device. `key` null: clear. */
export class Gate {
  constructor({ dictionary = new Dictionary(), from, session, key = null, last = -1 }) {
    Object.assign(this, { dictionary, from, session, last });
    this.sign = key && signer(key, from);
  }

  /** The message, or { drop: reason }, checked in the order of the page. */
  take(frame) {
    if (frame.malformed) return { drop: 'malformed' };
    if (frame.keyed) {
      if (frame.session !== this.session) return { drop: 'bad_session' };
      if (frame.sequence <= this.last) return { drop: 'replayed' };
      if (!this.sign || !macIsRight(this.sign, frame)) return { drop: 'bad_mac' };
      this.last = frame.sequence;
    }
    const message = this.dictionary.read(frame.id, frame.body);
    if (message.drop) return message;
    if (!frame.keyed && !ALWAYS_CLEAR[this.from].includes(frame.id)) {
      if (this.sign) return { drop: 'not_keyed' };
      if (frame.session !== this.session) return { drop: 'bad_session' };
    }
    return directionOf(frame.id) === this.from ? message : { drop: 'not_allowed' };
  }
}

/** The host's end. Send what hello() and send() return; give what arrives to receive(). */
export class Session {
  decoder = new FrameDecoder();
  welcome = null;                                        // fields of the welcome of the session in force
  #key;
  #random;
  #reading;                                              // the device's dictionary, once it is known
  #gate = null;
  #sign = null;
  #sequence = 0;
  #nonce = null;                                         // of the last hello, until its welcome has come

  constructor({ role = 'clear', key = null, dictionary = new Dictionary(), random = randomBytes } = {}) {
    this.role = roleNumber(role);
    this.dictionary = this.#reading = dictionary;
    if ((this.role === 0) !== (key === null)) throw usage('every role but clear has a key');
    this.#key = key && keyBytes(key);
    this.#random = random;
  }

  /** A hello with a new nonce. The session before stays in force until the welcome comes. */
  hello() {
    this.#nonce = this.#random(16);
    return this.#frame('hello', { version_max: VERSION, role: this.role, nonce: toHex(this.#nonce) }, {});
  }

  /** Forgets the session: the connection it belonged to is gone. */
  drop() {
    this.welcome = this.#gate = this.#sign = this.#nonce = null;
    this.decoder = new FrameDecoder();
  }

  /** True when the numbers of frames run out: say hello. */
  get ending() { return this.#sequence >= SEQUENCE_ENDING; }

  /** A message of this session as bytes to send. Throws without a session. */
  send(name, fields = {}) {
    if (!this.#gate || this.#sequence > SEQUENCE_MAX) throw usage('there is no session', 'Say hello first');
    return this.#frame(name, fields, { session: this.#gate.session, sequence: this.#sequence++, sign: this.#sign });
  }

  /** Read with the dictionary that the device sent. What this host sends stays as it knows it. */
  use(dictionary) {
    this.#reading = dictionary;
    if (this.#gate) this.#gate.dictionary = dictionary;
  }

  /** Bytes from the device -> messages that count, and { drop } for all else. Each has the `frame`, if there was one. */
  *receive(chunk) {
    for (const { frame, drop } of this.decoder.push(chunk)) {
      if (drop) yield { drop };
      else yield { frame, ...frame.id === WELCOME ? this.#welcome(frame) : this.#message(frame) };
    }
  }

  #frame(name, fields, rest) {
    const { id, class: kind } = this.dictionary.byName.get(name) ?? {};
    return buildFrame({ class: kind, id, body: this.dictionary.write(name, fields), ...rest });
  }

  #welcome(frame) {
    if (frame.malformed) return { drop: 'malformed' };
    const message = this.dictionary.read(frame.id, frame.body);
    if (message.drop) return message;
    const { fields } = message;
    if (!this.#nonce || fields.host_nonce !== toHex(this.#nonce)) return { drop: 'bad_session' };      // not ours
    if (fields.role !== this.role || frame.keyed !== (this.role !== 0)) return { drop: 'not_keyed' };  // no downgrade
    const key = this.#key && sessionKeyOf(this.#key, {
      versionMax: VERSION, session: frame.session, hostNonce: this.#nonce, deviceNonce: fromHex(fields.nonce) });
    if (key && !macIsRight(signer(key, 'D'), frame)) return { drop: 'bad_mac' };
    this.#gate = new Gate({ dictionary: this.#reading, from: 'D', session: frame.session, key, last: frame.sequence });
    this.#sign = key && signer(key, 'H');
    this.#nonce = null;                                  // one welcome for a hello
    this.#sequence = 0;
    this.welcome = fields;
    return message;
  }

  #message(frame) {
    const gate = this.#gate ?? new Gate({ dictionary: this.#reading, from: 'D', session: -1 });
    const message = gate.take(frame);
    if (frame.id !== REFUSED || message.drop) return message;
    return this.#nonce && message.fields.host_nonce === toHex(this.#nonce) ? message : { drop: 'bad_session' };
  }
}
