import type { ShoeEvent } from './dictionary.js';
import type { Log, Store } from './shoe.js';

export declare function resumeLog(
  store: Store, device: number, found: { identity: string; seqLast: number; boot: number },
  allowed?: { newLog?: boolean; current?: Log | null; seen?: number },
): Promise<Log>;
export declare class Logs {
  of(device: number): Log[];
  goOn(device: number, log: { id: number; identity: string }): void;
  lacks(device: number, event: ShoeEvent): boolean;
  stored(device: number, event: ShoeEvent): void;
}
