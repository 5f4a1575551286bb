// Every vector of ../protocol/vectors.json and the capture ../protocol/golden.bin against decoder.mjs:
//     node --test decoder.test.mjs
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as shoe from './decoder.mjs';

const vectors = JSON.parse(readFileSync(shoe.VECTORS, 'utf8'));
const GOLDEN = new URL(`../protocol/${vectors.golden.file}`, import.meta.url);
const dictionary = shoe.parseDictionary(vectors.dictionary.lines);
const hex = text => Buffer.from(text, 'hex');
const ACK = vectors.frames.find(({ name }) => name === 'event_ack');

// The three ways the page asks for, and a few more: what comes out must not depend on the pieces.
const WAYS = {
  'whole': bytes => [bytes],
  'byte by byte': bytes => [...bytes].map(byte => Buffer.of(byte)),
  'in threes': bytes => Array.from({ length: Math.ceil(bytes.length / 3) }, (_, n) => bytes.subarray(3 * n, 3 * n + 3)),
  'with bytes after it': bytes => [Buffer.concat([bytes, Buffer.from('trailing')])],
  'with a frame after it': bytes => [Buffer.concat([bytes, hex(ACK.frame_hex)])],
  'with a frame before it, one zero between': bytes => [Buffer.concat([hex(ACK.frame_hex), bytes.subarray(1)])],
  'with zeros around it': bytes => [Buffer.concat([Buffer.alloc(5), bytes, Buffer.alloc(5)])],
};

function run(pieces) {
  const decoder = new shoe.FrameDecoder();
  return { out: pieces.flatMap(piece => decoder.push(piece)), decoder };
}

function keyOf({ device_key_hex, role, version_max, session, host_nonce_hex, device_nonce_hex }) {
  return shoe.sessionKeyOf(shoe.roleKeyOf(hex(device_key_hex), role), {
    versionMax: version_max, session, hostNonce: hex(host_nonce_hex), deviceNonce: hex(device_nonce_hex) });
}

function checkFrame(vector, frame) {
  for (const name of ['class', 'flags', 'id', 'session', 'sequence']) assert.equal(frame[name], vector[name], name);
  assert.equal(frame.keyed, vector.key !== undefined);
  assert.equal(frame.body.toString('hex'), vector.body_hex);
  const message = shoe.readMessage(dictionary, frame);
  assert.equal(message.name, vector.message);
  assert.deepEqual(message.fields, vector.fields);
  assert.deepEqual(message.words, vector.words ?? {});
  assert.equal(message.extra.toString('hex'), vector.extra_hex ?? '');
  assert.equal(shoe.directionOf(frame.id), vector.from === 'host' ? 'H' : 'D');
  if (!vector.key) return;
  const key = keyOf(vector.key);
  assert.equal(frame.mac.toString('hex'), vector.mac_hex);
  assert.ok(shoe.macIsRight(key, shoe.directionOf(frame.id), frame));
  assert.ok(!shoe.macIsRight(key, vector.from === 'host' ? 'D' : 'H', frame), 'the direction counts');
}

test('crc', () => {
  for (const { name, data_hex, crc, crc_hex } of vectors.crc) {
    assert.equal(shoe.crc32(hex(data_hex)), crc, name);
    assert.equal(hex(crc_hex).readUInt32LE(), crc, name);
  }
});

test('stuffing', () => {
  for (const { name, plain_hex, stuffed_hex } of vectors.stuffing) {
    assert.equal(shoe.stuff(hex(plain_hex)).toString('hex'), stuffed_hex, name);
    assert.equal(shoe.unstuff(hex(stuffed_hex)).toString('hex'), plain_hex, name);
  }
  assert.throws(() => shoe.stuff(Buffer.alloc(254)), RangeError);
});

test('keys', () => {
  for (const vector of vectors.keys) {
    assert.equal(shoe.roleKeyOf(hex(vector.device_key_hex), vector.role).toString('hex'), vector.role_key_hex);
    assert.equal(keyOf(vector).toString('hex'), vector.session_key_hex);
  }
});

test('dictionary', () => assert.equal(dictionary.hash, vectors.dictionary.hash_hex));

