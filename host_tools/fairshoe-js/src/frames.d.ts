export declare const VERSION: number;
export declare const KEYED: number;
export declare const AGAIN: number;
export declare const MAC_SIZE: number;

/** Why bytes between two delimiters are no frame. */
export type FrameDrop = 'bad_stuffing' | 'bad_crc' | 'too_short' | 'too_long' | 'bad_version' | 'bad_flags';

export interface Frame {
  class: number;
  flags: number;
  keyed: boolean;
  /** A hint: the device sent this event before. */
  again: boolean;
  /** Keyed, and too short for a MAC. */
  malformed: boolean;
  id: number;
  session: number;
  sequence: number;
  body: Uint8Array;
  /** Header and body: what the MAC is made over. */
  signed: Uint8Array;
  mac: Uint8Array | null;
}

export type Parsed = { frame: Frame; drop?: undefined } | { drop: FrameDrop; frame?: undefined };
export interface Place { offset: number; length: number; }

export declare function crc32(bytes: Uint8Array): number;
export declare function stuff(plain: Uint8Array): Uint8Array;
export declare function unstuff(stuffed: Uint8Array): Uint8Array | null;
export declare function parseFrame(stuffed: Uint8Array): Parsed;
export declare function buildFrame(parts: {
  class: number; id: number; body: Uint8Array; flags?: number; session?: number; sequence?: number;
  sign?: ((headerAndBody: Uint8Array) => Uint8Array) | null;
}): Uint8Array;

export declare class FrameDecoder {
  counters: Record<'good' | FrameDrop, number>;
  push(chunk: Uint8Array): (Parsed & Place)[];
  get unfinished(): Place | null;
}
