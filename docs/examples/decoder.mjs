// A decoder and a small host for the fairshoe protocol, version 1, written from ../PROTOCOL.md alone.
// Plain node (20 or newer), nothing to install.
//
//     node decoder.mjs CAPTURE.bin [ROLE_KEY_HEX]      one line per frame, then what was dropped and why
//
// As a library, a host in a few lines (`port` is any stream of bytes, `store` is yours: see class Host):
//
//     const host = new Host({ dictionary: loadDictionary(), role: 2, roleKey, store, send: bytes => port.write(bytes) });
//     port.on('data', bytes => { for (const got of host.receive(bytes)) console.log(got); });
//     host.hello();
//
// Timers are left to you: hello again after 1 s without a welcome, host.acknowledge() at least every 10 s.
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

export const VERSION = 1;
export const KEYED = 0x80, AGAIN = 0x01;                 // the flags that exist
const MUST_UNDERSTAND = 0xf0;                            // an unknown flag here: drop the frame
const HEADER = 8, MAC = 16, CRC = 4;
const SHORTEST = HEADER + CRC, LONGEST = 253;            // a frame before stuffing
const LONGEST_CANDIDATE = 256;                           // bytes between two zeros that are looked at at all

// ---- CRC-32/ISO-HDLC ------------------------------------------------------------------------------------------------

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});
export const RESIDUE = 0x2144df1c;                       // the CRC of anything followed by its own CRC

export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

// ---- Stuffing (COBS without the code 0xFF) --------------------------------------------------------------------------

export function stuff(plain) {
  if (plain.length > LONGEST) throw new RangeError(`a frame has at most ${LONGEST} bytes`);
  const out = Buffer.from([0, ...plain]);                // a place for the first code, then the bytes
  let code = 0;                                          // where the code being counted stands
  for (let at = 1; at <= out.length; at++) {
    if (at === out.length || out[at] === 0) {            // a zero, or the one after the frame that is not sent
      out[code] = at - code;
      code = at;
    }
  }
  return out;
}

/** The bytes before stuffing, or null if this is no stuffed frame. */
export function unstuff(stuffed) {
  if (stuffed.length === 0) return null;
  const out = Buffer.from(stuffed);
  let at = 0;
  while (at < stuffed.length) {
    const code = stuffed[at];
    if (code === 0 || code === 0xff) return null;
    out[at] = 0;
    at += code;
  }
  return at === stuffed.length ? out.subarray(1) : null; // the last code must point exactly behind the end
}

// ---- Frames ---------------------------------------------------------------------------------------------------------

/** What stands between two zeros -> { frame } or { drop: reason }. The order of the checks is the page's. */
export function parseFrame(candidate) {
  const plain = unstuff(candidate);
  if (plain === null) return { drop: 'bad_stuffing' };
  if (plain.length < SHORTEST) return { drop: 'too_short' };
  if (plain.length > LONGEST) return { drop: 'too_long' };
  if (crc32(plain) !== RESIDUE) return { drop: 'bad_crc' };
  if (plain[0] >> 4 !== VERSION) return { drop: 'bad_version' };
  const flags = plain[1], keyed = (flags & KEYED) !== 0;
  if (flags & MUST_UNDERSTAND & ~KEYED) return { drop: 'bad_flags' };
  const end = plain.length - CRC - (keyed ? MAC : 0);    // of the body
  const frame = {
    version: plain[0] >> 4, class: plain[0] & 15, flags, keyed, again: (flags & AGAIN) !== 0,
    id: plain.readUInt16LE(2), session: plain.readUInt16LE(4), sequence: plain.readUInt16LE(6),
    macMissing: end < HEADER,                            // keyed, and no room for a MAC: malformed
    signed: plain.subarray(0, Math.max(end, HEADER)),    // header and body, what the MAC is made over
    body: plain.subarray(HEADER, Math.max(end, HEADER)),
    mac: keyed && end >= HEADER ? plain.subarray(end, end + MAC) : null,
  };
  return { frame };
}