for (const vector of vectors.frames) {
  test(`frame: ${vector.name}`, () => {
    for (const [way, pieces] of Object.entries(WAYS)) {
      const { out, decoder } = run(pieces(hex(vector.frame_hex)));
      const mine = out[way.startsWith('with a frame before') ? 1 : 0];
      assert.equal(out.length, way.startsWith('with a frame') ? 2 : 1, way);
      assert.equal(decoder.counters.good, out.length, way);
      assert.deepEqual(decoder.unfinished?.length, way === 'with bytes after it' ? 8 : undefined);
      checkFrame(vector, mine.frame);
    }
    const { session, sequence, flags, key } = vector;
    const again = shoe.encode(dictionary, vector.message, vector.fields,
      { session, sequence, flags, key: key && keyOf(key), extra: hex(vector.extra_hex ?? '') });
    assert.equal(again.toString('hex'), vector.frame_hex, 're-encoded');
  });
}

for (const vector of vectors.bad_frames) {
  test(`bad frame: ${vector.name}`, () => {
    for (const [way, pieces] of Object.entries(WAYS)) {
      const { out, decoder } = run(pieces(hex(vector.frame_hex)));
      const neighbours = way.startsWith('with a frame') ? 1 : 0;                // a good neighbour is never lost
      assert.deepEqual(out.filter(({ drop }) => drop).map(({ drop }) => drop), [vector.reason], way);
      assert.equal(decoder.counters[vector.reason], 1, way);
      assert.equal(decoder.counters.good, neighbours, way);
    }
  });
}

for (const vector of vectors.refused) {
  test(`refused: ${vector.name}`, () => {                                      // as the device of the page's section 12
    const [{ frame }] = run([hex(vector.frame_hex)]).out;
    const session = vectors.keys[0].session;
    const gate = new shoe.Gate({ dictionary, from: 'H', session, key: keyOf(vectors.keys[0]), last: 20 });
    assert.deepEqual(gate.take(frame), { drop: vector.reason });
  });
}

for (const [way, pieces] of Object.entries(WAYS).slice(0, 3)) {
  test(`golden.bin, ${way}`, () => {
    const bytes = readFileSync(GOLDEN), { golden } = vectors;
    assert.equal(bytes.length, golden.bytes);
    const { out, decoder } = run(pieces(bytes));
    const place = ({ offset, length }) => ({ offset, length });
    assert.deepEqual(out.filter(({ drop }) => drop),
      golden.drops.map(drop => ({ ...place(drop), drop: drop.reason })));
    const frames = out.filter(({ frame }) => frame);
    assert.deepEqual(frames.map(place), golden.frames.map(place));
    golden.frames.forEach((vector, n) => checkFrame(vector, frames[n].frame));
    assert.deepEqual(decoder.unfinished, golden.unfinished);
  });
}

test('the command prints a line per frame and what was dropped', () => {
  const decoder = fileURLToPath(new URL('./decoder.mjs', import.meta.url));
  const args = [decoder, fileURLToPath(GOLDEN), vectors.keys[0].role_key_hex];
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n');
  assert.equal(lines.length, vectors.golden.frames.length + 1);
  vectors.golden.frames.forEach((vector, n) => {
    assert.match(lines[n], new RegExp(`^@${vector.offset}\\+${vector.length} .* ${vector.key ? 'mac_ok' : 'clear'} .*${vector.message} `));
  });
  assert.match(lines.at(-1), /^14 frames; dropped: bad_stuffing 2, bad_crc 4, too_short 2, too_long 1, bad_version 1, bad_flags 1; unfinished: 29 bytes$/);
});

// ---- What no vector covers: events a host cannot take apart, and the host's rule ------------------------------------

const PREFIX = { seq: 1, boot: 1, uptime_s: 5, uptime_ms: 0, utc_s: 0, round: 0, deck: 0 };
const newer = shoe.parseDictionary([...vectors.dictionary.lines, 'message 400 2 from_the_future what:u16', 'message 99 8 news',
  'message 767 4 do_something']);
const frameOf = bytes => run([bytes]).out[0].frame;

test('an unknown event is kept, other unknown messages are not', () => {
  const event = shoe.readMessage(dictionary, frameOf(shoe.encode(newer, 'from_the_future', { ...PREFIX, what: 7 })));
  assert.deepEqual([event.name, event.fields.seq, event.extra.toString('hex')], ['event_400', 1, '0700']);
  assert.deepEqual(shoe.readMessage(dictionary, frameOf(shoe.encode(newer, 'news', {}))), { drop: 'unknown' });
  assert.deepEqual(shoe.readMessage(dictionary, frameOf(shoe.encode(newer, 'do_something', { op: 1 }))), { drop: 'unknown' });
});

