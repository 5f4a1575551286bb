import type { ShoeEvent } from './dictionary.js';
import type { Log, Operation, Store } from './shoe.js';

export declare class FileStore implements Store {
  constructor(path: string);
  put(device: number, event: ShoeEvent): void;
  logs(device: number): Log[];
  putLog(device: number, log: { id: number; identity: string }): void;
  lastOperation(device: number, role: number): Operation | null;
  putOperation(device: number, role: number, operation: Operation): void;
  close(): void;
}
