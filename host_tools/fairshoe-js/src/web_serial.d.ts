import type { Connect } from './shoe.js';

/** The part of the browser's SerialPort that is used: tests inject their own. */
export interface SerialPortLike {
  open(options: { baudRate: number }): Promise<void>;
  close(): Promise<void>;
  readable: ReadableStream<Uint8Array> | null;
  writable: WritableStream<Uint8Array> | null;
}

export declare function webSerial(port: SerialPortLike, options?: { baudRate?: number }): Connect;
