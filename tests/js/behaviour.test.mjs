// Both clients behave alike: hosts.json says what a device does and what a host makes of it. The same table is played
// against the Python library in tests/host/client/test_host_behaviour.py.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mock, test } from 'node:test';
import { MemoryStore, Shoe } from '../../host_tools/fairshoe-js/src/index.js';
import { ScriptedDevice, settle, storeWith, TABLE_KEY } from './scripted_device.mjs';

const CASES = JSON.parse(readFileSync(new URL('../behaviour/hosts.json', import.meta.url), 'utf8'));
const NOTHING = { error: null, acked: 0, taken: [], missing: [], sent: [], outcomes: [] };
const ERRORS = { storage_replaced: 'StorageReplaced' };
const TABLE = 2;
const PASSED_MS = 1600;                                  // after each step: what is due every second is due once
const identity = letter => letter && Buffer.from(letter.repeat(16)).toString('hex');

class Play {
  then = structuredClone(NOTHING);
  store = new MemoryStore();
  device = new ScriptedDevice({ seq_last: 0, op_last: 0 });

  constructor({ on_file: logs = [], unfinished, new_log: newLog = false }) {
    for (const [letter, boot, last] of logs) storeWith(last, identity(letter), this.store, boot);
    if (unfinished) {
      const [name, op, fields = {}] = unfinished, log = this.store.logs(5).at(-1).id;
      this.store.putOperation(5, TABLE, { op, name, fields, log, result: null });
    }
    this.newLog = newLog;
    this.device.log = identity('a');
    this.device.onHeard = message => this.hear(message);
  }

  hear({ name, fields }) {
    const { then } = this;
    const text = [name, ...Object.values(fields)].join(' ');
    if (name === 'event_ack') then.acked = Math.max(then.acked, fields.seq);
    else if (fields.op && !then.sent.includes(text)) then.sent.push(text);
  }

  async step(what, value, fields) {
    const { device } = this;
    if (what === 'welcome') await this.welcome(value);
    else if (what === 'log') device.log = identity(value);
    else if (what === 'event') device.event(value);
    else if (what === 'result') device.say('result', { ...value, reason: 0, detail: 0 });
    else if (what === 'command') this.given(this.shoe.command(value, fields));
    else if (what === 'resume') this.given(this.shoe.resume());
    await this.pass(PASSED_MS);
  }

  async welcome(fields) {
    Object.assign(this.device.fields, { boot: 1, seq_first: 1, seq_last: 0, op_last: 0 }, fields);
    this.device.session++;
    if (this.shoe) return this.device.hangUp();
    const { store, newLog } = this;
    this.shoe = await Shoe.open(this.device.connect, { role: 'table', key: TABLE_KEY, store, newLog });
    this.shoe.on('missing', ({ from, to }) => this.then.missing.push([from, to]));
    this.read().catch(error => { this.then.error = ERRORS[error.code] ?? error.code; });
  }

  async read() {
    for await (const event of this.shoe.events()) {
      this.store.put(this.shoe.device, event);
      this.then.taken.push(event.fields.seq);
    }
  }

  given(outcome) {
    outcome.then(result => { if (result) this.then.outcomes.push(`${result.op} ${result.outcome}`); }, () => {});
  }

  async pass(ms) {
    for (let step = 0; step < ms; step += 100) {
      this.now += 100;
      mock.timers.tick(100);
      await settle();
    }
  }

  now = 1000;

  result() {
    const logs = this.store.logs(5).map(({ identity: bytes, seq }) => [Buffer.from(bytes, 'hex').toString()[0] ?? '', seq]);
    return { ...this.then, logs };
  }
}

for (const { name, steps, then, ...given } of CASES) {
  test(name, async () => {
    mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
    const play = new Play(given);
    mock.method(performance, 'now', () => play.now);
    try {
      for (const step of steps) await play.step(...step);
      assert.deepEqual(play.result(), { ...NOTHING, ...then });
    } finally {
      await play.shoe.close();
      mock.timers.reset();
      mock.restoreAll();
    }
  });
}
