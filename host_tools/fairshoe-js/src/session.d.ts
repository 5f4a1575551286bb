import type { Dictionary, Message, OpaqueEvent } from './dictionary.js';
import type { Frame, FrameDecoder, FrameDrop } from './frames.js';
import type { Role } from './keys.js';
import type { Fields, MessageName, Values } from './messages.js';

/** Why a good frame does not count. */
export type MessageDrop = 'malformed' | 'unknown' | 'bad_session' | 'bad_mac' | 'replayed' | 'not_keyed' | 'not_allowed';
export type Taken = Message | OpaqueEvent | { drop: MessageDrop };
export type Received = (Message & { frame: Frame }) | (OpaqueEvent & { frame: Frame }) | { drop: FrameDrop | MessageDrop; frame?: Frame };

export declare class Gate {
  dictionary: Dictionary;
  from: 'H' | 'D';
  session: number;
  last: number;
  sign: ((headerAndBody: Uint8Array) => Uint8Array) | null;
  constructor(options: { dictionary?: Dictionary; from: 'H' | 'D'; session: number; key?: Uint8Array | null; last?: number });
  take(frame: Frame): Taken;
}

export declare class Session {
  decoder: FrameDecoder;
  welcome: Fields['welcome'] | null;
  role: number;
  dictionary: Dictionary;
  constructor(options?: {
    role?: Role | number;
    /** The role's key: 32 bytes or 64 hexadecimal digits. Every role but clear has one. */
    key?: Uint8Array | string | null;
    dictionary?: Dictionary;
    random?: (size: number) => Uint8Array;
  });
  hello(): Uint8Array;
  drop(): void;
  get ending(): boolean;
  send<N extends MessageName>(name: N, fields?: Values<N>): Uint8Array;
  use(dictionary: Dictionary): void;
  receive(chunk: Uint8Array): Generator<Received, void, void>;
}
