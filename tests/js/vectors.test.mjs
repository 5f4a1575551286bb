// Every vector of docs/protocol/vectors.json and the capture golden.bin against the client's frames, bodies and keys.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Dictionary, directionOf, FrameDecoder, fromHex, Gate, macIsRight, roleKeyOf, sessionKeyOf, signer, toHex }
  from '../../host_tools/fairshoe-js/src/index.js';
import { fromText } from '../../host_tools/fairshoe-js/src/bytes.js';
import { UNKNOWN } from '../../host_tools/fairshoe-js/src/messages.js';
import { buildFrame, crc32, stuff, unstuff } from '../../host_tools/fairshoe-js/src/frames.js';
import { parseKey } from '../../host_tools/fairshoe-js/src/keys.js';
import { hmacSha256, sha256 } from '../../host_tools/fairshoe-js/src/sha256.js';

const PROTOCOL = new URL('../../docs/protocol/', import.meta.url);
const DECODE = fileURLToPath(new URL('../../host_tools/fairshoe-js/src/decode.js', import.meta.url));
const vectors = JSON.parse(readFileSync(new URL('vectors.json', PROTOCOL), 'utf8'));
const GOLDEN = new URL(vectors.golden.file, PROTOCOL);
const dictionary = new Dictionary();
const ACK = vectors.frames.find(({ name }) => name === 'event_ack');

// The three ways the page asks for, and a few more: what comes out must not depend on the pieces.
const WAYS = {
  'whole': bytes => [bytes],
  'byte by byte': bytes => [...bytes].map(byte => Uint8Array.of(byte)),
  'in threes': bytes => Array.from({ length: Math.ceil(bytes.length / 3) }, (_, n) => bytes.subarray(3 * n, 3 * n + 3)),
  'with bytes after it': bytes => [Buffer.concat([bytes, Buffer.from('trailing')])],
  'with a frame after it': bytes => [Buffer.concat([bytes, fromHex(ACK.frame_hex)])],
  'with a frame before it, one zero between': bytes => [Buffer.concat([fromHex(ACK.frame_hex), bytes.subarray(1)])],
  'with zeros around it': bytes => [Buffer.concat([Buffer.alloc(5), bytes, Buffer.alloc(5)])],
};

function run(pieces) {
  const decoder = new FrameDecoder();
  return { out: pieces.flatMap(piece => decoder.push(piece)), decoder };
}

function keyOf({ device_key_hex, role, version_max, session, host_nonce_hex, device_nonce_hex }) {
  return sessionKeyOf(roleKeyOf(fromHex(device_key_hex), role), {
    versionMax: version_max, session, hostNonce: fromHex(host_nonce_hex), deviceNonce: fromHex(device_nonce_hex) });
}

/** The fields of a vector, null where the number stands for "not known". */
function readable({ message, fields }) {
  const named = UNKNOWN[message] ?? [], most = { u8: 255, u16: 65535 };
  const unknown = dictionary.byName.get(message).fields.filter(({ name, type }) => named.includes(name) && fields[name] === most[type]);
  return { ...fields, ...Object.fromEntries(unknown.map(({ name }) => [name, null])) };
}

function checkFrame(vector, frame) {
  for (const name of ['class', 'flags', 'id', 'session', 'sequence']) assert.equal(frame[name], vector[name], name);
  assert.equal(frame.keyed, vector.key !== undefined);
  assert.equal(toHex(frame.body), vector.body_hex);
  const message = dictionary.read(frame.id, frame.body);
  assert.equal(message.name, vector.message);
  assert.deepEqual(message.fields, readable(vector));
  assert.equal(toHex(dictionary.write(message.name, message.fields)) + toHex(message.extra), vector.body_hex);
  assert.deepEqual(message.words, vector.words ?? {});
  assert.equal(toHex(message.extra), vector.extra_hex ?? '');
  const [from, other] = vector.from === 'host' ? 'HD' : 'DH';
  assert.equal(directionOf(frame.id), from);
  if (!vector.key) return;
  const key = keyOf(vector.key);
  assert.equal(toHex(frame.mac), vector.mac_hex);
  assert.ok(macIsRight(signer(key, from), frame));
  assert.ok(!macIsRight(signer(key, other), frame), 'the direction counts');
}

