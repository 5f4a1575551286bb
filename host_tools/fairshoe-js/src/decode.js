#!/usr/bin/env node
// node decode.js CAPTURE.bin [ROLE_KEY_HEX]: one line per frame, then what was dropped and why.
import { readFileSync } from 'node:fs';
import { fromHex, toHex } from './bytes.js';
import { Dictionary, directionOf } from './dictionary.js';
import { FrameDecoder, VERSION } from './frames.js';
import { keyBytes, macIsRight, sessionKeyOf, signer } from './keys.js';

const describe = ({ fields, words, extra, opaque }) => [
  ...Object.entries(fields).map(([name, value]) => `${name}=${words[name] ?? value}`),
  ...(extra.length ? [`${opaque ? 'not_understood' : 'extra'}=${toHex(extra)}`] : [])].join(' ');

function decode(bytes, roleKey) {
  const dictionary = new Dictionary(), decoder = new FrameDecoder(), keys = new Map();       // session -> its key
  let versionMax = VERSION;                              // of the hello, if the capture has the host's side too
  const macOf = frame => {
    const key = keys.get(frame.session);
    if (!frame.keyed || !key) return frame.keyed ? 'keyed' : 'clear';
    return macIsRight(signer(key, directionOf(frame.id)), frame) ? 'mac_ok' : 'BAD_MAC';
  };
  for (const { offset, length, frame } of decoder.push(bytes)) {
    if (!frame) continue;
    const message = frame.malformed ? { drop: 'malformed' } : dictionary.read(frame.id, frame.body), { fields } = message;
    if (message.name === 'hello') versionMax = fields.version_max;
    if (message.name === 'welcome' && frame.keyed && roleKey) keys.set(frame.session, sessionKeyOf(roleKey, {
      versionMax, session: frame.session, hostNonce: fromHex(fields.host_nonce), deviceNonce: fromHex(fields.nonce) }));
    console.log(`@${offset}+${length} session=${frame.session} link=${frame.sequence} ${macOf(frame)}${frame.again ? ' again' : ''}`,
      message.drop ? `message ${frame.id}: ${message.drop}` : `${message.name} ${describe(message)}`);
  }
  const { good, ...drops } = decoder.counters;
  const dropped = Object.entries(drops).filter(([, count]) => count).map(([reason, count]) => `${reason} ${count}`);
  console.log(`${good} frames; dropped: ${dropped.join(', ') || 'none'}; unfinished: ${decoder.unfinished?.length ?? 0} bytes`);
}

const [file, roleKeyHex] = process.argv.slice(2);
if (!file) {
  console.error('usage: fairshoe-decode CAPTURE.bin [ROLE_KEY_HEX]');
  process.exit(2);
}
decode(readFileSync(file), roleKeyHex ? keyBytes(roleKeyHex) : null);
