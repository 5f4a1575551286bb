"""SHA-512 (FIPS 180-4), as Ed25519 needs it: the board has SHA-256 only.

A word of 64 bits is four pieces of 16, lowest first. So every value stays below 2**31, and the loops give the same
numbers as Python and as machine code: ship/machine_code.py.
"""

from array import array

from micropython import const

from firmware.digest import wipe
from firmware.signing.constants import ROUND_CONSTANTS, START_STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generator

BLOCK_SIZE = const(128)
DIGEST_SIZE = const(64)
_LENGTH_SIZE = const(16)
_ROUNDS = const(80)
_LOW = const(0xFFFF)


def sha512(message: "bytes | bytearray") -> "Generator[None, None, bytearray]":
    """The digest, in steps of at most sixteen rounds; for the caller to wipe."""
    size = len(message)
    blocks = (size + _LENGTH_SIZE) // BLOCK_SIZE + 1
    padded = bytearray(blocks * BLOCK_SIZE)
    padded[:size] = message
    padded[size] = 0x80
    padded[-4:] = (size * 8).to_bytes(4, "big")
    state = array("i", [0] * 32)
    load(state, bytearray(START_STATE), 0, 8)
    v = array("i", state)
    w = array("i", [0] * 64)
    for at in range(0, len(padded), BLOCK_SIZE):
        load(w, padded, at, 16)
        for first in range(0, _ROUNDS, 16):
            if first:
                schedule(w)
            rounds(v, w, ROUND_CONSTANTS, first)
            yield
        add(state, v)
    digest = bytearray(DIGEST_SIZE)
    store(state, digest)
    for secret in (padded, state, v, w):
        yield
        wipe(secret)
    return digest


def load(w: "array[int]", data: bytearray, at: int, count: int) -> None:
    """`count` words of data, highest byte first, into pieces."""
    for i in range(count * 4):
        byte = at + (i >> 2 << 3) + (3 - (i & 3) << 1)
        w[i] = data[byte] << 8 | data[byte + 1]


def store(state: "array[int]", out: bytearray) -> None:
    """The eight words, highest byte first."""
    for i in range(32):
        byte = (i >> 2 << 3) + (3 - (i & 3) << 1)
        out[byte] = state[i] >> 8
        out[byte + 1] = state[i] & 0xFF


def add(state: "array[int]", v: "array[int]") -> None:
    """Both become their sum."""
    carry = 0
    for i in range(32):
        carry = (carry if i & 3 else 0) + state[i] + v[i]
        state[i] = v[i] = carry & _LOW
        carry >>= 16


def schedule(w: "array[int]") -> None:
    """The sixteen words after these."""
    for n in range(16):
        p = (n + 1 & 15) << 2
        q = (n + 9 & 15) << 2
        r = (n + 14 & 15) << 2
        carry = 0
        for i in range(4):
            j = i + 1 & 3
            x = w[p + i]
            y = w[p + j]
            last = y if j else 0  # a shift brings zeros in, a rotation does not
            s = (x >> 1 | y << 15) ^ (x >> 8 | y << 8) ^ (x >> 7 | last << 9)
            carry += w[(n << 2) + i] + w[q + i] + (s & _LOW)
            x = w[r + i]
            y = w[r + j]
            last = y if j else 0
            s = (y >> 3 | w[r + (i + 2 & 3)] << 13) ^ (w[r + (i + 3 & 3)] >> 13 | x << 3) ^ (x >> 6 | last << 10)
            carry += s & _LOW
            w[(n << 2) + i] = carry & _LOW
            carry >>= 16


def rounds(v: "array[int]", w: "array[int]", k: bytes, first: int) -> None:
    """Sixteen rounds, from round `first` on. The words a to h change places in each: a is at 0, then at 7, 6 and so
    on."""
    for n in range(16):
        a = (0 - n & 7) << 2
        b = (1 - n & 7) << 2
        c = (2 - n & 7) << 2
        d = (3 - n & 7) << 2
        e = (4 - n & 7) << 2
        f = (5 - n & 7) << 2
        g = (6 - n & 7) << 2
        h = (7 - n & 7) << 2
        byte = (first + n << 3) + 6
        carry = 0
        carry_d = 0
        carry_h = 0
        for i in range(4):
            x = v[e + i]
            y = v[e + (i + 1 & 3)]
            z = v[e + (i + 2 & 3)]
            s = (x >> 14 | y << 2) ^ (y >> 2 | z << 14) ^ (z >> 9 | v[e + (i + 3 & 3)] << 7)
            carry += v[h + i] + (s & _LOW) + (x & v[f + i] ^ (x ^ _LOW) & v[g + i]) + w[(n << 2) + i]
            carry += k[byte] << 8 | k[byte + 1]
            byte -= 2
            carry_d += v[d + i] + (carry & _LOW)
            v[d + i] = carry_d & _LOW
            x = v[a + i]
            y = v[a + (i + 2 & 3)]
            z = v[a + (i + 3 & 3)]
            s = (v[a + (i + 1 & 3)] >> 12 | y << 4) ^ (y >> 2 | z << 14) ^ (y >> 7 | z << 9)
            carry_h += (carry & _LOW) + (s & _LOW) + (x & v[b + i] ^ x & v[c + i] ^ v[b + i] & v[c + i])
            v[h + i] = carry_h & _LOW
            carry >>= 16
            carry_d >>= 16
            carry_h >>= 16
