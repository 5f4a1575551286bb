// The client against the real firmware: a simulated shoe behind TCP, 40 times as fast as a real one.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { roleKeyOf, Session, Shoe } from '../../host_tools/fairshoe-js/src/index.js';
import { FileStore } from '../../host_tools/fairshoe-js/src/file_store.js';
import { tcp } from '../../host_tools/fairshoe-js/src/tcp.js';
import { DEVICE_KEY, SimulatedShoe } from './simulated_shoe.mjs';

const table = { role: 'table', key: roleKeyOf(DEVICE_KEY, 'table') };
const ROOT = new URL('../../', import.meta.url);
const EVENT = 0x12;                                      // the first byte of its header: version 1, class 2
let sim, path, seen = [];
before(async () => {
  sim = await SimulatedShoe.start('--game', 'house:deck_cards=12,stack_cards=3');
  path = join(sim.folder, 'table-7.jsonl');
});
after(() => sim.stop());

const port = () => tcp('127.0.0.1', sim.port);

/** Opens the shoe with the file that all tests share, and stores every event in it; `hands` takes what is offered. */
async function open(connect = port(), options = table) {
  const store = new FileStore(path), shoe = await Shoe.open(connect, { ...options, store });
  const reading = (async () => {
    for await (const event of shoe.events()) {
      store.put(shoe.device, event);
      seen.push(event);
      if (['stack_offered', 'remainder_released', 'deck_removed'].includes(event.name)) sim.act('take');
    }
  })();
  const close = async () => { await shoe.close(); await reading; store.close(); };
  return { shoe, store, close };
}

/** Until the device is in this state and every event is stored. */
const until = (shoe, state) => new Promise(resolve => {
  const end = shoe.on('status', ({ words, fields }) => {
    if (words.state === state && (fields.events_waiting === 0 || state === 'shuffling')) { end(); resolve(); }
  });
});

/** What a session makes of the device's welcome. */
async function firstWelcome(session) {
  const line = await port()();
  try {
    await line.write(session.hello());
    for await (const chunk of line.chunks)
      for (const item of session.receive(chunk)) if (item.frame?.id === 2) return item;
  } finally {
    await line.close();
  }
  return assert.fail('the port was closed');
}

const ENDS = { shuffle: 'deck_ready', close_betting: 'waiting_for_green', release: 'waiting_for_round_end', end_round: 'waiting_for_deck' };

async function playRound(shoe) {
  await until(shoe, 'waiting_for_deck');
  await sim.act('load 12');
  await finishRound(shoe, 'shuffle');
}

async function finishRound(shoe, first) {
  const names = Object.keys(ENDS);
  for (const command of names.slice(names.indexOf(first))) {
    const result = await shoe.command(command);
    assert.ok(result.done, `${command}: ${result.outcome} ${result.reason}`);
    await until(shoe, ENDS[command]);
  }
}

/** Everything stored so far came once and in order, and no operation number acted twice. */
function checkSeen() {
  assert.deepEqual(seen.map(({ fields }) => fields.seq), seen.map((_, n) => n + 1));
  const ops = seen.filter(({ name }) => name === 'command_accepted').map(({ fields }) => fields.op);
  assert.equal(new Set(ops).size, ops.length);
  return seen.filter(({ name }) => name === 'round_ended').length;
}

test('the program of docs/INTEGRATE.md runs as it stands', () => {
  const page = readFileSync(new URL('docs/INTEGRATE.md', ROOT), 'utf8'), [, program] = page.match(/^```js\n([\s\S]*?)^```/m);
  mkdirSync(join(sim.folder, 'node_modules'));
  symlinkSync(fileURLToPath(new URL('host_tools/fairshoe-js', ROOT)), join(sim.folder, 'node_modules', 'fairshoe'));
  writeFileSync(join(sim.folder, 'program.mjs'), program);
  const words = ['program.mjs', String(sim.port), 'device.key'];
  const out = execFileSync(process.execPath, words, { cwd: sim.folder, encoding: 'utf8' });
  assert.equal(out, '1 booted\n2 sealed\n3 empty_proved\n1 rejected need\n');
  seen = readFileSync(path, 'utf8').split('\n').filter(line => line.includes('"event"')).map(line => JSON.parse(line).event);
});

test('a whole round by commands, in a keyed session', async () => {
  const { shoe, close } = await open();
  assert.ok((await shoe.command('set_positions', { positions: 2 })).outcome === 'rejected', 'there is no deck yet');
  await playRound(shoe);
  assert.ok((await shoe.setClock(new Date(2026, 0, 1))).fields.utc_s > 0);
  await close();
  assert.equal(checkSeen(), 1);
});

