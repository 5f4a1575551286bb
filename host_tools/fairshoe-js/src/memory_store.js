import { Logs } from './logs.js';

/** Remembers while the program runs: for pages that only look, and for tests. A table system uses a durable store. */
export class MemoryStore {
  events = [];
  #logs = new Logs();
  #operations = new Map();                               // device and role -> the last operation

  put(device, event) {
    if (!this.#logs.lacks(device, event)) return;
    this.events.push(event);
    this.#logs.stored(device, event);
  }

  logs(device) { return this.#logs.of(device); }

  putLog(device, log) { this.#logs.goOn(device, log); }

  lastOperation(device, role) { return this.#operations.get(`${device} ${role}`) ?? null; }

  putOperation(device, role, operation) { this.#operations.set(`${device} ${role}`, operation); }
}
