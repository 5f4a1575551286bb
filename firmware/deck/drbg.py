"""HMAC-DRBG with SHA-256 (NIST SP 800-90A rev. 1, 10.1.2): the only source of numbers a shuffle may use.

Key and value are overwritten in place and can be wiped. What SHA-256 itself hands out on the way are immutable digests
of 32 bytes, which can only be dropped: they stay in RAM until the heap uses their place again.
"""

from micropython import const

from firmware.digest import DIGEST_SIZE, Hmac, wipe
from firmware.fault import FAULT_ENTROPY, require

RESEED_INTERVAL = const(64)  # requests between reseeds, where 90A allows 2**48: a shuffle of 384 needs seven
REQUEST_BYTES_MAX = const(1024)  # where 90A allows 65,536


class Drbg:
    """One instance. Allocates: used only while no card moves."""

    def __init__(self, entropy: "bytes | bytearray", nonce: bytes, personalization: bytes) -> None:
        self.hmac = Hmac(bytes(DIGEST_SIZE))  # holds the key
        self.value = bytearray(b"\x01" * DIGEST_SIZE)
        self._update(entropy, nonce, personalization)
        self.requests = 1  # 90A's reseed counter

    def reseed(self, entropy: "bytes | bytearray", additional: bytes = b"") -> None:
        self._update(entropy, additional)
        self.requests = 1

    def generate(self, size: int, additional: bytes = b"") -> bytearray:
        """`size` bytes, for the caller to wipe; then a state update, so that they cannot be run backwards. An instance
        that was wiped, or asked too often since its last seed, raises Broken."""
        require(0 < self.requests <= RESEED_INTERVAL and size <= REQUEST_BYTES_MAX, FAULT_ENTROPY)
        if additional:
            self._update(additional)
        out = bytearray(size)
        for at in range(0, size, DIGEST_SIZE):
            self.value[:] = self.hmac.digest(self.value, b"")
            for i in range(at, min(at + DIGEST_SIZE, size)):
                out[i] = self.value[i - at]
        self._update(additional)
        self.requests += 1
        return out

    def wipe(self) -> None:
        """Forget everything: nothing can be generated from here on."""
        self.requests = 0
        self.hmac.rekey(b"")
        wipe(self.value)

    def _update(self, first: "bytes | bytearray", second: bytes = b"", third: bytes = b"") -> None:
        data = bytearray(1)
        data += first
        data += second
        data += third
        for round_number in range(2 if len(data) > 1 else 1):
            data[0] = round_number
            self.hmac.rekey(self.hmac.digest(self.value, data))
            self.value[:] = self.hmac.digest(self.value, b"")
        wipe(data)
