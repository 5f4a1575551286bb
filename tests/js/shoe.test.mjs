// The host's rules against a device that says only what a test makes it say. No test sleeps: the clock is the test's.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { Dictionary, FairshoeError, MemoryStore, roleKeyOf, ROLES, Session, Shoe } from '../../host_tools/fairshoe-js/src/index.js';
import { FileStore } from '../../host_tools/fairshoe-js/src/file_store.js';
import { webSerial } from '../../host_tools/fairshoe-js/src/web_serial.js';
import { DEVICE_KEY, LoggingStore, PREFIX, ScriptedDevice, settle, storeWith, TABLE_KEY } from './scripted_device.mjs';

let now, shoes;
beforeEach(() => {
  now = 1000;
  shoes = [];
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  mock.method(performance, 'now', () => now);
});
afterEach(async () => {
  for (const shoe of shoes) await shoe.close();
  mock.timers.reset();
  mock.restoreAll();
});

/** Lets time pass, in steps in which everything that is due is done. */
async function pass(ms) {
  for (let step = 0; step < ms; step += 100) {
    now += 100;
    mock.timers.tick(100);
    await settle();
  }
}

async function open(device = new ScriptedDevice(), options = {}) {
  const keyed = device.role ? { role: device.role, key: TABLE_KEY } : {};
  const shoe = await Shoe.open(device.connect, { ...keyed, ...options });
  shoes.push(shoe);
  await settle();
  return { device, shoe };
}

/** The error of an open() that fails, after `ms`. */
async function refusal(device, options, ms = 6000) {
  const failed = open(device, options).then(() => null, error => error);
  await settle();
  await pass(ms);
  return failed;
}

for (const role of [0, 2]) {
  test(`role ${role}: an event is acknowledged when the caller comes back for the next one`, async () => {
    const { device, shoe } = await open(new ScriptedDevice({ role, has_key: role ? 1 : 0 }));
    const events = shoe.events();
    await Promise.all([device.event(1), device.event(2), device.event(4), device.event(2), device.event(3)]);
    assert.deepEqual(device.heard, ['hello', 'ack 0'], 'nothing was taken');
    assert.equal((await events.next()).value.fields.seq, 1);
    assert.deepEqual(device.heard, ['hello', 'ack 0'], 'the first is being stored');
    assert.equal((await events.next()).value.fields.seq, 2);
    assert.equal((await events.next()).value.fields.seq, 3);
    await device.event(1);
    assert.deepEqual(device.heard, ['hello', 'ack 0', 'ack 1', 'ack 2', 'ack 2'], 'a repetition is acknowledged again, a gap never');
    await device.event(4);
    assert.equal((await events.next()).value.fields.seq, 4);
  });
}

for (const role of ['observer', 'auditor', 'clear']) {
  test(`${role}: a loop over the events of a device with a key is refused, and the event stays unacknowledged`, async () => {
    const number = ROLES.indexOf(role), device = new ScriptedDevice({ role: number });
    const { shoe } = await open(device, number ? { key: roleKeyOf(DEVICE_KEY, role) } : {}), events = shoe.events();
    await device.event(1);
    assert.equal((await events.next()).value.fields.seq, 1);
    await assert.rejects(events.next(), { name: 'FairshoeError', code: 'refused' });
    assert.deepEqual(device.heard, ['hello', 'ack 0']);
  });
}

test('an event that the loop ended at was not acknowledged and comes first the next time', async () => {
  const { device, shoe } = await open();
  await device.event(1);
  for await (const event of shoe.events()) { assert.equal(event.fields.seq, 1); break; }
  await assert.rejects(async () => { for await (const event of shoe.events()) throw new Error(`disk full at ${event.fields.seq}`); }, /disk full at 1/);
  assert.deepEqual(device.heard, ['hello', 'ack 0']);
  for await (const event of shoe.events()) { assert.equal(event.fields.seq, 1); shoe.acknowledge(); break; }
  assert.deepEqual(device.heard, ['hello', 'ack 0', 'ack 1']);
  const events = shoe.events(), second = shoe.events();
  events.next();
  await assert.rejects(second.next(), { code: 'usage' });
});

