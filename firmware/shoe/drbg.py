"""HMAC-DRBG with SHA-256 (NIST SP 800-90A, 10.1.2): the only source of numbers a shuffle may use."""

from firmware.digest import DIGEST_SIZE, Hmac


class Drbg:
    """Key and value of one instance. Allocates: used only while no card moves."""

    def __init__(self, seed: bytes) -> None:
        self.key = bytes(DIGEST_SIZE)
        self.value = b"\x01" * DIGEST_SIZE
        self.update(seed)

    def update(self, data: bytes) -> None:
        self.key = _hmac(self.key, self.value + b"\x00" + data)
        self.value = _hmac(self.key, self.value)
        if data:
            self.key = _hmac(self.key, self.value + b"\x01" + data)
            self.value = _hmac(self.key, self.value)

    def generate(self, size: int) -> bytes:
        """`size` bytes (SP 800-90A allows 65536 a call), then a state update so that they cannot be run backwards."""
        out = b""
        while len(out) < size:
            self.value = _hmac(self.key, self.value)
            out += self.value
        self.update(b"")
        return out[:size]


def _hmac(key: bytes, message: bytes) -> bytes:
    return Hmac(key).digest(message, b"")
