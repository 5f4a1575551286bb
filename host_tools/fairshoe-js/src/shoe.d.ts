import type { Message, ShoeEvent } from './dictionary.js';
import type { Role } from './keys.js';
import type { Arguments, CommandName, Fields, MessageName, Values, Words } from './messages.js';
import type { Received, Session } from './session.js';

/** An open port. `chunks` ends, or throws, when the port is lost. */
export interface Connection {
  chunks: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): Promise<unknown>;
  close(): Promise<unknown>;
}
/** Opens the port; called again after it was lost. */
export type Connect = () => Promise<Connection>;

export type Outcome = 'done' | 'failed' | 'rejected' | 'in_doubt' | 'stale' | 'conflict';
export interface Result { op: number; outcome: Outcome; reason: string; detail: number; done: boolean; }
export interface Operation { op: number; name: CommandName; fields: Record<string, number | string>; log: number; result: Result | null; }

/** A log of a device: the life of its storage. `seq` and `boot` are those of the last event that is stored. */
export interface Log { id: number; identity: string; seq: number; boot: number; }

/** What must outlive the program. Every function may return a promise; put functions settle when it is on the disk. */
export interface Store {
  /** The logs of this device, the one that it went on with last at the end. */
  logs(device: number): Log[] | Promise<Log[]>;
  /** The device goes on with the log of this id, or begins it: events that are stored from here on are of this log. */
  putLog(device: number, log: { id: number; identity: string }): void | Promise<void>;
  /** What putOperation was given last for this device and role; null: nothing. */
  lastOperation(device: number, role: number): Operation | null | Promise<Operation | null>;
  putOperation(device: number, role: number, operation: Operation): void | Promise<void>;
}

export interface Options {
  role?: Role | number;
  /** The key of the role: 32 bytes or 64 hexadecimal digits. */
  key?: Uint8Array | string | null;
  store?: Store;
  /** Take no other device than this one. */
  device?: number | null;
  /** How long open() waits for a session. */
  answerMs?: number;
  /** False: a lost port ends the shoe. */
  reconnect?: boolean;
  /** Go on although the device's storage is not the one on file: see storage_replaced. */
  newLog?: boolean;
}

export interface Notices {
  status: Extract<Message, { name: 'status' }>;
  message: Message;
  drop: Extract<Received, { drop: string }>;
  /** Events that another host has acknowledged: this one never gets them. */
  missing: { from: number; to: number };
  link: { up: true; welcome: Fields['welcome'] } | { up: false; why: string };
}

/** What a program does itself in `play`. */
export interface Hooks {
  /** How many play each round. */
  positions: number;
  rounds?: number;
  /** The two numbers of a record that is due; null: a person tells it at the shoe. */
  record?(what: Words['what'], due: { deck: number; positions: number[] }): [number, number] | null | Promise<[number, number] | null>;
  /** Called once at each stop that only a person can end. */
  person?(need: Words['need'], records: Words['what'][]): void;
  /** Whether to give a command now; asked again with every status while the answer is no. */
  allow?(command: CommandName, status: { fields: Fields['status']; words: Words }): boolean | Promise<boolean>;
  /** The outcome of every command. */
  told?(command: CommandName, result: Result): void;
  /** Every event, in order; it is acknowledged when this has returned. */
  event?(event: ShoeEvent): void | Promise<void>;
}

export declare class Shoe {
  session: Session;
  status: Notices['status'] | null;
  missing: Notices['missing'][];
  drops: Record<string, number>;
  static open(connect: Connect, options?: Options): Promise<Shoe>;
  private constructor(connect: Connect, options?: Options);
  /** The number of the device that answered. */
  get device(): number;
  get welcome(): Fields['welcome'] | null;
  events(): AsyncGenerator<ShoeEvent, void, void>;
  messages(): AsyncGenerator<ShoeEvent | Notices['status'], void, void>;
  acknowledge(): void;
  play(hooks: Hooks): Promise<ShoeEvent[]>;
  on<K extends keyof Notices>(kind: K, listener: (value: Notices[K]) => void): () => boolean;
  command<N extends CommandName>(name: N, fields?: Arguments<N>, options?: { timeoutMs?: number }): Promise<Result>;
  unfinished(): Promise<Operation | null>;
  resume(options?: { timeoutMs?: number }): Promise<Result | null>;
  ask<N extends MessageName, A extends MessageName>(
    name: N, fields: Values<N>, answer: A,
    options?: { accept?: (message: Extract<Message, { name: A }>) => boolean; timeoutMs?: number },
  ): Promise<Extract<Message, { name: A }>>;
  setClock(date?: Date): Promise<Extract<Message, { name: 'time_is' }>>;
  close(): Promise<void>;
}