test('more events than a device may send are not taken', async () => {
  const { device, shoe } = await open();
  for (let seq = 1; seq <= 9; seq++) await device.event(seq);
  const events = shoe.events(), seen = [];
  for (let n = 0; n < 8; n++) seen.push((await events.next()).value.fields.seq);
  assert.deepEqual(seen, [1, 2, 3, 4, 5, 6, 7, 8]);
  const next = events.next();
  await device.event(9);
  assert.equal((await next).value.fields.seq, 9);
});

test('the welcome says where to begin; events that another host has are missing here', async () => {
  const begin = async (stored, first, last) => {
    const { device, shoe } = await open(new ScriptedDevice({ seq_first: first, seq_last: last }), { store: storeWith(stored) });
    return [device.heard.at(-1), ...shoe.missing];
  };
  assert.deepEqual(await begin(1199, 1200, 1207), ['ack 0']);
  assert.deepEqual(await begin(1203, 1200, 1207), ['ack 1203']);
  assert.deepEqual(await begin(1207, 1208, 1207), ['ack 0']);
  assert.deepEqual(await begin(1000, 1200, 1207), ['ack 0', { from: 1001, to: 1199 }]);
});

test('events that another host acknowledged in the meantime are reported as missing', async () => {
  const { device, shoe } = await open(), missing = [];
  shoe.on('missing', gap => missing.push(gap));
  Object.assign(device.fields, { seq_first: 6, seq_last: 9 });
  device.hangUp();
  await pass(200);
  assert.deepEqual([missing, shoe.missing], [[{ from: 1, to: 5 }], [{ from: 1, to: 5 }]]);
  device.event(6);
  assert.equal((await shoe.events().next()).value.fields.seq, 6);
});

test('another device stops the shoe', async () => {
  assert.equal((await refusal(new ScriptedDevice(), { device: 6 })).code, 'wrong_device');
  const { device, shoe } = await open();
  device.fields.device = 6;
  device.hangUp();
  const next = assert.rejects(shoe.events().next(), { code: 'wrong_device' });
  await pass(200);
  await next;
});

test('why there is no session: silence, another key, a refusal, a halted firmware, a port that does not open', async () => {
  const silent = () => Object.assign(new ScriptedDevice(), { answersHello: false });
  const error = await refusal(silent(), {});
  assert.equal(error.code, 'no_answer');
  assert.ok(error instanceof FairshoeError && error.advice);
  assert.equal((await refusal(new ScriptedDevice(), { key: new Uint8Array(32) })).code, 'wrong_key');
  const halted = silent();
  halted.onHeard = () => halted.say('halted', { text: Buffer.from('board: no pin').toString('hex') }, { session: 0, sequence: 0, key: null });
  assert.match((await refusal(halted, {})).message, /halted|could not start: board: no pin/);
  const busy = silent();
  busy.onHeard = ({ fields }) => busy.say('refused', { why: 'busy', detail: 0, host_nonce: fields.nonce }, { session: 0, sequence: 0, key: null });
  assert.match((await refusal(busy, {})).message, /opens no session: busy/);
  const shut = { role: 2, connect: async () => { throw new Error('connection refused'); } };
  for (const reconnect of [true, false]) {
    const refused = await refusal(shut, { reconnect }, 0);
    assert.deepEqual([refused.code, refused.message.includes('cannot be opened: connection refused')], ['not_opened', true]);
  }
  const unnamed = { role: 2, connect: async () => { throw Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }); } };
  assert.match((await refusal(unnamed, {}, 0)).message, /cannot be opened: ECONNREFUSED/);
});

test('a TCP port that has a host says so: open fails at once, and a lost port is tried until it is free', async () => {
  const line = Buffer.from('fairshoe: busy, another host is connected\r\n');
  const refuse = (device, ...pieces) => Object.assign(device, { answersHello: false,
    onHeard: () => { for (const piece of pieces) device.feed(piece); device.hangUp(); } });
  const error = await refusal(refuse(new ScriptedDevice(), line.subarray(0, 9), line.subarray(9)), {}, 0);
  assert.deepEqual([error.code, error.message.startsWith('another host')], ['port_busy', true]);
  assert.equal((await refusal(refuse(new ScriptedDevice(), line, Buffer.from('x')), {})).code, 'port_lost');
  const { device, shoe } = await open(), told = [];
  shoe.on('link', ({ up, why }) => told.push(up || why));
  device.hangUp();
  refuse(device, line);
  await settle();
  await pass(1000);
  Object.assign(device, { answersHello: true, onHeard: undefined });
  await pass(3000);
  assert.deepEqual([told[0], told[1], told.at(-1)], ['the other end closed the port', 'another host is connected', true]);
});