test('SHA-256 and HMAC agree with those of Node at every length around the block', () => {
  for (let size = 0; size < 200; size++) {
    const data = Uint8Array.from({ length: size }, (_, n) => n * 7 + size & 255);
    assert.equal(toHex(sha256(data)), createHash('sha256').update(data).digest('hex'), `${size}`);
    assert.equal(toHex(hmacSha256(data)(data, data)), createHmac('sha256', data).update(data).update(data).digest('hex'), `${size}`);
  }
});

test('crc', () => {
  for (const { name, data_hex, crc } of vectors.crc) assert.equal(crc32(fromHex(data_hex)), crc, name);
});

test('stuffing', () => {
  for (const { name, plain_hex, stuffed_hex } of vectors.stuffing) {
    assert.equal(toHex(stuff(fromHex(plain_hex))), stuffed_hex, name);
    assert.equal(toHex(unstuff(fromHex(stuffed_hex))), plain_hex, name);
  }
  assert.throws(() => stuff(new Uint8Array(254)), { code: 'usage' });
  assert.equal(unstuff(new Uint8Array()), null);
});

test('keys, also as the text of a key file', () => {
  for (const vector of vectors.keys) {
    assert.equal(toHex(roleKeyOf(fromHex(vector.device_key_hex), vector.role)), vector.role_key_hex);
    assert.equal(toHex(keyOf(vector)), vector.session_key_hex);
  }
  const { device_key_hex, role_key_hex } = vectors.keys[0];                    // of the role table
  for (const text of [`table ${role_key_hex}\n`, `device ${device_key_hex}\n`]) {
    const { role, key } = parseKey(text);
    assert.deepEqual([role, toHex(key)], ['table', role_key_hex]);
  }
  for (const text of ['', 'table', `tabel ${role_key_hex}`, `clear ${role_key_hex}`, 'table 00', `table ${role_key_hex} x`])
    assert.throws(() => parseKey(text), { code: 'usage' }, text);
});

test('the client is built with the dictionary of the vectors', () => {
  assert.deepEqual(dictionary.lines, vectors.dictionary.lines);
  assert.equal(dictionary.hash, vectors.dictionary.hash_hex);
});

for (const vector of vectors.frames) {
  test(`frame: ${vector.name}`, () => {
    for (const [way, pieces] of Object.entries(WAYS)) {
      const { out, decoder } = run(pieces(fromHex(vector.frame_hex)));
      const mine = out[way.startsWith('with a frame before') ? 1 : 0];
      assert.equal(out.length, way.startsWith('with a frame') ? 2 : 1, way);
      assert.equal(decoder.counters.good, out.length, way);
      assert.deepEqual(decoder.unfinished?.length, way === 'with bytes after it' ? 8 : undefined);
      checkFrame(vector, mine.frame);
    }
    const { id, session, sequence, flags, key, extra_hex } = vector, [from] = vector.from === 'host' ? 'H' : 'D';
    for (const values of [vector.fields, { ...vector.fields, ...vector.words }]) {           // numbers, or words
      for (const name of ['command', 'during']) if (name in values) values[name] = vector.fields[name];
      const body = Buffer.concat([dictionary.write(vector.message, values), fromHex(extra_hex ?? '')]);
      const again = buildFrame({ class: vector.class, id, session, sequence, flags, body, sign: key ? signer(keyOf(key), from) : null });
      assert.equal(toHex(again), vector.frame_hex, 're-encoded');
    }
  });
}

for (const vector of vectors.bad_frames) {
  test(`bad frame: ${vector.name}`, () => {
    for (const [way, pieces] of Object.entries(WAYS)) {
      const { out, decoder } = run(pieces(fromHex(vector.frame_hex)));
      const neighbours = way.startsWith('with a frame') ? 1 : 0;                // a good neighbour is never lost
      assert.deepEqual(out.filter(({ drop }) => drop).map(({ drop }) => drop), [vector.reason], way);
      assert.equal(decoder.counters[vector.reason], 1, way);
      assert.equal(decoder.counters.good, neighbours, way);
    }
  });
}

for (const vector of vectors.refused) {
  test(`refused: ${vector.name}`, () => {                                      // as the device of the page's section 12
    const [{ frame }] = run([fromHex(vector.frame_hex)]).out;
    const gate = new Gate({ from: 'H', session: vectors.keys[0].session, key: keyOf(vectors.keys[0]), last: 20 });
    assert.deepEqual(gate.take(frame), { drop: vector.reason });
  });
}

