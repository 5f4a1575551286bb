import type { MessageName, Fields, Words, EventName } from './messages.js';

export declare function isEvent(id: number): boolean;
export declare function isCommand(id: number): boolean;
export declare function directionOf(id: number): 'H' | 'D';
export declare function dictionaryHash(lines: readonly string[]): string;

interface MessageOf<N extends MessageName> {
  id: number;
  name: N;
  fields: Fields[N];
  /** Words of the enumerated fields; none for a value that a newer device made up. */
  words: { [F in keyof Fields[N] & keyof Words]?: Words[F] };
  /** Bytes after the fields that this version knows. */
  extra: Uint8Array;
  body: Uint8Array;
  opaque?: undefined;
}

/** A message: `name` tells which, and TypeScript then knows `fields`. */
export type Message = { [N in MessageName]: MessageOf<N> }[MessageName];
/** An event that this version cannot read; `fields` has the event prefix only. Store `body` as it is. */
export interface OpaqueEvent {
  id: number;
  name: `event_${number}` | EventName;
  fields: Fields['door_opened'];
  words: {};
  extra: Uint8Array;
  body: Uint8Array;
  opaque: true;
}
/** An event as a shoe hands it out: `log` is the id of the device's log in the store. */
export type ShoeEvent = ({ [N in EventName]: MessageOf<N> }[EventName] | OpaqueEvent) & { log: number };

/** `unknown`: the number that stands for "not known", and is read as null. */
export interface FieldSpec { name: string; type: string; unknown?: number; }
export interface MessageSpec { id: number; class: number; name: string; fields: FieldSpec[]; }

export declare class Dictionary {
  lines: readonly string[];
  hash: string;
  byId: Map<number, MessageSpec>;
  byName: Map<string, MessageSpec>;
  words: Map<string, string[]>;
  prefixes: { event: FieldSpec[]; command: FieldSpec[] };
  constructor(lines?: readonly string[]);
  read(id: number, body: Uint8Array): Message | OpaqueEvent | { drop: 'malformed' | 'unknown' };
  write(name: string, values?: Record<string, number | string>): Uint8Array;
  wordsOf(fields: Record<string, number | string>): Record<string, string>;
}
