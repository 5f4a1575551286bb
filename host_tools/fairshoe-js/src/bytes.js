// Bytes and hexadecimal text, without anything that only Node or only browsers have.
import { usage } from './errors.js';

/** Lower-case hexadecimal digits of `bytes`. */
export function toHex(bytes) {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}

/** The bytes that `text` spells; refuses all but an even number of hexadecimal digits. */
export function fromHex(text) {
  if (typeof text !== 'string' || text.length % 2 || !/^[0-9a-fA-F]*$/.test(text)) throw usage('not hexadecimal');
  return Uint8Array.from({ length: text.length / 2 }, (_, n) => parseInt(text.slice(2 * n, 2 * n + 2), 16));
}

/** Characters 0 to 255 as one byte each. */
export function fromText(text) {
  return Uint8Array.from(text, character => {
    const code = character.charCodeAt(0);
    if (code > 255 || character.length > 1) throw usage(`${JSON.stringify(text)} is not ASCII`);
    return code;
  });
}

export const toText = bytes => String.fromCharCode(...bytes);

export function concat(...parts) {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) { out.set(part, at); at += part.length; }
  return out;
}

/** Compares without stopping at the first difference: the time taken says nothing about a MAC. */
export function equal(a, b) {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let at = 0; at < a.length; at++) difference |= a[at] ^ b[at];
  return difference === 0;
}