/** Bytes in any pieces -> frames. Also counts: `counters.good`, and every drop by its reason. */
export class FrameDecoder {
  counters = { good: 0, bad_stuffing: 0, bad_crc: 0, too_short: 0, too_long: 0, bad_version: 0, bad_flags: 0 };
  #kept = Buffer.alloc(LONGEST_CANDIDATE);
  #length = 0;                                           // bytes since the last zero; only the first 256 are kept
  #offset = 0;                                           // bytes seen in all

  /** Returns [{ offset, length, frame } or { offset, length, drop }]; the place is without the delimiters. */
  push(bytes) {
    const out = [];
    for (const byte of bytes) {
      if (byte !== 0) {
        if (this.#length < LONGEST_CANDIDATE) this.#kept[this.#length] = byte;
        this.#length++;
      } else if (this.#length > 0) {
        const length = this.#length, offset = this.#offset - length;
        this.#length = 0;                                // whatever comes out: start afresh with the next byte
        const got = length > LONGEST_CANDIDATE ? { drop: 'too_long' }
          : parseFrame(Buffer.from(this.#kept.subarray(0, length)));
        this.counters[got.drop ?? 'good']++;
        out.push({ offset, length, ...got });
      }
      this.#offset++;
    }
    return out;
  }

  /** The end of the stream that no zero has closed yet; null if there is none. */
  get unfinished() {
    return this.#length === 0 ? null : { offset: this.#offset - this.#length, length: this.#length };
  }
}

// ---- The dictionary: what the bodies mean ---------------------------------------------------------------------------

/** Lines as dictionary_line brings them -> the table. `names` maps a field's name to its words. */
export function parseDictionary(lines) {
  const dictionary = { byId: new Map(), byName: new Map(), names: {}, prefix: { event: [], command: [] } };
  const field = text => { const [name, type] = text.split(':'); return { name, type }; };
  for (const line of lines) {
    const [kind, ...rest] = line.split(' ');
    if (kind === 'message') {
      const message = { id: +rest[0], class: +rest[1], name: rest[2], fields: rest.slice(3).map(field) };
      dictionary.byId.set(message.id, message);
      dictionary.byName.set(message.name, message);
    } else if (kind === 'prefix') dictionary.prefix[rest[0]] = rest.slice(1).map(field);
    else if (kind === 'names') dictionary.names[rest[0]] = (dictionary.names[rest[0]] ?? []).concat(rest.slice(1));
  }
  for (const message of dictionary.byId.values()) {      // the prefix is not repeated in the lines
    const prefix = isEvent(message.id) ? 'event' : isCommand(message.id) ? 'command' : null;
    if (prefix) message.fields = [...dictionary.prefix[prefix], ...message.fields];
  }
  dictionary.hash = dictionaryHash(lines);
  return dictionary;
}

export const dictionaryHash = lines =>
  createHash('sha256').update(lines.map(line => line + '\n').join(''), 'latin1').digest('hex').slice(0, 16);

export const VECTORS = new URL('../protocol/vectors.json', import.meta.url);
export const loadDictionary = (file = VECTORS) => parseDictionary(JSON.parse(readFileSync(file, 'utf8')).dictionary.lines);

export const isEvent = id => id >= 256 && id <= 511;
export const isCommand = id => id >= 512 && id <= 767;
/** Who sends it, 'H' or 'D'. The dictionary does not say, the page does: hello, dictionary_get, event_ack, time_set,
    seed_get, journal_get, key_install, key_rotate. */
export const directionOf = id => [1, 8, 16, 48, 66, 68, 71, 72].includes(id) || isCommand(id) ? 'H' : 'D';

// ---- Bodies ---------------------------------------------------------------------------------------------------------

const SIZES = { u8: 1, u16: 2, u32: 4, t8: 8, b8: 8, b16: 16, b32: 32, rest: 0 };

function readFields(fields, body) {                      // null: the body is too short
  const values = {};
  let at = 0;
  for (const { name, type } of fields) {
    const end = type === 'rest' ? body.length : at + SIZES[type];
    if (end > body.length) return null;
    values[name] = type[0] === 'u' ? body.readUIntLE(at, SIZES[type])
      : type === 't8' ? body.toString('latin1', at, end).replace(/\0+$/, '')
        : body.toString('hex', at, end);                 // b8, b16, b32, rest
    at = end;
  }
  return { values, extra: body.subarray(at) };           // extra: fields of a newer device, to be ignored
}

function writeFields(fields, values) {
  return Buffer.concat(fields.map(({ name, type }) => {
    if (values[name] === undefined) throw new TypeError(`${name} is missing`);
    if (type === 'rest') return Buffer.from(values[name], 'hex');
    const out = Buffer.alloc(SIZES[type]);
    const bytes = type[0] === 'u' ? null : Buffer.from(values[name], type === 't8' ? 'latin1' : 'hex');
    if (bytes === null) out.writeUIntLE(values[name], 0, SIZES[type]);
    else if (bytes.length > out.length || (type[0] === 'b' && bytes.length !== out.length)) throw new RangeError(name);
    else bytes.copy(out);
    return out;
  }));
}

/** A frame -> { name, fields, words, extra } or { drop }. An event is never dropped as long as its prefix is there. */
export function readMessage(dictionary, frame) {
  if (frame.macMissing) return { drop: 'malformed' };
  const message = dictionary.byId.get(frame.id);
  const read = message && readFields(message.fields, frame.body);
  if (read) return { name: message.name, fields: read.values, words: wordsOf(dictionary, read.values), extra: read.extra };
  if (isEvent(frame.id)) {                               // unknown or too short: keep it as it came, read the prefix
    const prefix = readFields(dictionary.prefix.event, frame.body);
    if (prefix) return { name: message?.name ?? `event_${frame.id}`, fields: prefix.values, words: {}, extra: prefix.extra, opaque: true };
  }
  return { drop: message || isEvent(frame.id) ? 'malformed' : 'unknown' };
}

function wordsOf(dictionary, values) {                   // only for values that have a word; show the others as numbers
  const words = {};
  for (const [name, value] of Object.entries(values)) {
    const word = name === 'command' || name === 'during' ? dictionary.byId.get(value)?.name : dictionary.names[name]?.[value];
    if (word !== undefined) words[name] = word;
  }
  return words;
}

/** The bytes to send, with both delimiters. With `key`, a session key, the frame is keyed. `extra`: only for tests. */
export function encode(dictionary, name, fields, { session = 0, sequence = 0, key = null, flags = 0, extra = [] } = {}) {
  const message = dictionary.byName.get(name);
  if (!message) throw new TypeError(`no message ${name}`);
  const header = Buffer.alloc(HEADER);
  header[0] = VERSION << 4 | message.class;
  header[1] = flags | (key ? KEYED : 0);
  header.writeUInt16LE(message.id, 2);
  header.writeUInt16LE(session, 4);
  header.writeUInt16LE(sequence, 6);
  let plain = Buffer.concat([header, writeFields(message.fields, fields), Buffer.from(extra)]);
  if (key) plain = Buffer.concat([plain, macOf(key, directionOf(message.id), plain)]);
  const crc = Buffer.alloc(CRC);
  crc.writeUInt32LE(crc32(plain));
  return Buffer.concat([Buffer.of(0), stuff(Buffer.concat([plain, crc])), Buffer.of(0)]);
}

// ---- Keys -----------------------------------------------------------------------------------------------------------

const hmac = (key, ...parts) => parts.reduce((h, part) => h.update(part), createHmac('sha256', key)).digest();

export const roleKeyOf = (deviceKey, role) => hmac(deviceKey, 'fairshoe role', Buffer.of(role));

export const sessionKeyOf = (roleKey, { versionMax, session, hostNonce, deviceNonce }) =>
  hmac(roleKey, 'fairshoe session', Buffer.of(versionMax, session & 255, session >> 8), hostNonce, deviceNonce);

export const macOf = (sessionKey, direction, headerAndBody) => hmac(sessionKey, direction, headerAndBody).subarray(0, MAC);

export const macIsRight = (sessionKey, direction, frame) =>
  frame.mac !== null && timingSafeEqual(frame.mac, macOf(sessionKey, direction, frame.signed));

// ---- One end of a session: what to take and what to drop ------------------------------------------------------------

/** `from`: whom we listen to, 'D' for a host, 'H' for a device. `key`: null in a clear session. `last`: link sequence. */
export class Gate {
  constructor({ dictionary, from, session, key = null, last = -1 }) {
    Object.assign(this, { dictionary, from, session, key, last });
    this.clearAlways = from === 'H' ? [1, 8] : [3, 9];   // hello, dictionary_get; refused, dictionary_line
  }

  /** The message, or { drop: reason }; the order is that of "What a device refuses". */
  take(frame) {
    if (frame.macMissing) return { drop: 'malformed' };
    if (frame.keyed) {
      if (frame.session !== this.session) return { drop: 'bad_session' };
      if (!this.key || !macIsRight(this.key, this.from, frame)) return { drop: 'bad_mac' };
      if (frame.sequence <= this.last) return { drop: 'replayed' };
      this.last = frame.sequence;
    }
    const message = readMessage(this.dictionary, frame);
    if (message.drop) return message;
    if (!frame.keyed && !this.clearAlways.includes(frame.id)) {
      if (this.key) return { drop: 'not_keyed' };
      if (frame.session !== this.session) return { drop: 'bad_session' };
    }
    return directionOf(frame.id) === this.from ? message : { drop: 'not_allowed' };
  }
}

// ---- The host -------------------------------------------------------------------------------------------------------

/**
 * `store` is durable: lastSeq(device) and lastOp(device, role) give 0 if nothing is known;
 * putEvent(device, seq, { id, body, message }) and putOp(device, role, op) return only when it is on the disk.
 */
export class Host {
  constructor({ dictionary, role = 0, roleKey = null, store, send }) {
    Object.assign(this, { dictionary, role, roleKey, store, send });
    this.decoder = new FrameDecoder();
    this.gate = null;                                    // the session, once there is one
  }

  hello() {
    this.nonce = randomBytes(16);                        // a new one every time
    this.send(encode(this.dictionary, 'hello', { version_max: VERSION, role: this.role, nonce: this.nonce.toString('hex') }));
  }

  acknowledge() { return this.#say('event_ack', { seq: this.lastSeq }); }      // also the sign of life

  /** Sends a new command and returns its number. Until there is a final result: repeat(op, ...) every second or so. */
  command(name, fields = {}) {
    this.lastOp = Math.max(this.lastOp, this.store.lastOp(this.device, this.role)) + 1;
    this.store.putOp(this.device, this.role, this.lastOp);                     // written down before it is sent
    this.repeat(this.lastOp, name, fields);
    return this.lastOp;
  }

  repeat(op, name, fields = {}) { this.#say(name, { op, ...fields }); }

  /** Bytes from the device -> what happened: { drop }, { did, name, fields, words, ... }. */
  receive(bytes) {
    return this.decoder.push(bytes).map(({ frame, drop }) => {
      const message = drop ? { drop } : frame.id === 2 ? this.#welcome(frame) : this.#message(frame);
      return message.drop ? message : { did: 'shown', ...message };
    });
  }

  #say(name, fields) {
    if (!this.gate) throw new Error('no session: say hello');
    if (this.sequence > 0xffff) throw new Error('the link sequence is used up: say hello');
    this.send(encode(this.dictionary, name, fields, { session: this.gate.session, sequence: this.sequence++, key: this.gate.key }));
  }

  #welcome(frame) {
    const message = readMessage(this.dictionary, frame);
    if (message.drop) return message;
    const { fields } = message;
    if (!this.nonce || fields.host_nonce !== this.nonce.toString('hex')) return { drop: 'bad_session' };  // not ours
    if (fields.role !== this.role || frame.keyed !== (this.role !== 0)) return { drop: 'not_keyed' };     // no downgrade
    const key = this.role === 0 ? null : sessionKeyOf(this.roleKey, { versionMax: VERSION, session: frame.session,
      hostNonce: this.nonce, deviceNonce: Buffer.from(fields.nonce, 'hex') });
    if (key && !macIsRight(key, 'D', frame)) return { drop: 'bad_mac' };
    this.gate = new Gate({ dictionary: this.dictionary, from: 'D', session: frame.session, key, last: frame.sequence });
    this.nonce = null;                                   // one welcome per hello
    this.sequence = 0;
    this.device = fields.device;
    this.lastOp = fields.op_last;
    this.lastSeq = this.store.lastSeq(this.device);
    if (this.lastSeq > fields.seq_last) {                // its memory was replaced: a person must look at it
      this.gate = null;
      return { ...message, did: 'stopped', stored: this.lastSeq };
    }
    const missing = fields.seq_first - 1 - this.lastSeq; // above 0: these are with another host
    if (missing > 0) this.lastSeq = fields.seq_first - 1;
    this.acknowledge();                                  // the first proof of the key puts the session in force
    return { ...message, did: 'opened', missing: Math.max(0, missing) };
  }

  #message(frame) {
    const gate = this.gate ?? new Gate({ dictionary: this.dictionary, from: 'D', session: -1 });
    const message = gate.take(frame);
    if (message.drop || !isEvent(frame.id)) return message;
    const { seq } = message.fields;
    if (seq > this.lastSeq + 1) return { ...message, did: 'ignored' };         // a gap: it will be sent again
    const fresh = seq === this.lastSeq + 1;
    if (fresh) {
      this.store.putEvent(this.device, seq, { id: frame.id, body: Buffer.from(frame.body), message });
      this.lastSeq = seq;
    }
    this.acknowledge();                                  // only now; after a repetition too: the last one was lost
    return { ...message, did: fresh ? 'stored' : 'repetition' };
  }
}

// ---- The command ----------------------------------------------------------------------------------------------------

const describe = ({ fields, words, extra, opaque }) => [
  ...Object.entries(fields).map(([name, value]) => `${name}=${words[name] ?? value}`),
  ...(extra.length ? [`${opaque ? 'not_understood' : 'extra'}=${extra.toString('hex')}`] : [])].join(' ');

function main(file, roleKeyHex) {
  const dictionary = loadDictionary(), decoder = new FrameDecoder();
  const keys = new Map();                                // session -> key, as far as a role key lets us make them
  let versionMax = VERSION;                              // the one of the hello, if the capture has the host's side too
  for (const { offset, length, frame } of decoder.push(readFileSync(file))) {
    if (!frame) continue;
    const message = readMessage(dictionary, frame);
    if (message.name === 'hello') versionMax = message.fields.version_max;
    if (message.name === 'welcome' && frame.keyed && roleKeyHex)
      keys.set(frame.session, sessionKeyOf(Buffer.from(roleKeyHex, 'hex'), { versionMax, session: frame.session,
        hostNonce: Buffer.from(message.fields.host_nonce, 'hex'), deviceNonce: Buffer.from(message.fields.nonce, 'hex') }));
    const key = keys.get(frame.session);
    const mac = !frame.keyed ? 'clear' : !key ? 'keyed' : macIsRight(key, directionOf(frame.id), frame) ? 'mac_ok' : 'BAD_MAC';
    console.log(`@${offset}+${length}`, `session=${frame.session}`, `link=${frame.sequence}`, mac, ...(frame.again ? ['again'] : []),
      message.drop ? `message ${frame.id}: ${message.drop}` : `${message.name} ${describe(message)}`);
  }
  const { good, ...drops } = decoder.counters;
  const dropped = Object.entries(drops).filter(([, count]) => count).map(([reason, count]) => `${reason} ${count}`);
  console.log(`${good} frames; dropped: ${dropped.join(', ') || 'none'}; unfinished: ${decoder.unfinished?.length ?? 0} bytes`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  if (process.argv.length < 3) { console.error('usage: node decoder.mjs CAPTURE.bin [ROLE_KEY_HEX]'); process.exit(2); }
  main(process.argv[2], process.argv[3]);
}
