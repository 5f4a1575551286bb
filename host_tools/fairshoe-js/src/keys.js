// Keys and MACs. Section 2 of docs/PROTOCOL.md.
import { equal, fromHex, fromText } from './bytes.js';
import { MAC_SIZE } from './frames.js';
import { hmacSha256 } from './sha256.js';
import { usage } from './errors.js';

export const ROLES = ['clear', 'observer', 'table', 'service', 'auditor', 'recorder'];
const KEY_SIZE = 32;

/** The key of a role, from the device key. For a provisioning bench and for tests: a host is given the role's key. */
export const roleKeyOf = (deviceKey, role) => hmacSha256(deviceKey)(fromText('fairshoe role'), Uint8Array.of(roleNumber(role)));

export const sessionKeyOf = (roleKey, { versionMax, session, hostNonce, deviceNonce }) => hmacSha256(roleKey)(
  fromText('fairshoe session'), Uint8Array.of(versionMax, session & 255, session >> 8), hostNonce, deviceNonce);

/** A function from header and body to MAC, for frames of one direction: 'H' from the host, 'D' from the device. */
export function signer(sessionKey, direction) {
  const mac = hmacSha256(sessionKey), from = fromText(direction);
  return headerAndBody => mac(from, headerAndBody).subarray(0, MAC_SIZE);
}

export const macIsRight = (sign, frame) => frame.mac !== null && equal(frame.mac, sign(frame.signed));

/** The number of a role, from its name or number. */
export function roleNumber(role) {
  const number = typeof role === 'string' ? ROLES.indexOf(role) : role;
  if (!ROLES[number]) throw usage(`there is no role ${role}; known: ${ROLES.join(', ')}`);
  return number;
}

/** 32 bytes, from bytes or from 64 hexadecimal digits. */
export function keyBytes(key) {
  const bytes = typeof key === 'string' ? fromHex(key.trim()) : key;
  if (!(bytes instanceof Uint8Array) || bytes.length !== KEY_SIZE)
    throw usage(`a key has ${KEY_SIZE} bytes or ${2 * KEY_SIZE} hexadecimal digits`);
  return bytes;
}

/** The text of a key file, `table 3f1c...`, -> { role, key }. A device key gives the key of `role`. */
export function parseKey(text, role = 'table') {
  const [word, digits, ...rest] = text.trim().split(/\s+/);
  if (rest.length || !digits || (word !== 'device' && !(ROLES.indexOf(word) > 0)))
    throw usage('a key file has the word of a role and 64 hexadecimal digits');
  return word === 'device' ? { role, key: roleKeyOf(keyBytes(digits), role) } : { role: word, key: keyBytes(digits) };
}
