// Which log a device writes. Numbers of events begin again when a device's storage is replaced, so what a host has on
// file says nothing about a device until it is known that both speak of the same log. The rule is that of Store.resume
// in Python; tests/behaviour/hosts.json holds both to it.
import { FairshoeError, usage } from './errors.js';

/**
 * The log that a device goes on with, on record. `found` is what the device says: { identity, seqLast, boot }; `seen`
 * the last event that came of the log in `current`, stored or not. Throws storage_replaced unless a new log is allowed.
 */
export async function resumeLog(store, device, found, { newLog = false, current = null, seen = 0 } = {}) {
  const logs = await store.logs(device);
  const known = logs.at(-1);
  if (!known) return begin(store, device, logs, found);
  const last = known.id === current?.id ? Math.max(known.seq, seen) : known.seq;
  const why = objection({ ...known, seq: last }, found);
  if (!why) return known.identity || !found.identity ? known : goOn(store, device, known, found.identity);
  if (!newLog) throw replaced(device, why);
  const before = found.identity && logs.findLast(({ identity }) => identity === found.identity);
  if (!before || objection(before, found)) return begin(store, device, logs, found);
  return goOn(store, device, before, before.identity);
}

/** Why this cannot be the log that is on file, in words; empty if it can. */
function objection(known, { identity, seqLast, boot }) {
  if (identity && known.identity && identity !== known.identity)
    return `it keeps log ${identity}, on file is log ${known.identity}`;
  if (seqLast < known.seq) return `it has recorded ${seqLast} events, ${known.seq} are on file`;
  if (boot < known.boot) return `it is in its boot ${boot}, on file is boot ${known.boot}`;
  return '';
}

function begin(store, device, logs, { identity }) {
  const id = 1 + Math.max(0, ...logs.map(log => log.id));
  return goOn(store, device, { id, seq: 0, boot: 0 }, identity);
}

async function goOn(store, device, log, identity) {
  await store.putLog(device, { id: log.id, identity });
  return { ...log, identity };
}

const replaced = (device, why) => new FairshoeError('storage_replaced',
  `device ${device.toString(16).padStart(8, '0')}: ${why}.`,
  'Its storage was replaced, erased or put back: take it out of service and find out why. Then go on with newLog: true; '
  + 'what is on file stays.');

/** The logs of devices as a store has them: { id, identity, seq, boot } each, with the last event that is stored. */
export class Logs {
  #logs = new Map();                                     // device -> its logs, the one that it went on with last at the end

  of(device) { return [...this.#logs.get(device) ?? []]; }

  /** The device goes on with the log of this id, or begins it. */
  goOn(device, { id, identity }) {
    const known = this.#find(device, id);
    const others = this.of(device).filter(log => log !== known);
    this.#logs.set(device, [...others, { seq: 0, boot: 0, ...known, id, identity }]);
  }

  /** Whether the event is not stored yet. */
  lacks(device, { log, fields }) {
    const known = this.#find(device, log);
    if (!known) throw usage(`there is no log ${log} of device ${device} in this store`, 'Give the store to Shoe.open, too.');
    return fields.seq > known.seq;
  }

  stored(device, { log, fields: { seq, boot } }) { Object.assign(this.#find(device, log), { seq, boot }); }

  #find(device, id) { return this.#logs.get(device)?.find(log => log.id === id); }
}