test('noise, lost bytes, forged and repeated frames on the line: every event once, every command once', async () => {
  let seed = 7, count = 0, sent = [];
  const random = n => ((seed = Math.imul(seed, 1103515245) + 12345 >>> 0) >>> 16) % n;
  const hostile = async () => {
    const line = await port()();
    return { ...line, chunks: (async function* chunks() {
      for await (const chunk of line.chunks) {
        sent = [...sent.slice(-50), chunk];
        const what = count++ % 6;                        // in turns: on a busy machine there are few, large chunks
        if (what === 0) yield Uint8Array.from({ length: 1 + random(300) }, () => random(256));
        else if (what === 1) yield sent[random(sent.length)];
        else if (what === 2) { yield chunk.map((byte, at) => at === random(chunk.length) ? byte ^ 1 << random(8) : byte); continue; }
        else if (what === 3) { yield chunk.subarray(random(chunk.length)); continue; }
        yield chunk;
      }
    })() };
  };
  const { shoe, close } = await open(hostile);
  await playRound(shoe);
  await close();
  assert.equal(checkSeen(), 2);
  const { drops: { replayed = 0, bad_session = 0, bad_stuffing = 0, bad_crc = 0 } } = shoe;
  assert.ok(replayed + bad_session > 0 && bad_stuffing + bad_crc > 0, JSON.stringify(shoe.drops));
});

test('the connection is cut in the middle of an event, again and again: nothing is lost and nothing comes twice', async () => {
  let cuts = 0;
  const brittle = async () => {
    const line = await port()();
    return { ...line, chunks: (async function* chunks() {
      let events = 0;
      for await (const chunk of line.chunks) {
        const isEvent = n => n > 0 && chunk[n - 1] === 0 && chunk[n + 1] === EVENT;
        const at = chunk.findIndex((_, n) => isEvent(n) && ++events === 2);
        if (cuts < 4 && at > 0) {
          cuts++;
          yield chunk.subarray(0, at + 9);
          return;
        }
        yield chunk;
      }
    })() };
  };
  const { shoe, close } = await open(brittle);
  await playRound(shoe);
  await close();
  assert.equal(cuts, 4);
  assert.equal(checkSeen(), 3);
});

test('a program that ends over a command asks for its outcome under the same number', async () => {
  const first = await open();
  await until(first.shoe, 'waiting_for_deck');
  await sim.act('load 12');
  await assert.rejects(first.shoe.command('shuffle', {}, { timeoutMs: 1 }), { code: 'no_answer' });
  await first.close();
  const { shoe, close } = await open();
  const { op } = await shoe.unfinished();
  await assert.rejects(shoe.command('shuffle'), { code: 'unfinished', op });
  assert.deepEqual(await shoe.resume(), { op, outcome: 'done', reason: 'none', detail: 0, done: true });
  await until(shoe, 'deck_ready');
  await close();
  checkSeen();
  assert.equal(seen.filter(({ name }) => name === 'shuffle_started').length, 4);
});

test('power is lost in the middle of a shuffle: the session comes back, the command is in doubt and not done again', async () => {
  const { shoe, close } = await open();
  await finishRound(shoe, 'close_betting');
  await sim.act('load 12');
  const shuffle = shoe.command('shuffle');
  await until(shoe, 'shuffling');
  await sim.act('cut');
  await sim.act('boot');
  assert.deepEqual((({ outcome, reason }) => [outcome, reason])(await shuffle), ['in_doubt', 'power']);
  assert.equal(shoe.welcome.boot, 2);
  await until(shoe, 'warning');
  await close();
  assert.equal(checkSeen(), 4);
  assert.equal(seen.filter(({ name }) => name === 'shuffle_started').length, 5);
});

test('two rounds are played by one call, and a shoe that only reports refuses it in words', async () => {
  const own = await SimulatedShoe.start('--game', 'house:deck_cards=12,stack_cards=3');
  const store = new FileStore(join(own.folder, 'table.jsonl'));
  const told = [];
  const shoe = await Shoe.open(tcp('127.0.0.1', own.port), { ...table, store });
  const event = async item => {
    store.put(shoe.device, item);
    if (['empty_proved', 'round_ended'].includes(item.name)) await own.act('load 12');
    if (['stack_offered', 'remainder_released'].includes(item.name)) await own.act('take');
  };
  const ended = await shoe.play({ rounds: 2, positions: 2, event, told: (name, { done }) => told.push([name, done]) });
  assert.deepEqual(ended.map(({ name, fields }) => [name, fields.round]), [['round_ended', 1], ['round_ended', 2]]);
  const round = ['shuffle', 'set_positions', 'close_betting', 'release', 'end_round'].map(name => [name, true]);
  assert.deepEqual(told.filter(([, done]) => done), [...round, ...round]);
  await assert.rejects(shoe.play({ positions: 17 }), { code: 'usage', message: /^17 positions/ });
  await shoe.close();
  store.close();
  await own.stop();
  const silent = await SimulatedShoe.start('--mode', 'report_only');
  const listening = await Shoe.open(tcp('127.0.0.1', silent.port), table);
  await assert.rejects(listening.play({ positions: 2 }), { code: 'usage', message: /only reports/ });
  await listening.close();
  await silent.stop();
});

test('another role listens and gives no command; another key opens no session', async () => {
  assert.equal((await firstWelcome(new Session({ role: 'table', key: '00'.repeat(32) }))).drop, 'bad_mac');
  const observer = await Shoe.open(port(), { role: 'observer', key: roleKeyOf(DEVICE_KEY, 'observer') });
  assert.deepEqual((({ outcome, reason }) => [outcome, reason])(await observer.command('shuffle')), ['rejected', 'role']);
  await observer.close();
});
