// Frames: delimiters, stuffing, CRC, header. Section 1 of docs/PROTOCOL.md.
import { concat } from './bytes.js';
import { usage } from './errors.js';

export const VERSION = 1;
export const KEYED = 0x80, AGAIN = 0x01;                 // the flags that exist
export const MAC_SIZE = 16;
const MUST_UNDERSTAND = 0xf0;                            // drop a frame with an unknown flag among these
const HEADER = 8, CRC = 4;
const SHORTEST = HEADER + CRC, LONGEST = 253;            // a frame before stuffing
const LONGEST_CANDIDATE = 256;                           // more bytes between two zeros are no frame

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? n >>> 1 ^ 0xedb88320 : n >>> 1;
  return n >>> 0;
});
const RESIDUE = 0x2144df1c;                              // the CRC of any bytes followed by their own CRC

/** CRC-32/ISO-HDLC. */
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (let at = 0; at < bytes.length; at++) crc = CRC_TABLE[(crc ^ bytes[at]) & 0xff] ^ crc >>> 8;
  return (crc ^ 0xffffffff) >>> 0;
}

/** COBS. The code 0xFF does not occur, because a frame has at most 253 bytes. */
export function stuff(plain) {
  if (plain.length > LONGEST) throw usage(`a frame has at most ${LONGEST} bytes, not ${plain.length}`);
  const out = concat(Uint8Array.of(0), plain);
  let code = 0;                                          // where the code stands whose distance is being counted
  for (let at = 1; at <= out.length; at++) {
    if (at === out.length || out[at] === 0) { out[code] = at - code; code = at; }
  }
  return out;
}

/** The bytes before stuffing; null if `stuffed` is not COBS. */
export function unstuff(stuffed) {
  const out = Uint8Array.from(stuffed);
  let at = 0;
  while (at < out.length) {
    const code = out[at];
    if (code === 0 || code === 0xff) return null;
    out[at] = 0;
    at += code;
  }
  return at > 0 && at === out.length ? out.subarray(1) : null;   // the last code points exactly behind the end
}

/** The stuffed bytes between two zeros -> { frame } or { drop: reason }. The order of the checks is the page's. */
export function parseFrame(stuffed) {
  const plain = unstuff(stuffed);
  if (plain === null) return { drop: 'bad_stuffing' };
  if (plain.length < SHORTEST) return { drop: 'too_short' };
  if (plain.length > LONGEST) return { drop: 'too_long' };
  if (crc32(plain) !== RESIDUE) return { drop: 'bad_crc' };
  if (plain[0] >> 4 !== VERSION) return { drop: 'bad_version' };
  const flags = plain[1], keyed = (flags & KEYED) !== 0;
  if (flags & MUST_UNDERSTAND & ~KEYED) return { drop: 'bad_flags' };
  const view = new DataView(plain.buffer, plain.byteOffset, plain.length);
  const end = plain.length - CRC - (keyed ? MAC_SIZE : 0);       // of the body; below HEADER: no room for the MAC
  const malformed = end < HEADER, body = plain.subarray(HEADER, Math.max(end, HEADER));
  return { frame: {
    class: plain[0] & 15, flags, keyed, again: (flags & AGAIN) !== 0, malformed,
    id: view.getUint16(2, true), session: view.getUint16(4, true), sequence: view.getUint16(6, true),
    body, signed: plain.subarray(0, HEADER + body.length), mac: keyed && !malformed ? plain.subarray(end, end + MAC_SIZE) : null,
  } };
}

/** The bytes of one frame with both delimiters. With `sign`, a function from header and body to MAC, it is keyed. */
export function buildFrame({ class: kind, id, flags = 0, session = 0, sequence = 0, body, sign = null }) {
  const header = new DataView(new ArrayBuffer(HEADER));
  header.setUint8(0, VERSION << 4 | kind);
  header.setUint8(1, flags | (sign ? KEYED : 0));
  header.setUint16(2, id, true);
  header.setUint16(4, session, true);
  header.setUint16(6, sequence, true);
  let plain = concat(new Uint8Array(header.buffer), body);
  if (sign) plain = concat(plain, sign(plain));
  const crc = new DataView(new ArrayBuffer(CRC));
  crc.setUint32(0, crc32(plain), true);
  return concat(Uint8Array.of(0), stuff(concat(plain, new Uint8Array(crc.buffer))), Uint8Array.of(0));
}

/** Finds frames in a stream that arrives in any pieces. `counters` has good frames, and dropped ones by reason. */
export class FrameDecoder {
  counters = { good: 0, bad_stuffing: 0, bad_crc: 0, too_short: 0, too_long: 0, bad_version: 0, bad_flags: 0 };
  #kept = new Uint8Array(LONGEST_CANDIDATE);
  #length = 0;                                           // bytes since the last zero; the first 256 are kept
  #offset = 0;                                           // bytes of the stream so far

  /** Returns a list of { offset, length, frame } and { offset, length, drop }, placed without their delimiters. */
  push(chunk) {
    const found = [];
    for (let at = 0; at < chunk.length;) {
      const zero = chunk.indexOf(0, at), end = zero < 0 ? chunk.length : zero;
      if (this.#length < LONGEST_CANDIDATE)
        this.#kept.set(chunk.subarray(at, Math.min(end, at + LONGEST_CANDIDATE - this.#length)), this.#length);
      this.#length += end - at;
      if (zero >= 0 && this.#length > 0) found.push(this.#take(this.#offset + end - this.#length));
      at = end + 1;
    }
    this.#offset += chunk.length;
    return found;
  }

  /** Place of the bytes after the last zero; null if there are none. */
  get unfinished() {
    return this.#length === 0 ? null : { offset: this.#offset - this.#length, length: this.#length };
  }

  #take(offset) {
    const length = this.#length;
    this.#length = 0;                                    // whatever comes out: start again with the next byte
    const got = length > LONGEST_CANDIDATE ? { drop: 'too_long' } : parseFrame(this.#kept.subarray(0, length));
    this.counters[got.drop ?? 'good']++;
    return { offset, length, ...got };
  }
}