test('a known event with too short a body is kept, another message is malformed', () => {
  const shorter = shoe.parseDictionary(vectors.dictionary.lines.map(line =>
    line.replace(/(stack_offered stack:u8).*/, '$1').replace(/(time_is utc_s:u32).*/, '$1')));
  const event = shoe.readMessage(dictionary, frameOf(shoe.encode(shorter, 'stack_offered', { ...PREFIX, stack: 2 })));
  assert.deepEqual([event.name, event.opaque, event.extra.toString('hex')], ['stack_offered', true, '02']);
  assert.deepEqual(shoe.readMessage(dictionary, frameOf(shoe.encode(shorter, 'time_is', { utc_s: 1 }))), { drop: 'malformed' });
});

const DEVICE_KEY = hex(vectors.keys[0].device_key_hex), NONCE = 'd0'.repeat(16), SESSION = 0x5a17;

/** A host with a store in memory, and a device that says only what a test tells it to. */
function table({ role = 2, stored = 0, first = 1, last = 8, op = 40 } = {}) {
  const sent = [], log = [], events = new Map();
  const store = {
    lastSeq: () => Math.max(stored, ...events.keys()), lastOp: () => 7,
    putEvent: (device, seq, event) => { log.push(`put ${seq}`); events.set(seq, event); },
    putOp: (device, lane, number) => log.push(`op ${number}`),
  };
  const host = new shoe.Host({ dictionary, role, roleKey: role ? shoe.roleKeyOf(DEVICE_KEY, role) : null, store, send(bytes) {
    const frame = frameOf(bytes), message = shoe.readMessage(dictionary, frame);
    sent.push({ frame, ...message });
    log.push(message.name === 'event_ack' ? `ack ${message.fields.seq}` : message.name);
  } });
  const device = { sequence: 0, key: null, say: (name, fields, more) => host.receive(
    shoe.encode(dictionary, name, fields, { session: SESSION, sequence: device.sequence++, key: device.key, ...more }))[0] };
  const welcome = more => {
    host.hello();
    const hello = sent.at(-1).fields;
    if (role) device.key = shoe.sessionKeyOf(shoe.roleKeyOf(DEVICE_KEY, role), { versionMax: hello.version_max,
      session: SESSION, hostNonce: hex(hello.nonce), deviceNonce: hex(NONCE) });
    return device.say('welcome', { version: 1, role, nonce: NONCE, host_nonce: hello.nonce, device: 5, boot: 1, mode: 1, has_key: 1,
      dictionary: dictionary.hash, firmware: 'x', game: 'CS', seq_first: first, seq_last: last, op_last: op, ...more?.fields }, more);
  };
  const event = (seq, more) => device.say('door_opened', { ...PREFIX, seq }, more);
  return { host, device, sent, log, events, welcome, event };
}

for (const role of [0, 2]) {
  test(`the host's rule for events, role ${role}: store, then acknowledge; repetition; gap`, () => {
    const { log, welcome, event, events } = table({ role });
    assert.equal(welcome().did, 'opened');
    assert.deepEqual([1, 2, 4, 2, 3, 4].map(seq => event(seq).did),
      ['stored', 'stored', 'ignored', 'repetition', 'stored', 'stored']);
    assert.deepEqual(log, ['hello', 'ack 0', 'put 1', 'ack 1', 'put 2', 'ack 2', 'ack 2', 'put 3', 'ack 3', 'put 4', 'ack 4']);
    assert.deepEqual([...events.keys()], [1, 2, 3, 4]);
  });
}

test('what cannot be stored is not acknowledged', () => {
  const { host, log, welcome, event } = table();
  welcome();
  host.store.putEvent = () => { throw new Error('disk full'); };
  assert.throws(() => event(1), /disk full/);
  assert.deepEqual(log, ['hello', 'ack 0']);
});

test('an event the host cannot take apart is stored and acknowledged', () => {
  const { host, log, events, welcome, device } = table();
  welcome();
  const bytes = shoe.encode(newer, 'from_the_future', { ...PREFIX, what: 7 }, { session: SESSION, sequence: 1, key: device.key });
  assert.equal(host.receive(bytes)[0].did, 'stored');
  assert.equal(events.get(1).body.toString('hex').slice(-4), '0700');
  assert.equal(log.at(-1), 'ack 1');
});

