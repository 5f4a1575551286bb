export type ErrorCode =
  | 'closed' | 'not_opened' | 'port_lost' | 'port_busy' | 'no_answer' | 'wrong_key' | 'refused' | 'wrong_device' | 'storage_replaced'
  | 'halted' | 'usage' | 'unfinished' | 'store';

export declare class FairshoeError extends Error {
  code: ErrorCode;
  advice: string;
  /** Of a command without an answer: its operation number. */
  op?: number;
  constructor(code: ErrorCode, message: string, advice: string, details?: { cause?: unknown; op?: number });
}

export declare function usage(what: string, advice?: string): FairshoeError;
