// What bodies mean: the dictionary of this version (messages.js), or one that a device sent. Sections 8 and 13.
import { concat, fromHex, fromText, toHex, toText } from './bytes.js';
import { FROM_HOST, LINES, UNKNOWN } from './messages.js';
import { sha256 } from './sha256.js';
import { usage } from './errors.js';

const SIZES = { u8: 1, u16: 2, u32: 4, t8: 8, b8: 8, b16: 16, b32: 32, rest: 0 };
const ID_FIELDS = ['command', 'during'];                 // fields that hold the id of a message

export const isEvent = id => id >= 256 && id <= 511;
export const isCommand = id => id >= 512 && id <= 767;
/** Who sends it: 'H' the host, 'D' the device. */
export const directionOf = id => isCommand(id) || FROM_HOST.includes(id) ? 'H' : 'D';

/** The hash that a welcome names. */
export const dictionaryHash = lines => toHex(sha256(fromText(lines.map(line => `${line}\n`).join(''))).subarray(0, 8));

/** The table of messages, from the lines that dictionary_line brings. Unknown kinds of lines are ignored. */
export class Dictionary {
  byId = new Map();
  byName = new Map();
  words = new Map();                                     // name of a field -> its words, counted from 0
  prefixes = { event: [], command: [] };

  constructor(lines = LINES) {
    this.lines = lines;
    this.hash = dictionaryHash(lines);
    for (const line of lines) this.#add(line.split(' '));
    for (const message of this.byId.values()) {          // lines do not repeat the prefix
      const prefix = isEvent(message.id) ? 'event' : isCommand(message.id) ? 'command' : null;
      if (prefix) message.fields = [...this.prefixes[prefix], ...message.fields];
      for (const field of message.fields)
        if (UNKNOWN[message.name]?.includes(field.name)) field.unknown = 256 ** SIZES[field.type] - 1;
    }
  }

  /** Id and body -> { id, name, fields, words, extra } or { drop }. An event with a whole prefix is never dropped. */
  read(id, body) {
    const message = this.byId.get(id), read = message && readFields(message.fields, body);
    if (read) return { id, name: message.name, fields: read.fields, words: this.wordsOf(read.fields), extra: read.extra, body };
    if (isEvent(id)) {                                   // unknown or too short: a host stores it as it came
      const prefix = readFields(this.prefixes.event, body);
      if (prefix) return { id, name: message?.name ?? `event_${id}`, opaque: true, words: {}, body, ...prefix };
    }
    return { drop: message || isEvent(id) ? 'malformed' : 'unknown' };
  }

  /** The body of a message. Enumerated fields take a word or a number, fields of bytes take hexadecimal digits. */
  write(name, values = {}) {
    const message = this.byName.get(name);
    if (!message) throw usage(`there is no message ${name}`);
    for (const field of Object.keys(values))
      if (!message.fields.some(known => known.name === field)) throw usage(`${name} has no field ${field}`);
    return concat(...message.fields.map(({ name: field, type, unknown }) =>
      writeField(`${name}.${field}`, type, values[field] === null ? unknown : this.#number(field, values[field]))));
  }

  /** The words for enumerated values; a value of a newer device has none: show its number. */
  wordsOf(fields) {
    const words = {};
    for (const [name, value] of Object.entries(fields)) {
      const word = ID_FIELDS.includes(name) ? this.byId.get(value)?.name : this.words.get(name)?.[value];
      if (word !== undefined) words[name] = word;
    }
    return words;
  }

  #add([kind, ...rest]) {
    const field = text => { const [name, type] = text.split(':'); return { name, type }; };
    if (kind === 'message') {
      const message = { id: Number(rest[0]), class: Number(rest[1]), name: rest[2], fields: rest.slice(3).map(field) };
      this.byId.set(message.id, message);
      this.byName.set(message.name, message);
    } else if (kind === 'more') this.byId.get(Number(rest[0]))?.fields.push(...rest.slice(1).map(field));
    else if (kind === 'prefix' && ['event', 'command'].includes(rest[0])) this.prefixes[rest[0]] = rest.slice(1).map(field);
    else if (kind === 'names') this.words.set(rest[0], [...this.words.get(rest[0]) ?? [], ...rest.slice(1)]);
  }

  #number(field, value) {
    const at = typeof value === 'string' ? this.words.get(field)?.indexOf(value) ?? -1 : -1;
    return at < 0 ? value : at;
  }
}

function readFields(fields, body) {                      // null: the body is shorter than its fields
  const values = {}, view = new DataView(body.buffer, body.byteOffset, body.length);
  let at = 0;
  for (const { name, type, unknown } of fields) {
    const end = type === 'rest' ? body.length : at + SIZES[type];
    if (!(end <= body.length)) return null;              // also for a type that this version does not know
    values[name] = type === 'u8' ? view.getUint8(at)
      : type === 'u16' ? view.getUint16(at, true)
        : type === 'u32' ? view.getUint32(at, true)
          : type === 't8' ? toText(body.subarray(at, end)).replace(/\0+$/, '')
            : toHex(body.subarray(at, end));             // b8, b16, b32, rest
    if (values[name] === unknown) values[name] = null;   // no number that looks like a count
    at = end;
  }
  return { fields: values, extra: body.subarray(at) };   // extra: fields of a newer device, to be ignored
}

function writeField(name, type, value) {
  if (value === undefined) throw usage(`${name} is missing`);
  const size = SIZES[type];
  if (type[0] === 'u') {
    if (!Number.isInteger(value) || value < 0 || value >= 256 ** size) throw usage(`${name}: ${value} is no ${type}`);
    return Uint8Array.from({ length: size }, (_, n) => Math.floor(value / 256 ** n) % 256);
  }
  const bytes = type === 't8' ? fromText(value) : fromHex(value);
  if (type === 'rest') return bytes;
  if (type === 't8' ? bytes.length > size : bytes.length !== size)
    throw usage(`${name}: ${bytes.length} bytes are no ${type}`);
  return concat(bytes, new Uint8Array(size - bytes.length));
}