test('hello is said again every second, with another nonce, and a back-off is waited for', async () => {
  const device = Object.assign(new ScriptedDevice(), { answersHello: false }), nonces = new Set();
  device.onHeard = ({ fields }) => nonces.add(fields.nonce);
  const opening = open(device, { answerMs: 60000 });
  await settle();
  await pass(3000);
  assert.deepEqual([device.heard.length, nonces.size], [4, 4]);
  await device.say('refused', { why: 'backoff', detail: 4, host_nonce: [...nonces].at(-1) }, { session: 0, sequence: 0, key: null });
  await pass(3900);
  assert.equal(device.heard.length, 4);
  device.answersHello = true;
  await pass(200);
  await opening;
});

test('a welcome must be ours, keyed and proved, and counts once', () => {
  const device = new ScriptedDevice(), session = new Session({ role: 'table', key: TABLE_KEY }), dictionary = new Dictionary();
  const answer = (more, hello = session.hello()) => {
    const [{ frame }] = new Session().decoder.push(hello), { fields } = dictionary.read(1, frame.body);
    let taken;
    device.feed = bytes => { [taken] = session.receive(device.bytes = bytes); };
    device.welcome(fields, more);
    return taken;
  };
  assert.equal(answer({ host_nonce: '00'.repeat(16) }).drop, 'bad_session');
  assert.equal(answer({ key: null }).drop, 'not_keyed');
  assert.equal(answer({ key: null, role: 0 }).drop, 'not_keyed');
  assert.equal(answer({ key: new Uint8Array(32) }).drop, 'bad_mac');
  const old = session.hello();
  session.hello();
  assert.equal(answer({}, old).drop, 'bad_session', 'of an older hello');
  assert.throws(() => session.send('event_ack', { seq: 0 }), /no session/);
  assert.equal(answer({}).name, 'welcome');
  assert.equal([...session.receive(device.bytes)][0].drop, 'bad_session', 'taken twice it would let old frames in again');
});

test('a keyed host drops what is not proved, not of this session, or old', async () => {
  const { device, shoe } = await open(), said = async (...words) => {
    const before = { ...shoe.drops };
    await device.event(...words);
    return Object.keys(shoe.drops).filter(reason => shoe.drops[reason] !== before[reason]);
  };
  assert.deepEqual(await said(1, { key: null }), ['not_keyed']);
  assert.deepEqual(await said(1, { key: new Uint8Array(32) }), ['bad_mac']);
  assert.deepEqual(await said(1, { session: 1 }), ['bad_session']);
  assert.deepEqual(await said(1, { sequence: 0 }), ['replayed']);
  assert.deepEqual(await said(1, { from: 'H' }), ['bad_mac']);
  assert.deepEqual(await said(1, { sequence: 90 }), []);
  assert.deepEqual(await said(2, { sequence: 90 }), ['replayed']);
  assert.equal((await shoe.events().next()).value.fields.seq, 1);
});

test('a device that rebooted is greeted at once, and one that is silent after two seconds', async () => {
  const { device } = await open();
  const helloes = () => device.heard.filter(name => name === 'hello').length;
  await pass(1000);
  await device.event(1, { session: 0, sequence: 0, key: null });
  await device.event(2, { session: 0, sequence: 1, key: null });
  assert.equal(helloes(), 2, 'once a second at most');
  device.answersHello = false;
  await pass(1900);
  assert.equal(helloes(), 2);
  await pass(200);
  assert.equal(helloes(), 3);
});

test('frames in clear are no sign of life of a device with a key', async () => {
  const { device } = await open();
  const helloes = () => device.heard.filter(name => name === 'hello').length;
  device.answersHello = false;
  for (let n = 0; n < 5; n++) {
    await device.say('dictionary_line', { line: 1, lines: 2, text: '' }, { session: 0, sequence: 0, key: null });
    await pass(500);
  }
  assert.equal(helloes(), 2);
});

