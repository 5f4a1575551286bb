// What runs everywhere: Node, browsers, module workers. Transports and the file store are modules of their own.
export { concat, fromHex, toHex } from './bytes.js';
export { Dictionary, directionOf, isCommand, isEvent } from './dictionary.js';
export { FairshoeError } from './errors.js';
export { FrameDecoder } from './frames.js';
export { Logs } from './logs.js';
export { macIsRight, parseKey, roleKeyOf, ROLES, sessionKeyOf, signer } from './keys.js';
export { MemoryStore } from './memory_store.js';
export { Gate, Session } from './session.js';
export { Shoe } from './shoe.js';
