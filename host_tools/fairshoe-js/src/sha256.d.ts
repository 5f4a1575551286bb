export declare function sha256(data: Uint8Array): Uint8Array;
export declare function hmacSha256(key: Uint8Array): (...parts: Uint8Array[]) => Uint8Array;
