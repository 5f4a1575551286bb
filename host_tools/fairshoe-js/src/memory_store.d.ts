import type { ShoeEvent } from './dictionary.js';
import type { Operation, Store } from './shoe.js';

export declare class MemoryStore implements Store {
  events: ShoeEvent[];
  put(device: number, event: ShoeEvent): void;
  lastSeq(device: number): number;
  lastOperation(device: number, role: number): Operation | null;
  putOperation(device: number, role: number, operation: Operation): void;
}
