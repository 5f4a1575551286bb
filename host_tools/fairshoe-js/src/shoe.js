// A shoe at the other end of any stream of bytes: keeps a session, hands out events, gives commands.
import { toText, fromHex } from './bytes.js';
import { Dictionary, dictionaryHash, isEvent } from './dictionary.js';
import { FairshoeError, usage } from './errors.js';
import { ROLES } from './keys.js';
import { resumeLog } from './logs.js';
import { RoundPlay } from './play.js';
import { MemoryStore } from './memory_store.js';
import { Session } from './session.js';

const TICK_MS = 100;
const HELLO_MS = 1000;                                   // without a welcome: say hello again
const SILENCE_MS = 2000;                                 // without a frame of the session: say hello again
const LIFE_MS = 3000;                                    // a keyed host must say something every 10 s
const REPEAT_MS = 1000;                                  // until a question or command is answered
const REOPEN_MS = [100, 5000];                           // first and longest wait before a port is opened again
const REFUSED_MS_MAX = 10000;                            // a refusal can be forged: never wait longer
const WAITING_MAX = 8;                                   // a device sends at most 8 events beyond the acknowledged one
const BUSY_LINE = 'fairshoe: busy, another host is connected\r\n';  // all that a TCP server sends to a second host
const FINAL = ['done', 'failed', 'rejected', 'in_doubt', 'stale', 'conflict'];
const READERS = [1, 4];                                  // observer, auditor: a device ignores their acknowledgements
const EPOCH_2020_S = 1577836800;

export class Shoe {
  session;
  status = null;                                         // the last one; telemetry is not kept
  missing = [];                                          // events that another host has acknowledged: { from, to }
  drops = {};                                            // frames and messages that did not count, by reason
  #connect; #store; #options;
  #connection = null;
  #listeners = new Map();
  #questions = new Set();                                // each: { send, accept, resolve, reject, sentAt, until }
  #turn = Promise.resolve();                             // commands wait for one another
  #opened;                                               // settles { resolve, reject } of open()
  #failure = null;                                       // why the shoe ended; nothing is sent any more
  #waiting = [];                                         // events that the caller has not taken
  #inHand = false;                                       // the first of them is with the caller
  #reading = false;
  #news = null;                                          // the newest status, for a loop over messages
  #wake = () => {};
  #log = null;                                           // the log that the device writes, once it has said so
  #logDue = false;                                       // in this session it has not said so yet
  #logAskedAt = 0;
  #early = [];                                           // events that came before it
  #next = 0;                                             // number of the event to take, of this log
  #helloAt = 0; #heardAt = 0; #saidAt = 0;
  #openUntil = 0;
  #whyNot = null;                                        // the best reason so far why there is no session
  #stopWaiting = () => {};