test('where to begin: the welcome decides', () => {
  const begin = options => { const { welcome, log } = table(options), { did, missing } = welcome(); return [did, missing, log.at(-1)]; };
  assert.deepEqual(begin({ stored: 1199, first: 1200, last: 1207 }), ['opened', 0, 'ack 1199']);
  assert.deepEqual(begin({ stored: 1203, first: 1200, last: 1207 }), ['opened', 0, 'ack 1203']);
  assert.deepEqual(begin({ stored: 1000, first: 1200, last: 1207 }), ['opened', 199, 'ack 1199']);
  assert.deepEqual(begin({ stored: 1207, first: 1208, last: 1207 }), ['opened', 0, 'ack 1207']);
  assert.deepEqual(begin({ stored: 1208, first: 1200, last: 1207 }), ['stopped', undefined, 'hello']);
});

test('a welcome must be ours, keyed and proved', () => {
  assert.equal(table().welcome({ fields: { host_nonce: '00'.repeat(16) } }).drop, 'bad_session');
  assert.equal(table().welcome({ key: null }).drop, 'not_keyed');
  assert.equal(table().welcome({ key: null, fields: { role: 0 } }).drop, 'not_keyed');
  assert.equal(table().welcome({ key: Buffer.alloc(32) }).drop, 'bad_mac');
});

test('a keyed host drops what is not proved, not of this session, or old', () => {
  const { welcome, event, device } = table();
  welcome();
  assert.equal(event(1, { key: null }).drop, 'not_keyed');
  assert.equal(event(1, { key: Buffer.alloc(32) }).drop, 'bad_mac');
  assert.equal(event(1, { session: 1 }).drop, 'bad_session');
  assert.equal(event(1, { sequence: 0 }).drop, 'replayed');
  assert.equal(event(1, { sequence: 90 }).did, 'stored');
  assert.equal(event(2, { sequence: 90 }).drop, 'replayed');
  assert.equal(device.say('event_ack', { seq: 1 }, { sequence: 91 }).drop, 'bad_mac', 'sent back to us');
  assert.equal(device.say('refused', { why: 2, detail: 4, host_nonce: NONCE }, { key: null, session: 0 }).words.why, 'backoff');
});

test('commands: the number is written down first, and a repetition differs in the link sequence only', () => {
  const { host, sent, log, welcome } = table();
  welcome();
  const op = host.command('set_positions', { positions: 3 });
  host.repeat(op, 'set_positions', { positions: 3 });
  assert.equal(op, 41);
  assert.deepEqual(log.slice(2), ['op 41', 'set_positions', 'set_positions']);
  const [first, again] = sent.slice(2).map(({ frame }) => frame);
  assert.deepEqual(first.body, again.body);
  assert.deepEqual([first.sequence, again.sequence], [1, 2]);
  assert.ok(shoe.macIsRight(host.gate.key, 'H', again));
});

test('a welcome counts once: taken twice, it would let old frames in again', () => {
  const { host, sent, welcome, event, device } = table();
  welcome();
  const again = shoe.encode(dictionary, 'welcome', { version: 1, role: 2, nonce: NONCE, host_nonce: sent[0].fields.nonce, device: 5, boot: 1,
    mode: 1, has_key: 1, dictionary: dictionary.hash, firmware: 'x', game: 'CS', seq_first: 1, seq_last: 8, op_last: 40 },
  { session: SESSION, key: device.key });
  assert.equal(event(1).did, 'stored');
  assert.equal(host.receive(again)[0].drop, 'bad_session');
  assert.equal(event(1, { sequence: 1 }).drop, 'replayed');
});

test('a clear host drops what is of another session, and what only hosts send', () => {
  const { welcome, event, device } = table({ role: 0 });
  welcome();
  assert.equal(event(1, { session: 0 }).drop, 'bad_session');
  assert.equal(device.say('event_ack', { seq: 1 }).drop, 'not_allowed');
  assert.equal(event(1).did, 'stored');
});

test('256 bytes without a zero are looked at, 257 are not', () => {
  const reason = length => run([Buffer.concat([Buffer.alloc(length, 0xff), Buffer.of(0)])]).out[0].drop;
  assert.deepEqual([256, 257].map(reason), ['bad_stuffing', 'too_long']);
});
