// Where the live view comes from without a server: a shoe on a serial port that the user chose (WebSerial), in clear.
// Read only: it says hello and reads the journal. It acknowledges nothing, so the table system still gets every event.
// `listen` gets what a LiveSource gives: {snapshot} or {delta} with {t, age_s}, or {down}.

import { fromHex } from './fairshoe-js/bytes.js';
import { isEvent } from './fairshoe-js/dictionary.js';
import { Session } from './fairshoe-js/session.js';
import { ShoeView } from './shoe_view.js';

const TICK_MS = 250;
const HELLO_MS = 1000; // until there is a welcome, and when the shoe is silent
const SILENT_MS = 2000;
const ASK_MS = 1000; // until a record is asked for again
const REOPEN_MS = 1000;
const HISTORY = 50; // events from before
const [RECORD_SIZE, RECORD_MAGIC, PAYLOAD_AT] = [92, 0xe5, 4]; // docs/JOURNAL.md

export class SerialSource {
  /** `connect` opens the port: {chunks, write, close}, as fairshoe-js/web_serial.js does. */
  constructor(listen, connect, texts) {
    Object.assign(this, { listen, connect, session: new Session(), view: new ShoeView(texts) });
    this.seq = 0; // of the last event that was shown
    this.waiting = new Map(); // events that came before those that are missing
    this.heard_ms = this.hello_ms = this.ask_ms = 0;
    this.asked = 0;
    this.closed = false;
    setInterval(() => this.tick(), TICK_MS);
    this.run();
  }

  async run() {
    while (!this.closed) {
      let why = 'the port was closed';
      try {
        this.port = await this.connect();
        this.hello();
        for await (const chunk of this.port.chunks) this.take(chunk);
      } catch (error) {
        why = error.message;
      }
      await this.port?.close().catch(() => {});
      this.port = null;
      this.session.drop();
      this.listen({ down: `the serial port does not answer: ${why}. Check the cable; it is tried again.` });
      await new Promise((resume) => setTimeout(resume, REOPEN_MS));
    }
  }

  /** End it. */
  async close() {
    this.closed = true;
    await this.port?.close();
  }

  hello() {
    this.hello_ms = performance.now();
    this.port.write(this.session.hello())?.catch?.(() => {});
  }

  tick() {
    if (!this.port) return;
    const now = performance.now();
    const silent = now - this.heard_ms > SILENT_MS;
    if ((!this.session.welcome || silent || this.session.ending) && now - this.hello_ms > HELLO_MS) this.hello();
    this.askJournal(now);
    if (this.session.welcome) this.listen(this.beat());
  }

  beat() {
    return { t: this.view.now(), age_s: (performance.now() - this.heard_ms) / 1000 };
  }

  // -- what arrives -----------------------------------------------------------------------------------------------------

  take(chunk) {
    for (const message of this.session.receive(chunk)) {
      if (message.drop) continue;
      this.heard_ms = performance.now();
      if (message.name === 'welcome') this.welcomed(message);
      else if (message.name === 'journal_record') this.record(message.fields);
      else if (isEvent(message.id)) this.waiting.set(message.fields.seq, message);
      else if (['status', 'meters', 'health'].includes(message.name)) this.tell(message);
      else if (message.name === 'refused') this.listen({ down: `the shoe opens no session: ${message.words.why ?? message.fields.why}` });
      if (message.name === 'status') this.status = message.fields;
    }
    for (let next = this.waiting.get(this.seq + 1); next; next = this.waiting.get(this.seq + 1)) {
      this.waiting.delete(this.seq + 1);
      this.seq += 1;
      this.tell(next);
    }
    for (const seq of this.waiting.keys()) if (seq <= this.seq) this.waiting.delete(seq);
  }

  tell(message) {
    const prefix = this.session.dictionary.prefixes.event.map(({ name }) => name);
    this.listen({ delta: this.view.take(message, prefix), ...this.beat() });
  }

  /** A new session. Another device, or an older storage, begins with an empty view. */
  welcomed(message) {
    const { fields } = message;
    if (this.device !== fields.device || fields.seq_last < this.seq) {
      this.device = fields.device;
      this.view = new ShoeView(this.view.texts);
      this.waiting.clear();
      this.status = null;
      this.seq = fields.seq_first - 1;
      if (!fields.has_key) this.seq = Math.max(Math.min(this.seq, fields.seq_last - HISTORY), 0);
      const link = { mode: 'WebSerial, read only', live: true, problem: '', advice: '' };
      this.listen({ snapshot: { url: 'a serial port', board: '', link, events: [], history: [] }, ...this.beat() });
    }
    this.tell(message);
  }

  // -- the journal ------------------------------------------------------------------------------------------------------

  /** The device sends eight events ahead of their acknowledgement. Later ones are read, one at a time. */
  askJournal(now) {
    const { welcome } = this.session;
    if (!welcome || welcome.has_key) return; // its journal takes a key
    const last = this.status ? welcome.seq_first - 1 + this.status.events_waiting : welcome.seq_last;
    let wanted = this.seq + 1;
    while (this.waiting.has(wanted)) wanted += 1;
    if (wanted > last || (wanted === this.asked && now - this.ask_ms < ASK_MS)) return;
    this.asked = wanted;
    this.ask_ms = now;
    this.port.write(this.session.send('journal_get', { seq: wanted }))?.catch?.(() => {});
  }

  record({ seq, record }) {
    const data = fromHex(record);
    const id = data[2] + 256 * data[3];
    const sound = data.length === RECORD_SIZE && data[0] === RECORD_MAGIC && isEvent(id);
    const event = sound ? this.session.dictionary.read(id, data.subarray(PAYLOAD_AT, PAYLOAD_AT + data[1])) : {};
    const damaged = { id: 0, name: 'record_damaged', fields: { seq, round: 0 }, words: {} };
    this.waiting.set(seq, event.fields?.seq === seq ? event : damaged);
    this.askJournal(performance.now());
  }
}
