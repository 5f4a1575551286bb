"""HMAC-DRBG with SHA-256 (NIST SP 800-90A, 10.1.2): the only source of numbers a shuffle may use."""

from hashlib import sha256

from micropython import const

BLOCK_SIZE = const(64)
DIGEST_SIZE = const(32)


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC (FIPS 198-1) with a key of at most one block."""
    padded = key + bytes(BLOCK_SIZE - len(key))
    inner = sha256(bytes(byte ^ 0x36 for byte in padded))
    inner.update(message)
    outer = sha256(bytes(byte ^ 0x5C for byte in padded))
    outer.update(inner.digest())
    return outer.digest()


class Drbg:
    """Key and value of one instance. Allocates: used only while no card moves."""

    def __init__(self, seed: bytes) -> None:
        self.key = bytes(DIGEST_SIZE)
        self.value = b"\x01" * DIGEST_SIZE
        self.update(seed)

    def update(self, data: bytes) -> None:
        self.key = hmac_sha256(self.key, self.value + b"\x00" + data)
        self.value = hmac_sha256(self.key, self.value)
        if data:
            self.key = hmac_sha256(self.key, self.value + b"\x01" + data)
            self.value = hmac_sha256(self.key, self.value)

    def generate(self, size: int) -> bytes:
        """`size` bytes (SP 800-90A allows 65536 a call), then a state update so that they cannot be run backwards."""
        out = b""
        while len(out) < size:
            self.value = hmac_sha256(self.key, self.value)
            out += self.value
        self.update(b"")
        return out[:size]