test('a host shows a sign of life, and begins a new session before its numbers run out', async () => {
  const { device, shoe } = await open(new ScriptedDevice({ role: 0 }));
  for (let n = 0; n < 10; n++) {
    await device.say('status', Object.fromEntries(device.dictionary.byName.get('status').fields.map(({ name }) => [name, 0])));
    await pass(500);
  }
  assert.deepEqual(device.heard, ['hello', 'ack 0', 'ack 0']);
  assert.equal(shoe.status.words.state, 'starting');
  await device.say('session_ending', { frames_left: 255 });
  assert.deepEqual(device.heard.slice(3), ['hello', 'ack 0']);
  for (let n = 0; n < 0xff00; n++) shoe.session.send('event_ack', { seq: 0 });
  await pass(1100);
  assert.deepEqual(device.heard.slice(5), ['hello', 'ack 0']);
});

test('a command: its number is written down first, it is sent until it has an outcome, always the same', async () => {
  const store = new LoggingStore(), { device, shoe } = await open(new ScriptedDevice(), { store }), bodies = [];
  device.onHeard = ({ name, body }) => { if (name === 'set_positions') { store.log.push('sent'); bodies.push(Buffer.from(body).toString('hex')); } };
  const done = shoe.command('set_positions', { positions: 3 });
  await settle();
  await pass(1000);
  await device.result(41, 'accepted', 513);
  await pass(1000);
  await device.result(40, 'done', 513);                  // of another command
  await device.result(41, 'done', 513);
  assert.deepEqual(await done, { op: 41, outcome: 'done', reason: 'none', detail: 0, done: true });
  assert.deepEqual(store.log, ['op 41', 'sent', 'sent', 'sent', 'op 41 done']);
  assert.deepEqual(bodies, Array(3).fill('2900000003'));
});

test('commands wait for one another, and a wrong argument uses no number', async () => {
  const store = new LoggingStore(), { device, shoe } = await open(new ScriptedDevice(), { store });
  await assert.rejects(shoe.command('set_positions', { positions: 300 }), { code: 'usage' });
  const both = [shoe.command('shuffle'), shoe.command('shuffle')];
  await settle();
  await device.result(41, 'done');
  await device.result(42, 'failed');
  assert.deepEqual((await Promise.all(both)).map(({ op, outcome }) => `${op} ${outcome}`), ['41 done', '42 failed']);
  assert.deepEqual(store.log, ['op 41', 'op 41 done', 'op 42', 'op 42 failed']);
});

test('a command goes on under its number when the port is lost in between', async () => {
  const { device, shoe } = await open();
  const done = shoe.command('shuffle');
  await settle();
  device.hangUp();
  await pass(200);
  assert.equal(device.connections, 2);
  assert.deepEqual(device.heard, ['hello', 'ack 0', 'shuffle', 'hello', 'ack 0', 'shuffle']);
  assert.equal(device.last.fields.op, 41);
  await device.result(41, 'done');
  assert.ok((await done).done);
});

test('a command without an outcome stays on record: resume() asks under its number before another is given', async () => {
  const { device, shoe } = await open();
  const lost = assert.rejects(shoe.command('shuffle', {}, { timeoutMs: 1500 }), { code: 'no_answer', op: 41 });
  await pass(1600);
  await lost;
  await assert.rejects(shoe.command('release'), { code: 'unfinished', op: 41 });
  const resumed = shoe.resume();
  await settle();
  assert.deepEqual([device.last.name, device.last.fields.op], ['shuffle', 41]);
  await device.result(41, 'done');
  assert.equal((await resumed).outcome, 'done');
  assert.equal(await shoe.resume(), null);
});

test('without a key there is no command, and closing ends whatever waits', async () => {
  const { shoe: clear } = await open(new ScriptedDevice({ role: 0 }));
  await assert.rejects(clear.command('shuffle'), { code: 'usage' });
  const { shoe } = await open();
  const waiting = [assert.rejects(shoe.command('shuffle'), { code: 'closed' }), shoe.events().next()];
  await settle();
  await shoe.close();
  assert.deepEqual((await Promise.all(waiting))[1], { value: undefined, done: true });
  await assert.rejects(shoe.command('shuffle'), { code: 'closed' });
});

