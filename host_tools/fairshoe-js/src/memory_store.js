/** Remembers while the program runs: for pages that only look, and for tests. A table system uses a durable store. */
export class MemoryStore {
  events = [];
  #last = new Map();
  #operations = new Map();

  put(device, event) {
    this.events.push(event);
    this.#last.set(device, event.fields.seq);
  }

  lastSeq(device) { return this.#last.get(device) ?? 0; }

  lastOperation(device, role) { return this.#operations.get(`${device} ${role}`) ?? null; }

  putOperation(device, role, operation) { this.#operations.set(`${device} ${role}`, operation); }
}
