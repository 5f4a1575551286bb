// Node: events and operations in one file, a line of JSON each, on the disk before put functions return.
import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { toHex } from './bytes.js';

export class FileStore {
  #file;
  #last = new Map();                                     // device -> number of its last event
  #operations = new Map();                               // device and role -> the last operation

  constructor(path) {
    this.#file = openSync(path, 'a+', 0o600);
    const text = readFileSync(this.#file, 'utf8'), whole = text.slice(0, text.lastIndexOf('\n') + 1);
    if (whole !== text) ftruncateSync(this.#file, Buffer.byteLength(whole));       // power was lost while writing
    for (const line of whole.split('\n')) if (line) this.#learn(JSON.parse(line));
  }

  /** Stores an event of a device. One that is there already is not stored again. */
  put(device, { id, name, fields, words, body }) {
    if (fields.seq > this.lastSeq(device)) this.#append({ device, event: { id, name, fields, words, body: toHex(body) } });
  }

  lastSeq(device) { return this.#last.get(device) ?? 0; }

  lastOperation(device, role) { return this.#operations.get(`${device} ${role}`) ?? null; }

  putOperation(device, role, operation) { this.#append({ device, role, operation }); }

  close() { closeSync(this.#file); }

  #append(entry) {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    fdatasyncSync(this.#file);
    this.#learn(entry);
  }

  #learn({ device, event, role, operation }) {
    if (event) this.#last.set(device, event.fields.seq);
    else this.#operations.set(`${device} ${role}`, operation);
  }
}
