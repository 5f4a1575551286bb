"""HMAC with SHA-256 (FIPS 198-1), with the padded keys made once: the only primitive behind sessions and randomness."""

from hashlib import sha256

from micropython import const

BLOCK_SIZE = const(64)
DIGEST_SIZE = const(32)


class Hmac:
    """One key, of at most a block."""

    def __init__(self, key: bytes) -> None:
        padded = key + bytes(BLOCK_SIZE - len(key))
        self.inner = bytes([byte ^ 0x36 for byte in padded])
        self.outer = bytes([byte ^ 0x5C for byte in padded])

    def digest(self, first: "bytes | memoryview", second: "bytes | memoryview") -> bytes:
        """MAC of the two parts as one message. Allocates about 400 bytes on the device."""
        inner = sha256(self.inner)
        inner.update(first)
        inner.update(second)
        outer = sha256(self.outer)
        outer.update(inner.digest())
        return outer.digest()


def same_bytes(left: bytes, buf: bytearray, at: int, size: int) -> bool:
    """Whether left[:size] stands in buf at `at`; takes the same time wherever they differ."""
    difference = 0
    for i in range(size):
        difference |= left[i] ^ buf[at + i]
    return difference == 0