for (const [way, pieces] of Object.entries(WAYS).slice(0, 3)) {
  test(`golden.bin, ${way}`, () => {
    const bytes = readFileSync(GOLDEN), { golden } = vectors;
    assert.equal(bytes.length, golden.bytes);
    const { out, decoder } = run(pieces(bytes));
    const place = ({ offset, length }) => ({ offset, length });
    assert.deepEqual(out.filter(({ drop }) => drop), golden.drops.map(drop => ({ ...place(drop), drop: drop.reason })));
    const frames = out.filter(({ frame }) => frame);
    assert.deepEqual(frames.map(place), golden.frames.map(place));
    golden.frames.forEach((vector, n) => checkFrame(vector, frames[n].frame));
    assert.deepEqual(decoder.unfinished, golden.unfinished);
  });
}

test('the command prints a line per frame and what was dropped', () => {
  const args = [DECODE, fileURLToPath(GOLDEN), vectors.keys[0].role_key_hex];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  assert.equal(lines.length, vectors.golden.frames.length + 1);
  vectors.golden.frames.forEach((vector, n) => {
    assert.match(lines[n], new RegExp(`^@${vector.offset}\\+${vector.length} .* ${vector.key ? 'mac_ok' : 'clear'} .*${vector.message} `));
  });
  assert.match(lines.at(-1), /^14 frames; dropped: bad_stuffing 2, bad_crc 4, too_short 2, too_long 1, bad_version 1, bad_flags 1; unfinished: 29 bytes$/);
});

test('256 bytes without a zero are looked at, 257 are not', () => {
  const reason = length => run([Buffer.concat([Buffer.alloc(length, 0xff), Buffer.of(0)])]).out[0].drop;
  assert.deepEqual([256, 257].map(reason), ['bad_stuffing', 'too_long']);
});

// ---- What no vector covers: newer devices, and arguments that do not fit --------------------------------------------

const PREFIX = { seq: 1, boot: 1, uptime_s: 5, uptime_ms: 0, utc_s: 0, round: 0, deck: 0 };

test('an unknown event is kept with its prefix, other unknown messages are not', () => {
  const newer = new Dictionary([...dictionary.lines, 'message 400 2 from_the_future', 'more 400 what:u16', 'more 9999 lost:u8', 'riddle 1 2 3']);
  const event = dictionary.read(400, newer.write('from_the_future', { ...PREFIX, what: 7 }));
  assert.deepEqual([event.name, event.opaque, event.fields.seq, toHex(event.extra)], ['event_400', true, 1, '0700']);
  for (const id of [99, 767]) assert.deepEqual(dictionary.read(id, new Uint8Array(9)), { drop: 'unknown' });
});

test('a known event with too short a body is kept, another message is malformed', () => {
  const whole = dictionary.write('stack_offered', { ...PREFIX, stack: 2, cards: 5, misfeeds: 0, stalls: 0 });
  const event = dictionary.read(291, whole.subarray(0, -3));
  assert.deepEqual([event.name, event.opaque, toHex(event.extra)], ['stack_offered', true, '02']);
  assert.deepEqual(dictionary.read(291, whole.subarray(0, 20)), { drop: 'malformed' });
  assert.deepEqual(dictionary.read(49, new Uint8Array(4)), { drop: 'malformed' });
});

test('arguments that do not fit are refused by name', () => {
  assert.throws(() => dictionary.write('set_positions', { op: 1, positions: 256 }), /set_positions.positions: 256 is no u8/);
  assert.throws(() => dictionary.write('set_positions', { op: 1, positions: 1.5 }), /is no u8/);
  assert.throws(() => dictionary.write('set_positions', { op: 1 }), /set_positions.positions is missing/);
  assert.throws(() => dictionary.write('shuffle', { op: 1, positions: 1 }), /shuffle has no field positions/);
  assert.throws(() => dictionary.write('record', { op: 1, what: 'cutt', a: 1, b: 1 }), /record.what: cutt is no u8/);
  assert.throws(() => dictionary.write('hello', { version_max: 1, role: 0, nonce: '00' }), /hello.nonce: 1 bytes are no b16/);
  assert.throws(() => dictionary.write('shufle'), /there is no message shufle/);
  assert.throws(() => fromText('karo \u2666'), { code: 'usage' });
});
