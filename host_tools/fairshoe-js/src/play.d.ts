import type { Message, ShoeEvent } from './dictionary.js';
import type { CommandName } from './messages.js';
import type { Hooks, Result, Shoe } from './shoe.js';

/** What the loop of a table system decides, without a port. */
export declare class RoundPlay {
  /** The events that ended rounds. */
  over: ShoeEvent[];
  constructor(hooks: Hooks, shoe: Shoe);
  get done(): boolean;
  heard(message: Message | ShoeEvent): Promise<[CommandName, Record<string, unknown>] | null>;
  answered(result: Result): void;
}
