"""HMAC with SHA-256 (FIPS 198-1), with the padded keys made once: the only primitive behind sessions and randomness."""

from hashlib import sha256

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

BLOCK_SIZE = const(64)
DIGEST_SIZE = const(32)


class Hmac:
    """One key; one longer than a block counts by its hash (RFC 2104)."""

    def __init__(self, key: "bytes | bytearray") -> None:
        self.inner = bytearray(BLOCK_SIZE)
        self.outer = bytearray(BLOCK_SIZE)
        self.rekey(key)

    def rekey(self, key: "bytes | bytearray") -> None:
        """Another key in place of this one, which is overwritten."""
        if len(key) > BLOCK_SIZE:
            key = sha256(key).digest()
        for i in range(BLOCK_SIZE):
            byte = key[i] if i < len(key) else 0
            self.inner[i] = byte ^ 0x36
            self.outer[i] = byte ^ 0x5C

    def digest(self, first: "bytes | bytearray | memoryview", second: "bytes | bytearray | memoryview") -> bytes:
        """MAC of the two parts as one message. Allocates about 400 bytes on the device."""
        inner = sha256(self.inner)
        inner.update(first)
        inner.update(second)
        outer = sha256(self.outer)
        outer.update(inner.digest())
        return outer.digest()


def wipe(buf: "bytearray | array[int]") -> None:
    """Overwrite: a secret that is no longer needed must not be found in memory."""
    for i in range(len(buf)):
        buf[i] = 0


def differ(left: bytes, buf: bytearray, at: int, size: int) -> int:
    """0 if left[:size] stands in buf at `at`; takes the same time wherever they differ."""
    difference = 0
    for i in range(size):
        difference |= left[i] ^ buf[at + i]
    return difference