test('a newer device is read with its own dictionary, once it has sent it', async () => {
  const newer = new Dictionary([...new Dictionary().lines, 'message 400 2 from_the_future what:u8']);
  const { device, shoe } = await open(new ScriptedDevice({ dictionary: newer, seq_last: 2 }), {});
  await device.say('from_the_future', { ...PREFIX, what: 2 });
  const events = shoe.events(), { value: opaque } = await events.next();
  assert.deepEqual([opaque.name, opaque.opaque], ['event_400', true]);
  device.onHeard = ({ name, fields }) => { if (name === 'dictionary_get') answer(fields.line); };
  const answer = line => device.say('dictionary_line', { line, lines: newer.lines.length, text: Buffer.from(newer.lines[line] ?? '').toString('hex') }, { session: 0, sequence: 0, key: null });
  answer(0);
  for (let n = 0; n < newer.lines.length; n++) await settle();
  await device.say('from_the_future', { ...PREFIX, seq: 2, what: 2 });
  const { value: event } = await events.next();
  assert.deepEqual([event.name, event.words.what], ['from_the_future', 'verified']);
});

test('any bytes whatever leave a session alive', async () => {
  const { device, shoe } = await open();
  let seed = 1;
  const random = () => (seed = Math.imul(seed, 1103515245) + 12345 >>> 0) >>> 8;
  for (let n = 0; n < 500; n++) {
    const good = device.frame('event_ack', { seq: n }), bytes = Uint8Array.from({ length: random() % 400 }, random);
    const broken = good.map((byte, at) => at === random() % good.length ? byte ^ 1 << random() % 8 : byte);
    device.feed(n % 3 === 0 ? bytes : n % 3 === 1 ? broken : good.subarray(random() % good.length));
  }
  device.feed(Uint8Array.of(0));
  await settle();
  await device.event(1);
  assert.equal((await shoe.events().next()).value.fields.seq, 1);
  assert.ok(Object.values(shoe.drops).reduce((sum, count) => sum + count) > 300);
});

test('a file store goes on where it stopped, and forgets a line that power loss cut short', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'fairshoe-js-')), 'events.jsonl');
  const event = seq => ({ id: 261, name: 'door_opened', log: 1, fields: { ...PREFIX, seq }, words: {}, body: Uint8Array.of(seq) });
  const first = new FileStore(path);
  assert.throws(() => first.put(5, event(1)), { code: 'usage' });
  for (const device of [5, 6]) first.putLog(device, { id: 1, identity: 'a0' });
  first.put(5, event(1));
  first.put(5, event(1));
  first.put(6, event(9));
  first.putOperation(5, 2, { op: 3, name: 'shuffle', fields: {}, result: null });
  first.close();
  writeFileSync(path, '{"device":5,"event":{"fie', { flag: 'a' });
  const second = new FileStore(path);
  assert.deepEqual([second.logs(5), second.logs(6)[0].seq, second.logs(7)], [[{ id: 1, identity: 'a0', seq: 1, boot: 1 }], 9, []]);
  assert.deepEqual(second.lastOperation(5, 2), { op: 3, name: 'shuffle', fields: {}, result: null });
  assert.equal(second.lastOperation(5, 3), null);
  second.put(5, event(2));
  second.close();
  assert.deepEqual(readFileSync(path, 'utf8').trim().split('\n').map(line => JSON.parse(line).event?.fields.seq), [undefined, undefined, 1, 9, undefined, 2]);
});

test('WebSerial: opened at the rate, read and written, opened again after the cable was pulled', async () => {
  const device = new ScriptedDevice(), opened = [];
  const port = {
    async open(options) {
      opened.push(options);
      const end = await device.connect(), chunks = end.chunks[Symbol.asyncIterator]();
      this.readable = new ReadableStream({ pull: async to => { const { value, done } = await chunks.next(); if (done) to.error(new Error('pulled')); else to.enqueue(value); }, cancel: () => device.hangUp() });
      this.writable = new WritableStream({ write: end.write });
    },
    async close() { opened.push('closed'); },
  };
  const { shoe } = await open({ role: 2, connect: webSerial(port, { baudRate: 9600 }) });
  await device.event(1);
  assert.equal((await shoe.events().next()).value.fields.seq, 1);
  device.hangUp();
  await pass(200);
  assert.deepEqual(opened, [{ baudRate: 9600 }, 'closed', { baudRate: 9600 }]);
  assert.deepEqual(device.heard, ['hello', 'ack 0', 'hello', 'ack 0']);
});