  /** Opens a session. `connect` opens the port, and opens it again when it was lost: see tcp.js, web_serial.js. */
  static async open(connect, options = {}) {
    const shoe = new Shoe(connect, options);
    await new Promise((resolve, reject) => { shoe.#opened = { resolve, reject }; shoe.#run(); });
    return shoe;
  }

  constructor(connect, options = {}) {
    const { role, key, store = new MemoryStore(), device = null, answerMs = 5000, reconnect = true, newLog = false } = options;
    this.session = new Session({ role, key });
    this.#connect = connect;
    this.#store = store;
    this.#options = { device, answerMs, reconnect, newLog };
  }

  get device() { return this.#options.device; }
  get welcome() { return this.session.welcome; }
  get #stored() { return this.#next - 1 - this.#waiting.length; }

  /**
   * Events in order, each once. Coming back for the next one says that this one is stored: only then is it acknowledged.
   * An event that the loop ended at was not acknowledged; it comes first the next time.
   */
  events() { return this.#each(false); }

  /** The same with the newest status between the events. */
  messages() { return this.#each(true); }

  async *#each(withStatus) {
    if (this.#reading) throw usage('another loop reads the events of this shoe', 'Read them in one place.');
    this.#reading = true;
    try {
      for (;;) {
        while (this.#waiting.length === 0 && !(withStatus && this.#news)) {
          if (this.#failure?.code === 'closed') return;
          if (this.#failure) throw this.#failure;
          await new Promise(wake => { this.#wake = wake; });
        }
        if (this.#waiting.length === 0) {
          const status = this.#news;
          this.#news = null;
          yield status;
          continue;
        }
        this.#inHand = true;
        const event = this.#waiting[0];
        yield event;
        if (this.#waiting[0] === event) this.acknowledge();
      }
    } finally {
      this.#reading = this.#inHand = false;
    }
  }

  /** Acknowledges the event in hand without waiting for the next one: before leaving the loop. */
  acknowledge() {
    if (!this.#inHand) return;
    const { role } = this.session;
    if (READERS.includes(role))
      throw new FairshoeError('refused', `the role ${ROLES[role]} reads, and acknowledges no event.`,
        'Open the device with the key of the recorder or the table, or read its journal.');
    if (role === 0 && this.welcome?.has_key)
      throw new FairshoeError('refused', 'the device holds a key, and takes acknowledgements only from a host that proves one.',
        'Open it with the key of the recorder or the table.');
    this.#inHand = false;
    this.#waiting.shift();
    this.#acknowledge();
  }

  /** Calls `listener` for 'status', 'message' (all but events), 'drop', 'missing' or 'link'; returns a function that ends it. */
  on(kind, listener) {
    const listeners = this.#listeners.get(kind) ?? this.#listeners.set(kind, new Set()).get(kind);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Gives a command and waits for its outcome. It acts at most once, however often link, program or power fail. */
  command(name, fields = {}, { timeoutMs = 120000 } = {}) {
    return this.#inTurn(async () => {
      const { role, dictionary } = this.session, { device } = this;
      if (role === 0) throw usage('commands need a key', "Open the shoe with role 'table' and its key.");
      dictionary.write(name, { op: 1, ...fields });      // wrong arguments throw before a number is used
      const left = await this.unfinished();
      if (left) throw unfinished(left);
      const last = await this.#store.lastOperation(device, role);
      const op = Math.max(last?.op ?? 0, this.welcome?.op_last ?? 0) + 1;
      const operation = { op, name, fields, log: this.#log.id, result: null };
      await this.#store.putOperation(device, role, operation);
      return this.#perform(operation, timeoutMs);
    });
  }

  /**
   * The command of an earlier run, or of one that timed out, that has no outcome on record; null if there is none. What
   * became of one that was given to another storage is known to that alone: asked about here, it would act once more.
   */
  async unfinished() {
    await this.#logKnown();
    const last = await this.#store.lastOperation(this.device, this.session.role);
    return last && !last.result && last.log === this.#log.id ? last : null;
  }

  /** Asks for the outcome of the unfinished command, under its own number; null if there is none. */
  resume({ timeoutMs = 120000 } = {}) {
    return this.#inTurn(async () => {
      const last = await this.unfinished();
      return last && this.#perform(last, timeoutMs);
    });
  }

  /**
   * Plays rounds by command until so many have ended or are void, and gives the events that ended them. It asks first about
   * a command that an earlier run left open. The hooks say what a shoe cannot know: `positions`, and functions `record`,
   * `person`, `allow`, `told` and `event`.
   */
  async play(hooks) {
    const play = new RoundPlay(hooks, this);
    await this.resume();
    for await (const message of this.messages()) {
      const given = await play.heard(message);
      if (play.done) {
        this.acknowledge();
        break;
      }
      if (given) {
        play.answered(await this.command(...given));
        this.#news = null;                               // it is from before the outcome
      }
    }
    return play.over;
  }

  /** Sends a question every second until a message `answer` comes that `accept` agrees to. */
  ask(name, fields, answer, { accept = () => true, timeoutMs = 10000 } = {}) {
    return this.#question(() => this.#send(name, fields), message => message.name === answer && accept(message), timeoutMs,
      `${name} was not answered`);
  }

  /** Sets the device's clock, which is not set after a boot. Roles recorder, table and service. */
  setClock(date = new Date()) {
    return this.ask('time_set', { utc_s: Math.floor(date.getTime() / 1000) - EPOCH_2020_S }, 'time_is');
  }

  async close() {
    this.#fail(new FairshoeError('closed', 'the shoe was closed.', 'Open it again.'));
    await this.#connection?.close();
  }

  // ---- the port ----

  async #run() {
    const ticking = setInterval(() => this.#tick(), TICK_MS);
    this.#openUntil = performance.now() + this.#options.answerMs;
    let waitMs = REOPEN_MS[0];
    while (!this.#failure) {
      let why = 'the other end closed the port', first = '', connected = false;
      try {
        this.#connection = await this.#connect();
        connected = true;
        if (this.#failure) break;
        this.#hello();
        for await (const chunk of this.#connection.chunks) {
          if (this.session.welcome) waitMs = REOPEN_MS[0];
          if (first.length <= BUSY_LINE.length) first += toText(chunk.subarray(0, BUSY_LINE.length + 1));
          await this.#take(chunk);
          if (this.#failure) break;
        }
      } catch (error) {
        why = error.message || error.code;               // Node names only the code where a name has two addresses
      }
      await this.#connection?.close().catch(() => {});
      this.#connection = null;
      this.session.drop();
      if (this.#failure) break;
      const busy = first === BUSY_LINE;
      if (busy) why = 'another host is connected';
      this.#tell('link', { up: false, why });
      this.#whyNot = busy ? new FairshoeError('port_busy', `${why}.`, 'Disconnect it: a port serves one host at a time.')
        : connected ? new FairshoeError('port_lost', `the port was lost: ${why}.`, 'Look at cable, power and address.')
          : new FairshoeError('not_opened', `the port cannot be opened: ${why}.`, 'Look at the address, and at what serves it.');
      if (!this.#options.reconnect || ((busy || !connected) && this.#opened)) this.#fail(this.#whyNot);
      else await this.#wait(waitMs);
      waitMs = Math.min(2 * waitMs, REOPEN_MS[1]);
    }
    clearInterval(ticking);
    await this.#connection?.close().catch(() => {});
  }

  #wait(ms) {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#stopWaiting = () => { clearTimeout(timer); resolve(); };
    });
  }

  #write(bytes) {
    this.#connection?.write(bytes)?.catch(() => {});     // a port that cannot be written ends its chunks too
  }

  #hello() {
    this.#helloAt = performance.now();
    this.#write(this.session.hello());
  }

  #send(name, fields) {
    if (!this.welcome) return;                           // asked again when there is a session
    this.#saidAt = performance.now();
    this.#write(this.session.send(name, fields));
  }

  #tick() {
    const now = performance.now();
    if (this.#connection && now >= this.#helloAt + HELLO_MS) {
      const silent = now >= this.#heardAt + SILENCE_MS;
      if (!this.welcome || silent || this.session.ending) this.#hello();
    }
    if (this.welcome && this.#logDue && now >= this.#logAskedAt + REPEAT_MS) this.#askLog();
    if (this.welcome && now >= this.#saidAt + LIFE_MS) this.#acknowledge();
    for (const question of [...this.#questions]) {
      if (now >= question.until) question.end(question.reject, new FairshoeError('no_answer', `${question.what}.`, 'Ask again.'));
      else if (now >= question.sentAt + REPEAT_MS) { question.sentAt = now; question.send(); }
    }
    if (this.#opened && now >= this.#openUntil) this.#fail(this.#whyNot ?? new FairshoeError(
      'no_answer', `nothing like a shoe answered in ${this.#options.answerMs} ms.`, 'Look at cable, power, address and baud rate.'));
  }

  // ---- what arrives ----

  async #take(chunk) {
    let repeated = false;
    for (const item of this.session.receive(chunk)) {
      if (this.#failure) return;
      if (item.drop) { this.#dropped(item); continue; }
      // In a keyed session a frame in clear is no sign of life: an attacker on the line can send it.
      if (this.session.role === 0 || item.frame.keyed) this.#heardAt = performance.now();
      if (isEvent(item.id)) repeated = this.#event(item) || repeated;
      else await this.#message(item);
    }
    if (repeated) this.#acknowledge();
  }

  #dropped(item) {
    this.drops[item.drop] = (this.drops[item.drop] ?? 0) + 1;
    if (item.drop === 'bad_mac' && this.#opened)
      this.#whyNot = new FairshoeError('wrong_key', 'the device has another key.', 'Use the key of this device and role.');
    this.#tell('drop', item);
    // A device that rebooted sends events in session 0. An attacker can forge one; one more hello does no harm.
    const rebooted = this.welcome && item.frame && item.frame.session === 0 && isEvent(item.frame.id);
    if (rebooted && performance.now() >= this.#helloAt + HELLO_MS) this.#hello();
  }

  #event(event) {                                        // true: a repetition, acknowledge again
    if (this.#logDue) {
      if (this.#early.length < WAITING_MAX) this.#early.push(event);
      return false;
    }
    const { seq } = event.fields;
    if (seq < this.#next) return seq <= this.#stored;
    if (seq > this.#next || this.#waiting.length >= WAITING_MAX) return false;     // it will be sent again
    this.#next++;
    this.#waiting.push({ ...event, log: this.#log.id });
    this.#wake();
    return false;
  }

  #acknowledge() {                                       // 0 acknowledges none: of a log that is not known yet
    this.#send('event_ack', { seq: this.#logDue ? 0 : this.#stored });
  }

  async #message(message) {
    if (message.name === 'welcome') await this.#welcomed(message.fields);
    else if (message.name === 'journal_is' && this.#logDue) await this.#resumeLog(message.fields.log);
    else if (message.name === 'refused') this.#refused(message);
    else if (message.name === 'session_ending') this.#hello();
    else if (message.name === 'halted' && this.#opened)
      this.#whyNot = new FairshoeError('halted',
        `the firmware could not start: ${toText(fromHex(message.fields.text))}.`, 'See docs/FIRMWARE.md.');
    else if (message.name === 'status') {
      this.status = this.#news = message;
      this.#tell('status', message);
      this.#wake();
    }
    this.#tell('message', message);
    for (const question of [...this.#questions]) if (question.accept(message)) question.end(question.resolve, message);
  }

  #refused({ fields, words }) {
    const why = words.why ?? fields.why;
    this.#whyNot = new FairshoeError('refused', `the device opens no session: ${why}.`, 'See docs/PROTOCOL.md, section 2.');
    const waitMs = words.why === 'backoff' ? Math.min(fields.detail * 1000, REFUSED_MS_MAX) : HELLO_MS;
    this.#helloAt = performance.now() + waitMs - HELLO_MS;
  }

  async #welcomed(welcome) {
    const { device } = welcome;
    if (this.device !== null && this.device !== device)
      return this.#fail(new FairshoeError('wrong_device',
        `device ${device} answers in the place of ${this.device}.`, 'Look at the cable.'));
    this.#options.device = device;
    this.#logDue = true;
    this.#early = [];
    this.#acknowledge();                                 // also the proof of the key, which puts the session in force
    if (welcome.has_key && this.session.role === 0) await this.#resumeLog('');     // it says its log to no one without a key
    else this.#askLog();
    if (this.#failure) return;
    this.#askAgain();
    if (welcome.dictionary !== this.session.dictionary.hash) this.#learn(welcome.dictionary).catch(() => {});
    this.#tell('link', { up: true, welcome });
    this.#opened?.resolve();
    this.#opened = null;
  }

  // ---- the log ----

  #askLog() {
    this.#logAskedAt = performance.now();
    this.#send('journal_get', { seq: 0 });
  }

  async #resumeLog(identity) {
    const { seq_first: first, seq_last: seqLast, boot } = this.welcome, { newLog } = this.#options;
    const before = this.#log;
    try {
      this.#log = await resumeLog(this.#store, this.device, { identity, seqLast, boot },
        { newLog, current: before, seen: this.#next - 1 });
    } catch (cause) {
      return this.#fail(cause instanceof FairshoeError ? cause : new FairshoeError('store',
        `the store cannot be used: ${cause.message}.`, 'Repair it, then open the shoe again.', { cause }));
    }
    this.#options.newLog = false;                        // allowed once
    if (this.#log.id !== before?.id) this.#next = this.#log.seq + 1;
    if (this.#next < first) {                            // another host has acknowledged them
      const gap = { from: this.#next, to: first - 1 };
      this.missing.push(gap);
      this.#tell('missing', gap);
      this.#next = first;
    }
    this.#logDue = false;
    if (this.#stored >= first) this.#acknowledge();
    for (const event of this.#early.splice(0)) this.#event(event);
    this.#askAgain();
  }

  async #logKnown() {
    if (this.#log) return;
    await this.#question(() => {}, () => this.#log !== null, 10000, 'the device has not said which log it writes');
  }

  // ---- questions ----

  #askAgain() {
    for (const question of this.#questions) { question.sentAt = performance.now(); question.send(); }
  }

  #question(send, accept, timeoutMs, what) {
    if (this.#failure) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const now = performance.now(), question = { send, accept, resolve, reject, sentAt: now, until: now + timeoutMs, what };
      question.end = (settle, value) => { this.#questions.delete(question); settle(value); };
      this.#questions.add(question);
      send();
    });
  }

  #inTurn(function_) {
    const done = this.#turn.then(() => { if (this.#failure) throw this.#failure; return function_(); });
    this.#turn = done.catch(() => {});
    return done;
  }

  async #perform(operation, timeoutMs) {
    const { op, name, fields } = operation, { id } = this.session.dictionary.byName.get(name);
    const answered = ({ name: answer, fields: got, words }) =>
      answer === 'result' && got.op === op && got.command === id && FINAL.includes(words.outcome);
    let message;
    try {
      const send = () => { if (!this.#logDue) this.#send(name, { op, ...fields }); };
      message = await this.#question(send, answered, timeoutMs,
        `${name}, operation ${op}, has no outcome yet`);
    } catch (error) {
      if (error.code === 'no_answer') Object.assign(error, { op, advice: 'resume() asks for its outcome.' });
      throw error;
    }
    const { outcome, reason } = message.words;
    const { detail, reason: number } = message.fields;
    const result = { op, outcome, reason: reason ?? String(number), detail, done: outcome === 'done' };
    await this.#store.putOperation(this.device, this.session.role, { ...operation, result });
    return result;
  }

  async #learn(hash) {                                   // the dictionary of a device that is newer or older than this
    const lines = [];
    for (let line = 0, count = 1; line < count; line++) {
      const accept = ({ fields: got }) => got.line === line;
      const { fields } = await this.ask('dictionary_get', { line }, 'dictionary_line', { accept });
      lines.push(toText(fromHex(fields.text)));
      count = fields.lines;
    }
    if (dictionaryHash(lines) === hash) this.session.use(new Dictionary(lines));
  }

  #tell(kind, value) {
    for (const listener of this.#listeners.get(kind) ?? []) {
      try { listener(value); } catch (error) { queueMicrotask(() => { throw error; }); }     // not the link's fault
    }
  }

  #fail(error) {
    if (this.#failure) return;
    this.#failure = error;
    for (const question of [...this.#questions]) question.end(question.reject, error);
    this.#opened?.reject(error);
    this.#opened = null;
    this.#wake();
    this.#stopWaiting();
  }
}

const unfinished = ({ op, name }) => new FairshoeError('unfinished',
  `${name}, operation ${op}, has no outcome on record.`, 'resume() asks for it; then give the next command.', { op });
