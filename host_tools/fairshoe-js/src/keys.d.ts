import type { Frame } from './frames.js';

export type Role = 'clear' | 'observer' | 'table' | 'service' | 'auditor' | 'recorder';
type Sign = (headerAndBody: Uint8Array) => Uint8Array;

export declare const ROLES: Role[];
export declare function roleKeyOf(deviceKey: Uint8Array, role: Role | number): Uint8Array;
export declare function sessionKeyOf(roleKey: Uint8Array, parts: {
  versionMax: number; session: number; hostNonce: Uint8Array; deviceNonce: Uint8Array;
}): Uint8Array;
export declare function signer(sessionKey: Uint8Array, direction: 'H' | 'D'): Sign;
export declare function macIsRight(sign: Sign, frame: Frame): boolean;
export declare function roleNumber(role: Role | number): number;
export declare function keyBytes(key: Uint8Array | string): Uint8Array;
export declare function parseKey(text: string, role?: Role): { role: Role; key: Uint8Array };
