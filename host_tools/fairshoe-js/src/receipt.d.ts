export type Step = 'file' | 'link' | 'chain' | 'signature' | 'deal' | 'seed' | 'order';

export interface Link { device: string; round: number; commitment: string; file: string }

export interface Receipt {
  device: string; log: string; public: string; key: number; signedUtc: number; committedUtc: number;
  round: number; game: string; positions: number; commitment: string;
  share: 'none' | 'given' | 'declined' | 'late'; nonce: string; end: 'round_ended' | 'round_voided';
  places: number[]; dealt: number[]; rest: number[];
  stacks: { number: number; taken: boolean; cards: number[] }[];
  said: string;
}

export interface Checked {
  verdict: 'proved' | 'refused' | 'unsigned';
  steps: Record<Step, { ok: boolean | null; text: string }>;
  receipt: Receipt | null;
}

export declare const STEPS: Step[];
export declare const FILE_BYTES_MAX: number;
export declare function readLink(fragment: string): Link | null;
export declare function checkReceipt(bytes: Uint8Array, link?: Link | null): Promise<Checked>;
export declare function placesOf(seed: Uint8Array, cards: number, added?: Uint8Array | null): Promise<number[]>;
