// Node: events and operations in one file, a line of JSON each, on the disk before put functions return.
import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { toHex } from './bytes.js';
import { Logs } from './logs.js';

export class FileStore {
  #file;
  #logs = new Logs();
  #operations = new Map();                               // device and role -> the last operation

  constructor(path) {
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(this.#file, 'utf8'), whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) ftruncateSync(this.#file, Buffer.byteLength(whole));       // power was lost while writing
    for (const line of whole.split('\n')) if (line) this.#learn(JSON.parse(line));
  }

  /** Stores an event of a device. One that is there already is not stored again. */
  put(device, event) {
    if (!this.#logs.lacks(device, event)) return;
    const { id, name, log, fields, words, body } = event;
    this.#append({ device, event: { id, name, log, fields, words, body: toHex(body) } });
  }

  logs(device) { return this.#logs.of(device); }

  putLog(device, { id, identity }) { this.#append({ device, log: { id, identity } }); }

  lastOperation(device, role) { return this.#operations.get(`${device} ${role}`) ?? null; }

  putOperation(device, role, operation) { this.#append({ device, role, operation }); }

  close() { closeSync(this.#file); }

  #append(entry) {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    fdatasyncSync(this.#file);
    this.#learn(entry);
  }

  #learn({ device, event, log, role, operation }) {
    if (event) this.#logs.stored(device, event);
    else if (log) this.#logs.goOn(device, log);
    else this.#operations.set(`${device} ${role}`, operation);
  }
}
