import type { ShoeEvent } from './dictionary.js';
import type { Operation, Store } from './shoe.js';

export declare class FileStore implements Store {
  constructor(path: string);
  put(device: number, event: ShoeEvent): void;
  lastSeq(device: number): number;
  lastOperation(device: number, role: number): Operation | null;
  putOperation(device: number, role: number, operation: Operation): void;
  close(): void;
}
