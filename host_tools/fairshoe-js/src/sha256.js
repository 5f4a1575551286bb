// SHA-256 and HMAC-SHA256, synchronous. Not WebCrypto: `crypto.subtle` is missing on pages that come over plain http,
// and its promises would spread through every function that reads a frame.
import { concat } from './bytes.js';

const K = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2);
const START = Int32Array.of(
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
const BLOCK = 64;

/** The 32-byte hash of `data`. */
export const sha256 = data => finish(Int32Array.from(START), data, 0);

/** A function from message to MAC; the key is hashed once. */
export function hmacSha256(key) {
  const block = new Uint8Array(BLOCK);
  block.set(key.length > BLOCK ? sha256(key) : key);
  const inner = stateAfter(block.map(byte => byte ^ 0x36)), outer = stateAfter(block.map(byte => byte ^ 0x5c));
  return (...parts) => finish(outer.slice(), finish(inner.slice(), concat(...parts), BLOCK), BLOCK);
}

function stateAfter(block) {
  const state = Int32Array.from(START);
  compress(state, new DataView(block.buffer), 0, new Int32Array(BLOCK));
  return state;
}

function finish(state, data, before) {                   // `before`: bytes that `state` has hashed already
  const padded = new Uint8Array(Math.ceil((data.length + 9) / BLOCK) * BLOCK);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer), bits = (before + data.length) * 8, words = new Int32Array(BLOCK);
  view.setUint32(padded.length - 8, Math.floor(bits / 2 ** 32));
  view.setUint32(padded.length - 4, bits >>> 0);
  for (let at = 0; at < padded.length; at += BLOCK) compress(state, view, at, words);
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, n) => out.setInt32(4 * n, word));
  return new Uint8Array(out.buffer);
}

const rotate = (word, by) => word >>> by | word << 32 - by;

function compress(state, view, at, w) {
  for (let n = 0; n < 16; n++) w[n] = view.getInt32(at + 4 * n);
  for (let n = 16; n < 64; n++) {
    const s0 = rotate(w[n - 15], 7) ^ rotate(w[n - 15], 18) ^ w[n - 15] >>> 3;
    const s1 = rotate(w[n - 2], 17) ^ rotate(w[n - 2], 19) ^ w[n - 2] >>> 10;
    w[n] = w[n - 16] + s0 + w[n - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let n = 0; n < 64; n++) {
    const t1 = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (e & f ^ ~e & g) + K[n] + w[n] | 0;
    const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c) | 0;
    h = g; g = f; f = e; e = d + t1 | 0; d = c; c = b; b = a; a = t1 + t2 | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, n) => { state[n] += word; });
}
