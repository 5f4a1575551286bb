export declare function toHex(bytes: Iterable<number>): string;
export declare function fromHex(text: string): Uint8Array;
export declare function fromText(text: string): Uint8Array;
export declare function toText(bytes: Iterable<number>): string;
export declare function concat(...parts: Uint8Array[]): Uint8Array;
export declare function equal(a: Uint8Array, b: Uint8Array): boolean;
